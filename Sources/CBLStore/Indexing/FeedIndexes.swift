extension Database {
    /// Makes the indexes by sequence that a change feed is quick with, as the vendor's library does when one is first needed. Of many collections at once:
    /// who changes the schema reads all of it anew.
    /// A database that is read only is left as it is, and sorts.
    package func prepareChangeFeed(of collections: [CollectionName]) throws {
        try prepareIndexes(of: collections, "_seqs", Schema.sequenceIndex)
    }

    package func prepareChangeFeed(of collection: CollectionName) throws { try prepareChangeFeed(of: [collection]) }

    /// Makes the indexes that conflicted documents are found with, likewise.
    package func prepareConflictSearch(of collections: [CollectionName]) throws {
        try prepareIndexes(of: collections, "_conflicts", Schema.conflictIndex)
    }

    private func prepareIndexes(of collections: [CollectionName], _ suffix: String, _ sql: (_ table: String) -> String) throws {
        guard !isReadOnly, !collections.isEmpty else { return }
        let areMissing = try read { snapshot in
            try collections.contains { try snapshot.tables($0).all.contains { !snapshot.catalog.indexNames.contains($0.name + suffix) } }
        }
        guard areMissing else { return }
        try write { transaction in
            for collection in collections {
                for table in try transaction.tables(collection).all { try transaction.connection.execute(sql(table.name)) }
            }
            try transaction.file.reloadSchema()
        }
    }
}
