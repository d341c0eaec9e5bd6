import CBLSQLite
import CBLSystemSQLite

/// The rows of a scan of a whole table, or of a piece of one, read from its pages without SQLite: in the order in which they are stored, or in that of
/// the index of their IDs. Hot: the benchmarks `ls -l`, `export`, `cat all` and `grep`.
///
/// Everything that is not as it should be is left to SQLite, in the middle of a scan too.
final class DocumentPages {
    private typealias Place = KeyStoreColumns.Place

    enum Step {
        case row, end
        /// SQLite has to go on behind the rows that were given.
        case unsure
    }

    private let snapshot: Snapshot
    private let leaves: TableLeaves
    private let table: TableReader
    /// Nil if the rows are wanted as they are stored.
    private let index: IndexReader?
    /// The numbers of those that are wanted.
    private let rows: ClosedRange<Int64>
    private let extraPlace: Int?
    private let expirationPlace: Int?
    private let needsBody: Bool
    private let needsMetadata: Bool
    private let needsFlags: Bool
    private let leavesOutDeleted: Bool
    private let firstLeaf: Int
    @exclusivity(unchecked) private var leaf: Int
    @exclusivity(unchecked) private var mostJumps = DocumentPages.fewJumps

    /// How many rows were given.
    @exclusivity(unchecked) private(set) var count = 0
    // The row.
    @exclusivity(unchecked) private(set) var key = DocumentPages.none
    @exclusivity(unchecked) private(set) var sequence: Int64 = 0
    @exclusivity(unchecked) private(set) var flags: Int64 = 0
    @exclusivity(unchecked) private(set) var version = DocumentPages.none
    @exclusivity(unchecked) private(set) var body = DocumentPages.none
    @exclusivity(unchecked) private(set) var expiration: Int64?
    @exclusivity(unchecked) private(set) var extra: UnsafeRawBufferPointer?

