extension BrowsePage {
    /// Whatever comes from a database goes to the page by `textContent` and `value`, never as markup.
    static let script = #"""
        "use strict";
        const at = id => document.getElementById(id);
        const part = encodeURIComponent;
        const pageSize = 50;
        const state = { database: "", collection: "_default._default", access: "read-only", starts: [], rev: null, feed: null, tab: "documents" };

        function element(name, text, parent, action) {
          const made = document.createElement(name);
          if (text !== undefined) made.textContent = text;
          if (action) made.addEventListener("click", action);
          if (parent) parent.append(made);
          return made;
        }
        function complain(error) { at("problem").textContent = error ? String(error.message || error) : ""; at("problem").hidden = !error; }
        function attempt(work) {
          return async event => {
            if (event && event.preventDefault) event.preventDefault();
            complain(null);
            try { await work(event); } catch (error) { complain(error); }
          };
        }
        async function ask(path, options) {
          const answer = await fetch(path, { headers: { Accept: "application/json", "Content-Type": "application/json" }, ...options });
          const text = await answer.text();
          let found;
          try { found = JSON.parse(text); } catch { throw new Error(text || answer.statusText); }
          if (!answer.ok) throw new Error((found.reason || found.error || answer.statusText) + " (" + answer.status + ")");
          return found;
        }
        const base = () => "/" + part(state.database) + (state.collection === "_default._default" ? "" : "." + state.collection.split(".").map(part).join("."));
        const pathOf = id => base() + "/" + (/^_design\//.test(id) ? "_design/" + part(id.slice(8)) : part(id));
        const mayWrite = () => state.access === "read-write";

        // Databases and collections.
        async function showDatabases() {
          const session = await ask("/_session");
          at("user").replaceChildren();
          const user = session.userCtx;
          if (user.name === null && !user.roles.includes("_admin") && !session.info.authenticated) { at("sign-in").hidden = false; return; }
          at("sign-in").hidden = true;
          if (user.name !== null) {
            element("span", user.name + " ", at("user"));
            if (session.info.authenticated === "cookie") {
              element("button", "Sign out", at("user"), attempt(async () => { await ask("/_session", { method: "DELETE" }); location.reload(); }));
            }
          }
          const names = await ask("/_all_dbs");
          at("database").replaceChildren(...names.map(name => new Option(name, name)));
          if (names.length === 0) { complain("There is no database here."); return; }
          const wanted = location.hash.slice(1).split("/").map(decodeURIComponent);
          if (names.includes(wanted[0])) at("database").value = wanted[0];
          await chooseDatabase(wanted[1]);
          show("documents");
          if (wanted[2]) await open(wanted[2]);
        }
        async function chooseDatabase(collection) {
          state.database = at("database").value;
          state.collection = "_default._default";
          let found = [];
          const facts = await ask("/" + part(state.database)).catch(error => ({ problem: error }));
          for (const scope of Object.keys(facts.scopes || {})) for (const name of Object.keys(facts.scopes[scope])) found.push(scope + "." + name);
          if (found.length === 0) found = ["_default._default"];
          at("collection").replaceChildren(...found.map(name => new Option(name.replace(/^_default\./, ""), name)));
          at("collection").value = found.includes(collection) ? collection : found[0];
          await chooseCollection();
        }
        async function chooseCollection() {
          state.collection = at("collection").value;
          const facts = await ask(base());
          state.access = facts.access || "read-only";
          at("facts").textContent = facts.doc_count.toLocaleString() + " documents, sequence " + facts.update_seq;
          at("new").disabled = at("save").disabled = at("delete").disabled = !mayWrite();
          at("text").readOnly = !mayWrite();
          at("document").hidden = true;
          state.starts = [""];
          if (at("statement").value === state.proposal || !state.proposal) {
            const quoted = state.collection.split(".").map(name => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? name : "`" + name + "`");
            state.proposal = "SELECT META().id, * FROM " + (state.collection === "_default._default" ? "_" : quoted.join(".")) + " LIMIT 100";
            at("statement").value = state.proposal;
          }
          if (state.tab === "changes") follow();
          if (state.access === "write-only") { at("ids").replaceChildren(); throw new Error("Documents can only be stored here, not read."); }
          await list();
        }

        // Documents.
        async function list() {
          const prefix = at("prefix").value;
          const start = state.starts[state.starts.length - 1] || prefix;
          const query = new URLSearchParams({ limit: pageSize + 1, startkey: JSON.stringify(start) });
          if (prefix) query.set("endkey", JSON.stringify(prefix + "\uffff"));
          const rows = (await ask(base() + "/_all_docs?" + query)).rows;
          at("ids").replaceChildren();
          for (const row of rows.slice(0, pageSize)) {
            const item = element("li", row.id, at("ids"), attempt(() => open(row.id)));
            item.title = row.value.rev;
          }
          at("next").disabled = rows.length <= pageSize;
          at("previous").disabled = state.starts.length < 2;
          state.following = rows.length > pageSize ? rows[pageSize].id : null;
        }
        async function open(id, rev) {
          const query = rev ? "?rev=" + part(rev) : "?revs_info=true&conflicts=true";
          const found = await ask(pathOf(id) + query);
          const isExact = await keepsNumbers(pathOf(id) + query);
          location.hash = [state.database, state.collection, id].map(part).join("/");
          at("document").hidden = false;
          at("title").textContent = id + (rev ? " at " + rev : "");
          for (const item of at("ids").children) item.classList.toggle("on", item.textContent === id);
          if (!rev) {
            state.rev = found._rev;
            at("revisions").replaceChildren();
            for (const each of found._conflicts || []) element("button", "conflict " + each, element("li", undefined, at("revisions")), attempt(() => open(id, each)));
            for (const each of found._revs_info || []) {
              const item = element("li", undefined, at("revisions"));
              const button = element("button", each.rev, item, attempt(() => open(id, each.rev === found._rev ? undefined : each.rev)));
              if (each.status !== "available") { button.disabled = true; element("span", " " + each.status, item); }
            }
          }
          at("attachments").replaceChildren();
          for (const [name, facts] of Object.entries(found._attachments || {})) {
            const item = element("li", undefined, at("attachments"));
            const link = element("a", name, item);
            link.href = pathOf(id) + "/" + part(name) + (rev ? "?rev=" + part(rev) : "");
            link.target = "_blank"; link.rel = "noopener noreferrer";
            element("span", " " + (facts.content_type || "") + ", " + facts.length + " bytes", item);
          }
          for (const own of ["_revs_info", "_conflicts", "_id", "_rev"]) delete found[own];
          at("text").value = JSON.stringify(found, null, 2);
          state.id = id;
          at("save").disabled = at("delete").disabled = !mayWrite() || Boolean(rev);
          if (!isExact) { at("save").disabled = true; complain("This document has integers that a browser cannot hold: it is shown nearly right, and cannot be saved here."); }
        }
        // What a script reads and writes again has other integers than before if they are large.
        async function keepsNumbers(path) {
          const text = (await (await fetch(path, { headers: { Accept: "application/json" } })).text()).replace(/"(?:[^"\\]|\\.)*"/g, "");
          return (text.match(/-?\d+(\.\d+)?([eE][+-]?\d+)?/g) || []).every(number => /[.eE]/.test(number) || Number.isSafeInteger(Number(number)));
        }
        function begin() {
          state.id = null; state.rev = null;
          at("document").hidden = false;
          at("title").textContent = "A new document; \"_id\" gives it a name";
          at("text").value = "{\n  \"_id\": \"\"\n}";
          at("attachments").replaceChildren(); at("revisions").replaceChildren();
          at("save").disabled = !mayWrite(); at("delete").disabled = true;
        }
        async function save() {
          const body = JSON.parse(at("text").value);
          const id = state.id === null ? body._id : state.id;
          delete body._id;
          if (state.rev) body._rev = state.rev;
          const options = { body: JSON.stringify(body) };
          const done = id ? await ask(pathOf(id), { method: "PUT", ...options }) : await ask(base(), { method: "POST", ...options });
          await list();
          await open(done.id);
        }
        async function remove() {
          if (!confirm("Delete \"" + state.id + "\"?")) return;
          await ask(pathOf(state.id) + "?rev=" + part(state.rev), { method: "DELETE" });
          at("document").hidden = true;
          await list();
        }

