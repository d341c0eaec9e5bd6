import CBLLanguage
import CBLQuery
import CBLStore

/// A condition in SQL++ that chooses documents: the CONDITION of `export --where`.
enum DocumentCondition {
    /// The IDs of the documents for which it is true.
    static func documentIDs(_ condition: String, in collection: CollectionName, of snapshot: Snapshot, _ session: Session) throws -> Set<
        String
    > {
        let source = collection.isDefault ? "_" : QueryContext.collectionPath(collection.description)
        let input = QueryInput("SELECT META().id FROM \(source) WHERE " + condition)
        let query: Query
        do { query = try Query(input.text, on: snapshot) } catch let error as QueryError { throw input.commandError(error) }
        let options = QueryOptions(cancellation: QueryCancellation(polling: { Interruption.isRequested }))
        let rows = try query.run(on: snapshot, options: options)
        var ids: Set<String> = []
        while try rows.next() {
            if let id = rows[0].string { ids.insert(id) }
        }
        UnknownProperties(session, snapshot)?.tell(of: query)
        return ids
    }
}
