import CBLBase
import CBLReplication
import CBLReplicationTestSupport
import CBLStore
import CBLTestSupport
import CBLTransport
import FoundationEssentials
import Synchronization
import Testing

@testable import CBLListener

/// Replications that go on, and those that meet trouble, with our own REST API as their server.
@Suite struct CouchContinuousTests {
    private static func settings(_ pair: CouchPair) -> ReplicatorSettings {
        var collection = ReplicatorSettings.Collection(push: .continuous, pull: .continuous)
        collection.keepsConflicts = true
        return ReplicatorSettings(.couch(pair.peer), collections: [collection])
    }

    @Test func goesOnBothWaysUntilItIsStopped() async throws {
        let pair = try CouchPair()
        try pair.server.put("/db/before", "{}")
        try pair.database.write { try $0.save("here", json: "{}") }
        let step = Mutex(0)
        let outcome = await synchronize(pair.database, Self.settings(pair)) {
            [server = pair.server, database = pair.database] replicator, event in
            // Each change is made when the one before has arrived, at the other side.
            guard case .document(let document, _) = event else { return }
            let next = step.withLock { step -> Int in
                switch (step, document.documentID, document.direction) {
                case (0, "before", .pull), (1, "later there", .pull), (2, "later here", .push): step += 1
                default: return 0
                }
                return step
            }
            switch next {
            case 1: _ = try? server.send("PUT", "/db/later%20there", "{}")
            case 2: try? database.write { try $0.save("later here", json: "{}") }
            case 3: replicator.stop()
            default: break
            }
        }
        #expect(outcome.failure == nil && outcome.errors.isEmpty, "\(outcome)")
        #expect(step.withLock { $0 } == 3)
        #expect(try pair.server.get("/db/later%20here").status == 200)
        #expect(try pair.own("/later%20there").status == 200)
        #expect(try pair.server.get("/db/here").status == 200)
    }

