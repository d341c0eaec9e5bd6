extension Select {
    /// Reads a `SELECT`, or a bare list of expressions as indexes have it, in exactly the dialect of the vendor's mobile products.
    package init(sqlpp text: String) throws(QueryError) {
        var parser = Parser(text)
        if let select = parser.query(), parser.limitError == nil {
            self = select
            return
        }
        // What is wrong is only found out when something is.
        var explained = Parser(text, explaining: true)
        _ = explained.query()
        throw Recovery.error(in: text, explained)
    }
}
