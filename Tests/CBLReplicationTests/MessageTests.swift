import CBLFleece
import CBLStore
import CBLTestSupport
import Testing

@testable import CBLReplication

@Suite struct MessageTests {
    static let digest = "sha1-4g+KpHvrfH9PlL32cWVZJn7Zync="

    static var samples: [SyncRequest] {
        var sub = SubChanges()
        sub.since = RemoteSequence(json: #""14:13""#)
        sub.isContinuous = true
        sub.batch = 200
        sub.activeOnly = true
        sub.wantsRevocations = true
        sub.channels = ["a", "b"]
        sub.filter = SubChanges.channelFilter
        sub.usesVectors = true
        sub.acceptsReplacements = true
        sub.documentIDs = ["x", "ÿ\"\\"]
        sub.filterParameters = ["color": "red"]
        var tree = RevisionMessage(
            documentID: "doc 1", history: history("3-cc, 2-bb, 1-aa"), sequence: RemoteSequence(5), body: Array("{}".utf8))
        tree.isDeleted = true
        tree.forbidsConflict = true
        tree.deltaSource = revision("2-bb")
        tree.replaces = revision("2-bbbb")
        var settled = RevisionMessage(documentID: "e", history: history("2-cc, 1-aa"))
        settled.endedBranch = [revision("3-dd"), revision("2-bb"), revision("1-aa")]
        var vector = RevisionMessage(
            documentID: "v",
            history: history("3@AliceAliceAliceAliceAA, 2@BobBobBobBobBobBobBobA, 1@CarolCarolCarolCarolCA; 1@DaveDaveDaveDaveDaveDA"))
        vector.isNoReply = true
        let past = RevisionMessage(documentID: "w", history: history("3@AliceAliceAliceAliceAA; 1@DaveDaveDaveDaveDaveDA"))
        let legacy = RevisionMessage(documentID: "w", history: history("3@AliceAliceAliceAliceAA; 2-bbbb"))
        let blob = BlobDigest(digest)!
        let contents: [SyncRequest.Content] = [
            .getCheckpoint(GetCheckpoint(client: "cp-1")), .setCheckpoint(SetCheckpoint(client: "cp-1", revision: "0-1", body: [1, 2])),
            .getCollections(
                GetCollections(items: [.init(checkpointID: "cp-1", path: "a.b"), .init(checkpointID: "cp-2", path: "_default")])),
            .subChanges(sub), .subChanges(SubChanges()), .unsubChanges, .changes(ChangesMessage(entries: [])),
            .changes(
                ChangesMessage(entries: [
                    .init(sequence: RemoteSequence(1), documentID: "a", revision: revision("1-aa")),
                    .init(sequence: RemoteSequence(json: #""2:3""#)!, documentID: "é\n", revision: revision("2-bb"), flags: .deleted),
                    .init(sequence: RemoteSequence(9), documentID: "c", revision: revision("3-cc"), flags: [.removed], bodySize: 7),
                    .init(sequence: RemoteSequence(10), documentID: "c", revision: revision("3-cc"), bodySize: 7),
                ])),
            .proposeChanges(
                ProposalMessage(entries: [
                    .init(documentID: "a", revision: revision("1-aa")),
                    .init(documentID: "b", revision: revision("2-aa"), serverRevision: revision("1-aa"), bodySize: 40),
                    .init(documentID: "c", revision: revision("3@AliceAliceAliceAliceAA"), bodySize: 3),
                ])),
            .rev(tree), .rev(settled), .rev(vector), .rev(past), .rev(legacy),
            .norev(
                NoRevisionMessage(documentID: "a", revision: revision("1-aa"), sequence: RemoteSequence(5), status: 404, reason: "gone")),
            .getAttachment(GetAttachment(digest: blob, documentID: "d", compress: true)),
            .proveAttachment(ProveAttachment(digest: blob, nonce: [1, 2, 3])),
        ]
        return contents.map { SyncRequest($0) } + contents.map { SyncRequest($0, collection: 3) }
    }

    @Test func everyRequestReadsBackAsItWas() throws {
        for sample in MessageTests.samples { #expect(try SyncRequest(sample.wire) == sample) }
    }

    @Test func everyReplyReadsBackAsItWas() throws {
        var changes = ChangesReply(items: [
            .wanted(ancestors: []), .notWanted, .wanted(ancestors: [revision("2-bb"), revision("1-aa")]), .refused(status: 409),
        ])
        changes.options.maxHistory = 50
        changes.options.acceptsBlobs = true
        changes.options.acceptsDeltas = true
        changes.options.acceptsReplacements = true
        #expect(try ChangesReply(changes.wire) == changes)
        #expect(String(decoding: ChangesReply(items: [.wanted(ancestors: []), .notWanted]).wire.body, as: UTF8.self) == "[[]]")
        #expect(String(decoding: ChangesReply(items: [.notWanted]).wire.body, as: UTF8.self) == "[]")
        var proposals = ProposalReply(items: [
            .accepted, .known, .conflict(with: nil), .conflict(with: revision("2-bb")), .refused(status: 503),
        ])
        proposals.options.acceptsDeltas = true
        #expect(try ProposalReply(proposals.wire) == proposals)
        let accepted = ProposalReply(items: [.accepted, .accepted])
        #expect(String(decoding: accepted.wire.body, as: UTF8.self) == "[]")
        #expect(try ProposalReply(accepted.wire)[1] == .accepted)
        let collections = CollectionsReply(items: [
            .unknown, .new, .checkpoint(revision: "1-cc", body: Array(#"{"local":3}"#.utf8)),
            .checkpoint(revision: "2-cc", body: Array("{}".utf8)),
        ])
        let read = try CollectionsReply(collections.wire)
        #expect(read.items.prefix(2) == collections.items.prefix(2))
        guard case .checkpoint("1-cc", let body) = read.items[2] else { throw MalformedMessage("no checkpoint") }
        #expect(Checkpoint(json: body) == Checkpoint(completed: SequenceSet(0..<4)))
        guard case .checkpoint("2-cc", _) = read.items[3] else { throw MalformedMessage("no checkpoint") }
        let checkpoint = CheckpointReply(revision: "0-1", body: [1])
        #expect(CheckpointReply(checkpoint.wire) == checkpoint)
        let error = SyncError(.http, 409, "conflict")
        #expect(SyncError(error.reply) == error)
    }

    @Test func whatGatewaysSendIsUnderstood() throws {
        func request(_ profile: String, _ properties: Properties = [:], _ body: String = "") throws -> SyncRequest.Content {
            try SyncRequest(WireRequest(profile: profile, properties: properties, body: Array(body.utf8))).content
        }
        #expect(try request("changes", ["Content-Type": "application/json"], "null") == .changes(ChangesMessage(entries: [])))
        let entries = #"[[11,"doc1","1-aa"],["14:13","doc3","1-cc",5],[22,"doc9","5-ee",4,12,"more"],[23,"x","nonsense",2]]"#
        guard case .changes(let changes) = try request("changes", [:], entries) else { throw MalformedMessage("no changes") }
        #expect(changes.entries.map(\.sequence.json) == ["11", #""14:13""#, "22", "23"])
        #expect(changes.entries.map(\.flags.losesAccess) == [false, false, true, true])
        #expect(changes.entries.map(\.flags.isDeletion) == [false, true, false, false])
        #expect(changes.entries[3].revision == nil)
        guard
            case .rev(let rev) = try request(
                "rev", ["id": "d", "rev": "3-cc", "history": "2-bb, 1-aa", "sequence": #""1:2""#, "deleted": "1"], "{}")
        else { throw MalformedMessage("no rev") }
        #expect(rev.history.treeIDs.map(\.text) == ["3-cc", "2-bb", "1-aa"])
        #expect(rev.isDeleted)
        let reply = WireReply(body: Array(#"[{"_rev":"0-1","local":89,"time":1795198942},null,{}]"#.utf8))
        let read = try CollectionsReply(reply)
        guard case .checkpoint("0-1", _) = read.items[0] else { throw MalformedMessage("no checkpoint") }
        #expect(read.items[1...] == [.unknown, .new])
        #expect(
            try ProposalReply(WireReply(body: Array(#"[409,{"status":409,"rev":"2-ab"},304]"#.utf8))).items == [
                .conflict(with: nil), .conflict(with: revision("2-ab")), .known,
            ])
        #expect(try ProposalReply(WireReply(body: Array("null".utf8))).items.isEmpty)
    }

    @Test func whatIsMissingIsAnError() {
        let bad: [WireRequest] = [
            WireRequest(profile: "getCheckpoint"), WireRequest(profile: "rev", properties: ["id": "a"]),
            WireRequest(profile: "rev", properties: ["id": "", "rev": "1-aa"]),
            WireRequest(profile: "rev", properties: ["id": "a", "rev": "1"]),
            WireRequest(profile: "rev", properties: ["id": String(repeating: "x", count: 256), "rev": "1-aa"]),
            WireRequest(profile: "getAttachment", properties: ["digest": "sha1-../../etc/passwd"]),
            WireRequest(profile: "proveAttachment", properties: ["digest": MessageTests.digest]),
            WireRequest(profile: "changes", body: Array("[[1,2,3]]".utf8)), WireRequest(profile: "changes", body: Array("{}".utf8)),
            WireRequest(profile: "changes", properties: ["collection": "-1"]),
            WireRequest(profile: "getCollections", body: Array(#"{"checkpoint_ids":["a"],"collections":["x","y"]}"#.utf8)),
            WireRequest(profile: "getCollections", body: Array(#"{"checkpoint_ids":["a","b"],"collections":["x","x"]}"#.utf8)),
            WireRequest(profile: "subChanges", properties: ["since": "{"]), WireRequest(profile: "subChanges", properties: ["batch": "0"]),
        ]
        for wire in bad { #expect(throws: MalformedMessage.self) { try SyncRequest(wire) } }
    }

    /// Truncated, flipped and mixed-up messages are read or refused; what is read can be written and read again.
    @Test func hostileMessages() throws {
        var random = SeededRandom(99)
        var count = 0
        func check(_ wire: WireRequest) {
            guard let read = try? SyncRequest(wire) else { return }
            count += 1
            #expect((try? SyncRequest(read.wire)) != nil || read.wire.profile == "changes" || read.wire.profile == "proposeChanges")
        }
        for sample in MessageTests.samples {
            let wire = sample.wire
            for length in 0..<wire.body.count {
                var cut = wire
                cut.body = Array(wire.body[..<length])
                check(cut)
            }
            for bit in 0..<wire.body.count * 8 {
                var flipped = wire
                flipped.body[bit / 8] ^= 1 << UInt8(bit % 8)
                check(flipped)
                var reply = WireReply(body: flipped.body)
                reply.properties = flipped.properties
                _ = try? ChangesReply(reply)
                _ = try? ProposalReply(reply)
                _ = try? CollectionsReply(reply)
            }
            for (place, item) in wire.properties.items.enumerated() {
                let bytes = Array(item.value.utf8)
                for _ in 0..<40 {
                    var value = bytes
                    if value.isEmpty || random.below(4) == 0 {
                        value.insert(UInt8(random.below(256)), at: random.below(value.count + 1))
                    } else {
                        value[random.below(value.count)] = UInt8(random.below(256))
                    }
                    var items = wire.properties.items.map { ($0.name, $0.value) }
                    items[place].1 = String(decoding: value, as: UTF8.self)
                    var changed = wire
                    changed.properties = Properties(items)
                    check(changed)
                }
            }
        }
        #expect(count > 100)
    }

    @Test func theProofOfPossessionIsTheExamples() {
        var proof = PossessionProof(nonce: Array(1...20))
        let line = "The quick brown fox jumps over the lazy dog. "
        Array((line + line).utf8).withUnsafeBytes { proof.update($0) }
        #expect(proof.finish() == "sha1-1p40oOyTPo2Cv2ByHY8puSJkOA4=")
    }

    @Test func protocolsAreOfferedAndChosen() {
        func offers(_ vectors: Bool, _ push: Bool, _ pull: Bool, _ isDefault: Bool = false) -> [Int] {
            ReplicationProtocol.offers(usesVectors: vectors, pushes: push, pulls: pull, onlyDefaultCollection: isDefault).map(\.rawValue)
        }
        #expect(offers(true, true, true) == [4])
        #expect(offers(true, false, true) == [4, 3])
        #expect(offers(false, true, true) == [3])
        #expect(offers(false, true, false) == [3, 4])
        #expect(offers(false, true, true, true) == [3, 2])
        #expect(ReplicationProtocol.choice(from: ["x", "BLIP_3+CBMobile_3", "BLIP_3+CBMobile_2"], supported: [.v2, .v3]) == .v3)
        #expect(ReplicationProtocol.choice(from: ["BLIP_3+CBMobile_4"], supported: [.v2, .v3]) == nil)
    }
}
