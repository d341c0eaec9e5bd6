import CBLBase
import CBLFleece

/// A Fleece value as JSON, and back. What JSON has no form for becomes an object with a single member whose name begins with `$`:
///
///     {"$data":"aGVsbG8="}   {"$double":"inf"}   {"$float":0.10000000149011612}   {"$undefined":true}   {"$string":"/w=="}
///
/// and a real dictionary that looks like one is wrapped: `{"$object":{"$data":1}}`.
struct ArchiveValueWriter {
    private let keys: SharedKeys
    private var budget: WalkBudget

    /// Appends the root of an encoding of `byteCount` bytes.
    static func write(_ value: Value, byteCount: Int, _ keys: SharedKeys, to buffer: inout ByteBuffer) throws(StoreError) {
        var writer = ArchiveValueWriter(keys: keys, budget: WalkBudget(byteCount: byteCount))
        let isPlain = writer.isPlain(value, depth: 0)
        guard !writer.budget.isExhausted else { throw damaged("\(FleeceError.endless)") }
        if isPlain {
            guard JSONWriter.write(value, keys: keys, style: .canonical, to: &buffer) else { throw damaged("it is nested too deep") }
        } else {
            writer.budget = WalkBudget(byteCount: byteCount)
            try writer.write(value, depth: 0, to: &buffer)
        }
    }

    private static func damaged(_ reason: String) -> StoreError { StoreError(.corrupt, "its body is damaged: \(reason)") }

    /// Whether JSON says it all, and reading the JSON gives the same. Most bodies are so.
    private mutating func isPlain(_ value: Value, depth: Int) -> Bool {
        guard budget.visit(), depth < Limits.depth else { return false }
        switch value.kind {
        case .null, .boolean: return true
        case .integer: return value.integerBits != nil
        case .string:
            guard let bytes = value.stringBytes, budget.spend(bytes.count) else { return false }
            return isUTF8(bytes)
        case .double: return ArchiveValueWriter.isPlain(number: value)
        case .array:
            guard let array = value.array else { return false }
            for item in array where !isPlain(item, depth: depth + 1) { return false }
            return true
        case .dictionary:
            guard let dictionary = value.dictionary, budget.enter(dictionary) else { return false }
            let isAlone = dictionary.count == 1
            for (key, member) in dictionary {
                guard let name = key.keyBytes(keys), budget.spend(name.count), isUTF8(name), !(isAlone && name.first == UInt8(ascii: "$"))
                else { return false }
                if !isPlain(member, depth: depth + 1) { return false }
            }
            return true
        case .data, .undefined: return false
        }
    }

    /// A single-precision number may have fewer digits than the double that its digits are read as.
    private static func isPlain(number value: Value) -> Bool {
        guard let double = value.double, double.isFinite else { return false }
        guard value.isFloat else { return true }
        var asFloat = ByteBuffer(capacity: 32)
        var asDouble = ByteBuffer(capacity: 32)
        JSONWriter.write(value, keys: nil, to: &asFloat)
        JSONWriter.write(double: double, to: &asDouble)
        return asFloat.bytes.elementsEqual(asDouble.bytes)
    }

    private mutating func write(_ value: Value, depth: Int, to buffer: inout ByteBuffer) throws(StoreError) {
        guard depth < Limits.depth else { throw ArchiveValueWriter.damaged("it is nested too deep") }
        try spend(16)
        switch value.kind {
        case .undefined:
            guard value.isUndefined else { throw ArchiveValueWriter.damaged("a value cannot be read") }
            buffer.append("{\"$undefined\":true}")
        case .data:
            guard let bytes = value.dataBytes else { throw ArchiveValueWriter.damaged("data are cut off") }
            try spend(bytes.count)
            ArchiveValueWriter.write("$data", base64: bytes, to: &buffer)
        case .string:
            guard let bytes = value.stringBytes else { throw ArchiveValueWriter.damaged("a string is cut off") }
            try spend(bytes.count)
            if isUTF8(bytes) {
                JSONWriter.write(string: bytes, to: &buffer)
            } else {
                ArchiveValueWriter.write("$string", base64: bytes, to: &buffer)
            }
        case .double: try ArchiveValueWriter.write(number: value, to: &buffer)
        case .array:
            guard let array = value.array else { throw ArchiveValueWriter.damaged("an array cannot be read") }
            buffer.append("[")
            var isFirst = true
            for item in array {
                if !isFirst { buffer.append(",") }
                isFirst = false
                try write(item, depth: depth + 1, to: &buffer)
            }
            buffer.append("]")
        case .dictionary:
            guard let dictionary = value.dictionary else { throw ArchiveValueWriter.damaged("a dictionary cannot be read") }
            try write(dictionary, depth: depth, to: &buffer)
        case .null, .boolean, .integer: JSONWriter.write(value, keys: nil, to: &buffer)
        }
    }

