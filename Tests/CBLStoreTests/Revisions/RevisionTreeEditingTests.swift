import CBLFleece
import CBLTestSupport
import Testing

@testable import CBLStore

/// The documents of `revtrees_4.1`, made again from nothing: what is saved must be what the vendor's library saved.
@Suite struct RevisionTreeEditingTests {
    @Test func theFirstRevisionOfAnEmptyDocument() throws {
        var document = TreeDocument()
        try document.edit("7000", "{}")
        #expect(document.hex.version == "01a5bb2524156f3e56dcc4e5c52c73c46f82c2efb0")
        #expect(document.hex.extra == "0000001effff021501a5bb2524156f3e56dcc4e5c52c73c46f82c2efb0000000000000000000")
        #expect(document.hex.body == "7000")
    }

    @Test(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"))
    func editsDeletionsAndRebirth() throws {
        let records = try revtrees()
        var document = TreeDocument(lastSequence: 5)
        let first = try document.edit("7001 000f 0001 8003", #"{"x":1}"#)
        try document.delete(after: first)
        try document.expect(records["gone"])

        document = TreeDocument(lastSequence: 7)
        let x1 = try document.edit("7001 000f 0001 8003", #"{"x":1}"#)
        try document.delete(after: x1)
        try document.edit("7001 000f 0002 8003", #"{"x":2}"#)
        try document.expect(records["reborn"])
    }

    @Test(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"))
    func sixtyOneGenerationsArePrunedToFifty() throws {
        var document = TreeDocument(lastSequence: 12)
        var parent: RevisionID?
        for n in 0...60 {
            let body = "7001 0011 00" + (n < 16 ? "0" : "") + String(n, radix: 16) + " 8003"
            parent = try document.edit(body, "{\"n\":\(n)}", after: parent)
        }
        #expect(document.tree.revisions.count == 50)
        try document.expect(try revtrees()["hist"])
    }

    @Test(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"))
    func aPulledRevisionBringsItsHistory() throws {
        let records = try revtrees()
        var document = TreeDocument(lastSequence: 74)
        let body = try #require(records["pulled"]?.body)
        try document.pull(["3-cccc", "2-bbbb", "1-aaaa"], hex(body))
        try document.expect(records["pulled"])
    }

    // The documents with a conflict: base, local edit, and remote #1's 2-ffff0000.
    private func conflicted(after sequence: UInt64, isDeleted: Bool = false) throws -> TreeDocument {
        var document = TreeDocument(lastSequence: sequence)
        let base = try document.edit("456261736500 7001 001c 8005 8003", #"{"side":"base"}"#)
        if isDeleted {
            try document.delete(after: base)
        } else {
            try document.edit("456c6f63616c 7001 001c 8005 8003", #"{"side":"local"}"#, after: base)
        }
        try document.pull(["2-ffff0000", base.text], "4672656d6f746500 7001 001c 8006 8003")
        return document
    }

    @Test(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"))
    func aRemoteRevisionCompetesWithALocalOne() throws {
        let records = try revtrees()
        try conflicted(after: 75).expect(records["conflicted"])
        try conflicted(after: 91, isDeleted: true).expect(records["delconf"])
    }

    @Test(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"))
    func conflictsAreResolvedEitherWay() throws {
        let records = try revtrees()
        let local = try RevisionID(parsing: "2-996336411d0ad50271b2668ea20fa6f5d02ee085")
        let remote = try RevisionID(parsing: "2-ffff0000")

        var document = try conflicted(after: 78)
        let json = Array(#"{"side":"merged"}"#.utf8)
        try json.withUnsafeBytes { json in
            let merged = RevisionTree.Merged(body: FleeceData(bytes("466d6572676564007001001c80068003")), canonicalJSON: json)
            try document.tree.resolveConflict(winner: remote, loser: local, merged: merged)
        }
        try document.save()
        try document.expect(records["merge"])

        document = try conflicted(after: 86)
        try document.tree.resolveConflict(winner: local, loser: remote, merged: nil)
        try document.save()
        try document.expect(records["localwins"])
    }

    @Test func whenTheRemoteWinsTheDocumentTakesANewSequence() throws {
        var document = try conflicted(after: 0)
        let local = try #require(document.tree.current?.id)
        let winner = try document.tree.resolveConflict(winner: try RevisionID(parsing: "2-ffff0000"), loser: local, merged: nil)
        try document.save()
        #expect(document.sequence == 4)
        #expect(document.tree.current?.id == winner)
        #expect(document.tree.revisions.map(\.id.text) == ["2-ffff0000", "1-0a69bba1016825bc3f8a2e0ccaa5ecdc164bbee2"])
        #expect(!document.tree.isConflicted)
    }

    /// The answer to a push can be stored after what the remote made of the revision.
    @Test func aPushThatIsNotedLateDoesNotGoBack() throws {
        var document = TreeDocument()
        let pushed = try document.edit("7001001500018003", #"{"a":1}"#)
        let theirs = try RevisionID(parsing: "2-ffff0000")
        _ = try document.tree.insert(history: [theirs, pushed], body: [0x70, 0], flags: [], remote: 1)
        try document.save()
        #expect(try document.tree.markPushed(pushed, toRemote: 1) == .late)
        #expect(document.tree.latest(onRemote: 1)?.id == theirs)
    }

    @Test(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"))
    func aPushIsNotedInAFlagOrInTheTree() throws {
        let records = try revtrees()
        var document = TreeDocument(lastSequence: 83)
        let first = try document.edit("7001001500018003", #"{"a":1}"#)
        #expect(try document.tree.markPushed(first, toRemote: 1) == .flag)
        document.flags.insert(.synced)
        try document.reload()
        #expect(document.tree.current?.flags == [.leaf, .keepBody])
        try document.edit("7001001500028003", #"{"a":2}"#, after: first)
        try document.expect(records["synced2"])

        document = TreeDocument(lastSequence: 85)
        let other = try document.edit("7001001500018003", #"{"a":1}"#)
        #expect(try document.tree.markPushed(other, toRemote: 2) == .record)
        try document.save()
        try document.expect(records["synced3"])
        #expect(document.sequence == 86)
    }

    @Test(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"))
    func aRefusedRevisionIsNoted() throws {
        var document = TreeDocument(lastSequence: 90)
        let id = try document.edit("7001001500018003", #"{"a":1}"#)
        try document.tree.markRejected(id)
        try document.save()
        try document.expect(try revtrees()["rejected"])
    }

    @Test func theSameEditTwiceIsOneRevision() throws {
        var tree = RevisionTree()
        let json = Array("{}".utf8)
        try json.withUnsafeBytes { json in
            let first = try tree.addRevision(after: nil, body: .emptyDictionary, canonicalJSON: json)
            #expect(first.isNew)
            #expect(try tree.addRevision(after: nil, body: .emptyDictionary, canonicalJSON: json) == .init(id: first.id, isNew: false))
            let second = try tree.addRevision(after: first.id, body: .emptyDictionary, canonicalJSON: json)
            #expect(
                try tree.addRevision(after: first.id, body: .emptyDictionary, canonicalJSON: json) == .init(id: second.id, isNew: false))
            #expect(second.id.generation == 2)
        }
    }

    @Test func whatCannotBeEditedSaysWhy() throws {
        var document = TreeDocument()
        let unknown = try RevisionID(parsing: "1-aa")
        #expect(throws: RevisionError.notFound) { try document.edit("7000", "{}", after: unknown) }
        #expect(throws: RevisionError.notFound) { try document.delete(after: nil) }
        let first = try document.edit("7000", "{}")
        #expect(throws: RevisionError.conflict) { try document.edit("7000", #"{"a":1}"#) }
        #expect(throws: RevisionError.conflict) { try document.edit("7000", "{}", after: unknown) }
        #expect(throws: RevisionError.conflict) { try document.delete(after: nil) }
        try document.edit("7000", #"{"a":1}"#, after: first)
        #expect(throws: RevisionError.conflict) { try document.edit("7000", #"{"a":2}"#, after: first) }
    }

    @Test(arguments: [
        (["3-cc", "1-aa"], "generations are missing before 3-cc"), (["2-bb", "2-aa"], "2-aa is not older than its child"),
        (["1-aa", "2-bb"], "2-bb is not older than its child"), (["1@*"], "1@* is not a tree revision"), ([], "it is empty"),
    ])
    func aHistoryMustFitTogether(history: [String], reason: String) throws {
        var tree = RevisionTree()
        let history = try history.map { try RevisionID(parsing: $0) }
        #expect(throws: RevisionError.badHistory(reason: reason)) { try tree.insert(history: history, body: nil, flags: []) }
    }

    @Test func aGapIsAllowedWhereItWouldBePruned() throws {
        var tree = RevisionTree()
        let history = try ["9-aa", "8-aa", "3-aa"].map { try RevisionID(parsing: $0) }
        #expect(throws: RevisionError.self) { try tree.insert(history: history, body: .emptyDictionary, flags: [], depth: 4) }
        let received = try tree.insert(history: history, body: .emptyDictionary, flags: [], depth: 3)
        #expect(received == .init(addedCount: 3, needsSave: true))
    }

    @Test func withoutConflictsOnlyLeavesMayGrow() throws {
        var document = TreeDocument()
        try document.insert(["2-bb", "1-aa"])
        #expect(throws: RevisionError.conflict) { try document.insert(["2-cc", "1-aa"], allowsConflicts: false) }
        #expect(throws: RevisionError.conflict) { try document.insert(["1-dd"], allowsConflicts: false) }
        try document.insert(["3-cc", "2-bb"], allowsConflicts: false)
        #expect(try document.tree.insert(history: [RevisionID(parsing: "2-bb")], body: nil, flags: []).needsSave == false)
    }

    @Test func whoHasSettledAConflictReplacesOurBranch() throws {
        var document = TreeDocument()
        try document.insert(["2-bb", "1-aa"])
        let ended = try ["3-dd", "2-bb", "1-aa"].map { try RevisionID(parsing: $0) }
        let history = try ["2-cc", "1-aa"].map { try RevisionID(parsing: $0) }
        let received = try document.tree.insert(history: history, body: .emptyDictionary, flags: [], inPlaceOf: ended)
        #expect(received == .init(addedCount: 1, needsSave: true))
        try document.save()
        #expect(document.tree.revisions.map(\.id.text) == ["2-cc", "3-dd", "2-bb", "1-aa"])
        #expect(document.tree.current?.isDeleted == false)
        #expect(!document.tree.isConflicted)
        // The same once more is nothing new.
        #expect(
            try document.tree.insert(history: history, body: .emptyDictionary, flags: [], inPlaceOf: ended)
                == .init(addedCount: 0, needsSave: false))
    }

    @Test func aBranchThatWentOnIsNotReplaced() throws {
        var document = TreeDocument()
        try document.insert(["3-bb", "2-bb", "1-aa"])
        let ended = try ["3-dd", "2-bb", "1-aa"].map { try RevisionID(parsing: $0) }
        let history = try ["2-cc", "1-aa"].map { try RevisionID(parsing: $0) }
        let before = document.tree.revisions.map(\.id)
        #expect(throws: RevisionError.conflict) {
            try document.tree.insert(history: history, body: .emptyDictionary, flags: [], inPlaceOf: ended)
        }
        // A tombstone on another branch settles nothing here.
        #expect(throws: RevisionError.conflict) {
            try document.tree.insert(
                history: history, body: .emptyDictionary, flags: [], inPlaceOf: [RevisionID(parsing: "2-ee"), history[1]])
        }
        #expect(document.tree.revisions.map(\.id) == before)
    }

    @Test func aRemoteThatSwitchesBranchesTakesItsOldOneAlong() throws {
        // Its revision was current here: the document follows.
        var document = TreeDocument()
        try document.pull(["2-bb", "1-aa"], "7000")
        try document.pull(["2-aa", "1-aa"], "7000")
        #expect(document.tree.revisions.map(\.id.text) == ["2-aa", "1-aa"])
        #expect(document.tree.current?.flags == [.leaf, .keepBody])

        // It competed with a local one: the competitor is replaced.
        document = TreeDocument()
        try document.insert(["2-bb", "1-aa"])
        try document.pull(["2-cc", "1-aa"], "7000")
        try document.pull(["3-dd", "2-dd", "1-aa"], "7000")
        #expect(document.tree.revisions.map(\.id.text) == ["2-bb", "3-dd", "1-aa", "2-dd"])
        #expect(document.tree.isConflicted)

        // An older one that comes late changes nothing.
        try document.pull(["2-dd", "1-aa"], "7000")
        #expect(document.tree.latest(onRemote: 1)?.id.text == "3-dd")
    }

    @Test func aBranchThatAnotherRemoteHasStays() throws {
        var document = TreeDocument()
        try document.pull(["1-aa"], "7000")
        try document.pull(["2-aa", "1-aa"], "7000")
        try document.pull(["2-bb", "1-aa"], "7000", remote: 2)
        try document.pull(["2-bb", "1-aa"], "7000", remote: 3)
        try document.pull(["2-cc", "1-aa"], "7000", remote: 2)
        #expect(document.tree.latest(onRemote: 3)?.id.text == "2-bb")
        #expect(document.tree.conflicts.map(\.id.text).sorted() == ["2-bb", "2-cc"])
        // Nobody has it any more.
        try document.pull(["2-cc", "1-aa"], "7000", remote: 3)
        #expect(document.tree.conflicts.map(\.id.text) == ["2-cc"])
    }

    /// The tombstone that ended it here would become the document: a deletion that nobody asked for.
    @Test func aRemoteThatGoesBackToABranchThatLostDeletesNothing() throws {
        var document = TreeDocument()
        try document.pull(["2-bb", "1-aa"], "7000")
        try document.pull(["2-cc", "1-aa"], "7000", remote: 2)
        try document.tree.resolveConflict(winner: RevisionID(parsing: "2-cc"), loser: RevisionID(parsing: "2-bb"), merged: nil)
        #expect(try document.tree.conflicts.isEmpty && document.tree[RevisionID(parsing: "2-bb")]?.isLeaf == false)
        try document.pull(["2-cc", "1-aa"], "7000")
        for remote: UInt16 in [2, 1] {
            try document.pull(["2-bb", "1-aa"], "7000", remote: remote)
            #expect(document.tree.current?.id.text == "2-cc")
            // It can be told what won.
            #expect(document.tree.latest(onRemote: remote)?.id.text == "2-bb")
            #expect(!document.tree.isConflicted)
        }
    }

    /// As long as it was in conflict, pushes passed it. Nothing else would offer it again.
    @Test func aDocumentWhoseConflictTheRemoteEndsCountsAsChanged() throws {
        var document = TreeDocument(lastSequence: 7)
        try document.insert(["2-bb", "1-aa"])
        _ = try document.tree.insert(history: ["2-cc", "1-cc"].map { try RevisionID(parsing: $0) }, body: nil, flags: .deleted, remote: 1)
        try document.insert(["3-dd", "2-bb", "1-aa"])
        #expect(document.tree.isConflicted)
        document.tree.didSave(sequence: 20)
        // It takes what was on its way in place of the tombstone.
        #expect(try document.tree.markPushed(RevisionID(parsing: "2-bb"), toRemote: 1) == .record)
        #expect(document.tree.revisions.map(\.id.text) == ["3-dd", "2-bb", "1-aa"])
        #expect(try document.tree.prepareSave(isNewRecord: false).needsNewSequence)
        document.tree.didSave(sequence: 21)
        #expect(try document.tree.markPushed(RevisionID(parsing: "3-dd"), toRemote: 1) == .flag)
        #expect(try !document.tree.prepareSave(isNewRecord: false).needsNewSequence)
    }

    @Test func whatIsOlderThanTheCurrentRevisionIsNotWanted() throws {
        var document = TreeDocument()
        try document.pull(["2-aa", "1-aa"], "7000")
        let (first, second) = (try RevisionID(parsing: "1-aa"), try RevisionID(parsing: "2-aa"))
        try document.delete(after: second)
        #expect(document.tree.verdict(on: first, parent: nil) == .known)
        #expect(document.tree.verdict(on: second, parent: first) == .known)
        #expect(document.tree.verdict(on: try RevisionID(parsing: "1-bb"), parent: nil) == .wanted)
    }

    @Test func aSecondRootFromARemoteCompetes() throws {
        var document = TreeDocument()
        try document.insert(["1-aa"])
        try document.pull(["1-bb"], "7000")
        #expect(document.tree.revisions.map(\.id.text) == ["1-aa", "1-bb"])
        #expect(document.tree.conflicts.map(\.id.text) == ["1-bb"])
        #expect(document.flags == .conflicted)
        // When the local branch goes, the other is the document.
        #expect(document.tree.purge(try RevisionID(parsing: "1-aa")) == 1)
        try document.save()
        #expect(document.tree.current?.isConflict == false)
        #expect(document.flags == [])
    }

    @Test func purgingTakesAncestorsWithoutOtherChildren() throws {
        var document = TreeDocument()
        try document.insert(["4-dd", "3-cc", "2-bb", "1-aa"])
        try document.insert(["3-ee", "2-bb", "1-aa"])
        #expect(document.tree.purge(try RevisionID(parsing: "2-bb")) == 0)
        #expect(document.tree.purge(try RevisionID(parsing: "4-dd")) == 2)
        #expect(document.tree.revisions.map(\.id.text) == ["3-ee", "2-bb", "1-aa"])
        #expect(document.tree.purge(try RevisionID(parsing: "3-ee")) == 3)
        #expect(document.tree.isEmpty)
        #expect(throws: RevisionError.notFound) { try document.save() }
    }

    @Test func pruningKeepsWhatRemotesHave() throws {
        var document = TreeDocument()
        document.depth = 3
        try document.pull(["2-bb", "1-aa"], "7000")
        var parent = try RevisionID(parsing: "2-bb")
        for n in 0..<10 { parent = try document.edit("7000", "{\"n\":\(n)}", after: parent) }
        #expect(document.tree.revisions.map(\.id.generation) == [12, 11, 10, 2])
        #expect(document.tree.latest(onRemote: 1)?.id.text == "2-bb")
        #expect(document.tree.latest(onRemote: 1)?.body != nil)
        #expect(document.tree.history(of: 0).map(\.generation) == [12, 11, 10, 2])
    }

    @Test func gapsInAHistoryAreFilledBeforeItIsSent() throws {
        var document = TreeDocument()
        document.depth = 2
        try document.pull(["2-bb", "1-aa"], "7000")
        var parent = try RevisionID(parsing: "2-bb")
        for n in 0..<4 { parent = try document.edit("7000", "{\"n\":\(n)}", after: parent) }
        #expect(document.tree.history(of: 0).map(\.generation) == [6, 5, 2])
        var random = SeededRandom(1)
        let history = document.tree.history(of: 0, limit: 20, using: &random)
        #expect(history.map(\.generation) == [6, 5, 4, 3, 2])
        #expect(history[2].text.hasPrefix("4-faded000") && history[2].text.count == 2 + 8 + 16)
        #expect(document.tree.history(of: 0, limit: 3, using: &random).map(\.generation) == [6, 5, 4])
        #expect(document.tree.history(of: 0, limit: 1, using: &random).map(\.generation) == [6])
    }

    private func revtrees() throws -> [String: StoredRecord] {
        let records = try StoredRecord.all(in: "v4.x/revtrees_4.1.cblite2").filter { $0.table.hasSuffix("default") }
        return Dictionary(uniqueKeysWithValues: records.map { ($0.id, $0) })
    }
}

/// A document as the store keeps it: a tree and the record it was last saved to.
struct TreeDocument {
    var tree = RevisionTree()
    var sequence: UInt64 = 0
    var lastSequence: UInt64
    var flags: DocumentFlags = []
    var depth = RevisionTree.defaultDepth
    private var outcome: SaveOutcome?

    init(lastSequence: UInt64 = 0) { self.lastSequence = lastSequence }

    /// The columns as hex.
    var hex: (version: String?, body: String?, extra: String?) {
        (
            outcome.map { CBLStoreTests.hex($0.version) }, outcome?.body.map { CBLStoreTests.hex($0) },
            outcome?.extra.map { CBLStoreTests.hex($0) }
        )
    }

    @discardableResult
    mutating func edit(_ body: String, _ json: String, after parent: RevisionID? = nil) throws -> RevisionID {
        let added = try Array(json.utf8).withUnsafeBytes { json in
            try tree.addRevision(after: parent, body: FleeceData(bytes(body)), canonicalJSON: json)
        }
        try save()
        return added.id
    }

    mutating func delete(after parent: RevisionID?) throws {
        try tree.addTombstone(after: parent)
        try save()
    }

    mutating func insert(_ history: [String], allowsConflicts: Bool = true) throws {
        let history = try history.map { try RevisionID(parsing: $0) }
        let received = try tree.insert(history: history, body: .emptyDictionary, flags: [], allowsConflicts: allowsConflicts, depth: depth)
        if received.needsSave { try save() }
    }

    mutating func pull(_ history: [String], _ body: String, remote: UInt16 = 1) throws {
        let history = try history.map { try RevisionID(parsing: $0) }
        _ = try tree.insert(history: history, body: FleeceData(bytes(body)), flags: [], remote: remote, depth: depth)
        try save()
    }

    mutating func save() throws {
        let outcome = try tree.prepareSave(isNewRecord: sequence == 0, depth: depth)
        try tree.checkInvariants()
        self.outcome = outcome
        flags = outcome.flags
        if outcome.needsNewSequence {
            lastSequence += 1
            sequence = lastSequence
        }
        tree.didSave(sequence: sequence)
        let written = tree
        try reload()
        // What was read back is what was written. (Comparing before expecting: the macro is slow with large values.)
        let isSame =
            tree.revisions.count == written.revisions.count && zip(tree.revisions, written.revisions).allSatisfy(TreeDocument.areSame)
        #expect(isSame)
    }

    private static func areSame(_ a: RevisionTree.Revision, _ b: RevisionTree.Revision) -> Bool {
        a.id == b.id && a.flags == b.flags && a.sequence == b.sequence && a.parent == b.parent
            && a.body.map { Array($0.bytes) } == b.body.map { Array($0.bytes) }
    }

    mutating func reload() throws {
        guard let outcome else { return }
        let (body, extra) = (outcome.body.map { Array($0.bytes) }, outcome.extra ?? [])
        tree = try extra.withUnsafeBytes { extra in
            guard let body else { return try RevisionTree(body: nil, extra: extra, sequence: sequence, flags: flags) }
            return try body.withUnsafeBytes { try RevisionTree(body: $0, extra: extra, sequence: sequence, flags: flags) }
        }
        try tree.checkInvariants()
    }

    func expect(_ record: StoredRecord?, _ location: SourceLocation = #_sourceLocation) throws {
        let record = try #require(record, sourceLocation: location)
        #expect(hex.version == CBLStoreTests.hex(record.version), sourceLocation: location)
        #expect(hex.body == record.body.map { CBLStoreTests.hex($0) }, sourceLocation: location)
        #expect(hex.extra == record.extra.map { CBLStoreTests.hex($0) }, sourceLocation: location)
        #expect(UInt64(flags.rawValue) == record.flags & 0xFFFF, sourceLocation: location)
        #expect(sequence == record.sequence, sourceLocation: location)
    }
}
