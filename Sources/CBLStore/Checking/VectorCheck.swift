import CBLSQLite
import CBLVectors

/// Vector indexes of ours against documents: whether what they hold can be read, and whether every vector is in them that should be. Entries of
/// documents that have changed since are nobody's fault: they are passed over, and go when lists are cleaned.
struct VectorCheck {
    private let checker: Checker

    init(_ checker: Checker) { self.checker = checker }

    func run() throws {
        let snapshot = checker.snapshot
        guard snapshot.catalog.hasVectorTables else {
            guard try VectorCheck.hasRemains(snapshot) else { return }
            let message = "the tables of vector indexes are incomplete, so there are none"
            return try checker.found(Finding(.error, .leftover, message, repair: .automatic))
        }
        let unreadable = try VectorCheck.unreadable(snapshot)
        for index in unreadable {
            let message = "its definition as a vector index cannot be read"
            try checker.found(Finding(.error, .index, message, subject: index.name, repair: .automatic))
        }
        for index in try snapshot.ownVectorIndexes() {
            checker.summary.indexes += 1
            guard snapshot.catalog.stores[index.keyStore] != nil else {
                try found(.note, .leftover, "a vector index of a collection that is gone (\(index.keyStore))", index)
                continue
            }
            if let problem = try VectorCheck.problem(of: index, snapshot, isQuick: checker.options.isQuick) {
                try found(.error, .index, problem, index)
            }
        }
    }

    private func found(_ severity: Finding.Severity, _ kind: Finding.Kind, _ message: String, _ index: VectorIndex) throws {
        try checker.found(Finding(severity, kind, message, collection: index.collection, subject: index.name, repair: .automatic))
    }

    /// Whether some of the tables are there, but not all.
    static func hasRemains(_ snapshot: Snapshot) throws -> Bool {
        guard !snapshot.catalog.hasVectorTables else { return false }
        let names = VectorTables.all.map { "'\($0.0)'" }.joined(separator: ", ")
        return try snapshot.connection.integer("SELECT 1 FROM sqlite_master WHERE type='table' AND name IN (\(names)) LIMIT 1") != nil
    }

    /// Rows that make no sense. A name may be none.
    static func unreadable(_ snapshot: Snapshot) throws -> [(id: Int64, name: String)] {
        guard snapshot.catalog.hasVectorTables else { return [] }
        let known = Set(try snapshot.ownVectorIndexes().compactMap(\.id))
        return try snapshot.connection.withStatement("SELECT id, name FROM vx_indexes ORDER BY id") { row in
            var found: [(Int64, String)] = []
            while try row.step() { if !known.contains(row.int64(0)) { found.append((row.int64(0), row.string(1) ?? "")) } }
            return found
        }
    }

    /// What is wrong with an index, if anything is.
    static func problem(of index: VectorIndex, _ snapshot: Snapshot, isQuick: Bool) throws -> String? {
        guard let id = index.id else { return nil }
        var listed: Set<VectorID> = []
        do {
            if !index.isTrained {
                guard try !snapshot.hasVectorLists(id) else { throw snapshot.damage(index, "it has lists, and does not know of a model") }
            } else {
                var entries = 0
                let model = try snapshot.storedVectorModel(index)
                try snapshot.forEachVectorBlock(index, model, in: VectorTables.places(index: id)) { block, list in
                    let isSound = model.forEachEntry(of: block, list: list) { id, _, _ in listed.insert(id) }
                    guard isSound else { throw snapshot.damage(index, "a list has no centroid") }
                    guard block.isIntact(list: list) else { throw snapshot.damage(index, "a list is not as it was written") }
                    entries += block.count
                }
                // Of a lazy index nobody else knows how many there are.
                guard entries == index.listed else {
                    throw snapshot.damage(index, "its lists have \(entries) vectors, and there should be \(index.listed)")
                }
            }
            let waiting = try snapshot.connection.withStatement("SELECT count(*) FROM vx_pending WHERE id=?") { row in
                try row.bind(id, 1)
                return try row.step() ? Int(row.int64(0)) : 0
            }
            var readable = 0
            try snapshot.forEachWaitingVector(index) { vector, _ in
                listed.insert(vector)
                readable += 1
            }
            guard readable == waiting else { throw snapshot.damage(index, "a vector that waits has the wrong length") }
            guard waiting == index.pending else {
                throw snapshot.damage(index, "\(waiting) vectors wait, and there should be \(index.pending)")
            }
        } catch let error as StoreError where error.code == .corrupt {
            return error.message
        }
        guard try index.indexed.end <= snapshot.metadata(index.keyStore).lastSequence else {
            return "it has seen documents that are not there yet"
        }
        guard !isQuick, !index.options.isLazy, VectorExpression.isKnown, let reader = try? VectorReader(index, snapshot) else { return nil }
        let end = index.indexed.end
        let missing = try snapshot.connection.withStatement(reader.since(0)) { row in
            var missing = 0
            while try row.step() {
                guard let key = row.text(1) else { continue }
                let vector = VectorID(sequence: UInt64(bitPattern: row.int64(0)), documentID: key)
                if vector.sequence <= end, !listed.contains(vector) { missing += 1 }
            }
            return missing
        }
        return missing > 0 ? "it lacks the vectors of \(missing) document\(missing == 1 ? "" : "s")" : nil
    }
}

extension Transaction {
    /// Makes vector indexes anew that cannot be read or lack something, and takes out what is of nothing. Returns how many.
    func repairVectorIndexes() throws -> Int {
        guard catalog.hasVectorTables else {
            guard try VectorCheck.hasRemains(self) else { return 0 }
            try VectorTables.drop(on: connection)
            try file.reloadSchema()
            return 1
        }
        var repaired = 0
        for index in try VectorCheck.unreadable(self) {
            try dropOwnVectorIndex(index.id)
            repaired += 1
        }
        guard catalog.hasVectorTables else { return repaired }
        for index in try ownVectorIndexes() {
            if catalog.stores[index.keyStore] == nil {
                try dropOwnVectorIndex(index.name)
                repaired += 1
            } else if try VectorCheck.problem(of: index, self, isQuick: false) != nil {
                // What an app has given a lazy index is nowhere else: it gives it again.
                if index.options.isLazy || !VectorExpression.isKnown {
                    try emptyVectorIndex(index)
                } else {
                    try rebuildVectorIndex(index.name)
                }
                repaired += 1
            }
        }
        return repaired
    }

}
