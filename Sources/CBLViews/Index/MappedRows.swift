import CBLFleece
import CBLFunctions
import Glibc

/// What map functions of one thread have emitted, in one memory, until it is written to the index.
///
/// A row: the counts of key and value, and of what belongs to neither, four bytes each, and these.
final class MappedRows {
    enum ValueKind { case none, document, encoded }

    enum Special {
        case text(UnsafeRawBufferPointer, language: String?)
        case shape(ViewRectangle, UnsafeRawBufferPointer)
    }

    /// A document that has rows; they follow each other.
    struct DocumentPlace: BitwiseCopyable {
        var id: Int
        var idCount: Int32
        var rowCount: Int32
        var sequence: UInt64
        /// Where its rows begin.
        var rows: Int
    }

    struct RowPlace: BitwiseCopyable {
        /// The first sixteen ordered bytes of the key.
        var prefix: UInt64
        var more: UInt64
        private var rowAndWhole: Int
        var document: Int32
        var number: Int32

        init(_ ordered: UnsafeRawBufferPointer, isComplete: Bool, row: Int, document: Int32, number: Int32) {
            prefix = RowPlace.number(ordered, 0)
            more = RowPlace.number(ordered, 8)
            rowAndWhole = row << 1 | (isComplete && ordered.count <= 16 ? 1 : 0)
            self.document = document
            self.number = number
        }

        var row: Int { rowAndWhole >> 1 }
        /// Whether these bytes are all of the key. No key's bytes begin with those of another, so that equal ones are those of equal keys.
        var isWhole: Bool { rowAndWhole & 1 != 0 }

