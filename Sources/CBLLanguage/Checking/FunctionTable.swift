/// What a query has to know of a function to call it.
struct FunctionSpecification {
    let name: String
    let arity: ClosedRange<Int>
    /// Its name in SQL.
    let sqlName: String
    let kind: ResultKind
    var traits: Traits = []

    struct Traits: OptionSet {
        let rawValue: UInt8
        static let aggregate = Traits(rawValue: 1)
        /// The current collation's name is its last argument.
        static let takesCollation = Traits(rawValue: 2)
        /// The vendor has it in the Enterprise Edition only.
        static let enterprise = Traits(rawValue: 4)
    }

    init(_ name: String, _ arity: ClosedRange<Int>, _ kind: ResultKind = .any, sql: String? = nil, _ traits: Traits = []) {
        self.name = name
        self.arity = arity
        self.sqlName = sql ?? name
        self.kind = kind
        self.traits = traits
    }
}

/// How the value of an expression becomes the value of a column.
enum ResultKind {
    /// It has to be encoded: null and booleans look like other values in SQLite.
    case any
    /// A number or text, which is itself.
    case scalar
    /// A truth value, which SQLite has as a number.
    case boolean
}

/// The functions of the language.
enum FunctionTable {
    // SQLite's limit.
    static let maximumArguments = 127

    static let specifications: [FunctionSpecification] = {
        let many = maximumArguments
        return [
            // Arrays
            .init("array_agg", 1...1, .any, .aggregate), .init("array_avg", 1...1, .scalar), .init("array_contains", 2...2, .boolean),
            .init("array_count", 1...1, .scalar), .init("array_ifnull", 1...1), .init("array_length", 1...1, .scalar),
            .init("array_max", 1...1, .scalar), .init("array_min", 1...1, .scalar), .init("array_of", 0...many),
            .init("array_sum", 1...1, .scalar),
            // Comparison: SQLite's functions, which are no aggregates with more than one argument
            .init("greatest", 2...many, sql: "max"), .init("least", 2...many, sql: "min"),
            // What is missing or null
            .init("ifmissing", 2...many, sql: "coalesce"), .init("ifnull", 2...many, sql: "N1QL_ifnull"),
            .init("ifmissingornull", 2...many), .init("missingif", 2...2), .init("nullif", 2...2, sql: "N1QL_nullif"),
            // Dates
            .init("millis_to_str", 1...2, .scalar), .init("millis_to_utc", 1...2, .scalar), .init("millis_to_tz", 2...3, .scalar),
            .init("str_to_millis", 1...1, .scalar), .init("str_to_utc", 1...2, .scalar), .init("str_to_tz", 2...3, .scalar),
            .init("date_diff_str", 3...3, .scalar), .init("date_diff_millis", 3...3, .scalar), .init("date_add_str", 3...4, .scalar),
            .init("date_add_millis", 3...3, .scalar),
            // Numbers
            .init("abs", 1...1, .scalar), .init("acos", 1...1, .scalar), .init("asin", 1...1, .scalar), .init("atan", 1...1, .scalar),
            .init("atan2", 2...2, .scalar), .init("ceil", 1...1, .scalar), .init("cos", 1...1, .scalar), .init("degrees", 1...1, .scalar),
            .init("e", 0...0, .scalar), .init("exp", 1...1, .scalar), .init("floor", 1...1, .scalar), .init("ln", 1...1, .scalar),
            .init("log", 1...1, .scalar), .init("pi", 0...0, .scalar), .init("power", 2...2, .scalar), .init("radians", 1...1, .scalar),
            .init("round", 1...2, .scalar), .init("round_even", 1...2, .scalar), .init("sign", 1...1, .scalar),
            .init("sin", 1...1, .scalar), .init("sqrt", 1...1, .scalar), .init("tan", 1...1, .scalar), .init("trunc", 1...2, .scalar),
            .init("div", 2...2, .scalar), .init("idiv", 2...2, .scalar),
            // Patterns
            .init("regexp_contains", 2...2, .boolean), .init("regexp_like", 2...2, .boolean), .init("regexp_position", 2...2, .scalar),
            .init("regexp_replace", 3...4), .init("fl_like", 2...2, .boolean, .takesCollation),
            // Strings
            .init("concat", 2...many, .scalar), .init("contains", 2...2, .boolean, .takesCollation),
            .init("length", 1...1, .scalar, sql: "N1QL_length"), .init("lower", 1...1, .scalar, sql: "N1QL_lower"),
            .init("upper", 1...1, .scalar, sql: "N1QL_upper"), .init("ltrim", 1...2, .scalar, sql: "N1QL_ltrim"),
            .init("rtrim", 1...2, .scalar, sql: "N1QL_rtrim"), .init("trim", 1...2, .scalar, sql: "N1QL_trim"),
            // Types
            .init("isarray", 1...1, .boolean), .init("is_array", 1...1, .boolean, sql: "isarray"), .init("isatom", 1...1, .boolean),
            .init("is_atom", 1...1, .boolean, sql: "isatom"), .init("isboolean", 1...1, .boolean),
            .init("is_boolean", 1...1, .boolean, sql: "isboolean"), .init("isnumber", 1...1, .boolean),
            .init("is_number", 1...1, .boolean, sql: "isnumber"), .init("isobject", 1...1, .boolean),
            .init("is_object", 1...1, .boolean, sql: "isobject"), .init("isstring", 1...1, .boolean),
            .init("is_string", 1...1, .boolean, sql: "isstring"), .init("type", 1...1, .scalar),
            .init("typename", 1...1, .scalar, sql: "type"), .init("toarray", 1...1), .init("to_array", 1...1, sql: "toarray"),
            .init("toatom", 1...1), .init("to_atom", 1...1, sql: "toatom"), .init("toboolean", 1...1, .boolean),
            .init("to_boolean", 1...1, .boolean, sql: "toboolean"), .init("tonumber", 1...1, .scalar),
            .init("to_number", 1...1, .scalar, sql: "tonumber"), .init("toobject", 1...1), .init("to_object", 1...1, sql: "toobject"),
            .init("tostring", 1...1, .scalar), .init("to_string", 1...1, .scalar, sql: "tostring"),
            .init("is valued", 1...1, .boolean, sql: "isvalued"),
            // Aggregates
            .init("avg", 1...1, .scalar, .aggregate), .init("count", 0...1, .scalar, .aggregate), .init("max", 1...1, .any, .aggregate),
            .init("min", 1...1, .any, .aggregate), .init("sum", 1...1, .scalar, .aggregate),
            // Models and vectors
            .init("prediction", 2...3),
            .init("euclidean_distance", 2...3, .scalar, .enterprise), .init("cosine_distance", 2...2, .scalar, .enterprise),
        ]
    }()

    /// The function of a name in lower case.
    static func specification(_ name: String) -> FunctionSpecification? { specifications.first { $0.name == name } }
}
