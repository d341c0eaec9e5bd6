/// The words of the grammar. Case does not count.
enum Keyword: String, CaseIterable {
    // Of queries. `all`, `exists` and `some` are names as well wherever a name may stand.
    case all, and, any, `as`, asc, between, by, `case`, collate, cross, desc, distinct, `else`, end, every, exists, `false`, from, group
    case having, `in`, inner, `is`, join, left, like, limit, missing, natural, not, null, offset, on, or, order, outer, right, satisfies
    case select, some, then, `true`, unnest, using, valued, when, `where`
    // Of the other statements. None of these is reserved.
    case array, collection, create, delete, drop, fulltext, `if`, index, insert, into, key, primary, set, unset, update, upsert, value,
        values,
        with

    fileprivate static let queryWords = allCases.prefix { $0 != .array }

    /// The words that cannot be names unless they stand in backquotes.
    static let reserved: Set<String> = Set(
        queryWords.filter { ![.all, .exists, .some].contains($0) }.map(\.rawValue))

    var spelling: String { rawValue.uppercased() }
}

extension Select {
    /// The words that cannot be names unless they stand in backquotes, in capitals.
    package static let reservedWords: [String] = Keyword.reserved.map { $0.uppercased() }.sorted()

    /// All words of the grammar of queries, in capitals.
    package static let keywords: [String] =
        Keyword.queryWords.map(\.spelling) + ["NOCASE", "NODIAC", "NOUNICODE", "UNICODE"]
}

extension Statement {
    /// All words of the grammar of statements, in capitals.
    package static let keywords: [String] = Select.keywords + Keyword.allCases.dropFirst(Keyword.queryWords.count).map(\.spelling)
}

extension Statement {
    /// The words that a statement can begin with.
    static let beginnings = ["SELECT", "INSERT", "UPSERT", "UPDATE", "DELETE", "CREATE", "DROP"]
}
