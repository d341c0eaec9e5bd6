import CBLLanguage
import CBLQuery
import CBLStore
import CBLWorkbench

/// A condition in SQL++ that chooses documents: the CONDITION of `--where`.
enum DocumentCondition {
    /// The IDs of the documents for which it is true.
    static func documentIDs(
        _ condition: String, in collection: CollectionName, of snapshot: Snapshot, _ session: Session
    ) throws -> DocumentIDs {
        DocumentIDs(try list(condition, in: collection, of: snapshot, includesDeleted: true, session))
    }

    /// Those of several collections, in each state of each. That a collection has no such property is no slip if another one has documents that
    /// meet the condition.
    static func documentIDs(
        _ condition: String, in collections: [CollectionName], of snapshots: [Snapshot], _ session: Session
    ) throws -> [CollectionName: DocumentIDs] {
        var chosen: [CollectionName: DocumentIDs] = [:]
        var isAny = false
        for name in collections {
            for snapshot in snapshots where snapshot.hasCollection(name) {
                let ids = try list(condition, in: name, of: snapshot, includesDeleted: true, nil)
                chosen[name, default: DocumentIDs([])].add(DocumentIDs(ids))
                isAny = isAny || !ids.isEmpty
            }
        }
        guard !isAny else { return chosen }
        for name in collections {
            let snapshot = snapshots.first { $0.hasCollection(name) }
            if let snapshot { _ = try list(condition, in: name, of: snapshot, includesDeleted: true, session) }
        }
        return chosen
    }

    /// The same in order. Deleted documents are among them if the condition asks for some, and if they may be.
    static func list(
        _ condition: String, in collection: CollectionName, of snapshot: Snapshot, includesDeleted: Bool, _ session: Session?
    ) throws -> [String] {
        let input = QueryInput(condition)
        let query: Query
        do {
            var select = Select()
            select.results = [Select.Result(.meta("id"))]
            select.sources = [Select.Source(.collection(scope: collection.scope, name: collection.name))]
            select.condition = try expression(input.text)
            query = try Query(select, on: snapshot)
        } catch let error as QueryError {
            throw input.commandError(error)
        }
        let options = QueryOptions(cancellation: QueryCancellation(polling: { Interruption.isRequested }))
        let rows = try query.run(on: snapshot, options: options)
        var ids: [String] = []
        while try rows.next() {
            if let id = rows[0].string { ids.append(id) }
        }
        if let session { UnknownProperties(session, snapshot)?.tell(of: query) }
        if !includesDeleted, query.translated.sources.contains(where: \.readsDeleted) {
            ids = try ids.filter { try snapshot.document($0, in: collection)?.isDeleted == false }
        }
        return ids.sorted()
    }

    private static func expression(_ text: String) throws(QueryError) -> QueryExpression {
        let select = try Select(sqlpp: text)
        guard let expression = select.onlyExpression else {
            throw QueryError(.meaning, "one condition is expected here, not a list or a statement", range: select.range)
        }
        return expression
    }
}