    private static var none: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }
    /// Finding the pages of a table with fewer takes longer than they are worth.
    private static let fewestRows: Int64 = 2048
    /// Rows that are all over the file are better read by SQLite, which keeps pages.
    private static let fewJumps = 256
    private static let rowsForEachJump = 8

    /// Nil if it is another scan, or is not worth it, or the table cannot be read so.
    init?(_ tables: CollectionTables, _ options: ScanOptions, _ snapshot: Snapshot) throws {
        let table = tables.live
        guard options.isOfAll, options.content != .id, !table.isView, !table.columns.hasForeign, !table.mayHoldTreesInBodies,
            try options.rows != nil || snapshot.mayHave(DocumentPages.fewestRows, rowsIn: table),
            let pages = try snapshot.pages(ofTable: table.name)
        else { return nil }
        if options.order == .id {
            guard let root = try snapshot.root(of: "index", "sqlite_autoindex_\(table.name)_1"),
                let index = IndexReader(at: root, in: pages.source)
            else { return nil }
            self.index = index
        } else {
            index = nil
        }
        self.snapshot = snapshot
        leaves = pages.leaves
        rows = options.rows ?? .min ... .max
        firstLeaf = options.rows.map { pages.leaves.place(of: $0.lowerBound, near: 0) } ?? 0
        leaf = firstLeaf - 1
        extraPlace = options.content == .everything ? table.columns.extraPlace : nil
        expirationPlace = options.content == .idAndBody ? nil : table.columns.expirationPlace
        needsBody = options.content != .metadata
        leavesOutDeleted = snapshot.mayHoldTombstones(tables)
        needsMetadata = options.content != .idAndBody
        needsFlags = needsMetadata || leavesOutDeleted
        self.table = TableReader(pages.source, columnCount: max(extraPlace ?? 0, expirationPlace ?? 0, Place.body) + 1)
        if index == nil, firstLeaf < leaves.pages.count {
            let last = min(leaves.pages.count - 1, max(firstLeaf, leaves.place(of: rows.upperBound, near: firstLeaf)))
            self.table.expect(leaves.pages[firstLeaf...last])
        }
    }

    /// Goes before the first row again, and does not mind where rows are from now on.
    func rewind() {
        index?.rewind()
        leaf = firstLeaf - 1
        count = 0
        mostJumps = .max
    }

    @inline(__always)
    func next() throws(SQLiteError) -> Step {
        while true {
            let step = try advance()
            guard step == .row else { return step }
            guard readColumns() else { return .unsure }
            if leavesOutDeleted, flags & 1 != 0 { continue }
            count &+= 1
            return .row
        }
    }

    @inline(__always)
    private func advance() throws(SQLiteError) -> Step {
        guard let index else { return try nextStored() }
        switch index.next() {
        case .entry: break
        case .end: return .end
        case .damage: return .unsure
        }
        let isFound = table.find(index.row, in: leaves)
        if table.isOnNewPage { try checkInterrupts() }
        guard isFound, table.jumps < mostJumps || table.jumps < count / DocumentPages.rowsForEachJump else { return .unsure }
        return .row
    }

    private func nextStored() throws(SQLiteError) -> Step {
        while true {
            if leaf >= firstLeaf {
                switch table.next() {
                case .row:
                    if table.number < rows.lowerBound { continue }
                    return table.number <= rows.upperBound ? .row : .end
                case .damage: return .unsure
                case .end: break
                }
            }
            guard leaf + 1 < leaves.pages.count else { return .end }
            leaf += 1
            try checkInterrupts()
            guard table.begin(leaves.pages[leaf]) else { return .unsure }
        }
    }

    private func checkInterrupts() throws(SQLiteError) {
        if snapshot.isInterrupted { throw SQLiteError(extendedCode: SQLITE_INTERRUPT, message: "interrupted") }
    }

    /// False if something is of another kind than documents have, or cannot be read.
    @inline(__always)
    private func readColumns() -> Bool {
        guard table.kind(Place.key) == .text, !needsFlags || readFlags(), !needsMetadata || readMetadata() else { return false }
        if needsBody {
            guard let bytes = blob(Place.body) else { return false }
            body = bytes
        } else {
            guard table.kind(Place.body) == .blob || table.kind(Place.body) == .null else { return false }
        }
        if let index {
            key = index.text
        } else {
            guard let bytes = table.bytes(Place.key) else { return false }
            key = bytes
        }
        return true
    }

    private func readFlags() -> Bool {
        guard table.kind(Place.flags) == .integer, let flags = table.integer(Place.flags) else { return false }
        self.flags = flags
        return true
    }

    private func readMetadata() -> Bool {
        guard table.kind(Place.sequence) == .integer, let sequence = table.integer(Place.sequence), let version = blob(Place.version) else {
            return false
        }
        self.sequence = sequence
        self.version = version
        if let expirationPlace {
            switch table.kind(expirationPlace) {
            case .null: expiration = nil
            case .integer:
                guard let integer = table.integer(expirationPlace) else { return false }
                expiration = integer
            default: return false
            }
        }
        guard let extraPlace else { return true }
        guard let bytes = blob(extraPlace) else { return false }
        extra = table.kind(extraPlace) == .null ? nil : bytes
        return true
    }

    var bodySize: Int { table.size(Place.body) }

    /// The column `body` as it is stored; nil for NULL.
    var bodyColumn: UnsafeRawBufferPointer? { table.kind(Place.body) == .null ? nil : body }

    /// Empty for NULL.
    @inline(__always)
    private func blob(_ place: Int) -> UnsafeRawBufferPointer? {
        switch table.kind(place) {
        case .null: DocumentPages.none
        case .blob: table.bytes(place)
        default: nil
        }
    }
}

extension ScanOptions {
    /// Whether all live documents are wanted, or those of a piece of the table, in an order in which they can be had.
    fileprivate var isOfAll: Bool {
        guard order != .sequence, !isDescending || order == .stored, rows == nil || order == .stored else { return false }
        guard !includesDeleted, !onlyDeleted, !onlyConflicts, !onlyWithAttachments, offset == 0, limit == nil else { return false }
        return since == nil && upTo == nil && firstID == nil && lastID == nil && idPattern == nil && fixedPrefix.isEmpty
    }
}
