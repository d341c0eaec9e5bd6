import CBLTestSupport
import CBLTransport
import Testing

@testable import CBLListener

/// What `validate_doc_update` of design documents has a say in.
@Suite struct RESTValidationTests {
    private let server: RESTServer
    private static let rules = """
        function(newDoc, oldDoc, userCtx, secObj) {
            if (newDoc.wants == 'name') throw {forbidden: userCtx.db + '/' + userCtx.name + '/' + userCtx.roles.join()};
            if (newDoc.wants == 'login') throw({unauthorized: 'say who you are'});
            if (newDoc.wants == 'error') throw new Error('broken on purpose');
            if (newDoc.wants == 'text') throw 'a text';
            if (newDoc.wants == 'undefined') return newDoc.a.b.c;
            if (newDoc.wants == 'time') while (true) {}
            if (newDoc.wants == 'return') return false;
            if (newDoc.wants == 'change') newDoc.n = 100;
            if (newDoc._deleted) { if (oldDoc && oldDoc.keep) throw {forbidden: 'kept: ' + oldDoc._id}; return; }
            if (oldDoc && newDoc.n < oldDoc.n) throw {forbidden: newDoc._id + ' may not shrink from ' + oldDoc._rev.split('-')[0]};
            if (newDoc._attachments && newDoc._attachments.bad) throw {forbidden: 'bad attachment of ' + newDoc._attachments.bad.content_type};
        }
        """

    init() throws {
        server = try RESTServer.withDatabase()
        try set(RESTValidationTests.rules)
    }

    private func set(_ source: String, in design: String = "d") throws {
        let text = source.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
        let rev = try server.get("/db/_design/\(design)")["_rev"].map { "?rev=\($0)" } ?? ""
        #expect(try server.send("PUT", "/db/_design/\(design)\(rev)", "{\"validate_doc_update\":\"\(text)\"}").status == 201)
    }

    private func expectRefusal(_ answer: RESTAnswer, _ reason: String, status: Int = 403, at: SourceLocation = #_sourceLocation) {
        #expect(answer.status == status && answer["reason"] == reason, "\(answer.text)", sourceLocation: at)
        #expect(answer["error"] == (status == 403 ? "forbidden" : "unauthorized"), sourceLocation: at)
    }

