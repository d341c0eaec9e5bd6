import DocumentStore
import Testing

@testable import Replication

/// What a peer that others connect to tells them of.
@Suite struct PassivePusherTests {
    private struct Feed {
        var pusher: PassivePusher
        var reads: [(since: UInt64, number: Int)] = []
        /// What was told, in the order of the messages, and what waits for the answers.
        var told: [[ChangesMessage.Entry]] = []
        var open: [Int] = []
        var loads: [[SendOrder]] = []

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
                case .store(.loadRevisions(let orders, _), _): loads.append(orders)
                case .request(let request, let ticket?):
                    guard case .changes(let message) = request.content else { break }
                    told.append(message.entries)
                    open.append(ticket.number)
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

    /// A client goes on behind the last sequence that it was told.
    @Test func sequencesAreThoseOfTheChanges() throws {
        var feed = Feed(since: 5)
        #expect(feed.reads.map(\.since) == [5])
        try feed.answer([change(6, "1-aa")], isComplete: false)
        try feed.answer([change(8, "2-bb")], last: 9)
        feed.databaseChanged()
        #expect(feed.reads.map(\.since) == [9])
        #expect(feed.told.joined().map(\.sequence) == [6, 8].map { RemoteSequence($0) })
        // What is sent names them too.
        for number in feed.open { feed.perform { $0.replied(ChangesReply(items: [.wanted(ancestors: [])]).wire, number, &$1) } }
        #expect(feed.loads.joined().map(\.sequence) == [RemoteSequence(6)])
    }

    @Test func aSubscriptionGoesOnBehindTheSequenceThatItNames() throws {
        var session = PassiveSession(.init())
        for (since, expected) in [(nil, 0), (RemoteSequence(5), 5)] as [(RemoteSequence?, UInt64)] {
            var subscription = SubChanges()
            subscription.since = since
            let actions = session.handle(.received(SyncRequest(.subChanges(subscription)).wire, IncomingID(1)), time: 0)
            let reads = actions.compactMap { if case .store(.readChanges(let since, _), _) = $0 { since } else { nil } }
            #expect(reads == [expected])
            _ = session.handle(.received(SyncRequest(.unsubChanges).wire, IncomingID(2)), time: 0)
        }
    }

    /// The read that is under way may have begun before the change.
    @Test(arguments: [true, false]) func aChangeDuringAReadIsReadAfterIt(_ isContinuous: Bool) throws {
        var feed = Feed(isContinuous: isContinuous)
        feed.databaseChanged()
        #expect(feed.reads.count == 1)
        try feed.answer()
        #expect(feed.reads.count == 1)
        try feed.answer()
        #expect(feed.reads.isEmpty)
    }
}
