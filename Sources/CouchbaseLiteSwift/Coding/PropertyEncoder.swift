import Foundation

/// What an encoder has been given so far.
final class EncodedValue {
    enum Content {
        case nothing
        case item(Item)
        case names([(String, EncodedValue)])
        case values([EncodedValue])
    }

    var content = Content.nothing

    var item: Item {
        switch content {
        case .nothing: return .null
        case .item(let item): return item
        case .names(let members):
            let dictionary = MutableDictionaryObject()
            dictionary.storage.replaceAll(with: EncodedValue.table(members))
            return .dictionary(dictionary)
        case .values(let values): return .array(MutableArrayObject(ArrayStorage(values.map(\.item))))
        }
    }

    static func table(_ members: [(String, EncodedValue)]) -> ItemTable {
        var table = ItemTable()
        for (name, value) in members { table.set(name, value.item) }
        return table
    }

    func add(_ value: EncodedValue, named name: String) {
        if case .names(var members) = content {
            content = .nothing
            members.append((name, value))
            content = .names(members)
        } else {
            content = .names([(name, value)])
        }
    }

    func add(_ value: EncodedValue) {
        if case .values(var values) = content {
            content = .nothing
            values.append(value)
            content = .values(values)
        } else {
            content = .values([value])
        }
    }
}

/// Encodes types as properties of a document.
struct PropertyEncoder: Encoder {
    let target: EncodedValue
    /// The document's own ID, which is not among its properties.
    let documentID: DocumentID?
    var codingPath: [any CodingKey] = []
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// The properties of an object.
    static func properties(of object: some Encodable, _ id: DocumentID) throws -> ItemTable {
        let target = EncodedValue()
        try object.encode(to: PropertyEncoder(target: target, documentID: id))
        switch target.content {
        case .names(let members): return EncodedValue.table(members)
        case .nothing: return ItemTable()
        case .item, .values:
            throw libraryError(CBLError.encodingError, "\(type(of: object)) does not encode itself as properties with names.")
        }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if case .nothing = target.content { target.content = .names([]) }
        return KeyedEncodingContainer(PropertyContainer<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if case .nothing = target.content { target.content = .values([]) }
        return ElementContainer(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func inner(_ target: EncodedValue, _ key: any CodingKey) -> PropertyEncoder {
        PropertyEncoder(target: target, documentID: documentID, codingPath: codingPath + [key])
    }

    /// A value of any type.
    func encoded<T: Encodable>(_ value: T, _ key: (any CodingKey)?) throws -> EncodedValue {
        let encoded = EncodedValue()
        let path = key.map { codingPath + [$0] } ?? codingPath
        if let item = try PropertyEncoder.scalar(value, path) {
            encoded.content = .item(item)
        } else {
            try value.encode(to: PropertyEncoder(target: encoded, documentID: documentID, codingPath: path))
        }
        return encoded
    }

    private static func text(_ path: [any CodingKey]) -> String { "\"" + path.map(\.stringValue).joined(separator: ".") + "\"" }

    /// The types that are a value themselves; nil for others.
    private static func scalar(_ value: some Encodable, _ path: [any CodingKey]) throws -> Item? {
        switch value {
        case let value as String: return .string(value)
        case let value as Int: return .integer(Int64(value))
        case let value as Double: return .double(value)
        case let value as Bool: return .boolean(value)
        case let value as Float: return .float(value)
        case let value as Date: return Item(value)
        case let value as Blob: return .blob(value)
        case is Data:
            throw libraryError(
                CBLError.encodingError, "Data cannot be encoded: the property at \(text(path)) is to be a Blob.")
        case let value as any FixedWidthInteger:
            if let number = Int64(exactly: value) { return .integer(number) }
            guard let number = UInt64(exactly: value) else {
                throw libraryError(CBLError.encodingError, "The number at \(text(path)) has more than 64 bits.")
            }
            return .unsigned(number)
        default: return nil
        }
    }
}

extension PropertyEncoder: SingleValueEncodingContainer {
    mutating func encodeNil() throws { target.content = .item(.null) }
    mutating func encode<T: Encodable>(_ value: T) throws { target.content = try encoded(value, nil).content }
}

private struct PropertyContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: PropertyEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    mutating func encodeNil(forKey key: Key) throws {
        let null = EncodedValue()
        null.content = .item(.null)
        encoder.target.add(null, named: key.stringValue)
    }

    mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        if let id = value as? DocumentID, id === encoder.documentID { return }
        encoder.target.add(try encoder.encoded(value, key), named: key.stringValue)
    }

    // What is nil is null, so that it is there for queries and for other programs.
    private mutating func add<T: Encodable>(_ value: T?, _ key: Key) throws {
        if let value { try encode(value, forKey: key) } else { try encodeNil(forKey: key) }
    }

    mutating func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws { try add(value, key) }
    mutating func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try add(value, key) }
    mutating func encodeIfPresent(_ value: String?, forKey key: Key) throws { try add(value, key) }
    mutating func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try add(value, key) }
    mutating func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try add(value, key) }
    mutating func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try add(value, key) }
    mutating func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try add(value, key) }
    mutating func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try add(value, key) }
    mutating func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try add(value, key) }
    mutating func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try add(value, key) }
    mutating func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try add(value, key) }
    mutating func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try add(value, key) }
    mutating func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try add(value, key) }
    mutating func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try add(value, key) }
    mutating func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try add(value, key) }

    mutating func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type, forKey key: Key) -> KeyedEncodingContainer<NestedKey>
    {
        inner(key).container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { inner(key).unkeyedContainer() }

    mutating func superEncoder() -> any Encoder { inner(PlainKey(stringValue: "super")) }
    mutating func superEncoder(forKey key: Key) -> any Encoder { inner(key) }

    private func inner(_ key: some CodingKey) -> PropertyEncoder {
        let value = EncodedValue()
        encoder.target.add(value, named: key.stringValue)
        return encoder.inner(value, key)
    }
}

private struct ElementContainer: UnkeyedEncodingContainer {
    let encoder: PropertyEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    var count: Int {
        if case .values(let values) = encoder.target.content { values.count } else { 0 }
    }

    mutating func encodeNil() throws {
        let null = EncodedValue()
        null.content = .item(.null)
        encoder.target.add(null)
    }

    mutating func encode<T: Encodable>(_ value: T) throws { encoder.target.add(try encoder.encoded(value, PlainKey(intValue: count))) }

    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        inner().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { inner().unkeyedContainer() }

    mutating func superEncoder() -> any Encoder { inner() }

    private func inner() -> PropertyEncoder {
        let value = EncodedValue()
        let key = PlainKey(intValue: count)
        encoder.target.add(value)
        return encoder.inner(value, key)
    }
}
