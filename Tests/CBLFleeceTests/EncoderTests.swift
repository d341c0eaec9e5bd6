import Testing

@testable import CBLFleece

struct EncoderTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        let hex: String
        let write: @Sendable (FleeceEncoder) -> Void
        var testDescription: String { name }
    }

    static let cases: [Case] = [
        Case(name: "null", hex: "3000") { $0.writeNull() },
        Case(name: "false", hex: "3400") { $0.write(false) },
        Case(name: "true", hex: "3800") { $0.write(true) },
        Case(name: "-2048", hex: "0800") { $0.write(Int64(-2048)) },
        Case(name: "2047", hex: "07ff") { $0.write(Int64(2047)) },
        Case(name: "2048 unsigned", hex: "190008008002") { $0.write(UInt64(2048)) },
        Case(name: "2048 signed", hex: "110008008002") { $0.write(Int64(2048)) },
        Case(name: "-2049", hex: "11fff7008002") { $0.write(Int64(-2049)) },
        Case(name: "32768 unsigned", hex: "190080008002") { $0.write(UInt64(32768)) },
        Case(name: "32768 signed", hex: "120080008002") { $0.write(Int64(32768)) },
        Case(name: "-32768", hex: "110080008002") { $0.write(Int64(-32768)) },
        Case(name: "-32769", hex: "12ff7fff8002") { $0.write(Int64(-32769)) },
        Case(name: "-12345678", hex: "13b29e43ff008003") { $0.write(Int64(-12_345_678)) },
        Case(name: "largest", hex: "1fffffffffffffffff008005") { $0.write(UInt64.max) },
        Case(name: "smallest", hex: "170000000000000080008005") { $0.write(Int64.min) },
        Case(name: "largest signed", hex: "17ffffffffffffff7f008005") { $0.write(Int64.max) },
        Case(name: "float 0.5", hex: "20000000003f8003") { $0.write(Float(0.5)) },
        Case(name: "double 0.5", hex: "24000000003f8003") { $0.write(0.5) },
        Case(name: "double 0.1", hex: "28009a9999999999b93f8005") { $0.write(0.1) },
        Case(name: "-0.0", hex: "2400000000808003") { $0.write(-0.0) },
        Case(name: "infinity", hex: "2800000000000000f07f8005") { $0.write(Double.infinity) },
        Case(name: "2^64", hex: "24000000805f8003") { $0.write(18446744073709551616.0) },
        Case(name: "empty string", hex: "4000") { $0.write("") },
        Case(name: "one letter", hex: "4161") { $0.write("a") },
        Case(name: "two letters", hex: "426162008002") { $0.write("ab") },
        Case(name: "14 letters", hex: "4e6162636465666768696a6b6c6d6e008008") { $0.write("abcdefghijklmn") },
        Case(name: "15 letters", hex: "4f0f6162636465666768696a6b6c6d6e6f008009") { $0.write("abcdefghijklmno") },
        Case(name: "data", hex: "530102038002") { encoder in [UInt8]([1, 2, 3]).withUnsafeBytes { encoder.writeData($0) } },
        Case(name: "empty data", hex: "5000") { encoder in [UInt8]().withUnsafeBytes { encoder.writeData($0) } },
        Case(name: "one byte", hex: "5107") { encoder in [UInt8]([7]).withUnsafeBytes { encoder.writeData($0) } },
        Case(name: "empty array", hex: "6000") {
            $0.beginArray(); $0.endArray()
        },
        Case(name: "empty dictionary", hex: "7000") {
            $0.beginDictionary(); $0.endDictionary()
        },
        Case(name: "a shared string", hex: "4568656c6c6f 6004 4161 8005 4161 8007 8005") {
            $0.beginArray()
            for text in ["a", "hello", "a", "hello"] { $0.write(text) }
            $0.endArray()
        },
        Case(
            name: "16 letters are not shared",
            hex: "4f106162636465666768696a6b6c6d6e6f70 4f106162636465666768696a6b6c6d6e6f70 6002 8013 800b 8003"
        ) {
            $0.beginArray()
            for _ in 0..<2 { $0.write("abcdefghijklmnop") }
            $0.endArray()
        },
        Case(name: "sorted keys", hex: "42616100 7004 4000 0004 4161 0002 8007 0003 4162 0001 8009") {
            $0.beginDictionary()
            for (key, value) in [("b", 1), ("a", 2), ("aa", 3), ("", 4)] { $0.writeKey(key); $0.write(Int64(value)) }
            $0.endDictionary()
        },
        Case(name: "nesting", hex: "7001 4162 4163 6004 3800 3400 3000 8007 7001 4161 8007 8003") {
            $0.beginDictionary(); $0.writeKey("a")
            $0.beginArray(); $0.write(true); $0.write(false); $0.writeNull()
            $0.beginDictionary(); $0.writeKey("b"); $0.write("c"); $0.endDictionary()
            $0.endArray(); $0.endDictionary()
        },
        Case(name: "numbered keys", hex: "7003 0000 0017 0001 002a 07ff 0fff 8007") {
            $0.beginDictionary()
            for (key, value) in [(2047, -1), (1, 42), (0, 23)] { $0.writeKey(sharedKey: key); $0.write(Int64(value)) }
            $0.endDictionary()
        },
    ]

    @Test(arguments: cases)
    func valuesAreEncodedAsTheReferenceDoes(_ sample: Case) throws {
        let encoder = FleeceEncoder()
        for _ in 0..<2 {
            sample.write(encoder)
            #expect(try encoder.finish().hexadecimal == sample.hex.packed)
        }
    }

    @Test(arguments: [(2046, 4096, "87ff"), (2047, 4100, "8801"), (2048, 4102, "8802")])
    func longArraysHaveALongCount(_ count: Int, _ length: Int, _ end: String) throws {
        let encoder = FleeceEncoder()
        encoder.beginArray()
        for index in 0..<count { encoder.write(Int64(index)) }
        encoder.endArray()
        let data = try encoder.finish()
        // The last of 2048 items no longer fits two bytes, but stands before the array.
        #expect(data.bytes.count == length)
        #expect(data.hexadecimal.hasSuffix(end))
        data.withRoot { root in
            #expect(root.array?.map(\.integer) == (0..<count).map { Int64($0) })
        }
    }

    @Test func sharedKeysAreNumberedInTheOrderTheyAreMet() throws {
        let keys = SharedKeysBuilder()
        let encoder = FleeceEncoder(sharedKeys: keys)
        func encode(_ pairs: [(String, Any)]) throws -> String {
            encoder.beginDictionary()
            for (key, value) in pairs {
                encoder.writeKey(key)
                if let text = value as? String { encoder.write(text) } else if let number = value as? Int { encoder.write(Int64(number)) }
            }
            encoder.endDictionary()
            return try encoder.finish().hexadecimal
        }
        #expect(try encode([("name", "Ada"), ("age", 36)]) == "43416461 7002 0000 8004 0001 0024 8005".packed)
        #expect(try encode([("age", 41), ("name", "Bob")]) == "43426f62 7002 0000 8004 0001 0029 8005".packed)
        #expect(try encode([("b", 1), ("a", 2), ("aa", 3)]) == "7003 0002 0001 0003 0002 0004 0003 8007".packed)
        #expect((0..<keys.state.count).map { keys.state.string(at: $0) } == ["name", "age", "b", "a", "aa"])
    }

    @Test func misuseIsAnErrorFromFinish() throws {
        let encoder = FleeceEncoder()
        let misuses: [(FleeceEncoder) -> Void] = [
            { _ in },
            { $0.beginArray() },
            { $0.endArray() },
            {
                $0.beginArray(); $0.endDictionary()
            },
            {
                $0.beginDictionary(); $0.endArray()
            },
            {
                $0.beginDictionary(); $0.write(true); $0.endDictionary()
            },
            {
                $0.beginDictionary(); $0.writeKey("a"); $0.endDictionary()
            },
            {
                $0.beginDictionary(); $0.writeKey("a"); $0.writeKey("b"); $0.write(true); $0.endDictionary()
            },
            {
                $0.beginDictionary(); $0.beginArray(); $0.endArray(); $0.endDictionary()
            },
            { $0.writeKey("a") },
            {
                $0.beginArray(); $0.writeKey("a"); $0.endArray()
            },
            {
                $0.write(true); $0.write(true)
            },
            { $0.write(Double.nan) },
            { $0.write(Float.nan) },
            {
                $0.beginDictionary(); $0.writeKey(sharedKey: 2048); $0.write(true); $0.endDictionary()
            },
            { encoder in
                for _ in 0..<1000 { encoder.beginArray() }
                for _ in 0..<1000 { encoder.endArray() }
            },
        ]
        for misuse in misuses {
            misuse(encoder)
            #expect(throws: FleeceError.self) { try encoder.finish() }
            encoder.write(true)
            #expect(try encoder.finish().hexadecimal == "3800")
        }
    }

    @Test(arguments: [
        ["a", "a"], ["", ""], ["name", "x", "name"], (0..<100).map { "key\($0)" } + ["key7"],
        [String](repeating: "a key of some length", count: 2),
    ])
    func aKeyThatOccursTwiceIsNamed(_ names: [String]) throws {
        for keys in [nil, SharedKeysBuilder()] {
            let encoder = FleeceEncoder(sharedKeys: keys)
            encoder.beginDictionary()
            for name in names { encoder.writeKey(name); encoder.writeNull() }
            encoder.endDictionary()
            #expect(encoder.failure == .duplicateKey(try #require(names.last)))
        }
    }
}
