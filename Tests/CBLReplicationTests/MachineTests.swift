import CBLStore
import Testing

@testable import CBLReplication

/// Single machines, event by event: cases that the simulation found or does not reach.
@Suite struct MachineTests {
    private func session(push: ActiveSession.Mode = .once, pull: ActiveSession.Mode = .off) -> ActiveSession {
        ActiveSession(.init(collections: [.init(checkpointID: "cp-1", push: push, pull: pull)]))
    }

    private func requests(_ actions: [Action]) -> [(SyncRequest.Content, Ticket?)] {
        actions.compactMap { if case .request(let request, let ticket) = $0 { (request.content, ticket) } else { nil } }
    }

    private func stores(_ actions: [Action]) -> [(StoreRequest, Ticket)] {
        actions.compactMap { if case .store(let request, let ticket) = $0 { (request, ticket) } else { nil } }
    }

    private func proposals(_ actions: [Action]) -> ([ProposalMessage.Entry], Ticket)? {
        for (content, ticket) in requests(actions) {
            if case .proposeChanges(let message) = content, let ticket { return (message.entries, ticket) }
        }
        return nil
    }

    /// A pusher whose changes were read, up to the proposal.
    private func opened(
        _ session: inout ActiveSession, checkpoint: String? = nil, peer: String? = nil, changes: [LocalChange]
    ) throws -> [Action] {
        let load = try #require(stores(session.start()).first)
        _ = session.handle(.stored(.checkpoint(id: "cp-1", body: checkpoint.map { Array($0.utf8) }), load.1), time: 0)
        var actions = session.handle(.connected(.v3), time: 0)
        if let peer {
            let ask = try #require(requests(actions).first?.1)
            actions = session.handle(.replied(CheckpointReply(revision: "0-1", body: Array(peer.utf8)).wire, ask), time: 0)
        }
        let read = try #require(stores(actions).first { if case .readChanges = $0.0 { true } else { false } })
        let last = changes.last?.sequence ?? 0
        return session.handle(.stored(.changes(LocalChanges(changes: changes, last: last, isComplete: true)), read.1), time: 0)
    }