    @Test func comesBackAfterTrouble() async throws {
        let attempts = Mutex(0)
        let pair = try CouchPair { request in
            guard request.path.last == "_bulk_get" else { return nil }
            let attempt = attempts.withLock { attempts in
                attempts += 1
                return attempts
            }
            switch attempt {
            case 1: throw TransportError(.posix(104), "the connection was reset")
            case 2: return RemoteAnswer(500, [:], Array(#"{"error":"oops"}"#.utf8))
            case 3: return RemoteAnswer(200, ["Content-Type": "application/json"], Array(#"{"results":[{"id":"a","do"#.utf8))
            default: return nil
            }
        }
        for number in 0..<5 { try pair.server.put("/db/d\(number)", "{}") }
        let outcome = try await pair.replicate(pull: true) { $0.retry = RetryPolicy(maxRetries: 5, maxDelay: 1) }
        #expect(outcome.isFine(pulled: 5), "\(outcome)")
        #expect(outcome.waits.count == 3)
    }

    @Test func oneDocumentThatIsRefusedHoldsNothingElseBack() async throws {
        let pair = try CouchPair()
        try pair.database.write { transaction in for number in 0..<3 { try transaction.save("d\(number)", json: "{}") } }
        let refused = CouchPeer(id: pair.peer.id, database: "db") { [remote = pair.remote] _, _ in
            RefusingServer(remote, #"[{"id":"d1","error":"forbidden","reason":"no","status":403}]"#)
        }
        let outcome = try await pair.replicate(push: true) { $0.peer = .couch(refused) }
        #expect(outcome.failure == nil)
        #expect(outcome.errors.map(\.documentID) == ["d1"] && Set(outcome.pushed) == ["d0", "d2"])
        // It was refused for good.
        #expect(try await pair.replicate(push: true).isFine(pushed: 0))
    }

    /// Answers `_bulk_docs` as it was told.
    private final class RefusingServer: RemoteServer {
        let mostRequests = 1
        let server: ServedRemote
        let answer: String

        init(_ server: ServedRemote, _ answer: String) {
            self.server = server
            self.answer = answer
        }

        func send(_ request: RemoteRequest) throws -> RemoteAnswer {
            guard request.path.last == "_bulk_docs" else { return try server.send(request) }
            return RemoteAnswer(201, [:], Array(answer.utf8))
        }

        func interrupt() { server.interrupt() }
    }

    /// What no server should say.
    @Test(arguments: [
        "", "[]", "{}", "null", #"{"results":7}"#, #"{"results":[null,7,{"id":7},{"id":""},{"id":"_x"},{"id":"a"}],"last_seq":[[]]}"#,
        #"{"results":[{"seq":1,"id":"a","changes":[{"rev":"1-aa"},{"rev":"99999999999999-aa"},{"rev":""},{"rev":7}]}],"last_seq":1}"#,
        #"{"results":[{"seq":{"a":1},"id":"a","changes":[{"rev":"1-aa"}],"deleted":"x","removed":7}],"last_seq":null}"#,
        "{\"results\":[{\"seq\":1,\"id\":\"\\u0000\",\"changes\":[{\"rev\":\"1-aa\"}]}],\"last_seq\":1}",
    ]) func strangeChangesAreEndured(answer: String) async throws {
        let pair = try CouchPair { $0.path.last == "_changes" ? RemoteAnswer(200, [:], Array(answer.utf8)) : nil }
        _ = try await pair.replicate(pull: true)
        #expect(try pair.own("")["doc_count"] == "0")
    }

    @Test(arguments: [
        #"{"_id":"a","_rev":"1-aa"}"#, #"{"_id":"a","_rev":"2-bb"}"#,
        #"{"_id":"a","_rev":"2-bb","_revisions":{"start":2,"ids":["cc","aa"]}}"#,
        #"{"_id":"a","_rev":"2-bb","_revisions":{"start":1,"ids":["bb","aa"]}}"#, #"{"_id":"a","_rev":"2-bb","_revisions":7}"#,
        #"{"_id":"b","_rev":"2-bb","_revisions":{"start":2,"ids":["bb","aa"]}}"#,
        #"{"_id":"a","_rev":"2-bb","_unknown":1,"_revisions":{"start":2,"ids":["bb","aa"]}}"#,
        #"{"_id":"a","_rev":"2-bb","_attachments":{"x":{"stub":true,"digest":"sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA=","revpos":2,"length":1}},"_revisions":{"start":2,"ids":["bb","aa"]}}"#,
        #"{"_id":"a","_rev":"2-bb","_attachments":{"":7},"_revisions":{"start":2,"ids":["bb","aa"]}}"#,
    ]) func strangeDocumentsAreEndured(document: String) async throws {
        let changes = #"{"results":[{"seq":1,"id":"a","changes":[{"rev":"2-bb"}]}],"last_seq":1}"#
        for isBulk in [true, false] {
            let pair = try CouchPair { request in
                switch request.path.last {
                case "_changes": return RemoteAnswer(200, [:], Array(changes.utf8))
                case "_bulk_get":
                    guard isBulk else { return RemoteAnswer(404, [:], []) }
                    return RemoteAnswer(200, [:], Array(#"{"results":[{"id":"a","docs":[{"ok":\#(document)}]}]}"#.utf8))
                case "a": return RemoteAnswer(200, [:], Array(document.utf8))
                default: return nil
                }
            }
            let outcome = try await pair.replicate(pull: true)
            #expect(outcome.pulled.isEmpty)
            #expect(!outcome.errors.isEmpty || outcome.failure != nil, "\(document)")
            #expect(try pair.own("")["doc_count"] == "0")
        }
    }
}

/// Replications that clients of the REST API start.
@Suite struct ReplicateRequestTests {
    @Test func databasesOfOneServer() throws {
        let server = try RESTServer.withDatabase()
        try server.put("/db/a", #"{"n":1}"#)
        let feed = try server.feed("/_replicate", "POST", #"{"source":"db","target":"other","create_target":true}"#)
        try feed.run { $0.exchange.answer.hasEnded }
        let answer = RESTAnswer(feed.exchange.answer)
        #expect(answer.status == 200 && answer["ok"] == "true", "\(answer.text)")
        #expect(answer["history.0.docs_written"] == "1")
        #expect(try server.get("/other/a")["n"] == "1")
        #expect(try server.get("/_active_tasks")["0.status"] == "Stopped")
    }

    @Test(arguments: [
        (#"{"source":"db"}"#, 400), (#"{"source":"db","target":"none"}"#, 404), (#"{"source":"db","target":"db"}"#, 400),
        (#"{"source":"http://a/b","target":"http://a/c","continuous":true}"#, 400), (#"{"source":"ftp://a/b","target":"db"}"#, 400),
        (#"{"source":"http://a/","target":"db"}"#, 400), (#"{"source":"http://a/b?x=1","target":"db"}"#, 400),
        (#"{"source":"db","target":"http://a/b","filter":"x/y","doc_ids":["a"]}"#, 400),
        (#"{"source":"db","target":"http://a/b","filter":"x/y"}"#, 404), (#"{"source":"db","target":"http://a/b","cancel":true}"#, 404),
        (#"{"source":{"url":"http://a/b","auth":{"oauth":{}}},"target":"db"}"#, 400),
        (#"{"source":{"url":"http://a/b","auth":{"facebook":{"email":"nobody@a"}}},"target":"db"}"#, 400),
        (#"{"source":{"url":"http://a/b","auth":{"persona":{}}},"target":"db"}"#, 400),
        (#"{"source":{"url":"http://a/b","auth":{"other":{}}},"target":"db"}"#, 501), ("7", 400),
        (#"{"source":"db","target":"two","create_target":true,"selector":{"n":{"$lt":3}}}"#, 501),
        (#"{"source":"db","target":"two","create_target":true,"since_seq":3}"#, 501),
    ]) func whatCannotBeIsRefused(body: String, status: Int) throws {
        let server = try RESTServer.withDatabase()
        #expect(try server.send("POST", "/_replicate", body).status == status)
    }

    @Test func designDocumentsGoAlongBetweenDatabasesOfOneServer() throws {
        let server = try RESTServer.withDatabase()
        try server.put("/db/a", "{}")
        let first = try server.put("/db/_design/one", #"{"views":{"v":{"map":"function(d) { emit(d._id); }"}}}"#)
        try server.put("/db/_design/two", #"{"filters":{"f":"function(d) { return d._id != '_design/two'; }"}}"#)
        func replicate(_ more: String = "") throws {
            let feed = try server.feed("/_replicate", "POST", #"{"source":"db","target":"other","create_target":true\#(more)}"#)
            try feed.run { $0.exchange.answer.hasEnded }
            #expect(RESTAnswer(feed.exchange.answer)["ok"] == "true", "\(feed.text)")
        }
        try replicate(#","doc_ids":["a"]"#)
        #expect(try server.get("/other/_design/one").status == 404)
        try replicate(#","filter":"two/f""#)
        #expect(try server.get("/other/_design/one")["_rev"] == first)
        #expect(try server.get("/other/_design/two").status == 404)
        #expect(try server.get("/other/_design/one/_view/v")["rows.0.id"] == "a")
        try replicate()
        #expect(try server.get("/other/_design/two").status == 200)
        // What is newer there stays, and a deletion goes along.
        let newer = try server.put("/other/_design/one?rev=\(first)", #"{"n":2}"#)
        let two = try #require(try server.get("/db/_design/two")["_rev"])
        #expect(try server.send("DELETE", "/db/_design/two?rev=\(two)").status == 200)
        try replicate()
        #expect(try server.get("/other/_design/one")["_rev"] == newer)
        #expect(try server.get("/other/_design/two").status == 404)
    }

    /// Neither is a database of this server: what comes from the one goes to the other by way of one that is there for that alone.
    @Test func fromURLToURL() async throws {
        let far = try Databases()
        let (source, target) = (try far.create("source", 20), try far.create("target", 0))
        try target.write { transaction in
            for id in ["doc-3", "gone"] { try transaction.save(id, json: "{}") }
        }
        let blob = try [UInt8](repeating: 7, count: 5000).withUnsafeBytes { try source.blobs.write($0) }
        try source.write { transaction in
            try transaction.save("blob", json: #"{"p":{"@type":"blob","digest":"\#(blob.digest)","length":5000}}"#)
            try transaction.save("gone", json: "{}")
            try transaction.delete("gone")
        }
        let listeners = try [source, target].map { try TestListener($0) { $0.rest = RESTService.Settings() } }
        let urls = try listeners.map { try $0.url().webDescription }
        let server = try RESTServer.withDatabase()
        let folders = try Self.passingFolders()
        let feed = try server.feed("/_replicate", "POST", #"{"source":"\#(urls[0])","target":"\#(urls[1])"}"#)
        try feed.run { $0.exchange.answer.hasEnded }
        let answer = RESTAnswer(feed.exchange.answer)
        #expect(answer["ok"] == "true" && answer["history.0.docs_written"] == "22", "\(answer.text)")
        #expect(target.blobs.exists(blob.digest))
        let there = try target.read { snapshot in try ["blob", "doc-0", "doc-19"].map { try snapshot.document($0)?.isDeleted } }
        #expect(there == [false, false, false])
        // Deletions go along, though nothing of that name ever was in between.
        #expect(try target.read { try $0.document("gone")?.isDeleted } == true)
        // Nothing is left of it; and what fails is told, with the server that it was.
        try await eventually { try Self.passingFolders() == folders }
        await listeners[1].stop()
        let failing = try server.feed("/_replicate", "POST", #"{"source":"\#(urls[0])","target":"\#(urls[1])"}"#)
        try failing.run { $0.exchange.answer.hasEnded }
        #expect(RESTAnswer(failing.exchange.answer).status >= 500)
        try await eventually { try Self.passingFolders() == folders }
        await listeners[0].stop()
    }

    private static func passingFolders() throws -> Set<String> {
        let parent = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        return Set(try FileManager.default.contentsOfDirectory(atPath: parent).filter { $0.hasPrefix("cblite-passing-") })
    }

    /// A URL of the server that is asked is a database of it.
    @Test func fromURLToURLOfTheSameServer() throws {
        let server = try RESTServer.withDatabase()
        try server.put("/db/a", #"{"n":1}"#)
        let body = #"{"source":"http://localhost:4984/db","target":"http://127.0.0.1:4984/other","create_target":true}"#
        let feed = try server.feed("/_replicate", "POST", body, headers: ["Host": "localhost:4984"])
        try feed.run { $0.exchange.answer.hasEnded }
        #expect(RESTAnswer(feed.exchange.answer)["ok"] == "true", "\(feed.text)")
        #expect(try server.get("/other/a")["n"] == "1")
        #expect(try server.get("/_active_tasks")["0.source"] == "db")
    }

    @Test func anotherServerBothWays() async throws {
        let far = try Databases()
        let database = try far.create("db", 20)
        let listener = try TestListener(database) { $0.rest = RESTService.Settings() }
        let url = try listener.url().webDescription
        let server = try RESTServer.withDatabase()
        try server.put("/db/mine", "{}")
        for body in [#"{"source":"\#(url)","target":"db"}"#, #"{"source":"db","target":"\#(url)"}"#] {
            let feed = try server.feed("/_replicate", "POST", body)
            try feed.run { $0.exchange.answer.hasEnded }
            #expect(RESTAnswer(feed.exchange.answer)["ok"] == "true", "\(feed.text)")
        }
        #expect(try server.get("/db")["doc_count"] == "21")
        #expect(try database.read { try $0.document("mine") } != nil)
        // One that goes on, until it is cancelled.
        let body = #"{"source":"\#(url)","target":"db","continuous":true}"#
        let started = try server.send("POST", "/_replicate", body)
        #expect(started.status == 200)
        #expect(try server.send("POST", "/_replicate", body)["session_id"] == started["session_id"])
        try database.write { try $0.save("late", json: "{}") }
        try await eventually { try server.get("/db/late").status == 200 }
        #expect(try server.get("/_active_tasks").list("", "continuous").contains("true"))
        #expect(try server.send("POST", "/_replicate", body.replacing("true}", with: #"true,"cancel":true}"#)).status == 200)
        try await eventually { try !server.get("/_active_tasks").list("", "status").contains("Idle") }
        await listener.stop()
        let feed = try server.feed("/_replicate", "POST", #"{"source":"http://127.0.0.1:1/db","target":"db"}"#)
        server.service.stop()
        try feed.run { $0.exchange.answer.hasEnded }
        #expect(RESTAnswer(feed.exchange.answer).status >= 500)
    }

    /// The head is written when it is known what the answer is, however long that takes.
    @Test func theAnswerIsWholeOverTheNetwork() async throws {
        let directory = try TemporaryDirectory()
        let listener = try TestListener(ServedDatabases(directory: directory.path)) { $0.rest = RESTService.Settings() }
        let client = HTTPClient()
        let root = try listener.url("").webDescription
        func send(_ method: String, _ path: String, _ json: String? = nil) async throws -> (HTTPResponseHead, String) {
            let request = HTTPClientRequest(method, try PeerURL(root + path), body: json.map { .bytes(Array($0.utf8)) } ?? .none)
            return try await withCheckedThrowingContinuation { done in
                _ = WorkerThread {
                    done.resume(
                        with: Result {
                            let answer = try client.send(request)
                            return (answer.head, String(decoding: try answer.readAll(), as: UTF8.self))
                        })
                }
            }
        }
        for name in ["a", "b"] { #expect(try await send("PUT", name).0.status == 201) }
        #expect(try await send("PUT", "a/x", "{}").0.status == 201)
        for (body, status) in [(#"{"source":"a","target":"b"}"#, 200), (#"{"source":"\#(root)none","target":"b"}"#, 404)] {
            let (head, text) = try await send("POST", "_replicate", body)
            #expect(head.status == status, "\(text)")
            #expect(head.headers["Content-Type"] == "application/json" && head.headers["Content-Length"] == "\(text.utf8.count)")
        }
        client.close()
        await listener.stop()
    }

    private func eventually(_ condition: () throws -> Bool) async throws {
        let end = ContinuousClock.now + Patience.duration
        while try !condition() {
            try #require(ContinuousClock.now < end)
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
