import CBLBLIP
import CBLTransport
import Synchronization

/// A server that answers each request as a test says, and asks what the test wants to know of a client.
///
///     let server = try ScriptedServer { request in
///         request.profile == "subChanges" ? [.answer(), .ask("changes", [:], "[]")] : [.answer()]
///     }
package final class ScriptedServer: Sendable {
    package enum Act: Sendable {
        case answer(_ properties: [String: String] = [:], _ body: String = "")
        case refuse(_ domain: String, _ code: Int, _ text: String)
        case ask(_ profile: String, _ properties: [String: String] = [:], _ body: String = "")
        case close(_ code: CloseCode, _ reason: String)
    }

    private let server: HTTPServer
    private let said: Notes

    private final class Notes: Sendable { let answers = Mutex<[String]>([]) }

    /// Of a request that is left without an answer, nothing is said.
    package init(on loop: EventLoop = EngineLoops.server, _ script: @escaping @Sendable (IncomingMessage) -> [Act]) throws {
        var settings = HTTPServer.Settings()
        settings.address = "127.0.0.1"
        let notes = Notes()
        said = notes
        server = try HTTPServer(settings, on: loop) { _ in
            .webSocket(protocols: ["BLIP_3+CBMobile_3"]) { connection, _ in
                ScriptedConnection(script) { said in notes.answers.withLock { $0.append(said) } }
            }
        }
    }

    package var port: UInt16 { server.port }
    package var url: String { "ws://127.0.0.1:\(port)/db" }
    /// What clients answered to what they were asked: the text, or `HTTP 403`.
    package var answers: [String] { said.answers.withLock { $0 } }

    deinit { server.stop() }
}

private final class ScriptedConnection: WebSocketDelegate, @unchecked Sendable {
    // Sendable: the loop's thread alone touches it.
    private let blip = BLIPConnection()
    private let script: @Sendable (IncomingMessage) -> [ScriptedServer.Act]
    private let note: @Sendable (String) -> Void
    private var myself: ScriptedConnection?
    private var connection: WebSocketConnection?

    init(_ script: @escaping @Sendable (IncomingMessage) -> [ScriptedServer.Act], note: @escaping @Sendable (String) -> Void) {
        self.script = script
        self.note = note
        myself = self
    }

    func webSocket(_ connection: WebSocketConnection, didOpen opening: WebSocketOpening) { self.connection = connection }

    func webSocket(_ connection: WebSocketConnection, didReceive message: UnsafeRawBufferPointer) {
        if case .received(let message)? = try? blip.receive(message) {
            switch message.origin {
            case .request(let request): for act in script(message) { perform(act, request) }
            case .response:
                note(message.error.map { "\($0.domain) \($0.code)" } ?? String(decoding: message.body, as: UTF8.self))
            }
        }
        pump()
    }

    private func perform(_ act: ScriptedServer.Act, _ request: ReceivedRequest) {
        switch act {
        case .answer(let properties, let body):
            guard request.wantsResponse else { return }
            _ = try? blip.respond(to: request, message(nil, properties, body))
        case .refuse(let domain, let code, let text):
            guard request.wantsResponse else { return }
            _ = try? blip.respond(to: request, error: MessageError(domain: domain, code: code, message: text))
        case .ask(let profile, let properties, let body): _ = try? blip.send(message(profile, properties, body))
        case .close(let code, let reason): connection?.close(code, reason: reason)
        }
    }

    private func message(_ profile: String?, _ properties: [String: String], _ body: String) -> OutgoingMessage {
        var message = OutgoingMessage(body: .bytes(Array(body.utf8)))
        if let profile { message.properties.append("Profile", profile) }
        for (name, value) in properties.sorted(by: { $0.key < $1.key }) { message.properties.append(name, value) }
        return message
    }

    private func pump() {
        var buffer = [UInt8](repeating: 0, count: FrameSize.maximum)
        buffer.withUnsafeMutableBytes { buffer in
            while blip.hasFrames, let connection, connection.wantsMessages, let frame = try? blip.nextFrame(into: buffer) {
                connection.send(UnsafeRawBufferPointer(rebasing: buffer[..<frame.count]))
            }
        }
    }

    func webSocketIsWritable(_ connection: WebSocketConnection) { pump() }

    func webSocket(_ connection: WebSocketConnection, didClose closing: WebSocketClosing) {
        self.connection = nil
        myself = nil
    }
}
