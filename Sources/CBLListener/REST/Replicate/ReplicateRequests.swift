import CBLFleece
import CBLReplication
import CBLTransport

/// Replications that clients start, and questions about them.
enum ReplicateRequests {
    static func post(_ call: RESTCall) throws -> (any HTTPFeed)? {
        guard call.visitor.mayReplicate else {
            throw RESTError.forbidden("replications are started by administrators who have signed in, and by programs of this machine")
        }
        let request = try call.object().withRoot { try ReplicateRequest($0, call) }
        let replications = call.service.replications
        if request.isCancelled {
            guard replications.cancel(request) else { throw RESTError.notFound("no such replication") }
            try call.answerOK()
            return nil
        }
        let session = try replications.start(request)
        guard request.isContinuous || request.isAsynchronous else { return ReplicationEnd(call, session) }
        try call.answer { object in
            object.add("ok", true)
            object.add("session_id", session)
            // CouchDB's name for it.
            object.add("_local_id", session)
        }
        return nil
    }

    static func tasks(_ call: RESTCall) throws -> (any HTTPFeed)? {
        guard call.visitor.standing == .administrator else { throw RESTError.forbidden("what runs here is told to administrators") }
        switch call.parameters["feed"] {
        case nil, "", "normal": break
        case "continuous", "eventsource": return TaskFeed(call, isEventSource: call.parameters["feed"] == "eventsource")
        case let feed?: throw RESTError.badParameter("there is no feed \"\(feed)\"")
        }
        var text = ByteBuffer()
        text.append("[")
        for (place, record) in call.service.replications.records.enumerated() {
            if place > 0 { text.append(",") }
            write(record, to: &text)
        }
        text.append("]")
        try call.answer(json: text.bytes)
        return nil
    }

    static func write(_ record: Replications.Record, to text: inout ByteBuffer) {
        var object = JSONObjectWriter()
        object.begin()
        object.add("type", "Replication")
        object.add("task", record.session)
        object.add("session_id", record.session)
        object.add("source", record.source)
        object.add("target", record.target)
        if record.isContinuous { object.add("continuous", true) }
        let (done, all) = (record.status.completed, record.status.total)
        let isBusy = !record.hasEnded && (record.status.activity == .busy || record.status.activity == .connecting)
        switch record.status.activity {
        case _ where record.hasEnded: object.add("status", "Stopped")
        case .stopped: object.add("status", "Stopped")
        case .offline: object.add("status", "Offline")
        case .idle: object.add("status", "Idle")
        case .connecting, .busy: object.add("status", "Processed \(done) / \(all) changes")
        }
        if isBusy, all > 0 { object.add("progress", UInt64(min(100, done * 100 / all))) }
        object.add("docs_transferred", record.transferred)
        object.add("doc_failures", record.failed)
        object.add("started_on", record.startedAt)
        object.add("updated_on", record.updatedAt)
        if let failure = record.failure {
            object.add("error") { error in RESTError(failure).write(to: &error) }
        }
        object.end()
        text.append(object.buffer.bytes)
    }
}

/// Waits for the end of a replication, without a thread.
final class ReplicationEnd: HTTPFeed, @unchecked Sendable {
    // Sendable: who proceeds is one thread after the other.
    private let call: RESTCall
    private let session: String
    private var observer: Int?

    init(_ call: RESTCall, _ session: String) {
        self.call = call
        self.session = session
    }

    func start(wake: @escaping @Sendable () -> Void) { observer = call.service.replications.observe(wake) }

    /// It goes on though nobody waits for it.
    func stop() { if let observer { call.service.replications.forget(observer) } }

    func proceed(_ exchange: any HTTPExchange) throws(HTTPInterruption) -> HTTPFeedState {
        let record = call.service.replications.record(session)
        if let record, !record.hasEnded { return .waiting(nil) }
        defer { exchange.end() }
        do {
            if record?.isCancelled == true {
                // The number is 1.x's own.
                try call.answer(RESTError(596, "cancelled", "the replication was stopped"))
            } else if let failure = record?.failure {
                try call.answer(RESTError(failure))
            } else {
                try answer(record)
            }
        } catch let interruption as HTTPInterruption { throw interruption } catch {}
        return .complete
    }

    private func answer(_ record: Replications.Record?) throws {
        try call.answer { object in
            object.add("ok", true)
            object.add("session_id", session)
            guard let record else { return }
            object.add("history", objects: [record]) { record, entry in
                entry.add("session_id", record.session)
                entry.add("docs_read", record.transferred + record.failed)
                entry.add("docs_written", record.transferred)
                entry.add("doc_write_failures", record.failed)
            }
        }
    }
}

/// A line for each change of what runs, until the client leaves.
final class TaskFeed: HTTPFeed, @unchecked Sendable {
    // Sendable: who proceeds is one thread after the other.
    private let call: RESTCall
    private let isEventSource: Bool
    private var observer: Int?
    private var seen = -1

    init(_ call: RESTCall, isEventSource: Bool) {
        self.call = call
        self.isEventSource = isEventSource
    }

    func start(wake: @escaping @Sendable () -> Void) { observer = call.service.replications.observe(wake) }

    func stop() { if let observer { call.service.replications.forget(observer) } }

    func proceed(_ exchange: any HTTPExchange) throws(HTTPInterruption) -> HTTPFeedState {
        if !call.hasBegun {
            let type = isEventSource ? "text/event-stream; charset=utf-8" : "application/json"
            try call.begin(200, headers: ["Content-Type": type, "Cache-Control": "no-cache"], length: nil)
            try exchange.flush()
        }
        var text = ByteBuffer()
        for record in call.service.replications.records.sorted(by: { $0.version < $1.version }) where record.version > seen {
            if isEventSource { text.append("data:") }
            ReplicateRequests.write(record, to: &text)
            text.append(isEventSource ? "\n\n" : "\n")
            seen = record.version
        }
        if !text.isEmpty { try call.write(text.bytes) }
        return .waiting(nil)
    }
}

extension RESTError {
    /// Why a replication failed, with the status that 1.x gives for it.
    init(_ failure: SyncFailure) {
        let error = failure.error
        let status =
            switch error.domain {
            case .http where (400..<600).contains(error.code): error.code
            case .network:
                switch NetworkFailure(rawValue: error.code) {
                case .unknownHost: 404
                case .nameLookup, .connectionReset, .connectionRefused, .connectionAborted, .networkDown, .networkUnreachable: 503
                case .timeout: 504
                default: 502
                }
            case .posix: 503
            default: 500
            }
        self.init(status, HTTPStatus.phrase(status), failure.description)
    }
}
