import Testing

@testable import CBLFleece

struct ValueTests {
    @Test func aValueIsSixteenBytes() {
        #expect(MemoryLayout<Value>.size == 16)
        #expect(MemoryLayout<Value?>.size == 16)
    }

    @Test(arguments: ["", "00", "8000", "8001", "300030", "00", "8002", "80028002", "0000 3000"])
    func bytesThatAreNoEncodingHaveNoRoot(_ text: String) {
        hex(text).withUnsafeBytes { #expect(Value(root: $0) == nil) }
    }

    @Test func numbersReadInEveryWidthAndForm() {
        func number(_ text: String, _ check: (Value) -> Void) {
            FleeceData(hex(text)).withRoot(check)
        }
        number("0fff") { #expect($0.integer == -1 && $0.double == -1 && $0.unsigned == nil) }
        number("19ffff008002") { #expect($0.integer == 65535 && $0.isUnsigned && $0.unsigned == 65535) }
        number("11ffff008002") { #expect($0.integer == -1 && !$0.isUnsigned) }
        number("1fffffffffffffffff008005") { #expect($0.integer == nil && $0.unsigned == .max && $0.double == 0x1p64) }
        number("170000000000000080008005") { #expect($0.integer == .min) }
        number("20000000003f8003") { #expect($0.double == 0.5 && $0.isFloat && $0.kind == .double) }
        number("24000000003f8003") { #expect($0.double == 0.5 && !$0.isFloat) }
        number("28009a9999999999b93f8005") { #expect($0.double == 0.1 && !$0.isFloat && $0.integer == nil) }
    }

    @Test func narrowPointersOfOldWritersReachSixtyFourKilobytes() throws {
        // A string, 40,000 bytes of anything, and a 15-bit distance in units of two bytes.
        let bytes = hex("4568656c6c6f") + [UInt8](repeating: 0, count: 40_000) + hex("ce23")
        FleeceData(bytes).withRoot { #expect($0.string == "hello") }
    }

    @Test func externalPointersLeadIntoTheBase() throws {
        let base = FleeceData(hex("42616100 42626200 6002 8005 8004 4672656d6f746500 7002 000b 8009 001b 8008 8005"))
        let data = FleeceData(hex("00000000 7001 412e c00a 8003"))
        let extra = base.withBytes { base in data.withBytes { FleeceData(data: $0, base: base) } }
        extra.withRoot { root in
            let dictionary = root.dictionary?.value(forKey: ".", nil)?.dictionary
            #expect(dictionary?.count == 2)
            #expect(dictionary?.value(forSharedKey: 0x1B)?.string == "remote")
            #expect(dictionary?.value(forSharedKey: 0x0B)?.array?.map(\.string) == ["aa", "bb"])
        }
        // Without the base the pointer leads nowhere.
        FleeceData(hex("00000000 7001 412e c00a 8003")).withRoot { #expect($0.dictionary?.value(forKey: ".", nil)?.dictionary == nil) }
    }

    @Test(arguments: [false, true])
    func inheritedDictionariesShowTheirParentsPairs(_ isExternal: Bool) {
        let parent = hex("446e616d6500 43426f62 43616765 446369747900 455061726973 7003 8009 0007 8009 8007 8012 8010 8007")
        let child = hex(
            isExternal
                ? "437a6970 453735303031 7004 0800 c00f c018 0008 c018 3c00 800c 800b 8009"
                : "437a6970 453735303031 7004 0800 800f 8018 0008 8018 3c00 800c 800b 8009")
        let data =
            isExternal
            ? parent.withUnsafeBytes { parent in child.withUnsafeBytes { FleeceData(data: $0, base: parent) } } : FleeceData(parent + child)
        data.withRoot { root in
            guard let dictionary = root.dictionary else {
                Issue.record("no dictionary")
                return
            }
            #expect(dictionary.count == 3)
            #expect(!dictionary.isEmpty)
            #expect(dictionary.map { $0.key.string } == ["age", "name", "zip"])
            #expect(dictionary.map { $0.value.integer } == [8, nil, nil])
            #expect(dictionary.value(forKey: "age", nil)?.integer == 8)
            #expect(dictionary.value(forKey: "name", nil)?.string == "Bob")
            #expect(dictionary.value(forKey: "zip", nil)?.string == "75001")
            #expect(dictionary.value(forKey: "city", nil) == nil)
            #expect(dictionary.value(forKey: "none", nil) == nil)
        }
    }

    @Test func everyKeyOfALargeDictionaryIsFound() throws {
        for table in [nil, SharedKeysBuilder()] {
            let encoder = FleeceEncoder(sharedKeys: table)
            let names = (0..<5000).map { $0 % 3 == 0 ? "key.\($0 * 7919 % 5000)" : "key\($0 * 7919 % 5000)" }
            encoder.beginDictionary()
            for (index, name) in names.enumerated() {
                encoder.writeKey(name)
                encoder.write("value \(index)")
            }
            encoder.endDictionary()
            try encoder.finish().withRoot { root in
                let dictionary = try #require(root.dictionary)
                #expect(dictionary.count == names.count)
                for (index, name) in names.enumerated() {
                    #expect(dictionary.value(forKey: name, table?.state)?.string == "value \(index)")
                    #expect(dictionary.value(forKey: name + "x", table?.state) == nil)
                }
                for pair in dictionary { #expect(pair.key.keyString(table?.state)?.hasPrefix("key") == true) }
            }
        }
    }
}
