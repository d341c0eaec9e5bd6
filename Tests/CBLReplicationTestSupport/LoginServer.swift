import CBLBase
import CBLReplication
import CBLTransport
import Synchronization

/// A server at which one has to sign in. It notes what it is asked, and answers as a test says; who may come in finds a database behind it.
///
///     let server = try LoginServer(peer) { asked in
///         asked.path == "/db/_session" ? .says(200, "{}", cookie: "SyncGatewaySession=1") : .letsIn(asked.cookie != nil)
///     }
package final class LoginServer: Sendable {
    package struct Asked: Sendable {
        package var method: String
        /// With the query, as it is read.
        package var path: String
        package var query: [String: String] = [:]
        package var authorization: String?
        package var cookie: String?
        package var body = ""
    }

    package enum Answer: Sendable {
        case says(_ status: Int, _ json: String = "{}", cookie: String? = nil, challenge: String? = nil)
        /// A WebSocket, for those who come in.
        case letsIn(Bool)
    }

    private let server: HTTPServer
    private let notes = Notes()

    private final class Notes: Sendable { let asked = Mutex<[Asked]>([]) }

    package init(
        _ peer: PassivePeer? = nil, port: UInt16 = 0, on loop: EventLoop = EngineLoops.server,
        _ answer: @escaping @Sendable (Asked) -> Answer
    ) throws {
        var settings = HTTPServer.Settings()
        settings.address = "127.0.0.1"
        settings.port = port
        server = try HTTPServer(settings, on: loop) { [notes] request in
            let asked = Asked(request.http)
            if request.wantsWebSocket, let peer {
                notes.asked.withLock { $0.append(asked) }
                guard case .letsIn(true) = answer(asked) else { return .refuse(HTTPAnswer(401, "sign in first")) }
                return .webSocket(protocols: peer.protocols) { _, _ in peer.accept() }
            }
            return .respond(
                Clerk { body in
                    var asked = asked
                    asked.body = body
                    notes.asked.withLock { $0.append(asked) }
                    return answer(asked)
                })
        }
    }

    package var port: UInt16 { server.port }
    package var asked: [Asked] { notes.asked.withLock { $0 } }
    /// Methods and paths.
    package var lines: [String] { asked.map { "\($0.method) \($0.path)" } }

    deinit { server.stop() }

    private struct Clerk: HTTPResponder {
        let answer: @Sendable (_ body: String) -> Answer

        func respond(to exchange: any HTTPExchange) -> (any HTTPFeed)? {
            defer { exchange.end() }
            var body: [UInt8] = []
            var space = [UInt8](repeating: 0, count: 10_000)
            while let count = try? space.withUnsafeMutableBytes({ try exchange.read(into: $0) }), count > 0 { body += space[..<count] }
            guard case .says(let status, let json, let cookie, let challenge) = answer(String(decoding: body, as: UTF8.self)) else {
                exchange.breakOff()
                return nil
            }
            var headers: HTTPHeaders = ["Content-Type": "application/json"]
            if let cookie { headers.add("Set-Cookie", cookie) }
            if let challenge { headers.add("WWW-Authenticate", challenge) }
            try? exchange.begin(HTTPResponseHead(status: status, headers: headers), length: json.utf8.count)
            try? Array(json.utf8).withUnsafeBytes { try exchange.write($0) }
            return nil
        }
    }
}

extension LoginServer.Asked {
    fileprivate init(_ request: HTTPRequest) {
        self.init(
            method: request.method, path: "/" + request.path.joined(separator: "/"),
            query: Dictionary(request.query.items.map { ($0.name, $0.value) }, uniquingKeysWith: { one, _ in one }),
            authorization: request.headers["Authorization"], cookie: request.headers["Cookie"])
    }
}
