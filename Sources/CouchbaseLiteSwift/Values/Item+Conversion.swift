internal import CBLFleece
import Foundation

// What programs may put into documents.
extension Item {
    /// Takes in a value of a program. What cannot be stored is a mistake of the program.
    init(_ value: Any?) {
        guard let value else {
            self = .null
            return
        }
        // Types are compared before anything is cast: to ask for a type that it is not takes longer than all the rest.
        let type = Swift.type(of: value)
        if type == String.self {
            self = .string(value as! String)
        } else if type == Int.self {
            self = .integer(Int64(value as! Int))
        } else if type == Double.self {
            self = .double(value as! Double)
        } else if type == Bool.self {
            self = .boolean(value as! Bool)
        } else if type == [String: Any].self {
            self = Item(value as! [String: Any])
        } else if type == [Any].self {
            self = .array(MutableArrayObject(data: value as! [Any]))
        } else if type == [String].self {
            self = .array(MutableArrayObject(strings: value as! [String]))
        } else {
            self = Item(uncommon: value)
        }
    }

    init(_ dictionary: [String: Any]) {
        if Blob.isBlob(properties: dictionary) {
            self = .blob(Blob(properties: dictionary))
        } else {
            self = .dictionary(MutableDictionaryObject(data: dictionary))
        }
    }

    private init(uncommon value: Any) {
        switch value {
        case let value as MutableDictionaryObject: self = .dictionary(value)
        case let value as MutableArrayObject: self = .array(value)
        case let value as DictionaryObject: self = .dictionary(value.toMutable())
        case let value as ArrayObject: self = .array(value.toMutable())
        case let value as Blob: self = .blob(value)
        case is NSNull: self = .null
        case let value as NSNumber: self = Item(value)
        case let value as any FixedWidthInteger: self = Item(integer: value)
        case let value as Float: self = .float(value)
        case let value as Double: self = .double(value)
        case let value as Bool: self = .boolean(value)
        case let value as String: self = .string(value)
        case let value as Date: self = .string(ISO8601.text(value))
        case let value as Data: self = .blob(Blob(contentType: "application/octet-stream", data: value))
        case let value as any OptionalValue: self = Item(value.wrappedValue)
        case let value as [String: Any]: self = Item(value)
        case let value as [Any]: self = .array(MutableArrayObject(data: value))
        default:
            programmerError(.internalInconsistency, "\(Swift.type(of: value)) is no type that a document can hold: \(Item.accepted).")
        }
    }

    private static let accepted = """
        it takes strings, numbers, booleans, dates, blobs, data, null, and arrays and dictionaries (plain ones, or ArrayObject and \
        DictionaryObject) of these
        """

    private init(integer value: any FixedWidthInteger) {
        if let number = Int64(exactly: value) {
            self = .integer(number)
        } else if let number = UInt64(exactly: value) {
            self = .unsigned(number)
        } else {
            programmerError(.internalInconsistency, "\(value) does not fit into 64 bits.")
        }
    }

    init(_ number: NSNumber) {
        switch UInt8(bitPattern: number.objCType.pointee) {
        // Only booleans are of this type here.
        case UInt8(ascii: "c"), UInt8(ascii: "B"): self = .boolean(number.boolValue)
        case UInt8(ascii: "f"): self = .float(number.floatValue)
        case UInt8(ascii: "d"): self = .double(number.doubleValue)
        case UInt8(ascii: "Q"), UInt8(ascii: "L"): self = Item(integer: number.uint64Value)
        default: self = .integer(number.int64Value)
        }
    }

    init(_ text: String?) { self = text.map { .string($0) } ?? .null }

    init(_ number: NSNumber?) {
        if let number { self.init(number) } else { self = .null }
    }

    init(_ date: Date?) { self = date.map { .string(ISO8601.text($0)) } ?? .null }

    init(_ blob: Blob?) { self = blob.map { .blob($0) } ?? .null }

    /// One that can change is shared, one that cannot is copied.
    init(_ array: ArrayObject?) {
        guard let array else {
            self = .null
            return
        }
        self = .array(array as? MutableArrayObject ?? array.toMutable())
    }

    init(_ dictionary: DictionaryObject?) {
        guard let dictionary else {
            self = .null
            return
        }
        self = .dictionary(dictionary as? MutableDictionaryObject ?? dictionary.toMutable())
    }

    /// A copy that shares nothing that can change.
    var independent: Item {
        switch self {
        case .array(let array): .array(array.toMutable())
        case .dictionary(let dictionary): .dictionary(dictionary.toMutable())
        default: self
        }
    }

    /// Whether that is this one itself.
    var isIndependent: Bool {
        switch self {
        case .array, .dictionary: false
        default: true
        }
    }
}

/// An `Optional` that somebody has put into an `Any`.
private protocol OptionalValue {
    var wrappedValue: Any? { get }
}

extension Optional: OptionalValue {
    fileprivate var wrappedValue: Any? { self }
}
