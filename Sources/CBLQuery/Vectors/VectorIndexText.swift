import CBLLanguage
import CBLStore

/// How the store reads the expressions of vector indexes.
package enum VectorIndexing {
    /// To be said by who uses this library, so that what is written is taken in at once. Queries and definitions of indexes see to it themselves.
    package static func prepare() { _ = translation }

    private static let translation: Void = {
        VectorExpression.setTranslation { index, snapshot in
            try Translator(schema: SnapshotSchema(snapshot))
                .vectorExpression(expression(of: index), dimensions: index.options.isLazy ? nil : index.options.dimensions)
        }
    }()

    static func expression(of index: VectorIndex) throws(QueryError) -> QueryExpression {
        let (language, text) = IndexSpecification.Source.parts(of: index.expression)
        return try IndexText(IndexDefinition(name: index.name, .vector(index.options), text, language: language)).vector
    }
}

extension SnapshotSchema {
    /// What cannot be read is passed over: `check` tells of it.
    func readVectorIndexes(of collection: QueryCollection, _ snapshot: Snapshot) -> [QueryVectorIndex] {
        guard let name = CollectionName(collection), let indexes = try? snapshot.vectorIndexes() else { return [] }
        return indexes.compactMap { index in
            guard index.keyStore == name.keyStore, let expression = try? VectorIndexing.expression(of: index) else { return nil }
            return QueryVectorIndex(
                name: index.name, expression: expression.jsonForm(), metric: index.options.metric,
                table: index.tableName(of: collection.table))
        }
    }
}

extension Query {
    /// Makes the tables known that the SQL of a vector search names. Gives the indexes that they are of.
    @discardableResult
    static func offerVectorTables(_ translated: TranslatedQuery, on snapshot: Snapshot) throws -> [VectorIndex] {
        guard !translated.vectorTables.isEmpty else { return [] }
        VectorIndexing.prepare()
        let indexes = try snapshot.vectorIndexes()
        return try translated.vectorTables.compactMap { table in
            guard let index = indexes.first(where: { $0.name == table.index }) else { return nil }
            try snapshot.offerVectorTable(index, named: table.name)
            return index
        }
    }
}
