import CouchbaseLiteSwift
import Synchronization

/// A sink that remembers.
final class RecordedMessages: LogSinkProtocol, Sendable {
    struct Message: Equatable {
        let level: LogLevel
        let domain: LogDomain
        let text: String
    }

    private let messages = Mutex([Message]())

    func writeLog(level: LogLevel, domain: LogDomain, message: String) {
        messages.withLock { $0.append(Message(level: level, domain: domain, text: message)) }
    }

    var all: [Message] { messages.withLock { $0 } }
    var texts: [String] { all.map(\.text) }
}

/// Lines for a screen, remembered.
final class RecordedLines: Sendable {
    private let lines = Mutex([String]())

    func append(_ line: String) { lines.withLock { $0.append(line) } }

    var all: [String] { lines.withLock { $0 } }
}
