/// The grammar of SQL++ for Mobile, by recursive descent.
///
/// It is that of the vendor's parsing expression grammar, read as such: of alternatives the first that matches is taken, repetitions are
/// greedy, and nothing that matched is gone back into. A rule that does not match gives nil and leaves the place where it was. Where blanks
/// are skipped is part of the grammar too: most tokens swallow those behind them, and some places take none.
struct Parser {
    var text: SyntaxScanner
    /// How many of the rules that can be nested are being parsed within each other: two or three for a pair of parentheses.
    var nesting = 0
    /// How high the tree of the expression is that was parsed last.
    var height = 0
    /// Once there is one, no operand matches any more, and the parse is at its end.
    var limitError: QueryError.Diagnostic?
    /// Where a quantifier's variable would have to stand and what follows turned out not to be a quantifier. `SOME AND EVERY …` is
    /// tried in two ways, so that nested ones would take exponential time.
    var failedQuantifiers: Set<Int> = []

    /// In the statements that write there is one function more, `UUID()`.
    var isWriting = false

    init(_ text: String, at position: Int = 0, explaining: Bool = false) {
        self.text = SyntaxScanner(text, at: position, explaining: explaining)
    }

    /// The whole text: a `SELECT`, or a bare list of expressions.
    mutating func query() -> Select? {
        let start = text.position
        text.skipBlanks()
        if let select = select() {
            text.skipBlanks()
            if isAtEnd() { return select }
        }
        text.position = start
        guard let results = results(), isAtEnd() else { return fail(to: start) }
        var select = Select()
        select.isBareList = true
        select.results = results
        select.range = text.range(from: start)
        return select
    }

    mutating func isAtEnd() -> Bool {
        text.isAtEnd || text.expected(.end, at: text.position)
    }

    mutating func fail<Value>(to start: Int) -> Value? {
        text.position = start
        return nil
    }

    /// `_ ',' _`
    mutating func comma() -> Bool {
        let start = text.position
        text.skipBlanks()
        guard text.skip(",") else {
            text.position = start
            return false
        }
        text.skipBlanks()
        return true
    }

    mutating func node(_ node: QueryExpression.Node, from start: Int, spelling: String? = nil) -> QueryExpression {
        QueryExpression(node, range: text.range(from: start), spelling: spelling)
    }
}
