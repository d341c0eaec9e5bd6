import CBLSQLite
import CBLSystemSQLite
import CBLVectors

extension Transaction {
    /// Brings the vector indexes of changed collections up to date: before a commit. One whose vectors cannot be had now, or for which too few
    /// documents have come to be worth it, stays behind, and queries look at what it lacks.
    func updateVectorIndexes() throws {
        guard catalog.hasVectorTables, VectorExpression.isKnown else { return }
        for index in try ownVectorIndexes() where !index.options.isLazy && catalog.stores[index.keyStore] != nil {
            guard try index.isWorthUpdating(metadata(index.keyStore).lastSequence) else { continue }
            try connection.execute("SAVEPOINT cblite_vectors")
            do {
                let indexer = try VectorIndexer(index, self)
                try indexer.catchUp()
                try connection.execute("RELEASE cblite_vectors")
            } catch  where VectorIndexer.canWait(error) && connection.isInTransaction {
                try connection.execute(script: "ROLLBACK TO cblite_vectors; RELEASE cblite_vectors")
            }
        }
    }

    /// Makes an index in our tables and fills it.
    func createVectorIndex(_ name: String, keyStore: String, _ expression: String, _ options: VectorOptions) throws {
        if !catalog.hasVectorTables {
            try VectorTables.make(on: connection)
            try file.reloadSchema()
        }
        guard catalog.hasVectorTables else { throw StoreError(.foreignSchema, "a table of the file has a name that vector indexes need") }
        let sql =
            "INSERT INTO vx_indexes (name, keyStore, expression, options, indexed, model, pending, listed, changes) "
            + "VALUES (?1, ?2, ?3, ?4, '[]', 0, 0, 0, 0)"
        try connection.withStatement(sql) { statement in
            try statement.bind(name, 1)
            try statement.bind(keyStore, 2)
            try statement.bind(expression, 3)
            try statement.bind(options.text, 4)
            try statement.run()
        }
        guard let index = try ownVectorIndexes().first(where: { $0.name == name }) else {
            throw StoreError(.unsupported, "there are too many vector indexes")
        }
        if let id = index.id { try removeVectors(id) }
        if (1..<options.neededForTraining).contains(options.minimumTraining), let hear = VectorWarnings.current {
            hear(.tooFewToLearnFrom(options))
        }
        let indexer = try VectorIndexer(index, self)
        try indexer.catchUp()
    }

    /// Makes an index anew from the documents: what has learned from the first of them need not fit the rest.
    package func rebuildVectorIndex(_ name: String) throws {
        guard let index = try ownVectorIndexes().first(where: { $0.name == name }) else {
            throw StoreError(.notFound, "there is no vector index \"\(name)\"")
        }
        let indexer = try VectorIndexer(index, self)
        try indexer.rebuild()
    }

    /// Takes an index out of our tables; false if it is not there.
    @discardableResult
    func dropOwnVectorIndex(_ name: String) throws -> Bool {
        guard catalog.hasVectorTables else { return false }
        let id = try connection.withStatement("SELECT id FROM vx_indexes WHERE name=?") { row in
            try row.bind(name, 1)
            return try row.step() ? row.int64(0) : nil
        }
        guard let id else { return false }
        try dropOwnVectorIndex(id)
        return true
    }

    func dropOwnVectorIndex(_ id: Int64) throws {
        if VectorTables.indexNumbers.contains(id) { try removeVectors(id) }
        try connection.withStatement("DELETE FROM vx_indexes WHERE id=?") { statement in
            try statement.bind(id, 1)
            try statement.run()
        }
        if try connection.integer("SELECT 1 FROM vx_indexes LIMIT 1") == nil {
            // Nothing is left for others to wonder about.
            try VectorTables.drop(on: connection)
            try file.reloadSchema()
        }
    }

