/// A SELECT whose names are resolved.
struct ResolvedSelect {
    struct Column {
        var term: Term
        /// The name in SQL, if it has an alias.
        var name: String?
    }

    struct Source {
        enum Origin {
            case collection(QueryCollection)
            /// The collection of values to go through, and the table that has them already.
            case unnest(Term)
            case arrayTable(String, parent: String)
        }

        var origin: Origin
        var alias: String
        /// `INNER`, `LEFT OUTER` …; nil for the first one.
        var join: String?
        var on: Term?
        var readsDeleted = false
    }

    struct FullTextJoin {
        var reference: FullTextReference
        /// The alias of the collection's source.
        var source: String
    }

    struct VectorJoin {
        var alias: String
        var table: String
        /// The alias of the collection's source.
        var source: String
        var target: Term
        var probes: Int?
        /// How many of the nearest are wanted; nil if all that the rest of the query leaves are measured.
        var limit: Term?
    }

    /// With the table of a predictive index.
    struct PredictionJoin {
        var table: String
        var alias: String
        var source: String
    }

    var isDistinct = false
    var columns: [Column] = []
    var titles: [String] = []
    var sources: [Source] = []
    var fullTextJoins: [FullTextJoin] = []
    var vectorJoins: [VectorJoin] = []
    var predictionJoins: [PredictionJoin] = []
    var condition: Term?
    var groupBy: [Term] = []
    var having: Term?
    var orderBy: [(term: Term, isDescending: Bool)] = []
    var limit: Term?
    var offset: Term?
    var isAggregate = false
}
