import CBLFleece
internal import CBLSystemDuktape

/// A value that a script gave: it stands in the runner's memory, until the runner's next call.
package struct ScriptValue {
    fileprivate let reader: RecordReader

    /// Whether there is none: JavaScript's `undefined`.
    package var isUndefined: Bool { reader.peek == UInt8(cblite_value_undefined.rawValue) }

    package var boolean: Bool? {
        switch reader.peek {
        case UInt8(cblite_value_true.rawValue): true
        case UInt8(cblite_value_false.rawValue): false
        default: nil
        }
    }

    /// Writes the value as JSON would have it: `undefined` is null. Whole numbers up to 2^53 are integers.
    package func write(to encoder: FleeceEncoder) throws(ScriptError) {
        var reader = reader
        try reader.copyValue(to: encoder)
    }

    /// The value in an encoding of its own.
    package func encoded() throws -> FleeceData {
        let encoder = FleeceEncoder()
        try write(to: encoder)
        return try encoder.finish()
    }
}

/// What a map function emitted.
package struct ScriptRow {
    package let key: ScriptValue
    package let value: ScriptValue
    /// Whether the value is the very object that the function got as the document. It is a value like others nevertheless: the function may have
    /// changed it.
    package let isDocument: Bool
}

/// Reads what the engine's side wrote. It is bytes of our own, and yet every length is checked against their end.
struct RecordReader {
    let bytes: UnsafeRawBufferPointer
    var place = 0
    let function: String

    enum Record {
        case row(ScriptRow)
        case result(ScriptValue)
        case error(message: String, line: Int?)
    }

    fileprivate var peek: UInt8 { place < bytes.count ? bytes[place] : UInt8(cblite_value_undefined.rawValue) }

    private func failed(_ message: String) -> ScriptError { ScriptError(.thrown, function: function, message: message) }

    private mutating func take(_ count: Int) throws(ScriptError) -> UnsafeRawBufferPointer {
        guard count <= bytes.count - place else { throw ScriptError(.broken, function: function, message: "its results are cut") }
        defer { place += count }
        return UnsafeRawBufferPointer(rebasing: bytes[place..<place + count])
    }

    private mutating func byte() throws(ScriptError) -> UInt8 { try take(1)[0] }
    private mutating func number() throws(ScriptError) -> Int { Int(try take(4).loadUnaligned(as: UInt32.self)) }
    mutating func text() throws(ScriptError) -> UnsafeRawBufferPointer { try take(try number()) }

    /// The next record, or nil at the end.
    mutating func next() throws(ScriptError) -> Record? {
        guard place < bytes.count else { return nil }
        switch UInt32(try byte()) {
        case cblite_record_row.rawValue:
            let key = try value()
            let isDocument = UInt32(peek) == cblite_value_argument.rawValue
            if isDocument { place += 1 }
            return .row(ScriptRow(key: key, value: try value(), isDocument: isDocument))
        case cblite_record_result.rawValue:
            return .result(try value())
        default:
            let message = String(decoding: try text(), as: UTF8.self)
            let line = try number()
            return .error(message: message, line: line > 0 ? line : nil)
        }
    }

    private mutating func value() throws(ScriptError) -> ScriptValue {
        let value = ScriptValue(reader: self)
        try skipValue(depth: 0)
        return value
    }

    private mutating func skipValue(depth: Int) throws(ScriptError) {
        switch UInt32(try byte()) {
        case cblite_value_number.rawValue: _ = try take(8)
        case cblite_value_text.rawValue, cblite_value_json.rawValue: _ = try text()
        case cblite_value_array.rawValue:
            let count = try number()
            for _ in 0..<count { try skipValue(depth: depth + 1) }
        default: break
        }
    }

    fileprivate mutating func copyValue(to encoder: FleeceEncoder) throws(ScriptError) {
        switch UInt32(try byte()) {
        case cblite_value_false.rawValue: encoder.write(false)
        case cblite_value_true.rawValue: encoder.write(true)
        case cblite_value_number.rawValue:
            let number = try take(8).loadUnaligned(as: Double.self)
            if let integer = Int64(exactly: number), integer.magnitude <= 1 << 53 { encoder.write(integer) } else { encoder.write(number) }
        case cblite_value_text.rawValue: encoder.writeString(try text())
        case cblite_value_array.rawValue:
            let count = try number()
            encoder.beginArray()
            for _ in 0..<count { try copyValue(to: encoder) }
            encoder.endArray()
        case cblite_value_json.rawValue:
            let text = try text()
            do throws(JSONError) { try JSONParser.parse(text, into: encoder) } catch {
                encoder.reset()
                throw failed("a value cannot be stored: \(error)")
            }
        default: encoder.writeNull()
        }
    }
}
