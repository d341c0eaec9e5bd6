import CBLFleece

/// Breaks JSON that stands on one line into several, for a screen. What fits stays on one line:
///
///     {
///       "name": "Ada",
///       "address": {"city": "London", "zip": 1}
///     }
///
/// The text is taken as the writers of JSON and JSON5 here make it; whatever else it is, no byte but blanks is added or lost.
struct JSONFolding {
    // Deeper brackets stay on one line, however long it is.
    private static let deepest = 32

    private let json: UnsafeRawBufferPointer
    private let width: Int
    private var position = 0

    private init(_ json: UnsafeRawBufferPointer, width: Int) {
        self.json = json
        self.width = width
    }

    /// Appends the text in lines of up to `width` bytes, as far as that can be. All but the first are indented by `indent` blanks at least.
    static func append(_ json: UnsafeRawBufferPointer, width: Int, indent: Int = 0, to buffer: inout ByteBuffer) {
        var folding = JSONFolding(json, width: width)
        folding.value(column: indent, indent: indent, depth: 0, to: &buffer)
        if folding.position < json.count { buffer.append(UnsafeRawBufferPointer(rebasing: json[folding.position...])) }
    }

    private var byte: UInt8? { position < json.count ? json[position] : nil }

    private mutating func skipBlanks() { while byte == UInt8(ascii: " ") { position += 1 } }

    private mutating func value(column: Int, indent: Int, depth: Int, to buffer: inout ByteBuffer) {
        let end = JSONFolding.end(of: json, from: position)
        // Behind it there is room for a comma or a bracket.
        let fits = column + (end - position) + 1 <= width
        guard let open = byte, open == UInt8(ascii: "{") || open == UInt8(ascii: "["), !fits, depth < JSONFolding.deepest,
            end - position > 2
        else {
            buffer.append(UnsafeRawBufferPointer(rebasing: json[position..<end]))
            position = end
            return
        }
        buffer.append(open)
        position += 1
        while position < end - 1 {
            skipBlanks()
            buffer.append(UInt8(ascii: "\n"))
            buffer.append(repeating: UInt8(ascii: " "), count: indent + 2)
            var column = indent + 2
            if open == UInt8(ascii: "{") { column += key(before: end, to: &buffer) }
            value(column: column, indent: indent + 2, depth: depth + 1, to: &buffer)
            guard position < end - 1, byte == UInt8(ascii: ",") else { break }
            buffer.append(UInt8(ascii: ","))
            position += 1
        }
        // The closing bracket, and whatever text that is not JSON has in front of it.
        buffer.append(UInt8(ascii: "\n"))
        buffer.append(repeating: UInt8(ascii: " "), count: indent)
        buffer.append(UnsafeRawBufferPointer(rebasing: json[position..<end]))
        position = end
    }

    /// Copies a key and its colon. Gives their length.
    private mutating func key(before end: Int, to buffer: inout ByteBuffer) -> Int {
        let start = position
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") { position = JSONFolding.endOfString(json, from: position) }
        while position < end - 1, let byte, byte != UInt8(ascii: ":") { position += 1 }
        guard position < end - 1 else {
            position = start
            return 0
        }
        position += 1
        buffer.append(UnsafeRawBufferPointer(rebasing: json[start..<position]))
        buffer.append(UInt8(ascii: " "))
        let length = position - start + 1
        skipBlanks()
        return length
    }

    /// Where a value ends that begins at a place: behind its last bracket or quote, or in front of what separates it from the next.
    private static func end(of json: UnsafeRawBufferPointer, from start: Int) -> Int {
        var position = start
        var depth = 0
        while position < json.count {
            switch json[position] {
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                position = endOfString(json, from: position)
                if depth == 0 { return position }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return position }
                depth -= 1
                if depth == 0 { return position + 1 }
            case UInt8(ascii: ",") where depth == 0: return position
            default: break
            }
            position += 1
        }
        return json.count
    }

    private static func endOfString(_ json: UnsafeRawBufferPointer, from start: Int) -> Int {
        let quote = json[start]
        var position = start + 1
        while position < json.count, json[position] != quote { position += json[position] == UInt8(ascii: "\\") ? 2 : 1 }
        return min(position + 1, json.count)
    }
}
