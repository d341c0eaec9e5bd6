import CBLTestSupport
import FoundationEssentials
import Testing

@testable import CBLFleece

/// The bytes of the reference, byte for byte. It leaves the last two bytes of an inline value in a four-byte slot as they happen to be: those
/// alone are set to zero before comparing.
@Suite(.enabled(if: Fixtures.arePresent, Comment(rawValue: Fixtures.absence))) struct EncoderCorpusTests {
    struct Sample: Decodable { let text, fleece, shared: String }

    @Test func theCorpusIsEncodedByteForByte() throws {
        let keys = SharedKeysBuilder()
        let plain = FleeceEncoder()
        let shared = FleeceEncoder(sharedKeys: keys)
        let lines = try Fixtures.lines("fleece/corpus.jsonl")
        #expect(lines.count == 300)
        var wide = 0
        for line in lines {
            let sample = try JSONDecoder().decode(Sample.self, from: Data(line.utf8))
            for (encoder, expected) in [(plain, sample.fleece), (shared, sample.shared)] {
                try JSONParser.parse(sample.text, into: encoder)
                let data = try encoder.finish()
                try Validator.validate(data, keyCount: keys.state.count)
                let reference = FleeceData(hex(expected))
                try Validator.validate(reference, keyCount: keys.state.count)
                let (bytes, wideCount) = withoutLeftovers(reference)
                wide += wideCount
                #expect(data.hexadecimal == bytes.withUnsafeBytes { hex($0) }, "\(sample.text)")
                // A copy, with the keys of neither, reads the same; and copied back it has the reference's bytes again.
                let copier = FleeceEncoder()
                data.withRoot { copier.write($0, keys: encoder.sharedKeys?.state) }
                let copy = try copier.finish()
                try Validator.validate(copy, keyCount: 0)
                copy.withRoot { copy in data.withRoot { #expect(copy.isEqual(to: $0, nil, encoder.sharedKeys?.state)) } }
            }
        }
        print("wide collections in the corpus: \(wide)")
    }

    @Test(arguments: ["1person", "1000people"]) func olderEncodingsAreValid(_ name: String) throws {
        let data = FleeceData([UInt8](try Data(contentsOf: URL(filePath: Fixtures.path("fleece/\(name).fleece")))))
        try Validator.validate(data, options: .legacyPointers)
        let text = try String(contentsOfFile: Fixtures.path("fleece/\(name).json"), encoding: .utf8)
        let encoder = FleeceEncoder(sharedKeys: SharedKeysBuilder())
        try JSONParser.parse(text, into: encoder)
        let keys = encoder.sharedKeys?.state
        let again = try encoder.finish()
        try Validator.validate(again, keyCount: keys?.count)
        data.withRoot { old in again.withRoot { #expect(old.isEqual(to: $0, nil, keys)) } }
    }

    /// The bytes with zeros where the reference leaves leftovers, and how many wide collections there are.
    private func withoutLeftovers(_ data: FleeceData) -> ([UInt8], Int) {
        var bytes = [UInt8](data.bytes)
        var wide = 0
        func clear(_ slots: Slots, _ count: Int) {
            guard slots.isWide else { return }
            wide += 1
            for index in 0..<count where bytes[slots.position(index)] < 0x80 {
                bytes[slots.position(index) + 2] = 0
                bytes[slots.position(index) + 3] = 0
            }
        }
        func visit(_ value: Value) {
            if let array = value.array {
                clear(array.slots, array.count)
                array.forEach(visit)
            } else if let dictionary = value.dictionary {
                clear(dictionary.slots, dictionary.count * 2)
                dictionary.forEach { visit($0.value) }
            }
        }
        data.withRoot(visit)
        return (bytes, wide)
    }
}
