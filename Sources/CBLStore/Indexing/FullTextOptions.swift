import CBLFunctions

/// How the texts of a full-text index are cut into words.
package struct FullTextOptions: Hashable, Sendable {
    /// A code such as `en` or `fr_CA`, or the English name of the language. It chooses stop words and stemmer.
    package var language: String?
    /// `cafe` finds `café`.
    package var ignoresDiacritics = false
    package var disablesStemming = false
    /// Words that are left out, separated by blanks, instead of those of the language; empty for none.
    package var stopWords: String?

    package init() {}

    /// Codes and English names of the languages whose words can be stemmed.
    package static var languages: [String] { FullTextLanguage.byCode.flatMap { [$0, $1] }.sorted() }

    /// The language without a country, by which its stemmer is known; nil if there is none.
    package var stemmer: String? { code.flatMap { FullTextLanguage.english($0) == nil ? nil : $0 } }

    private var code: String? { language.map { String($0.prefix { $0 != "_" }) } }

    /// What stands behind `tokenize=`, as the vendor's library writes it.
    package var tokenizer: String {
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

/// What stands between the parentheses of `USING fts4(…)` in the definition of a full-text table that may come from anywhere: columns, and
/// options of the known tokenizer, and nothing else.
struct FullTextModule {
    private static let names = ["stopwordlist", "stopwords", "stemmer", "remove_diacritics", "tokenchars", "separators"]

    var columns: [String] = []
    var tokenizer = "unicodesn"

    init?(_ text: inout SchemaText) {
        while !text.take("tokenize = unicodesn") {
            guard text.isAtQuote, let column = text.takeName(), text.take(",") else { return nil }
            columns.append(column)
        }
        guard !columns.isEmpty else { return nil }
        while text.isAtQuote {
            guard let option = text.takeName(), let equals = option.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            guard FullTextModule.names.contains(String(option[..<equals])),
                !option.utf8.contains(where: { $0 == UInt8(ascii: "\"") || $0 == 0 })
            else { return nil }
            tokenizer += " \"\(option)\""
        }
    }
}
