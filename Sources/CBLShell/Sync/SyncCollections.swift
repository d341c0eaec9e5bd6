import CBLStore

extension DatabaseSync {
    /// The collections that --collection names, separated by commas, all of them, or the current one.
    func collectionNames(of database: Database, _ direction: Direction) throws -> [CollectionName] {
        let named = session.options.collection
        if named == "*" || invocation.flag("all-collections") {
            if let named, named != "*" { throw invocation.usageError("--collection \(named) and --all-collections contradict each other") }
            let names = try database.read { $0.collections() }
            if direction != .push, try database.read({ snapshot in try names.allSatisfy { try snapshot.lastSequence(of: $0) == 0 } }),
                names.count == 1
            {
                session.notice(
                    "All collections are those that this database has: the default one. Servers do not list theirs; --collection A,B names some."
                )
            }
            return names
        }
        if let named { return try ArchiveTransfer.collections([named], invocation) ?? [] }
        if session.currentCollection.isDefault { try noticeOthers(in: database) }
        return [session.currentCollection]
    }

    /// Nobody should believe that all was replicated if it was not.
    private func noticeOthers(in database: Database) throws {
        let others = try database.read { snapshot in
            try snapshot.collections().filter { try !$0.isDefault && snapshot.lastSequence(of: $0) > 0 }
        }
        guard let first = others.first else { return }
        let names = others.count == 1 ? "\"\(first)\"" : "\(others.count) others, such as \"\(first)\""
        session.notice("Only the default collection is replicated, not \(names): --collection '*' takes all, --collection A,B some.")
    }
}
