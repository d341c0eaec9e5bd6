import CBLBase
import CBLSQLite
import CBLStore
import Synchronization

/// Finds out the shape of a collection: all of it, or a sample that is taken evenly from everywhere in it; on both cores.
///
///     let found = try ShapeScan(collection, sample: 100_000).run(on: snapshot)
///     for (kind, shape) in found.survey.shapes { … }
package struct ShapeScan: Sendable {
    package struct Result: Sendable {
        package var survey: ShapeSurvey
        /// How many live documents the collection has; about, if that is so.
        package var total: Int
        package var isTotalEstimated = false
        /// How many of them were looked at.
        package var examined: Int
        /// Documents that could not be read, up to a hundred, and how many there are.
        package var damaged: [DamagedDocument]
        package var damagedCount: Int

        package var isSample: Bool { examined + damagedCount < total }
    }

    /// How kinds of documents are told apart.
    package enum Kinds: Sendable {
        case together
        case by(String)
        /// By one of the usual properties if that is clear.
        case automatic
    }

    private let collection: CollectionName
    private let kinds: Kinds
    private let sample: Int?
    private let mostBytes: Int?
    private let estimatesTotal: Bool
    private var pieces = ScanPieces.standard

    /// A sample is taken of collections that have more documents than that, or are about so long. It may come out a little smaller. For a person who waits,
    /// very many documents are not counted one by one.
    package init(
        _ collection: CollectionName, kinds: Kinds = .automatic, sample: Int? = nil, mostBytes: Int? = nil, estimatesTotal: Bool = false
    ) {
        self.collection = collection
        self.kinds = kinds
        self.sample = sample
        self.mostBytes = mostBytes
        self.estimatesTotal = estimatesTotal
    }

    init(_ collection: CollectionName, kinds: Kinds, sample: Int?, pieces: ScanPieces) {
        self.init(collection, kinds: kinds, sample: sample)
        self.pieces = pieces
    }

    // Places from which a sample is taken: enough that none of them matters, each long enough to be worth going there.
    private static let places: Int64 = 500
    // Enough to see whether there are kinds.
    private static let trial = 1000
    // Of documents that are very long.
    private static let fewest = 6

    /// `step` is called from time to time with the number of documents that the calling thread has gone through; it ends the work by throwing.
    package func run(on snapshot: Snapshot, _ step: (Int) throws -> Void = { _ in }) throws -> Result {
        let (total, isExact) = try total(on: snapshot)
        let wanted = try wanted(of: total, on: snapshot)
        var result: Result
        switch kinds {
        case .together: result = try examine(by: nil, wanted, of: total, on: snapshot, step)
        case .by(let property): result = try examine(by: property, wanted, of: total, on: snapshot, step)
        case .automatic:
            let (kind, found) = try tryKinds(min(ShapeScan.trial, wanted), of: total, on: snapshot)
            result = wanted <= ShapeScan.trial ? found : try examine(by: kind, wanted, of: total, on: snapshot, step)
        }
        result.isTotalEstimated = !isExact
        return result
    }

    /// How many documents are looked at.
    private func wanted(of total: Int, on snapshot: Snapshot) throws -> Int {
        let wanted = sample.map { min($0, total) } ?? total
        guard let mostBytes, wanted > ShapeScan.fewest else { return wanted }
        let plan = try Plan(collection, ShapeScan.fewest, of: total, on: snapshot, pieces)
        var (count, bytes) = (0, 0)
        while let (_, rows) = plan.pieces.next() {
            let cursor = try snapshot.scan(collection, plan.options(rows))
            cursor.onDamage = { _ in }
            while try cursor.next() {
                count += 1
                bytes += cursor.bodyBytes.count
            }
        }
        return count == 0 ? wanted : min(wanted, max(ShapeScan.fewest, mostBytes / max(1, bytes / count)))
    }

    /// How many documents there are; of a damaged collection, that there may be any number.
    private func total(on snapshot: Snapshot) throws -> (count: Int, isExact: Bool) {
        do {
            // Whoever looks at all of them counts them by the way.
            let counts = try estimatesTotal && sample != nil ? snapshot.quickCounts(of: collection) : snapshot.counts(of: collection)
            return (counts.live, counts.isExact)
        } catch let error as SQLiteError where error.isDamage {
            return (ShapeScan.unknown, true)
        }
    }

    private static let unknown = Int.max

    /// The property that tells kinds apart, if there is one, and what was found so.
    private func tryKinds(_ wanted: Int, of total: Int, on snapshot: Snapshot) throws -> (String?, Result) {
        let whole = try examine(by: nil, wanted, of: total, on: snapshot) { _ in }
        let names = Set(whole.survey.shapes.flatMap { $0.shape.properties.map(\.name.text) })
        for name in ShapeSurvey.usualDiscriminators where names.contains(name) {
            let found = try examine(by: name, wanted, of: total, on: snapshot) { _ in }
            if found.survey.isClear { return (name, found) }
        }
        return (nil, whole)
    }

    private func examine(
        by kind: String?, _ wanted: Int, of total: Int, on snapshot: Snapshot, _ step: (Int) throws -> Void
    ) throws -> Result {
        let first = Reader(collection, ShapeSurvey(by: kind))
        let plan = try Plan(collection, wanted, of: total, on: snapshot, pieces)
        if plan.isDivided, Int64(wanted) >= pieces.fewestRows, let twin = snapshot.twin {
            let second = Reader(collection, ShapeSurvey(by: kind))
            try first.read(plan, on: snapshot, with: second, twin, step)
            first.survey.merge(second.survey)
            first.damaged += second.damaged
            first.damagedCount += second.damagedCount
        } else {
            try first.read(plan, on: snapshot, step)
        }
        let isKnown = total != ShapeScan.unknown
        return Result(
            survey: first.survey, total: isKnown ? total : first.survey.documents + first.damagedCount, examined: first.survey.documents,
            damaged: first.damaged, damagedCount: first.damagedCount)
    }

    /// Which rows are read: each piece of the table, and how many documents of it.
    fileprivate struct Plan: Sendable {
        let pieces: Pieces
        /// Where the table cannot be divided there is one piece, which is all of it.
        let isDivided: Bool
        let documentsOfPiece: Int?

        init(_ collection: CollectionName, _ wanted: Int, of total: Int, on snapshot: Snapshot, _ standard: ScanPieces) throws {
            guard let rows = try TableScan.rows(of: collection, on: snapshot) else {
                (pieces, isDivided, documentsOfPiece) = (Pieces(0...0, length: 1), false, wanted)
                return
            }
            isDivided = true
            guard wanted < total else {
                (pieces, documentsOfPiece) = (Pieces(rows, length: standard.length), nil)
                return
            }
            let places = min(ShapeScan.places, Int64(max(1, wanted)))
            pieces = Pieces(rows, length: (rows.upperBound - rows.lowerBound) / places + 1)
            documentsOfPiece = Int((Int64(wanted) + places - 1) / places)
        }

        /// How a piece is read.
        func options(_ rows: ClosedRange<Int64>) -> ScanOptions {
            var options = ScanOptions(order: .stored)
            if isDivided { options.rows = rows }
            options.limit = documentsOfPiece
            return options
        }
    }
}

