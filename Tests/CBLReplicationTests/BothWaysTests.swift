import CBLStore
import Testing

@testable import CBLReplication

/// A push and a pull in one session: what they have to tell each other.
@Suite struct BothWaysTests {
    private struct Both {
        private var session: ActiveSession
        /// What the store and the peer were asked for and have not answered.
        private(set) var stores: [(request: StoreRequest, ticket: Ticket)] = []
        private(set) var requests: [(content: SyncRequest.Content, ticket: Ticket?)] = []
        private(set) var events: [DocumentEvent] = []

        init(_ mode: ActiveSession.Mode) throws {
            session = ActiveSession(.init(collections: [.init(checkpointID: "cp", push: mode, pull: mode)]))
            take(session.start())
            try answer("loadCheckpoint", .checkpoint(id: "cp", body: Array("{}".utf8)))
            handle(.connected(.v3))
            try reply("getCheckpoint", CheckpointReply(revision: "0-1", body: Array("{}".utf8)).wire)
            try answer("findConflicts", .documents([]))
            try reply("subChanges", .empty)
        }

        private mutating func take(_ actions: [Action]) {
            for action in actions {
                switch action {
                case .store(let request, let ticket): stores.append((request, ticket))
                case .request(let request, let ticket): requests.append((request.content, ticket))
                case .report(.document(let event)): events.append(event)
                default: break
                }
            }
        }

        mutating func handle(_ event: Event) { take(session.handle(event, time: 0)) }

        func isAsked(_ name: String) -> Bool { stores.contains { "\($0.request)".hasPrefix(name) } }

        /// Answers the first request of a kind to the store.
        mutating func answer(_ name: String, _ answer: StoreAnswer) throws {
            let place = try #require(stores.firstIndex { "\($0.request)".hasPrefix(name) }, "\(name) is not asked for")
            handle(.stored(answer, stores.remove(at: place).ticket))
        }

