import CBLBase

/// What a log says of one replicator, from its start to its end.
struct LoggedReplication {
    let first: UInt64
    private(set) var last: UInt64
    private(set) var name: String
    private(set) var endpoint = ""
    private(set) var connections = 0
    private(set) var documents = 0
    private(set) var failedDocuments = 0
    private(set) var hasEnded = false
    /// Each once, in the order in which they came.
    private(set) var errors: [String] = []

    private static let mostErrors = 20

    init(_ name: String, at time: UInt64) {
        self.name = name
        (first, last) = (time, time)
    }

    /// What somebody calls it: where it went, as far as the log knows.
    var title: String { endpoint.isEmpty ? name : endpoint }

    mutating func add(_ record: LogRecord) {
        last = max(last, record.microseconds)
        let message = record.message[...]
        if let mark = message.firstRange(of: " and endpoint: ") {
            endpoint = String(message[mark.upperBound...])
        } else if message.hasPrefix("Connected!") {
            connections += 1
        } else if let mark = message.firstRange(of: "progress="), message.contains("pullStatus=") {
            // Completed, total, documents.
            let numbers = message[mark.upperBound...].split(separator: "/").map { Int($0.prefix { $0.isNumber }) }
            if numbers.count == 3, let count = numbers[2] { documents = max(documents, count) }
        } else if let rest = message.behind("documentEnded ") {
            if !rest.hasSuffix("(0/0)") { failedDocuments += 1 }
        } else if let mark = message.firstRange(of: "error: "), message.hasPrefix("Stopping due to ") {
            note(String(message[mark.upperBound...]))
        } else if let rest = message.behind("Connection closed with ") {
            // Code 1000 of a WebSocket is the end that was meant.
            if !rest.hasPrefix("WebSocket/HTTP status 1000:") {
                note(String(rest[..<(rest.firstRange(of: " (state=")?.lowerBound ?? rest.endIndex)]))
            }
        } else if message.hasPrefix("Replication complete!") || message.hasPrefix("State: stopped") {
            hasEnded = true
        }
    }

    private mutating func note(_ error: String) {
        if errors.count < LoggedReplication.mostErrors, !errors.contains(error) { errors.append(error) }
    }
}

/// Those of a log. The number of a replicator comes again when the app is started anew.
struct LoggedReplications {
    private static let most = 1000

    private(set) var all: [LoggedReplication] = []
    private var current: [Key: Int] = [:]

    private struct Key: Hashable {
        let source: String
        let name: String
    }

    /// `source` is the log that it stands in: the same name is another replicator's in another one.
    mutating func add(_ record: LogRecord, from source: String) {
        guard record.domain == "Sync" || record.domain == "SyncBusy", let name = LoggedObject.replicator(in: record.object) else { return }
        let isStart = record.message.contains(" and endpoint: ")
        let key = Key(source: source, name: name)
        var place = current[key]
        if let known = place, all[known].hasEnded && isStart { place = nil }
        guard let place = place ?? begin(key, record.microseconds) else { return }
        all[place].add(record)
    }

    private mutating func begin(_ key: Key, _ time: UInt64) -> Int? {
        guard all.count < LoggedReplications.most else { return nil }
        all.append(LoggedReplication(key.name, at: time))
        current[key] = all.count - 1
        return all.count - 1
    }
}
