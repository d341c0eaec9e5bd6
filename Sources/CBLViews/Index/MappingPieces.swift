import CBLSQLite
import CBLStore
import Synchronization

/// A collection's table in pieces, ranges of row numbers. Each thread takes the next that is left, so neither waits for the other.
final class MappingPieces: Sendable {
    private let collection: CollectionName
    private let rows: ClosedRange<Int64>
    private let length: Int64
    private let taken = Atomic<Int>(0)
    private let wasStopped = Atomic<Bool>(false)
    let isWorthTwoThreads: Bool

    /// Nil where rows of a collection are not to be had by number.
    init?(_ snapshot: Snapshot, _ collection: CollectionName, _ options: IndexingOptions) throws {
        guard snapshot.generation >= .oldest, let table = snapshot.documentTables(of: collection)?.live,
            let first = try snapshot.connection.integer("SELECT min(rowid) FROM \(quoted(identifier: table))"),
            let last = try snapshot.connection.integer("SELECT max(rowid) FROM \(quoted(identifier: table))"),
            first > .min / 4, last < .max / 4
        else { return nil }
        self.collection = collection
        rows = first...last
        // Whoever deleted most of a large table has long stretches without rows: they are not to take many pieces.
        length = max(options.pieceLength, (last - first) >> 16)
        isWorthTwoThreads = last - first >= options.fewestRows
    }

    private func next() -> ClosedRange<Int64>? {
        guard !wasStopped.load(ordering: .relaxed) else { return nil }
        let number = taken.add(1, ordering: .relaxed).oldValue
        let start = rows.lowerBound + Int64(number) * length
        guard start <= rows.upperBound else { return nil }
        return start...min(start + length - 1, rows.upperBound)
    }

    /// Nobody takes a piece any more.
    func stop() { wasStopped.store(true, ordering: .relaxed) }

    var areTaken: Bool { rows.lowerBound + Int64(taken.load(ordering: .relaxed)) * length > rows.upperBound }

    /// Maps pieces until none is left or memory runs short, and puts the rows in order.
    func map(_ mapping: MappingThread, on snapshot: Snapshot, _ options: IndexingOptions) throws {
        while mapping.byteCount < options.mostMemory, let rows = next() {
            var scan = ScanOptions(order: .stored)
            scan.rows = rows
            let cursor = try snapshot.scan(collection, scan)
            cursor.onDamage = { _ in }
            _ = try mapping.map(cursor, on: snapshot)
        }
        mapping.sortRows()
    }
}
