import Testing

@testable import CBLFleece

struct ComparisonTests {
    @Test(arguments: [
        ("190008008002", "110008008002", true), ("0001", "24000000803f8003", true), ("24000000803f8003", "20000000803f8003", true),
        ("0000", "2400000000808003", true), ("0000", "3400", false), ("3000", "3c00", false), ("4161", "5161", false),
        ("4000", "4000", true),
        ("6000", "7000", false), ("6001 0000 8002", "6001 0001 8002", false), ("6001 0000 8002", "6801 0000 ffff 8003", true),
        ("1f0000000000000080008005", "170000000000000080008005", false),
        // 2^53 + 1 against 2^53 as a double, and 2^64 - 1 against 2^64.
        ("1e010000000000208004", "28000000000000004043 8005", false), ("1fffffffffffffffff008005", "24000000805f8003", false),
        ("0fff", "24000000803f8003", false), ("24000000803f8003", "0fff", false),
    ])
    func numbersCompareAsNumbers(_ a: String, _ b: String, _ areEqual: Bool) {
        let first = FleeceData(hex(a))
        let second = FleeceData(hex(b))
        first.withRoot { a in
            second.withRoot { b in
                #expect(a.isEqual(to: b) == areEqual)
                #expect(b.isEqual(to: a) == areEqual)
                #expect(a.isEqual(to: a) && b.isEqual(to: b))
            }
        }
    }

    @Test func theOrderOfNumbersIsExact() throws {
        let ascending: [(FleeceEncoder) -> Void] = [
            { $0.write(-Double.infinity) }, { $0.write(-0x1.0000000000001p63) }, { $0.write(Int64.min) }, { $0.write(-1.5) },
            { $0.write(Int64(-1)) },
            { $0.write(-0.5) }, { $0.write(Int64(0)) }, { $0.write(0.5) }, { $0.write(UInt64(1)) }, { $0.write(9007199254740992.0) },
            { $0.write(UInt64(9007199254740993)) }, { $0.write(Int64.max) }, { $0.write(0x1p63) }, { $0.write(UInt64.max) },
            { $0.write(0x1p64) },
            { $0.write(Double.infinity) },
        ]
        let encoder = FleeceEncoder()
        encoder.beginArray()
        for write in ascending { write(encoder) }
        encoder.endArray()
        try encoder.finish().withRoot { root in
            let numbers = try #require(root.array)
            for i in 0..<numbers.count {
                for j in 0..<numbers.count {
                    #expect(compareNumbers(numbers[i], numbers[j])?.signum() == (i - j).signum(), "\(i) \(j)")
                }
            }
        }
    }

    @Test func dictionariesCompareAcrossTables() throws {
        func encode(_ names: [String], _ keys: SharedKeysBuilder?) throws -> FleeceData {
            let encoder = FleeceEncoder(sharedKeys: keys)
            encoder.beginDictionary()
            for name in names {
                encoder.writeKey(name)
                encoder.write("value of \(name)")
            }
            encoder.endDictionary()
            return try encoder.finish()
        }
        let first = SharedKeysBuilder()
        let second = SharedKeysBuilder()
        let a = try encode(["x", "y", "not.shared"], first)
        let b = try encode(["y", "not.shared", "x"], second)
        let c = try encode(["y", "x", "not.shared"], nil)
        let d = try encode(["y", "z", "not.shared"], nil)
        a.withRoot { a in
            b.withRoot { b in
                #expect(a.isEqual(to: b, first.state, second.state) && b.isEqual(to: a, second.state, first.state))
                #expect(!a.isEqual(to: b, first.state, first.state))
            }
            c.withRoot { #expect(a.isEqual(to: $0, first.state, nil) && $0.isEqual(to: a, nil, first.state)) }
            d.withRoot { #expect(!a.isEqual(to: $0, first.state, nil) && !$0.isEqual(to: a, nil, first.state)) }
        }
        // Copying translates the keys: back and forth gives the same bytes.
        let encoder = FleeceEncoder()
        a.withRoot { encoder.write($0, keys: first.state) }
        let plain = try encoder.finish()
        #expect(plain.hexadecimal == (try encode(["x", "y", "not.shared"], nil)).hexadecimal)
        encoder.sharedKeys = first
        plain.withRoot { encoder.write($0, keys: nil) }
        let again = try encoder.finish()
        a.withRoot { a in again.withRoot { #expect(a.isEqual(to: $0, first.state, first.state)) } }
    }

    @Test func aKeyWithoutANameCannotBeCopied() throws {
        let data = FleeceData(hex("7001 0005 0000 8003"))
        let encoder = FleeceEncoder()
        data.withRoot { encoder.write($0, keys: SharedKeys()) }
        #expect(throws: FleeceError.self) { try encoder.finish() }
        data.withRoot { encoder.write($0, keys: nil) }
        #expect(try encoder.finish().hexadecimal == data.hexadecimal)
    }

    @Test func copyingKeepsTheFormOfNumbers() throws {
        for text in [
            "190008008002", "110008008002", "20000000003f8003", "24000000003f8003", "28009a9999999999b93f8005", "3c00", "530102038002",
        ] {
            let encoder = FleeceEncoder()
            FleeceData(hex(text)).withRoot { encoder.write($0, keys: nil) }
            #expect(try encoder.finish().hexadecimal == text)
        }
    }
}
