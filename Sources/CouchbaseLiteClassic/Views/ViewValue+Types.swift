internal import CBLFleece
internal import CBLViews
import CouchbaseLiteSwift

extension String: ViewValue {
    public var viewKey: ViewKey { ViewKey(item: .string(self)) }
}

extension Substring: ViewValue {
    public var viewKey: ViewKey { ViewKey(item: .string(String(self))) }
}

extension Bool: ViewValue {
    public var viewKey: ViewKey { ViewKey(item: .boolean(self)) }
}

extension Int: ViewValue {
    public var viewKey: ViewKey { ViewKey(item: .integer(Int64(self))) }
}

extension Int32: ViewValue {
    public var viewKey: ViewKey { ViewKey(item: .integer(Int64(self))) }
}

extension Int64: ViewValue {
    public var viewKey: ViewKey { ViewKey(item: .integer(self)) }
}

extension UInt64: ViewValue {
    /// As a number with a fraction if it is beyond 63 bits: keys are compared as such.
    public var viewKey: ViewKey { ViewKey(item: Int64(exactly: self).map { .integer($0) } ?? .number(Double(self))) }
}

extension Double: ViewValue {
    public var viewKey: ViewKey { ViewKey(item: .number(self)) }
}

extension Float: ViewValue {
    public var viewKey: ViewKey { ViewKey(item: .number(Double(self))) }
}

extension Date: ViewValue {
    /// A text in ISO 8601, with milliseconds, as documents have dates.
    public var viewKey: ViewKey { ViewKey(item: .string(ISO8601.text(self))) }
}

extension NSNull: ViewValue {
    public var viewKey: ViewKey { .null }
}

extension NSNumber: ViewValue {
    public var viewKey: ViewKey {
        switch UInt8(bitPattern: objCType.pointee) {
        // Only booleans are of this type here.
        case UInt8(ascii: "c"), UInt8(ascii: "B"): boolValue.viewKey
        case UInt8(ascii: "f"), UInt8(ascii: "d"): doubleValue.viewKey
        case UInt8(ascii: "Q"), UInt8(ascii: "L"): uint64Value.viewKey
        default: int64Value.viewKey
        }
    }
}

extension Optional: ViewValue {
    /// Nil is no value; inside of an array or dictionary it is null.
    public var viewKey: ViewKey {
        switch self {
        case .none: ViewKey(item: .missing)
        case .some(let value): ViewKey(untyped: value)
        }
    }
}

extension Array: ViewValue {
    public var viewKey: ViewKey { ViewKey(item: .array(map { ViewKey(untyped: $0).item })) }
}

extension Dictionary: ViewValue where Key == String {
    public var viewKey: ViewKey { ViewKey(item: .dictionary(map { ($0, ViewKey(untyped: $1).item) })) }
}

extension MapValue: ViewValue {
    public var viewKey: ViewKey { ViewKey(item: .value(current)) }
}

extension MapDocument: ViewValue {
    /// The document itself, which rows can have as their value without the index repeating it. It cannot be a key.
    public var viewKey: ViewKey { ViewKey(item: .document) }
}

extension Fragment: ViewValue {
    public var viewKey: ViewKey {
        switch value {
        case nil: ViewKey(item: .missing)
        case let array as ArrayObject: array.toArray().viewKey
        case let dictionary as DictionaryObject: dictionary.toDictionary().viewKey
        case let value?: ViewKey(untyped: value)
        }
    }
}
