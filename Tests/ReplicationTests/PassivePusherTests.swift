import DocumentStore
import Testing

@testable import Replication

/// What a peer that others connect to tells them of.
@Suite struct PassivePusherTests {
    private struct Feed {
        var pusher: PassivePusher
        var reads: [(since: UInt64, number: Int)] = []
        /// What was told, in the order of the messages.
        var told: [[ChangesMessage.Entry]] = []

        init(since: UInt64 = 0, isContinuous: Bool = true) {
            var subscription = SubChanges()
            subscription.isContinuous = isContinuous
            let port = Port(collection: 0, wire: nil, machine: .pusher)
            pusher = PassivePusher(port, subscription, since: since, allowsDeltas: true, limits: FlowLimits())
            perform { $0.start(&$1) }
        }

        mutating func perform(_ body: (inout PassivePusher, inout Outbox) -> Void) {
            var outbox = Outbox()
            body(&pusher, &outbox)
            for action in outbox.actions {
                switch action {
                case .store(.readChanges(let since, _), let ticket): reads.append((since, ticket.number))
                case .request(let request, _): if case .changes(let message) = request.content { told.append(message.entries) }
                default: break
                }
            }
        }

        mutating func databaseChanged() { perform { $0.databaseChanged(&$1) } }

        /// Answers the oldest read.
        mutating func answer(_ changes: [LocalChange] = [], last: UInt64? = nil, isComplete: Bool = true) throws {
            let number = try #require(reads.first).number
            reads.removeFirst()
            let list = LocalChanges(changes: changes, last: last ?? changes.last?.sequence ?? 0, isComplete: isComplete)
            perform { $0.stored(.changes(list), number, &$1) }
        }
    }

    private func change(_ sequence: UInt64, _ text: String) -> LocalChange {
        LocalChange(sequence: sequence, documentID: "a", revision: revision(text))
    }

    /// It may be read before it is known that it was stored.
    @Test(arguments: [true, false]) func whatCameFromThePeerIsNotToldBack(_ isKnown: Bool) throws {
        var feed = Feed()
        try feed.answer()
        feed.pusher.noteReceived("a", revision("2-bb"))
        feed.databaseChanged()
        // What was there before is told.
        try feed.answer([change(1, "1-aa")])
        if isKnown { feed.pusher.noteStored("a", revision("2-bb")) }
        feed.databaseChanged()
        try feed.answer([change(2, "2-bb")])
        #expect(feed.told.joined().map(\.revision) == [revision("1-aa")])
    }

    /// In a ring of replicas, what the peer had sent gave way to another branch, which it was told of, and came back by the other way round.
    @Test func whatCameFromThePeerAndGaveWayIsNewsWhenItReturns() throws {
        var feed = Feed()
        try feed.answer()
        feed.pusher.noteReceived("a", revision("2-bb"))
        feed.pusher.noteStored("a", revision("2-bb"))
        feed.databaseChanged()
        try feed.answer([change(2, "2-cc")])
        feed.databaseChanged()
        try feed.answer([change(3, "2-bb")])
        #expect(feed.told.joined().map(\.revision) == [revision("2-cc"), revision("2-bb")])
    }
}
