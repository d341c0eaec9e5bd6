import CBLBase
import CBLStore
import FoundationEssentials
import Testing

@testable import CBLReplication

@Suite struct RemoteSequenceTests {
    @Test(arguments: [
        ("1", "2", true), ("2", "1", false), ("1", "1", false), ("5", #""6:1""#, true), ("6", #""6:1""#, false), ("5", #""5:6:7""#, true),
        (#""4:9""#, "4", true), (#""4:9""#, "3", false), (#""4:9""#, #""4:10""#, true), (#""4:9""#, #""5:1""#, true),
        (#""4:9""#, #""4::1""#, true), (#""4:9""#, #""3::1""#, false), (#""3::8""#, "4", true), (#""4::8""#, "4", false),
        (#""3::8""#, #""4:1""#, true), (#""3::8""#, #""3::9""#, true), (#""3:4:8""#, #""3:4:9""#, true), (#""3::8""#, #""4::1""#, true),
    ])
    func sequencesAreOrderedAsTheGatewayMeansThem(_ a: String, _ b: String, _ isBefore: Bool) throws {
        let (a, b) = (try #require(RemoteSequence(json: a)), try #require(RemoteSequence(json: b)))
        #expect(a.isBefore(b) == isBefore)
    }

    @Test func whatOnlyThePeerUnderstandsHasNoOrder() throws {
        for text in [#""abc""#, #"{"a":1}"#, "[1]", #""1:2:3:4""#, #"":1""#, "-1", "1.5"] {
            let sequence = try #require(RemoteSequence(json: text))
            #expect(sequence.json == text)
            #expect(sequence.isBefore(RemoteSequence(5)) == nil)
        }
        for text in ["", "null", "nonsense", "1 2", "{", "01", "1x"] { #expect(RemoteSequence(json: text) == nil, "\(text)") }
        for text in ["0", "9", "10", "123456789012345678", "18446744073709551615"] {
            #expect(RemoteSequence(json: text)?.json == text, "\(text)")
        }
    }
}

@Suite struct SequenceSetTests {
    /// Against a plain set, after every step.
    @Test func itIsASetWhateverIsDoneToIt() {
        var random = TestRandom(7)
        var set = SequenceSet()
        var model: Set<UInt64> = []
        for _ in 0..<4000 {
            let start = UInt64(random.below(60))
            switch random.below(3) {
            case 0:
                set.insert(start)
                model.insert(start)
            case 1:
                let end = start + UInt64(random.below(8))
                set.insert(start..<end)
                model.formUnion(start..<end)
            default:
                set.remove(start)
                model.remove(start)
            }
            #expect(Set(set.ranges.flatMap { Array($0) }) == model)
            #expect(zip(set.ranges, set.ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound })
            #expect(set.contains(start) == model.contains(start))
        }
    }

    @Test func intersections() {
        var random = TestRandom(8)
        for _ in 0..<500 {
            var sets = (SequenceSet(), SequenceSet())
            for _ in 0..<6 {
                let (a, b) = (UInt64(random.below(40)), UInt64(random.below(40)))
                sets.0.insert(a..<a + UInt64(random.below(6)))
                sets.1.insert(b..<b + UInt64(random.below(6)))
            }
            let expected = Set(sets.0.ranges.flatMap { Array($0) }).intersection(sets.1.ranges.flatMap { Array($0) })
            #expect(Set(sets.0.intersection(sets.1).ranges.flatMap { Array($0) }) == expected)
        }
    }
}

@Suite struct CheckpointTests {
    @Test func bodiesAreTheVendors() throws {
        var completed = SequenceSet(0..<101)
        completed.insert(103..<118)
        let checkpoint = Checkpoint(completed: completed, remote: RemoteSequence(2345))
        let text = #"{"time":1700000000,"local":100,"localCompleted":[0,101,103,15],"remote":2345}"#
        #expect(String(decoding: checkpoint.body(time: 1_700_000_000), as: UTF8.self) == text)
        #expect(Checkpoint(json: text.utf8) == checkpoint)
        #expect(checkpoint.local == 100)

        let pull = Checkpoint(completed: SequenceSet(), remote: RemoteSequence(json: #""14:13""#))
        #expect(String(decoding: pull.body(time: 5), as: UTF8.self) == #"{"time":5,"remote":"14:13"}"#)
        #expect(Checkpoint(json: #"{"time":1700000000,"local":3}"#.utf8) == Checkpoint(completed: SequenceSet(0..<4)))
        for text in ["", "null", "[]", "{}", "rubbish", #"{"local":-4}"#, #"{"localCompleted":[1,18446744073709551615]}"#] {
            #expect(Checkpoint(json: text.utf8) == Checkpoint())
        }
    }

    @Test func twoCopiesAgreeOnWhatBothHave() {
        let mine = Checkpoint(completed: SequenceSet(0..<50), remote: RemoteSequence(20))
        #expect(mine.validated(against: mine).isValid)
        let behind = Checkpoint(completed: SequenceSet(0..<30), remote: RemoteSequence(10))
        // What the peer had once it may have again.
        #expect(mine.validated(against: behind) == (Checkpoint(completed: behind.completed), false))
        let behindInOne = Checkpoint(completed: SequenceSet(0..<30), remote: RemoteSequence(20))
        #expect(mine.validated(against: behindInOne) == (Checkpoint(completed: behind.completed), false))
        let ahead = Checkpoint(completed: SequenceSet(0..<60), remote: RemoteSequence(30))
        #expect(mine.validated(against: ahead) == (mine, false))
        let strange = Checkpoint(completed: SequenceSet(0..<50), remote: RemoteSequence(json: #""what""#))
        #expect(mine.validated(against: strange) == (Checkpoint(completed: SequenceSet(0..<50)), false))
        #expect(mine.validated(against: Checkpoint()) == (Checkpoint(), false))
    }

    static let uuid = UniqueID(high: 0x1011_1213_1415_1617, low: 0x1819_1a1b_1c1d_1e1f)
    static let url = "wss://sync.example.com:4984/mydb/_blipsync"

    @Test func idsAreTheVendorsByteForByte() throws {
        var scope = CheckpointScope(remote: CheckpointTests.url)
        let plain =
            "4f10101112131415161718191a1b1c1d1e1f4f2a7773733a2f2f73796e632e6578616d706c652e636f6d3a343938342f6d7964622f5f626c697073796e63"
            + "6002802080188003"
        #expect(try hex(scope) == plain)
        #expect(try scope.checkpointID(privateUUID: CheckpointTests.uuid) == "cp-VHy1N4bnWbFu3kA/P6dPKpZWq8k=")
        scope.pulls = false
        #expect(try scope.checkpointID(privateUUID: CheckpointTests.uuid) == "cp-VHy1N4bnWbFu3kA/P6dPKpZWq8k=")
        scope.channels = ["news", "sports"]
        let channels =
            "4f10101112131415161718191a1b1c1d1e1f4f2a7773733a2f2f73796e632e6578616d706c652e636f6d3a343938342f6d7964622f5f626c697073796e63"
            + "446e657773004673706f727473006002800880066006802a802280063000300030008007"
        #expect(try hex(scope) == channels)
        #expect(try scope.checkpointID(privateUUID: CheckpointTests.uuid) == "cp-MB+lmA7g+mk2xPqplx2j6R7Cyzs=")
        let flowers = CheckpointScope(collection: try CollectionName(name: "flowers"), remote: CheckpointTests.url)
        let named =
            "4f10101112131415161718191a1b1c1d1e1f47666c6f77657273485f64656661756c74004f2a7773733a2f2f73796e632e6578616d706c652e636f6d3a34"
            + "3938342f6d7964622f5f626c697073796e63600680298021801e38003800801c8007"
        #expect(try hex(flowers) == named)
        #expect(try flowers.checkpointID(privateUUID: CheckpointTests.uuid) == "cp-4ijl2KqUj2PNwT2B64Lb/EaNKGtVnDB3ysxmShrwpzg=")
    }

    private func hex(_ scope: CheckpointScope) throws -> String {
        try scope.encoding(privateUUID: CheckpointTests.uuid).withBytes { bytes in
            bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
        }
    }

    @Test func theOriginalOfACopyMayHaveSpelledTheURLOtherwise() throws {
        #expect(CheckpointScope.spellings(of: "wss://a.example/db") == ["wss://a.example/db", "wss://a.example:443/db"])
        #expect(CheckpointScope.spellings(of: "wss://a.example:443/db") == ["wss://a.example:443/db", "wss://a.example/db"])
        #expect(CheckpointScope.spellings(of: "ws://a.example/db") == ["ws://a.example/db", "ws://a.example:80/db"])
        #expect(CheckpointScope.spellings(of: "ws://a.example:4984/db") == ["ws://a.example:4984/db"])
        #expect(CheckpointScope.spellings(of: "ws://[::1]/db") == ["ws://[::1]/db", "ws://[::1]:80/db"])
        #expect(CheckpointScope.spellings(of: "somewhere") == ["somewhere"])
        let ids = try CheckpointScope(remote: "wss://a.example/db").formerCheckpointIDs(previousUUID: CheckpointTests.uuid)
        #expect(Set(ids).count == 2)
    }
}
