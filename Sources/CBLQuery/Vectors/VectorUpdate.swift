import CBLFleece
import CBLFunctions
import CBLLanguage
import CBLSQLite
import CBLStore
import CBLVectors

/// Values of documents whose vectors a lazy index waits for. Whoever took it sets a vector for each or skips it, and then finishes.
///
///     while let update = try VectorUpdate(of: "words_index", limit: 100, in: database) {
///         for place in 0..<update.count { try update.set(embed(update.values, place), place) }
///         try update.finish(in: database)
///     }
package final class VectorUpdate {
    package enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        case notFound(String)
        case notLazy
        case wrongDimensions
        case unfinished
        case finished

        package var description: String {
            switch self {
            case .notFound(let name): "there is no index \"\(name)\""
            case .notLazy: "Index is not lazy"
            case .wrongDimensions: "Inconsistent vector dimensions"
            case .unfinished: "Cannot finish an update without all vectors updated or skipped."
            case .finished: "the update is finished already"
            }
        }
    }

    private enum Answer {
        case waiting, skipped
        case vector([UInt8]?)
    }

    /// The values, an array, encoded without shared keys.
    package let values: FleeceData
    /// Of which document each is.
    package let documentIDs: [String]
    package private(set) var isFinished = false
    private let name: String
    package let dimensions: Int
    private let ids: [VectorID]
    private var answers: [Answer]
    /// The sequences that were looked at.
    private let window: ClosedRange<UInt64>

    package var count: Int { ids.count }

    /// What a look at the documents has found.
    private struct Found {
        var values: FleeceData
        var documentIDs: [String]
        var ids: [VectorID]
        var window: ClosedRange<UInt64>
        var dimensions: Int
        /// What turned out to need nothing.
        var passed: SequenceRanges
    }

    /// Nil if all documents are up to date. `limit` is how many are looked at.
    package init?(of name: String, in collection: CollectionName, limit: Int, in database: Database) throws {
        VectorIndexing.prepare()
        let (found, passed) = try database.read { try VectorUpdate.look(name, collection, limit, $0) }
        if let passed, !database.isReadOnly {
            try database.write { transaction in
                guard let index = try transaction.vectorIndex(named: name), index.id != nil else { return }
                try transaction.setVectors([], of: name, indexed: passed)
            }
        }
        guard let found else { return nil }
        self.name = name
        values = found.values
        documentIDs = found.documentIDs
        ids = found.ids
        window = found.window
        dimensions = found.dimensions
        answers = Array(repeating: .waiting, count: found.ids.count)
    }

    private static func look(_ name: String, _ collection: CollectionName, _ limit: Int, _ snapshot: Snapshot) throws -> (
        Found?, SequenceRanges?
    ) {
        guard let index = try snapshot.vectorIndex(named: name), index.collection == collection else {
            let isThere = try snapshot.indexes().contains { $0.name == name && $0.collection == collection }
            throw isThere ? Failure.notLazy : Failure.notFound(name)
        }
        guard index.options.isLazy else { throw Failure.notLazy }
        guard limit > 0 else { return (nil, nil) }
        let last = try snapshot.lastSequence(of: collection)
        var indexed = index.indexed
        let before = indexed
        while !indexed.covers(upTo: last) {
            let start = indexed.end + 1
            let rows = try snapshot.vectorSources(index, from: start, limit: limit)
            guard let lastRow = rows.last else {
                indexed = SequenceRanges(upTo: last)
                break
            }
            let window = start...(rows.count < limit ? max(last, lastRow.id.sequence) : lastRow.id.sequence)
            let items = rows.filter { !indexed.contains($0.id.sequence) }
            guard items.isEmpty else {
                let encoder = FleeceEncoder()
                encoder.beginArray()
                for item in items { item.value.write(to: encoder) }
                encoder.endArray()
                let found = Found(
                    values: try encoder.finish(), documentIDs: items.map(\.documentID), ids: items.map(\.id), window: window,
                    dimensions: index.options.dimensions, passed: indexed)
                return (found, indexed == before ? nil : indexed)
            }
            indexed.insert(window)
        }
        return (nil, indexed == before ? nil : indexed)
    }

    /// Nil says that the document has none.
    package func set(_ vector: [Float]?, _ place: Int) throws {
        if isFinished { throw Failure.finished }
        guard let vector else {
            answers[place] = .vector(nil)
            return
        }
        guard vector.count == dimensions else { throw Failure.wrongDimensions }
        answers[place] = .vector(vector.flatMap { value in withUnsafeBytes(of: value.bitPattern.littleEndian) { Array($0) } })
    }

    /// Leaves the document for the next update.
    package func skip(_ place: Int) throws {
        if isFinished { throw Failure.finished }
        answers[place] = .skipped
    }

    /// Stores the vectors. Tells whether every document is up to date then.
    @discardableResult
    package func finish(in database: Database) throws -> Bool {
        if isFinished { throw Failure.finished }
        var vectors: [(id: VectorID, bytes: [UInt8]?)] = []
        var skipped: [VectorID] = []
        for (place, answer) in answers.enumerated() {
            switch answer {
            case .waiting: throw Failure.unfinished
            case .skipped: skipped.append(ids[place])
            case .vector(let bytes): vectors.append((ids[place], bytes))
            }
        }
        let isComplete = try database.write { transaction in
            guard let index = try transaction.vectorIndex(named: name), let collection = index.collection else {
                throw Failure.notFound(name)
            }
            var indexed = index.indexed
            indexed.insert(window)
            // What another update has set meanwhile goes: the document comes again.
            for id in skipped where index.indexed.contains(id.sequence) { vectors.append((id, nil)) }
            for id in skipped { indexed.remove(id.sequence) }
            try transaction.setVectors(vectors, of: name, indexed: indexed)
            return try indexed.covers(upTo: transaction.lastSequence(of: collection))
        }
        isFinished = true
        return isComplete
    }
}

extension Snapshot {
    /// The values that a lazy index makes vectors of, from a sequence on, with the documents that they are of.
    fileprivate func vectorSources(_ index: VectorIndex, from start: UInt64, limit: Int) throws -> [VectorSource] {
        try withVectorSources(index, from: start, limit: limit) { statement in
            var rows: [VectorSource] = []
            while try statement.step() {
                guard let key = statement.text(1) else { continue }
                let id = VectorID(sequence: UInt64(bitPattern: statement.int64(0)), documentID: key)
                rows.append(
                    VectorSource(
                        id: id, documentID: String(decoding: key, as: UTF8.self),
                        value: try KeptValue(QueryValue(column: 2, of: statement), sharedKeys)))
            }
            return rows
        }
    }
}

/// What a document has in the place of a vector.
private struct VectorSource {
    var id: VectorID
    var documentID: String
    var value: KeptValue
}

/// A value of a row that is gone.
private struct KeptValue {
    private let data: FleeceData

    init(_ value: QueryValue, _ keys: SharedKeys) throws {
        let encoder = FleeceEncoder()
        value.write(to: encoder, keys: keys)
        data = try encoder.finish()
    }

    func write(to encoder: FleeceEncoder) { data.withRoot { encoder.write($0, keys: nil) } }
}
