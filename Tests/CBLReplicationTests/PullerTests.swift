import CBLStore
import Testing

@testable import CBLReplication

/// A pull, message by message: what the simulation's gateway never sends.
@Suite struct PullerTests {
    /// A session that pulls, with what it asked for and said so far.
    private struct Pull {
        var session: ActiveSession
        private(set) var stores: [(request: StoreRequest, ticket: Ticket)] = []
        private(set) var replies: [UInt64: WireReply] = [:]
        private(set) var events: [DocumentEvent] = []
        private(set) var timers: [Ticket] = []
        private(set) var requests: [(content: SyncRequest.Content, ticket: Ticket?)] = []
        private(set) var isClosed = false
        private var last: UInt64 = 0
        private(set) var lastSequence: UInt64 = 0

        init(purgesLost: Bool = true, limits: FlowLimits = FlowLimits()) {
            var collection = ActiveSession.Collection(checkpointID: "cp", push: .off, pull: .once)
            collection.purgesLost = purgesLost
            var configuration = ActiveSession.Configuration(collections: [collection])
            configuration.limits = limits
            session = ActiveSession(configuration)
            take(session.start())
            answer(.checkpoint(id: "cp", body: nil))
            handle(.connected(.v3))
            // No conflicts are left from earlier, and the subscription is granted.
            answer(.documents([]))
            for (content, ticket) in requests {
                switch content {
                case .getCheckpoint: handle(.replied(SyncError.http(404).reply, ticket!))
                case .subChanges: handle(.replied(.empty, ticket!))
                default: break
                }
            }
        }

        mutating func handle(_ event: Event) { take(session.handle(event, time: 0)) }

        private mutating func take(_ actions: [Action]) {
            for action in actions {
                switch action {
                case .store(let request, let ticket): stores.append((request, ticket))
                case .reply(let reply, let id): replies[id.number] = reply
                case .report(.document(let event)): events.append(event)
                case .startTimer(let ticket, let delay): if delay < 1000 { timers.append(ticket) }
                case .request(let request, let ticket): requests.append((request.content, ticket))
                case .fetchBlob(let request, _, let ticket): requests.append((request.content, ticket))
                case .close: isClosed = true
                default: break
                }
            }
        }

        /// Answers the oldest request to the store, or another one.
        mutating func answer(_ answer: StoreAnswer, _ place: Int = 0) {
            guard place < stores.count else { return }
            let next = stores.remove(at: place)
            handle(.stored(answer, next.ticket))
        }

        mutating func fireTimers() {
            let due = timers
            timers = []
            for ticket in due { handle(.timer(ticket)) }
        }

        @discardableResult
        mutating func receive(_ content: SyncRequest.Content, noReply: Bool = false) -> UInt64 {
            last += 1
            handle(.received(SyncRequest(content).wire, noReply ? nil : IncomingID(last)))
            return last
        }

        mutating func announce(_ id: String, _ revision: RevisionID?, flags: ChangesMessage.Flags = [], _ lookup: Lookup) -> ChangesReply? {
            lastSequence = last + 1
            let number = receive(
                .changes(.init(entries: [.init(sequence: RemoteSequence(last + 1), documentID: id, revision: revision, flags: flags)])))
            answer(.lookups([lookup]), stores.firstIndex { if case .lookUp = $0.request { true } else { false } } ?? .max)
            return replies[number].flatMap { try? ChangesReply($0) }
        }

        mutating func finish() { receive(.changes(.init(entries: [])), noReply: true) }

        /// What the checkpoint that was saved at the end says.
        var saved: Checkpoint? {
            requests.compactMap { if case .setCheckpoint(let message) = $0.content { Checkpoint(json: message.body) } else { nil } }.last
        }
    }

    private let first = revision("1-aa")

