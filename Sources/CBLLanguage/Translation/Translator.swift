/// Turns the syntax tree of a query into one SELECT of SQLite, and the expressions of indexes into SQL.
///
///     let query = try Translator(schema: schema).translate(Select(sqlpp: "SELECT name FROM _ WHERE type = 'hotel'"))
///
/// Pure: it asks the schema what there is, and runs nothing.
package struct Translator {
    package struct Options: Sendable {
        /// Functions that the vendor has in its Enterprise Edition only: distances of vectors.
        package var allowsEnterpriseFunctions = false

        package init() {}
    }

    /// How deep expressions may nest. SQLite's parser gives up at about the same depth.
    package static let maximumDepth = 100
    /// How many operators may follow each other in a row, as in `a OR b OR c …`. SQLite allows as many.
    package static let maximumChain = 900

    private let schema: any QuerySchema
    private let options: Options

    package init(schema: any QuerySchema, options: Options = Options()) {
        self.schema = schema
        var options = options
        if schema.offersEnterpriseFunctions { options.allowsEnterpriseFunctions = true }
        self.options = options
    }

    /// Throws all mistakes of the query that do not follow from each other.
    package func translate(_ select: Select) throws(QueryError) -> TranslatedQuery {
        // The JSON form, which has no places in a text, means the default collection then, and so does a SELECT in an expression.
        if select.sources.isEmpty, !select.range.isNone || select.isBareList {
            let hint = "FROM _ is the default collection."
            throw QueryError(.meaning, [QueryError.Diagnostic("N1QL error: missing the FROM clause", range: select.range, hint: hint)])
        }
        let resolver = Resolver(schema, options)
        let resolved = resolver.resolve(select)
        try resolver.finish()
        let hasHiddenColumns = !resolved.fullTextJoins.isEmpty && !resolved.isAggregate
        var writer = SQLWriter()
        writer.write(resolved, hasHiddenColumns: hasHiddenColumns)
        var translated = TranslatedQuery(
            sql: writer.sql, titles: resolved.titles,
            parameters: resolver.parameters, sources: resolver.documentSources, isAggregate: resolved.isAggregate,
            properties: resolver.properties)
        translated.vectorTables = resolver.vectorTables
        let findsNearest = translated.vectorTables.contains(where: \.isNearest)
        if findsNearest || hasHiddenColumns {
            var writer = SQLWriter()
            writer.tellsLimits = findsNearest
            writer.write(resolved)
            translated.runningSQL = writer.sql
        }
        translated.usesModels = resolver.usesModels
        translated.rowProgram = RowProgram(resolved)
        translated.textSearch = TranslatedQuery.TextSearch(resolved)
        return translated
    }

    // Indexes

    /// The SQL of an expression in the definition of an index, or in its condition. `prefix` stands before the names of columns: nothing,
    /// or `new.` and `old.` in triggers.
    package func indexExpression(_ expression: QueryExpression, column prefix: String) throws(QueryError) -> String {
        try write(expression, RowReference(.document, prefix: prefix))
    }

    /// The SQL of an expression in the definition of an array index: about an item, that is. Without an expression, the item itself.
    package func arrayIndexExpression(_ expression: QueryExpression?) throws(QueryError) -> String {
        try write(expression ?? QueryExpression(.property(.whole)), RowReference(.arrayTable, prefix: ""))
    }

    /// The name of the column of a full-text index for an expression, which must be a property: the text of its path.
    package func fullTextColumn(_ expression: QueryExpression) throws(QueryError) -> String {
        guard case .property(let path) = expression.node, !path.components.isEmpty else {
            throw QueryError(.meaning, "invalid property expression: a full-text index is of properties", range: expression.range)
        }
        // It must be one that can be indexed, too, which `_id` is not.
        guard try write(expression, RowReference(.document, prefix: "")).hasPrefix("fl_value(") else {
            throw QueryError(.meaning, "a full-text index is of properties of documents", range: expression.range)
        }
        return path.text
    }

    /// The SQL that gives the vector of a document for an index, `fl_vector_to_index(body, 'vector', 300)`; without dimensions, the value of a
    /// lazy index that is to be made a vector of.
    package func vectorExpression(_ expression: QueryExpression, dimensions: Int?) throws(QueryError) -> String {
        let sql = try indexExpression(expression, column: "")
        guard let dimensions else { return sql }
        if case .property(let path) = expression.node, !path.components.isEmpty, sql.hasPrefix("fl_value(body, ") {
            return "fl_vector_to_index(body, \(SQLText.string(path.text)), \(dimensions))"
        }
        return "fl_vector_to_index(\(sql), NULL, \(dimensions))"
    }

    /// The table-valued expression that an array index is filled from, such as `fl_each(new.body, 'contacts')`.
    package func eachExpression(_ expression: QueryExpression, column prefix: String) throws(QueryError) -> String {
        guard case .property(let path) = expression.node, !path.components.isEmpty else {
            throw QueryError(.meaning, "an array index needs the path of a property", range: expression.range)
        }
        return "fl_each(\(prefix)body, \(SQLText.string(path.text)))"
    }

    private func write(_ expression: QueryExpression, _ row: RowReference) throws(QueryError) -> String {
        let resolver = Resolver(schema, options)
        resolver.clause = .index
        resolver.scope.row = row
        let term = resolver.resolve(expression)
        try resolver.finish()
        var writer = SQLWriter()
        writer.write(term, within: 0)
        return writer.sql
    }
}
