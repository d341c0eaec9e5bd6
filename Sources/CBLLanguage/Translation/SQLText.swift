import CBLBase
import CBLFleece

/// Names and constants as SQL has them.
enum SQLText {
    /// A name, in quotes only if it needs them.
    static func identifier(_ name: String) -> String {
        if name.isPlainIdentifier, !SQLText.keywords.contains(name.asciiLowercased) { return name }
        // A zero would end the statement.
        return "\"" + doubling("\"", in: name.utf8.contains(0) ? String(name.unicodeScalars.filter { $0 != "\0" }) : name) + "\""
    }

    /// The words of SQLite, most of which are names in some places and not in others. The vendor's library fails over those.
    private static let keywords: Set<String> = [
        "abort", "action", "add", "after", "all", "alter", "always", "analyze", "and", "as", "asc", "attach", "autoincrement",
        "before", "begin", "between", "by", "cascade", "case", "cast", "check", "collate", "column", "commit", "conflict",
        "constraint", "create", "cross", "current", "current_date", "current_time", "current_timestamp", "database", "default",
        "deferrable", "deferred", "delete", "desc", "detach", "distinct", "do", "drop", "each", "else", "end", "escape", "except",
        "exclude", "exclusive", "exists", "explain", "fail", "false", "filter", "first", "following", "for", "foreign", "from", "full",
        "generated", "glob", "group", "groups", "having", "if", "ignore", "immediate", "in", "index", "indexed", "initially", "inner",
        "insert", "instead", "intersect", "into", "is", "isnull", "join", "key", "last", "left", "like", "limit", "match",
        "materialized", "natural", "no", "not", "nothing", "notnull", "null", "nulls", "of", "offset", "on", "or", "order", "others",
        "outer", "over", "partition", "plan", "pragma", "preceding", "primary", "query", "raise", "range", "recursive", "references",
        "regexp", "reindex", "release", "rename", "replace", "restrict", "returning", "right", "rollback", "row", "rows", "savepoint",
        "select", "set", "table", "temp", "temporary", "then", "ties", "to", "transaction", "trigger", "true", "unbounded", "union",
        "unique",
        "update", "using", "vacuum", "values", "view", "virtual", "when", "where", "window", "with", "without", "within",
    ]

    static func string(_ text: String) -> String {
        if text.utf8.contains(0) { return "CAST(x'" + hexadecimal(text) + "' AS TEXT)" }
        return "'" + doubling("'", in: text) + "'"
    }

    /// The shortest digits that read back as the same number.
    static func number(_ value: Double) -> String {
        guard value.isFinite else { return value.isNaN ? "NULL" : value < 0 ? "-9e999" : "9e999" }
        var buffer = ByteBuffer(capacity: 32)
        JSONWriter.write(double: value, to: &buffer)
        return buffer.string
    }

    private static func doubling(_ quote: Unicode.Scalar, in text: String) -> String {
        guard text.unicodeScalars.contains(quote) else { return text }
        var doubled = ""
        for scalar in text.unicodeScalars {
            if scalar == quote { doubled.unicodeScalars.append(quote) }
            doubled.unicodeScalars.append(scalar)
        }
        return doubled
    }

    private static func hexadecimal(_ text: String) -> String {
        Array(text.utf8).withUnsafeBytes { Hex.text(of: $0) }
    }
}

/// How tightly operators bind, after SQLite. An operation is put in parentheses inside of one that binds as tightly or tighter.
enum Rank {
    /// Inside of parentheses or between commas, where anything may stand.
    static let argument = -2
    static let statement = 1
    static let conjunction = 2
    static let equality = 3
    static let comparison = 4
    static let sum = 6
    static let product = 7
    static let exists = 8
    static let prefix = 9
    static let collation = 10
}
