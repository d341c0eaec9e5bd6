import CBLBase
import CBLFleece
import CBLStore
import CBLTransport
import Synchronization

/// Waits for changes of a collection, without a thread. Between a look and the next one nothing is lost: it is woken by what is committed after `start`,
/// and the first look comes after that.
class ChangesWait: HTTPFeed, @unchecked Sendable {
    // Sendable: who proceeds is one thread after the other; the subscription is made before, and ends behind them.

    let call: RESTCall
    let query: ChangesQuery
    var reader: ChangesReader
    private var subscription: ChangeSubscription?
    /// Among the feeds that are open.
    private var number: Int?
    private let isClosed = Atomic<Bool>(false)
    private var lastSign: Instant
    private var lastChange: Instant

    init(_ call: RESTCall, _ reader: ChangesReader) throws {
        self.call = call
        self.reader = reader
        query = reader.query
        lastSign = call.service.settings.now()
        lastChange = lastSign
    }

    func start(wake: @escaping @Sendable () -> Void) {
        number = call.service.feeds.open(call)
        call.audit(.feedStarted)
        let interest = ChangeInterest(collections: [reader.keyspace.collection], isPassedOn: true)
        subscription = try? reader.keyspace.database.subscribe(interest) { [weak self] event in
            if case .closed = event { self?.isClosed.store(true, ordering: .relaxed) }
            wake()
        }
    }

    func stop() {
        subscription?.cancel()
        subscription = nil
        guard let number else { return }
        call.service.feeds.close(number)
        call.audit(.feedEnded)
    }

    func proceed(_ exchange: any HTTPExchange) throws(HTTPInterruption) -> HTTPFeedState {
        do {
            try begin()
            guard subscription != nil, !isClosed.load(ordering: .relaxed), reader.keyspace.database.isOpen else { return try complete() }
            if try look() { return try complete() }
            let now = call.service.settings.now()
            if let timeout = query.timeout, now - lastChange >= timeout { return try complete() }
            if let heartbeat = query.heartbeat, now - lastSign >= heartbeat {
                lastSign = now
                try writeHeartbeat()
            }
            return .waiting(timeLeft(at: now))
        } catch let interruption as HTTPInterruption {
            throw interruption
        } catch {
            // The head is out. That the answer is not complete is all that the client can be told.
            exchange.breakOff()
            return .complete
        }
    }

    /// Until there is something to do although nothing has changed.
    private func timeLeft(at now: Instant) -> Duration? {
        let ends = [query.timeout.map { lastChange + $0 }, query.heartbeat.map { lastSign + $0 }]
        return ends.compactMap { $0 }.min().map { max($0 - now, .milliseconds(1)) }
    }

    private func complete() throws -> HTTPFeedState {
        try finish()
        return .complete
    }

    /// Something was sent.
    func noteChange() {
        lastChange = call.service.settings.now()
        lastSign = lastChange
    }

    // What feeds differ in.

    func begin() throws { if !call.hasBegun { try call.begin(200, headers: ["Content-Type": "application/json"], length: nil) } }

    /// Sends what is new. True if that was all.
    func look() throws -> Bool { true }

    func writeHeartbeat() throws { try write("\r\n") }

    /// Ends the answer.
    func finish() throws { call.exchange.end() }

    func write(_ text: StaticString) throws {
        try call.write(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}

/// A list of the changes that come next.
final class LongpollFeed: ChangesWait, @unchecked Sendable {
    private lazy var list = ChangesList(call)
    private var hasChanges: Bool { list.count > 0 }

    override func look() throws -> Bool {
        try list.read(from: &reader)
        return hasChanges
    }

    override func finish() throws { try list.end(last: reader.last) }
}

/// A line for each change, until the client leaves, or nothing happens for long.
final class ChangesFeed: ChangesWait, @unchecked Sendable {
    private var isEventSource: Bool { query.feed == .eventSource }

    override func begin() throws {
        guard !call.hasBegun else { return }
        // A feed has no length, even if it ends at once: clients look at that before they read.
        defer { try? call.exchange.flush() }
        guard isEventSource else { return try super.begin() }
        let headers: HTTPHeaders = ["Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-cache"]
        try call.begin(200, headers: headers, length: nil)
    }

    override func look() throws -> Bool {
        var text = ByteBuffer(capacity: 1 << 12)
        var goesOn = true
        while goesOn {
            goesOn = try reader.readPage { sequence, row in
                if isEventSource { text.append("data:") }
                text.append(row)
                guard isEventSource else { return text.append("\n") }
                text.append("\nid: ")
                text.append(decimal: sequence)
                text.append("\n\n")
            }
            guard !text.isEmpty else { continue }
            noteChange()
            try call.write(text.bytes)
            text.removeAll()
        }
        return reader.isAtLimit || query.isDescending
    }

    override func writeHeartbeat() throws {
        if isEventSource { try write(":\n\n") } else { try super.writeHeartbeat() }
    }

    override func finish() throws {
        guard !isEventSource else { return try super.finish() }
        var line = JSONObjectWriter(capacity: 64)
        line.begin()
        line.add("last_seq", reader.last)
        line.end()
        line.buffer.append("\n")
        try call.write(line.buffer.bytes)
        try super.finish()
    }
}