        /// Answers the first request of a kind to the peer.
        mutating func reply(_ name: String, _ reply: WireReply) throws {
            let place = try #require(requests.firstIndex { "\($0.content)".hasPrefix(name) }, "there is no \(name)")
            handle(.replied(reply, try #require(requests.remove(at: place).ticket)))
        }

        mutating func read(_ changes: [LocalChange], isComplete: Bool = true) throws {
            try answer("readChanges", .changes(LocalChanges(changes: changes, last: changes.last?.sequence ?? 0, isComplete: isComplete)))
        }

        mutating func receive(_ content: SyncRequest.Content) { handle(.received(SyncRequest(content).wire, IncomingID(1))) }

        mutating func announce(_ revision: RevisionID, _ lookup: Lookup) throws {
            receive(.changes(.init(entries: [.init(sequence: RemoteSequence(7), documentID: "a", revision: revision)])))
            try answer("lookUp", .lookups([lookup]))
        }

        /// A revision that was announced comes and is stored.
        mutating func store(_ history: String, isConflict: Bool) throws {
            receive(.rev(.init(documentID: "a", history: try .init(parsing: history), sequence: RemoteSequence(7), body: Array("{}".utf8))))
            try answer("insert", .inserted([.inserted(isConflict: isConflict)]))
        }

        mutating func inspect(
            _ remote: String, isConflicted: Bool = false, current: String = "2-bb", descendsFromPeer: Bool = false
        ) throws {
            let state = DocumentState(
                current: revision(current), remoteRevision: revision(remote), isConflicted: isConflicted,
                descendsFromPeer: descendsFromPeer)
            try answer("inspect", .state(state))
        }

        /// What is proposed and not answered.
        var proposals: [ProposalMessage.Entry] {
            requests.flatMap { request -> [ProposalMessage.Entry] in
                if case .proposeChanges(let message) = request.content { message.entries } else { [] }
            }
        }

        /// Whether all is said and done, and how far the checkpoint says that it went.
        func isSaved(upTo sequence: UInt64) -> Bool {
            requests.contains {
                if case .setCheckpoint(let message) = $0.content { Checkpoint(json: message.body).local == sequence } else { false }
            }
        }
    }

    private let edited = LocalChange(sequence: 1, documentID: "a", revision: revision("2-bb"), remoteRevision: revision("1-aa"))

    /// A push that met a conflict which the pull has not brought yet.
    private func refused() throws -> Both {
        var both = try Both(.once)
        try both.read([edited])
        try both.reply("proposeChanges", ProposalReply(items: [.conflict(with: revision("2-cc"))]).wire)
        try both.inspect("1-aa")
        #expect(both.proposals.isEmpty && both.events.isEmpty)
        return both
    }

    /// The change is done: what settles the conflict is another one.
    @Test func aConflictThatThePullBringsHomeIsNoErrorOfThePush() throws {
        var both = try refused()
        try both.announce(revision("2-cc"), .unknown(ancestors: []))
        try both.store("2-cc, 1-aa", isConflict: true)
        both.receive(.changes(.init(entries: [])))
        try both.answer("resolveConflict", .resolved(isNew: false))
        #expect(both.events.map(\.error?.code) == [nil])
        #expect(both.isSaved(upTo: 1))
    }

    /// What was in the way is an older revision of ours, whose acknowledgement was lost: the pull notes that the peer has it.
    @Test func whatThePullFindsToBeAnAncestorIsNamedInASecondProposal() throws {
        var both = try refused()
        try both.announce(revision("2-cc"), .known)
        try both.inspect("2-cc")
        #expect(both.proposals.map(\.serverRevision) == [revision("2-cc")])
    }

    /// A gateway that was set back had lost it, refused what came after it, and got it again from somebody else.
    @Test func theParentThatTheProposalNamedIsNamedAgainWhenThePeerAnnouncesIt() throws {
        var both = try refused()
        try both.announce(revision("1-aa"), .known)
        try both.inspect("1-aa", descendsFromPeer: true)
        #expect(both.proposals.map(\.serverRevision) == [revision("1-aa")])
    }

    /// Between offer and revision the peer got another one, and the pull had told of that already: nothing would end the wait for it.
    @Test func whatIsRefusedAfterItWasWantedIsOfferedOnceMore() throws {
        var both = try Both(.continuous)
        try both.read([edited])
        for isFirst in [true, false] {
            try both.reply("proposeChanges", ProposalReply().wire)
            let message = RevisionMessage(documentID: "a", history: history("2-bb"), body: Array("{}".utf8))
            try both.answer("loadRevisions", .revisions([.loaded(message)]))
            try both.reply("rev", SyncError.http(409, "there is another one").reply)
            #expect(both.proposals.map(\.revision) == (isFirst ? [revision("2-bb")] : []))
            #expect(both.isAsked("inspect") == !isFirst)
        }
        #expect(both.events.isEmpty)
    }

    /// The first pull of a database leaves tombstones away, and no later one brings them. Without knowing of it, no version can follow it.
    @Test(arguments: [404, 403, nil] as [Int?]) func aTombstoneThatWasNeverPulledIsAskedFor(_ status: Int?) throws {
        let ours = revision("18e9d1d110b40000@ZegpoldZegpoldZegpoldA")
        let theirs = revision("18e9d1d110a40000@DaveDaveDaveDaveDaveDA")
        var both = try Both(.once)
        try both.read([.init(sequence: 1, documentID: "a", revision: ours)])
        try both.reply("proposeChanges", ProposalReply(items: [.conflict(with: theirs)]).wire)
        let state = DocumentState(current: ours, remoteRevision: nil, isConflicted: false, descendsFromPeer: false)
        try both.answer("inspect", .state(state))
        #expect(both.requests.isEmpty)
        both.receive(.changes(.init(entries: [])))
        #expect(both.requests.map(\.content) == [.getRev(.init(documentID: "a"))])
        try both.reply("getRev", status.map { SyncError.http($0).reply } ?? WireReply(body: Array("{}".utf8)))
        guard status == 404 else {
            #expect(both.events.map(\.error?.code) == [409])
            return #expect(both.isSaved(upTo: 1))
        }
        try both.answer("noteDeletion", .done)
        try both.read([.init(sequence: 2, documentID: "a", revision: ours, remoteRevision: theirs)])
        #expect(both.proposals.map(\.serverRevision) == [theirs])
        #expect(both.events.isEmpty)
    }

    /// A session of this kind looks at no other changes that were made after it began.
    @Test(arguments: [true, false]) func whatSettlesAConflictIsPushedAtOnce(_ isNew: Bool) throws {
        var both = try refused()
        try both.announce(revision("2-cc"), .unknown(ancestors: []))
        try both.store("2-cc, 1-aa", isConflict: true)
        both.receive(.changes(.init(entries: [])))
        both.handle(.databaseChanged(collection: 0))
        #expect(!both.isAsked("readChanges"))
        try both.answer("resolveConflict", .resolved(isNew: isNew))
        #expect(both.isAsked("readChanges") == isNew)
        guard isNew else { return }
        try both.read([.init(sequence: 3, documentID: "a", revision: revision("3-dd"), remoteRevision: revision("2-cc"))])
        #expect(both.proposals.map(\.revision) == [revision("3-dd")])
        #expect(both.proposals.map(\.serverRevision) == [revision("2-cc")])
    }

    /// What was acknowledged may still wait to be noted. Without it the document would seem to have an older revision there, and that would be
    /// proposed as the parent once more.
    @Test func whatIsToBeNotedIsWrittenBeforeADocumentIsLookedAt() throws {
        var both = try Both(.once)
        try both.read([.init(sequence: 1, documentID: "a", revision: revision("1-aa"))], isComplete: false)
        try both.reply("proposeChanges", ProposalReply(items: [.known]).wire)
        #expect(both.stores.map { "\($0.request)".prefix(4) } == ["read"])
        try both.read([.init(sequence: 2, documentID: "a", revision: revision("2-bb"))])
        #expect(both.proposals.map(\.serverRevision) == [revision("1-aa")])
        try both.reply("proposeChanges", ProposalReply(items: [.conflict(with: revision("2-cc"))]).wire)
        #expect(both.stores.map { "\($0.request)".prefix(4) } == ["mark", "insp"])
    }

    /// The read that is under way may have begun before the change.
    @Test(arguments: [ActiveSession.Mode.once, .continuous]) func aChangeDuringAReadIsReadAfterIt(_ mode: ActiveSession.Mode) throws {
        var both = try Both(mode)
        both.handle(.databaseChanged(collection: 0))
        #expect(both.stores.count == 1)
        try both.read([])
        #expect(both.isAsked("readChanges"))
        try both.read([])
        #expect(!both.isAsked("readChanges"))
    }
}
