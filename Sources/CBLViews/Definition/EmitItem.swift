import CBLFleece

/// What a map function emits as a key or a value, or as a part of one.
///
///     emitter.emit("one")
///     emitter.emit([document["country"].item, document["city"].item], 1)
package enum EmitItem {
    /// A key that is missing emits no row; a value that is, a row without one.
    case missing
    case null
    case boolean(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    /// A string in UTF-8, somebody else's.
    case utf8(UnsafeRawBufferPointer)
    /// A value of the document, with its shared keys. Undefined is missing.
    case value(Value)
    case array([EmitItem])
    case dictionary([(String, EmitItem)])
    /// The document itself, which the index does not repeat. Only as a value.
    case document
}

extension EmitItem: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByNilLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(floatLiteral value: Double) { self = .number(value) }
    package init(booleanLiteral value: Bool) { self = .boolean(value) }
    package init(arrayLiteral items: EmitItem...) { self = .array(items) }
    package init(nilLiteral: ()) { self = .missing }
}

extension EmitItem {
    /// Writes it without shared keys. `keys` is the table of those that values of documents have.
    package func write(to encoder: FleeceEncoder, keys: SharedKeys? = nil) {
        switch self {
        case .missing, .null: encoder.writeNull()
        case .boolean(let value): encoder.write(value)
        case .integer(let value): encoder.write(value)
        case .number(let value): encoder.write(value)
        case .string(let value): encoder.write(value)
        case .utf8(let bytes): encoder.writeString(bytes)
        case .value(let value): EmitItem.write(value, to: encoder, keys)
        case .array(let items):
            encoder.beginArray()
            for item in items { item.write(to: encoder, keys: keys) }
            encoder.endArray()
        case .dictionary(let members):
            encoder.beginDictionary()
            for (name, item) in members {
                encoder.writeKey(name)
                item.write(to: encoder, keys: keys)
            }
            encoder.endDictionary()
        case .document: encoder.fail(.misuse("a document can only be emitted as a value"))
        }
    }

    /// Binary data is text in Base64, as in JSON.
    private static func write(_ value: Value, to encoder: FleeceEncoder, _ keys: SharedKeys?) {
        if value.isUndefined { return encoder.writeNull() }
        guard let data = value.dataBytes else { return encoder.write(value, keys: keys) }
        var text = ByteBuffer()
        JSONWriter.write(data: data, to: &text)
        encoder.writeString(UnsafeRawBufferPointer(rebasing: text.bytes.dropFirst().dropLast()))
    }
}

extension Value {
    /// As a part of what is emitted.
    package var item: EmitItem { .value(self) }
}

/// A place in the plane, or a part of it.
package struct ViewRectangle: Hashable, Sendable {
    package var x0, y0, x1, y1: Double

    package init(x0: Double, y0: Double, x1: Double, y1: Double) {
        (self.x0, self.y0, self.x1, self.y1) = (x0, y0, x1, y1)
    }

    package init(x: Double, y: Double) { self.init(x0: x, y0: y, x1: x, y1: y) }

    var isSound: Bool { x0.isFinite && y0.isFinite && x1.isFinite && y1.isFinite && x0 <= x1 && y0 <= y1 }
}
