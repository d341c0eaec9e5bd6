import CBLReplicationTestSupport
import CBLTransport
import Testing

@testable import CBLReplication

/// How one gets in at servers of CouchDB's kind, over real connections.
@Suite struct CouchLoginTests {
    /// Gateways have sessions of databases alone, CouchDB has those of the server alone: who asks the wrong one hears that it is not there.
    @Test(arguments: [("/db/_session", "/_session"), ("/_session", "/db/_session")])
    func aWrongPasswordIsToldAsSuch(place: String, other: String) throws {
        var listening = HTTPServer.Settings()
        listening.address = "127.0.0.1"
        let server = try HTTPServer(listening, on: EngineLoops.server) { request in
            .answer(HTTPAnswer("/" + request.http.path.joined(separator: "/") == place ? 401 : 404, "no"))
        }
        defer { server.stop() }
        var settings = WebServerSettings(try PeerURL("http://127.0.0.1:\(server.port)/db"))
        settings.login = .session(.password(Credentials(user: "ada", password: "wrong")))
        let client = try WebServer(settings, on: EngineLoops.client)
        #expect {
            _ = try client.send(RemoteRequest("GET", ["db"]))
        } throws: { error in
            (error as? SyncError)?.httpStatus == 401
        }
    }
}
