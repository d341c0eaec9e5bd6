import CBLLanguage
import CBLStore
import Synchronization

/// What has to be said once by who uses this library: how the store reads the expressions of vector indexes, so that what is written is taken in
/// at once. Queries and definitions of indexes see to it themselves.
package enum VectorIndexing {
    package static func prepare() { VectorIndexText.prepare() }
}

/// The expression of a vector index, as its definition has it: `=nvector`, `=j[[".vector"]]`, or without a mark as older files have them.
enum VectorIndexText {
    static func expression(of index: VectorIndex) throws(QueryError) -> QueryExpression {
        let (language, text) = split(index.expression)
        return try expression(text, language, index.name)
    }

    static func expression(_ text: String, _ language: IndexDefinition.Language, _ name: String) throws(QueryError) -> QueryExpression {
        let parsed = try IndexText(IndexDefinition(name: name, .value, text, language: language))
        guard parsed.condition == nil else { throw QueryError(.meaning, "a vector index cannot have a condition") }
        guard parsed.expressions.count == 1 else {
            throw QueryError(.meaning, "Vector index doesn't support multiple properties")
        }
        return parsed.expressions[0]
    }

    static func split(_ text: String) -> (IndexDefinition.Language, String) {
        if text.hasPrefix("=n") { return (.sqlpp, String(text.dropFirst(2))) }
        if text.hasPrefix("=j") { return (.json, String(text.dropFirst(2))) }
        return (text.hasPrefix("[") ? .json : .sqlpp, text)
    }

    /// Teaches the store to read such expressions. To be called before anything is written by whoever uses this library.
    static func prepare() { _ = translation }

    private static let translation: Void = {
        VectorExpression.setTranslation { index, snapshot in
            let expression = try VectorIndexText.expression(of: index)
            return try Translator(schema: SnapshotSchema(snapshot))
                .vectorExpression(expression, dimensions: index.options.isLazy ? nil : index.options.dimensions)
        }
    }()
}

extension SnapshotSchema {
    /// What cannot be read is passed over: `check` tells of it.
    func readVectorIndexes(of collection: QueryCollection, _ snapshot: Snapshot) -> [QueryVectorIndex] {
        guard let name = CollectionName(collection), let indexes = try? snapshot.vectorIndexes() else { return [] }
        return indexes.compactMap { index in
            guard index.keyStore == name.keyStore, let expression = try? VectorIndexText.expression(of: index) else { return nil }
            return QueryVectorIndex(
                name: index.name, expression: expression.jsonForm(), metric: index.options.metric,
                table: index.tableName(of: collection.table))
        }
    }
}

extension Query {
    /// Makes the tables known that the SQL of a vector search names. Gives words of warning where a search looks at all vectors.
    @discardableResult
    static func offerVectorTables(_ translated: TranslatedQuery, on snapshot: Snapshot) throws -> [VectorIndex] {
        guard !translated.vectorTables.isEmpty else { return [] }
        VectorIndexText.prepare()
        let indexes = try snapshot.vectorIndexes()
        return try translated.vectorTables.compactMap { table in
            guard let index = indexes.first(where: { $0.name == table.index }) else { return nil }
            try snapshot.offerVectorTable(index, named: table.name)
            return index
        }
    }
}

/// Who hears that a search has to look at all vectors, since its index has not learned from any yet. In the vendor's words.
package enum VectorWarnings {
    private static let listener = Mutex<(@Sendable (String) -> Void)?>(nil)

    package static func setListener(_ hear: @escaping @Sendable (String) -> Void) { listener.withLock { $0 = hear } }

    static func warn(_ index: VectorIndex) {
        guard !index.isTrained, let hear = listener.withLock({ $0 }) else { return }
        let present = index.id == nil ? 0 : index.pending
        hear(
            "SQLite warning: vectorsearch: Untrained index; queries may be slow. \(index.options.neededForTraining) vectors needed for training; "
                + "\(present) present.")
    }
}
