import CBLTransport
import CouchbaseLiteSwift
import Synchronization
import Testing

/// Replicators and servers, by what they send each other before documents travel.
@Suite struct ServerReplicationTests {
    let pair: Pair

    init() throws { pair = try Pair() }

    /// A server that lets nobody in, sets cookies, and remembers what it was asked.
    private final class Porter: Sendable {
        private let server: HTTPServer
        private let seen: Requests
        let url: URL

        private final class Requests: Sendable { let headers = Mutex<[HTTPHeaders]>([]) }

        init(_ status: Int = 403, cookies: [String] = []) throws {
            let seen = Requests()
            self.seen = seen
            var settings = HTTPServer.Settings()
            settings.address = "127.0.0.1"
            server = try HTTPServer(settings, on: .shared) { request in
                seen.headers.withLock { $0.append(request.http.headers) }
                var answer = HTTPAnswer(status, "not today")
                for cookie in cookies { answer.headers.add("Set-Cookie", cookie) }
                return .refuse(answer)
            }
            url = URL(string: "ws://127.0.0.1:\(server.port)/db")!
        }

        deinit { server.stop() }

        var requests: [HTTPHeaders] { seen.headers.withLock { $0 } }
    }

    private func config(_ porter: Porter, _ change: (inout ReplicatorConfiguration) -> Void = { _ in }) -> ReplicatorConfiguration {
        var config = pair.config(to: URLEndpoint(url: porter.url))
        config.maxAttempts = 1
        change(&config)
        return config
    }

    @Test(arguments: [401, 403, 404, 418, 500, 503]) func statusesBecomeCodes(_ status: Int) throws {
        let porter = try Porter(status)
        let run = pair.run(config(porter))
        #expect(porter.requests.count == 1)
        #expect(run.error?.domain == CBLError.domain && run.error?.code == CBLError.httpBase + status)
        #expect(run.activities == [.connecting, .stopped])
    }

    @Test func whatPassesIsTriedAgain() throws {
        let porter = try Porter(503)
        let run = pair.run(config(porter) { $0.maxAttempts = 2 })
        #expect(run.activities == [.connecting, .offline, .connecting, .stopped] && porter.requests.count == 2)
    }

    @Test func headersAndCredentialsAreSent() throws {
        let porter = try Porter()
        pair.run(
            config(porter) {
                $0.headers = ["X-Own": "yes", "Sec-WebSocket-Version": "1", "X-Bad": "a\r\nb: c"]
                $0.authenticator = BasicAuthenticator(username: "ann", password: "secret")
            })
        let headers = try #require(porter.requests.first)
        #expect(headers["X-Own"] == "yes" && headers["Sec-WebSocket-Version"] == "13" && headers["b"] == nil)
        #expect(headers["Authorization"] == "Basic " + Data("ann:secret".utf8).base64EncodedString())
        #expect(headers["User-Agent"]?.hasPrefix("CouchbaseLite/") == true)
        pair.run(config(porter) { $0.headers = ["User-Agent": "own"] })
        #expect(porter.requests.last?["User-Agent"] == "own" && porter.requests.last?["Authorization"] == nil)
    }

    @Test func sessionsAreCookies() throws {
        let porter = try Porter()
        pair.run(config(porter) { $0.authenticator = SessionAuthenticator(sessionID: "12345") })
        pair.run(config(porter) { $0.authenticator = SessionAuthenticator(sessionID: "6789", cookieName: "Own") })
        #expect(porter.requests.map { $0["Cookie"] } == ["SyncGatewaySession=12345", "Own=6789"])
    }

    @Test func cookiesAreSentAgainAndThoseThatLastAreKept() throws {
        let porter = try Porter(cookies: ["lasting=1; Max-Age=3600", "passing=2"])
        pair.run(config(porter))
        pair.run(config(porter))
        #expect(porter.requests.map { $0["Cookie"] } == [nil, "lasting=1; passing=2"])
        // The file has those that are to last.
        try pair.ours.close()
        let again = try pair.folder.open("ours")
        defer { try? again.close() }
        var config = ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: try again.defaultCollection())], target: URLEndpoint(url: porter.url))
        config.maxAttempts = 1
        _ = Replication(Replicator(config: config))
        #expect(porter.requests.last?["Cookie"] == "lasting=1")
    }

    @Test func aURLThatCannotBeUsedIsSaidSo() throws {
        let url = try #require(URL(string: "ws://host:99999/db"))
        #expect(pair.run(pair.config(to: URLEndpoint(url: url))).error?.code == CBLError.invalidURL)
    }

    @Test func aListenerThatEndsSendsItsClientsAway() throws {
        let listener = URLEndpointListener(config: .init(collections: [pair.other]).plain)
        try listener.start()
        let port = try #require(listener.port)
        let replicator = Replicator(
            config: pair.config(continuous: true, to: URLEndpoint(url: try #require(URL(string: "ws://127.0.0.1:\(port)/theirs")))))
        let statuses = Told<Replicator.Status>()
        replicator.addChangeListener(withQueue: statuses.queue) { statuses.add($0.status) }
        replicator.start()
        #expect(statuses.wait { $0.last?.activity == .idle })
        #expect(replicator.correlationID?.isEmpty == false)
        listener.stop()
        #expect(statuses.wait { $0.last?.activity == .stopped })
        let error = replicator.status.error as NSError?
        #expect(error?.domain == CBLError.domain && error?.code == CBLError.webSocketGoingAway)
    }
}

extension URLEndpointListenerConfiguration {
    /// At this machine alone, and without TLS.
    fileprivate var plain: URLEndpointListenerConfiguration {
        var config = self
        config.disableTLS = true
        config.networkInterface = "127.0.0.1"
        return config
    }
}
