import CBLBase
import CBLFleece
import CBLReplication
import CBLStore
import CBLTransport

/// What the server does by itself, and for those who wait: replications, which clients may start and stop, and feeds.
enum EdgeTasks {
    /// Feeds have numbers behind those that replications will ever have.
    private static let firstFeed = 1_000_000

    static func all(_ call: RESTCall) throws {
        guard call.visitor.standing == .administrator else { throw RESTError.forbidden("what runs here is told to administrators") }
        let now = WallClock.milliseconds / 1000
        var list = List()
        for record in call.service.replications.records { list.add { write(record, now, to: &$0) } }
        for feed in call.service.feeds.all {
            list.add { object in
                object.add("task_id", firstFeed + feed.number)
                object.add("type", "changes")
                object.add("ks", feed.keyspace)
                object.add("args", feed.arguments)
                object.add("ip", feed.address)
                if let user = feed.user { object.add("user", user) }
                object.add("age_secs", max(0, now - feed.startedAt))
            }
        }
        try list.answer(call)
    }

    private struct List: ~Copyable {
        private var text = ByteBuffer()
        private var needsComma = false

        init() { text.append("[") }

        mutating func add(_ fill: (inout JSONObjectWriter) -> Void) {
            if needsComma { text.append(",") }
            needsComma = true
            var object = JSONObjectWriter()
            object.begin()
            fill(&object)
            object.end()
            text.append(object.buffer.bytes)
        }

        consuming func answer(_ call: RESTCall) throws {
            text.append("]")
            try call.answer(json: text.bytes)
        }
    }

    private static func write(_ record: Replications.Record, _ now: Int64, to object: inout JSONObjectWriter) {
        object.add("task_id", record.number)
        object.add("session_id", record.number)
        object.add("type", "replication")
        object.add("source", record.source)
        object.add("target", record.target)
        if record.isContinuous { object.add("continuous", true) }
        object.add("age_secs", max(0, now - record.startedAt))
        object.add("started_on", record.startedAt)
        object.add("updated_on", record.updatedAt)
        object.add("status", status(of: record))
        object.add("docs_transferred", record.transferred)
        // Clients look at whether it is there.
        if let failure = record.failure {
            object.add("error") { error in
                error.add("error", failure.description)
                let code = LiteCoreCode(failure.error)
                error.add("x-litecore-domain", code.domain)
                error.add("x-litecore-code", code.code)
            }
        }
    }

    private static func status(of record: Replications.Record) -> String {
        guard !record.hasEnded else { return "Stopped" }
        switch record.status.activity {
        case .stopped: return "Stopped"
        case .offline: return "Offline"
        case .connecting: return record.failure == nil ? "Connecting" : "Offline"
        case .idle: return "Idle"
        case .busy: return "Busy"
        }
    }

    // Replications

    private static func check(_ call: RESTCall) throws {
        guard call.visitor.mayReplicate else { throw RESTError.forbidden("this is for those who have this server replicate") }
    }

    static func replications(_ call: RESTCall) throws {
        try check(call)
        let now = WallClock.milliseconds / 1000
        var list = List()
        for record in call.service.replications.records { list.add { write(record, now, to: &$0) } }
        try list.answer(call)
    }

    private static func number(_ call: RESTCall) throws -> Int {
        guard let text = call.request.path.last, let number = Int(text), number > 0 else {
            throw RESTError.badRequest("a task has a number")
        }
        return number
    }

    static func replication(_ call: RESTCall) throws {
        try check(call)
        let number = try number(call)
        guard let record = call.service.replications.records.first(where: { $0.number == number }) else {
            throw RESTError.notFound("no such task")
        }
        let now = WallClock.milliseconds / 1000
        try call.answer { write(record, now, to: &$0) }
    }

    static func stop(_ call: RESTCall) throws {
        try check(call)
        guard call.service.replications.cancel(try number(call)) else { throw RESTError.notFound("no such task") }
        try call.answerOK()
    }

    /// Answered when it is known that it can be begun; how it goes, the list tells.
    static func start(_ call: RESTCall) throws {
        try check(call)
        let replication: EdgeReplication
        do {
            replication = try call.object().withRoot { try EdgeReplication(request: $0) }
        } catch let error as ConfigurationError { throw RESTError.badRequest(error.description) }
        guard let served = try call.service.databases.database(named: replication.local) else {
            throw RESTError.notFound("no database \"\(replication.local)\"")
        }
        let plan: ReplicationPlan
        do { plan = try replication.plan(served.database, .texts) } catch let error as ConfigurationError {
            throw RESTError.badRequest(error.description)
        } catch let error as TransportError {
            throw RESTError.badRequest(error.message)
        }
        let number = try call.service.replications.start(plan)
        try call.answer(202) { object in
            object.add("ok", true)
            object.add("task_id", number)
            object.add("session_id", number)
        }
    }
}

/// What an error is in the numbers of the vendor's core.
private struct LiteCoreCode {
    let domain: Int
    let code: Int

    init(_ error: SyncError) {
        switch error.domain {
        case .liteCore: (domain, code) = (1, error.code)
        case .posix: (domain, code) = (2, error.code)
        case .network: (domain, code) = (5, error.code)
        case .http, .webSocket, .blip: (domain, code) = (6, error.code)
        case .other: (domain, code) = (1, 10)
        }
    }
}