/// What one thread reads.
private final class Reader {
    private static let mostReports = 100

    let collection: CollectionName
    var survey: ShapeSurvey
    var damaged: [DamagedDocument] = []
    var damagedCount = 0

    init(_ collection: CollectionName, _ survey: ShapeSurvey) {
        self.collection = collection
        self.survey = survey
    }

    /// Reads with a second thread, which takes the pieces that this one has not.
    func read(
        _ plan: ShapeScan.Plan, on snapshot: Snapshot, with other: Reader, _ twin: SnapshotTwin, _ step: (Int) throws -> Void
    ) throws {
        let lent = Lent(reader: other, twin: twin)
        let failure = Mutex<(any Error)?>(nil)
        let thread = WorkerThread {
            do {
                _ = try lent.twin.read { try lent.reader.read(plan, on: $0) { _ in } }
            } catch {
                plan.pieces.stop()
                failure.withLock { $0 = error }
            }
        }
        defer { thread.join() }
        do { try read(plan, on: snapshot, step) } catch {
            plan.pieces.stop()
            throw error
        }
        thread.join()
        if let error = failure.withLock({ $0 }) { throw error }
    }

    /// What the second thread works with. The first leaves it alone until that thread has ended.
    private struct Lent: @unchecked Sendable {
        let reader: Reader
        let twin: SnapshotTwin
    }

    func read(_ plan: ShapeScan.Plan, on snapshot: Snapshot, _ step: (Int) throws -> Void) throws {
        try snapshot.expect(scan: true)
        let keys = snapshot.sharedKeys
        var count = 0
        while let (_, rows) = plan.pieces.next() {
            let cursor = try snapshot.scan(collection, plan.options(rows))
            cursor.onDamage = { [self] in report($0) }
            while try cursor.next() {
                let bytes = cursor.bodyBytes
                // Without a body a document is empty: it has no properties, and counts.
                if !survey.add(cursor.body, byteCount: bytes.count, keys) {
                    report(DamagedDocument(collection: collection, id: cursor.id, reason: "its body is damaged"))
                }
                count += 1
                if count & 0x3F == 0 {
                    try step(count)
                    if plan.pieces.isStopped { return }
                }
            }
        }
    }

    private func report(_ document: DamagedDocument) {
        damagedCount += 1
        if damaged.count < Reader.mostReports { damaged.append(document) }
    }
}
