extension SQLWriter {
    /// The statement. `hasHiddenColumns` puts before its columns what tells where full-text queries matched.
    mutating func write(_ select: ResolvedSelect, hasHiddenColumns: Bool = false) {
        write(select.isDistinct ? "SELECT DISTINCT " : "SELECT ")
        if hasHiddenColumns, let first = select.sources.first {
            write(SQLText.identifier(first.alias) + ".rowid, ")
            for join in select.fullTextJoins {
                write("offsets(\(SQLText.identifier(join.reference.alias)).\(SQLText.identifier(join.reference.table))), ")
            }
        }
        for (place, column) in select.columns.enumerated() {
            if place > 0 { write(", ") }
            write(column)
        }
        for source in select.sources { write(source) }
        for join in select.fullTextJoins { writeJoin(table: join.reference.table, as: join.reference.alias, of: join.source) }
        for join in select.predictionJoins { writeJoin(table: join.table, as: join.alias, of: join.source) }
        for join in select.vectorJoins { write(join) }
        if let condition = select.condition { writeClause(" WHERE ", condition) }
        writeList(" GROUP BY ", select.groupBy.map { ($0, false) })
        if let having = select.having { writeClause(" HAVING ", having) }
        writeList(" ORDER BY ", select.orderBy)
        if let limit = select.limit {
            writeClause(" LIMIT ", limit)
        } else if select.offset != nil {
            // There is no OFFSET without one in SQLite.
            write(" LIMIT -1")
        }
        if let offset = select.offset { writeClause(" OFFSET ", offset) }
    }

    private mutating func writeClause(_ keyword: String, _ term: Term) {
        write(keyword)
        write(term, within: Rank.statement)
    }

    private mutating func writeList(_ keyword: String, _ terms: [(term: Term, isDescending: Bool)]) {
        for (place, item) in terms.enumerated() {
            writeClause(place == 0 ? keyword : ", ", item.term)
            if item.isDescending { write(" DESC") }
        }
    }

    /// A column of the result: numbers and text are themselves there, other values are encoded.
    private mutating func write(_ column: ResolvedSelect.Column) {
        switch column.term.kind {
        case .scalar: write(column.term, within: Rank.statement)
        case .any: writeResult("fl_result(", column.term)
        case .boolean: writeResult("fl_boolean_result(", column.term)
        }
        if let name = column.name { write(" AS " + name) }
    }

    private mutating func writeResult(_ function: String, _ term: Term) {
        write(function)
        write(term, within: Rank.argument)
        write(")")
    }

    private mutating func write(_ source: ResolvedSelect.Source) {
        switch source.origin {
        case .collection(let collection):
            write(source.join.map { " \($0) JOIN " } ?? " FROM ")
            write(SQLText.identifier(source.readsDeleted ? collection.tableWithDeleted : collection.table))
            write(" AS " + SQLText.identifier(source.alias))
            if let on = source.on { writeClause(" ON ", on) }
        case .unnest(let collection):
            write(" JOIN ")
            writeEach(collection)
            if !source.alias.isEmpty { write(" AS " + SQLText.identifier(source.alias)) }
        case .arrayTable(let table, let parent):
            let alias = SQLText.identifier(source.alias)
            write(" JOIN \(SQLText.identifier(table)) AS \(alias) ON \(alias).docid=\(SQLText.identifier(parent)).rowid")
        }
    }

    // In a SELECT of its own where the nearest are wanted: SQLite would ask for the distance of one row after the other instead.
    private mutating func write(_ join: ResolvedSelect.VectorJoin) {
        let alias = SQLText.identifier(join.alias)
        let table = SQLText.identifier(join.table)
        write(" INNER JOIN ")
        if let limit = join.limit {
            write("(SELECT docid, distance FROM \(table) WHERE vector MATCH ")
            write(join.target, within: Rank.statement)
            if let probes = join.probes { write(" AND vectorsearch_probes(vector, \(probes))") }
            if tellsLimits {
                writeClause(" AND vectorsearch_limit(vector, ", limit)
                write(")")
            }
            writeClause(" LIMIT ", limit)
            write(") AS \(alias) ON \(alias).docid = \(SQLText.identifier(join.source)).rowid")
        } else {
            write("\(table) AS \(alias) ON \(alias).docid = \(SQLText.identifier(join.source)).rowid AND \(alias).vector MATCH ")
            write(join.target, within: Rank.statement)
        }
    }

    /// Joins the table of an index, whose rows have the numbers of documents.
    private mutating func writeJoin(table: String, as name: String, of source: String) {
        let alias = SQLText.identifier(name)
        write(" INNER JOIN \(SQLText.identifier(table)) AS \(alias) ON \(alias).docid = \(SQLText.identifier(source)).rowid")
    }
}
