import CBLFleece
import CBLFunctions

/// Where a map function puts its rows.
///
///     emitter.emit(document["name"])
///     emitter.emit([document["country"].item, document["city"].item], .integer(1))
///     emitter.emit(text: document["abstract"], language: "en")
///
/// What cannot be a key or a value, as NaN, fails the document. Hot: a string or a small number as key makes no objects.
package final class Emitter {
    private let ordered: OrderedBytes
    private let rows: MappedRows
    @exclusivity(unchecked) private var orderedBytes = ByteBuffer()
    @exclusivity(unchecked) private var keyBytes = ByteBuffer()
    @exclusivity(unchecked) private var valueBytes = ByteBuffer()
    private let encoder = FleeceEncoder()
    @exclusivity(unchecked) private var keys: SharedKeys?
    /// What went wrong with the document first.
    @exclusivity(unchecked) private(set) var failure: (any Error)?

    init(_ collation: JSONCollation, _ rows: MappedRows) {
        ordered = OrderedBytes(collation)
        self.rows = rows
    }

    func begin(_ document: MapDocument) {
        keys = document.keys
        failure = nil
    }

    package func emit(_ key: EmitItem, _ value: EmitItem = .missing) {
        guard let isComplete = writeKey(key) else { return }
        finish(isComplete, value)
    }

    package func emit(_ key: Value, _ value: EmitItem = .missing) { emit(.value(key), value) }
    package func emit(_ key: EmitItem, _ value: Value) { emit(key, .value(value)) }
    package func emit(_ key: Value, _ value: Value) { emit(.value(key), .value(value)) }

    /// With a key, and a value if there is one, that are written piece by piece, without shared keys.
    package func emit(
        writingKey: (FleeceEncoder) throws -> Void, writingValue: ((FleeceEncoder) throws -> Void)? = nil
    ) {
        guard let isComplete = encodeKey(writingKey) else { return }
        guard let writingValue else { return finish(isComplete, .missing) }
        encode(into: &valueBytes, writingValue)
        add(isComplete, .encoded, special: nil)
    }

    /// The same with the document itself as the value.
    package func emitDocument(writingKey: (FleeceEncoder) throws -> Void) {
        guard let isComplete = encodeKey(writingKey) else { return }
        finish(isComplete, .document)
    }

    /// A text that full-text queries find. `language` names the stemmer: a code, as `en`.
    package func emit(text: String, language: String? = nil, _ value: EmitItem = .missing) {
        var text = text
        text.withUTF8 { emitText(UnsafeRawBufferPointer($0), language, value) }
    }

    package func emit(text: Value, language: String? = nil, _ value: EmitItem = .missing) {
        guard let bytes = text.stringBytes else { return }
        emitText(bytes, language, value)
    }

    package func emit(text: UnsafeRawBufferPointer, language: String? = nil, _ value: EmitItem = .missing) {
        emitText(text, language, value)
    }

    private func emitText(_ text: UnsafeRawBufferPointer, _ language: String?, _ value: EmitItem) {
        _ = writeKey(.null)
        guard writeValue(value) else { return }
        rows.add(key: (orderedBytes.bytes, true, keyBytes.bytes), (kind(value), valueBytes.bytes), .text(text, language: language))
    }

    package func emit(rectangle: ViewRectangle, _ value: EmitItem = .missing) {
        emit(value, rectangle) { GeoJSON.write(rectangle, to: $0) }
    }

    package func emit(x: Double, y: Double, _ value: EmitItem = .missing) { emit(rectangle: ViewRectangle(x: x, y: y), value) }

    /// A value of the document that is GeoJSON. One without coordinates emits nothing.
    package func emit(geoJSON: Value, _ value: EmitItem = .missing) {
        guard let bounds = GeoJSON.bounds(of: geoJSON, keys) else { return }
        emit(value, bounds) { $0.write(geoJSON, keys: keys) }
    }

    private func emit(_ value: EmitItem, _ rectangle: ViewRectangle, writing: (FleeceEncoder) -> Void) {
        guard rectangle.isSound else { return fail(FleeceError.notANumber) }
        var shape = ByteBuffer()
        encode(into: &shape, writing)
        _ = writeKey(.null)
        guard writeValue(value) else { return }
        rows.add(key: (orderedBytes.bytes, true, keyBytes.bytes), (kind(value), valueBytes.bytes), .shape(rectangle, shape.bytes))
    }

    private func fail(_ error: any Error) {
        if failure == nil { failure = error }
    }

    // Keys

    /// Writes the key; nil if there is none, or none that could be written, and otherwise whether its ordered bytes say all.
    @inline(__always)
    private func writeKey(_ key: EmitItem) -> Bool? {
        orderedBytes.truncate(to: 0)
        keyBytes.truncate(to: 0)
        switch key {
        case .value(let value):
            if let bytes = value.stringBytes { return writeKey(string: bytes) }
            if value.isUndefined { return nil }
            if let integer = value.integer { return writeKey(integer: integer) }
            return encodeKey { EmitItem.value(value).write(to: $0, keys: keys) }
        case .string(var string): return string.withUTF8 { writeKey(string: UnsafeRawBufferPointer($0)) }
        case .utf8(let bytes): return writeKey(string: bytes)
        case .integer(let integer): return writeKey(integer: integer)
        case .missing: return nil
        case .null:
            ordered.append(.null, to: &orderedBytes)
            SmallValue.append(0x3000, to: &keyBytes)
            return true
        case .document:
            fail(FleeceError.misuse("a document cannot be a key"))
            return nil
        default: return encodeKey { key.write(to: $0, keys: keys) }
        }
    }

    private func writeKey(string: UnsafeRawBufferPointer) -> Bool? {
        guard SmallValue.append(string: string, to: &keyBytes) else { return encodeKey { $0.writeString(string) } }
        return ordered.append(string: string, to: &orderedBytes)
    }

    private func writeKey(integer: Int64) -> Bool? {
        guard SmallValue.append(integer: integer, to: &keyBytes) else { return encodeKey { $0.write(integer) } }
        ordered.append(number: Double(integer), to: &orderedBytes)
        return true
    }

    private func encodeKey(_ write: (FleeceEncoder) throws -> Void) -> Bool? {
        orderedBytes.truncate(to: 0)
        guard encode(into: &keyBytes, write) else { return nil }
        return ordered.append(Value(root: keyBytes.bytes) ?? .undefined, to: &orderedBytes)
    }

    // Values

    private func finish(_ isComplete: Bool, _ value: EmitItem) {
        guard writeValue(value) else { return }
        add(isComplete, kind(value), special: nil)
    }

    @inline(__always)
    private func kind(_ value: EmitItem) -> MappedRows.ValueKind {
        switch value {
        case .missing: .none
        case .document: .document
        case .value(let value) where value.isUndefined: .none
        default: .encoded
        }
    }

    private func add(_ isComplete: Bool, _ kind: MappedRows.ValueKind, special: MappedRows.Special?) {
        guard failure == nil else { return }
        rows.add(key: (orderedBytes.bytes, isComplete, keyBytes.bytes), (kind, valueBytes.bytes), special)
    }

    private func writeValue(_ value: EmitItem) -> Bool {
        valueBytes.truncate(to: 0)
        switch value {
        case .missing, .document: return true
        case .null:
            SmallValue.append(0x3000, to: &valueBytes)
            return true
        case .integer(let integer):
            if SmallValue.append(integer: integer, to: &valueBytes) { return true }
        case .value(let value):
            if value.isUndefined { return true }
            if let bytes = value.stringBytes, SmallValue.append(string: bytes, to: &valueBytes) { return true }
            if let integer = value.integer, SmallValue.append(integer: integer, to: &valueBytes) { return true }
        default: break
        }
        return encode(into: &valueBytes) { value.write(to: $0, keys: keys) }
    }

    @discardableResult
    private func encode(into buffer: inout ByteBuffer, _ write: (FleeceEncoder) throws -> Void) -> Bool {
        buffer.truncate(to: 0)
        encoder.reset()
        do {
            try write(encoder)
            try encoder.withFinished { buffer.append($0) }
            return true
        } catch {
            fail(error)
            return false
        }
    }
}
