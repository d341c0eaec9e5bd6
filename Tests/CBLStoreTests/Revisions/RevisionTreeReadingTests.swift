import CBLTestSupport
import Testing

@testable import CBLStore

@Suite struct RevisionTreeReadingTests {
    static let examples = [
        "0000001e0001031502dc8ae8fff2b5a6e692dc625c86e5968bf7370fc8000000001effff0015016f9a1fe5dfad0377e089c5e8e0afab815938295d060000000000000000",
        "0000000c0001120303cccc00 | 0000000c0002000302bbbb00 | 0000000cffff000301aaaa00 00000000 00010000 00000000",
        """
        0000001e0002021502996336411d0ad50271b2668ea20fa6f5d02ee0854d 0000001e0002b20502ffff0000004672656d6f7465007001001c80068003
        0000001effff0015010a69bba1016825bc3f8a2e0ccaa5ecdc164bbee24c 00000000 00010001 00000000
        """,
        "0000001effff02150166c183b8980c2066b2d6ecd701d3823bc0c1b8385b 00000000 00000000 00000000",
    ]

    @Test func aTreeOf2xIsRecognisedAndRead() throws {
        let body = bytes("00000018 ffff 82 03 01abcd 00 7002 0000 0001 0001 3400 8005 00000000")
        #expect(RevisionTree.isLegacyBody(body))
        let tree = try RevisionTree(legacyBody: body, sequence: 7)
        #expect(tree.revisions.count == 1)
        #expect(tree.current?.id.text == "1-abcd")
        #expect(tree.current?.sequence == 7)
        #expect(tree.current?.flags == .leaf)
        #expect(tree.current?.body.map { hex($0) } == "700200000001000134008005")
        #expect(hex(tree.encoded()) == "0000000cffff020301abcd07" + "00000000" + "00000000")
    }

    @Test(arguments: ["7000", "7001003c00018003", "700100010001000100010001000100018003", "", "00000000", "0000000000000000000000"])
    func aFleeceBodyIsNoTree(body: String) {
        #expect(!RevisionTree.isLegacyBody(bytes(body)))
    }

    @Test(arguments: examples)
    func theExamplesAreWrittenAsTheyWereRead(example: String) throws {
        let example = bytes(example)
        let tree = try RevisionTree(extra: example, body: [0x70, 0x00])
        try tree.checkInvariants()
        #expect(hex(tree.encoded()) == hex(example))
    }

    @Test func theSeparatorMayBeMissing() throws {
        let old = bytes("0000000cffff120301aaaa00 00000000 00010000")
        let tree = try RevisionTree(extra: old)
        #expect(tree.latest(onRemote: 1)?.id.text == "1-aaaa")
        #expect(hex(tree.encoded()) == hex(old) + "00000000")
    }

    @Test func aConflictIsSeenInTheTree() throws {
        let tree = try RevisionTree(extra: bytes(Self.examples[2]), body: [0x70, 0x00], sequence: 78)
        #expect(tree.isConflicted)
        #expect(tree.conflicts.map(\.id.text) == ["2-ffff0000"])
        #expect(tree.conflicts.first?.sequence == 78)
        #expect(tree.remoteIDs == [1])
        #expect(tree.latest(onRemote: 1)?.id.text == "2-ffff0000")
        #expect(tree.history(of: 1).map(\.text) == ["2-ffff0000", "1-0a69bba1016825bc3f8a2e0ccaa5ecdc164bbee2"])
        let rejected = try RevisionTree(extra: bytes(Self.examples[3]))
        #expect(rejected.isRejected(try RevisionID(parsing: "1-66c183b8980c2066b2d6ecd701d3823bc0c1b838")))
        #expect(!rejected.isConflicted)
    }

    @Test(arguments: [
        ("", "it has no end"), ("00000000", "it has no revisions"), ("0000000cffff020301abcd00", "it has no end"),
        ("0000000dffff020301abcd00 00000000", "a body that should not be there"),
        ("ffffffffffff020301abcd00 00000000", "a revision reaches beyond the end"),
        ("00000008ffff0200 00000000", "a revision is too short"), ("0000000cffff020401abcd00 00000000", "a revision is too short"),
        ("0000000cffff020300abcd00 00000000", "a revision ID is invalid"), ("0000000cffff020301abcd80 00000000", "a sequence is invalid"),
        ("0000000c0001020301abcd00 00000000", "a parent is missing"),
        ("0000000c0000020301abcd00 00000000", "a revision is its own ancestor"),
        ("0000000cffff020301abcd00 00000000 00", "the list of remotes is cut off"),
        ("0000000cffff020301abcd00 00000000 00010001", "a remote's revision is missing"),
        ("0000000cffff020301abcd00 00000000 00000001", "the separator is not zero"),
        ("0000000cffff020301abcd00 00000000 00000000 00010000", "a remote behind the separator"),
    ])
    func damageIsNamed(tree: String, reason: String) {
        let error = #expect(throws: RevisionError.self) { try RevisionTree(extra: bytes(tree)) }
        guard case .corruptTree(_, let found) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(found == reason)
    }

