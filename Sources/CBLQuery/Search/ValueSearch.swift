import CBLBase
import CBLSQLite
import CBLStore
import Synchronization

/// Searches the documents of a collection for values, or names of properties, with a text in them: in the order in which they are stored, and on
/// both cores. Hot: benchmark `grep`.
///
///     var search = ValueSearch(pattern, in: .default)
///     let summary = try search.run(on: snapshot, found: { document in
///         for hit in document.hits { print(document.id, hit.path) }
///         return true
///     })
package struct ValueSearch: Sendable {
    package enum Wanted: Sendable {
        case hits
        /// Only which documents have some.
        case documents
        /// Only how many there are: nobody is told of the documents.
        case counts
    }

    package struct Summary: Sendable {
        /// How many documents have hits, and how many those are: up to where it ended, or a little further. Of documents alone each has one.
        package internal(set) var documents = 0
        package internal(set) var hits = 0
        /// How many were looked at.
        package internal(set) var examined = 0
        /// Documents that could not be read, up to a hundred, and how many there are.
        package internal(set) var damaged: [DamagedDocument] = []
        package internal(set) var damagedCount = 0

        private static let mostReports = 100

        mutating func report(_ document: DamagedDocument) {
            damagedCount += 1
            if damaged.count < Summary.mostReports { damaged.append(document) }
        }

        mutating func add(_ other: Summary) {
            documents += other.documents
            hits += other.hits
            examined += other.examined
            damaged += other.damaged.prefix(max(0, Summary.mostReports - damaged.count))
            damagedCount += other.damagedCount
        }
    }

    package let pattern: SearchPattern
    package let collection: CollectionName
    package var searchesNames = false
    /// Where in documents is searched; nil for everywhere.
    package var path: SearchPath?
    package var wants = Wanted.hits
    var pieces = ScanPieces.standard
    /// How much of what was found may wait for its turn.
    var mostWaiting = 16 << 20

    package init(_ pattern: SearchPattern, in collection: CollectionName) {
        self.pattern = pattern
        self.collection = collection
    }

    // A table has no more pieces than this, whatever its rows are numbered like.
    private static let mostPieces: Int64 = 10_000

    /// `found` is called on this thread, and ends the search by saying false. `step` is called from time to time, with the number of documents
    /// that this thread has gone through; it ends the work by throwing. For an expression that takes too long it throws a
    /// `SearchPattern.Failure`.
    package func run(
        on snapshot: Snapshot, _ step: (Int) throws -> Void = { _ in }, found: (FoundDocument) throws -> Bool = { _ in true }
    ) throws -> Summary {
        guard let rows = try TableScan.rows(of: collection, on: snapshot) else {
            let reader = try SearchReader(self, snapshot)
            _ = try reader.read(nil, step, found)
            return reader.summary
        }
        let length = max(pieces.length, (rows.upperBound - rows.lowerBound) / ValueSearch.mostPieces + 1)
        let queue = SearchQueue(Pieces(rows, length: length), mostWaiting: mostWaiting)
        guard rows.upperBound - rows.lowerBound >= pieces.fewestRows, let twin = snapshot.twin else {
            return try run(queue, on: snapshot, step, found)
        }
        let thread = WorkerThread { [self] in
            do {
                _ = try twin.read { snapshot in
                    let reader = try SearchReader(self, snapshot)
                    while queue.waitForRoom(), let piece = queue.next() { queue.keep(try reader.keep(piece.rows, queue), of: piece) }
                }
            } catch {
                queue.fail(error)
            }
        }
        defer {
            queue.stop()
            thread.join()
        }
        return try run(queue, on: snapshot, step, found)
    }

    /// What the calling thread does: it searches pieces as the other one does, and is the one that tells what was found, piece by piece.
    private func run(
        _ queue: SearchQueue, on snapshot: Snapshot, _ step: (Int) throws -> Void, _ found: (FoundDocument) throws -> Bool
    ) throws -> Summary {
        let reader = try SearchReader(self, snapshot)
        var told = Summary()
        /// Tells what waits for it, up to a piece that somebody is still searching; false if no more is wanted.
        func tell() throws -> Bool {
            while let (rows, kept) = queue.takeFirst() {
                told.add(kept.summary)
                for document in kept.found where try !found(document) { return false }
                if let end = kept.end, try !reader.read(rows, from: end, step, found) { return false }
                queue.advance()
            }
            return true
        }
        func work() throws {
            while let piece = queue.next() {
                if queue.isFirst(piece.number) {
                    guard try reader.read(piece.rows, step, found) else { return }
                    queue.advance()
                } else {
                    queue.keep(try reader.keep(piece.rows, queue, step), of: piece)
                }
                guard try tell() else { return }
                while queue.isFull {
                    try step(reader.examined)
                    queue.waitForFirst()
                    guard try tell() else { return }
                }
            }
            while try queue.awaitsMore() {
                try step(reader.examined)
                queue.waitForFirst()
                guard try tell() else { return }
            }
        }
        try work()
        told.add(reader.summary)
        return told
    }
}
