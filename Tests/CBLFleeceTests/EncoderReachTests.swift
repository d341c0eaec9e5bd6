import Testing

@testable import CBLFleece

/// What changes where a narrow pointer, or the sharing of a string, stops reaching: one step before, at, and after each edge.
struct EncoderReachTests {
    /// Data of which the encoding takes just `size` bytes.
    private func write(filler size: Int, to encoder: FleeceEncoder) {
        // Header, and a count of one, two or three bytes.
        let count = size - (size - 2 < 15 ? 1 : size - 3 < 128 ? 2 : size - 4 < 16384 ? 3 : 4)
        [UInt8](repeating: 7, count: count).withUnsafeBytes { encoder.writeData($0) }
    }

    @Test(arguments: -6...6) func aFarRootIsPointedToByTwoPointers(_ offset: Int) throws {
        let encoder = FleeceEncoder()
        let size = 0x7FFE + offset * 2
        write(filler: size, to: encoder)
        let data = try encoder.finish()
        #expect(data.bytes.count == size + (offset <= 0 ? 2 : 6))
        #expect(data.hexadecimal.hasSuffix(offset <= 0 ? "" : "8002"))
        try Validator.validate(data)
        data.withRoot { #expect($0.dataBytes?.last == 7) }
    }

    @Test(arguments: -4...4) func anArrayWhoseItemsAreFarIsWide(_ offset: Int) throws {
        let encoder = FleeceEncoder()
        // The string at 0, the filler behind it, the header; the pointer to the string is the third slot, 6 bytes behind the header.
        let filler = 0x7FFE - 4 - 6 + offset * 2
        encoder.beginArray()
        encoder.writeNull()
        write(filler: filler, to: encoder)
        encoder.write("ab")
        encoder.endArray()
        let data = try encoder.finish()
        try Validator.validate(data)
        // Written as the third item the string lies behind the filler, near. Only the filler itself, at 0, may be too far.
        let header = filler + 4
        let isWide = header + 2 + 2 > 0x7FFE
        data.withRoot { root in
            #expect(root.array?.slots.isWide == isWide)
            #expect(root.array?[0].isNull == true && root.array?[1].dataBytes?.first == 7 && root.array?[2].string == "ab")
        }
        #expect(data.bytes.count == header + 2 + (isWide ? 12 : 6) + 2)
    }

    @Test(arguments: -4...4, [false, true]) func aDictionaryWhoseKeysAreFarIsWide(_ offset: Int, _ isKey: Bool) throws {
        let encoder = FleeceEncoder()
        // The pointer that just reaches or not is the first key, 2 bytes behind the header; or the first value, 4 bytes.
        let header = 0x7FFE - (isKey ? 2 : 4) + offset * 2
        encoder.beginDictionary()
        encoder.writeKey(isKey ? "ab" : "a")
        if !isKey {
            encoder.write("ab")
            encoder.writeKey("z")
        }
        write(filler: header - 4, to: encoder)
        encoder.endDictionary()
        let data = try encoder.finish()
        try Validator.validate(data)
        data.withRoot { root in
            let dictionary = root.dictionary
            #expect(dictionary?.slots.isWide == (offset > 0))
            #expect(dictionary?.value(forKey: isKey ? "ab" : "z", nil)?.dataBytes?.first == 7)
            if !isKey { #expect(dictionary?.value(forKey: "a", nil)?.string == "ab") }
            #expect(dictionary?.value(forKey: "zz", nil) == nil)
        }
    }

    @Test(arguments: -4...4, ["ab", "fifteen letters"]) func aFarStringIsWrittenAgain(_ offset: Int, _ text: String) throws {
        let encoder = FleeceEncoder()
        let stringSize = text.utf8.count == 15 ? 18 : 4
        let end = 0x7FDE + offset * 2
        encoder.beginArray()
        encoder.write(text)
        write(filler: end - stringSize, to: encoder)
        for _ in 0..<2 { encoder.write(text) }
        encoder.endArray()
        let data = try encoder.finish()
        try Validator.validate(data)
        data.withRoot { root in
            guard let array = root.array else { return }
            #expect(array.map(\.string) == [text, nil, text, text])
            #expect(array[2].start == (offset <= 0 ? 0 : end))
            #expect(array[3].start == array[2].start)
        }
    }

    @Test func everyLengthOfStringIsSharedOrNotAsItShould() throws {
        let encoder = FleeceEncoder()
        for length in 0...40 {
            let text = String(repeating: "x", count: length)
            encoder.beginArray()
            for _ in 0..<3 { encoder.write(text) }
            encoder.endArray()
            let data = try encoder.finish()
            try Validator.validate(data)
            data.withRoot { root in
                guard let array = root.array else { return }
                #expect(array.map(\.string) == [text, text, text])
                if length >= 2 { #expect((array[0].start == array[2].start) == (length <= 15), "\(length)") }
            }
        }
    }

    @Test func manyStringsAreSharedInOneDocumentAndForgottenInTheNext() throws {
        let encoder = FleeceEncoder()
        for round in 0..<3 {
            encoder.beginArray()
            for index in 0..<6000 { encoder.write("s\(index % 2000)") }
            encoder.endArray()
            let data = try encoder.finish()
            try Validator.validate(data)
            data.withRoot { root in
                #expect(root.array?.enumerated().allSatisfy { $1.string == "s\($0 % 2000)" } == true)
                #expect(root.array?[0].start == root.array?[2000].start, "round \(round)")
            }
        }
    }

    /// Small documents in such number that the string table's round number wraps.
    @Test func seventyThousandDocumentsLeaveNoTraces() throws {
        let encoder = FleeceEncoder()
        for index in 0..<70_000 {
            encoder.beginArray()
            encoder.write(index % 2 == 0 ? "even" : "odd")
            encoder.endArray()
            try encoder.withFinished { bytes in
                if bytes.count != (index % 2 == 0 ? 12 : 10) { Issue.record("document \(index) has \(bytes.count) bytes") }
            }
        }
    }
}
