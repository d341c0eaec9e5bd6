import CBLLanguage
import CBLSQLite
import CBLStore

/// A query that reads one whole table, and whose rows can be counted, grouped or sorted here instead of in SQLite: piece by piece, on both
/// cores, and without carrying documents about. Or one that gives its rows as they are found, past SQLite. Only for what gives exactly SQLite's
/// result, row by row; everything else stays with SQLite.
struct ScanPlan {
    /// What becomes of the rows of the partial query.
    fileprivate enum Shape: Sendable {
        /// Each column is the number of rows, which an index tells.
        case entries(columnCount: Int)
        /// Each column is a count of its own.
        case counts(columnCount: Int)
        case groups(GroupShape)
        case sorted(keys: [SortedRows.Key], columnCount: Int, limit: Int?, offset: Int)
        /// As they are found.
        case plain
    }

    private let shape: Shape
    private let table: String
    /// Nil if it is not gone through.
    private let scan: TableScan?
    /// Tried first.
    private let pageScan: PageScan?
    private let textScan: TextScan?
    private let mostSortedBytes: Int

    /// How it is gone about, which the query and the schema decide.
    struct Decision: Sendable {
        fileprivate let shape: Shape
        /// Finds the rows of one piece; nil if not all of the table is gone through.
        fileprivate let sql: String?
        /// Computes the rows without SQLite, where that can be.
        fileprivate let program: RowProgram?
        /// Or those that a full-text index finds.
        fileprivate let search: TranslatedQuery.TextSearch?

        /// Nil if the query is none of these.
        fileprivate init?(
            _ select: Select, _ translated: TranslatedQuery, matchesText: Bool, running sql: String, on snapshot: Snapshot
        ) throws {
            if CountShortCut.countsRows(select), try ScanPlan.readsIndexAlone(sql, snapshot) {
                (shape, self.sql, program, search) = (.entries(columnCount: select.results.count), sql, nil, nil)
                return
            }
            let translator = Translator(schema: SnapshotSchema(snapshot, asTablesAre: true))
            let looksForText = try matchesText && ScanPlan.looksForTextFirst(sql, snapshot)
            guard let (shape, partial) = ScanPlan.shape(of: select, isAggregate: translated.isAggregate),
                try looksForText || ScanPlan.readsWholeTable(sql, snapshot)
            else { return nil }
            self.shape = shape
            // Each row goes to a sink, which sorts it.
            var unsorted = partial
            unsorted.orderBy = []
            unsorted.limit = nil
            let computed = try? translator.translate(unsorted)
            guard !looksForText else {
                guard let search = computed?.textSearch else { return nil }
                (self.sql, program, self.search) = (nil, nil, search)
                return
            }
            guard let piecewise = try? translator.translate(ScanPlan.restricted(partial)) else { return nil }
            (self.sql, program, search) = (piecewise.sql, computed?.rowProgram, nil)
            if case .plain = shape, program == nil { return nil }
        }
    }

    /// Whether a query may be one of these, by what it says alone: so that the table is not asked for its length for one that finds a few
    /// documents, which takes hardly longer than that.
    static func fits(_ select: Select, _ translated: TranslatedQuery) -> Bool {
        // Models may not expect to be called by several threads for one query.
        translated.sources.count == 1 && !translated.usesModels && !select.isDistinct
            && select.having == nil && select.sources.count <= 1
            && (!isPlain(select, translated) || select.limit == nil && select.offset == nil) && !translated.sources[0].readsDeleted
            && !translated.parameters.contains(TableScan.firstRow) && !translated.parameters.contains(TableScan.lastRow)
    }

    private static func isPlain(_ select: Select, _ translated: TranslatedQuery) -> Bool {
        !translated.isAggregate && select.groupBy.isEmpty && select.orderBy.isEmpty
    }

