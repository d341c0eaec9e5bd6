internal import CBLFleece
internal import CBLQuery
import Foundation

/// Decodes `Decodable` types from stored values where they lie: the properties of a document, or the columns of a row.
///
/// There is one for each container, which its parts refer to; what is decoded most, strings and numbers in a container, needs none of its own.
/// Hot: decoding all rows of a result is little else than making these.
final class ValueDecoder: Decoder {
    let value: QueryValue
    /// The columns of a row, whose names come before those of `dictionary`.
    private let row: Result?
    private let titleLengths: TitleLengths
    private let document: DecodedDocument?
    private let dictionary: DictionaryView?
    /// Of the keys in it, which the row or the document keeps.
    private let keyNames: SharedKeys.Names?
    private let place: Place?
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Where a value is that is in another one: the way to it is put together when somebody asks for it.
    private struct Place {
        let parent: ValueDecoder
        let key: any CodingKey
    }

    init(_ value: QueryValue, in parent: ValueDecoder, _ key: any CodingKey) {
        self.value = value
        row = nil
        titleLengths = .none
        document = nil
        dictionary = value.dictionary
        keyNames = parent.keyNames
        place = Place(parent: parent, key: key)
    }

    init(_ document: DecodedDocument) {
        value = QueryValue(document.source.root)
        row = nil
        titleLengths = .none
        self.document = document
        dictionary = value.dictionary
        keyNames = document.source.keys?.allNames
        place = nil
    }

    /// Of a row and, second to its columns, what a dictionary in one of them has.
    init(_ row: Result, _ dictionary: DictionaryView?) {
        // A row of one column stands for what is in that.
        value = row.count == 1 ? row.block[row.row, 0] : .missing
        self.row = row
        titleLengths = row.shape.titleLengths
        document = nil
        self.dictionary = dictionary
        keyNames = row.block.keys.allNames
        place = nil
    }

    /// That of the whole row or document.
    private var root: ValueDecoder {
        var decoder = self
        while let place = decoder.place { decoder = place.parent }
        return decoder
    }

    /// The document that is decoded, if it is one.
    var decodedDocument: DecodedDocument? { root.document }

    var codingPath: [any CodingKey] {
        var keys: [any CodingKey] = []
        var decoder = self
        while let place = decoder.place {
            keys.append(place.key)
            decoder = place.parent
        }
        return keys.reversed()
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard row != nil || dictionary != nil else { throw noContainer("a dictionary") }
        return KeyedDecodingContainer(NamedValuesContainer<Key>(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { OrderedValuesContainer(try array(), self) }

    func array() throws -> ArrayView {
        guard let array = value.array else { throw noContainer("an array") }
        return array
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { SingleValueContainer(decoder: self) }

    /// What is there under a name; MISSING if nothing is.
    func value(_ name: String) -> QueryValue {
        if titleLengths.contains(lengthOf: name), let row, let column = row.shape.column(name) {
            let value = row.block[row.row, column]
            if !value.isMissing { return value }
        }
        return dictionary?.value(forKey: name, among: keyNames).map { QueryValue($0) } ?? .missing
    }

    var names: [String] {
        let columns = row.map { row in row.keys.filter { row.contains(key: $0) } } ?? []
        let table = source.keys
        return columns + (dictionary?.compactMap { $0.key.keyString(table) } ?? [])
    }

    /// Of what is there under a name.
    func child(_ key: some CodingKey) throws -> ValueDecoder {
        let value = value(key.stringValue)
        if value.isMissing { throw missing(key) }
        return ValueDecoder(value, in: self, key)
    }

    /// Keeps the memory that is read, and knows the keys in it and where blobs are.
    var source: StoredValues {
        let root = root
        if let document = root.document { return document.source }
        guard let row = root.row else { preconditionFailure("What is decoded is a document or a row.") }
        return row.memory
    }
}

/// A document that is decoded.
final class DecodedDocument {
    let document: Document
    let source: StoredValues
    /// Whether something was decoded that says which document it is.
    var hasDocumentID = false

    init(_ document: Document, _ source: StoredValues) {
        self.document = document
        self.source = source
    }
}

// What went wrong, and where.
extension ValueDecoder {
    func failure(_ type: Any.Type) -> NSError { failure(value, type, codingPath) }

    func failure(_ value: QueryValue, _ type: Any.Type, _ key: any CodingKey) -> NSError { failure(value, type, codingPath + [key]) }

    private func failure(_ value: QueryValue, _ type: Any.Type, _ path: [any CodingKey]) -> NSError {
        if value.isNothing { return missing(path) }
        return libraryError(CBLError.decodingError, "The value of \(text(path)) cannot be decoded as \(type).")
    }

    func missing(_ key: any CodingKey) -> NSError { missing(codingPath + [key]) }

    private func missing(_ path: [any CodingKey]) -> NSError { libraryError(code, "There is no value for \(text(path)).") }

    private func noContainer(_ wanted: String) -> NSError { libraryError(code, "The value of \(text(codingPath)) is not \(wanted).") }

    private var code: Int { decodedDocument == nil ? CBLError.invalidQuery : CBLError.decodingError }

    private func text(_ path: [any CodingKey]) -> String {
        path.isEmpty ? "the whole" : "\"" + path.map(\.stringValue).joined(separator: ".") + "\""
    }
}

extension QueryValue {
    var dictionary: DictionaryView? {
        guard case .collection(let value) = self else { return nil }
        return value.dictionary
    }

    var array: ArrayView? {
        guard case .collection(let value) = self else { return nil }
        return value.array
    }

    var isNothing: Bool {
        switch self {
        case .missing, .null: true
        default: false
        }
    }

    /// The number, if the type can have it exactly.
    @inline(__always)
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

    /// What is too large for the type is none of it.
    var shortReal: Float? { real.map(Float.init).flatMap { $0.isFinite ? $0 : nil } }

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
        guard let shortReal else { throw failure(type) }
        return shortReal
    }
}

extension ValueDecoder {
    /// Any type.
    func decode<Decoded: Decodable>(_ type: Decoded.Type) throws -> Decoded {
        if let known = KnownType(type) { return try known.decode(value) { self } }
        return try type.init(from: self)
    }
}
