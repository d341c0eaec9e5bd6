import CBLBase
import CBLFleece

/// What is said of values in messages.
enum Description {
    private static let longest = 40

    /// The value itself if it is short, otherwise what it is.
    static func of(_ value: Value, _ keys: SharedKeys? = nil) -> String {
        switch value.kind {
        case .array: return value.array.map { $0.count == 1 ? "a list of 1 item" : "a list of \($0.count) items" } ?? "a list"
        case .dictionary: return value.dictionary.map { $0.isEmpty ? "an empty object" : "an object" } ?? "an object"
        case .data: return "binary data"
        case .string: return quoted(value.stringBytes ?? UnsafeRawBufferPointer(start: nil, count: 0))
        default:
            var buffer = ByteBuffer(capacity: 32)
            JSONWriter.write(value, keys: keys, to: &buffer)
            return buffer.string
        }
    }

    static func quoted(_ bytes: UnsafeRawBufferPointer) -> String {
        guard bytes.count > 4 * longest else { return shortened(bytes) }
        return shortened(UnsafeRawBufferPointer(rebasing: bytes.prefix(4 * longest)))
    }

    private static func shortened(_ bytes: UnsafeRawBufferPointer) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        let isLong = text.count > longest
        var buffer = ByteBuffer(capacity: 64)
        var shown = isLong ? String(text.prefix(longest)) + "…" : text
        shown.withUTF8 { JSONWriter.write(string: UnsafeRawBufferPointer($0), to: &buffer) }
        return buffer.string
    }

    /// A value as it stands in a schema, in JSON.
    static func json(_ value: Value) -> String {
        var buffer = ByteBuffer(capacity: 64)
        JSONWriter.write(value, keys: nil, to: &buffer)
        guard buffer.count > 2 * longest else { return buffer.string }
        return of(value)
    }

    static func choices(_ values: [Value]) -> String {
        let shown = values.prefix(8).map(json).joined(separator: ", ")
        return values.count > 8 ? shown + ", …" : shown
    }

    static func of(_ types: TypeSet) -> String {
        var names: [String] = []
        let words: [(TypeSet, String)] = [
            (.null, "null"), (.boolean, "true or false"), (.number, "a number"), (.integer, "an integer"), (.string, "a string"),
            (.array, "a list"), (.object, "an object"),
        ]
        for (type, word) in words where types.isSuperset(of: type) {
            // A number is said once.
            if type == .integer, types.contains(.fraction) { continue }
            names.append(word)
        }
        guard let last = names.popLast() else { return "nothing at all" }
        return names.isEmpty ? last : names.joined(separator: ", ") + " or " + last
    }

    static func count(_ number: Int, _ singular: String, _ plural: String) -> String { "\(number) \(number == 1 ? singular : plural)" }
}
