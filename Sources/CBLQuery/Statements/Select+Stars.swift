import CBLLanguage

extension Select {
    /// The same select with stars that the vendor's dialect refuses where there is more than one source: `count(*)` counts the rows then, and `*`
    /// is one column for each source.
    package func spellingOutStars() -> Select {
        guard sources.count > 1 else { return self }
        var select = self
        select.results = results.flatMap { result in
            guard result.expression.node == .property(.whole), result.alias == nil else { return [result.countingRows()] }
            return sources.map { Result($0.whole(range: result.expression.range)) }
        }
        select.having = having?.countingRows()
        select.orderBy = orderBy.map { Ordering($0.expression.countingRows(), direction: $0.direction) }
        return select
    }
}

extension Select.Result {
    /// Whether it is `*` or `alias.*`.
    package var isWholeDocument: Bool { alias == nil && expression.isWholeDocument }

    /// Whether it is the ID of a document, whatever it is called.
    package var isDocumentID: Bool {
        guard case .member(let base, let path) = expression.node, case .meta = base.node else { return false }
        return path.components == [.name("id")]
    }

    fileprivate func countingRows() -> Select.Result { Select.Result(expression.countingRows(), alias: alias) }
}

extension Select.Source {
    /// All that comes from it.
    fileprivate func whole(range: SourceRange) -> QueryExpression {
        switch (alias, origin) {
        case (let alias?, .collection): QueryExpression(.property(PropertyPath([.name(alias)], endsInStar: true)), range: range)
        case (let alias?, .unnest): QueryExpression(.property(PropertyPath([.name(alias)])), range: range)
        case (nil, .collection(let scope, let name)):
            QueryExpression(
                .property(PropertyPath([scope, name ?? "_"].compactMap { $0 }.map { .name($0) }, endsInStar: true)), range: range)
        case (nil, .unnest(let expression)): expression
        }
    }
}

extension QueryExpression {
    fileprivate func countingRows() -> QueryExpression {
        replacing { part in
            guard case .function("count", let arguments) = part.node, arguments.count == 1, arguments[0].node == .property(.whole) else {
                return nil
            }
            var count = part
            count.node = .function("count", [QueryExpression(.integer(1), range: arguments[0].range)])
            return count
        }
    }
}
