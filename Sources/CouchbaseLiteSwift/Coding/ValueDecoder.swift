internal import CBLFleece
internal import CBLQuery
import Foundation

/// Decodes `Decodable` types from stored values where they lie: the properties of a document, or the columns of a row.
///
/// There is one for each container, which its parts refer to; what is decoded most, strings and numbers in a container, needs none of its own.
final class ValueDecoder: Decoder {
    let context: DecodingContext
    let value: QueryValue
    /// The columns of a row, whose names come before those of `dictionary`.
    private let row: Result?
    private let dictionary: DictionaryView?
    /// Of the keys in it, which the context keeps.
    private let keyNames: SharedKeys.Names?
    /// The way to it, put together when somebody asks for it.
    private let parent: ValueDecoder?
    private let key: (any CodingKey)?
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(_ value: QueryValue, _ context: DecodingContext, in parent: ValueDecoder? = nil, _ key: (any CodingKey)? = nil) {
        self.context = context
        self.parent = parent
        self.key = key
        self.value = value
        row = nil
        dictionary = value.dictionary
        keyNames = parent?.keyNames ?? context.source.keys?.allNames
    }

    /// Of a row and, second to its columns, what a dictionary in one of them has.
    init(_ row: Result, _ dictionary: DictionaryView?, _ context: DecodingContext) {
        self.context = context
        self.row = row
        self.dictionary = dictionary
        keyNames = context.source.keys?.allNames
        // A row of one column stands for what is in that.
        value = row.count == 1 ? row.block[row.row, 0] : .missing
        parent = nil
        key = nil
    }

