// Two members of one object with the same key. The encoder notices, when it sorts the keys; where it was in the text is looked for only then.

extension JSONReader {
    /// Ends the encoder's dictionary. The closing brace has just been read.
    @inline(__always)
    mutating func endDictionary(of encoder: FleeceEncoder) throws(JSONError) {
        encoder.endDictionary()
        if let failure = encoder.failure { throw error(for: failure) }
    }

    @inline(never)
    private mutating func error(for failure: FleeceError) -> JSONError {
        let closing = text.place - 1
        guard case .duplicateKey(let key) = failure else { return text.error("\(failure)", at: closing, isUnfinished: false) }
        let position = (try? secondOccurrence(of: Array(key.utf8), inObjectEndingAt: closing)) ?? closing
        return text.error("the key \"\(key)\" occurs twice in one object", at: position, isUnfinished: false)
    }

    private mutating func secondOccurrence(of key: [UInt8], inObjectEndingAt closing: UnsafePointer<UInt8>) throws(JSONError)
        -> UnsafePointer<UInt8>?
    {
        // All this has been read before without an error.
        guard let opening = try openingBrace(ofObjectEndingAt: closing) else { return nil }
        text.place = opening + 1
        var isKnown = false
        while true {
            try text.skipBlanks()
            guard text.place < closing else { return nil }
            let start = text.place
            if try keyBytes().elementsEqual(key) {
                if isKnown { return start }
                isKnown = true
            }
            // To the comma behind the value.
            var depth = 0
            while text.place < closing, depth > 0 || text.byte != UInt8(ascii: ",") {
                switch try skipToken() {
                case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
                default: break
                }
            }
            if text.place < closing { text.place += 1 }
        }
    }

    private mutating func openingBrace(ofObjectEndingAt closing: UnsafePointer<UInt8>) throws(JSONError) -> UnsafePointer<UInt8>? {
        var openings: [UnsafePointer<UInt8>] = []
        text.place = text.start
        while text.place < closing {
            let place = text.place
            switch try skipToken() {
            case UInt8(ascii: "{"), UInt8(ascii: "["): openings.append(place)
            case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = openings.popLast()
            default: break
            }
        }
        return openings.last
    }

    /// Goes behind a string, a comment, or else one byte, and returns the first byte.
    private mutating func skipToken() throws(JSONError) -> UInt8 {
        let byte = text.byte
        switch byte {
        case UInt8(ascii: "\""): _ = try string()
        case UInt8(ascii: "'") where text.isJSON5: _ = try carefulString()
        case UInt8(ascii: "/") where text.isJSON5: try text.skipComment()
        default: text.place += 1
        }
        return byte
    }
}