    /// A tombstone on its way, and a new document of that name, pushed from here, which the peer tells of before the tombstone is stored.
    @Test(arguments: [true, false]) func aRevisionIsNotOvertakenByALaterOneOfItsDocument(_ comes: Bool) {
        var pull = Pull()
        #expect(pull.announce("a", revision("3-cc"), flags: .deleted, .unknown(ancestors: []))?[0] == .wanted(ancestors: []))
        let later = pull.receive(.changes(.init(entries: [.init(sequence: RemoteSequence(7), documentID: "a", revision: first)])))
        pull.receive(.changes(.init(entries: [.init(sequence: RemoteSequence(8), documentID: "b", revision: first)])))
        #expect(pull.stores.isEmpty)
        if comes {
            let history = RevisionHistory(treeIDs: [revision("3-cc")])
            var message = RevisionMessage(documentID: "a", history: history, sequence: RemoteSequence(1), body: Array("{}".utf8))
            message.isDeleted = true
            pull.receive(.rev(message))
            guard case .insert? = pull.stores.first?.request else {
                Issue.record("the tombstone is not stored")
                return
            }
            #expect(pull.stores.count == 1)
            pull.answer(.inserted([.inserted(isConflict: false)]))
        } else {
            let message = NoRevisionMessage(documentID: "a", revision: revision("3-cc"), sequence: RemoteSequence(1), status: 404)
            pull.receive(.norev(message), noReply: true)
        }
        guard pull.stores.count == 2, case .lookUp(let entries) = pull.stores[0].request else {
            Issue.record("what came after it is not looked at")
            return
        }
        #expect(entries.map(\.documentID) == ["a"])
        pull.answer(.lookups([.unknown(ancestors: [])]))
        #expect(pull.replies[later].flatMap { try? ChangesReply($0) }?[0] == .wanted(ancestors: []))
    }

    /// While the last checkpoint is being saved, the peer may tell of what has changed since it said that this was all.
    @Test(arguments: [true, false]) func whatComesAtTheEndIsStored(_ isStopped: Bool) throws {
        var pull = Pull()
        func bring(_ id: String) throws {
            let reply = pull.announce(id, first, .unknown(ancestors: []))
            #expect(reply?[0] == .wanted(ancestors: []))
        }
        func send(_ id: String) {
            let sequence = RemoteSequence(pull.lastSequence)
            pull.receive(.rev(RevisionMessage(documentID: id, history: history("1-aa"), sequence: sequence, body: Array("{}".utf8))))
            pull.fireTimers()
            guard case .insert? = pull.stores.first?.request else { return }
            pull.answer(.inserted([.inserted(isConflict: false)]))
        }
        func saveCheckpoint() throws {
            let ticket = try #require(pull.requests.last { if case .setCheckpoint = $0.content { true } else { false } }?.ticket)
            pull.handle(.replied(WireReply(properties: ["rev": "0-1"]), ticket))
            pull.answer(.done)
        }
        try bring("a")
        send("a")
        pull.finish()
        try bring("b")
        if isStopped { pull.handle(.stop) }
        try saveCheckpoint()
        #expect(pull.isClosed == isStopped)
        guard !isStopped else { return }
        send("b")
        #expect(!pull.isClosed && pull.saved?.remote == RemoteSequence(4))
        try saveCheckpoint()
        #expect(pull.isClosed)
        #expect(pull.events.map(\.documentID) == ["a", "b"])
    }

    @Test(arguments: [true, false]) func whatTheUserLostGoes(_ purges: Bool) {
        var pull = Pull(purgesLost: purges)
        let reply = pull.announce("a", first, flags: .removed, .unknown(ancestors: []))
        #expect(reply?.items == [] && reply?[0] == .notWanted)
        if purges {
            guard case .purge(let lost)? = pull.stores.first?.request, lost.map(\.documentID) == ["a"] else {
                Issue.record("nothing is purged")
                return
            }
            pull.answer(.done)
        }
        #expect(pull.events.map(\.flags) == [.removed])
        pull.finish()
        #expect(pull.saved?.remote == RemoteSequence(1))
    }

    /// What the app decides may take its time, and the document may come again meanwhile.
    @Test func aConflictIsToldOfOnceWhenItIsSettled() {
        var pull = Pull()
        func bring(_ id: String) {
            _ = pull.announce("a", revision(id), .unknown(ancestors: []))
            var message = RevisionMessage(
                documentID: "a", history: history(id), sequence: RemoteSequence(pull.lastSequence), body: Array("{}".utf8))
            message.isNoReply = true
            pull.receive(.rev(message))
            pull.fireTimers()
            let place = pull.stores.firstIndex { if case .insert = $0.request { true } else { false } }
            pull.answer(.inserted([.inserted(isConflict: true)]), place ?? .max)
        }
        var resolutions: Int { pull.stores.count { if case .resolveConflict = $0.request { true } else { false } } }
        bring("2-aa")
        #expect(resolutions == 1 && pull.events.isEmpty)
        bring("3-aa")
        #expect(resolutions == 1 && pull.events.isEmpty)
        pull.answer(.resolved(isNew: false))
        // The later revision competes with what came of that.
        #expect(resolutions == 1 && pull.events.isEmpty)
        pull.finish()
        #expect(!pull.isClosed)
        pull.answer(.failed(.liteCore(8, "no")))
        #expect(pull.events.map(\.error?.code) == [8] && pull.events[0].revision == revision("3-aa"))
    }

