internal import CBLFleece
import Foundation

/// What a program has put into a container, or was handed out of it and may have changed.
enum Item {
    case null
    case boolean(Bool)
    case integer(Int64)
    /// Only what is beyond `Int64`.
    case unsigned(UInt64)
    case float(Float)
    case double(Double)
    case string(String)
    case array(ArrayObject)
    case dictionary(DictionaryObject)
    case blob(Blob)
}

/// What is found at a place of a container.
enum Entry {
    case absent
    /// In memory that the second one keeps, or, if that is nil, the container.
    case stored(Value, StoredValues?)
    case item(Item)

    var exists: Bool {
        if case .absent = self { false } else { true }
    }
}

// How a value is read as each type; the same rules for documents, containers and rows.
extension Entry {
    var string: String? {
        switch self {
        case .stored(let value, _): value.string
        case .item(.string(let text)): text
        default: nil
        }
    }

    var boolean: Bool {
        switch self {
        case .absent: false
        case .stored(let value, _):
            switch value.kind {
            case .undefined, .null: false
            case .boolean: value.boolean ?? false
            case .integer: value.integerBits != 0
            case .double: value.double != 0
            case .string, .data, .array, .dictionary: true
            }
        case .item(let item):
            switch item {
            case .null: false
            case .boolean(let flag): flag
            case .integer(let number): number != 0
            case .unsigned(let number): number != 0
            case .float(let number): number != 0
            case .double(let number): number != 0
            case .string, .array, .dictionary, .blob: true
            }
        }
    }

    /// Fractions are cut off; what is beyond the type stops at its end.
    var int64: Int64 {
        switch self {
        case .absent: 0
        case .stored(let value, _):
            switch value.kind {
            case .boolean: value.boolean == true ? 1 : 0
            case .integer: Int64(truncatingIfNeeded: value.integerBits ?? 0)
            case .double: Int64(cutting: value.double ?? 0)
            default: 0
            }
        case .item(let item):
            switch item {
            case .boolean(let flag): flag ? 1 : 0
            case .integer(let number): number
            case .unsigned(let number): Int64(truncatingIfNeeded: number)
            case .float(let number): Int64(cutting: Double(number))
            case .double(let number): Int64(cutting: number)
            default: 0
            }
        }
    }

    var double: Double {
        switch self {
        case .absent: 0
        case .stored(let value, _):
            if value.kind == .boolean { value.boolean == true ? 1 : 0 } else { value.double ?? 0 }
        case .item(let item):
            switch item {
            case .boolean(let flag): flag ? 1 : 0
            case .integer(let number): Double(number)
            case .unsigned(let number): Double(number)
            case .float(let number): Double(number)
            case .double(let number): number
            default: 0
            }
        }
    }

    var float: Float {
        if case .item(.float(let number)) = self { number } else { Float(double) }
    }

    var number: NSNumber? {
        switch self {
        case .absent: nil
        case .stored(let value, _): value.number
        case .item(let item): item.number
        }
    }

    var date: Date? { string.flatMap(ISO8601.date) }
}

extension Item {
    var number: NSNumber? {
        switch self {
        case .boolean(let flag): NSNumber(value: flag)
        case .integer(let number): NSNumber(value: number)
        case .unsigned(let number): NSNumber(value: number)
        case .float(let number): NSNumber(value: number)
        case .double(let number): NSNumber(value: number)
        default: nil
        }
    }

    /// As programs get it: numbers are `NSNumber`, null is `NSNull`.
    var object: Any {
        switch self {
        case .null: NSNull()
        case .boolean, .integer, .unsigned, .float, .double: number ?? NSNull()
        case .string(let text): text
        case .array(let array): array
        case .dictionary(let dictionary): dictionary
        case .blob(let blob): blob
        }
    }

    /// The same with nothing but plain arrays and dictionaries below it.
    var plainObject: Any {
        switch self {
        case .array(let array): array.toArray()
        case .dictionary(let dictionary): dictionary.toDictionary()
        default: object
        }
    }
}

extension Value {
    /// Numbers and booleans.
    var number: NSNumber? {
        switch kind {
        case .boolean: NSNumber(value: boolean ?? false)
        case .integer:
            if isUnsigned, let unsigned { NSNumber(value: unsigned) } else { NSNumber(value: Int64(truncatingIfNeeded: integerBits ?? 0)) }
        case .double:
            if isFloat { NSNumber(value: Float(double ?? 0)) } else { NSNumber(value: double ?? 0) }
        default: nil
        }
    }

    /// Whether it is a dictionary that stands for a blob.
    func isBlob(_ keys: SharedKeys?) -> Bool { dictionary?.isBlob(keys) ?? false }

    /// What the value is with nothing but plain arrays and dictionaries, and blobs, below it.
    func plainObject(_ source: StoredValues) -> Any {
        switch kind {
        case .undefined, .null: return NSNull()
        case .boolean, .integer, .double: return number ?? NSNull()
        case .string: return string ?? ""
        case .data: return Blob(stored: self, in: source)
        case .array: return array.map { $0.map { $0.plainObject(source) } } ?? []
        case .dictionary:
            if isBlob(source.keys) { return Blob(stored: self, in: source) }
            guard let dictionary else { return [String: Any]() }
            return dictionary.plainDictionary(source)
        }
    }
}

extension DictionaryView {
    private static let typeKey: StaticString = "@type"

    /// Whether it stands for a blob: by its type and something to find the content by, or as attachments did before there was a type.
    func isBlob(_ keys: SharedKeys?) -> Bool {
        guard count > 1 else { return false }
        // No table of keys has one with such a sign.
        let type = DictionaryView.typeKey.withUTF8Buffer { value(forStringKey: UnsafeRawBufferPointer($0)) }
        if let bytes = type?.stringBytes {
            guard bytes.elementsEqual(Blob.blobType.utf8) else { return false }
            return value(forKey: Blob.blobDigestProperty, keys)?.stringBytes != nil
                || value(forKey: Blob.contentProperty, keys)?.dataBytes != nil
        }
        func has(_ name: String) -> Bool { value(forKey: name, keys) != nil }
        return count >= 4 && has("revpos") && has("digest") && has("stub") && has("length")
    }

    func plainDictionary(_ source: StoredValues) -> [String: Any] {
        var result = [String: Any](minimumCapacity: count)
        for (key, value) in self {
            if let name = key.keyString(source.keys) { result[name] = value.plainObject(source) }
        }
        return result
    }
}

extension Int64 {
    init(cutting number: Double) {
        if number.isNaN {
            self = 0
        } else if number >= 0x1p63 {
            self = .max
        } else if number <= -0x1p63 {
            self = .min
        } else {
            self = Int64(number)
        }
    }
}
