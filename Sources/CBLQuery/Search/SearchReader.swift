import CBLFleece
import CBLFunctions
import CBLSQLite
import CBLStore

/// What one thread searches. It belongs to it.
final class SearchReader {
    struct Stopped: Error {}

    private let search: ValueSearch
    private let snapshot: Snapshot
    private let walk: ValueWalk
    /// Of all that was read and not kept.
    @exclusivity(unchecked) private(set) var summary = ValueSearch.Summary()
    /// How many documents this thread has gone through.
    @exclusivity(unchecked) private(set) var examined = 0

    init(_ search: ValueSearch, _ snapshot: Snapshot) throws {
        self.search = search
        self.snapshot = snapshot
        walk = try ValueWalk(search, snapshot.sharedKeys)
        try snapshot.expect(scan: true)
    }

    /// Searches some rows, or all, but for the first `offset` of them, and tells at once; false if no more is wanted.
    func read(
        _ rows: ClosedRange<Int64>?, from offset: Int = 0, _ step: (Int) throws -> Void, _ found: (FoundDocument) throws -> Bool
    ) throws -> Bool {
        try scan(rows, from: offset, step, found) == nil
    }

    /// Searches some rows, and keeps what is found until it is its turn: as much as may be kept.
    func keep(_ rows: ClosedRange<Int64>, _ queue: SearchQueue, _ step: (Int) throws -> Void = { _ in }) throws -> KeptPiece {
        var kept = KeptPiece()
        let before = summary
        summary = ValueSearch.Summary()
        defer { summary = before }
        kept.end = try scan(rows, from: 0) { count in
            if queue.isStopped { throw Stopped() }
            try step(count)
        } _: { document in
            kept.add(document)
            // Where to go on behind rows that were passed over is not known.
            return kept.size <= queue.mostOfPiece || summary.damagedCount > 0
        }
        kept.summary = summary
        return kept
    }

    /// Gives the number of rows after which no more was wanted; nil if it has come to the end.
    private func scan(
        _ rows: ClosedRange<Int64>?, from offset: Int, _ step: (Int) throws -> Void, _ found: (FoundDocument) throws -> Bool
    ) throws -> Int? {
        var options = ScanOptions(order: .stored, content: .idAndBody)
        options.rows = rows
        options.offset = offset
        let cursor = try snapshot.scan(search.collection, options)
        cursor.onDamage = { [self] in summary.report($0) }
        // Not an optional one, it is not retained for each document.
        let needsText = walk.needed != nil
        let needed = walk.needed ?? ByteFinder.unused
        var count = offset
        while try cursor.next() {
            count += 1
            examined += 1
            summary.examined += 1
            if examined & 0x3F == 0 { try step(examined) }
            if needsText, !needed.isIn(cursor.bodyBytes) { continue }
            switch try outcome(cursor.body) {
            case .nothing: break
            case .endless:
                let reason = "its body is damaged: \(FleeceError.endless)"
                summary.report(DamagedDocument(collection: search.collection, id: cursor.id, reason: reason))
            case .found:
                summary.documents += 1
                summary.hits += walk.count
                if search.wants != .counts, try !found(FoundDocument(id: cursor.id, hits: walk.hits)) { return count }
            }
        }
        return nil
    }

    private func outcome(_ body: Value) throws(SearchPattern.Failure) -> ValueWalk.Outcome {
        do throws(RegularExpression.Failure) { return try walk.search(body) } catch {
            throw SearchPattern.Failure(error, in: search.pattern)
        }
    }
}