    /// Nil if the query is none of these, or not worth it. `sql` is what would be run otherwise, if that is not what the query shows.
    init?(
        _ query: Query, running sql: String? = nil, on snapshot: Snapshot, parameters: QueryParameters, options: QueryOptions
    ) throws {
        guard query.mayBeScanned, let pieces = options.pieces, let select = query.select else { return nil }
        let translated = query.translated
        // To ask for the length of the table takes as long as many a small query that is run again and again.
        guard !query.decisions.haveNoScan(running: sql ?? translated.sql),
            !ScanPlan.isPlain(select, translated) || options.readsPages && !snapshot.isSmallFile(below: pieces.fewestRows)
        else { return nil }
        guard let source = translated.sources.first,
            let rows = try TableScan.rows(of: source.collection.table, on: snapshot, pieces),
            let decision = try query.decisions.scan(
                running: sql ?? translated.sql,
                { try Decision(select, translated, matchesText: query.matchesText, running: sql ?? translated.sql, on: snapshot) })
        else { return nil }
        if case .entries = decision.shape, !options.readsPages { return nil }
        shape = decision.shape
        table = source.collection.table
        scan = decision.sql.map {
            TableScan(sql: $0, rows: rows, parameters: parameters, query: translated, options: options, pieces: pieces)
        }
        textScan =
            try options.readsPages
            ? decision.search.flatMap { try TextScan($0, of: source.collection.table, query, parameters, options, on: snapshot) } : nil
        if scan == nil, textScan == nil { return nil }
        mostSortedBytes = pieces.mostSortedBytes
        pageScan =
            try options.readsPages
            ? decision.program.flatMap {
                try PageScan($0, of: source.collection.table, parameters, options, on: snapshot)
            } : nil
    }

    /// Only rows of a range.
    private static func restricted(_ select: Select) -> Select {
        let row = QueryExpression.meta("rowid")
        let range = QueryExpression(
            .operation(.between, [row, QueryExpression(.parameter(TableScan.firstRow)), QueryExpression(.parameter(TableScan.lastRow))]))
        var restricted = select
        restricted.condition = select.condition.map { QueryExpression(.operation(.and, [$0, range])) } ?? range
        return restricted
    }

    /// Whether SQLite goes through all rows of the table in their order. With an index it may have less to do, or another order.
    static func readsWholeTable(_ sql: String, _ snapshot: Snapshot) throws -> Bool {
        var scans = 0
        for detail in try plan(of: sql, snapshot) {
            if detail.hasPrefix("SCAN ") {
                // Of what a quantifier goes through there is more to say than the name: "SCAN _l VIRTUAL TABLE INDEX 2:".
                let words = detail.split(separator: " ")
                if words.count > 2, words[2] == "VIRTUAL" { continue }
                guard words.count == 2 else { return false }
                scans += 1
            } else if !detail.hasPrefix("USE TEMP B-TREE FOR "), !detail.hasPrefix("CORRELATED SCALAR SUBQUERY") {
                return false
            }
        }
        return scans == 1
    }

    /// Whether SQLite takes what a full-text index finds, one after another, and each one's document.
    private static func looksForTextFirst(_ sql: String, _ snapshot: Snapshot) throws -> Bool {
        let details = try plan(of: sql, snapshot)
        guard details.count >= 2, var first = details.first, first.hasPrefix("SCAN ") else { return false }
        return first.withUTF8 { UnsafeRawBufferPointer($0).contains(" VIRTUAL TABLE INDEX ") }
            && details[1].hasPrefix("SEARCH ") && details[1].hasSuffix(" USING INTEGER PRIMARY KEY (rowid=?)")
            && details[2...].allSatisfy { $0.hasPrefix("USE TEMP B-TREE FOR ") }
    }

    /// Whether SQLite goes through all entries of an index, and not to the table.
    private static func readsIndexAlone(_ sql: String, _ snapshot: Snapshot) throws -> Bool {
        let details = try plan(of: sql, snapshot)
        guard details.count == 1 else { return false }
        let words = details[0].split(separator: " ")
        return words.count > 5 && words[0] == "SCAN" && words[2...4] == ["USING", "COVERING", "INDEX"]
    }

    /// What SQLite says of each of its steps.
    private static func plan(of sql: String, _ snapshot: Snapshot) throws -> [String] {
        var details: [String] = []
        let statement = try snapshot.connection.prepare("EXPLAIN QUERY PLAN " + sql)
        while try statement.step() { details.append(statement.string(3) ?? "") }
        return details
    }

    private static func shape(of select: Select, isAggregate: Bool) -> (Shape, Select)? {
        let aliases = Set(select.results.compactMap { $0.alias?.lowercased() })
        guard isAggregate || !select.groupBy.isEmpty else { return select.orderBy.isEmpty ? (.plain, select) : sorted(select, aliases) }
        if select.groupBy.isEmpty, select.orderBy.isEmpty, select.limit == nil, select.offset == nil,
            select.results.allSatisfy({ GroupShape.aggregate($0.expression)?.function == .count })
        {
            return (.counts(columnCount: select.results.count), select)
        }
        return GroupShape.make(select, aliases).map { (.groups($0), $1) }
    }

    // How many rows the result may take for SQLite to find them in each piece.
    private static let fewRows = 256

