internal import CBLFleece
import Foundation

/// Named values to be decoded: a stored dictionary, or the columns of a row.
protocol NamedValues {
    /// Nil if there is none of this name.
    func value(named name: String) -> Value?
    var names: [String] { get }
}

/// A dictionary as it is stored.
struct StoredDictionary: NamedValues {
    let dictionary: DictionaryView
    let source: StoredValues

    func value(named name: String) -> Value? {
        guard let value = dictionary.value(forKey: name, source.keys), !value.isUndefined else { return nil }
        return value
    }

    var names: [String] { dictionary.compactMap { $0.key.keyString(source.keys) } }
}

/// What decoders of one document or row have in common.
struct DecodingContext {
    let source: StoredValues
    /// What a property that says which document it is gets; called with the name of the property.
    let documentID: (_ name: String) throws -> DocumentID
    /// The code of the errors for what is not there, and for containers of another kind.
    var missingCode = CBLError.decodingError

    func mismatch(_ type: Any.Type, _ path: [any CodingKey]) -> NSError {
        libraryError(CBLError.decodingError, "The value of \(DecodingContext.text(path)) is no \(type), or none that fits into one.")
    }

    func missing(_ what: String, _ path: [any CodingKey]) -> NSError {
        libraryError(missingCode, "There is no \(what) at \(DecodingContext.text(path)).")
    }

    static func text(_ path: [any CodingKey]) -> String {
        path.isEmpty ? "the top" : "\"" + path.map(\.stringValue).joined(separator: ".") + "\""
    }
}

/// Decodes types from values where they lie, without dictionaries in between.
struct ValueDecoder: Decoder {
    enum Content {
        case value(Value)
        case names(any NamedValues)
    }

    let content: Content
    let context: DecodingContext
    var codingPath: [any CodingKey] = []
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(NamedValuesContainer<Key>(values: try namedValues(), context: context, codingPath: codingPath))
    }

    private func namedValues() throws -> any NamedValues {
        switch content {
        case .names(let values): return values
        case .value(let value):
            guard let dictionary = value.dictionary else { throw context.missing("dictionary", codingPath) }
            return StoredDictionary(dictionary: dictionary, source: context.source)
        }
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .value(let value) = content, let array = value.array else { throw context.missing("array", codingPath) }
        return ArrayValuesContainer(array: array, context: context, codingPath: codingPath)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    /// Decodes a value of any type.
    func decode<T: Decodable>(_ type: T.Type, _ value: Value, at key: (any CodingKey)?) throws -> T {
        var path: [any CodingKey] { key.map { codingPath + [$0] } ?? codingPath }
        if let result = try context.scalar(type, value, path) { return result }
        return try T(from: ValueDecoder(content: .value(value), context: context, codingPath: path))
    }
}

// Values of one type. The path is made for errors alone.
extension DecodingContext {
    typealias Path = () -> [any CodingKey]

    func string(_ value: Value, _ path: @autoclosure Path) throws -> String {
        guard let result = value.string else { throw mismatch(String.self, path()) }
        return result
    }

    func boolean(_ value: Value, _ path: @autoclosure Path) throws -> Bool {
        guard let result = value.boolean else { throw mismatch(Bool.self, path()) }
        return result
    }

    func double(_ value: Value, _ path: @autoclosure Path) throws -> Double {
        guard let result = value.double else { throw mismatch(Double.self, path()) }
        return result
    }

    func float(_ value: Value, _ path: @autoclosure Path) throws -> Float { Float(try double(value, path())) }

    func integer<Integer: FixedWidthInteger>(_ type: Integer.Type, _ value: Value, _ path: @autoclosure Path) throws -> Integer {
        guard let result = value.exact(type) else { throw mismatch(type, path()) }
        return result
    }

    /// The types that are a value themselves; nil for others.
    fileprivate func scalar<T>(_ type: T.Type, _ value: Value, _ path: @autoclosure Path) throws -> T? {
        let result: Any?
        if type == String.self {
            result = value.string
        } else if type == Date.self {
            result = value.string.flatMap(ISO8601.date)
        } else if type == Blob.self {
            result = value.kind == .data || value.isBlob(source.keys) ? Blob(stored: value, in: source) : nil
        } else if type == Bool.self {
            result = value.boolean
        } else if type == Double.self {
            result = value.double
        } else if type == Float.self {
            result = value.double.map { Float($0) }
        } else if let integer = type as? any FixedWidthInteger.Type {
            result = value.exactly(integer)
        } else if type == Data.self {
            throw libraryError(
                CBLError.decodingError, "Data cannot be decoded: the property at \(DecodingContext.text(path())) is to be a Blob.")
        } else {
            return nil
        }
        guard let result = result as? T else { throw mismatch(type, path()) }
        return result
    }
}

extension Value {
    /// The number, if it is one that the type has.
    func exact<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer? {
        switch kind {
        case .integer:
            if isUnsigned, let unsigned { return Integer(exactly: unsigned) }
            return integer.flatMap { Integer(exactly: $0) }
        case .double: return double.flatMap { Integer(exactly: $0) }
        default: return nil
        }
    }

    fileprivate func exactly(_ type: any FixedWidthInteger.Type) -> Any? {
        func number<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Any? { exact(type) }
        return number(type)
    }
}

extension ValueDecoder: SingleValueDecodingContainer {
    private func value() throws -> Value {
        guard case .value(let value) = content else { throw context.mismatch(Any.self, codingPath) }
        return value
    }

    func decodeNil() -> Bool {
        if case .value(let value) = content { value.isNull || value.isUndefined } else { false }
    }

    func decode<T: Decodable>(_ type: T.Type) throws -> T { try decode(type, try value(), at: nil) }
    func decode(_ type: Bool.Type) throws -> Bool { try context.boolean(value(), codingPath) }
    func decode(_ type: String.Type) throws -> String { try context.string(value(), codingPath) }
    func decode(_ type: Double.Type) throws -> Double { try context.double(value(), codingPath) }
    func decode(_ type: Float.Type) throws -> Float { try context.float(value(), codingPath) }
    func decode(_ type: Int.Type) throws -> Int { try context.integer(type, value(), codingPath) }
    func decode(_ type: Int8.Type) throws -> Int8 { try context.integer(type, value(), codingPath) }
    func decode(_ type: Int16.Type) throws -> Int16 { try context.integer(type, value(), codingPath) }
    func decode(_ type: Int32.Type) throws -> Int32 { try context.integer(type, value(), codingPath) }
    func decode(_ type: Int64.Type) throws -> Int64 { try context.integer(type, value(), codingPath) }
    func decode(_ type: UInt.Type) throws -> UInt { try context.integer(type, value(), codingPath) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try context.integer(type, value(), codingPath) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try context.integer(type, value(), codingPath) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try context.integer(type, value(), codingPath) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try context.integer(type, value(), codingPath) }
}
