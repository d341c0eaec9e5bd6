import CBLFleece
import CBLFunctions
import CBLTestSupport
import Testing

@testable import CBLViews

@Suite struct CollationTests {
    /// Keys in ascending order, each less than the next. From the specification of 1.x, section "JSON collations".
    static let unicode = [
        "null", "false", "true", "-1e10", "-2", "-1.5", "0", "0.5", "1", "9", "10", "123456789012",
        #""""#, #"" ""#, #""_""#, #""-""#, #"".""#, #""(""#, #""@""#, "\"#\"", #""$""#, #""0""#, #""1""#, #""10""#, #""2""#,
        #""a""#, #""A""#, #""aa""#, #""aA""#, #""Aa""#, #""AA""#, #""ab""#, #""b""#, #""B""#, #""z""#, #""Z""#,
        "[]", "[null]", "[false,1]", "[1]", "[1,2]", "[2]", #"["a"]"#, #"["a",1]"#, #"["A"]"#, #"["b"]"#, "[[]]", "[[1]]", "[{}]",
        "{}", #"{"a":1}"#, #"{"a":1,"b":2}"#, #"{"a":2}"#, #"{"b":1}"#, #"{"b":[1]}"#,
    ]

    static let ascii = [
        "null", "false", "true", "-3", "0", "2", "10", #""""#, #""$""#, #""1""#, #""10""#, #""2""#, #""A""#, #""B""#, #""a""#, #""ab""#,
        #""b""#,
        "[]", "[1]", "[1,2]", "{}", #"{"a":1}"#,
    ]

    static let raw = [
        "-3", "0", "2", "10", "false", "null", "true", "{}", #"{"a":1}"#, "[]", "[1]", "[1,2]", "[null]", #"["a"]"#, #""""#, #""A""#,
        #""a""#,
        #""ab""#,
    ]

    static let tables: [(JSONCollation, [String])] = [(.unicode, unicode), (.ascii, ascii), (.raw, raw)]

    @Test(arguments: tables) func tablesAreInOrder(_ collation: JSONCollation, _ keys: [String]) throws {
        let texts = JSONTextOrder(collation)
        let values = ValueOrder(collation)
        let encoded = try keys.map { try QueryKey(json: $0) }
        let bytes = try encoded.map { try KeyRange.bytes($0, collation) }
        for a in keys.indices {
            for b in keys.indices {
                let expected = (a - b).signum()
                #expect(texts.compare(keys[a], keys[b]).signum() == expected, "\(keys[a]) \(keys[b])")
                let order = encoded[a].data.withRoot { x in encoded[b].data.withRoot { values.compare(x, $0) } }
                #expect(order.signum() == expected, "\(keys[a]) \(keys[b])")
                let stored = bytes[a].withUnsafeBytes { x in bytes[b].withUnsafeBytes { values.compareKeys(x, $0) } }
                #expect(stored.signum() == expected, "\(keys[a]) \(keys[b])")
            }
        }
    }

