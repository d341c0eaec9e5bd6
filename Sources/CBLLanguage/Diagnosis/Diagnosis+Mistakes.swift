import CBLBase

/// Mistakes that people make in the language as it is.
extension Diagnosis {
    /// A call of a function that there is not.
    var unknownFunction: Finding? {
        guard found?.isSymbol("(") == true, let name = token(-1), name.isName else { return nil }
        // An alias, or a collection.
        if let before = token(-2), before.endsOperand || before.isWord("AS", "FROM", "JOIN", "UNNEST") || before.isSymbol(".") {
            return nil
        }
        let written = name.text.split(separator: "`").joined()
        if let alternative = ForeignFunctions.alternative(to: written) {
            return unsupported("Couchbase Server's function \(written)()", alternative.isEmpty ? nil : alternative, name.range)
        }
        let suggestion = Suggestion.closest(to: written, in: Select.functionNames).map { ". Did you mean \($0)()?" } ?? ""
        return syntax("there is no function \(Diagnosis.shortened(written))()\(suggestion)", name.range)
    }

    /// Blanks where the vendor's grammar takes none.
    var misplacedBlank: Finding? {
        if index == 0, let found, found.range.start > 0, expectations.words == [.select] {
            return syntax("a list of expressions without SELECT cannot begin with a blank", SourceRange(0, found.range.start))
        }
        guard let found, let before = token(-1), before.range.end < found.range.start else { return nil }
        let range = SourceRange(before.range.start, found.range.start)
        if before.text == "$" { return syntax("no blank is allowed behind $", range) }
        if followsMembership { return syntax("no blank is allowed behind this list: put the IN with its operands in parentheses", range) }
        guard before.range.end <= expectations.place, expectations.place < found.range.start else { return nil }
        if before.isSymbol("."), found.isName, expectations.contains(.name) { return syntax("no blank is allowed behind this dot", range) }
        if before.isSymbol("("), found.isWord("SELECT") { return syntax("no blank is allowed between EXISTS ( and SELECT", range) }
        return nil
    }

    /// The vendor's grammar takes no blanks between the list of an `IN` and some words and commas, which would be right there otherwise.
    private var followsMembership: Bool {
        guard let found, found.isWord("THEN", "ELSE", "WHEN", "END", "OFFSET", "LIMIT", "ORDER") || found.isSymbol(","), index > 1,
            tokens[index - 1].isSymbol(")", "]"),
            let bracket = tokens[..<(index - 1)].lastIndex(where: { $0.depth == tokens[index - 1].depth && $0.isSymbol("(", "[") })
        else { return false }
        return bracket > 0 && tokens[bracket - 1].isWord("IN")
    }

    // Clauses

    static let clauses = ["SELECT", "FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET"]

    /// The clauses of the innermost `SELECT` up to the place, by their first words.
    private var clausesBefore: [ReportedToken] {
        let depth = found?.depth ?? tokens.last?.depth ?? 0
        var clauses: [ReportedToken] = []
        for token in tokens[..<index] {
            if token.depth < depth { clauses = [] }
            guard token.depth == depth, token.kind == .word, Diagnosis.clauses.contains(token.word) else { continue }
            if token.isWord("SELECT") { clauses = [] }
            clauses.append(token)
        }
        return clauses
    }

    /// The clause that the place is in.
    var currentClause: String? { clausesBefore.last?.word }

    var clauseOrder: Finding? {
        guard let found, found.kind == .word, let rank = Diagnosis.clauses.firstIndex(of: found.word), rank > 0 else { return nil }
        let before = clausesBefore
        guard before.last?.range.end ?? 0 != token(-1)?.range.end || before.isEmpty else { return nil }
        if before.contains(where: { $0.word == found.word }) { return syntax("there is a \(found.word) already", found.range) }
        if let later = before.first(where: { rank < (Diagnosis.clauses.firstIndex(of: $0.word) ?? 0) }), found.word != "LIMIT" {
            let word = later.isWord("GROUP", "ORDER") ? later.word + " BY" : later.word
            return syntax("\(found.word) has to stand before \(word)", found.range)
        }
        if found.word == "HAVING" { return syntax("HAVING needs a GROUP BY before it", found.range) }
        return nil
    }

