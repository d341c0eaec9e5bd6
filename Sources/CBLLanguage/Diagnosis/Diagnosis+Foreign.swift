import CBLBase

/// What is right elsewhere, mostly in Couchbase Server's SQL++.
extension Diagnosis {
    // Symbols

    var foreignSymbol: Finding? {
        if let comment = tokens[first..<min(index + 1, tokens.count)].first(where: isComment) {
            return unsupported("a comment", nil, comment.range)
        }
        guard let found else { return nil }
        if found.kind == .foreign {
            switch found.text {
            case "\u{A0}": return syntax("a no-break space is not a blank here", found.range)
            case "‘", "’", "“", "”": return syntax("strings stand in straight quotes: ' or \"", found.range)
            default: return syntax("\"\(TerminalText.escaped(found.text))\" has no meaning outside of strings and backquotes", found.range)
            }
        }
        if found.kind == .parameter, found.text.utf8.dropFirst().first.map(Lexer.isDigit) == true {
            return unsupported("a numbered parameter", "parameters have names, like $name", found.range)
        }
        guard let (construct, advice) = Diagnosis.foreignSymbols[found.text] else { return nil }
        if found.isSymbol(":"), !isInSubscript { return nil }
        return unsupported(construct, advice, found.range)
    }

    private static let foreignSymbols: [String: (String, String?)] = [
        "&&": ("\"&&\"", "write AND"), "!": ("\"!\"", "write NOT"), "~": ("\"~\"", nil), "^": ("\"^\"", "for powers there is power(x, y)"),
        "?": ("a nameless parameter", "parameters have names, like $name"), "::": ("\"::\"", "convert with to_string() and the like"),
        "===": ("\"===\"", "write ="), "=>": ("\"=>\"", "did you mean >=?"), "@": ("\"@\"", nil), "#": ("\"#\"", nil),
        ":": ("an array slice", nil), ":=": ("\":=\"", nil), "->": ("\"->\"", nil),
    ]

    /// `a--5` is a subtraction; `-- something` is meant as a comment.
    private func isComment(_ token: ReportedToken) -> Bool {
        if token.isSymbol("/*") { return true }
        guard token.isSymbol("--"), let next = tokens.first(where: { $0.range.start >= token.range.end }) else { return false }
        return !next.isNumber
    }

    private var isInSubscript: Bool {
        tokens[..<index].last { $0.isSymbol("[", "]") }?.isSymbol("[") == true
    }

    // Statements

    var foreignStatement: Finding? {
        guard self.first == 0, !isStatement, let first = tokens.first, first.isAnyWord, let second = tokens.dropFirst().first,
            second.beginsOperand || second.isAnyWord
        else { return nil }
        switch first.word {
        case "WITH":
            return unsupported("WITH", "write the expression or the subquery's conditions where they are used", first.range)
        case "INSERT", "UPSERT", "UPDATE", "DELETE", "CREATE", "DROP":
            return expectations.contains(.word(.select)) || index <= 2
                ? syntax("\(first.word) is a statement, not a query: a query begins with SELECT", first.range) : nil
        case "MERGE", "TRUNCATE", "ALTER", "BUILD", "GRANT", "REVOKE", "EXPLAIN", "ADVISE", "PREPARE", "EXECUTE", "INFER", "COMMIT",
            "ROLLBACK",
            "SAVEPOINT", "START", "BEGIN":
            return unsupported(first.word, nil, first.range)
        default: return nil
        }
    }

    // Subqueries and IN

    /// A subquery anywhere but in `EXISTS (SELECT …)`.
    var subquery: Finding? {
        for (position, token) in tokens.enumerated()
        where position > 0 && position >= first && position <= index + 1 && token.isWord("SELECT") {
            guard tokens[position - 1].isSymbol("(") else { continue }
            let before = position > 1 ? tokens[position - 2] : nil
            let range = SourceRange(tokens[position - 1].range.start, token.range.end)
            switch before?.word {
            case "EXISTS": continue
            case "IN": return unsupported("IN (SELECT …)", "use JOIN, or EXISTS (SELECT …)", range)
            case "FROM", "JOIN": return unsupported("a subquery in FROM", "only collections stand there", range)
            default: return unsupported("a subquery as a value", "a subquery stands only in EXISTS (SELECT …)", range)
            }
        }
        return nil
    }

    /// `IN` without a list.
    var membership: Finding? {
        guard let word = token(-1), word.isWord("IN"), expectations.contains("("), expectations.contains("[") else { return nil }
        guard let found, found.kind != .symbol else { return nil }
        guard found.kind != .string, !found.isNumber else { return syntax("IN takes a list in ( ) or [ ]", found.range) }
        var end = index
        while end + 1 < tokens.count, tokens[end + 1].isSymbol(".", "[", "]") || tokens[end].isSymbol(".", "[") { end += 1 }
        let array = tokens[index...end].map(\.text).joined()
        let shown = array.count > 40 ? "array" : array
        return syntax(
            "IN takes a list in ( ) or [ ]: to search an array, write array_contains(\(shown), value) or ANY v IN \(shown) SATISFIES v = value END",
            SourceRange(found.range.start, tokens[end].range.end))
    }

    // Words