    /// Texts that mean the same.
    static let equal = [
        (#""a\/b""#, #""a/b""#), (#""\u0041""#, #""A""#), (#""é""#, #""\u00e9""#), ("1", "1.0"), ("10", "1e1"), ("-0", "0"),
        ("9007199254740993", "9007199254740992"), (#""\ud83d\ude00""#, #""😀""#),
    ]

    @Test(arguments: equal) func spellingsAreEqual(_ one: String, _ other: String) throws {
        #expect(JSONTextOrder(.unicode).compare(one, other) == 0)
        let (a, b) = (try QueryKey(json: one), try QueryKey(json: other))
        #expect(a.data.withRoot { x in b.data.withRoot { ValueOrder(.unicode).compare(x, $0) } } == 0)
    }

    @Test func charactersOfAsciiOrdersHaveASign() {
        for collation in [JSONCollation.ascii, .raw] {
            #expect(JSONTextOrder(collation).compare(#""é""#, #""a""#) < 0)
            #expect(JSONTextOrder(collation).compare(#""a""#, #""aé""#) < 0)
        }
    }

    @Test func textOutsideOfAsciiGoesByTheUnicodeLibrary() {
        let order = JSONTextOrder(.unicode)
        #expect(order.compare(#""é""#, #""f""#) < 0)
        #expect(order.compare(#""é""#, #""e""#) > 0)
        #expect(order.compare(#""côte""#, #""coté""#) != 0)
        #expect(order.compare(#""abc""#, #""abcé""#) < 0)
        #expect(order.compare(#"["zé"]"#, #"["za"]"#) > 0)
    }

    static let limits: [(String, String, Int, Int)] = [
        ("[1,2]", "[1,3]", 1, 0), ("[1,2]", "[1,3]", 2, -1), ("[1]", "[1,3]", 1, 0), ("[1]", "[1,3]", 2, -1), ("[1,2]", "[2,2]", 1, -1),
        ("[[1,2],3]", "[[1,2],4]", 1, 0), ("[[1,2],3]", "[[1,3],3]", 1, -1), ("1", "2", 1, -1), ("[]", "[1]", 1, -1),
    ]

    @Test(arguments: limits) func onlySoManyItemsCount(_ one: String, _ other: String, _ limit: Int, _ expected: Int) throws {
        #expect(JSONTextOrder(.unicode).compare(one, other, arrayLimit: limit).signum() == expected)
        #expect(JSONTextOrder(.unicode).compare(other, one, arrayLimit: limit).signum() == -expected)
        let (a, b) = (try QueryKey(json: one), try QueryKey(json: other))
        #expect(a.data.withRoot { x in b.data.withRoot { ValueOrder(.unicode).compare(x, $0, arrayLimit: limit) } }.signum() == expected)
    }

    private func randomKey(_ random: inout SeededRandom, depth: Int, isASCII: Bool) -> String {
        switch random.below(depth > 2 ? 7 : 10) {
        case 0: return "null"
        case 1: return random.below(2) == 0 ? "false" : "true"
        case 2: return "\(random.below(7) - 3)"
        case 3: return "\(Double(random.below(2000) - 1000) / 8)"
        case 4, 5, 6:
            let alphabet = isASCII ? Array("aAbBzZ01 _-~`^$.\u{1}\u{7f}") : Array("aAbé😀ßZ~ \u{80}\u{81}")
            let text = String((0..<random.below(12)).map { _ in alphabet[random.below(alphabet.count)] })
            return JSONWriter.quoted(text)
        case 7, 8:
            return "[" + (0..<random.below(4)).map { _ in randomKey(&random, depth: depth + 1, isASCII: isASCII) }.joined(separator: ",")
                + "]"
        default:
            // Names in order, as the index has them.
            let members = ["a", "b", "c"].prefix(random.below(4)).map {
                "\"\($0)\":" + randomKey(&random, depth: depth + 1, isASCII: isASCII)
            }
            return "{" + members.joined(separator: ",") + "}"
        }
    }

    /// Stored bytes, values and texts agree, and where only the table decides the order is one.
    @Test(arguments: JSONCollation.allCases, [true, false]) func allFormsAgree(_ collation: JSONCollation, _ isASCII: Bool) throws {
        var random = SeededRandom(UInt64(collation.rawValue) + 100)
        let texts = JSONTextOrder(collation)
        let values = ValueOrder(collation)
        let keys = (0..<180).map { _ in randomKey(&random, depth: 0, isASCII: isASCII) }
        let encoded = try keys.map { try QueryKey(json: $0) }
        let bytes = try encoded.map { try KeyRange.bytes($0, collation) }
        var orders: [[Int]] = []
        for a in keys.indices {
            orders.append([])
            for b in keys.indices {
                let stored = bytes[a].withUnsafeBytes { x in bytes[b].withUnsafeBytes { values.compareKeys(x, $0).signum() } }
                let compared = encoded[a].data.withRoot { x in encoded[b].data.withRoot { values.compare(x, $0) } }.signum()
                #expect(stored == compared, "\(keys[a]) \(keys[b])")
                #expect(texts.compare(keys[a], keys[b]).signum() == compared, "\(keys[a]) \(keys[b])")
                orders[a].append(stored)
            }
        }
        for a in keys.indices {
            for b in keys.indices {
                #expect(orders[a][b] == -orders[b][a], "\(keys[a]) \(keys[b])")
                guard isASCII || collation != .unicode, orders[a][b] <= 0 else { continue }
                for c in keys.indices where orders[b][c] <= 0 && orders[a][c] > 0 { Issue.record("\(keys[a]) \(keys[b]) \(keys[c])") }
            }
        }
    }

    @Test func anyTextHasAnEnd() {
        var random = SeededRandom(3)
        let alphabet = Array(#"[]{},:"\nftu0-9.eEé "#.utf8)
        for _ in 0..<20_000 {
            let one = String(decoding: (0..<random.below(20)).map { _ in alphabet[random.below(alphabet.count)] }, as: UTF8.self)
            let other = String(decoding: (0..<random.below(20)).map { _ in alphabet[random.below(alphabet.count)] }, as: UTF8.self)
            for collation in JSONCollation.allCases { _ = JSONTextOrder(collation).compare(one, other, arrayLimit: 1 + random.below(3)) }
        }
    }

    @Test func anyBytesAreSomeKey() throws {
        let key = try KeyRange.bytes(QueryKey(json: #"["é",{"a":[1,"x"]},"y"]"#), .unicode)
        let order = ValueOrder(.unicode)
        func look(_ bytes: [UInt8]) {
            bytes.withUnsafeBytes { damaged in key.withUnsafeBytes { _ = order.compareKeys(damaged, $0) } }
        }
        for count in 0..<key.count { look(Array(key.prefix(count))) }
        for bit in 0..<key.count * 8 {
            var damaged = key
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            look(damaged)
        }
    }
}
