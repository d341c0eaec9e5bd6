import CBLTestSupport
import Testing

@testable import CBLFleece

@Suite struct JSONWriterTests {
    @Test(arguments: [
        ("{}", "{\n}"), ("[]", "[\n]"), ("1", "1"), ("[1,[],{}]", "[\n  1,\n  [\n  ],\n  {\n  }\n]"),
        (#"{"b":{"x":[true]},"a":"y"}"#, "{\n  \"a\": \"y\",\n  \"b\": {\n    \"x\": [\n      true\n    ]\n  }\n}"),
    ])
    func prettyText(text: String, expected: String) throws {
        #expect(try rewritten(text, style: .pretty) == expected)
    }

    @Test func json5LeavesQuotesOffPlainKeys() throws {
        let text = #"{"":1,"$":2,"1a":3,"a1":4,"a-b":5,"é":6,"_":7,"with space":8}"#
        #expect(try rewritten(text, style: .json5) == #"{"":1,$:2,"1a":3,_:7,"a-b":5,a1:4,"with space":8,"é":6}"#)
    }

    @Test func canonicalTextSortsSharedKeysToo() throws {
        let keys = SharedKeysBuilder()
        let text = #"{"zebra":1,"apple":2,"dots.in.key":3,"mango":{"b":1,"a":2}}"#
        let data = try encoded(text, keys: keys)
        #expect(data.json(keys: keys.state) == #"{"zebra":1,"apple":2,"mango":{"b":1,"a":2},"dots.in.key":3}"#)
        #expect(data.json(keys: keys.state, style: .canonical) == #"{"apple":2,"dots.in.key":3,"mango":{"a":2,"b":1},"zebra":1}"#)
    }

    @Test func aLargeDictionaryIsSorted() throws {
        let keys = SharedKeysBuilder()
        let names = (0..<500).map { "k\(($0 * 7919) % 500)" }
        let text = "{" + names.map { "\"\($0)\":{\"z\":0,\"a\":1}" }.joined(separator: ",") + "}"
        let expected = "{" + names.sorted().map { "\"\($0)\":{\"a\":1,\"z\":0}" }.joined(separator: ",") + "}"
        #expect(try encoded(text, keys: keys).json(keys: keys.state, style: .canonical) == expected)
    }

    @Test func whatJSONHasNoFormFor() {
        #expect(FleeceData(hex("3c00")).json() == "undefined")
        #expect(FleeceData(hex("7001 0001 0002 8003")).json() == "{1:2}")
        #expect(FleeceData(hex("7001 0001 0002 8003")).json(style: .canonical) == "{1:2}")
        #expect(FleeceData(hex("24000000807f8003")).json() == "inf")
        #expect(FleeceData(hex("6001 3c00 8002")).json() == "[undefined]")
    }

    @Test(arguments: zip(["", "00", "0001", "000102", "fffefdfc"], ["", "AA==", "AAE=", "AAEC", "//79/A=="]))
    func dataIsBase64(bytes: String, expected: String) throws {
        let encoder = FleeceEncoder()
        hex(bytes).withUnsafeBytes { encoder.writeData($0) }
        #expect(try encoder.finish().json() == "\"\(expected)\"")
    }

    @Test func floatsPrintTheirOwnDigits() throws {
        let encoder = FleeceEncoder()
        encoder.write(Float(0.1))
        #expect(try encoder.finish().json() == "0.1")
    }

    @Test func stringsOfEveryLengthAndEscapeAtEveryPlace() throws {
        let specials: [(String, String)] = [
            ("\"", "\\\""), ("\\", "\\\\"), ("\n", "\\n"), ("\u{1F}", "\\u001f"), ("\u{7F}", "\\u007f"), ("é", "é"), ("😀", "😀"),
            ("\u{0}", "\\u0000"),
        ]
        for length in 0..<40 {
            let plain = String(repeating: "x", count: length)
            #expect(try written(plain) == "\"\(plain)\"")
            for place in 0...length {
                for (special, escaped) in specials {
                    let before = String(repeating: "x", count: place)
                    let after = String(repeating: "y", count: length - place)
                    let text = try written(before + special + after + special)
                    if text != "\"\(before)\(escaped)\(after)\(escaped)\"" { Issue.record("\(text)") }
                }
            }
        }
    }

    private func written(_ text: String) throws -> String {
        var buffer = ByteBuffer(capacity: 1)
        JSONWriter.write(string: text, to: &buffer)
        return buffer.string
    }

    @Test func bytesThatAreNotUTF8AreReplaced() {
        #expect(FleeceData(hex("43 61ff62 8002")).json() == "\"a\u{FFFD}b\"")
        #expect(FleeceData(hex("43 61e282 8002")).json() == "\"a\u{FFFD}\u{FFFD}\"")
    }

    @Test func membersCanJoinOthers() throws {
        let data = try encoded(#"{"b":1,"a":[2]}"#)
        var buffer = ByteBuffer()
        buffer.append(#"{"_id":"x""#)
        data.withRoot { _ = JSONWriter.writeMembers(of: $0, keys: nil, style: .canonical, startingWithComma: true, to: &buffer) }
        buffer.append("}")
        #expect(buffer.string == #"{"_id":"x","a":[2],"b":1}"#)
    }

    // Hostile bytes

    /// Arrays of two pointers to the next array, `levels` deep: a few bytes that describe more values than could ever be written.
    private func doubling(_ levels: Int) -> FleeceData {
        var bytes = hex("6002 0001 0002")
        for _ in 0..<levels { bytes += hex("6002 8004 8005") }
        return FleeceData(bytes + [0x80, 3])
    }

    @Test func textOutOfAllProportionIsNotWritten() {
        #expect(doubling(3).json().count > 30)
        for style in [.compact, .canonical, .pretty] as [JSONStyle] {
            var buffer = ByteBuffer()
            buffer.append("before ")
            let isComplete = doubling(60).withRoot { JSONWriter.write($0, keys: nil, style: style, to: &buffer) }
            #expect(!isComplete)
            #expect(buffer.string == "before undefined")
        }
    }

    @Test func aStringNamedByEverySlotIsNotWrittenOverAndOver() {
        // One string of a million bytes, and thousands of pointers to it.
        let length = 1_000_000
        var bytes: [UInt8] = [0x4F, 0xC0, 0x84, 0x3D] + Array(repeating: 0x61, count: length)
        let count = 2000
        bytes += [0x6F, 0xD0]
        for slot in 0..<count {
            let distance = UInt32(length + 4 + 2 + slot * 4) / 2
            bytes += withUnsafeBytes(of: (0x8000_0000 | distance).bigEndian) { Array($0) }
        }
        let distance = UInt32(count * 4 + 2) / 2
        bytes += withUnsafeBytes(of: (0x8000 | UInt16(distance)).bigEndian) { Array($0) }
        let data = FleeceData(bytes)
        #expect(data.withRoot { $0.array?.first?.stringBytes?.count } == length)
        var buffer = ByteBuffer()
        let isComplete = data.withRoot { JSONWriter.write($0, keys: nil, to: &buffer) }
        #expect(!isComplete)
    }

    @Test func endlessNestingIsNotWritten() {
        var bytes = hex("6000")
        bytes += [0x60, 0x01, 0x80, 0x02]
        for _ in 0..<100_000 { bytes += [0x60, 0x01, 0x80, 0x03] }
        #expect(FleeceData(bytes + [0x80, 2]).json() == "undefined")
    }
}
