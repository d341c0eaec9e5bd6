import CBLTestSupport
import FoundationEssentials
import Testing

@testable import CBLFleece

/// The texts and bytes that the reference made.
@Suite(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)")) struct JSONVectorTests {
    struct Vectors: Decodable {
        struct Item: Decodable { let json: String; let hex: String? }
        struct Large: Decodable { let what, head, tail: String; let length: Int }
        let plain, shared: [Item]
        let large: [Large]
        let shared_table_after: [String]
    }

    private func vectors() throws -> Vectors {
        try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: URL(filePath: Fixtures.path("fleece/vectors.json"))))
    }

    @Test func plainTextsEncodeToTheReferencesBytes() throws {
        for item in try vectors().plain where item.json != #"{"a":1,"a":2}"# {
            if let expected = item.hex {
                #expect(try encoded(item.json).hexadecimal == expected, "\(item.json)")
            } else {
                #expect(jsonError(item.json) != nil, "\(item.json)")
            }
        }
    }

    @Test func textsShareAKeyTable() throws {
        let vectors = try vectors()
        let keys = SharedKeysBuilder()
        for item in vectors.shared { #expect(try encoded(item.json, keys: keys).hexadecimal == item.hex, "\(item.json)") }
        #expect((0..<keys.state.count).map { keys.state.string(at: $0) } == vectors.shared_table_after)
    }

    @Test func largeCollectionsEncodeToTheReferencesBytes() throws {
        var texts = [2046, 2047, 2048].map { count in "[" + (0..<count).map(String.init).joined(separator: ",") + "]" }
        let strings = (0..<20).map { "\"" + String(repeating: Character(Unicode.Scalar(UInt8(65 + $0))), count: 2000) + "\"" }
        texts.append("[\"ab\"," + strings.joined(separator: ",") + ",\"ab\",7,null]")
        for (text, expected) in zip(texts, try vectors().large) {
            let bytes = try encoded(text).hexadecimal
            #expect(bytes.count == expected.length * 2)
            #expect(bytes.hasPrefix(expected.head) && bytes.hasSuffix(expected.tail))
            #expect(try rewritten(text) == text)
        }
    }

    struct Sample: Decodable { let text, fleece, shared, json, canonical: String }

    @Test func theCorpusEncodesAndReadsBack() throws {
        let keys = SharedKeysBuilder()
        for line in try Fixtures.lines("fleece/corpus.jsonl") {
            let sample = try JSONDecoder().decode(Sample.self, from: Data(line.utf8))
            let plain = try encoded(sample.text)
            let shared = try encoded(sample.text, keys: keys)
            #expect(masked(plain) == masked(FleeceData(hex(sample.fleece))), "\(sample.text)")
            #expect(masked(shared) == masked(FleeceData(hex(sample.shared))), "\(sample.text)")
            #expect(plain.json() == sample.json)
            #expect(plain.json(style: .canonical) == sample.canonical)
            #expect(shared.json(keys: keys.state, style: .canonical) == sample.canonical)
            // Every style reads back as the same value.
            for style in [.json5, .pretty, [.json5, .pretty, .canonical]] as [JSONStyle] {
                let again = try encoded(shared.json(keys: keys.state, style: style), style.contains(.json5) ? .json5 : .json)
                #expect(again.hexadecimal == plain.hexadecimal || again.json(style: .canonical) == sample.canonical)
            }
        }
    }

    @Test(arguments: ["1person", "1000people"]) func encodingsOfOlderGenerationsReadAsTheirText(name: String) throws {
        let text = try String(contentsOfFile: Fixtures.path("fleece/\(name).json"), encoding: .utf8)
        let data = FleeceData(Array(try Data(contentsOf: URL(filePath: Fixtures.path("fleece/\(name).fleece")))))
        #expect(data.json(style: .canonical) == (try rewritten(text, style: .canonical)))
    }

    @Test(arguments: ["names_100.json", "profiles_100.json", "travel.hotels.jsonl", "names.jsonl", "nested.json"])
    func documentsSurviveTheWayToBytesAndBack(name: String) throws {
        let keys = SharedKeysBuilder()
        for line in try Fixtures.lines("json/\(name)") {
            let canonical = try encoded(line, keys: keys).json(keys: keys.state, style: .canonical)
            #expect(try rewritten(canonical, style: .canonical) == canonical)
        }
    }

    /// The bytes with what the reference leaves to chance in wide slots: compared as text where there are any.
    private func masked(_ data: FleeceData) -> String { data.withRoot(hasWideCollections) ? data.json() : data.hexadecimal }

    private func hasWideCollections(_ value: Value) -> Bool {
        if let array = value.array { return array.slots.isWide || array.contains(where: hasWideCollections) }
        if let dictionary = value.dictionary { return dictionary.slots.isWide || dictionary.contains { hasWideCollections($0.value) } }
        return false
    }
}