    /// All vectors of an index, or only those in lists, and what it has learned.
    func removeVectors(_ id: Int64, waiting: Bool = true) throws {
        let places = VectorTables.places(index: id)
        try connection.withStatement("DELETE FROM vx_lists WHERE place BETWEEN ?1 AND ?2") { statement in
            try statement.bind(places.lowerBound, 1)
            try statement.bind(places.upperBound, 2)
            try statement.run()
        }
        for table in waiting ? ["vx_pending", "vx_models"] : ["vx_models"] {
            try connection.withStatement("DELETE FROM \(table) WHERE id=?") { statement in
                try statement.bind(id, 1)
                try statement.run()
            }
        }
    }

    /// All vectors of an index, which then waits for those of all documents.
    package func emptyVectorIndex(_ index: VectorIndex) throws {
        guard let id = index.id else { return }
        try removeVectors(id)
        try connection.withStatement("UPDATE vx_indexes SET indexed='[]', model=0, pending=0, listed=0, changes=0 WHERE id=?") {
            statement in
            try statement.bind(id, 1)
            try statement.run()
        }
    }

    /// Gives documents of a lazy index their vectors; see `VectorIndexer.set`.
    package func setVectors(_ vectors: [(id: VectorID, bytes: [UInt8]?)], of name: String, indexed: SequenceRanges) throws {
        guard let index = try ownVectorIndexes().first(where: { $0.name == name }), index.options.isLazy else {
            throw StoreError(.notFound, "there is no lazy vector index \"\(name)\"")
        }
        let indexer = try VectorIndexer(index, self)
        try indexer.set(vectors, indexed: indexed)
    }
}

extension Snapshot {
    func hasVectorLists(_ id: Int64) throws -> Bool {
        let places = VectorTables.places(index: id)
        return try connection.withStatement("SELECT 1 FROM vx_lists WHERE place BETWEEN ?1 AND ?2 LIMIT 1") { row in
            try row.bind(places.lowerBound, 1)
            try row.bind(places.upperBound, 2)
            return try row.step()
        }
    }

    /// How many documents a lazy index has not seen: those among them without a value, too.
    package func countUnseen(by index: VectorIndex) throws -> Int {
        let reader = try VectorReader(index, self)
        return try connection.withStatement(reader.sequences) { row in
            try row.bind(Int64(bitPattern: index.indexed.end), 1)
            var count = 0
            while try row.step() { if !index.indexed.contains(UInt64(bitPattern: row.int64(0))) { count += 1 } }
            return count
        }
    }

    /// The vectors that wait for a model, with the right number of bytes each.
    func forEachWaitingVector(_ index: VectorIndex, _ body: (VectorID, UnsafeRawBufferPointer) throws -> Void) throws {
        guard let id = index.id else { return }
        try connection.withStatement("SELECT sequence, hash, vector FROM vx_pending WHERE id=?") { row in
            try row.bind(id, 1)
            while try row.step() {
                guard let vector = row.blob(2), vector.count == index.options.rawSize else { continue }
                try body(VectorID(sequence: UInt64(bitPattern: row.int64(0)), check: UInt32(truncatingIfNeeded: row.int64(1))), vector)
            }
        }
    }

    /// All blocks in a range of places, with the list that each is of. Entries of the list of fresh ones are told apart by the model.
    func forEachVectorBlock(
        _ index: VectorIndex, _ model: VectorModel, in places: ClosedRange<Int64>, _ body: (VectorBlock, _ list: Int) throws -> Void
    ) throws {
        try connection.withStatement("SELECT place, entries FROM vx_lists WHERE place BETWEEN ?1 AND ?2 ORDER BY place") { row in
            try row.bind(places.lowerBound, 1)
            try row.bind(places.upperBound, 2)
            while try row.step() {
                let list = VectorTables.list(ofPlace: row.int64(0))
                guard let bytes = row.blob(1), let block = VectorBlock(bytes, codeSize: model.codeSize(ofList: list)) else {
                    throw damage(index, "a block of a list cannot be read")
                }
                try body(block, list)
            }
        }
    }
}
