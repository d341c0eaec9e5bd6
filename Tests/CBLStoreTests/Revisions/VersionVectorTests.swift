import CBLTestSupport
import Testing

@testable import CBLStore

private let zeg = "ZegpoldZegpoldZegpoldA"
private let alice = "AliceAliceAliceAliceAA"
private let bob = "BobBobBobBobBobBobBobA"
private let carol = "CarolCarolCarolCarolCA"
private let dave = "DaveDaveDaveDaveDaveDA"

@Suite struct VersionVectorTests {
    @Test(arguments: [
        ("18e9d1d110b40000@*", "00e8c2889dbaba0c80"), ("18e9d1d110b60001@*", "008380b08ba2f4e8e93180"),
        ("1889a6b0c0de0000@\(zeg)", "00bc8386ebb4a20c9065e829a257597a0a6895d65e829a2574"),
        (
            "18e9d1d110c00002@*, 18e9d1d110c00001@*, 1889a6b0c0de0000@\(zeg);",
            "008580808ca2f4e8e931800380838090fe89c895609065e829a257597a0a6895d65e829a2574"
        ),
        ("18e9d1d110c10001@*; 1889a6b0c0de0000@\(zeg)", "008380888ca2f4e8e93180838098fe89c895601065e829a257597a0a6895d65e829a2574"),
        ("1889a6b0c0de0000@\(zeg); 18e9d1d110c10002@*", "00bc8386ebb4a20c9065e829a257597a0a6895d65e829a2574fdffe781f6b7ea9fff0100"),
    ])
    func textAndBinaryAreTwoFormsOfOneVector(text: String, binary: String) throws {
        let vector = try VersionVector(parsing: text)
        #expect(vector.description == text)
        #expect(hex(vector.binary) == binary)
        #expect(try VersionVector(binary: vector.binary) == vector)
        #expect(vector.binary.withUnsafeBytes { try? RevisionID(column: $0) }?.text == vector.current?.description)
    }

    @Test func smallTimesAndDifferencesAreCompressed() throws {
        let binary = hex(try VersionVector(parsing: "3@*, 2@\(alice), 1@\(dave); 2@\(carol)").binary)
        #expect(binary.hasPrefix("000780" + "0390" + "02589c78096271e02589c78096271e00" + "0390" + "0dab"))
        #expect(binary.contains("0c" + "ffffffffffffffffff01" + "10" + "09aa"))
    }

    @Test(arguments: [
        ("1@*, 2@\(zeg)", "1@*, 2@\(zeg);"), ("1@*;", "1@*"), ("2@*,1@\(zeg);3@\(alice)", "2@*, 1@\(zeg); 3@\(alice)"),
        ("2@*, 1@*, 1@\(zeg)", "2@*, 1@*, 1@\(zeg);"),
    ])
    func textIsReadLeniently(text: String, canonical: String) throws {
        #expect(try VersionVector(parsing: text).description == canonical)
    }

    @Test(arguments: [
        "", ";", ",", "1@*,", "1@*, ", ",1@*", "1@*;;", "1@*; 2@\(zeg);", "1@*;; 2@\(zeg)", "1@* 2@\(zeg)", "1@*; 1-aa", "1-aa", "1@*; 1@*",
        "1@*, 2@*",
        "1@*; 2@*", "2@*; 1@*", "3@*, 2@*, 1@*", "2@*, 1@\(zeg), 1@\(zeg)",
    ])
    func otherTextsAreRefused(text: String) {
        #expect(throws: RevisionError.self) { try VersionVector(parsing: text) }
    }

    @Test(arguments: ["", "00", "0003", "000381", "00038003", "0003000380", "000380008003", "01aa", "000380" + "0280"])
    func otherBytesAreRefused(binary: String) {
        #expect(throws: RevisionError.self) { try VersionVector(binary: bytes(binary)) }
    }