    var codingPath: [any CodingKey] {
        var keys: [any CodingKey] = []
        var place: ValueDecoder? = self
        while let decoder = place {
            if let key = decoder.key { keys.append(key) }
            place = decoder.parent
        }
        return keys.reversed()
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard row != nil || dictionary != nil else { throw context.noContainer("a dictionary", codingPath) }
        return KeyedDecodingContainer(NamedValuesContainer<Key>(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { OrderedValuesContainer(try array(), self) }

    func array() throws -> ArrayView {
        guard case .collection(let value) = value, let array = value.array else { throw context.noContainer("an array", codingPath) }
        return array
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { SingleValueContainer(decoder: self) }

    /// What is there under a name; MISSING if nothing is.
    func value(_ name: String) -> QueryValue {
        if row != nil, let column = column(name) { return column }
        return dictionary?.value(forKey: name, among: keyNames).map { QueryValue($0) } ?? .missing
    }

    private func column(_ name: String) -> QueryValue? {
        guard let row, let column = row.shape.column(name), !row.block.isMissing(row.row, column) else { return nil }
        return row.block[row.row, column]
    }

    var names: [String] {
        let columns = row.map { row in row.keys.filter { row.contains(key: $0) } } ?? []
        return columns + (dictionary?.compactMap { $0.key.keyString(context.source.keys) } ?? [])
    }

    /// Of what is there under a name.
    func child(_ key: some CodingKey) throws -> ValueDecoder {
        let value = value(key.stringValue)
        if value.isMissing { throw context.missing(codingPath + [key]) }
        return ValueDecoder(value, context, in: self, key)
    }
}

/// What all decoders of one document or row have in common.
final class DecodingContext {
    /// Keeps the memory that is read, and knows the keys in it and where blobs are.
    let source: StoredValues
    /// The document that is decoded, if it is one.
    let document: Document?
    /// Whether something was decoded that says which document it is.
    var hasDocumentID = false
    private let isRow: Bool

    init(_ source: StoredValues, document: Document?) {
        self.source = source
        self.document = document
        isRow = document == nil
    }

    func failure(_ value: QueryValue, _ type: Any.Type, _ path: [any CodingKey]) -> NSError {
        value.isNothing ? missing(path) : mismatch(type, path)
    }

    func missing(_ path: [any CodingKey]) -> NSError {
        libraryError(isRow ? CBLError.invalidQuery : CBLError.decodingError, "There is no value for \(text(path)).")
    }

    func noContainer(_ wanted: String, _ path: [any CodingKey]) -> NSError {
        libraryError(isRow ? CBLError.invalidQuery : CBLError.decodingError, "The value of \(text(path)) is not \(wanted).")
    }

    private func mismatch(_ type: Any.Type, _ path: [any CodingKey]) -> NSError {
        libraryError(CBLError.decodingError, "The value of \(text(path)) cannot be decoded as \(type).")
    }

    private func text(_ path: [any CodingKey]) -> String {
        path.isEmpty ? "the whole" : "\"" + path.map(\.stringValue).joined(separator: ".") + "\""
    }
}

extension QueryValue {
    var dictionary: DictionaryView? {
        guard case .collection(let value) = self else { return nil }
        return value.dictionary
    }

    var isNothing: Bool {
        switch self {
        case .missing, .null: true
        default: false
        }
    }

    /// The number, if the type can have it exactly.
    @inline(__always)
    private func exactly<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
        switch self {
        case .integer(let number): Number(exactly: number)
        case .unsigned(let number): Number(exactly: number)
        case .double(let number): Number(exactly: number)
        default: nil
        }
    }

    private var real: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .unsigned(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }

    // Each type by itself: what is decoded most takes no detour, and only what fails asks where it is.

    @inline(__always)
    func decoded(_ type: Bool.Type, _ failure: (Any.Type) -> NSError) throws -> Bool {
        guard case .boolean(let flag) = self else { throw failure(type) }
        return flag
    }

    @inline(__always)
    func decoded(_ type: String.Type, _ failure: (Any.Type) -> NSError) throws -> String {
        guard let string else { throw failure(type) }
        return string
    }

    @inline(__always)
    func decoded<Number: FixedWidthInteger>(_ type: Number.Type, _ failure: (Any.Type) -> NSError) throws -> Number {
        guard let number = exactly(type) else { throw failure(type) }
        return number
    }

    func decoded(_ type: Double.Type, _ failure: (Any.Type) -> NSError) throws -> Double {
        guard let real else { throw failure(type) }
        return real
    }

    func decoded(_ type: Float.Type, _ failure: (Any.Type) -> NSError) throws -> Float {
        guard let real, Float(real).isFinite else { throw failure(type) }
        return Float(real)
    }
}

extension ValueDecoder {
    func failure(_ type: Any.Type) -> NSError {
        context.failure(value, type, codingPath)
    }

    /// Any type; those that say of themselves how they are stored as they are stored here. Lists of what is decoded most are, too: the language's
    /// own way makes a container for each, and asks for every item whether there is another one.
    func decode<Decoded: Decodable>(_ type: Decoded.Type) throws -> Decoded {
        func same<Known>(_ known: Known) -> Decoded { unsafeBitCast(known, to: Decoded.self) }
        if type == String.self { return same(try value.decoded(String.self) { failure($0) }) }
        if type == [String].self { return same(try list { try $0.decoded(String.self, $1) }) }
        if type == Date.self { return same(try date()) }
        if type == Blob.self as Any.Type { return try blob() as! Decoded }
        if type == Data.self { return same(try data()) }
        if type == URL.self { return same(try url()) }
        if type == Decimal.self { return same(try decimal()) }
        if type == [Int].self { return same(try list { try $0.decoded(Int.self, $1) }) }
        if type == [Double].self { return same(try list { try $0.decoded(Double.self, $1) }) }
        if type == [Float].self { return same(try list { try $0.decoded(Float.self, $1) }) }
        return try Decoded(from: self)
    }

    private func list<Item>(_ decode: (QueryValue, (Any.Type) -> NSError) throws -> Item) throws -> [Item] {
        let array = try array()
        var items: [Item] = []
        items.reserveCapacity(array.count)
        for (place, stored) in array.enumerated() {
            let value = QueryValue(stored)
            items.append(try decode(value) { context.failure(value, $0, codingPath + [PlainKey(intValue: place)]) })
        }
        return items
    }

    private func date() throws -> Date {
        guard let date = value.string.flatMap(ISO8601.date) else { throw failure(Date.self) }
        return date
    }

    private func blob() throws -> Blob {
        switch value {
        case .collection(let value) where value.isBlob(context.source.keys): return Blob(stored: value, in: context.source)
        case .data(let bytes): return Blob(contentType: Blob.binaryType, data: Data(bytes))
        default: throw failure(Blob.self)
        }
    }

    private func data() throws -> Data {
        guard case .data(let bytes) = value else { throw failure(Data.self) }
        return Data(bytes)
    }

    private func url() throws -> URL {
        guard let url = value.string.flatMap({ URL(string: $0) }) else { throw failure(URL.self) }
        return url
    }

    private func decimal() throws -> Decimal {
        switch value {
        case .integer(let number): return Decimal(number)
        case .unsigned(let number): return Decimal(number)
        // By its digits: the nearest binary fraction has many more.
        case .double(let number): return Decimal(string: "\(number)") ?? Decimal(number)
        default: throw failure(Decimal.self)
        }
    }
}
