import CBLTestSupport
import FoundationEssentials
import Testing

@testable import CBLFleece

/// Hostile bytes: random ones, every truncation and bit flip of the vectors, mutations of the corpus. Each is walked completely, validated,
/// compared, copied and printed; nothing may crash, hang, or read outside. `CBLITE_FUZZ_SECONDS` runs the mutations for that long.
struct FuzzTests {
    static let seconds = ProcessInfo.processInfo.environment["CBLITE_FUZZ_SECONDS"].flatMap(Double.init) ?? 2

    /// One random sequence per seed. (SplitMix64)
    struct Random: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
            return z ^ z >> 31
        }
    }

    /// Everything that reads encodings, tried on one.
    final class Victim {
        let encoder = FleeceEncoder()
        let keys = SharedKeysBuilder()
        let paths: [KeyPath]
        var output = ByteBuffer()
        var accepted = 0
        var tried = 0

        init() throws {
            for name in ["name", "age", "type", "tags", "x"] { _ = keys.add(name) }
            paths = try ["name", "[0]", "[-1].name", "name.first[2]", "tags[0]", "a"].map { try KeyPath($0) }
        }

        func suffer(_ bytes: [UInt8], base: [UInt8] = []) {
            tried += 1
            // Memory of its own, so that the address sanitizer sees a read just past the end.
            let data = bytes.withUnsafeBytes { bytes in base.withUnsafeBytes { FleeceData(data: bytes, base: $0) } }
            let isValid = (try? Validator.validate(data, options: .undefinedRoot)) != nil
            _ = try? Validator.validate(data, keyCount: 5, options: .legacyPointers)
            data.withRoot { root in
                var walk = Walk(keys: keys.state)
                walk.read(root)
                for path in paths { walk.digest &+= path.evaluate(in: root, keys: keys.state)?.start ?? 0 }
                walk.digest &+= root.isEqual(to: root, keys.state, nil) ? 1 : 0
                if data.bytes.count < 4000 {
                    output.removeAll()
                    JSONWriter.write(root, keys: keys.state, to: &output)
                    encoder.write(root, keys: keys.state)
                    let copy = try? encoder.finish()
                    if isValid, walk.visits > 0 { check(copy, of: root) }
                }
                if isValid { accepted += 1 }
            }
            _ = try? data.withBytes { try SharedKeys(encoded: $0) }
        }

        /// A valid encoding whose keys all have names can be copied, and the copy is valid and equal.
        private func check(_ copy: FleeceData?, of root: Value) {
            guard let copy else { return }
            do {
                try Validator.validate(copy, options: .undefinedRoot)
            } catch {
                Issue.record("a copy is damaged: \(error) \(copy.hexadecimal)")
            }
            copy.withRoot { if !root.isEqual(to: $0, keys.state, nil) { Issue.record("a copy differs: \(copy.hexadecimal)") } }
        }
    }

    static let small: [String] =
        EncoderTests.cases.map(\.hex) + [
            "42616100 42626200 6002 8005 8004 4672656d6f746500 7002 000b 8009 001b 8008 8005",
            "446e616d6500 43426f62 43616765 446369747900 455061726973 7003 8009 0007 8009 8007 8012 8010 8007"
                + "437a6970 453735303031 7004 0800 800f 8018 0008 8018 3c00 800c 800b 8009",
            "43426f62 7802 00000000 80000005 00010000 19881300 8009", "7802 0000 0000 8000 0003 0000 0001 8006",
            "67ff 0000 0000 0000 8004", "6801 8000 0002 0000 8004", "43666f6f 8000 0002 8002",
        ]

    @Test func everyTruncationIsHarmless() throws {
        let victim = try Victim()
        for text in FuzzTests.small {
            let bytes = hex(text)
            for start in 0...bytes.count {
                for end in start...bytes.count { victim.suffer(Array(bytes[start..<end])) }
            }
        }
        #expect(victim.accepted >= FuzzTests.small.count / 2)
    }

    @Test func everyBitFlipIsHarmless() throws {
        let victim = try Victim()
        for text in FuzzTests.small {
            var bytes = hex(text)
            for bit in 0..<bytes.count * 8 {
                bytes[bit / 8] ^= 1 << (bit % 8)
                victim.suffer(bytes)
                bytes[bit / 8] ^= 1 << (bit % 8)
            }
        }
        #expect(victim.tried > 4000)
    }

    @Test func everyFirstByteIsHarmless() throws {
        let victim = try Victim()
        for first in UInt8.min ... .max {
            for second in [0, 1, 2, 3, 4, 5, 8, 0x10, 0x40, 0x60, 0x7F, 0x80, 0xF0, 0xFF] as [UInt8] {
                victim.suffer([first, second])
                victim.suffer(hex("7001 0000") + [first, second] + hex("8003"))
                victim.suffer(hex("4361 6263 6002") + [first, second] + hex("0001 8003"))
            }
        }
    }

    @Test func randomBytesAndMutationsAreHarmless() throws {
        let victim = try Victim()
        var random = Random(state: 0xCB117E)
        var seeds = FuzzTests.small.map { hex($0) }
        if Fixtures.arePresent {
            struct Sample: Decodable { let fleece, shared: String }
            for line in try Fixtures.lines("fleece/corpus.jsonl") {
                let sample = try JSONDecoder().decode(Sample.self, from: Data(line.utf8))
                seeds += [hex(sample.fleece), hex(sample.shared)]
            }
        }
        let end = ContinuousClock.now + .seconds(FuzzTests.seconds)
        repeat {
            for _ in 0..<20 {
                victim.suffer(FuzzTests.randomBytes(&random))
                if let seed = seeds.randomElement(using: &random) {
                    let mutant = FuzzTests.mutated(seed, &random, with: seeds)
                    victim.suffer(mutant)
                    if let base = seeds.randomElement(using: &random), base.count < 1000 { victim.suffer(mutant, base: base) }
                }
            }
        } while ContinuousClock.now < end
        #expect(victim.accepted > 0)
        if FuzzTests.seconds > 10 { print("fuzzed \(victim.tried) encodings, \(victim.accepted) of them valid") }
    }

    /// Words that look like headers and near pointers, more than chance would have it.
    private static func randomBytes(_ random: inout Random) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 1...40, using: &random) {
            switch UInt8.random(in: 0...7, using: &random) {
            case 0: bytes += [0x60 | UInt8.random(in: 0...31, using: &random), UInt8.random(in: 0...4, using: &random)]
            case 1: bytes += [0x70, UInt8.random(in: 0...4, using: &random)]
            case 2, 3: bytes += [0x80, UInt8.random(in: 0...12, using: &random)]
            case 4: bytes += [0x40 | UInt8.random(in: 0...15, using: &random), UInt8.random(in: 0...255, using: &random)]
            case 5: bytes += [0x10 | UInt8.random(in: 0...47, using: &random), 0]
            case 6: bytes += [0, UInt8.random(in: 0...5, using: &random)]
            default: bytes += [UInt8.random(in: 0...255, using: &random), UInt8.random(in: 0...255, using: &random)]
            }
        }
        return bytes
    }

    private static func mutated(_ seed: [UInt8], _ random: inout Random, with others: [[UInt8]]) -> [UInt8] {
        var bytes = seed
        for _ in 0..<Int.random(in: 1...6, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch UInt8.random(in: 0...6, using: &random) {
            case 0: bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
            case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 2: bytes[place] = [0, 0x7F, 0x80, 0xFF, 0x08, 0x60, 0x70, 0x68, 0x78, 0x4F].randomElement(using: &random) ?? 0
            case 3: bytes.removeSubrange(place..<min(bytes.count, place + 2))
            case 4: bytes.insert(contentsOf: [UInt8](repeating: 0, count: 2), at: place)
            case 5: bytes.removeLast(min(bytes.count, 2))
            default:
                if let other = others.randomElement(using: &random), !other.isEmpty {
                    let start = Int.random(in: 0..<other.count, using: &random)
                    bytes.insert(contentsOf: other[start..<min(other.count, start + 16)], at: place & ~1)
                }
            }
        }
        return bytes
    }

    /// The encoder cannot be brought down by any order of calls.
    @Test func anySequenceOfWritesIsHarmless() throws {
        var random = Random(state: 7)
        let encoder = FleeceEncoder(sharedKeys: SharedKeysBuilder())
        var finished = 0
        for _ in 0..<20_000 {
            for _ in 0..<Int.random(in: 1...12, using: &random) {
                switch UInt8.random(in: 0...13, using: &random) {
                case 0: encoder.beginArray()
                case 1, 2: encoder.endArray()
                case 3: encoder.beginDictionary()
                case 4, 5: encoder.endDictionary()
                case 6, 7: encoder.writeKey(["a", "bb", "long.key.that.is.not.shared", ""].randomElement(using: &random) ?? "")
                case 8: encoder.writeKey(sharedKey: Int.random(in: -1...3, using: &random))
                case 9: encoder.write(Int64(bitPattern: random.next() >> UInt64.random(in: 0...63, using: &random)))
                case 10: encoder.write(random.next() >> UInt64.random(in: 0...63, using: &random))
                case 11: encoder.write(Double(bitPattern: random.next()))
                case 12: encoder.write(String(repeating: "s", count: Int.random(in: 0...20, using: &random)))
                default: encoder.writeNull()
                }
            }
            if let data = try? encoder.finish() {
                finished += 1
                try Validator.validate(data)
            }
        }
        #expect(finished > 100)
    }
}
