import CBLBase
import CBLFleece
import CBLLanguage
import CBLSQLite
import CBLStore

/// Runs the statements that write: `INSERT`, `UPSERT`, `UPDATE`, `DELETE`, and those that make and drop collections and indexes.
///
///     try database.write { transaction in
///         let statement = try Statement(sqlpp: "UPDATE hotels SET stars = stars + 1 WHERE city = 'Berlin'")
///         let outcome = try StatementRunner(transaction).run(statement)
///     }
///
/// Every document is saved as any other change would save it, with a revision. If something is wrong, an error is thrown, and the transaction
/// must not be committed; for a trial, roll it back in any case.
package struct StatementRunner {
    let transaction: Transaction
    let parameters: QueryParameters
    let options: QueryOptions
    let onChange: ((DocumentChange) throws -> Void)?

    /// `onChange` is told of each document when it has been written.
    package init(
        _ transaction: Transaction, parameters: QueryParameters = .none, options: QueryOptions = QueryOptions(),
        onChange: ((DocumentChange) throws -> Void)? = nil
    ) {
        self.transaction = transaction
        self.parameters = parameters
        self.options = options
        self.onChange = onChange
    }

    package func run(_ statement: CBLLanguage.Statement) throws -> StatementOutcome {
        switch statement {
        case .select: throw QueryFailure.refused("a SELECT changes nothing; run it as a query")
        case .insert(let insert): return try run(insert)
        case .update(let update): return try run(update)
        case .delete(let delete): return try run(delete)
        case .createIndex(let index): return try run(index)
        case .dropIndex(let name, let collection, let ifExists): return try dropIndex(name, of: collection, ifExists: ifExists)
        case .createCollection(let path, let ifNotExists): return try createCollection(path, ifNotExists: ifNotExists)
        case .dropCollection(let path, let ifExists): return try dropCollection(path, ifExists: ifExists)
        }
    }

    /// The collection that a statement names, as a query would find it.
    func existingCollection(_ path: CBLLanguage.Statement.CollectionPath) throws -> CollectionName {
        let name = try collectionName(path)
        if transaction.hasCollection(name) { return name }
        let schema = SnapshotSchema(transaction)
        if path.scope == nil, path.name == schema.databaseName { return .default }
        let written = StatementRunner.text(path)
        let hint = Suggestion.sentence(for: written, in: schema.collectionNames, quoted: true)
        throw QueryError(.meaning, "no such collection \"\(written)\".\(hint)", range: path.range)
    }

    private func collectionName(_ path: CBLLanguage.Statement.CollectionPath) throws -> CollectionName {
        if path.scope == nil, path.name == "_" { return .default }
        do {
            return try CollectionName(scope: path.scope ?? CollectionName.defaultName, name: path.name)
        } catch {
            throw QueryError(.meaning, error.message, range: path.range)
        }
    }

    static func text(_ path: CBLLanguage.Statement.CollectionPath) -> String { path.scope.map { "\($0).\(path.name)" } ?? path.name }

    private func createCollection(_ path: CBLLanguage.Statement.CollectionPath, ifNotExists: Bool) throws -> StatementOutcome {
        let name = try collectionName(path)
        if try transaction.createCollection(name) { return .collectionCreated(name) }
        guard ifNotExists else { throw StoreError(.exists, "there is a collection \"\(name)\" already") }
        return .collectionExists(name)
    }

    private func dropCollection(_ path: CBLLanguage.Statement.CollectionPath, ifExists: Bool) throws -> StatementOutcome {
        let name = try collectionName(path)
        if ifExists, !transaction.hasCollection(name) { return .nothingToDrop(StatementRunner.text(path)) }
        let existing = try existingCollection(path)
        try transaction.deleteCollection(existing)
        return .collectionDropped(existing)
    }

    private func dropIndex(
        _ name: String, of path: CBLLanguage.Statement.CollectionPath?, ifExists: Bool
    ) throws -> StatementOutcome {
        let collection = try path.map(existingCollection)
        let indexes = try transaction.indexes().filter { collection == nil || $0.collection == collection }
        guard indexes.contains(where: { $0.name == name }) else {
            if ifExists { return .nothingToDrop(name) }
            let place = collection.map { " on collection \"\($0)\"" } ?? ""
            let hint = Suggestion.sentence(for: name, in: indexes.map(\.name), quoted: true)
            throw StoreError(.notFound, "no index \"\(name)\"\(place).\(hint)")
        }
        try transaction.dropIndex(name)
        return .indexDropped(name)
    }
}
