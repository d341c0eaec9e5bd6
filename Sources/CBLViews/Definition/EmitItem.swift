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
