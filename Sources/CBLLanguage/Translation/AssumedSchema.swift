/// Stands for a database that is not there, so that queries can be translated without one: every collection exists, with any full-text index
/// that a query asks for, and no array indexes. Tables are named as in new databases.
package struct AssumedSchema: QuerySchema {
    package var databaseName: String

    package init(databaseName: String = "db") { self.databaseName = databaseName }

    package var collectionNames: [String] { [] }

    package func collection(scope: String, name: String) -> QueryCollection? {
        if scope == "_default", name == "_default" {
            return QueryCollection(
                scope: scope, name: name, table: "kv_default", tableWithDeleted: "all_default", mayHoldDeleted: true)
        }
        if scope == "_default", name == databaseName { return nil }
        guard Resolver.isCollectionName(name), scope == "_default" || Resolver.isCollectionName(scope) else { return nil }
        let path = Resolver.escapingCapitals(scope == "_default" ? name : scope + "." + name)
        return QueryCollection(
            scope: scope, name: name, table: "kv_." + path, tableWithDeleted: "all_." + path, mayHoldDeleted: false)
    }

    package func fullTextTable(index: String, of collection: QueryCollection) -> String? {
        collection.table + "::" + Resolver.escapingCapitals(index)
    }

    package func unnestTable(plainName: String) -> String? { nil }
}
