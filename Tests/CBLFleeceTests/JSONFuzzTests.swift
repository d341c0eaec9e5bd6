import CBLTestSupport
import Testing

@testable import CBLFleece

/// Texts that nobody means to write. Run for long with `CBLITE_FUZZ_SECONDS`, and with `--sanitize=address`.
@Suite struct JSONFuzzTests {
    private static let texts = [
        #"{"name":{"first":"Ada","last":"Lovelace"},"age":36,"tags":["math","é\u00e9\ud83d\ude00"],"score":9.75e-3,"big":12345678901234567890}"#,
        #"[true,false,null,-0.0,1e5,"",{},[],"a string longer than fifteen bytes \\ \" \/ \b"]"#,
        "{ünï: 'x\\'\\x41\\\n', $b: +.5, c: 0xFF, /* d */ d: [5., -.5,], // e\n}",
    ]

    /// The parser takes the text or says where it is wrong; what it takes survives the way to text and back.
    private func check(_ text: [UInt8]) {
        for dialect in [JSONDialect.json, .json5] {
            if let error = jsonError(text, dialect) {
                if error.offset < 0 || error.offset > text.count || error.line < 1 || error.column < 1 {
                    Issue.record("bad place in \(text)")
                }
            } else {
                // Valid JSON is valid UTF-8, so a string takes it as it is.
                let string = String(decoding: text, as: UTF8.self)
                guard let data = try? encoded(string, dialect), let again = try? encoded(data.json(style: .canonical)) else {
                    Issue.record("\(string) does not survive")
                    continue
                }
                if again.json(style: .canonical) != data.json(style: .canonical) { Issue.record("\(string) changes") }
                if let pretty = try? encoded(data.json(style: [.pretty, .json5]), .json5), pretty.json() == data.json() { continue }
                Issue.record("\(string) does not survive in another style")
            }
        }
        _ = text.withUnsafeBytes { bytes in
            Result { () throws(JSONError) in try JSONParser.parsePrefix(of: bytes, isWhole: false, into: FleeceEncoder()) }
        }
    }

    @Test func everyTruncationAndBitFlip() {
        for text in Self.texts.map({ Array($0.utf8) }) {
            for length in 0...text.count { check(Array(text[..<length])) }
            for bit in 0..<text.count * 8 {
                var flipped = text
                flipped[bit / 8] ^= 1 << UInt8(bit % 8)
                check(flipped)
            }
        }
    }

    @Test func randomBytes() {
        var random = SeededRandom(11)
        let alphabet = Array("{}[]\",:'\\/*-+.0123456789eExutfn \n\u{E9}abIN$".utf8) + [0, 0x1F, 0x7F, 0x80, 0xC3, 0xE2, 0xF0, 0xFF]
        repeatWithin(seconds: 1) {
            for _ in 0..<100 { check((0..<random.below(40)).map { _ in random.element(of: alphabet) }) }
        }
    }

    @Test func randomMutations() throws {
        var random = SeededRandom(12)
        var texts = Self.texts.map { Array($0.utf8) }
        if Fixtures.arePresent { texts += try Fixtures.lines("fleece/corpus.jsonl").prefix(50).map { Array($0.utf8) } }
        repeatWithin(seconds: 2) {
            for _ in 0..<20 {
                var text = random.element(of: texts)
                for _ in 0...random.below(5) where !text.isEmpty {
                    let place = random.below(text.count)
                    switch random.below(4) {
                    case 0: text[place] ^= 1 << UInt8(random.below(8))
                    case 1: text.removeSubrange(place..<min(text.count, place + 1 + random.below(4)))
                    case 2: text.insert(contentsOf: random.element(of: texts).prefix(random.below(20)), at: place)
                    default: text.swapAt(place, random.below(text.count))
                    }
                }
                check(text)
            }
        }
    }

    @Test func randomDocumentsSurvive() throws {
        var document = RandomDocument(random: SeededRandom(13))
        let keys = SharedKeysBuilder()
        try repeatWithin(seconds: 1) {
            for _ in 0..<20 {
                let text = document.value(depth: 5).json
                let plain = try encoded(text)
                let shared = try encoded(text, keys: keys)
                let canonical = plain.json(style: .canonical)
                if shared.json(keys: keys.state, style: .canonical) != canonical { Issue.record("\(text) differs with shared keys") }
                if try encoded(canonical).json(style: .canonical) != canonical { Issue.record("\(text) does not survive") }
                let pretty = shared.json(keys: keys.state, style: [.pretty, .canonical, .json5])
                if try rewritten(pretty, .json5, style: .canonical) != canonical { Issue.record("\(text) does not survive as\n\(pretty)") }
            }
        }
    }
}
