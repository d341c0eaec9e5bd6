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

/// The rows of a range of keys.
final class RangeFeed: RowFeed {
    private let index: IndexConnection
    private let statement: Statement
    private let keys: [[UInt8]]
    private var nextKey = 0
    private var isRunning = false

    /// `keys` are looked for one after another, in the first parameter; without, the statement is run once.
    init(_ index: IndexConnection, _ statement: Statement, keys: [[UInt8]]? = nil) {
        self.index = index
        self.statement = statement
        self.keys = keys ?? []
        isRunning = keys == nil
    }

    override func next() throws -> Bool {
        try index.guarded {
            while true {
                if isRunning {
                    if try statement.step() { break }
                    isRunning = false
                }
                guard nextKey < keys.count else { return false }
                statement.reset()
                try keys[nextKey].withUnsafeBytes { try statement.bind(text: $0, 1) }
                nextKey += 1
                isRunning = true
            }
            let column = statement.blob(0) ?? UnsafeRawBufferPointer(start: nil, count: 0)
            indexKey = column
            key = ViewKey(column).encoding
            id = statement.blob(1) ?? UnsafeRawBufferPointer(start: nil, count: 0)
            sequence = UInt64(bitPattern: max(0, statement.int64(2)))
            readValue(statement, 3)
            return true
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
