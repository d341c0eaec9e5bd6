/// The names that the expressions of one SELECT can refer to.
struct Scope {
    /// An item of FROM.
    struct Source {
        var alias: String
        /// Without an alias, `scope.name` and the name alone stand for the source, too.
        var hasExplicitAlias: Bool
        /// Names as they were written, but `_` and the default scope as `_default`; nil for an UNNEST.
        var path: (scope: String, name: String)?
        var collection: QueryCollection?
        /// What its rows are called as a column.
        var title: String
        var row: RowReference
        var readsDeleted = false
        /// What an UNNEST takes apart.
        var items: TranslatedQuery.Property?
    }

    /// A result with an alias.
    struct Output {
        var alias: String
        /// Its name in SQL.
        var name: String
        var isAggregate = false
    }

    /// A full-text index that a MATCH uses.
    struct FullTextIndex {
        var source: Int
        var name: String
        var reference: FullTextReference
    }

    /// A search of a vector index.
    struct VectorSearch {
        var source: Int
        var table: String
        var index: String
        /// The target in JSON, to see whether two calls mean the same search.
        var target: String
        var probes: Int?
        var targetTerm: Term
        var alias: String
        var range: SourceRange

        func isSame(as other: VectorSearch) -> Bool {
            source == other.source && table == other.table && target == other.target && probes == other.probes
        }
    }

    /// A table that a predictive index is kept in, which is joined with a source.
    struct Prediction {
        var source: Int
        var table: String
        var alias: String
    }

    /// What the start of a path names.
    enum Target {
        case source(Int)
        case output(Int)
        /// The table whose index is defined.
        case row
    }

    var sources: [Source] = []
    var outputs: [Output] = []
    var fullTextIndexes: [FullTextIndex] = []
    var vectorSearches: [VectorSearch] = []
    /// Whether nothing but the distance decides which documents are wanted.
    var searchesNearest = true
    var predictions: [Prediction] = []
    var isGrouped = false
    var isAggregate = false
    /// Which output's own expression is being resolved: its alias does not count there.
    var currentOutput: Int?
    /// Where there are no sources: the definition of an index.
    var row: RowReference?

    /// A name for another table of an index.
    var freeIndexAlias: String {
        let names =
            sources.map(\.alias) + outputs.map(\.alias) + fullTextIndexes.map(\.reference.alias) + predictions.map(\.alias)
            + vectorSearches.map(\.alias)
        let taken = Set(names.map(\.asciiLowercased))
        var number = fullTextIndexes.count + predictions.count + vectorSearches.count + 1
        while taken.contains("<idx\(number)>") { number += 1 }
        return "<idx\(number)>"
    }

    /// Takes the name of a source or an output off the start of a path, if there is one. Without one, the only source is meant; with more
    /// than one, nil is the answer.
    func target(of components: inout ArraySlice<PropertyPath.Component>, isIndexName: Bool = false) -> Target? {
        if row != nil { return .row }
        if let target = aliasTarget(of: &components, isIndexName: isIndexName) { return target }
        guard sources.count > 1 else { return sources.isEmpty ? nil : .source(0) }
        // An index belongs to a collection, which may be joined with itself.
        guard isIndexName, let first = sources[0].path else { return nil }
        let isSelfJoin = sources.allSatisfy { source in source.path.map { $0 == first } ?? false }
        return isSelfJoin ? .source(0) : nil
    }

    private func aliasTarget(of components: inout ArraySlice<PropertyPath.Component>, isIndexName: Bool) -> Target? {
        guard case .name(let name)? = components.first else { return nil }
        let first = name.asciiLowercased
        if let index = sources.firstIndex(where: { $0.alias.asciiLowercased == first }) {
            components.removeFirst()
            return .source(index)
        }
        if !isIndexName,
            let index = outputs.indices.first(where: { $0 != currentOutput && outputs[$0].alias.asciiLowercased == first })
        {
            components.removeFirst()
            return .output(index)
        }
        if case .name(let second)? = components.dropFirst().first {
            let name = second.asciiLowercased
            let index = sources.firstIndex { source in
                guard !source.hasExplicitAlias, let path = source.path else { return false }
                return path.scope.asciiLowercased == first && path.name.asciiLowercased == name
            }
            if let index {
                components.removeFirst(2)
                return .source(index)
            }
        }
        let namesakes = sources.indices.filter { !sources[$0].hasExplicitAlias && sources[$0].path?.name.asciiLowercased == first }
        guard namesakes.count == 1 else { return nil }
        components.removeFirst()
        return .source(namesakes[0])
    }
}