    @Test func aDocumentIsLookedAtBeforeItIsStored() throws {
        let rev = try server.put("/db/a", #"{"n":5}"#)
        expectRefusal(try server.send("PUT", "/db/a?rev=\(rev)", #"{"n":4}"#), "a may not shrink from 1")
        #expect(try server.get("/db/a")["n"] == "5")
        try server.put("/db/a?rev=\(rev)", #"{"n":6}"#)
        expectRefusal(try server.send("PUT", "/db/b", #"{"wants":"login"}"#), "say who you are", status: 401)
        #expect(try server.get("/db/b").status == 404)
        expectRefusal(try server.send("POST", "/db", #"{"wants":"login"}"#), "say who you are", status: 401)
        // What it returns is nothing, and what it changes neither.
        try server.put("/db/c", #"{"wants":"return"}"#)
        try server.put("/db/e", #"{"wants":"change","n":1}"#)
        #expect(try server.get("/db/e")["n"] == "1")
    }

    @Test func itKnowsWhoAsks() throws {
        let ask = #"{"wants":"name"}"#
        expectRefusal(try server.send("PUT", "/db/a", ask), "db/null/_admin")
        let ada = Visitor(user: "ada", rights: UserRights(), isLocal: false)
        #expect(try server.send("PUT", "/db/a", ask, as: ada)["reason"]?.hasPrefix("db/ada/") == true)
    }

    @Test(arguments: ["error", "text", "undefined"]) func anErrorIsARefusal(kind: String) throws {
        let answer = try server.send("PUT", "/db/a", "{\"wants\":\"\(kind)\"}")
        #expect(answer.status >= 400 && answer["ok"] == nil, "\(answer.text)")
        #expect(try server.get("/db/a").status == 404)
    }

    @Test func aFunctionThatNeverEndsIsEnded() throws {
        #expect(try server.send("PUT", "/db/a", #"{"wants":"time"}"#).status == 500)
        #expect(try server.get("/db/a").status == 404)
        try server.put("/db/b", "{}")
    }

    @Test func deletionsAreAskedFor() throws {
        let kept = try server.put("/db/a", #"{"keep":true}"#)
        let other = try server.put("/db/b", "{}")
        expectRefusal(try server.send("DELETE", "/db/a?rev=\(kept)"), "kept: a")
        expectRefusal(try server.send("PUT", "/db/a?rev=\(kept)", #"{"_deleted":true}"#), "kept: a")
        #expect(try server.send("DELETE", "/db/b?rev=\(other)").status == 200)
        // What was deleted is no old document.
        try server.put("/db/b", #"{"n":1}"#)
    }

    @Test func manyDocumentsAreAskedForOneByOne() throws {
        let rev = try server.put("/db/old", #"{"n":3}"#)
        let answer = try server.send(
            "POST", "/db/_bulk_docs",
            #"{"docs":[{"_id":"a","n":1},{"_id":"b","wants":"login"},{"_id":"old","_rev":"\#(rev)","n":2},{"_id":"c"}]}"#)
        #expect(answer.status == 201)
        #expect([0, 3].allSatisfy { answer["\($0).ok"] == "true" }, "\(answer.text)")
        #expect(
            answer["1.error"] == "unauthorized" && answer["2.error"] == "forbidden" && answer["2.reason"] == "old may not shrink from 1")
        #expect(try server.get("/db/_all_docs?startkey=%22a%22").list("rows", "id") == ["a", "c", "old"])
    }

    @Test func editsOfAReplicatorAreAskedFor() throws {
        let answer = try server.send(
            "POST", "/db/_bulk_docs",
            #"{"new_edits":false,"docs":[{"_id":"a","_rev":"2-bb","_revisions":{"start":2,"ids":["bb","aa"]},"wants":"login"},"#
                + #"{"_id":"b","_rev":"1-aa","n":5}]}"#)
        #expect(answer.list("", "error") == ["unauthorized"], "\(answer.text)")
        #expect(try server.get("/db/a").status == 404)
        let shrunk = try server.send("PUT", "/db/b?new_edits=false", #"{"_rev":"2-cc","_revisions":{"start":2,"ids":["cc","aa"]},"n":1}"#)
        expectRefusal(shrunk, "b may not shrink from 1")
        // A branch of its own has no old document.
        #expect(try server.send("PUT", "/db/b?new_edits=false", #"{"_rev":"1-dd","n":1}"#).status == 201)
    }

    @Test func attachmentsAndCopiesAreAskedFor() throws {
        let rev = try server.put("/db/a", #"{"n":1}"#)
        let refused = try server.send(
            "PUT", "/db/a/bad?rev=\(rev)", headers: ["Content-Type": "text/plain"], body: Array("text".utf8))
        expectRefusal(refused, "bad attachment of text/plain")
        let accepted = try server.send("PUT", "/db/a/good?rev=\(rev)", headers: ["Content-Type": "text/plain"], body: [1])
        #expect(accepted.status == 201, "\(accepted.text)")
        try server.put("/db/big", #"{"n":9}"#)
        let target = try #require(try server.get("/db/big")["_rev"])
        expectRefusal(try server.send("COPY", "/db/a", headers: ["Destination": "big?rev=\(target)"]), "big may not shrink from 1")
        #expect(try server.send("COPY", "/db/a", headers: ["Destination": "small"]).status == 201)
    }

    @Test func someDocumentsAreNotAskedFor() throws {
        #expect(try server.send("PUT", "/db/_local/a", #"{"wants":"login"}"#).status == 201)
        #expect(try server.send("PUT", "/db/_design/e", #"{"wants":"login"}"#).status == 201)
    }

    @Test func allOfThemHaveASay() throws {
        try set("function(d) { if (d.other) throw {forbidden: 'the other one'}; }", in: "other")
        expectRefusal(try server.send("PUT", "/db/a", #"{"other":1}"#), "the other one")
        expectRefusal(try server.send("PUT", "/db/a", #"{"wants":"login"}"#), "say who you are", status: 401)
        // A change of a design document counts at once, and its end, too.
        try set("function(d) { if (d.other) throw {forbidden: 'changed'}; }", in: "other")
        expectRefusal(try server.send("PUT", "/db/a", #"{"other":1}"#), "changed")
        for design in ["d", "other"] {
            let rev = try #require(try server.get("/db/_design/\(design)")["_rev"])
            #expect(try server.send("DELETE", "/db/_design/\(design)?rev=\(rev)").status == 200)
        }
        try server.put("/db/a", #"{"other":1,"wants":"login"}"#)
    }

    @Test(arguments: ["function(", "7", "", "not a function", "function() {} function() {}"]) func whatIsNoFunctionStoresNothing(
        source: String
    ) throws {
        try set(source)
        let answer = try server.send("PUT", "/db/a", "{}")
        #expect(answer.status == 500 && answer["reason"]?.contains("_design/d") == true, "\(answer.text)")
        // The design document can be mended.
        try set("function() {}")
        try server.put("/db/a", "{}")
    }

    @Test func whatIsPulledIsAskedFor() throws {
        try server.send("PUT", "/source")
        try server.put("/source/good", #"{"n":1}"#)
        try server.put("/source/bad", #"{"wants":"login"}"#)
        let feed = try server.feed("/_replicate", "POST", #"{"source":"source","target":"db"}"#)
        try feed.run { $0.exchange.answer.hasEnded }
        let answer = RESTAnswer(feed.exchange.answer)
        #expect(answer["history.0.docs_written"] == "1", "\(answer.text)")
        #expect(try server.get("/db/good").status == 200)
        #expect(try server.get("/db/bad").status == 404)
    }

    /// Where the same server has both protocols, neither is a way around the other's rules.
    @Test func whatComesOverAWebSocketIsAskedFor() async throws {
        let databases = try Databases()
        let (here, there) = try (databases.create("here", 3), databases.create("there"))
        let rules = #"{"validate_doc_update":"function(d) { if (d.n == 1) throw {forbidden: 'no ones'}; }"}"#
        try there.write { _ = try $0.putDesign("_design/d", json: Array(rules.utf8), replacing: nil) }
        let listener = try TestListener(there) { $0.rest = RESTService.Settings() }
        let outcome = await sync(here, try listener.url())
        #expect(outcome.failure == nil && outcome.pushed.sorted() == ["doc-0", "doc-2"])
        #expect(outcome.errors.map(\.documentID) == ["doc-1"] && "\(outcome.errors)".contains("no ones"), "\(outcome.errors)")
        #expect(try there.read { try $0.document("doc-1") } == nil)
        await listener.stop()
    }
}