    /// A peer may have deleted the document since it got the revision; an offer without a parent would bring it back to life.
    @Test func aMarkThatCannotBeBelievedIsNamedAllTheSame() throws {
        var pusher = session()
        let change = LocalChange(sequence: 5, documentID: "a", revision: revision("1-aa"), remoteRevision: revision("1-aa"))
        let actions = try opened(&pusher, checkpoint: #"{"local":9}"#, peer: #"{"local":3}"#, changes: [change])
        #expect(try #require(proposals(actions)).0.first?.serverRevision == revision("1-aa"))
    }

    /// A gateway takes a version whose parent it has, even if it has the version too: everything would be sent once more.
    @Test func aVersionIsNotItsOwnParent() throws {
        var pusher = session()
        let (current, older) = (revision("18c0d1d110b40000@ZegpoldZegpoldZegpoldA"), revision("18c0d1d110a40000@ZegpoldZegpoldZegpoldA"))
        let changes = [
            LocalChange(sequence: 5, documentID: "a", revision: current, remoteRevision: current),
            LocalChange(sequence: 6, documentID: "b", revision: current, remoteRevision: older),
        ]
        let actions = try opened(&pusher, checkpoint: #"{"local":9}"#, peer: #"{"local":3}"#, changes: changes)
        #expect(try #require(proposals(actions)).0.map(\.serverRevision) == [nil, older])
    }

    /// A gateway whose default collection is not there says so to every message. None of the documents can help it.
    @Test func aRefusalOfAWholeProposalIsNoErrorOfDocuments() throws {
        var pusher = session()
        let changes = (1...3).map { LocalChange(sequence: UInt64($0), documentID: "doc-\($0)", revision: revision("1-aa")) }
        let proposal = try #require(proposals(try opened(&pusher, changes: changes)))
        let actions = pusher.handle(.replied(SyncError.http(400, "no default collection").reply, proposal.1), time: 0)
        #expect(!actions.contains { if case .report(.document) = $0 { true } else { false } })
        #expect(actions.contains { if case .close(let error?) = $0 { error.message.contains("no default collection") } else { false } })
    }

    /// A peer that loses what it was given loses its copy of the checkpoint as well. Marks that nobody's checkpoint vouches for would keep the
    /// documents from being offered again.
    @Test func whatThePeerHasIsNotedWhenItHasTheCheckpoint() throws {
        var pusher = session()
        let change = LocalChange(sequence: 1, documentID: "a", revision: revision("1-aa"))
        var actions = try opened(&pusher, checkpoint: "{}", peer: "{}", changes: [change])
        actions = pusher.handle(.replied(ProposalReply().wire, try #require(proposals(actions)).1), time: 0)
        let load = try #require(stores(actions).first?.1)
        let message = RevisionMessage(documentID: "a", history: history("1-aa"), body: Array("{}".utf8))
        actions = pusher.handle(.stored(.revisions([.loaded(message)]), load), time: 0)
        let sent = try #require(requests(actions).first?.1)
        actions = pusher.handle(.replied(WireReply.empty, sent), time: 0)
        #expect(stores(actions).isEmpty)
        guard case .setCheckpoint? = requests(actions).first?.0, let setting = requests(actions).first?.1 else {
            throw MalformedMessage("no checkpoint")
        }
        let last = stores(pusher.handle(.replied(WireReply(properties: ["rev": "0-2"]), setting), time: 0)).map(\.0)
        guard last.count == 2, case .mark(let marks) = last[0], case .saveCheckpoint = last[1] else { throw MalformedMessage("\(last)") }
        #expect(marks == [RemoteMark(documentID: "a", revision: revision("1-aa"))])
    }

    /// The pull may have stored what is in the way before the refusal comes, and the session may end before there is anything new to push: both
    /// sides deleted the document, or the peer's side won.
    @Test(arguments: [true, false]) func aConflictThatThePullHasBroughtIsNoErrorOfThePush(_ isHere: Bool) throws {
        var both = session(push: .once, pull: .once)
        let change = LocalChange(sequence: 1, documentID: "a", revision: revision("2-bb"), remoteRevision: revision("1-aa"))
        let load = try #require(stores(both.start()).first)
        _ = both.handle(.stored(.checkpoint(id: "cp-1", body: Array("{}".utf8)), load.1), time: 0)
        let ask = try #require(requests(both.handle(.connected(.v3), time: 0)).first?.1)
        var actions = both.handle(.replied(CheckpointReply(revision: "0-1", body: Array("{}".utf8)).wire, ask), time: 0)
        var events: [DocumentEvent] = []
        func handle(_ event: Event) {
            actions = both.handle(event, time: 0)
            events += actions.compactMap { if case .report(.document(let event)) = $0 { event } else { nil } }
        }
        let subscription = try #require(requests(actions).first { if case .subChanges = $0.0 { true } else { false } }?.1)
        let (search, read) = (try #require(stores(actions).first).1, try #require(stores(actions).last).1)
        handle(.replied(WireReply.empty, subscription))
        handle(.stored(.documents([]), search))
        handle(.stored(.changes(LocalChanges(changes: [change], last: 1, isComplete: true)), read))
        let proposal = try #require(proposals(actions))
        handle(.replied(ProposalReply(items: [.conflict(with: revision("2-cc"))]).wire, proposal.1))
        let inspection = try #require(stores(actions).last { if case .inspect = $0.0 { true } else { false } })
        let state = DocumentState(
            current: revision("2-bb"), remoteRevision: revision(isHere ? "2-cc" : "1-aa"), isConflicted: isHere, descendsFromPeer: false)
        handle(.stored(.state(state), inspection.1))
        handle(.received(SyncRequest(.changes(.init(entries: []))).wire, nil))
        #expect(events.map(\.error?.code) == (isHere ? [] : [409]))
        #expect(requests(actions).contains { if case .setCheckpoint = $0.0 { true } else { false } })
    }

    /// Gateways before 3 say no more than 409. If the answer to an earlier push was lost, what is in the way is that, and its successor would be
    /// refused for ever.
    @Test(arguments: [true, false]) func whoIsNotToldWhatIsInTheWaySendsTheHistory(_ descends: Bool) throws {
        var pusher = session()
        let change = LocalChange(sequence: 2, documentID: "a", revision: revision("2-bb"), remoteRevision: nil)
        var actions = try opened(&pusher, checkpoint: "{}", peer: "{}", changes: [change])
        var events: [DocumentEvent] = []
        func handle(_ event: Event) {
            actions = pusher.handle(event, time: 0)
            events += actions.compactMap { if case .report(.document(let event)) = $0 { event } else { nil } }
        }
        func inspect() throws {
            let inspection = try #require(stores(actions).last { if case .inspect = $0.0 { true } else { false } })
            let state = DocumentState(current: revision("2-bb"), remoteRevision: nil, isConflicted: false, descendsFromPeer: false)
            handle(.stored(.state(state), inspection.1))
        }
        handle(.replied(ProposalReply(items: [.conflict(with: nil)]).wire, try #require(proposals(actions)).1))
        try inspect()
        let load = try #require(stores(actions).first)
        guard case .loadRevisions(let orders, _) = load.0 else { throw MalformedMessage("nothing is loaded") }
        #expect(orders.map(\.ancestors) == [[]])
        let message = RevisionMessage(documentID: "a", history: history("2-bb, 1-aa"), body: Array("{}".utf8))
        handle(.stored(.revisions([.loaded(message)]), load.1))
        let sent = try #require(requests(actions).first?.1)
        handle(.replied(descends ? WireReply.empty : SyncError.http(409).reply, sent))
        if !descends { try inspect() }
        #expect(events.map(\.error?.code) == [descends ? nil : 409])
        #expect(!stores(actions).contains { if case .loadRevisions = $0.0 { true } else { false } })
        #expect(requests(actions).contains { if case .setCheckpoint = $0.0 { true } else { false } })
    }

    @Test func whatThePeerHasIsNotOffered() throws {
        var pusher = session()
        let change = LocalChange(sequence: 5, documentID: "a", revision: revision("1-aa"), remoteRevision: revision("1-aa"))
        let actions = try opened(&pusher, checkpoint: #"{"local":3}"#, peer: #"{"local":3}"#, changes: [change])
        #expect(proposals(actions) == nil)
    }

    /// While a revision is on its way, the next one of its document waits, and then it goes.
    @Test func whatChangesWhileItIsPushedIsPushedAgain() throws {
        var pusher = session(push: .continuous)
        let first = LocalChange(sequence: 1, documentID: "a", revision: revision("1-aa"))
        let proposal = try #require(proposals(try opened(&pusher, changes: [first])))
        let next = LocalChange(sequence: 2, documentID: "a", revision: revision("2-bb"))
        let load = try #require(stores(pusher.handle(.replied(ProposalReply().wire, proposal.1), time: 0)).first)
        let message = RevisionMessage(documentID: "a", history: history("1-aa"), body: Array("{}".utf8))
        let sent = try #require(requests(pusher.handle(.stored(.revisions([.loaded(message)]), load.1), time: 0)).first?.1)
        let read = try #require(stores(pusher.handle(.databaseChanged(collection: 0), time: 0)).first)
        let changes = LocalChanges(changes: [next], last: 2, isComplete: true)
        #expect(proposals(pusher.handle(.stored(.changes(changes), read.1), time: 0)) == nil)
        let actions = pusher.handle(.replied(WireReply.empty, sent), time: 0)
        let entry = try #require(proposals(actions)?.0.first)
        #expect(entry.revision == revision("2-bb") && entry.serverRevision == revision("1-aa"))
    }

    /// What came from the peer on top of a revision that it acknowledged is newer than that.
    @Test func whatCameOnTopOfWhatWasPushedIsNotOffered() throws {
        var both = session(push: .continuous, pull: .continuous)
        let pushed = LocalChange(sequence: 1, documentID: "a", revision: revision("1-aa"))
        let proposal = try #require(proposals(try opened(&both, changes: [pushed])))
        _ = both.handle(.replied(ProposalReply(items: [.known]).wire, proposal.1), time: 0)
        let message = RevisionMessage(documentID: "a", history: history("2-bb, 1-aa"), sequence: RemoteSequence(7), body: Array("{}".utf8))
        let insertion = try #require(
            stores(both.handle(.received(SyncRequest(.rev(message)).wire, nil), time: 0)).first {
                if case .insert = $0.0 { true } else { false }
            })
        _ = both.handle(.stored(.inserted([.inserted(isConflict: false)]), insertion.1), time: 0)
        let pulled = LocalChange(sequence: 2, documentID: "a", revision: revision("2-bb"), remoteRevision: revision("2-bb"))
        let read = try #require(stores(both.handle(.databaseChanged(collection: 0), time: 0)).first)
        let changes = LocalChanges(changes: [pulled], last: 2, isComplete: true)
        #expect(proposals(both.handle(.stored(.changes(changes), read.1), time: 0)) == nil)
    }

    /// What was pushed was changed there and came back, over another connection or before the acknowledgement: the document says so.
    @Test func whatTheDocumentSaysThePeerHasIsNotOffered() throws {
        var pusher = session(push: .continuous)
        let pushed = LocalChange(sequence: 1, documentID: "a", revision: revision("1-aa"))
        let proposal = try #require(proposals(try opened(&pusher, changes: [pushed])))
        _ = pusher.handle(.replied(ProposalReply(items: [.known]).wire, proposal.1), time: 0)
        let pulled = LocalChange(sequence: 2, documentID: "a", revision: revision("2-bb"), remoteRevision: revision("2-bb"))
        let read = try #require(stores(pusher.handle(.databaseChanged(collection: 0), time: 0)).first)
        let changes = LocalChanges(changes: [pulled], last: 2, isComplete: true)
        #expect(proposals(pusher.handle(.stored(.changes(changes), read.1), time: 0)) == nil)
        // What is made of it names it as the parent.
        let made = LocalChange(sequence: 3, documentID: "a", revision: revision("3-cc"), remoteRevision: revision("2-bb"))
        let again = try #require(stores(pusher.handle(.databaseChanged(collection: 0), time: 0)).first)
        let actions = pusher.handle(.stored(.changes(LocalChanges(changes: [made], last: 3, isComplete: true)), again.1), time: 0)
        #expect(try #require(proposals(actions)?.0.first).serverRevision == revision("2-bb"))
    }

    @Test func aDeltaThatDoesNotFitIsFollowedByTheWholeBody() throws {
        var pusher = session()
        let change = LocalChange(sequence: 1, documentID: "a", revision: revision("2-bb"), bodySize: 500, remoteRevision: revision("1-aa"))
        var actions = try opened(&pusher, changes: [change])
        let proposal = try #require(proposals(actions))
        var answer = ProposalReply()
        answer.options.acceptsDeltas = true
        actions = pusher.handle(.replied(answer.wire, proposal.1), time: 0)
        let load = try #require(stores(actions).first)
        guard case .loadRevisions(let orders, let options) = load.0 else { throw MalformedMessage("nothing is loaded") }
        #expect(options.acceptsDeltas && orders[0].allowsDelta && orders[0].ancestors == [revision("1-aa")])
        var message = RevisionMessage(documentID: "a", history: history("2-bb, 1-aa"), body: Array("{}".utf8))
        message.deltaSource = revision("1-aa")
        actions = pusher.handle(.stored(.revisions([.loaded(message)]), load.1), time: 0)
        let sent = try #require(requests(actions).first)
        actions = pusher.handle(.replied(SyncError.http(422).reply, sent.1!), time: 0)
        guard case .loadRevisions(let again, _)? = stores(actions).first?.0 else { throw MalformedMessage("nothing is loaded") }
        #expect(again.count == 1 && !again[0].allowsDelta)
    }

    @Test func aForbiddenRevisionIsTriedOnceMoreAndReported() throws {
        var pusher = session()
        let change = LocalChange(sequence: 1, documentID: "a", revision: revision("1-aa"))
        var actions = try opened(&pusher, checkpoint: "{}", peer: "{}", changes: [change])
        var errors: [DocumentEvent] = []
        for _ in 0..<2 {
            let proposal = try #require(proposals(actions))
            actions = pusher.handle(.replied(ProposalReply(items: [.refused(status: 403)]).wire, proposal.1), time: 0)
            errors += actions.compactMap { if case .report(.document(let event)) = $0 { event } else { nil } }
        }
        #expect(proposals(actions) == nil)
        #expect(errors.count == 1 && errors[0].error?.isForbidden == true)
        let setting = try #require(requests(actions).first?.1)
        actions = pusher.handle(.replied(WireReply(properties: ["rev": "0-2"]), setting), time: 0)
        let marks = stores(actions).compactMap { if case .mark(let marks) = $0.0 { marks } else { nil } }.joined()
        #expect(marks.contains { $0.isRejected })
    }

    @Test func whatFailsForTheMomentStaysOpen() throws {
        var pusher = session()
        let changes = [
            LocalChange(sequence: 1, documentID: "a", revision: revision("1-aa")),
            LocalChange(sequence: 2, documentID: "b", revision: revision("1-bb")),
        ]
        var actions = try opened(&pusher, changes: changes)
        // The peer's answer to the first question had not come yet.
        let proposal = try #require(proposals(actions))
        actions = pusher.handle(.replied(ProposalReply(items: [.refused(status: 503), .known]).wire, proposal.1), time: 0)
        let event = try #require(actions.compactMap { if case .report(.document(let event)) = $0 { event } else { nil } }.first)
        #expect(event.documentID == "a" && event.isTransient)
        #expect(!pusher.isClosed)
    }

    @Test func whoIsStoppedProposesAndSendsNothingMore() throws {
        var pusher = session()
        let changes = (1...450).map { LocalChange(sequence: $0, documentID: "doc-\($0)", revision: revision("1-aa")) }
        let actions = try opened(&pusher, changes: changes)
        let proposal = try #require(proposals(actions))
        let stopped = pusher.handle(.stop, time: 0)
        #expect(proposals(stopped) == nil)
        let after = pusher.handle(.replied(ProposalReply().wire, proposal.1), time: 0)
        #expect(proposals(after) == nil)
        #expect(!stores(after).contains { if case .loadRevisions = $0.0 { true } else { false } })
    }

    /// Two copies of the checkpoint that agree let the next session believe what documents say of the peer, which has forgotten some of it.
    @Test func whatAPeerForgotIsOfferedBeforeAnythingIsSaved() throws {
        func run(answer: ProposalReply.Item?) throws -> [Action] {
            var pusher = session(push: .continuous)
            let change = LocalChange(sequence: 5, documentID: "a", revision: revision("1-aa"), remoteRevision: revision("1-aa"))
            var actions = try opened(&pusher, checkpoint: #"{"local":9}"#, peer: #"{"local":3}"#, changes: [change])
            let proposal = try #require(proposals(actions))
            if let answer {
                let after = pusher.handle(.replied(ProposalReply(items: [answer]).wire, proposal.1), time: 0)
                actions += after
                for mark in stores(after) { actions += pusher.handle(.stored(.done, mark.1), time: 0) }
            }
            return actions + pusher.handle(.stop, time: 0)
        }
        func saves(_ actions: [Action]) -> Bool {
            requests(actions).contains { if case .setCheckpoint = $0.0 { true } else { false } }
        }
        let cutShort = try run(answer: nil)
        #expect(!saves(cutShort))
        #expect(cutShort.contains { if case .close(nil) = $0 { true } else { false } })
        #expect(saves(try run(answer: .known)))
        // What it could not take just now is still forgotten.
        #expect(!saves(try run(answer: .refused(status: 503))))
    }

    /// An expired or foreign checkpoint on the peer does not keep ours from being saved.
    @Test func aRefusedCheckpointIsSavedAllTheSame() throws {
        var machine = Checkpointer(
            SessionPort(collection: 0, wire: nil, machine: .checkpointer), id: "cp", isReset: false, limits: FlowLimits())
        machine.agree(revision: "0-7", with: nil)
        var outbox = Outbox()
        machine.localDone(1, &outbox)
        outbox = Outbox()
        machine.save(time: 1, &outbox)
        func ticket() throws -> Ticket { try #require(requests(outbox.actions).last?.1) }
        var last = try ticket()
        outbox = Outbox()
        machine.replied(SyncError.http(409).reply, last.number, time: 1, &outbox)
        guard case .getCheckpoint? = requests(outbox.actions).first?.0 else { throw MalformedMessage("the revision is not asked for") }
        last = try ticket()
        outbox = Outbox()
        machine.replied(SyncError.http(404).reply, last.number, time: 1, &outbox)
        guard case .setCheckpoint(let message)? = requests(outbox.actions).first?.0 else { throw MalformedMessage("nothing is saved") }
        #expect(message.revision.isEmpty)
        last = try ticket()
        outbox = Outbox()
        machine.replied(WireReply(properties: ["rev": "0-1"]), last.number, time: 1, &outbox)
        guard case .saveCheckpoint? = stores(outbox.actions).first?.0 else { throw MalformedMessage("the own copy is not saved") }
    }

    @Test func thePlaceToGoOnIsBeforeWhatIsMissing() {
        var sequences = AnnouncedSequences(since: nil)
        let places = (1...1000).map { sequences.announce(RemoteSequence(UInt64($0))) }
        #expect(sequences.finish(places[1]) == false && sequences.reached == nil)
        #expect(sequences.finish(places[0]) && sequences.reached == RemoteSequence(2))
        for place in places[2...].reversed() where place != places[500] { _ = sequences.finish(place) }
        #expect(sequences.reached == RemoteSequence(500))
        #expect(sequences.finish(places[500]) && sequences.reached == RemoteSequence(1000))
    }

    /// A peer that sends what it likes gets an answer to each request, and nothing breaks.
    @Test func hostilePeers() throws {
        var random = TestRandom(3)
        for _ in 0..<60 {
            var active = session(push: .continuous, pull: .continuous)
            let load = try #require(stores(active.start()).first)
            _ = active.handle(.stored(.checkpoint(id: "cp-1", body: nil), load.1), time: 0)
            _ = active.handle(.connected(.v3), time: 0)
            var passive = PassiveSession(.init())
            for number in 0..<60 {
                var wire = random.element(of: MessageTests.samples).wire
                if !wire.body.isEmpty, random.below(2) == 0 { wire.body[random.below(wire.body.count)] = UInt8(random.below(256)) }
                let id = IncomingID(UInt64(number))
                for actions in [active.handle(.received(wire, id), time: 0), passive.handle(.received(wire, id), time: 0)] {
                    let answers = actions.filter {
                        switch $0 {
                        case .reply(_, let to), .sendBlob(_, let to), .proveBlob(_, let to): to == id
                        default: false
                        }
                    }
                    #expect(answers.count <= 1)
                    #expect(
                        !answers.isEmpty || !stores(actions).isEmpty
                            || actions.contains { if case .startTimer = $0 { true } else { false } } || wire.profile == "rev"
                            || wire.profile == "changes")
                }
            }
        }
    }
}
