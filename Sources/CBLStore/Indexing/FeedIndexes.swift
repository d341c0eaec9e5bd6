extension Database {
    /// Makes the indexes by sequence that a change feed is quick with, as the vendor's library does when one is first needed.
    /// A database that is read only is left as it is, and sorts.
    package func prepareChangeFeed(of collection: CollectionName) throws {
        try prepareIndexes(of: collection, "_seqs", Schema.sequenceIndex)
    }

    /// Makes the indexes that conflicted documents are found with, likewise.
    package func prepareConflictSearch(of collection: CollectionName) throws {
        try prepareIndexes(of: collection, "_conflicts", Schema.conflictIndex)
    }

    private func prepareIndexes(of collection: CollectionName, _ suffix: String, _ sql: (_ table: String) -> String) throws {
        guard !isReadOnly else { return }
        let isMissing = try read { snapshot in
            try snapshot.tables(collection).all.contains { !snapshot.catalog.indexNames.contains($0.name + suffix) }
        }
        guard isMissing else { return }
        try write { transaction in
            for table in try transaction.tables(collection).all { try transaction.connection.execute(sql(table.name)) }
            try transaction.file.reloadSchema()
        }
    }
}
