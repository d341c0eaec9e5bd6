/// An expression whose names are resolved: what is left is to write it down.
indirect enum Term {
    /// SQL that stands for itself, never in parentheses: a literal.
    case literal(String)
    case parameter(String)
    /// The current item of a quantifier.
    case variable(String)
    /// The current item as something to look into.
    case variableBody(String)
    case property(Property, Accessor)
    /// The value of another column, by the name it has in SQL.
    case output(String)
    case meta(MetaKey, RowReference)
    case metaObject(RowReference)
    /// That the document is no tombstone.
    case isLive(RowReference)
    case call(String, [Term], ResultKind)
    case countRows
    case infix(String, rank: Int, [Term], ResultKind)
    /// `-` or `NOT`
    case prefix(String, Term, ResultKind)
    case membership(Term, isNegated: Bool, [Term])
    /// With a collation other than the binary one.
    case like(Term, Term, collation: String?)
    case between(Term, Term, Term)
    case conditional(test: Term?, branches: [(when: Term, then: Term)], otherwise: Term?)
    case collate(Term, String)
    case contains(Term, Term)
    case quantified(Quantifier, variable: String, collection: Term, predicate: Term)
    case subselect(ResolvedSelect)
    case exists(ResolvedSelect)
    case match(FullTextReference, Term)
    case rank(FullTextReference)
    /// What a search of a vector index says of the document.
    case vectorDistance(alias: String)

    /// What follows MISSING in SQL.
    static var missing: Term { .literal("NULL") }
    static var null: Term { .literal("fl_null()") }

    /// A property of a row.
    struct Property {
        var row: RowReference
        /// As the functions of SQL get it; empty for the row itself.
        var path: String
    }

    /// `stored` is the value out of the document, also where an index has it.
    enum Accessor { case value, stored, exists, count, blob }

    /// How the value becomes a column.
    var kind: ResultKind {
        switch self {
        case .call(_, _, let kind), .infix(_, _, _, let kind), .prefix(_, _, let kind): kind
        case .meta(let key, _): key == .deleted ? .boolean : .scalar
        case .countRows, .rank, .vectorDistance: .scalar
        case .membership, .like, .between, .contains, .quantified, .exists, .match: .boolean
        case .collate(let term, _): term.kind
        default: .any
        }
    }
}

/// A row that expressions refer to: where its columns are. Shared by all expressions about it, as the whole query decides what it is.
final class RowReference {
    enum Shape {
        /// A document.
        case document
        /// A row of `fl_each`.
        case each
        /// A row of the table of an array index.
        case arrayTable
    }

    var shape: Shape
    /// What stands before the names of its columns: `alias.`, `new.`, or nothing.
    let prefix: String
    /// In a statement with GROUP BY, SQLite reads columns of `fl_each` again when only the encoded item is still there.
    let isGrouped: Bool

    init(_ shape: Shape, prefix: String, isGrouped: Bool = false) {
        self.shape = shape
        self.prefix = prefix
        self.isGrouped = isGrouped
    }
}

struct FullTextReference {
    var alias: String
    var table: String
}
