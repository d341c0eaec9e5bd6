import SQLFunctions

/// How the texts of a full-text index are cut into words.
public struct FullTextOptions: Hashable, Sendable {
    /// A code such as `en` or `fr_CA`, or the English name of the language. It chooses stop words and stemmer.
    public var language: String?
    /// `cafe` finds `café`.
    public var ignoresDiacritics = false
    public var disablesStemming = false
    /// Words that are left out, separated by blanks, instead of those of the language; empty for none.
    public var stopWords: String?

    public init() {}

    /// Codes and English names of the languages whose words can be stemmed.
    public static var languages: [String] { FullTextLanguage.byCode.flatMap { [$0, $1] }.sorted() }

    /// The language without a country, by which its stemmer is known; nil if there is none.
    public var stemmer: String? { code.flatMap { FullTextLanguage.english($0) == nil ? nil : $0 } }

    private var code: String? { language.map { String($0.prefix { $0 != "_" }) } }

    /// What stands behind `tokenize=`, as the vendor's library writes it.
    public var tokenizer: String {
        var text = "unicodesn"
        if let stopWords {
            let words = String(stopWords.map { $0 == "\"" || $0 == "," ? " " : $0 })
            text += " \"stopwordlist=\(words)\""
        } else if let code {
            text += " \"stopwords=\(code)\""
        }
        if let stemmer, !disablesStemming { text += " \"stemmer=\(stemmer)\"" }
        if !ignoresDiacritics { text += " \"remove_diacritics=0\"" }
        return text
    }
}

/// What stands behind `USING` in the definition of a full-text table that may come from anywhere.
enum FullTextModule {
    private static let names: Set<String> = ["stopwordlist", "stopwords", "stemmer", "remove_diacritics", "tokenchars", "separators"]

    /// The columns and the tokenizer, if the text is nothing but columns and options of the known tokenizer.
    static func parts(of text: Substring) -> (columns: [String], tokenizer: String)? {
        guard text.hasPrefix("fts4("), text.hasSuffix(")") else { return nil }
        let inner = text.dropFirst("fts4(".count).dropLast()
        guard let separator = inner.firstRange(of: ", tokenize=") else { return nil }
        guard let columns = quotedItems(inner[..<separator.lowerBound], separator: ", "), !columns.isEmpty else { return nil }
        let tokenizer = inner[separator.upperBound...]
        guard tokenizer.hasPrefix("unicodesn") else { return nil }
        let rest = tokenizer.dropFirst("unicodesn".count)
        guard !rest.isEmpty else { return (columns, String(tokenizer)) }
        guard rest.hasPrefix(" "), let options = quotedItems(rest.dropFirst(), separator: " ") else { return nil }
        for option in options {
            guard let equals = option.firstIndex(of: "="), names.contains(String(option[..<equals])) else { return nil }
        }
        return (columns, String(tokenizer))
    }

    /// `"a", "b"` as its items. None of them holds a quote.
    private static func quotedItems(_ text: Substring, separator: String) -> [String]? {
        var items: [String] = []
        var rest = text
        while true {
            guard rest.hasPrefix("\"") else { return nil }
            rest = rest.dropFirst()
            guard let end = rest.firstIndex(of: "\"") else { return nil }
            items.append(String(rest[..<end]))
            rest = rest[rest.index(after: end)...]
            if rest.isEmpty { return items }
            guard rest.hasPrefix(separator) else { return nil }
            rest = rest.dropFirst(separator.count)
        }
    }
}
