internal import CBLFleece
internal import CBLQuery
import Foundation

/// Decodes `Decodable` types from stored values where they lie: the properties of a document, or the columns of a row.
struct ValueDecoder: Decoder {
    let node: DecodedNode
    let context: DecodingContext
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(_ node: DecodedNode, _ context: DecodingContext, _ codingPath: [any CodingKey] = []) {
        self.node = node
        self.context = context
        self.codingPath = codingPath
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        switch node {
        case .row: break
        case .value(let value) where value.dictionary != nil: break
        case .value: throw context.noContainer("a dictionary", codingPath)
        }
        return KeyedDecodingContainer(NamedValuesContainer<Key>(self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .value(.collection(let value)) = node, let array = value.array else {
            throw context.noContainer("an array", codingPath)
        }
        return OrderedValuesContainer(array, context, codingPath)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { SingleValueContainer(decoder: self) }

    /// Where a value stands: the columns of a row, or something inside of them or of a document.
    func child(_ value: QueryValue, _ key: some CodingKey) -> ValueDecoder { ValueDecoder(.value(value), context, codingPath + [key]) }
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
    private let isRow: Bool

    init(_ source: StoredValues, document: Document?) {
        self.source = source
        self.document = document
        isRow = document == nil
    }

    func missing(_ path: [any CodingKey]) -> NSError {
        libraryError(isRow ? CBLError.invalidQuery : CBLError.decodingError, "There is no value for \(text(path)).")
    }

    func noContainer(_ wanted: String, _ path: [any CodingKey]) -> NSError {
        libraryError(isRow ? CBLError.invalidQuery : CBLError.decodingError, "The value of \(text(path)) is not \(wanted).")
    }

    func mismatch(_ type: Any.Type, _ path: [any CodingKey]) -> NSError {
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
    func exactly<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
        switch self {
        case .integer(let number): Number(exactly: number)
        case .unsigned(let number): Number(exactly: number)
        case .double(let number): Number(exactly: number)
        default: nil
        }
    }

    var real: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .unsigned(let number): Double(number)
        case .double(let number): number
        default: nil
        }
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

    // Each type by itself: what is decoded most takes no detour.

    func boolean() throws -> Bool {
        guard case .boolean(let flag) = value else { throw failure(Bool.self) }
        return flag
    }

    func string() throws -> String {
        guard let string = value.string else { throw failure(String.self) }
        return string
    }

    func integer<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
        guard let number = value.exactly(type) else { throw failure(type) }
        return number
    }

    func double() throws -> Double {
        guard let number = value.real else { throw failure(Double.self) }
        return number
    }

    func float() throws -> Float {
        guard let number = value.real, Float(number).isFinite else { throw failure(Float.self) }
        return Float(number)
    }

    private func failure(_ type: Any.Type) -> NSError {
        value.isNothing ? context.missing(codingPath) : context.mismatch(type, codingPath)
    }

    /// Any type; those that say of themselves how they are stored as they are stored here.
    func decode<Decoded: Decodable>(_ type: Decoded.Type) throws -> Decoded {
        if type == String.self { return try string() as! Decoded }
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
        guard case .collection(let value) = value, value.isBlob(context.source.keys) else { throw failure(Blob.self) }
        return Blob(stored: value, in: context.source)
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
