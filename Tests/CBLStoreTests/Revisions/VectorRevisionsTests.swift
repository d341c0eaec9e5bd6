import CBLFleece
import CBLTestSupport
import Testing

@testable import CBLStore

/// The documents of `vectors_4.1`, read, written, and made again from nothing.
@Suite struct VectorRevisionsTests {
    @Test(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"))
    func everyRecordOfTheFixturesIsWrittenAsItWasRead() throws {
        for fixture in ["v4.x/vectors_4.1.cblite2", "v4.x/upgraded_2.7_to_vectors.cblite2"] {
            for record in try StoredRecord.all(in: fixture) where record.version.first == 0 {
                var record = record
                // This flag says what item 1 would say.
                if record.flags & 8 != 0 { record.flags &= ~8 }
                let outcome = try record.vectorRevisions().prepareSave()
                #expect(outcome.version == record.version)
                #expect(outcome.body.map { hex($0) } == record.body.map(hex), "\(record.id)")
                #expect(UInt64(outcome.flags.rawValue) == record.flags & 0xFFFF, "\(record.id)")
                #expect(!outcome.needsNewSequence)
                // The vendor's writer points from remote properties to equal parts of the current ones; ours writes them out.
                if record.id != "legacy" { #expect(outcome.extra.map(hex) == record.extra.map(hex), "\(record.id)") }
            }
        }
    }

    @Test(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"))
    func aDocumentWithALegacyParentIsReadBackAfterWriting() throws {
        var record = try #require(try StoredRecord.all(in: "v4.x/vectors_4.1.cblite2").first { $0.id == "legacy" })
        let revisions = try record.vectorRevisions()
        #expect(revisions.legacyParent?.text == "3-abcd012345")
        #expect(revisions.history.description == "18e9d1d110c00000@*; 3-abcd012345")
        #expect(revisions.latest(onRemote: 1)?.properties.map { hex($0.bytes) } == "42727400" + "7001001b8004" + "8003")
        record.extra = try revisions.prepareSave().extra
        let again = try record.vectorRevisions()
        #expect(again.legacyParent == revisions.legacyParent)
        #expect(again.latest(onRemote: 1)?.version == revisions.latest(onRemote: 1)?.version)
        #expect(try again.prepareSave().extra == record.extra)
    }

    private let remote = "1889a6b0c0de0000@ZegpoldZegpoldZegpoldA"

    @Test(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"))
    func aPulledDocumentIsKeptForItsRemote() throws {
        let records = try vectors()
        var document = VectorDocument()
        #expect(try document.pull(remote, hex(try #require(records["pulled"]?.body))) == .current)
        try document.expect(records["pulled"])
    }

    private func conflicted(localTime: UInt64) throws -> VectorDocument {
        var document = VectorDocument(wallClock: localTime & ~0xFFFF)
        // As many versions before as make the counter right.
        for _ in 0...(localTime & 0xFFFF) {
            _ = try document.edit("456c6f63616c 7001 001c 8005 8003", after: document.revisions.current?.id)
        }
        #expect(try document.pull(remote, "4672656d6f746500 7001 001c 8006 8003") == .conflict)
        return document
    }

    @Test(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"))
    func conflictsAreKeptAndResolved() throws {
        let records = try vectors()
        try conflicted(localTime: 0x18e9_d1d1_10bf_0000).expect(records["conflicted"])

        var document = try conflicted(localTime: 0x18e9_d1d1_10c0_0001)
        var (mine, theirs) = (try #require(document.revisions.current?.id), try RevisionID(parsing: remote))
        try document.resolve(winner: theirs, loser: mine, "466d6572676564007001001c80068003")
        try document.expect(records["merge"])

        document = try conflicted(localTime: 0x18e9_d1d1_10c1_0001)
        mine = try #require(document.revisions.current?.id)
        try document.resolve(winner: mine, loser: theirs)
        try document.expect(records["localwins"])
        // The vendor's record got a new one too: that the winner knows of the loser is news.
        #expect(document.outcome?.needsNewSequence == true)

        document = try conflicted(localTime: 0x18e9_d1d1_10c1_0002)
        mine = try #require(document.revisions.current?.id)
        // Merged properties that are the winner's are no merge.
        try document.resolve(winner: theirs, loser: mine, "4672656d6f746500 7001 001c 8006 8003")
        try document.expect(records["remotewins"])
        theirs = try RevisionID(parsing: remote)
        #expect(document.revisions.current?.id == theirs)
    }

    @Test(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"))
    func aPushIsNotedInAFlagOrInTheRecord() throws {
        let records = try vectors()
        var document = VectorDocument(wallClock: 0x18e9_d1d1_10c0_0000)
        for _ in 0...4 { _ = try document.edit("7001001500018003", after: document.revisions.current?.id) }
        #expect(try document.revisions.markPushed(try #require(document.revisions.current?.id), toRemote: 1) == .flag)
        _ = try document.edit("7001001500028003", after: document.revisions.current?.id)
        try document.expect(records["synced2"])

        document = VectorDocument(wallClock: 0x18e9_d1d1_10c1_0000)
        let id = try document.edit("7001001500018003", after: nil)
        #expect(try document.revisions.markPushed(id, toRemote: 2) == .record)
        #expect(try document.save().needsNewSequence == false)
        try document.expect(records["synced3"])
        #expect(throws: RevisionError.notFound) { try document.revisions.markPushed(RevisionID(parsing: "1@*"), toRemote: 2) }
    }

    @Test(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"))
    func aTreeIsImportedWhenItIsEdited() throws {
        let before = try StoredRecord.all(in: "v2.x/upgrade_2.7.cblite2")
        let after = try StoredRecord.all(in: "v4.x/upgraded_2.7_to_vectors.cblite2")
        let old = try #require(before.first { $0.id == "doc-001" })
        let new = try #require(after.first { $0.id == "doc-001" })
        var document = VectorDocument(wallClock: try VersionVector(binary: new.version).current?.time ?? 0)
        document.revisions = try old.vectorRevisions()
        #expect(document.revisions.history.description == "1-abcd")
        _ = try document.edit(hex(new.body ?? []), after: try RevisionID(parsing: "1-abcd"))
        try document.expect(new)
        #expect(document.outcome?.extra.map(hex) == "00000000" + "5301abcd" + "7002412ec00a417e8006" + "60018006" + "8002")
    }

    @Test func whatRemotesHaveOfATreeComesAlong() throws {
        let tree = try RevisionTree(
            extra: bytes(RevisionTreeReadingTests.examples[2]), body: bytes("456c6f63616c7001001c80058003"), sequence: 78)
        var revisions = VectorRevisions(importing: tree)
        #expect(revisions.history.treeIDs.map(\.generation) == [2, 1])
        #expect(revisions.conflicts.map(\.id?.text) == ["2-ffff0000"])
        let outcome = try revisions.prepareSave()
        #expect(!outcome.needsNewSequence)
        #expect(outcome.flags == .conflicted)
        revisions = try VectorDocument.read(outcome)
        #expect(revisions.current?.version.treeID?.text == "2-996336411d0ad50271b2668ea20fa6f5d02ee085")
        #expect(revisions.latest(onRemote: 1)?.properties.map { hex($0.bytes) } == "4672656d6f7465007001001c80068003")
        #expect(revisions.latest(onRemote: 1)?.isConflicted == true)
    }

    // What becomes of a conflict when tree IDs are involved: local, remote, who wins, whether merged, the new version and legacy parent.
    @Test(
        arguments: [
            ("2-aa", "2-bb", true, true, "18e9d1d110c00000@*", "2-bb"), ("2-aa", "2-bb", false, true, "18e9d1d110c00000@*", "2-bb"),
            ("2-aa", "2-bb", true, false, "2aa00000000@Revision+Tree+Encoding", "2-bb"), ("2-aa", "2-bb", false, false, "2-bb", nil),
            (
                "18e9d1d110b00000@*", "2-bb", true, true, "18e9d1d110c00001@*, 18e9d1d110b00000@*, 2bb00000000@Revision+Tree+Encoding;",
                "2-bb"
            ), ("18e9d1d110b00000@*", "2-bb", true, false, "18e9d1d110b00000@*; 2bb00000000@Revision+Tree+Encoding", "2-bb"),
            ("18e9d1d110b00000@*", "2-bb", false, false, "2bb00000000@Revision+Tree+Encoding; 18e9d1d110b00000@*", "2-bb"),
            ("2aa00000000@Revision+Tree+Encoding", "2-bb", true, false, "18e9d1d110c00000@*; 2bb00000000@Revision+Tree+Encoding", "2-bb"),
            (
                "2-aa", "5b0000000000@ZegpoldZegpoldZegpoldA", false, false,
                "5b0000000000@ZegpoldZegpoldZegpoldA; 2aa00000000@Revision+Tree+Encoding", "2-aa"
            ),
        ] as [(String, String, Bool, Bool, String, String?)])
    func treeIDsInConflictsAreConverted(
        local: String, remote: String, localWins: Bool, isMerged: Bool, version: String, parent: String?
    ) throws {
        var document = VectorDocument(wallClock: 0x18e9_d1d1_10c0_0000)
        document.revisions.setCurrent(
            .init(version: try stored(local), properties: .emptyDictionary, flags: []))
        document.revisions.remotes[1] = .init(version: try stored(remote), properties: .emptyDictionary, flags: .conflicted)
        let (mine, theirs) = (try RevisionID(parsing: local), try RevisionID(parsing: remote))
        try document.resolve(winner: localWins ? mine : theirs, loser: localWins ? theirs : mine, isMerged ? "7001416100018003" : nil)
        let current = try #require(document.revisions.current)
        #expect(current.version.treeID?.text ?? current.version.vector.description == version)
        #expect(document.revisions.legacyParent?.text == parent)
        #expect(!document.revisions.isConflicted)
        #expect(current.properties.map { hex($0.bytes) } == (isMerged ? "7001416100018003" : "7000"))
    }

    private func stored(_ text: String) throws -> StoredVersion {
        text.contains("@") ? .vector(try VersionVector(parsing: text)) : .tree(try RevisionID(parsing: text))
    }

    @Test func aReceivedRevisionFindsItsPlace() throws {
        var document = VectorDocument()
        #expect(try document.pull("3-cc, 2-bb, 1-aa", "7000") == .current)
        #expect(document.revisions.current?.version.treeID?.text == "3-cc")
        #expect(try document.pull("4-dd, 3-cc", "7000") == .current)
        #expect(try document.pull("18e9d1d110b00000@ZegpoldZegpoldZegpoldA; 4-dd", "7000") == .current)
        #expect(document.revisions.legacyParent?.text == "4-dd")
        #expect(try document.pull("18e9d1d110b00001@ZegpoldZegpoldZegpoldA; 4-dd", "7000") == .current)
        #expect(try document.pull("18e9d1d110b00000@ZegpoldZegpoldZegpoldA; 4-dd", "7000") == .known)
        #expect(try document.pull("18e9d1d110b00001@ZegpoldZegpoldZegpoldA; 4-dd", "7000") == .known)
        #expect(try document.pull("18e9d1d110b00000@AliceAliceAliceAliceAA", "7000") == .conflict)
        #expect(throws: RevisionError.conflict) { try document.pull("18e9d1d110b00000@AliceAliceAliceAliceAA", "7000", remote: 0) }
        #expect(try document.pull("18e9d1d110b00000@ZegpoldZegpoldZegpoldA; 4-dd", "7000", remote: 0) == .ignored)
        #expect(try document.pull("18e9d1d110b00002@ZegpoldZegpoldZegpoldA; 4-dd", "7000", remote: 0) == .current)
        #expect(throws: RevisionError.self) { try document.pull("28e9d1d110b00000@AliceAliceAliceAliceAA", "7000") }
        #expect(throws: RevisionError.badHistory(reason: "it is empty")) { try document.insert(RevisionHistory(), "7000", remote: 1) }
    }

    /// A peer that is no remote brings what somebody else made of both sides.
    @Test func aConflictThatSomebodyElseSettledIsNone() throws {
        var document = VectorDocument()
        #expect(try document.pull("18e9d1d110b00000@ZegpoldZegpoldZegpoldA", "7000") == .current)
        #expect(try document.pull("18e9d1d110b00001@AliceAliceAliceAliceAA", "7000") == .conflict)
        #expect(try document.pull("18e9d1d110b00002@ZegpoldZegpoldZegpoldA", "7000", remote: 0) == .current)
        #expect(document.revisions.isConflicted)
        let merged = "18e9d1d110b00003@ZegpoldZegpoldZegpoldA, 18e9d1d110b00001@AliceAliceAliceAliceAA"
        #expect(try document.pull(merged, "7000", remote: 0) == .current)
        #expect(!document.revisions.isConflicted && document.flags == [])
    }

    /// Two peers have revisions of the same origin, one of them an older one.
    @Test func whoSettlesAConflictSettlesThoseThatAreInIt() throws {
        var document = VectorDocument()
        #expect(try document.pull("18e9d1d110b00001@*", "7000", remote: 3) == .current)
        #expect(try document.pull("18e9d1d110b00000@AliceAliceAliceAliceAA", "7000", remote: 2) == .conflict)
        #expect(try document.pull("18e9d1d110b00002@AliceAliceAliceAliceAA", "7000") == .conflict)
        let (ours, theirs) = (
            try RevisionID(parsing: "18e9d1d110b00001@*"), try RevisionID(parsing: "18e9d1d110b00002@AliceAliceAliceAliceAA")
        )
        try document.resolve(winner: theirs, loser: ours)
        #expect(!document.revisions.isConflicted && document.flags == [])
    }

    /// What a third peer brought is still to be settled.
    @Test func whoSettlesAConflictLeavesTheOthers() throws {
        var document = VectorDocument()
        #expect(try document.pull("18e9d1d110b00001@*", "7000", remote: 3) == .current)
        #expect(try document.pull("18e9d1d110b00000@DaveDaveDaveDaveDaveDA", "7000", remote: 2) == .conflict)
        #expect(try document.pull("18e9d1d110b00002@AliceAliceAliceAliceAA", "7000") == .conflict)
        let (ours, theirs) = (
            try RevisionID(parsing: "18e9d1d110b00001@*"), try RevisionID(parsing: "18e9d1d110b00002@AliceAliceAliceAliceAA")
        )
        try document.resolve(winner: theirs, loser: ours)
        #expect(document.revisions.conflicts.map(\.id) == [try RevisionID(parsing: "18e9d1d110b00000@DaveDaveDaveDaveDaveDA")])
    }

    @Test func aRemoteThatHasTheCurrentRevisionDoesNotCompete() throws {
        var document = VectorDocument()
        #expect(try document.pull("18e9d1d110b00000@ZegpoldZegpoldZegpoldA", "7000") == .current)
        #expect(try document.pull("18e9d1d110b00001@AliceAliceAliceAliceAA", "7000") == .conflict)
        let id = try RevisionID(parsing: "18e9d1d110b00000@ZegpoldZegpoldZegpoldA")
        // A flag of the record would not be enough: the record says that there is a conflict.
        #expect(try document.revisions.markPushed(id, toRemote: 1) == .record)
        #expect(try document.save().flags == [])
        #expect(try document.revisions.markPushed(id, toRemote: 1) == .flag)
    }

    /// Alice's revision won here, without a new version. What others made of it does not know of the loser; here that stays known.
    @Test func whatDescendsFromAWinnerHasBeatenTheLoserToo() throws {
        var document = VectorDocument()
        #expect(try document.pull("18e9d1d110b00000@ZegpoldZegpoldZegpoldA", "7000", remote: 2) == .current)
        #expect(try document.pull("18e9d1d110b00001@AliceAliceAliceAliceAA", "7000") == .conflict)
        let (ours, theirs) = (
            try RevisionID(parsing: "18e9d1d110b00000@ZegpoldZegpoldZegpoldA"),
            try RevisionID(parsing: "18e9d1d110b00001@AliceAliceAliceAliceAA")
        )
        try document.resolve(winner: theirs, loser: ours)
        let settled = "18e9d1d110b00001@AliceAliceAliceAliceAA; 18e9d1d110b00000@ZegpoldZegpoldZegpoldA"
        #expect(document.revisions.history.description == settled)
        #expect(try document.pull("18e9d1d110b00002@AliceAliceAliceAliceAA", "7000") == .current)
        // The second remote has the loser still, and takes this for what follows it.
        let grown = "18e9d1d110b00002@AliceAliceAliceAliceAA; 18e9d1d110b00000@ZegpoldZegpoldZegpoldA"
        #expect(document.revisions.history.description == grown)
        #expect(!document.revisions.isConflicted)
        #expect(document.revisions.latest(onRemote: 1)?.version.vector.description == "18e9d1d110b00002@AliceAliceAliceAliceAA")
        // A merge keeps saying what it is a merge of.
        let merged = "18e9d1d110b00004@AliceAliceAliceAliceAA, 18e9d1d110b00003@BobBobBobBobBobBobBobA;"
        let merge = "18e9d1d110b00005@DaveDaveDaveDaveDaveDA, \(merged)"
        #expect(try document.pull(merge, "7000") == .current)
        #expect(document.revisions.history.description == "\(merge) 18e9d1d110b00000@ZegpoldZegpoldZegpoldA")
    }

    @Test func whatComesLateIsNotWhatTheRemoteHas() throws {
        var document = VectorDocument()
        let (old, new) = ("18e9d1d110b00000@AliceAliceAliceAliceAA", "18e9d1d110b00001@AliceAliceAliceAliceAA")
        #expect(try document.pull(old, "7000") == .current)
        #expect(try document.pull(new, "7000") == .current)
        #expect(try document.pull(old, "7000") == .known)
        #expect(try document.revisions.latest(onRemote: 1)?.id == RevisionID(parsing: new))
        // Of another remote it is all that is known.
        #expect(try document.pull(old, "7000", remote: 2) == .known)
        #expect(try document.revisions.latest(onRemote: 2)?.id == RevisionID(parsing: old))
    }

    /// Each of two revisions has beaten the other, in different places.
    @Test func ofTwoThatHaveBeatenEachOtherTheLaterStays() throws {
        let early = "18e9d1d110b00001@AliceAliceAliceAliceAA"
        let late = "18e9d1d110b00002@DaveDaveDaveDaveDaveDA"
        let (earlyID, lateID) = (try RevisionID(parsing: early), try RevisionID(parsing: late))
        var document = VectorDocument()
        #expect(try document.pull("\(early); \(late)", "7000", remote: 2) == .current)
        // That the other one is known does not say what it claims itself, even if it is noted already.
        #expect(document.revisions.acquaintance(with: lateID, remote: 1) == .unknown(ancestors: []))
        try document.revisions.noteLatest(lateID, onRemote: 1)
        #expect(document.revisions.acquaintance(with: lateID, remote: 1) == .unknown(ancestors: []))
        #expect(document.revisions.verdict(on: lateID, parent: nil) == .known)
        #expect(document.revisions.verdict(on: lateID, parent: earlyID) == .wanted)
        #expect(try document.pull("\(late); \(early)", "7000") == .current)
        #expect(document.revisions.history.description == "\(late); \(early)")
        #expect(document.revisions.acquaintance(with: earlyID, remote: 2) == .known(isNoted: true))

        // Who offers the early one as what follows the late one is told of the late one again.
        #expect(document.revisions.verdict(on: earlyID, parent: lateID) == .wanted)
        let more = "18e9d1d110a00000@BobBobBobBobBobBobBobA"
        let history = try RevisionHistory(parsing: "\(early); \(late), \(more)")
        var (revisions, clock) = (document.revisions, document.clock)
        for _ in 0..<2 {
            let received = try revisions.insert(
                history: history, properties: FleeceData(bytes("7000")), flags: [], clock: &clock, wallClock: document.wallClock)
            #expect(received == .known)
            #expect(revisions.history.description == "\(late); \(early), \(more)")
            #expect(try revisions.prepareSave().needsNewSequence)
            revisions.didSave()
        }
        // What is simply older needs no word.
        #expect(try document.pull(early, "7000", remote: 0) == .ignored)
    }

    /// It is the parent to name, but there are no properties that a conflict could be settled with.
    @Test func whatARemoteHasOfOurPastIsNoted() throws {
        var document = VectorDocument()
        let old = try RevisionID(parsing: "18e9d1d110b00000@ZegpoldZegpoldZegpoldA")
        #expect(try document.pull("18e9d1d110b00001@AliceAliceAliceAliceAA; 18e9d1d110b00000@ZegpoldZegpoldZegpoldA", "7000") == .current)
        #expect(document.revisions.acquaintance(with: old, remote: 2) == .known(isNoted: false))
        try document.revisions.noteLatest(old, onRemote: 2)
        #expect(document.revisions.latest(onRemote: 2)?.id == old)
        #expect(document.revisions.acquaintance(with: old, remote: 2) == .known(isNoted: true))
        let newer = try RevisionID(parsing: "18e9d1d110b00002@DaveDaveDaveDaveDaveDA")
        let current = try #require(document.revisions.current?.id)
        #expect(document.revisions.acquaintance(with: newer, remote: 2) == .unknown(ancestors: [current]))
        // What the first remote has is newer: the note of the old one comes late.
        #expect(document.revisions.acquaintance(with: old, remote: 1) == .known(isNoted: true))
        #expect(throws: RevisionError.notFound) { try document.revisions.noteLatest(newer, onRemote: 2) }

        #expect(try document.pull("18e9d1d110b00002@AliceAliceAliceAliceAA", "7000") == .current)
        #expect(!document.revisions.isConflicted)
        #expect(document.revisions.history.vector.versions.contains { RevisionID($0) == old })
    }

    private let merged = "18e9d1d110a00001@AliceAliceAliceAliceAA, 18e9d1d110a00000@ZegpoldZegpoldZegpoldA;"

    @Test func theSameMergeMadeTwiceIsNoConflict() throws {
        var document = VectorDocument()
        #expect(try document.pull("18e9d1d110b00001@*, \(merged)", "7000") == .current)
        #expect(try document.pull("18e9d1d110b00002@DaveDaveDaveDaveDaveDA, \(merged)", "7001416100018003") == .conflict)
        #expect(try document.pull("18e9d1d110b00002@DaveDaveDaveDaveDaveDA, \(merged)", "7000") == .current)
        #expect(!document.revisions.isConflicted)
        // Who has ours can take theirs for newer when it comes from here.
        #expect(document.revisions.history.vector[.local] == 0x18e9_d1d1_10b0_0001)
    }

    @Test func ofTheSameMergeMadeTwiceTheLaterOneStays() throws {
        var document = VectorDocument()
        let (ours, theirs) = ("18e9d1d110b00002@*", "18e9d1d110b00001@DaveDaveDaveDaveDaveDA")
        #expect(try document.pull("\(ours), \(merged)", "7000", remote: 2) == .current)
        #expect(try document.pull("\(theirs), \(merged)", "7000", remote: 0) == .ignored)
        #expect(try document.pull("\(theirs), \(merged)", "7000") == .known)
        #expect(document.revisions.history.description == "\(ours), \(merged) \(theirs)")
        // Their owner is to be told.
        #expect(document.outcome?.needsNewSequence == true)
        #expect(document.revisions.latest(onRemote: 1)?.id == (try RevisionID(parsing: theirs)))
        #expect(try document.pull("\(theirs), \(merged)", "7000") == .known)
        #expect(document.outcome?.needsNewSequence == false)
    }

    /// In databases whose clocks run after one that is ahead, that is no rare thing.
    @Test(arguments: ["AliceAliceAliceAliceAA", "FrankFrankFrankFrankFA"]) func ofTheSameTimeTheGreaterSourceStays(_ us: String) throws {
        let dave = "DaveDaveDaveDaveDaveDA"
        let (ours, theirs) = ("18e9d1d110b00001@*", "18e9d1d110b00001@\(dave)")
        let source = try RevisionID(parsing: "1@\(us)").version?.source
        let weStay = us > dave
        for history in ["", ", \(merged)"] {
            var document = VectorDocument()
            document.revisions.source = try #require(source)
            // Each has beaten the other; or both have made the same merge.
            #expect(try document.pull(history.isEmpty ? "\(ours); \(theirs)" : ours + history, "7000", remote: 2) == .current)
            let received = try document.pull(history.isEmpty ? "\(theirs); \(ours)" : theirs + history, "7000")
            #expect(received == (weStay ? .known : .current))
            #expect(document.revisions.current?.id == (try RevisionID(parsing: weStay ? ours : theirs)))
        }
    }

    /// As long as it was in conflict, pushes passed it. Nothing else would offer it again.
    @Test func aDocumentWhoseConflictTheRemoteEndsCountsAsChanged() throws {
        var document = VectorDocument()
        let first = try document.edit("7000", after: nil)
        _ = try document.edit("7001416100018003", after: first)
        #expect(try document.pull(remote, "7000") == .conflict)
        try document.revisions.noteLatest(first, onRemote: 1)
        #expect(!document.revisions.isConflicted)
        #expect(try document.save().needsNewSequence)
        #expect(try !document.save().needsNewSequence)
    }

    /// Two remotes compete with what is here, the second with a later version of the same source.
    @Test func whatIsNewerThanTheWinnerTakesItsPlace() throws {
        var document = VectorDocument()
        let (early, late) = ("18e9d1d110b00001@DaveDaveDaveDaveDaveDA", "18e9d1d110b00002@DaveDaveDaveDaveDaveDA")
        let ours = try document.edit("7000", after: nil)
        #expect(try document.insert(RevisionHistory(parsing: early), "7000", flags: .deleted, remote: 1) == .conflict)
        #expect(try document.pull(late, "7001416100018003", remote: 2) == .conflict)
        try document.revisions.resolveConflict(
            winner: RevisionID(parsing: early), loser: ours, merged: nil, clock: &document.clock, wallClock: document.wallClock)
        #expect(!document.revisions.isConflicted)
        #expect(document.revisions.history.description == "\(late); \(ours)")
        #expect(document.revisions.current?.isDeleted == false)
    }

    @Test func whatWasMadeWithoutKnowingOfADeletionFollowsIt() throws {
        var document = VectorDocument()
        let ours = try document.edit("7000", after: nil)
        let theirs = try RevisionID(parsing: remote)
        try document.revisions.noteDeletion(theirs, onRemote: 1)
        #expect(try document.save().needsNewSequence)
        #expect(document.revisions.history.description == "\(ours); \(remote)")
        #expect(document.revisions.latest(onRemote: 1)?.isDeleted == true)
        #expect(!document.revisions.isConflicted && document.revisions.current?.isDeleted == false)
        // Of a remote that is known to have something, the pull tells.
        #expect(throws: RevisionError.conflict) { try document.revisions.noteDeletion(theirs, onRemote: 1) }
        #expect(throws: RevisionError.conflict) { try document.revisions.noteDeletion(ours, onRemote: 2) }
    }

    @Test func aMergeThatWasDeletedIsNotTheSameAsAnEmptyOne() throws {
        var document = VectorDocument()
        #expect(try document.pull("18e9d1d110b00001@*, \(merged)", "7000") == .current)
        let deleted = try RevisionHistory(parsing: "18e9d1d110b00002@DaveDaveDaveDaveDaveDA, \(merged)")
        #expect(try document.insert(deleted, "7000", flags: .deleted, remote: 1) == .conflict)
    }

    @Test func whatWasDeletedHereAndThereMayBeCreatedAnewThere() throws {
        var document = VectorDocument()
        let history = try RevisionHistory(parsing: remote)
        #expect(try document.insert(history, "7000", flags: .deleted, remote: 1) == .current)
        #expect(try document.pull("18e9d1d110b00000@AliceAliceAliceAliceAA", "7001416100018003") == .current)
        #expect(document.flags == [])
    }

    @Test func whatCannotBeEditedSaysWhy() throws {
        var document = VectorDocument()
        let unknown = try RevisionID(parsing: "1@*")
        #expect(throws: RevisionError.notFound) { try document.edit("7000", after: unknown) }
        #expect(throws: RevisionError.notFound) { try document.edit("7000", after: nil, flags: .deleted) }
        let first = try document.edit("7000", after: nil)
        #expect(throws: RevisionError.conflict) { try document.edit("7000", after: nil) }
        #expect(throws: RevisionError.conflict) { try document.edit("7000", after: unknown) }
        #expect(throws: RevisionError.conflict) { try document.edit("7000", after: nil, flags: .deleted) }
        let tombstone = try document.edit("7000", after: first, flags: .deleted)
        #expect(document.outcome?.body == nil)
        #expect(document.flags == .deleted)
        let reborn = try document.edit("7000", after: nil)
        #expect(reborn != tombstone)
        #expect(document.flags == [])
    }

    @Test func largePropertiesNeedWidePointers() throws {
        let encoder = FleeceEncoder()
        encoder.beginDictionary()
        for n in 0..<6000 {
            encoder.writeKey("key number \(n)")
            encoder.write(String(n))
        }
        encoder.endDictionary()
        let large = try encoder.finish()
        var document = VectorDocument()
        _ = try document.edit("7001416100018003", after: nil)
        #expect(try document.insert(RevisionHistory(parsing: remote), hex(large.bytes), remote: 1) == .conflict)
        #expect(try document.insert(RevisionHistory(parsing: remote), hex(large.bytes), remote: 3) == .conflict)
        let outcome = try #require(document.outcome)
        #expect((outcome.extra?.count ?? 0) < large.bytes.count + 1000)
        let again = try VectorDocument.read(outcome)
        for remote in [1, 3] as [UInt16] {
            let read = try #require(again.latest(onRemote: remote)?.properties)
            #expect(large.withRoot { a in read.withRoot { b in a.isEqual(to: b) } })
        }
        // And with the large ones as the current ones.
        try document.resolve(winner: RevisionID(parsing: remote), loser: try #require(document.revisions.current?.id))
        let resolved = try VectorDocument.read(try #require(document.outcome))
        #expect((document.outcome?.extra?.count ?? .max) < 1000)
        #expect(resolved.latest(onRemote: 3)?.properties?.bytes.count == large.bytes.count)
    }

    @Test(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"))
    func damageIsRevisionsOrAnError() throws {
        var (read, refused) = (0, 0)
        func suffer(_ record: StoredRecord) {
            if (try? record.vectorRevisions().prepareSave()) == nil { refused += 1 } else { read += 1 }
        }
        for record in try vectors().values {
            guard let extra = record.extra else { continue }
            var damaged = record
            for length in 0..<extra.count {
                damaged.extra = Array(extra[..<length])
                suffer(damaged)
            }
            for bit in 0..<(extra.count * 8) {
                damaged.extra = extra
                damaged.extra?[bit / 8] ^= 1 << UInt8(bit % 8)
                suffer(damaged)
            }
            damaged.extra = extra
            for length in 0..<(record.body?.count ?? 0) {
                damaged.body = record.body.map { Array($0[..<length]) }
                suffer(damaged)
            }
        }
        #expect(read > 0 && refused > 0)
    }

    private func vectors() throws -> [String: StoredRecord] {
        let records = try StoredRecord.all(in: "v4.x/vectors_4.1.cblite2").filter { $0.table.hasSuffix("default") }
        return Dictionary(uniqueKeysWithValues: records.map { ($0.id, $0) })
    }
}

/// A document of a vector database, with a clock that stands still.
struct VectorDocument {
    var revisions = VectorRevisions()
    var clock = HybridClock()
    var wallClock: UInt64
    private(set) var outcome: SaveOutcome?

    init(wallClock: UInt64 = 0x18e9_d1d1_10c0_0000) { self.wallClock = wallClock }

    var flags: DocumentFlags? { outcome?.flags }

    mutating func edit(_ body: String, after parent: RevisionID?, flags: DocumentFlags = []) throws -> RevisionID {
        let id = try revisions.addRevision(
            after: parent, properties: FleeceData(bytes(body)), flags: flags, clock: &clock, wallClock: wallClock)
        #expect(try save().needsNewSequence)
        return id
    }

    mutating func pull(_ history: String, _ body: String, remote: UInt16 = 1) throws -> VectorRevisions.Received {
        try insert(RevisionHistory(parsing: history), body, remote: remote)
    }

    mutating func insert(
        _ history: RevisionHistory, _ body: String, flags: DocumentFlags = [], remote: UInt16
    ) throws -> VectorRevisions.Received {
        let before = revisions.current?.version
        let received = try revisions.insert(
            history: history, properties: FleeceData(bytes(body)), flags: flags, remote: remote, clock: &clock, wallClock: wallClock)
        #expect(try save().needsNewSequence == (revisions.current?.version != before))
        return received
    }

    mutating func resolve(winner: RevisionID, loser: RevisionID, _ merged: String? = nil) throws {
        let merged = merged.map { VectorRevisions.Merged(properties: FleeceData(bytes($0))) }
        try revisions.resolveConflict(winner: winner, loser: loser, merged: merged, clock: &clock, wallClock: wallClock)
        try save()
    }

    @discardableResult
    mutating func save() throws -> SaveOutcome {
        let outcome = try revisions.prepareSave()
        self.outcome = outcome
        revisions.didSave()
        // What was read back is what was written.
        let again = try VectorDocument.read(outcome)
        try #require(again.current?.version == revisions.current?.version)
        try #require(again.legacyParent == revisions.legacyParent)
        try #require(again.remoteIDs == revisions.remoteIDs)
        for remote in revisions.remoteIDs {
            let (read, written) = (try #require(again.latest(onRemote: remote)), try #require(revisions.latest(onRemote: remote)))
            try #require(read.version == written.version)
            try #require(read.flags == written.flags)
            try #require(VectorRevisions.areEqual(read, written, nil))
        }
        return outcome
    }

    static func read(_ outcome: SaveOutcome) throws -> VectorRevisions {
        let record = StoredRecord(
            version: outcome.version, body: outcome.body.map { Array($0.bytes) }, extra: outcome.extra, flags: outcome.flags)
        return try record.vectorRevisions()
    }

    func expect(_ record: StoredRecord?, _ location: SourceLocation = #_sourceLocation) throws {
        let record = try #require(record, sourceLocation: location)
        let outcome = try #require(outcome, sourceLocation: location)
        #expect(hex(outcome.version) == hex(record.version), sourceLocation: location)
        #expect(outcome.body.map { hex($0) } == record.body.map(hex), sourceLocation: location)
        #expect(outcome.extra.map(hex) == record.extra.map(hex), sourceLocation: location)
        #expect(UInt64(outcome.flags.rawValue) == record.flags & 0xFFFF, sourceLocation: location)
    }
}

extension StoredRecord {
    init(version: [UInt8], body: [UInt8]?, extra: [UInt8]?, flags: DocumentFlags) {
        self.init(table: "kv_default", id: "", sequence: 1, flags: UInt64(flags.rawValue), version: version, body: body, extra: extra)
    }
}
