import CBLTestSupport
import Testing

@testable import CBLFleece

@Suite struct JSONParserTests {
    @Test(arguments: [
        ("", "expected a value, found the end of the text", 0, 1, 1),
        ("  \n ", "expected a value, found the end of the text", 4, 2, 2),
        ("[1,2", "expected ',' or ']', found the end of the text", 4, 1, 5),
        ("[1 x]", "expected ',' or ']', found 'x'", 3, 1, 4),
        ("{\"a\":1 é}", "expected ',' or '}', found 'é'", 7, 1, 8),
        ("[1,]", "expected a value, found ']'", 3, 1, 4),
        ("{\"a\":1,}", "expected a key in double quotes, found '}'", 7, 1, 8),
        ("{a:1}", "expected a key in double quotes, found 'a'", 1, 1, 2),
        ("{\"a\" 1}", "expected ':', found '1'", 5, 1, 6),
        ("\"é\" 1", "expected the end of the text, found '1'", 5, 1, 5),
        ("[1}", "expected ',' or ']', found '}'", 2, 1, 3),
        ("{\"a\":1]", "expected ',' or '}', found ']'", 6, 1, 7),
        ("01", "a number must not begin with a superfluous 0", 0, 1, 1),
        ("-01", "a number must not begin with a superfluous 0", 0, 1, 1),
        ("-", "expected a digit, found the end of the text", 1, 1, 2),
        ("+1", "expected a value, found '+'", 0, 1, 1),
        (".5", "expected a value, found '.'", 0, 1, 1),
        ("5.", "expected a digit behind the point, found the end of the text", 2, 1, 3),
        ("5.e1", "expected a digit behind the point, found 'e'", 2, 1, 3),
        ("1e", "expected a digit of the exponent, found the end of the text", 2, 1, 3),
        ("1e+x", "expected a digit of the exponent, found 'x'", 3, 1, 4),
        ("0x10", "expected the end of the text, found 'x'", 1, 1, 2),
        ("[1e400]", "the number is too large", 1, 1, 2),
        ("-1e309", "the number is too large", 0, 1, 1),
        ("[\n\n  tru]", "expected a value, found 't'", 5, 3, 3),
        ("tru", "expected true, found the end of the text", 0, 1, 1),
        ("[\"abc", "the string that begins here has no end", 1, 1, 2),
        ("\"a\nb\"", "the end of the line within a string: write it as an escape such as \\n", 2, 1, 3),
        ("\"a\u{1}b\"", "control character 0x01 within a string: write it as an escape such as \\n", 2, 1, 3),
        ("\"a\\qb\"", "unknown escape: 'q' behind a backslash", 2, 1, 3),
        ("\"a\\u12g4\"", "the escape needs 4 hexadecimal digits", 2, 1, 3),
        ("\"\\ud83d\"", "the escape is half of a surrogate pair, without the other half", 1, 1, 2),
        ("\"\\ude00\"", "the escape is the second half of a surrogate pair, without the first", 1, 1, 2),
        ("\"\\ud83d\\u0041\"", "the escapes are not the halves of a surrogate pair", 1, 1, 2),
        ("// no\n1", "expected a value, found '/'", 0, 1, 1),
        ("NaN", "NaN has no place in JSON: only finite numbers can be stored", 0, 1, 1),
        ("'x'", "expected a value, found '''", 0, 1, 1),
        ("[\u{0}]", "expected a value, found control character 0x00", 1, 1, 2),
    ])
    func errorsSayWhatAndWhere(text: String, message: String, offset: Int, line: Int, column: Int) throws {
        let error = try #require(jsonError(text))
        #expect(error.message == message)
        #expect(error.offset == offset)
        #expect(error.line == line)
        #expect(error.column == column)
    }

    @Test(arguments: [
        ("{\"a\":1,\"a\":2}", 7, "a"), ("{\"a\":1,\n \"b\":[{\"x\":1},2], \"\\u0061\" : 2}", 26, "a"),
        ("[{\"a\":1},{\"b\":\"}{\",\"c\":{\"k\":1,\"j\":2,\"k\":[]}}]", 36, "k"), ("{\"\":1,\"\":2}", 6, ""),
        ("{\"a-long-key-that-is-not-shared\":1,\"b\":{},\"a-long-key-that-is-not-shared\":2}", 42, "a-long-key-that-is-not-shared"),
    ])
    func aKeyThatOccursTwiceIsNamed(text: String, offset: Int, key: String) throws {
        for keys in [nil, SharedKeysBuilder()] {
            let error = #expect(throws: JSONError.self) { try encoded(text, keys: keys) }
            #expect(error?.offset == offset)
            #expect(error?.message == "the key \"\(key)\" occurs twice in one object")
        }
    }

