import Synchronization

@testable import CouchbaseLiteSwift

/// A transport of a program, in memory: two ends, each of which is a connection.
final class Wire: Sendable {
    struct Manner: Sendable {
        /// Whether messages are cut into pieces, and put together with others, as a stream of bytes may do.
        var cuts = false
        /// After so many messages the wire breaks; nil for never.
        var breaksAfter: Int?
        var isBreakRecoverable = false
        /// Whether it can be opened at all.
        var opens = true
    }

    let ends: (End, End)

    init(_ manner: Manner) {
        ends = (End(manner), End(manner))
        ends.0.other.withLock { $0 = ends.1 }
        ends.1.other.withLock { $0 = ends.0 }
    }

    final class End: MessageEndpointConnection, @unchecked Sendable {
        // Sendable: everything that comes is dealt with on the queue.

        private struct Inbox {
            var receiver: Unchecked<any ReplicatorConnection>?
            var waiting: [Data] = []
        }

        let other = Mutex<End?>(nil)
        let closings = Told<(any Error)?>()
        private let manner: Manner
        private let inbox = Mutex(Inbox())
        private let sent = Atomic<Int>(0)
        private let queue = DispatchQueue(label: "wire")

        init(_ manner: Manner) { self.manner = manner }

        func open(connection: any ReplicatorConnection, completion: @escaping (Bool, MessagingError?) -> Void) {
            guard manner.opens else { return completion(false, failure) }
            let receiver = Unchecked(connection)
            inbox.withLock { $0.receiver = receiver }
            queue.async { self.deliver() }
            completion(true, nil)
        }

        private var failure: MessagingError {
            MessagingError(error: NSError(domain: "wire", code: 7), isRecoverable: manner.isBreakRecoverable)
        }

        func send(message: Message, completion: @escaping (Bool, MessagingError?) -> Void) {
            if let limit = manner.breaksAfter, sent.add(1, ordering: .relaxed).newValue > limit { return completion(false, failure) }
            other.withLock { $0 }?.arrived(message.toData())
            completion(true, nil)
        }

        private func arrived(_ data: Data) {
            // The order stays the same.
            inbox.withLock { $0.waiting.append(data) }
            queue.asyncAfter(deadline: .now() + .microseconds(Int.random(in: 0...300))) { self.deliver() }
        }

        private func deliver() {
            let (receiver, all) = inbox.withLock { inbox in
                defer { if inbox.receiver != nil { inbox.waiting = [] } }
                return (inbox.receiver, inbox.waiting)
            }
            guard let receiver = receiver?.value else { return }
            guard manner.cuts else {
                for data in all { receiver.receive(message: Message.fromData(data)) }
                return
            }
            var rest = all.reduce(Data(), +)
            while !rest.isEmpty {
                let piece = rest.prefix(Int.random(in: 1...3000))
                receiver.receive(message: Message.fromData(Data(piece)))
                rest = Data(rest.dropFirst(piece.count))
            }
        }

        func close(error: (any Error)?, completion: @escaping () -> Void) {
            closings.add(error)
            let other = other.withLock { other in
                defer { other = nil }
                return other
            }
            completion()
            let isBroken = error != nil
            // Whoever hangs up is heard after what was said.
            other?.queue.asyncAfter(deadline: .now() + .milliseconds(5)) { other?.hungUp(isBroken) }
        }

        private func hungUp(_ isBroken: Bool) {
            let receiver = inbox.withLock { inbox in
                defer { inbox.receiver = nil }
                return inbox.receiver
            }
            receiver?.value.close(error: isBroken ? failure : nil)
        }
    }
}

/// Makes wires to a listener.
final class WireMaker: MessageEndpointDelegate, @unchecked Sendable {
    let listener: MessageEndpointListener
    let manners: [Wire.Manner]
    let wires = Told<Wire>()

    /// The wires are of these manners, one after the other; those behind the last are like the last.
    init(_ listener: MessageEndpointListener, _ manners: [Wire.Manner]) {
        self.listener = listener
        self.manners = manners
    }

    func createConnection(endpoint: MessageEndpoint) -> any MessageEndpointConnection {
        let manner = manners[min(wires.all.count, manners.count - 1)]
        let wire = Wire(manner)
        wires.add(wire)
        if manner.opens { listener.accept(connection: wire.ends.1) }
        return wire.ends.0
    }
}
