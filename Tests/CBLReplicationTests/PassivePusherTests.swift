import CBLStore
import Testing

@testable import CBLReplication

/// What a peer that others connect to tells them of.
@Suite struct PassivePusherTests {
    private struct Feed {
        var pusher: PassivePusher
        var reads: [(since: UInt64, number: Int)] = []
        /// What was told, in the order of the messages, and what waits for the answers.
        var told: [[ChangesMessage.Entry]] = []
        var open: [Int] = []
        var loads: [[SendOrder]] = []
        var timers: [(delay: Int, number: Int)] = []

        init(since: UInt64 = 0, isContinuous: Bool = true) {
            var subscription = SubChanges()
            subscription.isContinuous = isContinuous
            let port = SessionPort(collection: 0, wire: nil, machine: .pusher)
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
                case .startTimer(let ticket, let delay): timers.append((delay, ticket.number))
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

    /// In a ring two branches can go round, one behind the other. What is back is told of after ever longer pauses, and only what is there then.
    @Test func whoSeesRevisionsReturnTakesItsTime() throws {
        var feed = Feed()
        try feed.answer()
        var sequence: UInt64 = 8
        func goRound(_ text: String) throws {
            for number in feed.open { feed.perform { $0.replied(ChangesReply(items: [.notWanted]).wire, number, &$1) } }
            feed.open = []
            feed.databaseChanged()
            sequence += 8
            try feed.answer([change(sequence, text)])
        }
        try goRound("2-bb")
        try goRound("2-cc")
        #expect(feed.timers.isEmpty)
        for (round, text) in ["2-bb", "2-cc", "2-bb"].enumerated() {
            try goRound(text)
            #expect(feed.timers.map(\.delay) == [Restlessness.shortestPause << round])
            // Nothing is read in the pause, and once after it.
            feed.databaseChanged()
            feed.databaseChanged()
            #expect(feed.reads.isEmpty)
            let timer = feed.timers.removeLast()
            feed.perform { $0.timerFired(timer.number, &$1) }
            #expect(feed.reads.count == 1)
            try feed.answer()
        }
        // What is new has no pause, and the next one is a shorter one.
        try goRound("3-dd")
        #expect(feed.timers.isEmpty)
        try goRound("2-cc")
        #expect(feed.timers.map(\.delay) == [Restlessness.shortestPause << 1])
        #expect(feed.told.count == 7)
    }

    @Test func pausesAreNotAlikeAndNotWithoutEnd() {
        func pauses(_ sequence: UInt64) -> [Int] {
            var restlessness = Restlessness()
            return (0..<30).compactMap { _ in restlessness.note([change(sequence, "1-aa")]) }
        }
        #expect(pauses(8).prefix(3) == [50, 100, 200] && pauses(12).prefix(3) == [75, 150, 300])
        #expect(pauses(8).last == 25_600 && pauses(8).count == 29)
        // Only so many are remembered.
        var restlessness = Restlessness()
        func note(_ number: UInt64) -> Int? {
            restlessness.note([LocalChange(sequence: 8, documentID: "\(number)", revision: revision("1-aa"))])
        }
        for number in 0...UInt64(Restlessness.memory) { #expect(note(number) == nil) }
        #expect(note(1) != nil && note(0) == nil)
    }
}