    private static func sorted(_ select: Select, _ aliases: Set<String>) -> (Shape, Select)? {
        guard !select.orderBy.isEmpty, !select.results.isEmpty, let limits = Limits(select) else { return nil }
        var partial = select
        partial.limit = nil
        partial.offset = nil
        var keys: [SortedRows.Key] = []
        for order in select.orderBy {
            guard case .property(let path) = order.expression.node, let name = path.firstName, !aliases.contains(name.lowercased()) else {
                return nil
            }
            let column =
                partial.results.firstIndex { $0.expression.node == order.expression.node }
                ?? {
                    partial.results.append(Select.Result(order.expression))
                    return partial.results.count - 1
                }()
            keys.append(SortedRows.Key(column: column, isDescending: order.isDescending))
        }
        if let wanted = limits.wanted, wanted <= ScanPlan.fewRows {
            partial.limit = QueryExpression(.integer(Int64(wanted)))
        } else {
            partial.orderBy = []
        }
        return (
            .sorted(keys: keys, columnCount: partial.results.count, limit: limits.limit, offset: limits.offset), partial
        )
    }

    var countsEntries: Bool { if case .entries = shape { true } else { false } }

    /// Finds the rows; nil if it turns out that SQLite has to.
    func rows(on snapshot: Snapshot) throws -> (any ComputedRows)? {
        switch try rowsFromPages(on: snapshot) {
        case .rows(let rows): return rows
        case .refused: return nil
        case .unsure: break
        }
        guard let scan, case .rows(let rows) = try rows(from: scan, on: snapshot) else { return nil }
        return rows
    }

    /// The same without SQLite.
    func rowsFromPages(on snapshot: Snapshot) throws -> Found {
        switch shape {
        case .plain:
            let rows: (any ComputedRows)? = try textScan?.rows(on: snapshot) ?? pageScan?.rows(on: snapshot)
            return rows.map(Found.rows) ?? .refused
        case .entries(let columnCount):
            guard let count = try snapshot.rowCountFromPages(ofTable: table) else { return .refused }
            return .rows(CountRow([Int64](repeating: count, count: columnCount)))
        case .counts, .groups, .sorted: break
        }
        if let textScan { return try rows(from: textScan, on: snapshot) }
        return try pageScan.map { try rows(from: $0, on: snapshot) } ?? .unsure
    }

    enum Found {
        case rows(any ComputedRows)
        case refused, unsure

        fileprivate init(_ outcome: ScanOutcome, _ rows: @autoclosure () -> any ComputedRows) {
            switch outcome {
            case .finished: self = .rows(rows())
            case .refused: self = .refused
            case .unsure: self = .unsure
            }
        }
    }

    private func rows(from source: some RowSource, on snapshot: Snapshot) throws -> Found {
        switch shape {
        case .plain, .entries: return .refused
        case .counts(let columnCount):
            let sinks = (0..<2).map { _ in CountedRows(columnCount: columnCount) }
            return Found(try source.run(on: snapshot, sinks), CountRow(adding: sinks))
        case .groups(let shape):
            let sinks = [shape.sink(mayAddFloats: false), shape.sink(mayAddFloats: false)]
            switch try source.run(on: snapshot, sinks) {
            case .finished: if sinks[0].merge(sinks[1]) { return .rows(shape.rows(sinks[0])) }
            case .refused: break
            case .unsure: return .unsure
            }
            guard SQLiteArithmetic.addsFloatsPlainly else { return .refused }
            let only = shape.sink(mayAddFloats: true)
            return Found(try source.run(on: snapshot, [only]), shape.rows(only))
        case .sorted(let keys, let columnCount, let limit, let offset):
            let wanted = limit.map { $0 + offset }
            let sinks = (0..<2).map { _ in
                SortedRows(keys: keys, columnCount: columnCount, limit: wanted, mostBytes: mostSortedBytes)
            }
            return Found(try source.run(on: snapshot, sinks), MergedRows(sinks, offset: offset, limit: limit))
        }
    }
}

extension PropertyPath {
    var firstName: String? {
        guard case .name(let name) = components.first else { return nil }
        return name
    }
}

/// `LIMIT` and `OFFSET`, where they are plain numbers.
struct Limits: Sendable {
    var limit: Int?
    var offset = 0
    /// How many of the first rows are needed.
    var wanted: Int? { limit.map { $0 + offset } }

    init?(_ select: Select) {
        if let expression = select.limit {
            guard case .integer(let number) = expression.node, (0...Int64(Int32.max)).contains(number) else { return nil }
            limit = Int(number)
        }
        if let expression = select.offset {
            guard case .integer(let number) = expression.node, (0...Int64(Int32.max)).contains(number) else { return nil }
            offset = Int(number)
        }
    }
}
