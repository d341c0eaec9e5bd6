import CBLReplication
import CBLReplicationTestSupport
import CBLStore
import CBLTestSupport
import CBLTransport
import Testing

@testable import CBLListener

/// The REST API over a socket: who is let in, what they may, and what becomes of it when the listener stops.
@Suite(.timeLimit(.minutes(10))) struct RESTListenerTests {
    /// An answer as it came.
    struct Answer {
        let text: String
        var status: Int { Int(text.split(separator: " ").dropFirst().first ?? "") ?? 0 }
        var body: String { String(decoding: bytes.dropFirst(headLength), as: UTF8.self) }
        private var bytes: [UInt8] { Array(text.utf8) }
        private var headLength: Int {
            let end = Array("\r\n\r\n".utf8)
            return (bytes.indices.first { bytes[$0...].starts(with: end) } ?? bytes.count) + end.count
        }

        func header(_ name: String) -> String? {
            let line = text.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
            return line.map { String($0.drop { $0 != ":" }.dropFirst().drop { $0 == " " }) }
        }
    }

    private let databases: Databases

    init() throws { databases = try Databases() }

    private func listener(
        _ shares: [Share] = [], users: UserList? = nil, rights: ServedDatabases.Rights = [.create, .delete],
        _ change: (inout ListenerSettings) -> Void = { _ in }
    ) throws -> TestListener {
        let served = ServedDatabases(shares, directory: shares.isEmpty ? databases.directory.path : nil, rights: rights)
        return try TestListener(served) { settings in
            settings.rest = RESTService.Settings()
            settings.users = users
            change(&settings)
        }
    }

    private func users() -> UserList {
        var users = UserList()
        users.set("ada", password: "a")
        users.set("bob", password: "b", rights: UserRights(.readOnly))
        users.set("eve", password: "e", rights: UserRights(.writeOnly))
        users.set("joe", password: "j", rights: UserRights(.readWrite, databases: ["other"]))
        return users
    }

    private func send(
        _ listener: TestListener, _ method: String, _ path: String, _ body: String? = nil, as user: String? = nil, _ headers: String = ""
    ) throws -> Answer {
        var lines = headers
        if let user { lines += PlainClient.authorization(user, String(user.prefix(1))) }
        if let body { lines += "Content-Length: \(body.utf8.count)\r\nContent-Type: application/json\r\n" }
        let client = try PlainClient(port: listener.listener.port)
        client.write("\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\(lines)\r\n\(body ?? "")")
        return Answer(text: client.readToEnd())
    }

    @Test func aDirectoryIsServedOverBothProtocols() async throws {
        let listener = try listener()
        #expect(try send(listener, "PUT", "/db").status == 201)
        #expect(try send(listener, "PUT", "/db/a", #"{"n":1}"#).status == 201)
        let other = try databases.create("other", 0)
        #expect(await sync(other, try listener.url("db"), push: .off).failure == nil)
        #expect(try other.read { try $0.document("a") != nil })
        // A collection that was made since somebody connected is there for the next.
        #expect(try send(listener, "PUT", "/db.c").status == 201)
        #expect(try send(listener, "PUT", "/db.c/b", "{}").status == 201)
        let name = try CollectionName(name: "c")
        try other.write { try $0.createCollection(name) }
        #expect(await sync(other, try listener.url("db"), push: .off, collections: [name]).failure == nil)
        #expect(try other.read { try $0.document("b", in: name) != nil })
        await listener.stop()
    }

    /// Their functions have a say in what others store, administrators too.
    @Test func designDocumentsAreForThoseWhoMayDoEverything() async throws {
        let database = try databases.create("db")
        defer { database.close() }
        let listener = try listener([Share("db", database)], users: users())
        let design = #"{"validate_doc_update":"function (d) { throw {forbidden: 'locked'} }"}"#
        #expect(try send(listener, "PUT", "/db/_design/rules", #"{"views":{}}"#, as: "ada").status == 201)
        #expect(try send(listener, "PUT", "/db/_design/lock", design, as: "eve").status == 403)
        #expect(try send(listener, "DELETE", "/db/_design/rules?rev=1-x", as: "eve").status == 403)
        #expect(try send(listener, "POST", "/db", #"{"_id":"_design/lock"}"#, as: "eve").status == 403)
        for made in [
            #"{"new_edits":false,"docs":[{"_id":"_design/rules","_rev":"9-ffff","_revisions":{"start":9,"ids":["ffff"]}},{"_id":"a","_rev":"1-aa"}]}"#,
            #"{"docs":[{"_id":"_design/lock"},{"_id":"b"}]}"#,
        ] {
            let answer = try send(listener, "POST", "/db/_bulk_docs", made, as: "eve")
            #expect(answer.status == 201 && answer.text.contains("403"), "\(answer.text)")
        }
        #expect(try send(listener, "PUT", "/db/c", "{}", as: "eve").status == 201)
        let stored = try send(listener, "GET", "/db/_design_docs", as: "ada").text
        #expect(
            stored.contains("_design/rules") && stored.contains("1-") && !stored.contains("9-ffff") && !stored.contains("lock"), "\(stored)"
        )
        for id in ["a", "b", "c"] { #expect(try database.read { snapshot in try snapshot.document(id) != nil }) }
        await listener.stop()
    }

    @Test func aDatabaseThatNobodyHasAskedForIsOpenedForReplicators() async throws {
        let made = try databases.create("db", 3)
        made.close()
        let listener = try listener()
        let other = try databases.create("other")
        #expect(await sync(other, try listener.url("db"), push: .off).failure == nil)
        #expect(try other.read { try $0.counts(of: .default).live } == 3)
        #expect(await sync(other, try listener.url("nothing"), push: .off).failure != nil)
        await listener.stop()
    }

    @Test func aDeletedDatabaseIsGoneForReplicators() async throws {
        let listener = try listener()
        #expect(try send(listener, "PUT", "/db").status == 201)
        let other = try databases.create("other", 2)
        #expect(await sync(other, try listener.url("db"), pull: .off).failure == nil)
        #expect(try send(listener, "DELETE", "/db").status == 200)
        #expect(await sync(other, try listener.url("db"), pull: .off).failure != nil)
        #expect(try send(listener, "PUT", "/db").status == 201)
        #expect(await sync(other, try listener.url("db"), pull: .off).failure == nil)
        await listener.stop()
    }

    // User, method, path, status.
    private static let rights: [(String?, String, String, Int)] = [
        (nil, "GET", "/", 401), (nil, "GET", "/db/a", 401), (nil, "GET", "/_session", 200), (nil, "PUT", "/new", 401),
        (nil, "GET", "/_up", 200),
        ("ada", "GET", "/db/a", 200), ("ada", "PUT", "/db/x", 201), ("ada", "POST", "/db/_compact", 202), ("ada", "GET", "/db.c", 404),
        ("bob", "GET", "/db/a", 200), ("bob", "PUT", "/db/x", 403), ("bob", "POST", "/db/_bulk_docs", 403), ("bob", "DELETE", "/db/a", 403),
        ("bob", "POST", "/db/_compact", 403), ("bob", "DELETE", "/db", 403), ("bob", "PUT", "/new", 403),
        ("bob", "PUT", "/db/_local/x", 201),
        ("bob", "POST", "/db/_revs_diff", 200), ("bob", "GET", "/db/_changes", 200), ("bob", "PUT", "/db/a/file", 403),
        ("eve", "GET", "/db/a", 403), ("eve", "GET", "/db/_all_docs", 403), ("eve", "GET", "/db/_changes", 403),
        ("eve", "PUT", "/db/x", 201),
        ("eve", "GET", "/db", 200), ("eve", "POST", "/db/_revs_diff", 200), ("eve", "POST", "/db/_bulk_get", 403),
        ("eve", "HEAD", "/db/a", 403),
        ("eve", "GET", "/db/a/file", 403), ("eve", "COPY", "/db/a", 403), ("eve", "POST", "/db/_temp_view", 403),
        ("joe", "GET", "/db", 404), ("joe", "GET", "/db/a", 404), ("joe", "PUT", "/db/x", 404), ("joe", "GET", "/other", 200),
        ("joe", "PUT", "/other/x", 201), ("joe", "PUT", "/new", 403), ("joe", "DELETE", "/other", 403),
        ("joe", "POST", "/db/_revs_diff", 404),
    ]

    @Test(arguments: rights) func everybodyMayWhatTheirRightsSay(user: String?, method: String, path: String, status: Int) throws {
        try databases.create("db", 0).write { try $0.save("a", in: .default, body: $0.encode(json: "{}")) }
        _ = try databases.create("other")
        let listener = try listener(users: users())
        let body =
            method == "PUT" || method == "POST" ? path.hasSuffix("_bulk_docs") || path.hasSuffix("_bulk_get") ? #"{"docs":[]}"# : "{}" : nil
        let answer = try send(listener, method, path, path == "/new" ? nil : body, as: user)
        #expect(answer.status == status, "\(answer.text)")
        if status >= 400, method != "HEAD" { #expect(answer.body.hasPrefix("{\"status\":\(status),"), "\(answer.text)") }
    }

    @Test func onlyTheirDatabasesAreListed() throws {
        _ = try (databases.create("db"), databases.create("other"))
        let listener = try listener(users: users())
        #expect(try send(listener, "GET", "/_all_dbs", as: "ada").body == #"["db","other"]"#)
        #expect(try send(listener, "GET", "/_all_dbs", as: "joe").body == #"["other"]"#)
    }

    @Test func collectionsThatAreNotServedAreNotThere() throws {
        let database = try databases.create("db", 1)
        let (shown, hidden) = try (CollectionName(name: "shown"), CollectionName(name: "hidden"))
        try database.fill(1, in: shown)
        try database.fill(1, in: hidden)
        let listener = try listener([Share("db", database, collections: [shown])])
        #expect(try send(listener, "GET", "/db.shown/doc-0").status == 200)
        #expect(try send(listener, "GET", "/db.hidden/doc-0").status == 404)
        #expect(try send(listener, "GET", "/db/doc-0").status == 404)
        #expect(try !send(listener, "GET", "/db.shown").body.contains("hidden"))
    }

    // MARK: Sessions

    @Test func aCookieStandsForThePassword() throws {
        _ = try databases.create("db", 1)
        let listener = try listener(users: users())
        let answer = try send(listener, "POST", "/_session", #"{"name":"bob","password":"b"}"#)
        #expect(answer.status == 200 && answer.body.contains("\"name\":\"bob\""))
        let header = try #require(answer.header("Set-Cookie"))
        #expect(header.contains("HttpOnly") && header.contains("SameSite=Strict") && !header.contains("Secure"))
        let cookie = "Cookie: other=1; \(header.prefix { $0 != ";" })\r\n"
        #expect(try send(listener, "GET", "/db/doc-0", nil, as: nil, cookie).status == 200)
        #expect(try send(listener, "PUT", "/db/doc-1", "{}", as: nil, cookie).status == 403)
        #expect(try send(listener, "GET", "/_session", nil, as: nil, cookie).body.contains("\"authenticated\":\"cookie\""))
        // Two cookies of one name: nobody knows which one is meant.
        #expect(try send(listener, "GET", "/db/doc-0", nil, as: nil, cookie + "Cookie: AuthSession=x\r\n").status == 401)
        let goodbye = try send(listener, "DELETE", "/_session", nil, as: nil, cookie)
        #expect(goodbye.status == 200 && goodbye.header("Set-Cookie")?.contains("Max-Age=0") == true)
        #expect(try send(listener, "GET", "/db/doc-0", nil, as: nil, cookie).status == 401)
    }

    @Test func formsSignInToo() throws {
        let listener = try listener(users: users())
        #expect(try send(listener, "POST", "/_session", #"{"username":"ada","password":"a"}"#).status == 200)
        let form = "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 21\r\n"
        let client = try PlainClient(port: listener.listener.port)
        client.write("POST /_session HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\(form)\r\nname=ada&password=%61")
        #expect(client.readToEnd().hasPrefix("HTTP/1.1 200"))
    }

    @Test func wrongPasswordsSignNobodyIn() throws {
        let listener = try listener(users: users())
        for body in [#"{"name":"bob","password":"x"}"#, #"{"name":"nobody","password":"b"}"#, #"{"name":"bob","password":""}"#] {
            let answer = try send(listener, "POST", "/_session", body)
            #expect(answer.status == 401 && answer.header("Set-Cookie") == nil)
        }
        for body in ["{}", "[]", "", #"{"name":"bob"}"#, #"{"name":1,"password":2}"#] {
            #expect(try send(listener, "POST", "/_session", body).status == 400)
        }
        #expect(try send(listener, "GET", "/", nil, as: nil, "Cookie: AuthSession=\r\n").status == 401)
    }

    @Test func whoGuessesHasToWait() throws {
        let listener = try listener(users: users())
        let guesses = try (0...Attempts.most).map { try send(listener, "POST", "/_session", #"{"name":"bob","password":"\#($0)"}"#).status }
        #expect(guesses.first == 401 && guesses.last == 429)
        // Neither does another way to say a password help.
        #expect(try send(listener, "GET", "/", as: "bob").status == 429)
        #expect(try send(listener, "GET", "/", as: "ada").status == 200)
    }

    @Test func cookiesAreForgottenAfterAWhile() {
        let signedIn = SignedIn()
        let start = LoopTime(nanoseconds: 1)
        let token = signedIn.begin("ada", at: start)
        #expect(signedIn.user(of: token, at: start + .seconds(3000)) == "ada")
        #expect(signedIn.user(of: token, at: start + .seconds(6000)) == "ada")
        #expect(signedIn.user(of: token, at: start + .seconds(9600)) == nil)
        #expect(signedIn.user(of: token, at: start + .seconds(6001)) == nil)
    }

    // MARK: Pages

    @Test func pagesOfOthersAreLetInByName() throws {
        _ = try databases.create("db", 1)
        let listener = try listener(users: users()) { _ = $0.hosts.allow(origin: "https://app.example") }
        let (own, foreign) = ("Origin: https://app.example\r\n", "Origin: https://evil.example\r\n")
        let ask = "Access-Control-Request-Method: PUT\r\nAccess-Control-Request-Headers: content-type\r\n"
        let permission = try send(listener, "OPTIONS", "/db/x", nil, as: nil, own + ask)
        #expect(permission.status == 200 && permission.header("Access-Control-Allow-Origin") == "https://app.example")
        #expect(permission.header("Access-Control-Allow-Headers") == "content-type")
        #expect(permission.header("Access-Control-Allow-Methods")?.contains("PUT") == true)
        let answer = try send(listener, "PUT", "/db/x", "{}", as: "ada", own)
        #expect(answer.status == 201 && answer.header("Access-Control-Allow-Credentials") == "true")
        // The page learns what is wrong, too.
        let refusal = try send(listener, "GET", "/db/x", nil, as: nil, own)
        #expect(refusal.status == 401 && refusal.header("Access-Control-Allow-Origin") == "https://app.example")
        #expect(try send(listener, "OPTIONS", "/db/x", nil, as: nil, foreign + ask).status == 403)
        #expect(try send(listener, "PUT", "/db/y", "{}", as: "ada", foreign).status == 403)
        #expect(try send(listener, "GET", "/db/x", as: "ada").header("Access-Control-Allow-Origin") == nil)
    }

    @Test func pagesOfAnywhereAreNotGivenWhatTheBrowserKnows() throws {
        _ = try databases.create("db", 1)
        let listener = try listener { _ = $0.hosts.allow(origin: "*") }
        let answer = try send(listener, "GET", "/db/doc-0", nil, as: nil, "Origin: https://any.example\r\n")
        #expect(answer.status == 200 && answer.header("Access-Control-Allow-Origin") == "*")
        #expect(answer.header("Access-Control-Allow-Credentials") == nil)
    }

    // MARK: The end

    @Test func feedsEndWhenTheListenerStops() async throws {
        _ = try databases.create("db", 1)
        let listener = try listener()
        let client = try PlainClient(port: listener.listener.port)
        client.write("GET /db/_changes?feed=continuous HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(client.readLine().hasPrefix("HTTP/1.1 200"))
        let lines = (0..<12).lazy.map { _ in client.readLine() }
        #expect(lines.contains { $0.contains("doc-0") })
        await listener.stop()
        #expect(!client.readToEnd().contains("doc"))
    }

    @Test func requestsAreTold() async throws {
        _ = try databases.create("db", 1)
        let listener = try listener(users: users()) { $0.reportsRequests = true }
        _ = try send(listener, "GET", "/db/doc-0?secret=1", as: "ada")
        _ = try send(listener, "GET", "/db/a%2Fb", as: "bob")
        let told = listener.events.compactMap { event -> String? in
            if case .answered(let request) = event {
                "\(request.status) \(request.method) \(request.path) \(request.user ?? "-")"
            } else {
                nil
            }
        }
        #expect(told == ["200 GET /db/doc-0 ada", "404 GET /db/a%2Fb bob"])
        #expect(listener.listener.traffic.requests == 2)
        await listener.stop()
    }
}
