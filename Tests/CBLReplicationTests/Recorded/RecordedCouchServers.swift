import CBLTransport
import Synchronization

@testable import CBLReplication

/// Between us and a real server, while a conversation is recorded.
final class TappedServer: RemoteServer {
    let mostRequests = 1
    private let server: any RemoteServer
    private let cut: Int?
    private let steps = Mutex<[(question: CouchRecording.Question, answer: CouchRecording.Answer?)]>([])

    /// In the place of the request of that number the connection breaks.
    init(_ server: any RemoteServer, cut: Int?) {
        self.server = server
        self.cut = cut
    }

    var heard: CouchRecording.Session { CouchRecording.Session(steps: steps.withLock { $0 }) }

    func interrupt() { server.interrupt() }

    func send(_ request: RemoteRequest) throws -> RemoteAnswer {
        let question = try CouchRecording.Question(request)
        if steps.withLock({ $0.count }) == cut {
            steps.withLock { $0.append((question, nil)) }
            throw TransportError(.posix(104), "reset")
        }
        let answer = try server.send(request)
        var headers: [String: String] = [:]
        for field in answer.headers.fields where TappedServer.names.contains(field.name.lowercased()) { headers[field.name] = field.value }
        let recorded = CouchRecording.Answer(status: answer.status, headers: headers, body: try answer.readAll())
        steps.withLock { $0.append((question, recorded)) }
        return RemoteAnswer(recorded)
    }

    /// What we may go by. The others have times and names of machines in them.
    private static let names: Set<String> = ["content-type", "content-encoding", "server"]
}

/// In the place of a server: it answers what that answered, as long as it is asked what that was asked.
final class PlayedServer: RemoteServer {
    let mostRequests = 1
    private let steps: Mutex<ArraySlice<(question: CouchRecording.Question, answer: CouchRecording.Answer?)>>
    private let complaint = Mutex<String?>(nil)

    init(_ session: CouchRecording.Session) { steps = Mutex(session.steps[...]) }

    /// What was not as it was.
    var complaints: [String] {
        let left = steps.withLock { $0.first.map { "never asked: \($0.question)" } }
        return [complaint.withLock { $0 } ?? left].compactMap { $0 }
    }

    func interrupt() {}

    func send(_ request: RemoteRequest) throws -> RemoteAnswer {
        let question = try CouchRecording.Question(request)
        let step = steps.withLock { $0.popFirst() }
        guard let step, step.question == question else {
            complaint.withLock { $0 = $0 ?? "asked: \(question)\ninstead of: \(step.map { "\($0.question)" } ?? "nothing")" }
            throw TransportError(.posix(104), "unexpected")
        }
        guard let answer = step.answer else { throw TransportError(.posix(104), "reset") }
        return RemoteAnswer(answer)
    }
}

extension RemoteAnswer {
    fileprivate convenience init(_ answer: CouchRecording.Answer) {
        var headers = HTTPHeaders()
        for (name, value) in answer.headers { headers.add(name, value) }
        var position = 0
        self.init(answer.status, headers) { space in
            let count = min(space.count, answer.body.count - position)
            answer.body.withUnsafeBytes { space.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[position..<position + count])) }
            position += count
            return count
        }
    }
}