    @Test func withoutMarksTheFirstIsCurrent() throws {
        let text = "1889a6b0c0de0000@\(zeg); 18e9d1d110c10002@*"
        var unmarked = try VersionVector(parsing: text).binary
        let mark = try #require(unmarked.firstIndex(of: 0x90))
        unmarked[mark] = 0x10
        #expect(try VersionVector(binary: unmarked).description == text)
    }

    @Test(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"))
    func everyVectorOfTheFixturesIsWrittenAsItWasRead() throws {
        var count = 0
        for fixture in ["v4.x/vectors_4.1.cblite2", "v4.x/upgraded_2.7_to_vectors.cblite2"] {
            for record in try StoredRecord.all(in: fixture) where record.version.first == 0 {
                #expect(try VersionVector(binary: record.version).binary == record.version)
                count += 1
            }
        }
        #expect(count == 23)
    }

    @Test func randomVectorsSurviveBothForms() throws {
        var random = SeededRandom(3)
        for _ in 0..<2000 {
            let versions = (0..<Int.random(in: 1...6, using: &random)).map { place in
                // Real times, to which both kinds of compression apply.
                let time = UInt64.random(in: 0x100_0000_0000...0x3FFF_FFFF_FFFF_FFFF, using: &random)
                let source = place == 0 ? SourceID.local : SourceID((0..<16).map { _ in UInt8.random(in: 1...255, using: &random) })
                return Version(time: Bool.random(using: &random) ? time & ~0xFFFF : time, source: source ?? .local)
            }
            let vector = try VersionVector(versions, currentCount: Int.random(in: 1...versions.count, using: &random))
            #expect(try VersionVector(binary: vector.binary) == vector)
            #expect(try VersionVector(parsing: vector.description) == vector)
        }
    }

    @Test func damageIsAVectorOrAnError() throws {
        let vector = try VersionVector(parsing: "18e9d1d110c00002@*, 18e9d1d110c00001@*, 1889a6b0c0de0000@\(zeg); 5@\(alice)").binary
        var count = 0
        for length in 0..<vector.count { _ = try? VersionVector(binary: Array(vector[..<length])) }
        for bit in 0..<(vector.count * 8) {
            var damaged = vector
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            guard let read = try? VersionVector(binary: damaged) else { continue }
            #expect(try VersionVector(parsing: read.description) == read)
            count += 1
        }
        #expect(count > 0 && count < vector.count * 8)
    }

    @Test(arguments: [
        ("1@*", "1@*", RevisionOrder.same), ("2@*", "1@*", .newer), ("1@*", "2@*", .older), ("1@*", "1@\(zeg)", .conflict),
        ("2@\(zeg); 1@*", "1@*", .newer), ("1@*", "2@\(zeg); 1@*", .older), ("2@\(zeg); 1@*", "2@*", .conflict),
        ("3@*, 2@\(zeg), 1@\(alice);", "2@\(zeg)", .newer), ("3@*, 2@\(zeg), 1@\(alice);", "3@\(alice)", .conflict),
        // After a trivial merge only the winner counts.
        ("2@\(zeg); 3@*", "2@\(zeg)", .same), ("2@\(zeg); 3@*", "3@*", .newer),
    ])
    func currentVersionsDecideTheOrder(a: String, b: String, order: RevisionOrder) throws {
        #expect(try VersionVector(parsing: a).order(relativeTo: VersionVector(parsing: b)) == order)
    }

    @Test func aVectorIsComparedWithNoneAndWithAVersion() throws {
        let vector = try VersionVector(parsing: "2@\(zeg); 3@*")
        #expect(VersionVector().order(relativeTo: VersionVector()) == .same)
        #expect(VersionVector().order(relativeTo: vector) == .older)
        #expect(vector.order(relativeTo: VersionVector()) == .newer)
        #expect(vector.order(relativeTo: try Version(parsing: "2@\(zeg)")) == .same)
        #expect(vector.order(relativeTo: try Version(parsing: "3@*")) == .newer)
        #expect(vector.order(relativeTo: try Version(parsing: "4@*")) == .older)
        #expect(vector.order(relativeTo: try Version(parsing: "1@\(alice)")) == .older)
    }

    // The wall clock of the steps below; times of the vectors lie before it.
    private let wall: UInt64 = 0x18e9_d1d1_10c0_0000

    @Test(arguments: [
        // Seeing its own time sets a new clock to the wall clock, and the edit comes after that.
        ("18e9d1d110b40000@*", "18e9d1d110c00001@*"), ("1889a6b0c0de0000@\(zeg)", "18e9d1d110c00000@*; 1889a6b0c0de0000@\(zeg)"),
        ("1889a6b0c0de0000@\(zeg); 18e9d1d110b40000@*", "18e9d1d110c00001@*; 1889a6b0c0de0000@\(zeg)"),
        // Its own time is ahead of the wall clock.
        ("18e9d1d110d00003@*", "18e9d1d110d00004@*"),
        // A merge comes to its end, with the older self of its current source.
        (
            "18e9d1d110b40003@\(zeg), 18e9d1d110b40002@\(zeg), 18e9d1d110b40001@\(alice); 18e9d1d110b00001@*",
            "18e9d1d110c00001@*; 18e9d1d110b40003@\(zeg), 18e9d1d110b40001@\(alice)"
        ),
        ("", "18e9d1d110c00000@*"),
    ])
    func anEditPutsALocalVersionFirst(before: String, after: String) throws {
        var clock = HybridClock()
        let vector = before.isEmpty ? VersionVector() : try VersionVector(parsing: before)
        let edited = try vector.addingLocalVersion(&clock, wallClock: wall)
        #expect(edited.description == after)
        #expect(edited.order(relativeTo: vector) == .newer)
    }

    @Test func aMergeNamesWhatItMerged() throws {
        var clock = HybridClock()
        let ours = try VersionVector(parsing: "18e9d1d110c00001@*; 18e9d1d110a00001@\(alice)")
        let theirs = try VersionVector(parsing: "1889a6b0c0de0000@\(zeg); 18e9d1d110a00002@\(alice), 18e9d1d110a00003@\(bob)")
        let merged = try ours.merged(with: theirs, &clock, wallClock: wall)
        #expect(
            merged.description
                == "18e9d1d110c00002@*, 18e9d1d110c00001@*, 1889a6b0c0de0000@\(zeg); 18e9d1d110a00003@\(bob), 18e9d1d110a00002@\(alice)")
        #expect(merged.order(relativeTo: ours) == .newer)
        #expect(merged.order(relativeTo: theirs) == .newer)
        #expect(throws: RevisionError.self) { try ours.merged(with: VersionVector(parsing: "18e9d1d110c10001@*"), &clock, wallClock: wall) }
        let early = try VersionVector(parsing: "5@\(zeg)")
        #expect(throws: RevisionError.badTime(early.versions[0])) { try ours.merged(with: early, &clock, wallClock: wall) }
    }