    @Test(arguments: [true, false]) func whatIsBeingSettledIsToldOfAtTheEnd(_ isStopped: Bool) {
        var pull = Pull()
        _ = pull.announce("a", first, .unknown(ancestors: []))
        var message = RevisionMessage(documentID: "a", history: history("1-aa"), sequence: RemoteSequence(1), body: Array("{}".utf8))
        message.isNoReply = true
        pull.receive(.rev(message))
        pull.answer(.inserted([.inserted(isConflict: true)]))
        pull.handle(isStopped ? .stop : .disconnected(nil))
        pull.answer(.resolved(isNew: true))
        #expect(pull.events.map(\.documentID) == ["a"] && pull.events[0].error == nil)
    }

    @Test func aBodyThatSaysRemovedIsARemoval() {
        var pull = Pull()
        _ = pull.announce("a", first, .unknown(ancestors: []))
        var message = RevisionMessage(
            documentID: "a", history: history("1-aa"), sequence: RemoteSequence(1), body: Array(#"{"_removed":true}"#.utf8))
        message.isNoReply = true
        pull.receive(.rev(message))
        pull.answer(.inserted([.removed]))
        guard case .purge(let lost)? = pull.stores.first?.request, lost.map(\.documentID) == ["a"] else {
            Issue.record("nothing is purged")
            return
        }
        pull.answer(.done)
        pull.finish()
        #expect(pull.saved?.remote == RemoteSequence(1))
    }

    @Test func aRevisionThatWillNotComeIsNotWaitedFor() {
        var pull = Pull()
        #expect(pull.announce("a", first, .unknown(ancestors: []))?.items == [.wanted(ancestors: [])])
        pull.finish()
        #expect(pull.saved == nil)
        pull.receive(.norev(.init(documentID: "a", revision: first, sequence: RemoteSequence(1), status: 404)), noReply: true)
        #expect(pull.saved?.remote == RemoteSequence(1))
        #expect(pull.events.isEmpty)
    }

    @Test func aRevisionThatCannotBeSentForTheMomentIsGotLater() {
        var pull = Pull()
        _ = pull.announce("a", first, .unknown(ancestors: []))
        pull.receive(.norev(.init(documentID: "a", revision: first, sequence: RemoteSequence(1), status: 503)), noReply: true)
        pull.finish()
        #expect(pull.events.map(\.isTransient) == [true])
        #expect(pull.saved?.remote == nil)
    }

    /// What may become of a document while a revision of it is on its way.
    enum Successor: CaseIterable {
        case lost, known, wanted
    }

    @Test(arguments: Successor.allCases) func whatIsToldNextOfADocumentWaits(_ successor: Successor) throws {
        var pull = Pull()
        _ = pull.announce("a", first, .unknown(ancestors: []))
        #expect(pull.announce("a", revision("2-bb"), flags: successor == .lost ? .removed : [], .known) == nil)
        let (number, last) = (pull.lastSequence, RemoteSequence(pull.lastSequence))
        #expect(pull.stores.isEmpty)

        pull.receive(.rev(RevisionMessage(documentID: "a", history: history("1-aa"), sequence: RemoteSequence(1), body: Array("{}".utf8))))
        pull.answer(.inserted([.inserted(isConflict: false)]))
        guard case .lookUp(let entries)? = pull.stores.first?.request else {
            Issue.record("the store is not asked")
            return
        }
        #expect(entries.map(\.revision) == [revision("2-bb")])
        pull.answer(.lookups([successor == .wanted ? .unknown(ancestors: [first]) : .known]))
        let reply = try ChangesReply(try #require(pull.replies[number]))
        switch successor {
        case .known: #expect(reply[0] == .notWanted)
        case .wanted:
            #expect(reply[0] == .wanted(ancestors: [first]))
            pull.receive(.norev(.init(documentID: "a", revision: revision("2-bb"), sequence: last, status: 404)), noReply: true)
        case .lost:
            #expect(reply[0] == .notWanted)
            guard case .purge(let lost)? = pull.stores.first?.request, lost.map(\.documentID) == ["a"] else {
                Issue.record("nothing is purged")
                return
            }
            pull.answer(.done)
        }
        pull.finish()
        #expect(pull.saved?.remote == last)
    }

    @Test func ofADocumentThatIsToldOfTwiceTheLastCounts() throws {
        var pull = Pull()
        let number = pull.receive(
            .changes(
                .init(entries: [
                    .init(sequence: RemoteSequence(1), documentID: "a", revision: first),
                    .init(sequence: RemoteSequence(2), documentID: "a", revision: revision("2-bb")),
                ])))
        pull.answer(.lookups([.unknown(ancestors: []), .unknown(ancestors: [])]))
        #expect(try ChangesReply(try #require(pull.replies[number])).items == [.notWanted, .wanted(ancestors: [])])
        pull.receive(.norev(.init(documentID: "a", revision: revision("2-bb"), sequence: RemoteSequence(2), status: 404)), noReply: true)
        pull.finish()
        #expect(pull.saved?.remote == RemoteSequence(2))
    }

    @Test func aReplacementTakesThePlaceOfWhatWasAskedFor() {
        var pull = Pull()
        _ = pull.announce("a", first, .unknown(ancestors: []))
        var message = RevisionMessage(documentID: "a", history: history("2-bb, 1-aa"), sequence: RemoteSequence(1), body: Array("{}".utf8))
        message.replaces = first
        let number = pull.receive(.rev(message))
        #expect(pull.replies[number] == nil)
        pull.fireTimers()
        pull.answer(.inserted([.inserted(isConflict: false)]))
        #expect(pull.replies[number]?.isError == false)
        pull.finish()
        #expect(pull.saved?.remote == RemoteSequence(1))
        #expect(pull.events.map(\.revision) == [revision("2-bb")])
    }

    @Test func blobsComeBeforeTheRevisionIsStored() throws {
        var pull = Pull()
        _ = pull.announce("a", first, .unknown(ancestors: []))
        let body = #"{"p":{"@type":"blob","digest":"\#(MessageTests.digest)"}}"#
        let number = pull.receive(
            .rev(RevisionMessage(documentID: "a", history: history("1-aa"), sequence: RemoteSequence(1), body: Array(body.utf8))))
        let blob = ReceivedBody.Blob(digest: BlobDigest(MessageTests.digest)!, length: nil, isCompressible: false)
        pull.answer(.inserted([.incomplete(DocumentProperties(.emptyDictionary), missing: [blob])]))
        guard case .getAttachment(let message)? = pull.requests.last?.content else {
            Issue.record("no blob is fetched")
            return
        }
        #expect(message.documentID == "a" && pull.stores.isEmpty)
        // It cannot be had for the moment: the next session gets the revision again.
        pull.handle(.fetched(SyncError.http(503), pull.requests.last!.ticket!))
        #expect(pull.replies[number]?.isError == true)
        #expect(pull.events.map(\.isTransient) == [true])
        pull.finish()
        #expect(pull.saved?.remote == nil)
    }

    @Test func aDeltaThatDoesNotFitIsAskedForAsAWhole() {
        var pull = Pull()
        _ = pull.announce("a", revision("2-bb"), .unknown(ancestors: [first]))
        var message = RevisionMessage(documentID: "a", history: history("2-bb, 1-aa"), sequence: RemoteSequence(1), body: Array("{}".utf8))
        message.deltaSource = first
        let number = pull.receive(.rev(message))
        pull.answer(.inserted([.deltaFailed("no base")]))
        #expect(pull.replies[number].map { SyncError($0).code } == 422)
        message.deltaSource = nil
        pull.receive(.rev(message))
        pull.fireTimers()
        pull.answer(.inserted([.inserted(isConflict: false)]))
        pull.finish()
        #expect(pull.saved?.remote == RemoteSequence(1))
    }

    @Test func whatCannotBeStoredIsReportedAndPassed() {
        var pull = Pull()
        _ = pull.announce("a", first, .unknown(ancestors: []))
        _ = pull.announce("b", nil, .unknown(ancestors: []))
        pull.receive(.rev(RevisionMessage(documentID: "a", history: history("1-aa"), sequence: RemoteSequence(1), body: Array("[".utf8))))
        pull.fireTimers()
        pull.answer(.inserted([.failed(SyncError(.blip, 400, "not JSON"))]))
        #expect(pull.events.filter { $0.error != nil }.count == 2)
        pull.finish()
        #expect(pull.saved?.remote == RemoteSequence(2))
    }

    /// No peer could send it, or even say that it does not: BLIP has no word for the first of these IDs.
    @Test(arguments: ["a\0", "", "_a", String(repeating: "a", count: 241)]) func whatCannotBeADocumentIsNotAskedFor(_ id: String) {
        var pull = Pull()
        let reply = pull.announce(id, first, .unknown(ancestors: []))
        #expect(reply != nil && reply?.items == [])
        #expect(pull.events.map { $0.error?.code } == [400])
        pull.finish()
        #expect(pull.saved?.remote == RemoteSequence(1))
    }

    /// The peer is not kept waiting by our disk, but only so far.
    @Test func moreIsAskedForWhileRevisionsAreBeingStored() {
        var limits = FlowLimits()
        (limits.requestedRevisions, limits.incomingRevisions) = (5, 20)
        (limits.insertionThreshold, limits.insertionBatch) = (4, 12)
        var pull = Pull(limits: limits)
        var sent = 0
        func send(_ pull: inout Pull) {
            let revision = RevisionMessage(
                documentID: "d\(sent)", history: history("1-aa"), sequence: RemoteSequence(UInt64(sent)), body: Array("{}".utf8))
            pull.receive(.rev(revision), noReply: true)
            sent += 1
        }
        for number in 0..<50 {
            pull.receive(
                .changes(.init(entries: [.init(sequence: RemoteSequence(UInt64(number)), documentID: "d\(number)", revision: first)])))
        }
        var insertions: [(count: Int, ticket: Ticket)] = []
        // Every announcement is looked up, and every revision comes, but the store has not written any.
        while true {
            if let place = pull.stores.firstIndex(where: { if case .lookUp = $0.request { true } else { false } }) {
                pull.answer(.lookups([.unknown(ancestors: [])]), place)
            } else if sent < pull.replies.count {
                send(&pull)
            } else {
                break
            }
        }
        // Those that were asked for when it became too much come as well.
        #expect(pull.replies.count == limits.incomingRevisions + limits.requestedRevisions - 1)
        #expect(pull.session.isCongested)
        // What gathered during an insertion is inserted together.
        while let (request, ticket) = pull.stores.first, case .insert(let revisions) = request {
            insertions.append((revisions.count, ticket))
            pull.answer(.inserted(revisions.map { _ in .inserted(isConflict: false) }))
        }
        #expect(insertions.map(\.count) == [4, 12, 8])
        #expect(!pull.session.isCongested && !pull.stores.isEmpty, "and the rest is looked up")
    }

    @Test func theLastRevisionsDoNotWaitForCompany() {
        var pull = Pull()
        _ = pull.announce("a", first, .unknown(ancestors: []))
        _ = pull.announce("b", first, .unknown(ancestors: []))
        func inserts(_ pull: Pull) -> Bool { if case .insert? = pull.stores.first?.request { true } else { false } }
        for (id, isLast) in [("a", false), ("b", true)] {
            let message = RevisionMessage(
                documentID: id, history: history("1-aa"), sequence: RemoteSequence(1), body: Array("{}".utf8))
            pull.receive(.rev(message), noReply: true)
            #expect(inserts(pull) == isLast)
        }
    }

    /// A peer that promises much more than it sends is not answered until it has sent that.
    @Test func requestsAreBounded() {
        var pull = Pull()
        for number in 0..<300 {
            pull.receive(
                .changes(.init(entries: [.init(sequence: RemoteSequence(UInt64(number)), documentID: "d\(number)", revision: first)])))
            if !pull.stores.isEmpty { pull.answer(.lookups([.unknown(ancestors: [])])) }
        }
        #expect(pull.replies.count == FlowLimits().requestedRevisions)
        for number in 0..<10 {
            pull.receive(.norev(.init(documentID: "d\(number)", revision: first, sequence: nil, status: 404)), noReply: true)
            while !pull.stores.isEmpty { pull.answer(.lookups([.unknown(ancestors: [])])) }
        }
        #expect(pull.replies.count == FlowLimits().requestedRevisions + 10)
    }
}
