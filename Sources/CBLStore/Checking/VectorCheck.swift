import CBLSQLite
import CBLVectors

/// Vector indexes of ours against documents: whether what they hold can be read, and whether every vector is in them that should be. Entries of
/// documents that have changed since are nobody's fault: they are passed over, and go when lists are cleaned.
struct VectorCheck {
    private let checker: Checker

    init(_ checker: Checker) { self.checker = checker }

    func run() throws {
        let snapshot = checker.snapshot
        guard snapshot.catalog.hasVectorTables else { return }
        let unreadable = try VectorCheck.unreadable(snapshot)
        for name in unreadable {
            try checker.found(Finding(.error, .index, "its definition as a vector index cannot be read", subject: name, repair: .automatic))
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

    /// The names of rows that make no sense.
    static func unreadable(_ snapshot: Snapshot) throws -> [String] {
        guard snapshot.catalog.hasVectorTables else { return [] }
        let known = Set(try snapshot.ownVectorIndexes().map(\.name))
        return try snapshot.connection.strings("SELECT name FROM vx_indexes ORDER BY name").filter { !known.contains($0) }
    }

    /// What is wrong with an index, if anything is.
    static func problem(of index: VectorIndex, _ snapshot: Snapshot, isQuick: Bool) throws -> String? {
        guard let id = index.id else { return nil }
        var listed: Set<UInt64> = []
        do {
            if index.isTrained {
                let model = try snapshot.storedVectorModel(index)
                try snapshot.forEachVectorBlock(index, model, in: VectorTables.places(index: id)) { block, list in
                    guard list < model.listCount else { throw snapshot.damage(index, "a list has no centroid") }
                    for place in 0..<block.count { listed.insert(block.id(place).sequence) }
                }
            }
            try snapshot.connection.withStatement("SELECT sequence, length(vector) FROM vx_pending WHERE id=?") { row in
                try row.bind(id, 1)
                while try row.step() {
                    guard row.int64(1) == index.options.rawSize else { throw snapshot.damage(index, "a vector has the wrong length") }
                    listed.insert(UInt64(bitPattern: row.int64(0)))
                }
            }
        } catch let error as StoreError where error.code == .corrupt {
            return error.message
        }
        guard !isQuick, !index.options.isLazy, VectorExpression.isKnown, let reader = try? VectorReader(index, snapshot) else { return nil }
        let end = index.indexed.end
        let missing = try snapshot.connection.withStatement(reader.since(0)) { row in
            var missing = 0
            while try row.step() {
                let sequence = UInt64(bitPattern: row.int64(0))
                if sequence <= end, !listed.contains(sequence) { missing += 1 }
            }
            return missing
        }
        return missing > 0 ? "it lacks the vectors of \(missing) document\(missing == 1 ? "" : "s")" : nil
    }
}

extension Transaction {
    /// Makes vector indexes anew that cannot be read or lack something, and takes out what is of nothing. Returns how many.
    func repairVectorIndexes() throws -> Int {
        guard catalog.hasVectorTables else { return 0 }
        var repaired = 0
        for name in try VectorCheck.unreadable(self) {
            try dropOwnVectorIndex(name)
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

    private func emptyVectorIndex(_ index: VectorIndex) throws {
        guard let id = index.id else { return }
        try removeVectors(id)
        try connection.withStatement("UPDATE vx_indexes SET indexed='[]', model=0, pending=0, listed=0, changes=0 WHERE id=?") {
            statement in
            try statement.bind(id, 1)
            try statement.run()
        }
    }
}