    @Test(arguments: [
        ("18e9d1d110c10001@*", "1889a6b0c0de0000@\(zeg)", "18e9d1d110c10001@*; 1889a6b0c0de0000@\(zeg)"),
        ("1889a6b0c0de0000@\(zeg)", "18e9d1d110c10002@*", "1889a6b0c0de0000@\(zeg); 18e9d1d110c10002@*"),
        // A merge stays one unless the loser knows more of what was merged.
        ("5@*, 4@*, 3@\(zeg); 1@\(bob)", "6@\(alice); 2@\(bob)", "5@*, 4@*, 3@\(zeg); 6@\(alice), 2@\(bob)"),
        ("5@*, 4@*, 3@\(zeg)", "6@\(zeg)", "5@*; 6@\(zeg)"),
    ])
    func theUnchangedWinnerTakesInWhatTheLoserKnows(winner: String, loser: String, result: String) throws {
        #expect(try VersionVector(parsing: winner).trivialMerge(loser: VersionVector(parsing: loser)).description == result)
    }

    @Test func vectorsShareVersionsOfOneTime() throws {
        let vector = try VersionVector(parsing: "3@*; 2@\(zeg)")
        #expect(vector.sharesVersion(with: try VersionVector(parsing: "5@\(alice); 2@\(zeg)")))
        #expect(!vector.sharesVersion(with: try VersionVector(parsing: "2@*; 3@\(zeg)")))
    }

