import CBLBase
import CBLTransport

/// `/_browse`: a page for people, who look into the databases with the same requests that programs send.
///
/// It is one text that needs nothing from elsewhere. A browser runs the script that is in it and no other, whatever the documents say; and the script
/// puts their text on the page as text alone.
enum BrowsePage {
    static func get(_ call: RESTCall) throws {
        let text = Array(html.utf8)
        let headers: HTTPHeaders = [
            "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer", "Cache-Control": "no-cache",
        ]
        try call.begin(200, headers: headers, length: text.count)
        try call.write(text)
        call.exchange.end()
    }

    private static let policy = """
        default-src 'none'; script-src '\(hash(of: script))'; style-src '\(hash(of: style))'; connect-src 'self'; img-src 'self' data:; \
        form-action 'none'; base-uri 'none'; frame-ancestors 'none'
        """

    private static func hash(of text: String) -> String {
        let digest = Array(text.utf8).withUnsafeBytes { SHA256.digest(of: $0) }
        return "sha256-" + digest.withUnsafeBytes { Base64.text(of: $0) }
    }

    private static let html = """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
        <title>cblite</title><link rel="icon" href="data:,"><style>\(style)</style></head>
        <body><header><b>cblite</b><select id="database" aria-label="Database"></select><select id="collection" aria-label="Collection"></select>
        <nav><button id="tab-documents">Documents</button><button id="tab-query">Query</button><button id="tab-changes">Changes</button></nav>
        <span id="facts"></span><span id="user"></span></header>
        <p id="problem" role="alert" hidden></p>
        <form id="sign-in" hidden><h1>Sign in</h1><label>Name <input id="name" autocomplete="username"></label>
        <label>Password <input id="password" type="password" autocomplete="current-password"></label><button>Sign in</button></form>
        <main id="documents" hidden><section id="list"><form id="search"><input id="prefix" placeholder="IDs that begin with…" aria-label="Search">
        <button id="new" type="button">New</button></form><ul id="ids"></ul>
        <p><button id="previous">Previous</button> <button id="next">Next</button></p></section>
        <section id="document" hidden><h1 id="title"></h1><textarea id="text" spellcheck="false" aria-label="Document"></textarea>
        <p id="actions"><button id="save">Save</button> <button id="delete">Delete</button></p>
        <h2>Attachments</h2><ul id="attachments"></ul><h2>Revisions</h2><ul id="revisions"></ul></section></main>
        <main id="query" hidden><textarea id="statement" spellcheck="false" aria-label="Query">SELECT META().id, * FROM _ LIMIT 100</textarea>
        <p><button id="run">Run (Ctrl-Enter)</button> <button id="explain">Explain</button> <span id="count"></span></p>
        <pre id="plan" hidden></pre><div class="wide"><table id="rows"></table></div></main>
        <main id="changes" hidden><p>What changes while you look:</p><ul id="log"></ul></main>
        <script>\(script)</script></body></html>

        """
}
