import CBLStore
import Testing

@testable import CBLReplication

/// What a peer that others connect to does with what they send.
@Suite struct PassivePullerTests {
    private struct Receiver {
        var puller = PassivePuller(SessionPort(collection: 0, wire: nil, machine: .puller), allowsDeltas: true, limits: FlowLimits())
        /// How many revisions each insertion has.
        var insertions: [Int] = []
        var reviews: [Int] = []
        var timers: [Int] = []

        mutating func perform(_ body: (inout PassivePuller, inout Outbox) -> Void) {
            var outbox = Outbox()
            body(&puller, &outbox)
            for action in outbox.actions {
                switch action {
                case .store(.insert(let revisions), _): insertions.append(revisions.count)
                case .store(.review, let ticket): reviews.append(ticket.number)
                case .startTimer(let ticket, _): timers.append(ticket.number)
                default: break
                }
            }
        }

        /// Proposes documents, of which the first are wanted.
        mutating func propose(_ count: Int, wanted: Int) {
            let entries = (0..<count).map { ProposalMessage.Entry(documentID: "d\($0)", revision: revision("1-aa")) }
            perform { $0.proposed(ProposalMessage(entries: entries), nil, &$1) }
            let number = reviews.removeLast()
            let verdicts: [ProposalReply.Item] = (0..<count).map { $0 < wanted ? .accepted : .known }
            perform { puller, outbox in _ = puller.stored(.verdicts(verdicts), number, &outbox) }
        }

        mutating func send(_ place: Int) {
            let message = RevisionMessage(documentID: "d\(place)", history: history("1-aa"), body: Array("{}".utf8))
            perform { puller, outbox in _ = puller.revision(message, nil, &outbox) }
        }
    }

    /// Who edits at one side sees it at the other at once.
    @Test func theLastOfThoseThatAreAwaitedWaitsForNothing() {
        var receiver = Receiver()
        receiver.propose(3, wanted: 2)
        receiver.send(0)
        #expect(receiver.insertions.isEmpty && receiver.timers.count == 1)
        receiver.send(1)
        #expect(receiver.insertions == [2])
    }

    @Test func othersThatAreStillLookedAtAreAwaited() {
        var receiver = Receiver()
        receiver.propose(1, wanted: 1)
        receiver.perform { $0.proposed(ProposalMessage(entries: [.init(documentID: "x", revision: revision("1-aa"))]), nil, &$1) }
        receiver.send(0)
        #expect(receiver.insertions.isEmpty)
    }

    /// Somebody who does not send what was asked for makes others wait no longer than that once.
    @Test func whatNeverComesIsNotAwaitedForEver() throws {
        var receiver = Receiver()
        receiver.propose(2, wanted: 2)
        receiver.send(0)
        let timer = try #require(receiver.timers.last)
        receiver.perform { $0.timerFired(timer, &$1) }
        #expect(receiver.insertions == [1])
        receiver.propose(1, wanted: 1)
        receiver.send(0)
        // While the first is being stored, the next one gathers.
        #expect(receiver.insertions == [1])
    }
}
