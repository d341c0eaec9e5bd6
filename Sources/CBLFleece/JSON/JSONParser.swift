/// JSON and JSON5 text straight into an encoder: no tree stands between them.
///
///     let encoder = FleeceEncoder(sharedKeys: keys)
///     try JSONParser.parse(text, .json5, into: encoder)
///     let data = try encoder.finish()
///
/// After an error the encoder holds half a value: reset it.
package enum JSONParser {
    /// How deep values may nest, counting the outermost as 1: 101 arrays, or a number within 100 of them.
    package static let maximumDepth = 101

    /// Parses a text that is one value, of any kind, between blanks.
    package static func parse(_ text: UnsafeRawBufferPointer, _ dialect: JSONDialect = .json, into encoder: FleeceEncoder) throws(JSONError)
    {
        try parse(text, dialect, depth: maximumDepth, into: encoder)
    }

    package static func parse(
        _ text: UnsafeRawBufferPointer, _ dialect: JSONDialect = .json, depth: Int, into encoder: FleeceEncoder
    ) throws(JSONError) {
        var reader = JSONReader(text, dialect, depth: depth)
        try reader.value(into: encoder)
        try reader.text.skipBlanks()
        guard reader.text.isAtEnd else { throw reader.text.error(expected: "the end of the text") }
    }

    package static func parse(_ text: String, _ dialect: JSONDialect = .json, into encoder: FleeceEncoder) throws(JSONError) {
        var text = text
        let result: Result<Void, JSONError> = text.withUTF8 { bytes in
            Result { () throws(JSONError) in try parse(UnsafeRawBufferPointer(bytes), dialect, into: encoder) }
        }
        try result.get()
    }

    /// Parses an object whose member `key` is not for the encoder: its value, a string or a whole number, goes to `value`.
    /// False if there is no such member. Documents in text name their IDs so.
    package static func parse(
        _ text: UnsafeRawBufferPointer, _ dialect: JSONDialect = .json, extracting key: UnsafeRawBufferPointer, to value: inout ByteBuffer,
        into encoder: FleeceEncoder
    ) throws(JSONError) -> Bool {
        let count = try parsePrefix(of: text, dialect, isWhole: true, extracting: key, to: &value, into: encoder)
        var rest = JSONText(text, dialect)
        rest.place += count?.length ?? 0
        try rest.skipBlanks()
        guard rest.isAtEnd else { throw rest.error(expected: "the end of the text") }
        return count?.isExtracted ?? false
    }

    /// Both: the value at the start of `text`, without the member `key`.
    package static func parsePrefix(
        of text: UnsafeRawBufferPointer, _ dialect: JSONDialect = .json, isWhole: Bool, extracting key: UnsafeRawBufferPointer,
        to value: inout ByteBuffer, into encoder: FleeceEncoder
    ) throws(JSONError) -> (length: Int, isExtracted: Bool)? {
        var reader = JSONReader(text, dialect)
        reader.extractedKey = key
        value.removeAll()
        guard let length = try parsePrefix(&reader, isWhole: isWhole, into: encoder) else { return nil }
        value.append(reader.extracted.bytes)
        return (length, reader.isExtracted)
    }

    /// Parses the value at the start of `text`, which may go on behind it, and returns how many bytes the value takes, leading blanks
    /// included. Nil if the text is a piece of a longer one (`isWhole` false) and the value may not be all there: reset the
    /// encoder and come back with more. A number or word counts as complete only when something follows it.
    ///
    /// This is how arrays of millions of elements, and JSON Lines, are read piece by piece.
    package static func parsePrefix(
        of text: UnsafeRawBufferPointer, _ dialect: JSONDialect = .json, isWhole: Bool, into encoder: FleeceEncoder
    ) throws(JSONError) -> Int? {
        var reader = JSONReader(text, dialect)
        return try parsePrefix(&reader, isWhole: isWhole, into: encoder)
    }

    private static func parsePrefix(_ reader: inout JSONReader, isWhole: Bool, into encoder: FleeceEncoder) throws(JSONError) -> Int? {
        do {
            try reader.value(into: encoder)
        } catch  where error.isUnfinished && !isWhole {
            return nil
        }
        if !isWhole, reader.text.isAtEnd, !reader.endsWithDelimiter { return nil }
        return reader.text.place - reader.text.start
    }

    /// How many bytes of white space (and comments) `text` starts with.
    package static func blanks(at text: UnsafeRawBufferPointer, _ dialect: JSONDialect = .json) throws(JSONError) -> Int {
        var text = JSONText(text, dialect)
        try text.skipBlanks()
        return text.place - text.start
    }
}