    /// `ARRAY x FOR v IN a END` and its kin.
    var comprehension: Finding? {
        guard let end = tokens.indices.first(where: { $0 >= index && tokens[$0].isWord("FOR") }),
            let start = tokens[..<end].lastIndex(where: { $0.isWord("ARRAY", "FIRST", "OBJECT") }), start >= first, start <= index
        else { return nil }
        let between = tokens[start..<end].contains { $0.isWord("SELECT", "FROM", "WHERE") }
        return between
            ? nil : unsupported("\(tokens[start].word) … FOR … END", "UNNEST makes rows of an array's items", tokens[start].range)
    }

    /// A word of Couchbase Server's grammar: the one that was found, or the one before that was taken for an alias.
    var foreignWord: Finding? {
        if let raw = rawSelection { return raw }
        for position in [index, index - 1] where tokens.indices.contains(position) {
            let token = tokens[position]
            guard token.kind == .word, let (construct, advice) = construct(at: position) else { continue }
            if position < index {
                guard position > 0, tokens[position - 1].endsOperand || tokens[position - 1].isWord("ON", "IS", "LEFT", "CREATE") else {
                    continue
                }
            }
            return unsupported(construct, advice, token.range)
        }
        return nil
    }

    /// `SELECT RAW x`; as `RAW` is no keyword, that is a property with an alias if x is a plain name.
    private var rawSelection: Finding? {
        guard let select = tokens[min(first, index)..<index].lastIndex(where: { $0.isWord("SELECT") }) else { return nil }
        var position = select + 1
        while position < index, tokens[position].isWord("DISTINCT", "ALL") { position += 1 }
        guard position < tokens.count, tokens[position].isWord("RAW", "VALUE", "ELEMENT"), index - position <= 3,
            position + 1 < tokens.count, tokens[position + 1].beginsOperand, !tokens[position + 1].isSymbol("*", "-", "+")
        else { return nil }
        return unsupported("SELECT \(tokens[position].word)", "each result has a name", tokens[position].range)
    }

    private func construct(at position: Int) -> (String, String?)? {
        let next = position + 1 < tokens.count ? tokens[position + 1] : nil
        let before = position > 0 ? tokens[position - 1] : nil
        switch tokens[position].word {
        case "UNION", "INTERSECT", "EXCEPT": return (tokens[position].word, "run the queries one by one")
        case "LET", "LETTING": return (tokens[position].word, "write the expression where it is used")
        case "NEST": return ("NEST", "use JOIN or UNNEST")
        case "USE": return (next?.isWord("INDEX") == true ? "USE INDEX" : "USE KEYS", "compare META().id, and indexes are chosen for you")
        case "NULLS": return ("NULLS \(next?.isWord("FIRST") == true ? "FIRST" : "LAST")", "order by x IS VALUED before x")
        case "ESCAPE": return ("LIKE … ESCAPE", "the escape character is always \\")
        case "OVER", "WINDOW": return ("a window function", nil)
        case "FILTER": return ("FILTER", "aggregate over CASE WHEN … THEN … END")
        case "WITHIN": return ("WITHIN", "use ANY … SATISFIES … END")
        case "ILIKE": return ("ILIKE", "use LIKE with lower(), or COLLATE NOCASE")
        case "REGEXP", "RLIKE", "SIMILAR", "GLOB": return (tokens[position].word, "use regexp_contains()")
        case "KNOWN", "UNKNOWN": return before?.isWord("IS", "NOT") == true ? ("IS \(tokens[position].word)", "use IS VALUED") : nil
        case "RETURNING", "QUALIFY", "FETCH", "XOR", "INTERVAL": return (tokens[position].word, nil)
        case "DIV", "MOD": return (tokens[position].word, "use \(tokens[position].word == "DIV" ? "div(a, b)" : "%")")
        case "PRIMARY", "VECTOR": return before?.isWord("CREATE") == true ? ("CREATE \(tokens[position].word) INDEX", nil) : nil
        case "SCOPE": return before?.isWord("CREATE") == true ? ("CREATE SCOPE", "a scope comes with its first collection") : nil
        case "OPTIONS": return (tokens[position].word, nil)
        case "FOR": return ("FOR", nil)
        case "USING" where tokens[0].isWord("CREATE", "DROP"): return ("USING \(next?.word ?? "")", nil)
        case "USING": return ("JOIN … USING", "write ON a.x = b.x")
        case "KEYS", "KEY": return before?.isWord("ON") == true ? ("JOIN … ON KEYS", "write ON a.x = META(b).id") : nil
        case "NATURAL", "RIGHT", "FULL":
            return next?.isWord("JOIN", "OUTER") == true
                ? ("\(tokens[position].word) JOIN", tokens[position].word == "RIGHT" ? "swap the sources and use LEFT JOIN" : nil) : nil
        case "UNNEST":
            return before?.isWord("LEFT", "OUTER", "INNER") == true ? ("\(before?.word ?? "") UNNEST", "there is only UNNEST") : nil
        case "DISTINCT" where next?.isWord("ARRAY") == true: return ("DISTINCT ARRAY … END", "an array index is made with UNNEST path")
        case "DISTINCT": return before?.isSymbol("(") == true ? ("DISTINCT in an aggregate", "use SELECT DISTINCT") : nil
        case "MATCH": return before?.isSymbol("(") == false ? ("MATCH as an operator", "it is a function: MATCH(index, words)") : nil
        default: return nil
        }
    }
}