    @Test func aKeyThatOccursTwiceIsFoundAmongCommentsAndOtherQuotes() throws {
        let error = try #require(jsonError("{/* {\"b\": */ a: '}', 'b\"': 1, // \"\n \"a\": 2}", .json5))
        #expect(error.offset == 36)
        #expect(error.line == 2)
    }

    @Test(
        arguments: [
            ([0x22, 0xFF, 0x22], 1), ([0x22, 0xC0, 0x80, 0x22], 1), ([0x22, 0x61, 0xED, 0xA0, 0x80, 0x22], 2),
            ([0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], 1),
            ([0x22, 0xE2, 0x82, 0x22], 1), ([0x22, 0xC3, 0xA9, 0x80, 0x22], 3),
            ([0x7B, 0x22, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0xC3, 0x22], 9),
            ([0x22, 0xF0, 0x80, 0x80, 0x80, 0x22], 1), ([0x22, 0x5C, 0xC3, 0x22], 1),
        ] as [([UInt8], Int)])
    func bytesThatAreNotUTF8AreAnError(text: [UInt8], offset: Int) throws {
        #expect(try #require(jsonError(text)).offset == offset)
        #expect(try #require(jsonError(text, .json5)).message.contains("UTF-8"))
    }

    @Test(arguments: [
        ("42", "42"), (" \t\r\n\"x\"\n", "\"x\""), ("null", "null"), ("\u{FEFF}[1]", "[1]"), ("-0", "0"), ("-0.0", "-0.0"), ("0e5", "0.0"),
        ("1E2", "100.0"), ("1e-400", "0.0"), ("12345678901234567890", "12345678901234567890"),
        ("18446744073709551616", "1.8446744073709552e+19"),
        ("-9223372036854775808", "-9223372036854775808"), ("-9223372036854775809", "-9.223372036854776e+18"), ("0.1", "0.1"),
        ("123456789012345678901234567890.5", "1.2345678901234568e+29"), ("0.30000000000000004", "0.30000000000000004"),
        ("2.2250738585072014e-308", "2.2250738585072014e-308"), ("9007199254740993.0", "9007199254740992.0"),
        ("0.1000000000000000055511151231257827021181583404541015625", "0.1"), ("1e22", "1e+22"), ("1e23", "1e+23"), ("[]", "[]"),
        ("{}", "{}"),
        ("[ ]", "[]"), ("{ }", "{}"), ("\"\\u0000\"", "\"\\u0000\""), ("\"\\/\\b\\f\"", "\"/\\u0008\\u000c\""),
        ("\"\u{7F}\u{2028}😀\"", "\"\\u007f\u{2028}😀\""),
        ("\"\\ud83d\\ude00\\u00e9\"", "\"😀é\""), ("[true,false,null]", "[true,false,null]"), ("{\"b\":1,\"a\":{}}", "{\"a\":{},\"b\":1}"),
    ])
    func valuesOfEveryKind(text: String, expected: String) throws {
        #expect(try rewritten(text) == expected)
        #expect(try rewritten(text, .json5) == expected)
    }