/// The grammar, as a loop over values and what follows them; nesting is counted, not recursed.
///
/// Hot: the import benchmark.
struct JSONReader: ~Copyable {
    var text: JSONText
    /// Strings that are not in the text as such, because it writes them with escapes.
    var unescaped = ByteBuffer(capacity: 32)

    /// The member of the outermost object that is not for the encoder, what it says, and whether it was there.
    var extractedKey = UnsafeRawBufferPointer(start: nil, count: 0)
    var extracted = ByteBuffer(capacity: 32)
    var isExtracted = false

    private let maximumDepth: Int
    /// The depth that `value(into:)` can count.
    static let deepest = 127

    init(_ bytes: UnsafeRawBufferPointer, _ dialect: JSONDialect, depth: Int = JSONParser.maximumDepth) {
        text = JSONText(bytes, dialect)
        maximumDepth = min(depth, Self.deepest)
    }

    /// Whether the value that was read last shows its own end: a string or a collection.
    var endsWithDelimiter: Bool {
        guard text.place > text.start else { return false }
        return [UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "]"), UInt8(ascii: "}")].contains(text.place[-1])
    }

    mutating func value(into encoder: FleeceEncoder) throws(JSONError) {
        var depth = 0
        var kinds: UInt128 = 0  // bit 0 tells what the innermost collection is: 1 for an object
        var isValueNext = true
        try text.skipBlanks()
        while true {
            // A value stands here, unless it was that of the member that is left out.
            if isValueNext {
                switch text.byte {
                case UInt8(ascii: "\""):
                    encoder.writeString(try string())
                case UInt8(ascii: "{"):
                    text.place += 1
                    encoder.beginDictionary()
                    depth += 1
                    kinds = kinds << 1 | 1
                    try text.skipBlanks()
                    if text.byte != UInt8(ascii: "}") {
                        guard depth < maximumDepth else { throw tooDeep }
                        isValueNext = try key(into: encoder, depth: depth)
                        continue
                    }
                case UInt8(ascii: "["):
                    text.place += 1
                    encoder.beginArray()
                    depth += 1
                    kinds <<= 1
                    try text.skipBlanks()
                    if text.byte != UInt8(ascii: "]") {
                        guard depth < maximumDepth else { throw tooDeep }
                        continue
                    }
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                    try number(into: encoder)
                default:
                    try word(into: encoder)
                }
            }
            isValueNext = true

            // What follows a value: the ends of collections, until a comma leads to the next one.
            while true {
                if depth == 0 { return }
                try text.skipBlanks()
                let isObject = kinds & 1 == 1
                let closing = isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
                if text.byte == UInt8(ascii: ",") {
                    text.place += 1
                    try text.skipBlanks()
                    if text.byte != closing || !text.isJSON5 {
                        if isObject { isValueNext = try key(into: encoder, depth: depth) }
                        break
                    }
                }
                guard text.byte == closing else { throw text.error(expected: isObject ? "',' or '}'" : "',' or ']'") }
                text.place += 1
                kinds >>= 1
                depth -= 1
                if isObject {
                    try endDictionary(of: encoder)
                } else {
                    encoder.endArray()
                }
            }
        }
    }

    private var tooDeep: JSONError {
        text.error("values are nested more than \(maximumDepth) levels deep", isUnfinished: false)
    }

    /// A key and its colon, up to the value. False if the member is the one that is left out, and its value has been read.
    @inline(__always)
    private mutating func key(into encoder: FleeceEncoder, depth: Int) throws(JSONError) -> Bool {
        let key = try keyBytes()
        let isLeftOut =
            depth == 1 && key.count == extractedKey.count && !extractedKey.isEmpty && key.elementsEqual(extractedKey)
        if !isLeftOut { encoder.writeKey(key) }
        try text.skipBlanks()
        guard text.byte == UInt8(ascii: ":") else { throw text.error(expected: "':'") }
        text.place += 1
        try text.skipBlanks()
        if isLeftOut { try extractValue() }
        return !isLeftOut
    }

    private mutating func extractValue() throws(JSONError) {
        extracted.removeAll()
        isExtracted = true
        switch text.byte {
        case UInt8(ascii: "\""):
            extracted.append(try string())
        case UInt8(ascii: "'") where text.isJSON5:
            extracted.append(try carefulString())
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            let start = text.place
            while !text.isAtEnd, text.byte == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text.byte) {
                text.place += 1
            }
            extracted.append(UnsafeRawBufferPointer(start: start, count: text.place - start))
        default:
            throw text.error(expected: "a string or a whole number for \"\(String(decoding: extractedKey, as: UTF8.self))\"")
        }
    }

    @inline(__always)
    mutating func keyBytes() throws(JSONError) -> UnsafeRawBufferPointer {
        if text.byte == UInt8(ascii: "\"") { return try string() }
        return try otherKey()
    }

    private mutating func otherKey() throws(JSONError) -> UnsafeRawBufferPointer {
        guard text.isJSON5 else { throw text.error(expected: "a key in double quotes") }
        if text.byte == UInt8(ascii: "'") { return try carefulString() }
        var name: [UInt8] = []
        try text.bareKey(to: &name)
        unescaped.removeAll()
        name.withUnsafeBytes { unescaped.append($0) }
        return unescaped.bytes
    }

    /// `true`, `false`, `null`, and what only JSON5 has.
    private mutating func word(into encoder: FleeceEncoder) throws(JSONError) {
        switch text.byte {
        case UInt8(ascii: "t") where text.skip("true"): encoder.write(true)
        case UInt8(ascii: "f") where text.skip("false"): encoder.write(false)
        case UInt8(ascii: "n") where text.skip("null"): encoder.writeNull()
        case UInt8(ascii: "'") where text.isJSON5: encoder.writeString(try carefulString())
        case UInt8(ascii: "+") where text.isJSON5, UInt8(ascii: ".") where text.isJSON5: try json5Number(into: encoder)
        default: throw wordError
        }
    }

    private var wordError: JSONError {
        for (word, advice) in Self.foreignWords where text.starts(with: word) {
            return text.error("\(word) has no place in JSON\(advice)")
        }
        for word in ["true", "false", "null"] as [StaticString] where text.isCut(word) {
            return text.error("expected \(word), found the end of the text", isUnfinished: true)
        }
        return text.error(expected: "a value")
    }

    private static let foreignWords: [(StaticString, String)] = [
        ("Infinity", ": only finite numbers can be stored"), ("NaN", ": only finite numbers can be stored"),
        ("undefined", ": leave the property out, or write null"),
    ]
}

extension JSONText {
    func starts(with word: StaticString) -> Bool {
        var copy = self
        return copy.skip(word)
    }

    /// Whether the text ends within `word`.
    func isCut(_ word: StaticString) -> Bool {
        let available = end - place
        guard available > 0, available < word.utf8CodeUnitCount else { return false }
        return (0..<available).allSatisfy { place[$0] == word.utf8Start[$0] }
    }
}