    @Test(arguments: examples)
    func everyTruncationAndBitFlipIsATreeOrAnError(example: String) throws {
        let example = bytes(example)
        var read = 0
        for length in 0..<example.count { _ = try? RevisionTree(extra: Array(example[..<length])) }
        for bit in 0..<(example.count * 8) {
            var damaged = example
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            _ = RevisionTree.isLegacyBody(damaged)
            guard let tree = try? RevisionTree(extra: damaged, body: [0x70, 0x00], sequence: 1) else { continue }
            let again = try RevisionTree(extra: tree.encoded(), body: [0x70, 0x00], sequence: 1)
            #expect(again.encoded() == tree.encoded())
            read += 1
        }
        #expect(read > 0 && read < example.count * 8)
    }

    @Test func randomBytesAreATreeOrAnError() {
        var random = SeededRandom(5)
        var count = 0
        for _ in 0..<20000 {
            // Small sizes, parents and lengths, so that some get far.
            var input: [UInt8] = []
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let id: [UInt8] = [UInt8.random(in: 0...3, using: &random), UInt8.random(in: 0...255, using: &random)]
                let size = UInt8(12 + Int.random(in: -1...1, using: &random))
                let parent: [UInt8] = Bool.random(using: &random) ? [0xFF, 0xFF] : [0, UInt8.random(in: 0...3, using: &random)]
                input += [0, 0, 0, size] + parent + [UInt8.random(in: 0...255, using: &random), 2] + id
                input += [0, UInt8.random(in: 0...1, using: &random)]
            }
            input += [0, 0, 0, 0] + (0..<Int.random(in: 0...9, using: &random)).map { _ in UInt8.random(in: 0...1, using: &random) }
            _ = RevisionTree.isLegacyBody(input)
            guard var tree = try? RevisionTree(extra: input, body: [0x70, 0x00], sequence: 1) else { continue }
            count += 1
            tree.sort()
            _ = try? tree.prepareSave(isNewRecord: false, depth: 1)
        }
        #expect(count > 100)
    }

    @Test func remotesMayStandInAnyOrder() throws {
        let tree = try RevisionTree(extra: bytes("0000000cffff120301aaaa00 00000000 00030000 00010000 00030000"))
        #expect(tree.remoteIDs == [1, 3])
    }

    @Test func aLargeTreeIsReadAndPrunedInNoTime() throws {
        // A comb: every second revision is a leaf, at every depth.
        var tree = RevisionTree()
        var parent: Int?
        for n in 0..<8000 {
            let digest = withUnsafeBytes(of: UInt32(n)) { Array($0) }
            let id = digest.withUnsafeBytes { RevisionID(generation: UInt32(n + 1), digest: $0) }
            let index = tree.insert(try #require(id), after: parent, flags: [], body: nil)
            if n.isMultiple(of: 2) { parent = index }
        }
        tree = try RevisionTree(extra: tree.encoded())
        #expect(tree.revisions.count == 8000)
        #expect(tree.prune(toDepth: 50) == 3951)
        tree.sort()
        try tree.checkInvariants()
    }

    @Test(
        .enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"),
        arguments: [
            "v2.x/upgrade_2.7", "v2.x/upgrade_2.8", "v2.x/upgrade_2.8_index", "v3.x/db_3_0_0_names_100_with_deleted",
            "v3.x/upgrade_3.1_peerCheckpoints",
            "v3.x/words_db", "v4.x/revtrees_4.1", "v4.x/types_4.1", "v4.x/upgraded_1.3_by_4.1", "v4.x/upgraded_2.7_to_vectors",
            "v4.x/upgraded_2.8_index_by_4.1", "v4.x/upgraded_3.0_by_4.1", "v4.x/upgraded_3.1_by_4.1",
        ])
    func everyTreeOfTheFixturesIsWrittenAsItWasRead(fixture: String) throws {
        let records = try StoredRecord.all(in: fixture + ".cblite2").filter { $0.version.first != 0 }
        #expect(!records.isEmpty)
        for record in records {
            if let extra = record.extra, !extra.starts(with: [0, 0, 0, 0]) {
                let tree = try RevisionTree(extra: extra, body: record.body, sequence: 0)
                try tree.checkInvariants()
                #expect(tree.current?.id.binary == record.version)
                // Files of 3.0 and 3.1 lack the separator.
                let hasSeparator = !fixture.hasPrefix("v3") && !fixture.contains("3.0") && !fixture.contains("3.1")
                let encoded = tree.encoded()
                #expect(encoded == extra || (!hasSeparator && encoded == extra + [0, 0, 0, 0]), "\(record.id)")
                var sorted = tree
                sorted.sort()
                #expect(sorted.encoded() == encoded, "\(record.id) was not in order")
            } else if let body = record.body, RevisionTree.isLegacyBody(body) {
                let tree = try RevisionTree(legacyBody: body, sequence: record.sequence)
                try tree.checkInvariants()
                #expect(tree.current?.id.binary == record.version)
                #expect(tree.current?.isDeleted == (record.flags & 1 != 0))
            } else {
                // The vendor's migration put the trees of these tombstones into another column.
                #expect(fixture.contains("upgraded_3.0") && record.table == "kv_del_default", "\(record.id)")
            }
        }
    }
}
