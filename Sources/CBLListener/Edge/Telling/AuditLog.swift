import CBLBase
import CBLFleece
import CBLFunctions

/// Who did what, a line of JSON for each event, in a file that is begun anew with each start of the server.
package final class AuditLog: Sendable {
    /// What belongs to an event beside its kind. What is nil is left out.
    package struct Details: Sendable {
        package var user: String?
        package var address: String?
        package var database: String?
        package var keyspace: String?
        package var document: String?
        package var text: String?
        package var task: Int?
        package var status: Int?

        package init(
            user: String? = nil, address: String? = nil, database: String? = nil, keyspace: String? = nil, document: String? = nil,
            text: String? = nil, task: Int? = nil, status: Int? = nil
        ) {
            self.user = user
            self.address = address
            self.database = database
            self.keyspace = keyspace
            self.document = document
            self.text = text
            self.task = task
            self.status = status
        }
    }

    private let events: Set<AuditEvent>
    private let describes: Bool
    private let file: LineFile
    private let time: @Sendable () -> Int64

    /// Throws what keeps the file from being written.
    package init(
        path: String, _ events: Set<AuditEvent>, describes: Bool, time: @escaping @Sendable () -> Int64 = { WallClock.milliseconds }
    )
        throws
    {
        self.events = events
        self.describes = describes
        self.time = time
        file = try LineFile(path, isSecret: true)
    }

    package func tells(of event: AuditEvent) -> Bool { events.contains(event) }

    package func tell(_ event: AuditEvent, _ details: @autoclosure () -> Details = Details()) {
        guard tells(of: event) else { return }
        let details = details()
        var line = JSONObjectWriter(capacity: 256)
        line.begin()
        line.add("id", event.rawValue)
        line.add("timestamp", DateText.preciseText(time()))
        line.key("name")
        line.buffer.append("\"")
        line.buffer.append(event.name)
        line.buffer.append("\"")
        if describes {
            line.key("description")
            line.buffer.append("\"")
            line.buffer.append(event.explanation)
            line.buffer.append("\"")
        }
        if let user = details.user { line.add("user", user) }
        if let address = details.address { line.add("ip", address) }
        if let database = details.database { line.add("db", database) }
        if let keyspace = details.keyspace { line.add("ks", keyspace) }
        if let document = details.document { line.add("doc_id", document) }
        if let text = details.text { line.add("detail", text) }
        if let task = details.task { line.add("task_id", task) }
        if let status = details.status { line.add("status", status) }
        line.end()
        file.write(line.buffer.bytes)
    }
}