    @Test(arguments: [JSONDialect.json, .json5]) func nestingHasALimit(dialect: JSONDialect) throws {
        func nested(_ depth: Int, around text: String) -> String {
            String(repeating: "[", count: depth) + text + String(repeating: "]", count: depth)
        }
        for (text, isAccepted) in [
            (nested(101, around: ""), true), (nested(102, around: ""), false), (nested(100, around: "1"), true),
            (nested(101, around: "1"), false),
            (nested(100, around: "{}"), true), (nested(101, around: "{}"), false), (nested(99, around: "{\"a\":1}"), true),
            (nested(100, around: "{\"a\":1}"), false), (nested(1_000_000, around: ""), false),
        ] {
            let error = jsonError(text, dialect)
            #expect((error == nil) == isAccepted)
            if let error { #expect(error.message == "values are nested more than 101 levels deep") }
        }
    }

    // JSON5

    @Test(arguments: [
        ("// x\n[1, /* y */ 2,]", "[1,2]"), ("{a: 1, $b_2: 2, 'c\"': 3, \"d\": 4,}", "{\"$b_2\":2,\"a\":1,\"c\\\"\":3,\"d\":4}"),
        ("{ünïcödé: 1}", "{\"ünïcödé\":1}"), ("{\\u0061b: 1}", "{\"ab\":1}"), ("'it\\'s'", "\"it's\""),
        ("'say \"x\"'", "\"say \\\"x\\\"\""), ("0x1F", "31"),
        ("-0xff", "-255"), ("+5", "5"), ("+.5", "0.5"), ("-.5", "-0.5"), ("5.", "5.0"), ("5.e1", "50.0"), (".5e1", "5.0"), ("+0x10", "16"),
        ("0xFFFFFFFFFFFFFFFF", "18446744073709551615"), ("-0x8000000000000000", "-9223372036854775808"),
        ("'a\\\nb\\\r\nc\\\u{2028}d'", "\"abcd\""),
        ("'\\x41\\v\\0\\q'", "\"A\\u000b\\u0000q\""), ("\u{A0}\u{FEFF}\u{2003}1\u{B}\u{C}\u{2029}", "1"), ("'\t'", "\"\\t\""),
        ("'\u{2028}'", "\"\u{2028}\""),
        ("/**/1/***/", "1"), ("{}//", "{}"), ("{true: 1, null: 2}", "{\"null\":2,\"true\":1}"),
        ("+12345678901234567890123.", "1.2345678901234568e+22"),
        ("-.1234567890123456789012", "-0.12345678901234568"), ("+1e5", "100000.0"), ("[+18446744073709551616]", "[1.8446744073709552e+19]"),
        ("{a\u{301}: 1, 'x': [],}", "{\"a\u{301}\":1,\"x\":[]}"), ("'\\é'", "\"é\""),
    ])
    func json5(text: String, expected: String) throws {
        #expect(try rewritten(text, .json5) == expected)
        #expect(jsonError(text) != nil)
    }

    @Test(arguments: [
        ("Infinity", "Infinity has no place in JSON: only finite numbers can be stored"),
        ("-Infinity", "Infinity has no place in JSON: only finite numbers can be stored"),
        ("[NaN]", "NaN has no place in JSON: only finite numbers can be stored"),
        ("undefined", "undefined has no place in JSON: leave the property out, or write null"),
        ("[,]", "expected a value, found ','"), ("[1,,]", "expected a value, found ','"), ("{,}", "expected a key, found ','"),
        ("{1: 2}", "expected a key, found '1'"),
        ("/* x", "the comment that begins here has no end"), ("[1] / 2", "expected a comment behind '/', found ' '"),
        ("'x", "the string that begins here has no end"),
        ("'a\nb'", "the end of the line within a string: write it as an escape such as \\n"),
        ("'\\1'", "unknown escape: '1' behind a backslash"),
        ("'\\01'", "octal escapes are not allowed"), ("'\\x4'", "the escape needs 2 hexadecimal digits"),
        ("0x", "expected a hexadecimal digit, found the end of the text"),
        ("0x1FFFFFFFFFFFFFFFF", "the number has more than 64 bits"), ("-0xFFFFFFFFFFFFFFFF", "the number has more than 64 bits"),
        ("010", "a number must not begin with a superfluous 0"),
        (".", "expected a digit, found the end of the text"), ("+", "expected a digit, found the end of the text"),
        ("--1", "expected a digit, found '-'"),
        ("{a b}", "expected ':', found 'b'"), ("{a:1 b:2}", "expected ',' or '}', found 'b'"),
        ("{a\\n: 1}", "expected 'u' and four hexadecimal digits, found 'n'"),
        ("+1e999", "the number is too large"), ("{\\u0020: 1}", "expected a key, found '\\'"),
    ])
    func json5Errors(text: String, message: String) throws {
        #expect(try #require(jsonError(text, .json5)).message == message)
    }

    // Piece by piece

    @Test func valuesAreReadOneAfterTheOther() throws {
        let text = Array("  {\"a\": [1, \"x]\"]} 12 \"y\" true[] -1.5e3 ".utf8)
        var found: [String] = []
        try text.withUnsafeBytes { bytes in
            var rest = UnsafeRawBufferPointer(rebasing: bytes[...])
            while try JSONParser.blanks(at: rest) < rest.count {
                let encoder = FleeceEncoder()
                let length = try #require(try JSONParser.parsePrefix(of: rest, isWhole: true, into: encoder))
                found.append(try encoder.finish().json())
                rest = UnsafeRawBufferPointer(rebasing: rest[length...])
            }
        }
        #expect(found == ["{\"a\":[1,\"x]\"]}", "12", "\"y\"", "true", "[]", "-1500.0"])
    }

    @Test(arguments: [
        "{\"a\": [1, \"é\\n\\u00e9\\ud83d\\ude00\", true, -1.5e+3, {}]}", "\"日本\"", "[null, false]",
    ])
    func aPieceOfAValueAsksForMore(text: String) {
        let bytes = Array(text.utf8)
        for dialect in [JSONDialect.json, .json5] {
            for length in 0..<bytes.count {
                let piece = Array(bytes[..<length])
                #expect(prefix(of: piece, dialect, isWhole: false) == .success(nil))
                #expect((try? prefix(of: piece, dialect, isWhole: true).get()) == nil)
                #expect(jsonError(Array(bytes[..<length]), dialect)?.isUnfinished == true)
            }
            #expect(prefix(of: bytes, dialect, isWhole: false) == .success(bytes.count))
        }
    }

    @Test func aNumberAtTheEndOfAPieceMayGoOn() {
        #expect(prefix(of: Array("123".utf8), isWhole: false) == .success(nil))
        #expect(prefix(of: Array("123".utf8), isWhole: true) == .success(3))
        #expect(prefix(of: Array("123 ".utf8), isWhole: false) == .success(3))
    }

    private func prefix(of text: [UInt8], _ dialect: JSONDialect = .json, isWhole: Bool) -> Result<Int?, JSONError> {
        text.withUnsafeBytes { bytes in
            Result { () throws(JSONError) in try JSONParser.parsePrefix(of: bytes, dialect, isWhole: isWhole, into: FleeceEncoder()) }
        }
    }
}

@Suite struct JSONExtractionTests {
    /// The rest of the object, and the member that was taken out of it.
    private func extract(_ text: String, _ key: String = "_id", _ dialect: JSONDialect = .json) throws -> (rest: String, value: String?) {
        var (text, key) = (text, key)
        let encoder = FleeceEncoder()
        var value = ByteBuffer()
        let isFound = try text.withUTF8 { text in
            try key.withUTF8 {
                try JSONParser.parse(
                    UnsafeRawBufferPointer(text), dialect, extracting: UnsafeRawBufferPointer($0), to: &value, into: encoder)
            }
        }
        return (try encoder.finish().withRoot { $0.json(keys: nil, style: .compact) }, isFound ? value.string : nil)
    }