    @Test(arguments: [
        ("1@*", "3@\(zeg); 1@*", "3@\(zeg)"), ("1@*; 1@\(zeg)", "3@\(zeg); 1@*", "3@\(zeg)"),
        ("1@*", "5@\(alice), 4@\(zeg), 3@\(bob); 1@*", "5@\(alice), 4@\(zeg), 3@\(bob);"), ("1@*", "1@*; 2@\(zeg)", nil),
        ("1@*; 9@\(bob)", "3@\(zeg); 1@*", nil),
    ])
    func aDeltaMakesTheNewerVectorOfTheOlder(older: String, newer: String, delta: String?) throws {
        let (older, newer) = (try VersionVector(parsing: older), try VersionVector(parsing: newer))
        let made = newer.delta(from: older)
        #expect(made?.description == delta)
        if let made { #expect(older.applying(delta: made) == newer) }
    }

    @Test func theLocalNameIsReplacedOnTheWay() throws {
        let vector = try VersionVector(parsing: "3@*; 2@\(zeg)")
        let source = try Version(parsing: "1@\(alice)").source
        #expect(vector.text(local: source) == "3@\(alice); 2@\(zeg)")
        #expect(try VersionVector(parsing: "3@\(alice); 2@\(zeg)").replacing(source, by: .local) == vector)
    }
}

@Suite struct HybridClockTests {
    private func now(_ clock: inout HybridClock, _ wallClock: UInt64) -> UInt64 { clock.now(wallClock: wallClock) }
    private func see(_ clock: inout HybridClock, _ time: UInt64, _ wallClock: UInt64) -> Bool { clock.see(time, wallClock: wallClock) }

    @Test func timeNeverGoesBack() {
        var clock = HybridClock()
        #expect(now(&clock, 0x18e9_d1d1_10c0_1234) == 0x18e9_d1d1_10c0_0000)
        #expect(now(&clock, 0x18e9_d1d1_10c0_1235) == 0x18e9_d1d1_10c0_0001)
        #expect(now(&clock, 0x18e9_d1d1_10b0_0000) == 0x18e9_d1d1_10c0_0002)
        #expect(now(&clock, 0x18e9_d1d1_10c1_0000) == 0x18e9_d1d1_10c1_0000)
    }

    @Test func aTimeSeenIsInThePast() {
        var clock = HybridClock()
        let wall: UInt64 = 0x18e9_d1d1_10c0_0000
        #expect(see(&clock, wall + 0x10000 + 7, wall))
        #expect(now(&clock, wall) == wall + 0x10000 + 8)
        #expect(see(&clock, wall - 0x10000, wall))
        #expect(now(&clock, wall) == wall + 0x10000 + 9)
    }

    @Test func anUnbelievableTimeIsRefused() {
        var clock = HybridClock()
        let wall: UInt64 = 0x18e9_d1d1_10c0_0000
        #expect(!see(&clock, 0xFF_FFFF_FFFF, wall))
        #expect(see(&clock, 0x100_0000_0000, wall))
        #expect(!see(&clock, 1 << 63, wall))
        #expect(!see(&clock, wall + 121_000_000_000, wall))
        #expect(see(&clock, wall + 119_000_000_000, wall))
        #expect(!see(&clock, UInt64.max, wall))
    }
}