        // Queries.
        async function run(explains) {
          const query = at("statement").value;
          at("count").textContent = "…";
          const clock = performance.now();
          const found = await ask(base() + "/_query", { method: "POST", body: JSON.stringify({ query, arrays: true, explain: explains }) })
            .catch(error => { at("count").textContent = ""; throw error; });
          at("plan").hidden = !explains;
          if (explains) { at("count").textContent = ""; at("rows").replaceChildren(); at("plan").textContent = JSON.stringify(found, null, 2); return; }
          const time = Math.round(performance.now() - clock);
          const most = 1000;
          at("count").textContent = found.count.toLocaleString() + " rows in " + time + " ms" + (found.count > most ? ", the first " + most + " of them:" : "");
          at("rows").replaceChildren();
          const head = element("tr", undefined, element("thead", undefined, at("rows")));
          for (const column of found.columns) element("th", column, head);
          const body = element("tbody", undefined, at("rows"));
          for (const row of found.results.slice(0, most)) {
            const line = element("tr", undefined, body);
            for (const value of row) {
              const cell = element("td", typeof value === "string" ? value : JSON.stringify(value), line);
              if (value === null) cell.className = "none";
            }
          }
        }

        // Changes.
        function follow() {
          if (state.feed) state.feed.close();
          at("log").replaceChildren();
          const feed = state.feed = new EventSource(base() + "/_changes?feed=eventsource&since=now&heartbeat=30000");
          feed.onmessage = event => {
            const change = JSON.parse(event.data);
            if (change.seq === undefined) return;
            const item = element("li", change.seq + "  " + change.id + "  " + change.changes[0].rev + (change.deleted ? "  deleted" : ""), undefined,
              attempt(async () => { show("documents"); await open(change.id); }));
            at("log").prepend(item);
            while (at("log").children.length > 500) at("log").lastChild.remove();
          };
        }
        function show(tab) {
          state.tab = tab;
          for (const each of ["documents", "query", "changes"]) { at(each).hidden = each !== tab; at("tab-" + each).classList.toggle("on", each === tab); }
          if (tab === "changes") follow(); else if (state.feed) { state.feed.close(); state.feed = null; }
        }

