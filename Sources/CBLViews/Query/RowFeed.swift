import CBLFleece
import CBLSQLite

/// Rows one after another, each where its source has it: valid until the next one.
class RowFeed {
    /// The key's encoding.
    @exclusivity(unchecked) var key = UnsafeRawBufferPointer(start: nil, count: 0)
    /// The value's encoding, if the kind says that there is one.
    @exclusivity(unchecked) var value = UnsafeRawBufferPointer(start: nil, count: 0)
    @exclusivity(unchecked) var kind = MappedRows.ValueKind.none
    @exclusivity(unchecked) var id = UnsafeRawBufferPointer(start: nil, count: 0)
    @exclusivity(unchecked) var sequence: UInt64 = 0
    /// The key as the index has it, where it is from there.
    @exclusivity(unchecked) var indexKey: UnsafeRawBufferPointer?
    var match: FullTextMatch? { nil }
    var shape: UnsafeRawBufferPointer? { nil }

    func next() throws -> Bool { false }

    /// Takes over a value as a column of the index has it.
    @inline(__always)
    final func readValue(_ statement: Statement, _ column: Int32) {
        switch statement.kind(column) {
        case .blob:
            kind = .encoded
            value = statement.blob(column) ?? UnsafeRawBufferPointer(start: nil, count: 0)
        case .null: kind = .none
        default: kind = .document
        }
    }
}

/// Some of the rows of another feed.
final class FilterFeed: RowFeed {
    private let rows: RowFeed
    private var skip: Int
    private var rest: Int
    private let filter: (RowFeed) throws -> Bool

    init(_ rows: RowFeed, skip: Int, limit: Int?, filter: @escaping (RowFeed) throws -> Bool = { _ in true }) {
        self.rows = rows
        self.skip = skip
        rest = limit ?? .max
        self.filter = filter
    }

    override var match: FullTextMatch? { rows.match }
    override var shape: UnsafeRawBufferPointer? { rows.shape }

    override func next() throws -> Bool {
        guard rest > 0 else { return false }
        while try rows.next() {
            guard try filter(rows) else { continue }
            if skip > 0 {
                skip -= 1
                continue
            }
            rest -= 1
            (key, value, kind, id, sequence, indexKey) = (rows.key, rows.value, rows.kind, rows.id, rows.sequence, rows.indexKey)
            return true
        }
        return false
    }
}
