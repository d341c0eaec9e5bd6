/// An index, described in SQL++.
public protocol IndexConfiguration {}

/// An index over values: what is equal to something, or in a range, is found by it.
///
///     try hotels.createIndex(withName: "byCity", config: ValueIndexConfiguration(["city", "name"], where: "type = 'hotel'"))
public struct ValueIndexConfiguration: IndexConfiguration, Sendable {
    /// The columns, in SQL++.
    public let expressions: [String]
    /// Only documents that meet it are in the index, and only queries that say the same use it.
    public let `where`: String?

    /// The expressions are SQL++, in the order in which queries narrow down. They are checked when the index is made.
    public init(_ expressions: [String], where: String? = nil) {
        self.expressions = expressions
        self.where = `where`
    }
}

/// An index over the words of texts, for `MATCH()`.
public struct FullTextIndexConfiguration: IndexConfiguration, Sendable {
    /// What gives the texts, in SQL++.
    public let expressions: [String]
    /// Only documents that meet it are in the index.
    public let `where`: String?
    /// Whether `cafe` finds `café`.
    public let ignoreAccents: Bool
    /// Whose words are reduced to their stems, as a code such as `en`. Nil is the language of the process; an empty text is none.
    public let language: String?

    /// The expressions are SQL++. Nil for `ignoreAccents` is the default, which is false.
    public init(
        _ expressions: [String], where: String? = nil, ignoreAccents: Bool? = FullTextIndexConfiguration.defaultIgnoreAccents,
        language: String? = nil
    ) {
        self.expressions = expressions
        self.where = `where`
        self.ignoreAccents = ignoreAccents ?? FullTextIndexConfiguration.defaultIgnoreAccents
        self.language = language
    }

    /// False: `cafe` does not find `café`.
    public static let defaultIgnoreAccents: Bool = false
}

/// An index over the items of an array, for `UNNEST`.
public struct ArrayIndexConfiguration: IndexConfiguration, Sendable {
    /// The array, or an array in the items of another: `contacts[].phones`.
    public let path: String
    /// What of each item is in the index; nil for the items themselves.
    public let expressions: [String]?

    /// Expressions are relative to an item. An empty list, or an empty expression, ends the program: give nil for the items themselves.
    public init(path: String, expressions: [String]? = nil) {
        if let expressions {
            programmerErrorUnless(
                !expressions.isEmpty && !expressions.contains(where: \.isEmpty), .invalidArgument,
                "The expressions of an array index cannot be empty. Without any, give nil: then the items themselves are in it.")
        }
        self.path = path
        self.expressions = expressions
    }
}
