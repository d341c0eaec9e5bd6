import CBLReplication
import CBLReplicationTestSupport
import CBLStore
import CBLTestSupport
import CBLTransport
import FoundationEssentials
import Testing

@testable import CBLListener

/// Edge Servers over sockets: who is let in, replicators among them, and what the servers do by themselves.
@Suite(.timeLimit(.minutes(10))) struct EdgeListenerTests {
    private static let hash = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"
    private static let password = "U*U"
    private let databases: Databases

    init() throws { databases = try Databases() }

    /// Of one database `db`, with collections `a` and `b`; `settings` are more members of the configuration.
    private func listener(
        _ name: String, _ settings: String = #""enable_anonymous_users": true"#, users: String = "{}",
        loader: EdgeReplicationLoader = EdgeReplicationLoader { _ in [] }, audit: AuditLog? = nil
    ) throws -> TestListener {
        let path = "\(databases.directory.path)/\(name).cblite2"
        let text = """
            {\(settings), "databases": {"db": {"path": "\(path)", "enable_client_writes": true, "enable_client_sync": true}}}
            """
        let configuration = try EdgeConfiguration(json5: text)
        let list = try EdgeUsers(json5: users.replacing("HASH", with: EdgeListenerTests.hash), for: configuration).list
        let database = try Database(path: path, options: .create)
        try database.write { for name in ["a", "b"] { try $0.createCollection(CollectionName(name: name)) } }
        var share = Share("db", database)
        share.sync = configuration.databases["db"]?.sync
        share.controlsAccess = configuration.controlsAccess(to: "db")
        let listener = try TestListener(ServedDatabases([share])) { settings in
            var rest = RESTService.Settings()
            rest.edge = EdgeSettings(configuration, loader: loader)
            settings.rest = rest
            settings.users = list
            settings.audit = audit
            if configuration.admitsAnonymous { settings.anonymous = UserRights(role: .user, rules: AccessRules()) }
        }
        try listener.listener.start(configuration.replications)
        return listener
    }

    private func send(
        _ listener: TestListener, _ method: String, _ path: String, _ body: String? = nil, as user: String? = nil,
        password: String = EdgeListenerTests.password
    ) throws -> RESTListenerTests.Answer {
        var lines = user.map { PlainClient.authorization($0, password) } ?? ""
        if let body { lines += "Content-Length: \(body.utf8.count)\r\nContent-Type: application/json\r\n" }
        let client = try PlainClient(port: listener.listener.port)
        client.write("\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\(lines)\r\n\(body ?? "")")
        return RESTListenerTests.Answer(text: client.readToEnd())
    }

    private func collection(_ name: String) throws -> CollectionName { try CollectionName(name: name) }

    @Test func whoComesWithAHashedPasswordIsLetIn() async throws {
        let listener = try listener(
            "one", #""users": "users.json""#, users: #"{ada: {password: "HASH", roles: ["admin"]}, bob: {password: "HASH"}}"#)
        #expect(try send(listener, "GET", "/_all_dbs").status == 401)
        #expect(try send(listener, "GET", "/_all_dbs", as: "ada", password: "wrong").status == 401)
        #expect(try send(listener, "GET", "/_all_dbs", as: "eve").status == 401)
        // The second time the password is remembered, and another one is still wrong.
        for _ in 0..<2 { #expect(try send(listener, "GET", "/_active_tasks", as: "ada").status == 200) }
        #expect(try send(listener, "GET", "/_active_tasks", as: "ada", password: "wrong").status == 401)
        #expect(try send(listener, "GET", "/_active_tasks", as: "bob").status == 403)
        #expect(try send(listener, "PUT", "/db/x", "{}", as: "bob").status == 201)
        await listener.stop()
    }

    @Test func whereNobodyHasToSayWhoTheyAreAWrongNameIsStillWrong() async throws {
        let listener = try listener("one")
        #expect(try send(listener, "GET", "/db").status == 200)
        #expect(try send(listener, "GET", "/db", as: "ada").status == 401)
        await listener.stop()
    }

    @Test(arguments: [("false", false, false), ("true", true, true), (#""pull""#, true, false), (#""push""#, false, true)])
    func replicatorsAreLetInAsFarAsIsSaid(sync setting: String, pulls: Bool, pushes: Bool) async throws {
        let path = "\(databases.directory.path)/two.cblite2"
        let configuration = try EdgeConfiguration(json5: #"{"databases": {"db": {"path": "\#(path)", "enable_client_sync": \#(setting)}}}"#)
        let database = try databases.create("two", 2)
        var share = Share("db", database, access: .readOnly)
        share.sync = configuration.databases["db"]?.sync
        let other = try TestListener(ServedDatabases([share])) { $0.rest = RESTService.Settings() }
        let pulled = try databases.create("pulled")
        #expect((await sync(pulled, try other.url(), push: .off).failure == nil) == pulls)
        let pushed = try databases.create("pushed", 0)
        try pushed.write { _ = try $0.save("new", body: $0.encode(json: "{}")) }
        _ = await sync(pushed, try other.url(), pull: .off)
        #expect(try database.read { try $0.document("new") != nil } == pushes)
        await other.stop()
    }

    @Test func replicatorsAreHeldToTheRules() async throws {
        let users =
            #"{eve: {password: "HASH", access: {"db.a": ["read"], "db.b": ["read", "write"]}}, joe: {password: "HASH", access: {"db.a": ["write"]}}}"#
        let listener = try listener("one", #""users": "users.json", "enable_user_access_control": true"#, users: users)
        let served = try #require(listener.listener.shares.first).database
        try served.write { for name in ["a", "b"] { try $0.save("there", in: collection(name), body: $0.encode(json: "{}")) } }
        let mine = try databases.create("mine")
        try mine.write { transaction in
            for name in ["a", "b"] {
                try transaction.createCollection(collection(name))
                try transaction.save("mine", in: collection(name), body: transaction.encode(json: "{}"))
            }
        }
        func outcome(_ user: String, _ names: [String], push: ActiveSession.Mode) async throws -> SyncOutcome {
            await sync(mine, try listener.url(), push: push, collections: try names.map(collection)) {
                $0.handshake.credentials = Credentials(user: user, password: EdgeListenerTests.password)
            }
        }
        #expect(try await outcome("eve", ["a", "b"], push: .off).failure == nil)
        for name in ["a", "b"] { #expect(try mine.read { try $0.document("there", in: collection(name)) != nil }) }
        #expect(try await outcome("eve", ["b"], push: .once).failure == nil)
        _ = try await outcome("eve", ["a"], push: .once)
        #expect(try served.read { try $0.document("mine", in: collection("b")) != nil })
        #expect(try served.read { try $0.document("mine", in: collection("a")) == nil })
        // Who may not read is not let in at all.
        #expect(try await outcome("joe", ["a"], push: .once).failure?.error.code == 403)
        await listener.stop()
    }

    @Test func aSessionLetsAReplicatorInOnce() async throws {
        let listener = try listener("one", #""users": "users.json""#, users: #"{ada: {password: "HASH"}}"#)
        #expect(try send(listener, "POST", "/db/_session?one_time=true").status == 401)
        let answer = try send(listener, "POST", "/db/_session?one_time=true", as: "ada")
        let token = try RESTCall.parse(Array(answer.body.utf8)).withRoot {
            $0.dictionary?.value(forKey: "one_time_session_id", nil)?.string
        }
        let secret = try #require(token)
        func upgrade(_ secret: String, _ database: String = "db") throws -> String {
            let client = try PlainClient(port: listener.listener.port)
            client.write(
                """
                GET /\(database)/_blipsync HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r
                Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: BLIP_3+CBMobile_3, SyncGatewaySession_\(secret)\r\n\r\n
                """)
            return String(client.readLine().split(separator: " ").dropFirst().first ?? "")
        }
        #expect(try upgrade(secret, "other") == "401")
        #expect(try upgrade(secret) == "101")
        #expect(try upgrade(secret) == "401")
        #expect(try upgrade("made up") == "401")
        // It is no password for anything else.
        let client = try PlainClient(port: listener.listener.port)
        client.write("GET /db/x HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(secret)\r\nConnection: close\r\n\r\n")
        #expect(RESTListenerTests.Answer(text: client.readToEnd()).status == 401)
        #expect(try send(listener, "GET", "/db/_session", as: "ada").body.contains(#""name":"ada""#))
        #expect(try send(listener, "DELETE", "/db/_session", as: "ada").status == 404)
        _ = try send(listener, "POST", "/db/_session?one_time=true", as: "ada")
        #expect(try send(listener, "DELETE", "/db/_session", as: "ada").status == 200)
        await listener.stop()
    }

    // What a server does by itself

    private func replication(_ listener: TestListener, _ more: String = "") -> String {
        #"{"source": "ws://127.0.0.1:\#(listener.listener.port)/db", "target": "db", "bidirectional": true, "continuous": true, "collections": ["a"]\#(more)}"#
    }

    /// Waits until something holds that others bring about.
    private func eventually(_ claim: () throws -> Bool) async throws -> Bool {
        let end = ContinuousClock.now + Patience.duration
        while ContinuousClock.now < end {
            if try claim() { return true }
            try await Task.sleep(for: .milliseconds(5))
        }
        return false
    }

    @Test func serversOfAConfigurationReplicateWithEachOther() async throws {
        let one = try listener("one")
        let two = try listener("two", #""enable_anonymous_users": true, "replications": [\#(replication(one))]"#)
        #expect(try send(two, "PUT", "/db.a/here", "{}").status == 201)
        #expect(try send(one, "PUT", "/db.a/there", "{}").status == 201)
        #expect(try await eventually { try send(one, "GET", "/db.a/here").status == 200 })
        #expect(try await eventually { try send(two, "GET", "/db.a/there").status == 200 })
        let service = try #require(two.listener.service)
        #expect(service.replications.records.map(\.number) == [1])
        #expect(service.replications.cancel(1))
        #expect(try await eventually { service.replications.records.first?.hasEnded ?? true })
        await two.stop()
        await one.stop()
    }

    @Test func aReplicationIsStartedToldOfAndStoppedByRequest() async throws {
        let users = #"{ada: {password: "HASH", roles: ["replicate"]}}"#
        let one = try listener("one")
        let two = try listener("two", #""users": "users.json""#, users: users)
        #expect(try send(two, "POST", "/_replicate", replication(one), as: "ada").status == 202)
        #expect(try send(one, "PUT", "/db.a/there", "{}").status == 201)
        #expect(try await eventually { try send(two, "GET", "/db.a/there", as: "ada").status == 200 })
        #expect(try await eventually { try send(two, "GET", "/_replicate/1", as: "ada").body.contains(#""status":"Idle""#) })
        #expect(!(try send(two, "GET", "/_replicate", as: "ada").body.contains("error")))
        #expect(try send(two, "DELETE", "/_replicate/1", as: "ada").status == 200)
        for (body, status) in [
            (#"{"source": "ws://127.0.0.1:1/db", "target": "nodb"}"#, 404), (#"{"source": "db", "target": "db"}"#, 400),
            (#"{"source": "ws://127.0.0.1:1/db", "target": "db", "collections": ["none"]}"#, 400),
            (#"{"source": "ws://127.0.0.1:1/db", "target": "db", "cancel": true}"#, 400),
            (#"{"source": "ws://127.0.0.1:1/db", "target": "db", "openid_token": {"path": "/etc/passwd"}}"#, 400),
            (#"{"source": "ws://127.0.0.1:1/db", "target": "db", "trusted_root_certs": "/etc/passwd"}"#, 400),
        ] {
            #expect(try send(two, "POST", "/_replicate", body, as: "ada").status == status, "\(body)")
        }
        // Nobody is there: it stays, and says so.
        #expect(
            try send(
                two, "POST", "/_replicate",
                #"{"source": "ws://127.0.0.1:1/db", "target": "db", "continuous": true, "session_cookie": null}"#, as: "ada"
            ).status == 202)
        #expect(try await eventually { try send(two, "GET", "/_replicate", as: "ada").body.contains(#""status":"Offline""#) })
        #expect(try send(two, "GET", "/_replicate", as: "ada").body.contains("x-litecore-code"))
        await two.stop()
        await one.stop()
    }

    @Test func aTokenThatChangesHasTheReplicationBeginAnew() async throws {
        let file = databases.directory.path + "/token"
        try "first".write(toFile: file, atomically: true, encoding: .utf8)
        let loader = EdgeReplicationLoader { path in Array(try String(contentsOfFile: path, encoding: .utf8).utf8) }
        let one = try listener("one", #""users": "users.json""#, users: #"{ada: {password: "HASH"}}"#)
        let auth = #", "auth": {"openid_token": {"path": "\#(file)"}, "reconnect_on_token_change": true}"#
        // The other side refuses tokens: that is the end of it, and a new token does not revive it.
        let two = try listener(
            "two", #""enable_anonymous_users": true, "replications": [\#(replication(one, auth))]"#, loader: loader)
        let service = try #require(two.listener.service)
        #expect(try await eventually { service.replications.records.first?.hasEnded ?? true })
        await two.stop()
        await one.stop()
    }

    @Test func theAuditLogSaysWhoDidWhat() async throws {
        let path = databases.directory.path + "/audit.txt"
        let audit = try AuditLog(path: path, Set(AuditEvent.allCases), describes: false)
        let listener = try listener("one", #""users": "users.json""#, users: #"{ada: {password: "HASH"}}"#, audit: audit)
        _ = try send(listener, "GET", "/db")
        let made = try send(listener, "PUT", "/db/x", #"{"a":1}"#, as: "ada")
        #expect(made.status == 201)
        _ = try send(listener, "GET", "/db/x", as: "ada")
        _ = try send(listener, "HEAD", "/db/x", as: "ada")
        _ = try send(listener, "GET", "/_all_dbs", as: "ada")
        // Made again where one was deleted, it is a new one, whatever its revision is called.
        let name = try #require(made.header("Etag")).filter { $0 != "\"" && $0 != "\r" }
        #expect(try send(listener, "DELETE", "/db/x?rev=\(name)", as: "ada").status == 200)
        #expect(try send(listener, "PUT", "/db/x", #"{"a":2}"#, as: "ada").status == 201)
        // What a replicator stores is no edit.
        let inserted = #"{"_rev":"1-abcd","_revisions":{"start":1,"ids":["abcd"]}}"#
        #expect(try send(listener, "PUT", "/db/z?new_edits=false", inserted, as: "ada").status == 201)
        await listener.stop()
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let lines = text.split(separator: "\n")
        for (id, more) in [
            (57348, #""ip":"127.0.0.1""#), (57347, #""user":"ada""#), (57358, #""doc_id":"x""#), (57359, #""doc_id":"x""#),
            (57361, #""doc_id":"x""#), (57362, #""doc_id":"x""#),
            (57350, #""user":"ada""#),
            (57346, #""status":201"#),
        ] {
            #expect(lines.contains { $0.hasPrefix("{\"id\":\(id),\"timestamp\":\"20") && $0.contains(more) }, "\(id)\n\(text)")
        }
        #expect(lines.count { $0.contains("\"id\":57358,") } == 2 && !text.contains("\"id\":57360,"))
        #expect(!text.contains(#""doc_id":"z""#))
        #expect(!text.contains(EdgeListenerTests.password))
    }
}