    var misplacedComma: Finding? {
        guard let found, found.isSymbol(",") else { return nil }
        switch currentClause {
        case "LIMIT", "OFFSET": return unsupported("LIMIT a, b", "write LIMIT b OFFSET a", found.range)
        case "FROM": return unsupported("a join by comma", "use JOIN … ON …", found.range)
        default: return nil
        }
    }

    // Names and spelling

    /// A keyword with a typing error, which may have been taken for an alias.
    var misspelling: Finding? {
        if self.first == 0, !isStatement, let first = tokens.first, first.isAnyWord, first.word != "SELECT", index > 0,
            tokens.count > 1,
            tokens[1].beginsOperand,
            Suggestion.closest(to: first.word, in: ["SELECT"]) != nil
        {
            return syntax("\"\(first.text)\" is no statement. Did you mean SELECT?", first.range)
        }
        if let found, found.isAnyWord, !found.isReserved, found.text.count > 1,
            let word = Suggestion.closest(to: found.word, in: expectedWords)
        {
            return syntax("expected \(expectations.text), found \"\(Diagnosis.shortened(found.text))\". Did you mean \(word)?", found.range)
        }
        guard let alias = token(-1), alias.isAnyWord, !alias.isReserved, alias.text.count > 2, token(-2)?.endsOperand == true,
            let word = Suggestion.closest(to: alias.word, in: Diagnosis.followers)
        else { return nil }
        return syntax("\"\(Diagnosis.shortened(alias.text))\" is taken for an alias here. Did you mean \(word)?", alias.range)
    }

    private var expectedWords: [String] {
        expectations.words.map(\.spelling) + (expectations.contains(.collation) ? Diagnosis.collations : [])
    }

    private static let collations = ["CASE", "NOCASE", "DIAC", "NODIAC", "UNICODE", "NOUNICODE"]

    /// What may stand where an alias may.
    private static let followers = [
        "FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET", "JOIN", "LEFT", "INNER", "CROSS", "UNNEST", "LIKE", "BETWEEN",
        "DESC",
        "AND", "COLLATE",
    ]

    var wrongName: Finding? {
        guard let found else { return nil }
        if token(-1)?.isWord("ALL") == true, token(-2)?.isWord("SELECT") == true, expectations.contains(.expression), let all = token(-1) {
            return syntax("ALL is a keyword behind SELECT: as a name it stands in backquotes", all.range)
        }
        if found.isWord("MISSING", "VALUED"), let not = token(-1), not.isWord("NOT") {
            return syntax("write IS NOT \(found.word)", SourceRange(not.range.start, found.range.end))
        }
        if found.isSymbol("."), tokens[..<index].last(where: { $0.isSymbol("(", ")") })?.isSymbol("(") == true,
            token(-2)?.isSymbol(".") == true,
            token(-5)?.isWord("MATCH") == true || token(-5)?.isWord("RANK") == true
        {
            return syntax("an index is named by itself or with the alias of its collection: idx, c.idx", found.range)
        }
        if found.kind == .foreignWord {
            return syntax("a name with other letters than a to z stands in backquotes: `\(Diagnosis.shortened(found.text))`", found.range)
        }
        if found.kind == .string, token(-1)?.isWord("AS", "FROM", "JOIN") == true {
            return syntax("a name stands without quotes, or in backquotes: `\(found.text.dropFirst().dropLast())`", found.range)
        }
        if found.isSymbol(")"), token(-1)?.isSymbol("(") == true, let rank = token(-2), rank.isWord("RANK"),
            tokens.dropFirst(index + 1).first?.isWord("OVER") == true
        {
            return unsupported("a window function", "RANK(index) tells how well a full-text match fits", rank.range)
        }
        if found.kind == .string || found.isSymbol("("), token(-1)?.isSymbol("(") == true,
            token(-2)?.isWord("MATCH", "RANK", "PREDICTION") == true
        {
            let what = token(-2)?.word == "PREDICTION" ? "a model" : "an index"
            return syntax("\(token(-2)?.word ?? "") takes the name of \(what) first, without quotes", found.range)
        }
        if found.isSymbol("."), currentClause == "FROM", token(-2)?.isSymbol(".") == true {
            return syntax("the name of a collection has two parts at most: scope.collection", found.range)
        }
        if found.isSymbol("*"), token(-1)?.isSymbol(".") == true {
            return syntax("\".*\" can only follow a single name", found.range)
        }
        return nil
    }

