internal import CBLFleece
internal import CBLQuery
import Foundation

/// Decodes `Decodable` types from stored values where they lie: the properties of a document, or the columns of a row.
struct ValueDecoder: Decoder {
    let node: DecodedNode
    let context: DecodingContext
    /// The way to it, put together when somebody asks for it.
    private let parentPath: [any CodingKey]
    private let key: (any CodingKey)?
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(_ node: DecodedNode, _ context: DecodingContext, _ parentPath: [any CodingKey] = [], _ key: (any CodingKey)? = nil) {
        self.node = node
        self.context = context
        self.parentPath = parentPath
        self.key = key
    }

    var codingPath: [any CodingKey] { key.map { parentPath + [$0] } ?? parentPath }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        switch node {
        case .row: break
        case .value(let value) where value.dictionary != nil: break
        case .value: throw context.noContainer("a dictionary", codingPath)
        }
        return KeyedDecodingContainer(NamedValuesContainer<Key>(self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .collection(let value) = value, let array = value.array else { throw context.noContainer("an array", codingPath) }
        return OrderedValuesContainer(array, context, codingPath)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { SingleValueContainer(decoder: self) }
}

/// What is decoded.
enum DecodedNode {
    case value(QueryValue)
    /// The columns of a row and, second to them, what a dictionary in one of them has.
    case row(Result, DictionaryView?)

    /// What is there under a name; MISSING if nothing is.
    func value(_ name: String, _ context: DecodingContext) -> QueryValue {
        switch self {
        case .value(let value): return value.dictionary?.value(forKey: name, context.source.keys).map { QueryValue($0) } ?? .missing
        case .row(let row, let dictionary):
            if let column = row.shape.column(name), !row.block.isMissing(row.row, column) { return row.block[row.row, column] }
            return dictionary?.value(forKey: name, context.source.keys).map { QueryValue($0) } ?? .missing
        }
    }

    func names(_ context: DecodingContext) -> [String] {
        switch self {
        case .value(let value): return value.dictionary?.compactMap { $0.key.keyString(context.source.keys) } ?? []
        case .row(let row, let dictionary):
            return row.keys.filter { row.contains(key: $0) } + (dictionary?.compactMap { $0.key.keyString(context.source.keys) } ?? [])
        }
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
    /// A row of one column stands for what is in that.
    var value: QueryValue {
        switch node {
        case .value(let value): value
        case .row(let row, _): row.count == 1 ? row.block[row.row, 0] : .missing
        }
    }

    func failure(_ type: Any.Type) -> NSError {
        context.failure(value, type, codingPath)
    }

    /// Any type; those that say of themselves how they are stored as they are stored here.
    func decode<Decoded: Decodable>(_ type: Decoded.Type) throws -> Decoded {
        if type == String.self { return try value.decoded(String.self) { failure($0) } as! Decoded }
        if type == Date.self { return try date() as! Decoded }
        if type == Blob.self as Any.Type { return try blob() as! Decoded }
        if type == Data.self { return try data() as! Decoded }
        if type == URL.self { return try url() as! Decoded }
        if type == Decimal.self { return try decimal() as! Decoded }
        return try Decoded(from: self)
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