    @Test(arguments: [
        (#"{"_id":"a","x":1}"#, #"{"x":1}"#, "a"),
        (#"{"x":1,"_id":"a"}"#, #"{"x":1}"#, "a"),
        (#"{"x":1 , "_id" : "a\n\u00e9" , "y":{"_id":"inner"}}"#, #"{"x":1,"y":{"_id":"inner"}}"#, "a\né"),
        (#"{"_id":-12}"#, "{}", "-12"),
        (#"{"_id":7,"x":[]}"#, #"{"x":[]}"#, "7"),
        (#"{"_id":""}"#, "{}", ""),
    ])
    func aMemberIsTakenOut(_ text: String, _ rest: String, _ value: String) throws {
        let result = try extract(text)
        #expect(result.rest == rest)
        #expect(result.value == value)
    }

    @Test(arguments: [#"{"x":{"_id":"a"}}"#, #"{"_idx":"a"}"#, "{}", #"[{"_id":"a"}]"#])
    func onlyAMemberOfTheOutermostObjectCounts(_ text: String) throws {
        let result = try extract(text)
        #expect(result.value == nil)
        #expect(result.rest == text)
    }

    @Test(arguments: [#"{"_id":true}"#, #"{"_id":null}"#, #"{"_id":{}}"#, #"{"_id":1.5}"#, #"{"_id":"a"} x"#, #"{"_id":"a",}"#, #"{"_id""#])
    func whatIsNoIDIsAnError(_ text: String) {
        #expect(throws: JSONError.self) { try extract(text) }
    }

    @Test func aJSON5KeyCountsToo() throws {
        let result = try extract("{_id: 'a', x: 1,}", "_id", .json5)
        #expect(result.rest == #"{"x":1}"# && result.value == "a")
    }
}
