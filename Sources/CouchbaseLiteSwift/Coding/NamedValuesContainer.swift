internal import CBLFleece

/// The properties of a type, by their names.
struct NamedValuesContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let values: any NamedValues
    let context: DecodingContext
    let codingPath: [any CodingKey]

    private var decoder: ValueDecoder { ValueDecoder(content: .names(values), context: context, codingPath: codingPath) }

    var allKeys: [Key] { values.names.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { values.value(named: key.stringValue) != nil }

    func decodeNil(forKey key: Key) -> Bool { values.value(named: key.stringValue)?.isNull ?? true }

    private func value(_ key: some CodingKey) throws -> Value {
        guard let value = values.value(named: key.stringValue) else { throw context.missing("value", codingPath + [key]) }
        return value
    }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        if type == DocumentID.self, let id = try context.documentID(key.stringValue.withoutUnderscore) as? T { return id }
        return try decoder.decode(type, value(key), at: key)
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try context.boolean(value(key), codingPath + [key]) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try context.string(value(key), codingPath + [key]) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try context.double(value(key), codingPath + [key]) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try context.float(value(key), codingPath + [key]) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try context.integer(type, value(key), codingPath + [key]) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try context.integer(type, value(key), codingPath + [key]) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try context.integer(type, value(key), codingPath + [key]) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try context.integer(type, value(key), codingPath + [key]) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try context.integer(type, value(key), codingPath + [key]) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try context.integer(type, value(key), codingPath + [key]) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try context.integer(type, value(key), codingPath + [key]) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try context.integer(type, value(key), codingPath + [key]) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try context.integer(type, value(key), codingPath + [key]) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try context.integer(type, value(key), codingPath + [key]) }

    func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type, forKey key: Key) throws -> KeyedDecodingContainer<NestedKey> {
        try inner(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { try inner(key).unkeyedContainer() }

    func superDecoder() throws -> any Decoder { try inner(SuperKey()) }

    func superDecoder(forKey key: Key) throws -> any Decoder { try inner(key) }

    private func inner(_ key: some CodingKey) throws -> ValueDecoder {
        ValueDecoder(content: .value(try value(key)), context: context, codingPath: codingPath + [key])
    }
}

/// Where a class has the properties of the one that it inherits from, if it keeps them apart.
struct SuperKey: CodingKey {
    var stringValue: String { "super" }
    var intValue: Int? { nil }
    init() {}
    init?(stringValue: String) { return nil }
    init?(intValue: Int) { return nil }
}

/// A place in an array, for messages.
struct IndexKey: CodingKey {
    let index: Int
    var stringValue: String { "\(index)" }
    var intValue: Int? { index }
    init(_ index: Int) { self.index = index }
    init?(stringValue: String) { return nil }
    init?(intValue: Int) { self.init(intValue) }
}

/// The values of an array, one after another.
struct ArrayValuesContainer: UnkeyedDecodingContainer {
    let array: ArrayView
    let context: DecodingContext
    let codingPath: [any CodingKey]
    private(set) var currentIndex = 0

    init(array: ArrayView, context: DecodingContext, codingPath: [any CodingKey]) {
        self.array = array
        self.context = context
        self.codingPath = codingPath
    }

    var count: Int? { array.count }
    var isAtEnd: Bool { currentIndex >= array.count }

    /// The next value stays the next one until it has been decoded.
    private func value() throws -> Value {
        guard !isAtEnd else { throw context.missing("value", codingPath + [IndexKey(currentIndex)]) }
        return array[currentIndex]
    }

    private func inner() throws -> ValueDecoder {
        ValueDecoder(content: .value(try value()), context: context, codingPath: codingPath + [IndexKey(currentIndex)])
    }

    mutating func decodeNil() throws -> Bool {
        guard try value().isNull else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let result = try inner().decode(type)
        currentIndex += 1
        return result
    }

    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        let container = try inner().container(keyedBy: type)
        currentIndex += 1
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try inner().unkeyedContainer()
        currentIndex += 1
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        let decoder = try inner()
        currentIndex += 1
        return decoder
    }
}

extension String {
    /// The name of a wrapped property, without what the compiler puts before that of its wrapper.
    fileprivate var withoutUnderscore: String { hasPrefix("_") ? String(dropFirst()) : self }
}
