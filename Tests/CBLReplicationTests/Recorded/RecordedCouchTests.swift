import CBLFleece
import CBLReplicationTestSupport
import CBLStore
import CBLTestSupport
import CBLTransport
import FoundationEssentials
import Testing

@testable import CBLReplication

/// Conversations with real servers of CouchDB's kind, played again where there is none: the server answers what it answered then, and our side has to ask
/// what it asked then, and to make the same database of it.
@Suite struct RecordedCouchTests {
    @Test func thereAreRecordings() {
        #expect(CouchRecording.files.count >= RecordedCouchScenario.all.count)
    }

    @Test(arguments: CouchRecording.files) func weAskWhatWeAskedThen(_ file: String) async throws {
        let recording = try CouchRecording(file: file)
        let directory = try TemporaryDirectory()
        let database = try Self.database(directory)
        for complaint in try await play(recording, on: database) { Issue.record("\(complaint)") }
        #expect(try RecordedGatewayTests.content(of: database) == recording.database)
    }

    @Test func anythingElseIsNoticed() async throws {
        let recording = try CouchRecording(file: try #require(CouchRecording.files.first { $0.hasPrefix("push") }))
        let directory = try TemporaryDirectory()
        let database = try Self.database(directory)
        try database.put("unheard-of", "{}")
        #expect(try await play(recording, on: database).first?.contains("asked: POST /push/_revs_diff") == true)
    }

    /// One that is the same whenever it is made.
    private static func database(_ directory: TemporaryDirectory) throws -> Database {
        try RecordedScenario(name: "", steps: []).makeDatabase(directory.path + "/a.cblite2")
    }

    /// Does again what was done then. Gives what was not as it was.
    private func play(_ recording: CouchRecording, on database: Database) async throws -> [String] {
        let scenario = try #require(RecordedCouchScenario.all.first { $0.name == recording.name })
        var sessions = recording.sessions[...]
        var complaints: [String] = []
        for step in scenario.steps {
            switch step {
            case .local(let change): try change(database)
            case .server: break
            case .session(let push, _):
                let next = sessions.popFirst()
                let session = try #require(next)
                let server = PlayedServer(session)
                let failure = try await replicate(database, scenario.name, push: push, server)
                complaints += server.complaints
                if failure != session.failure { complaints.append("it ended with \"\(failure)\" instead of \"\(session.failure)\"") }
            }
        }
        return complaints
    }

    private func replicate(_ database: Database, _ name: String, push: Bool, _ server: any RemoteServer) async throws -> String {
        var collection = ReplicatorSettings.Collection(push: push ? .once : .off, pull: push ? .off : .once)
        collection.keepsConflicts = true
        let peer = CouchPeer(id: "https://couch.example/\(name)", database: name) { _, _ in server }
        var settings = ReplicatorSettings(.couch(peer), collections: [collection])
        settings.retry = RetryPolicy(maxRetries: 0)
        return await synchronize(database, settings).failure?.error.message ?? ""
    }

    // Recording

    /// `CBLITE_RECORD_COUCH="couchdb-3.5.0=http://NAME:PASSWORD@127.0.0.1:5984"` names servers. On each, the databases of the scenarios are made anew,
    /// or have to be there and empty where a server does not let one do that.
    private static let servers = (ProcessInfo.processInfo.environment["CBLITE_RECORD_COUCH"] ?? "").split(separator: " ").map(String.init)

    @Test(.enabled(if: !servers.isEmpty, "CBLITE_RECORD_COUCH names no server"), arguments: servers)
    func record(_ server: String) async throws {
        let words = server.split(separator: "=", maxSplits: 1).map(String.init)
        for scenario in RecordedCouchScenario.all {
            let url = try PeerURL("\(try #require(words.last))/\(scenario.name)")
            let real = try WebServer(WebServerSettings(url), on: EngineLoops.client)
            var recording = CouchRecording(scenario.name, server: words[0])
            _ = try real.send(RemoteRequest("DELETE", [scenario.name])).readAll()
            _ = try real.send(RemoteRequest("PUT", [scenario.name])).readAll()
            let directory = try TemporaryDirectory()
            let database = try Self.database(directory)
            for step in scenario.steps {
                switch step {
                case .local(let change): try change(database)
                case .server(let changes): for change in changes { try Self.perform(change, real, scenario.name) }
                case .session(let push, let cut):
                    let tap = TappedServer(real, cut: cut)
                    let failure = try await replicate(database, scenario.name, push: push, tap)
                    var session = tap.heard
                    session.failure = failure
                    recording.sessions.append(session)
                }
            }
            recording.database = try RecordedGatewayTests.content(of: database)
            try recording.write()
        }
    }

    private static func perform(_ change: RecordedCouchScenario.Change, _ server: any RemoteServer, _ database: String) throws {
        func path(_ id: String) -> [String] { [database] + (id.hasPrefix("_design/") ? id.split(separator: "/").map(String.init) : [id]) }
        func send(_ method: String, _ path: [String], _ query: HTTPQueryItems = [], _ body: RemoteRequest.Body = .none) throws {
            var list = HTTPQuery()
            for item in query { list.add(item.name, item.value) }
            let answer = try server.send(RemoteRequest(method, path, query: list, body: body))
            if !answer.isSuccess { print("\(method) \(path): \(answer.status)") }
            _ = try answer.readAll()
        }
        func current(_ id: String) throws -> HTTPQueryItems {
            let answer = try server.send(RemoteRequest("GET", path(id)))
            let body = try answer.readAll()
            guard answer.isSuccess else { return [] }
            return try RemoteDatabase.parse(body).withRoot { $0.dictionary?.value(forKey: "_rev", nil)?.string }.map { [("rev", $0)] } ?? []
        }
        switch change {
        case .put(let id, let json):
            let rev = try current(id)
            var body = json
            // A stub says that attachments stay.
            if !rev.isEmpty, id == "photo" { body = try keepingAttachments(json, server, path(id)) }
            try send("PUT", path(id), rev, .json(Array(body.utf8)))
        case .delete(let id): try send("DELETE", path(id), try current(id))
        case .attach(let id, let name, let type, let content):
            var sent = false
            let product = HTTPProduct(length: content.count, restart: { sent = false }) { space in
                guard !sent else { return 0 }
                sent = true
                space.copyBytes(from: content)
                return content.count
            }
            try send("PUT", path(id) + [name], try current(id), .product(product, type: type))
        case .bulk(let json): try send("POST", [database, "_bulk_docs"], [], .json(Array(json.utf8)))
        }
    }

    private static func keepingAttachments(_ json: String, _ server: any RemoteServer, _ path: [String]) throws -> String {
        let former = try RemoteDatabase.parse(try server.send(RemoteRequest("GET", path)).readAll())
        guard let stubs = former.withRoot({ $0.dictionary?.value(forKey: "_attachments", nil)?.json() }) else { return json }
        return json.dropLast() + #","_attachments":\#(stubs)}"#
    }
}
