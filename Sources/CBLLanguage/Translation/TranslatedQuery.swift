/// A query as SQLite gets it, and what its rows mean.
package struct TranslatedQuery: Sendable {
    package var sql: String
    /// What is run instead, with the same rows, where that is not what is shown: the vendor's library has columns before the query's own, with the row's
    /// number and the places of full-text matches, for which SQLite has to read each text.
    package var runningSQL: String?
    /// The titles of the columns, all different.
    package var titles: [String]
    /// The parameters' names, without `$`. In the SQL they are `$_name`.
    package var parameters: [String]
    package var sources: [Source]
    package var isAggregate: Bool
    /// Whether it calls `PREDICTION()`, or reads what a predictive index keeps of it.
    package internal(set) var usesModels = false
    /// The properties of documents that it speaks of.
    package var properties: [Property]
    /// The vector indexes that it searches.
    package var vectorTables: [VectorTable] = []

    /// What it computes, where that takes nothing but the bytes of each row.
    package internal(set) var rowProgram: RowProgram?

    /// Where it takes nothing but the bytes of those rows that a full-text index finds.
    package internal(set) var textSearch: TextSearch?

    /// A query of documents that one full-text index finds.
    package struct TextSearch: Sendable {
        /// Gives the numbers of the rows.
        package var sql: String
        /// What is computed from each of them.
        package var program: RowProgram
    }

    package struct VectorTable: Sendable, Hashable {
        /// What the SQL calls it.
        package var name: String
        package var index: String
        /// Whether the nearest are looked for in the index, or documents are measured that something else has chosen.
        package var isNearest: Bool
        package var probes: Int?
    }

    /// The path of a property. Which item of an array is meant does not matter: `a[0].b`, or `b` of what is unnested from `a`, is `a[].b`.
    package struct Property: Sendable, Equatable {
        package enum Step: Sendable, Equatable { case name(String), item }

        package var collection: QueryCollection
        package var steps: [Step] = []

        func appending(_ path: some Sequence<PropertyPath.Component>) -> Property {
            var whole = self
            for component in path {
                if case .name(let name) = component { whole.steps.append(.name(name)) } else { whole.steps.append(.item) }
            }
            return whole
        }

        var items: Property { Property(collection: collection, steps: steps + [.item]) }
    }

    package struct Source: Sendable, Hashable {
        package var alias: String
        package var collection: QueryCollection
        package var readsDeleted: Bool

        package init(alias: String, collection: QueryCollection, readsDeleted: Bool) {
            self.alias = alias
            self.collection = collection
            self.readsDeleted = readsDeleted
        }
    }

    package init(
        sql: String, titles: [String], parameters: [String] = [], sources: [Source] = [], isAggregate: Bool = false,
        properties: [Property] = []
    ) {
        self.sql = sql
        self.titles = titles
        self.parameters = parameters
        self.sources = sources
        self.isAggregate = isAggregate
        self.properties = properties
    }
}