        @inline(__always)
        private static func number(_ bytes: UnsafeRawBufferPointer, _ start: Int) -> UInt64 {
            if bytes.count >= start &+ 8 { return UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self)) }
            var number: UInt64 = 0
            var index = start
            while index < bytes.count {
                number |= UInt64(bytes[index]) << UInt64(56 &- 8 &* (index &- start))
                index &+= 1
            }
            return number
        }
    }

    struct Row {
        var key: UnsafeRawBufferPointer
        var kind: ValueKind
        var value: UnsafeRawBufferPointer
        var special: UnsafeRawBufferPointer
        var end: Int
    }

    @exclusivity(unchecked) private var memory = ByteBuffer(capacity: 1 << 16)
    @exclusivity(unchecked) private(set) var documents: [DocumentPlace] = []
    @exclusivity(unchecked) private(set) var rows: [RowPlace] = []
    /// Whether ordered bytes of some key do not say all.
    @exclusivity(unchecked) private(set) var hasIncompleteKeys = false
    @exclusivity(unchecked) private(set) var hasSpecials = false
    @exclusivity(unchecked) private var document: DocumentPlace?

    private static let headerSize = 12

    /// How much memory they take.
    var byteCount: Int {
        memory.count &+ documents.count &* MemoryLayout<DocumentPlace>.stride &+ rows.count &* MemoryLayout<RowPlace>.stride
    }

    func removeAll() {
        memory.truncate(to: 0)
        documents.removeAll(keepingCapacity: true)
        rows.removeAll(keepingCapacity: true)
        hasIncompleteKeys = false
        hasSpecials = false
    }

    /// Begins the rows of another document.
    @inline(__always)
    func begin(id: UnsafeRawBufferPointer, sequence: UInt64) {
        document = DocumentPlace(id: memory.count, idCount: Int32(truncatingIfNeeded: id.count), rowCount: 0, sequence: sequence, rows: 0)
        memory.append(id)
        document?.rows = memory.count
    }

    /// Ends them, and keeps them unless the document failed.
    @inline(__always)
    func end(keeping isKept: Bool) {
        guard let place = document else { return }
        document = nil
        if isKept, place.rowCount > 0 {
            documents.append(place)
        } else {
            rows.removeLast(Int(place.rowCount))
            memory.truncate(to: place.id)
        }
    }

    func add(
        key: (ordered: UnsafeRawBufferPointer, isComplete: Bool, encoding: UnsafeRawBufferPointer),
        _ value: (kind: ValueKind, bytes: UnsafeRawBufferPointer), _ special: Special?
    ) {
        guard let number = document?.rowCount else { return }
        let start = memory.count
        let keyCount = ViewKey.headerCount(key.ordered.count) &+ key.ordered.count &+ key.encoding.count
        let valueCount =
            switch value.kind {
            case .none: 0
            case .document: 1
            case .encoded: value.bytes.count &+ 2
            }
        append(UInt32(truncatingIfNeeded: keyCount))
        append(UInt32(truncatingIfNeeded: valueCount))
        append(UInt32(truncatingIfNeeded: special?.count ?? 0))
        ViewKey.write(ordered: key.ordered, isComplete: key.isComplete, to: &memory)
        memory.append(key.encoding)
        if value.kind == .encoded { memory.append(value.bytes) }
        if let special {
            hasSpecials = true
            special.write(to: &memory)
        }
        if !key.isComplete { hasIncompleteKeys = true }
        rows.append(
            RowPlace(
                key.ordered, isComplete: key.isComplete, row: start, document: Int32(truncatingIfNeeded: documents.count), number: number))
        document?.rowCount = number &+ 1
    }

    @inline(__always)
    private func append(_ count: UInt32) {
        memory.append(atMost: 4) {
            $0.storeBytes(of: count, as: UInt32.self)
            return 4
        }
    }

    // Reading: valid until something is added.

    @inline(__always)
    func id(of place: DocumentPlace) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: memory.bytes[place.id..<place.id &+ Int(place.idCount)])
    }

    @inline(__always)
    func row(at start: Int) -> Row {
        let bytes = memory.bytes
        func count(_ field: Int) -> Int { Int(bytes.loadUnaligned(fromByteOffset: start &+ 4 &* field, as: UInt32.self)) }
        let (keyCount, valueCode, specialCount) = (count(0), count(1), count(2))
        let key = start &+ MappedRows.headerSize
        let value = key &+ keyCount
        let special = value &+ max(0, valueCode &- 2)
        return Row(
            key: UnsafeRawBufferPointer(rebasing: bytes[key..<value]),
            kind: valueCode == 0 ? .none : valueCode == 1 ? .document : .encoded,
            value: UnsafeRawBufferPointer(rebasing: bytes[value..<special]),
            special: UnsafeRawBufferPointer(rebasing: bytes[special..<special &+ specialCount]), end: special &+ specialCount)
    }

    /// Lends both lists, in which nothing is counted or checked for each row then.
    func withRows<Result>(
        _ body: (UnsafeBufferPointer<RowPlace>, UnsafeBufferPointer<DocumentPlace>) throws -> Result
    ) rethrows -> Result {
        try rows.withUnsafeBufferPointer { rows in try documents.withUnsafeBufferPointer { try body(rows, $0) } }
    }

    // Order

    /// Puts the rows into the order of the index, and the documents into that of their IDs.
    func sort(_ order: ValueOrder) {
        let comparesAll = hasIncompleteKeys
        let areOrdered = hasOrderedDocuments
        documents.withUnsafeBufferPointer { documents in
            rows.withUnsafeMutableBufferPointer { rows in
                rows.sort { a, b in
                    let result = compareKeys(a, self, b, order, comparesAll: comparesAll)
                    if result != 0 { return result < 0 }
                    if a.document == b.document { return a.number < b.number }
                    if areOrdered { return a.document < b.document }
                    return MappedRows.compare(id(of: documents[Int(a.document)]), id(of: documents[Int(b.document)])) < 0
                }
            }
        }
    }

    /// Compares the keys of a row and one of another thread's, or of this. `comparesAll` must be set if one of these has keys that are incomplete.
    @inline(__always)
    func compareKeys(_ row: RowPlace, _ other: MappedRows, _ otherRow: RowPlace, _ order: ValueOrder, comparesAll: Bool) -> Int {
        if !comparesAll {
            if row.prefix != otherRow.prefix { return row.prefix < otherRow.prefix ? -1 : 1 }
            if row.more != otherRow.more { return row.more < otherRow.more ? -1 : 1 }
            if row.isWhole, otherRow.isWhole { return 0 }
        }
        return order.compareKeys(self.row(at: row.row).key, other.row(at: otherRow.row).key)
    }

    /// Whether the documents are in the order of their IDs. As they lie in the table, they mostly are.
    private var hasOrderedDocuments: Bool {
        documents.withUnsafeBufferPointer { documents in
            var index = 1
            while index < documents.count {
                guard MappedRows.compare(id(of: documents[index &- 1]), id(of: documents[index])) < 0 else { return false }
                index &+= 1
            }
            return true
        }
    }

    /// The documents in the order of their IDs. The order of the list itself is what rows know them by.
    func sortedDocuments() -> [Int32] {
        let isSorted = hasOrderedDocuments
        return documents.withUnsafeBufferPointer { documents in
            var places = Array(0..<Int32(documents.count))
            if !isSorted {
                places.sort { MappedRows.compare(id(of: documents[Int($0)]), id(of: documents[Int($1)])) < 0 }
            }
            return places
        }
    }

    @inline(__always)
    static func compare(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
        let common = min(a.count, b.count)
        if common > 0, let x = a.baseAddress, let y = b.baseAddress {
            let order = memcmp(x, y, common)
            if order != 0 { return Int(order) }
        }
        return a.count &- b.count
    }
}

extension MappedRows.Special {
    fileprivate var count: Int {
        switch self {
        case .text(let text, let language): 2 + min(language?.utf8.count ?? 0, 255) + text.count
        case .shape(_, let shape): 1 + 32 + shape.count
        }
    }

    /// 1, the count of the language's name, it, and the text; or 2, the rectangle, and the GeoJSON.
    fileprivate func write(to buffer: inout ByteBuffer) {
        switch self {
        case .text(let text, let language):
            buffer.append(1)
            let name = Array((language ?? "").utf8.prefix(255))
            buffer.append(UInt8(name.count))
            name.withUnsafeBytes { buffer.append($0) }
            buffer.append(text)
        case .shape(let rectangle, let shape):
            buffer.append(2)
            withUnsafeBytes(of: rectangle) { buffer.append($0) }
            buffer.append(shape)
        }
    }

    init?(_ bytes: UnsafeRawBufferPointer) {
        guard let kind = bytes.first else { return nil }
        if kind == 1 {
            let count = Int(bytes[1])
            let language = count > 0 ? String(decoding: bytes[2..<2 + count], as: UTF8.self) : nil
            self = .text(UnsafeRawBufferPointer(rebasing: bytes[(2 + count)...]), language: language)
        } else {
            self = .shape(
                bytes.loadUnaligned(fromByteOffset: 1, as: ViewRectangle.self), UnsafeRawBufferPointer(rebasing: bytes[33...]))
        }
    }
}