    private mutating func spend(_ count: Int) throws(StoreError) {
        guard budget.spend(count) else { throw ArchiveValueWriter.damaged("\(FleeceError.endless)") }
    }

    private mutating func write(_ dictionary: DictionaryView, depth: Int, to buffer: inout ByteBuffer) throws(StoreError) {
        guard budget.enter(dictionary) else { throw ArchiveValueWriter.damaged("\(FleeceError.endless)") }
        var members: [(name: UnsafeRawBufferPointer, value: Value)] = []
        for (key, value) in dictionary {
            guard let name = key.keyBytes(keys), isUTF8(name) else {
                throw ArchiveValueWriter.damaged("the name of a property is unknown or not UTF-8")
            }
            try spend(name.count)
            members.append((name, value))
        }
        members.sort { $0.name.lexicographicallyPrecedes($1.name) }
        let looksTagged = members.count == 1 && members[0].name.first == UInt8(ascii: "$")
        buffer.append(looksTagged ? "{\"$object\":{" : "{")
        for (index, member) in members.enumerated() {
            if index > 0 { buffer.append(",") }
            JSONWriter.write(string: member.name, to: &buffer)
            buffer.append(":")
            try write(member.value, depth: depth + 1, to: &buffer)
        }
        buffer.append(looksTagged ? "}}" : "}")
    }

    private static func write(number value: Value, to buffer: inout ByteBuffer) throws(StoreError) {
        guard let double = value.double, !double.isNaN else { throw damaged("a number is none") }
        if isPlain(number: value) {
            JSONWriter.write(value, keys: nil, to: &buffer)
            return
        }
        buffer.append(value.isFloat ? "{\"$float\":" : "{\"$double\":")
        if double.isFinite {
            JSONWriter.write(double: double, to: &buffer)
        } else {
            buffer.append(double < 0 ? "\"-inf\"" : "\"inf\"")
        }
        buffer.append("}")
    }

    static func write(_ tag: StaticString, base64 bytes: UnsafeRawBufferPointer, to buffer: inout ByteBuffer) {
        buffer.append("{\"")
        buffer.append(tag)
        buffer.append("\":\"")
        buffer.append(atMost: (bytes.count + 2) / 3 * 4) { Base64.write(bytes, isPadded: true, to: $0) }
        buffer.append("\"}")
    }
}

/// The way back: values of a parsed line, whose keys are strings, into an encoder.
enum ArchiveValueReader {
    static func read(_ value: Value, into encoder: FleeceEncoder) throws(StoreError) {
        switch value.kind {
        case .array:
            encoder.beginArray()
            if let array = value.array { for item in array { try read(item, into: encoder) } }
            encoder.endArray()
        case .dictionary:
            guard let dictionary = value.dictionary else { throw invalid("a value cannot be read") }
            if dictionary.count == 1, let (key, content) = dictionary.first(where: { _ in true }), let tag = key.stringBytes,
                tag.first == UInt8(ascii: "$")
            {
                try read(content, tag: String(decoding: tag, as: UTF8.self), into: encoder)
            } else {
                try read(dictionary, into: encoder)
            }
        default: encoder.write(value, keys: nil)
        }
    }

    private static func read(_ dictionary: DictionaryView, into encoder: FleeceEncoder) throws(StoreError) {
        encoder.beginDictionary()
        for (key, value) in dictionary {
            guard let name = key.keyBytes(nil) else { throw invalid("a value cannot be read") }
            encoder.writeKey(name)
            try read(value, into: encoder)
        }
        encoder.endDictionary()
    }

    private static func read(_ content: Value, tag: String, into encoder: FleeceEncoder) throws(StoreError) {
        switch tag {
        case "$undefined" where content.boolean == true: encoder.writeUndefined()
        case "$data": try bytes(content, tag).withUnsafeBytes { encoder.writeData($0) }
        case "$string": try bytes(content, tag).withUnsafeBytes { encoder.writeString($0) }
        case "$double": encoder.write(try number(content, tag))
        case "$float": encoder.write(Float(try number(content, tag)))
        case "$object":
            guard let dictionary = content.dictionary else { throw invalid("\"$object\" must be an object") }
            try read(dictionary, into: encoder)
        default: throw invalid("\"\(tag)\" is not the mark of a kind of value")
        }
    }

    private static func number(_ content: Value, _ tag: String) throws(StoreError) -> Double {
        if content.isNumber, let double = content.double { return double }
        switch content.string {
        case "inf": return .infinity
        case "-inf": return -.infinity
        default: throw invalid("\"\(tag)\" must be a number, \"inf\" or \"-inf\"")
        }
    }

    /// The bytes that a string in Base64 stands for.
    static func bytes(_ content: Value, _ tag: String) throws(StoreError) -> [UInt8] {
        guard let text = content.stringBytes, let bytes = Base64.bytes(of: text) else { throw invalid("\"\(tag)\" must be Base64") }
        return bytes
    }

    static func invalid(_ reason: String) -> StoreError { StoreError(.corrupt, reason) }
}
