internal import CBLFleece
internal import CBLQuery
import Foundation

/// Values by name.
struct NamedValuesContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: ValueDecoder

    var codingPath: [any CodingKey] { decoder.codingPath }
    var allKeys: [Key] { decoder.names.compactMap { Key(stringValue: $0) } }

    private func value(_ key: Key) -> QueryValue { decoder.value(key.stringValue) }

    private func failure(_ type: Any.Type, _ key: Key) -> NSError { decoder.failure(value(key), type, key) }

    func contains(_ key: Key) -> Bool { !value(key).isMissing }
    func decodeNil(forKey key: Key) throws -> Bool { value(key).isNothing }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try value(key).decoded(type) { failure($0, key) } }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try value(key).decoded(type) { failure($0, key) } }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try value(key).decoded(type) { failure($0, key) } }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try value(key).decoded(type) { failure($0, key) } }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try value(key).decoded(type) { failure($0, key) } }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try value(key).decoded(type) { failure($0, key) } }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try value(key).decoded(type) { failure($0, key) } }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try value(key).decoded(type) { failure($0, key) } }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try value(key).decoded(type) { failure($0, key) } }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try value(key).decoded(type) { failure($0, key) } }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try value(key).decoded(type) { failure($0, key) } }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try value(key).decoded(type) { failure($0, key) } }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try value(key).decoded(type) { failure($0, key) } }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try value(key).decoded(type) { failure($0, key) } }
    func decode<Decoded: Decodable>(_ type: Decoded.Type, forKey key: Key) throws -> Decoded {
        if type == DocumentID.self { return unsafeBitCast(try documentID(key), to: type) }
        guard let known = KnownType(type) else { return try type.init(from: decoder.child(key)) }
        let value = value(key)
        if value.isMissing { throw decoder.missing(key) }
        return try known.decode(value) { ValueDecoder(value, in: decoder, key) }
    }

    /// That of the document; in a row, what the column of its name says.
    private func documentID(_ key: Key) throws -> DocumentID {
        if let decoded = decoder.decodedDocument {
            decoded.hasDocumentID = true
            return DocumentID(decoded.document)
        }
        return DocumentID(wrappedValue: try value(key).decoded(String.self) { failure($0, key) })
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws -> KeyedDecodingContainer<Nested> {
        try decoder.child(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { try decoder.child(key).unkeyedContainer() }

    func superDecoder() throws -> any Decoder {
        let key = PlainKey(stringValue: "super")
        return ValueDecoder(decoder.value(key.stringValue), in: decoder, key)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder.child(key) }
}

/// Values in a row, each decoded once.
struct OrderedValuesContainer: UnkeyedDecodingContainer {
    private let array: ArrayView
    private let decoder: ValueDecoder
    private(set) var currentIndex = 0

    init(_ array: ArrayView, _ decoder: ValueDecoder) {
        self.array = array
        self.decoder = decoder
    }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { array.count }
    var isAtEnd: Bool { currentIndex >= array.count }

    private func current() throws -> ValueDecoder {
        let key = PlainKey(intValue: currentIndex)
        guard !isAtEnd else { throw decoder.missing(key) }
        return ValueDecoder(QueryValue(array[currentIndex]), in: decoder, key)
    }

    /// What cannot be decoded stays where it is.
    private mutating func next<Decoded>(_ decode: (ValueDecoder) throws -> Decoded) throws -> Decoded {
        let decoded = try decode(current())
        currentIndex += 1
        return decoded
    }

    mutating func decodeNil() throws -> Bool {
        guard try current().value.isNothing else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try next { try $0.value.decoded(type, $0.failure) } }
    mutating func decode(_ type: String.Type) throws -> String { try next { try $0.value.decoded(type, $0.failure) } }
    mutating func decode(_ type: Double.Type) throws -> Double { try next { try $0.value.decoded(type, $0.failure) } }
    mutating func decode(_ type: Float.Type) throws -> Float { try next { try $0.value.decoded(type, $0.failure) } }
    mutating func decode(_ type: Int.Type) throws -> Int { try next { try $0.value.decoded(type, $0.failure) } }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try next { try $0.value.decoded(type, $0.failure) } }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try next { try $0.value.decoded(type, $0.failure) } }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try next { try $0.value.decoded(type, $0.failure) } }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try next { try $0.value.decoded(type, $0.failure) } }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try next { try $0.value.decoded(type, $0.failure) } }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try next { try $0.value.decoded(type, $0.failure) } }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try next { try $0.value.decoded(type, $0.failure) } }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try next { try $0.value.decoded(type, $0.failure) } }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try next { try $0.value.decoded(type, $0.failure) } }
    mutating func decode<Decoded: Decodable>(_ type: Decoded.Type) throws -> Decoded { try next { try $0.decode(type) } }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
        try next { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try next { try $0.unkeyedContainer() } }
    mutating func superDecoder() throws -> any Decoder { try next { $0 } }
}

/// One value.
struct SingleValueContainer: SingleValueDecodingContainer {
    let decoder: ValueDecoder

    var codingPath: [any CodingKey] { decoder.codingPath }

    func decodeNil() -> Bool { decoder.value.isNothing }

    func decode(_ type: Bool.Type) throws -> Bool { try decoder.value.decoded(type, decoder.failure) }
    func decode(_ type: String.Type) throws -> String { try decoder.value.decoded(type, decoder.failure) }
    func decode(_ type: Double.Type) throws -> Double { try decoder.value.decoded(type, decoder.failure) }
    func decode(_ type: Float.Type) throws -> Float { try decoder.value.decoded(type, decoder.failure) }
    func decode(_ type: Int.Type) throws -> Int { try decoder.value.decoded(type, decoder.failure) }
    func decode(_ type: Int8.Type) throws -> Int8 { try decoder.value.decoded(type, decoder.failure) }
    func decode(_ type: Int16.Type) throws -> Int16 { try decoder.value.decoded(type, decoder.failure) }
    func decode(_ type: Int32.Type) throws -> Int32 { try decoder.value.decoded(type, decoder.failure) }
    func decode(_ type: Int64.Type) throws -> Int64 { try decoder.value.decoded(type, decoder.failure) }
    func decode(_ type: UInt.Type) throws -> UInt { try decoder.value.decoded(type, decoder.failure) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try decoder.value.decoded(type, decoder.failure) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try decoder.value.decoded(type, decoder.failure) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try decoder.value.decoded(type, decoder.failure) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try decoder.value.decoded(type, decoder.failure) }
    func decode<Decoded: Decodable>(_ type: Decoded.Type) throws -> Decoded { try decoder.decode(type) }
}

/// A key that no type has declared.
enum PlainKey: CodingKey {
    case name(String)
    case index(Int)

    var stringValue: String {
        switch self {
        case .name(let name): name
        case .index(let index): "\(index)"
        }
    }

    var intValue: Int? {
        if case .index(let index) = self { index } else { nil }
    }

    init(stringValue: String) { self = .name(stringValue) }
    init(intValue: Int) { self = .index(intValue) }
}