        for (const tab of ["documents", "query", "changes"]) at("tab-" + tab).addEventListener("click", attempt(() => show(tab)));
        at("database").addEventListener("change", attempt(() => chooseDatabase()));
        at("collection").addEventListener("change", attempt(chooseCollection));
        at("search").addEventListener("submit", attempt(async () => { state.starts = [""]; await list(); }));
        at("prefix").addEventListener("input", attempt(async () => { state.starts = [""]; await list(); }));
        at("next").addEventListener("click", attempt(async () => { if (state.following) { state.starts.push(state.following); await list(); } }));
        at("previous").addEventListener("click", attempt(async () => { if (state.starts.length > 1) { state.starts.pop(); await list(); } }));
        at("new").addEventListener("click", attempt(begin));
        at("save").addEventListener("click", attempt(save));
        at("delete").addEventListener("click", attempt(remove));
        at("run").addEventListener("click", attempt(() => run(false)));
        at("explain").addEventListener("click", attempt(() => run(true)));
        at("statement").addEventListener("keydown", event => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) attempt(() => run(false))(event); });
        at("sign-in").addEventListener("submit", attempt(async () => {
          await ask("/_session", { method: "POST", body: JSON.stringify({ name: at("name").value, password: at("password").value }) });
          at("password").value = "";
          await showDatabases();
        }));
        attempt(showDatabases)();
        """#
}