    var wrongSubscript: Finding? {
        guard let found else { return nil }
        if token(-1)?.isSymbol("[") == true, token(-2)?.isName == true, expectations.contains(.integer) || found.isNumber {
            return syntax("a subscript is a whole number", found.range)
        }
        guard found.isSymbol("["), let before = token(-1), before.endsOperand, before.range.end == found.range.start else { return nil }
        return syntax("a subscript can only follow a name in a path", found.range)
    }

    var wrongCollation: Finding? {
        guard let found else { return nil }
        if token(-1)?.isWord("COLLATE") == true, expectations.list == [.symbol("(")] {
            return syntax("more than one word behind COLLATE needs parentheses: COLLATE (UNICODE NOCASE)", found.range)
        }
        if found.isSymbol("-"), token(-2)?.isSymbol(":") == true, token(-3)?.isWord("UNICODE") == true {
            return syntax("a locale is written with an underscore, like en_US", found.range)
        }
        if found.isSymbol(","), expectations.contains(.collation) {
            return syntax("the words behind COLLATE stand without commas", found.range)
        }
        guard isInfix(found), let collate = collateBefore else { return nil }
        return syntax(
            "COLLATE ends an expression, and applies to all of it: put what it is meant for in parentheses, with the COLLATE",
            SourceRange(collate.range.start, tokens[index - 1].range.end))
    }

    /// The `COLLATE` that the place is right behind.
    private var collateBefore: ReportedToken? {
        var position = index - 1
        while position >= first {
            let token = tokens[position]
            if token.isWord("COLLATE") { return token }
            guard Diagnosis.collations.contains(token.word) || token.isSymbol("(", ")", ":") || tokens[max(0, position - 1)].isSymbol(":")
            else {
                return nil
            }
            position -= 1
        }
        return nil
    }

    /// `a IN (1) = true`
    var chainedComparison: Finding? {
        guard let found, isComparison(found), token(-1)?.endsOperand == true, expectations.contains(.end) || expectations.contains(.infix)
        else { return nil }
        return syntax(
            "\"\(found.text)\" cannot follow another comparison: put the first one in parentheses", found.range)
    }

    private func isComparison(_ token: ReportedToken) -> Bool {
        token.isWord("IN", "LIKE", "BETWEEN", "IS", "NOT") || token.isSymbol("=", "==", "!=", "<>")
    }

    private func isInfix(_ token: ReportedToken) -> Bool {
        isComparison(token) || token.isWord("AND", "OR") || token.isSymbol("<", ">", "<=", ">=", "+", "-", "*", "/", "%", "||")
    }

    /// `{a: 1}`
    var wrongKey: Finding? {
        guard let found, expectations.contains(.string), !expectations.contains(.expression), token(-1)?.isSymbol("{", ",") == true,
            found.beginsOperand
        else { return nil }
        return syntax(
            "the keys of an object stand in quotes: '\(Diagnosis.shortened(found.text.split(separator: "`").joined()))'", found.range)
    }
}
