import CBLBLIP
import CBLReplicationTestSupport
import CBLTestSupport
import CBLTransport
import Synchronization
import Testing

@testable import CBLReplication

/// A gateway that says what it said once: each frame, when we have said what we said before it. What we say must have been said then.
final class RecordedGateway: WebSocketDelegate, @unchecked Sendable {
    // Sendable: the loop's thread alone touches what changes.

    private let steps: [Recording.Step]
    /// Told in the end what was not as it should be.
    private let finish: @Sendable ([String]) -> Void
    private var complaints: [String] = []
    private var ours = OurMessages()
    private var next = 0
    private var isSaid: Set<Int> = []
    /// Today's numbers of our requests, by those of then.
    private var numbers: [UInt64: UInt64] = [:]
    private var timer: LoopTimer?

    init(_ session: Recording.Session, finish: @escaping @Sendable ([String]) -> Void) {
        steps = session.steps
        self.finish = finish
    }

    private func complain(_ text: String) { complaints.append(text) }

    func webSocket(_ connection: WebSocketConnection, didOpen opening: WebSocketOpening) {
        timer = EngineLoops.server.timer(after: Patience.duration) { [weak self, weak connection] in
            guard let self else { return }
            self.complain("nobody says \(self.missing.first?.description ?? "anything") any more")
            connection?.terminate()
        }
        goOn(connection)
    }

    func webSocket(_ connection: WebSocketConnection, didReceive message: UnsafeRawBufferPointer) {
        do {
            guard let said = try ours.listen(message) else { return }
            let expected = missing.map(\.content)
            guard let place = steps.indices.first(where: { isMissing($0, said.content) }) else {
                let like = expected.first { $0.profile == said.profile && $0.isReply == said.isReply }
                complain("unexpected: \(said)\n  recorded: \(like?.description ?? "nothing of the kind")")
                return connection.terminate()
            }
            isSaid.insert(place)
            if case .ours(let recorded) = steps[place], !said.isReply { numbers[recorded.number] = said.number }
            goOn(connection)
        } catch {
            complain("\(error)")
            connection.terminate()
        }
    }

    private func isMissing(_ place: Int, _ content: Recording.Message) -> Bool {
        guard !isSaid.contains(place), case .ours(let message) = steps[place] else { return false }
        return message.content == content
    }

    /// What is still to be said by us.
    private var missing: [Recording.Message] {
        steps.indices.compactMap { place in
            guard !isSaid.contains(place), case .ours(let message) = steps[place] else { return nil }
            return message
        }
    }

    private func goOn(_ connection: WebSocketConnection) {
        while next < steps.count {
            switch steps[next] {
            case .ours: guard isSaid.contains(next) else { return }
            case .gateway(let frame):
                do { try ours.listen(toGateway: frame) } catch { return complain("\(error)") }
                guard let header = Header(frame) else { return complain("a frame of the recording is damaged") }
                // Requests are the gateway's, with its own numbers; anything but the acknowledgement of an answer is about ours.
                let isAboutOurs = header.type != 0 && header.type != 5
                let frame = isAboutOurs ? header.renumbered(frame, numbers[header.number] ?? header.number) : frame
                frame.withUnsafeBytes { connection.send($0) }
            }
            next += 1
        }
    }

    func webSocketIsWritable(_ connection: WebSocketConnection) {}

    func webSocket(_ connection: WebSocketConnection, didClose closing: WebSocketClosing) {
        timer?.cancel()
        for message in missing { complain("not said: \(message)") }
        if missing.isEmpty, next < steps.count { complain("the connection ended before the gateway had said everything") }
        finish(complaints)
    }
}
