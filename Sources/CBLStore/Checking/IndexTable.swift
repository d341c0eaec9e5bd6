import CBLSQLite

/// The table of a full-text, array or predictive index: how it is filled from documents, and what keeps it right. The texts are those of the vendor's
/// library, byte for byte.
struct IndexTable {
    enum Kind { case fullText, array, predictive }

    let kind: Kind
    /// The table's name in the file.
    let name: String
    /// The first index that is kept in it, to name it by.
    let owner: String
    let collection: CollectionName?
    /// The table that it is filled from: a collection's, or for nested arrays another array's.
    let parent: String
    /// The names of its columns, for a full-text index.
    let columns: [String]
    /// What stands behind `USING`.
    let module: String
    /// SQL expressions of `new`, one for each column.
    private let expressions: [String]
    /// Which rows are in a full-text index, in terms of `new`; nil for all.
    private let condition: String?
    private let isNested: Bool
    /// Where the items of an array are in its parent's bodies.
    private let path: String
    private let writer: IndexSQL

    /// The name that a table of `indexes` has in the file; nil if it is not there.
    static func realName(_ name: String, in catalog: Catalog) -> String? {
        if catalog.indexTables[name] != nil { return name }
        let hashed = Schema.hashedName(ofIndexTable: name)
        return catalog.indexTables[hashed] != nil ? hashed : nil
    }

    /// The triggers of a table, by the last part of their names.
    static func triggers(of table: String, on connection: Connection) throws -> [String: String] {
        try connection.withStatement("SELECT name, sql FROM sqlite_master WHERE type='trigger'") { row in
            var triggers: [String: String] = [:]
            while try row.step() {
                guard let name = row.string(0), name.utf8.starts(with: (table + "::").utf8) else { continue }
                triggers[String(decoding: name.utf8.dropFirst(table.utf8.count + 2), as: UTF8.self)] = row.string(1) ?? ""
            }
            return triggers
        }
    }

    /// The columns of the table that FTS keeps texts in, quoted, in the order of the index's own.
    static func contentColumns(of table: String, on connection: Connection) throws -> [String] {
        try connection.withStatement("SELECT name FROM pragma_table_info(?) ORDER BY cid") { row in
            try row.bind(table + "_content", 1)
            var names: [String] = []
            while try row.step() { names.append(quoted(identifier: row.string(0) ?? "")) }
            return Array(names.dropFirst())
        }
    }

    /// The tables of all full-text, array and predictive indexes that are there, each once; those that others are filled from first.
    static func all(in snapshot: Snapshot) throws -> [IndexTable] {
        var tables: [IndexTable] = []
        for index in try snapshot.indexes() {
            guard let plain = index.tableName, let live = snapshot.catalog.stores[index.keyStore] else { continue }
            if index.kind == .fullText {
                if let table = try IndexTable(fullText: index, plain, live, snapshot) { tables.append(table) }
            } else if index.kind == .predictive {
                if let table = try IndexTable(predictive: index, plain, live, snapshot) { tables.append(table) }
            } else if index.kind == .array {
                // An array in an array is filled from the table of the outer one, which need not have an index.
                let levels = plain.split(separator: "[].").map(String.init)
                for depth in levels.indices {
                    let name = levels[...depth].joined(separator: "[].")
                    let outer = depth == 0 ? nil : levels[..<depth].joined(separator: "[].")
                    if let table = IndexTable(array: index, name, outer, path: levels[depth], live, snapshot) { tables.append(table) }
                }
            }
        }
        var known: Set<String> = []
        return tables.filter { known.insert($0.name).inserted }.sorted { !$0.isNested && $1.isNested }
    }

    private init?(fullText index: StoredIndex, _ name: String, _ live: KeyTable, _ snapshot: Snapshot) throws {
        guard case .fullText(let columns, let tokenizer)? = snapshot.catalog.indexTables[name] else { return nil }
        module = IndexSQL.fullTextModule(columns, tokenizer: tokenizer)
        kind = .fullText
        self.name = name
        owner = index.name
        collection = index.collection
        parent = live.name
        self.columns = columns
        expressions = columns.map { "fl_fts_value(new.body, \(quoted(literal: $0)))" }
        isNested = false
        path = ""
        writer = IndexSQL(generation: snapshot.generation)
        // The condition in SQL stands in the triggers alone.
        let triggers = try IndexTable.triggers(of: name, on: snapshot.connection)
        var found: String?
        for (place, row) in [("ins", "new"), ("postupdate", "new"), ("del", "old"), ("preupdate", "old")] where found == nil {
            let trigger = triggers[place].flatMap { SchemaTrigger(name: "\(name)::\(place)", $0) }
            guard let condition = trigger?.condition else { continue }
            found = row == "new" ? condition : ExpressionCheck.replacing(row: "old", by: "new", in: condition)
        }
        condition = found
    }

    private init?(predictive index: StoredIndex, _ name: String, _ live: KeyTable, _ snapshot: Snapshot) throws {
        guard case .predictions(live.name)? = snapshot.catalog.indexTables[name],
            let call = try IndexTable.predictiveCall(ofTable: name, on: snapshot.connection)
        else { return nil }
        kind = .predictive
        self.name = name
        owner = index.name
        collection = index.collection
        parent = live.name
        columns = []
        module = ""
        expressions = [call]
        condition = nil
        isNested = false
        path = ""
        writer = IndexSQL(generation: snapshot.generation)
    }

    /// What the table of a predictive index is filled with; only its triggers have it in SQL. Nil if they are gone.
    static func predictiveCall(ofTable table: String, on connection: Connection) throws -> String? {
        let triggers = try triggers(of: table, on: connection)
        return ["ins", "postupdate"].lazy.compactMap { place in
            triggers[place].flatMap { SchemaTrigger(name: "\(table)::\(place)", $0) }?.inserted
        }.first
    }

    private init?(array index: StoredIndex, _ plain: String, _ outer: String?, path: String, _ live: KeyTable, _ snapshot: Snapshot) {
        guard let name = IndexTable.realName(plain, in: snapshot.catalog) else { return nil }
        let level = outer == nil ? path.firstRange(of: ":unnest:").map { String(path[$0.upperBound...]) } ?? path : path
        kind = .array
        self.name = name
        owner = index.name
        collection = index.collection
        guard let parent = outer == nil ? live.name : outer.flatMap({ IndexTable.realName($0, in: snapshot.catalog) }) else { return nil }
        self.parent = parent
        isNested = outer != nil
        columns = []
        module = ""
        self.path = IndexSQL.unescaped(level[...])
        expressions = [quoted(literal: self.path)]
        condition = nil
        writer = IndexSQL(generation: snapshot.generation)
    }
}

extension IndexTable {
    /// The triggers that there should be.
    var triggers: [IndexSQL.Trigger] {
        switch kind {
        case .fullText: writer.fullTextTable(name, of: parent, columns, module: module, condition).triggers
        case .array: writer.unnestTable(name, of: parent, path: path, isNested: isNested).triggers
        case .predictive: writer.predictionTable(name, of: parent, expressions[0]).triggers
        }
    }

    /// Queries that give nothing if the table is right, each with what a row of it means: `%` stands for the first column.
    var comparisons: [(message: String, sql: String)] {
        let owner = quoted(identifier: parent)
        switch kind {
        case .fullText:
            let content = quoted(identifier: name + "_content")
            let rows = condition.map { " AND (\($0))" } ?? ""
            let texts = zip(columns.indices, expressions).map { "content.\(quoted(identifier: "c\($0)\(columns[$0])")) IS NOT \($1)" }
            return [
                (
                    "the document \"%\" is not in it",
                    "SELECT key FROM \(owner) AS new WHERE rowid NOT IN (SELECT docid FROM \(content))\(rows)"
                ),
                (
                    "it has an entry that no document belongs to (number %)",
                    "SELECT docid FROM \(content) WHERE docid NOT IN (SELECT rowid FROM \(owner) AS new WHERE 1\(rows))"
                ),
                (
                    "its text of the document \"%\" is another than the document's",
                    "SELECT key FROM \(owner) AS new JOIN \(content) AS content ON content.docid = new.rowid WHERE (\(texts.joined(separator: " OR ")))\(rows)"
                ),
            ]
        case .array:
            let table = quoted(identifier: name)
            let key = isNested ? "'row ' || docid" : "coalesce((SELECT key FROM \(owner) AS o WHERE o.rowid = docid), 'row ' || docid)"
            return [
                ("items of \"%\" are missing", "SELECT DISTINCT \(key) FROM (\(freshItems) EXCEPT SELECT docid, i, body FROM \(table))"),
                (
                    "items of \"%\" are not in the document",
                    "SELECT DISTINCT \(key) FROM (SELECT docid, i, body FROM \(table) EXCEPT \(freshItems))"
                ),
            ]
        case .predictive:
            let stray = "SELECT docid FROM \(quoted(identifier: name)) WHERE \(strayPredictions)"
            return [("it has an answer about a document that is not there (number %)", stray)]
        }
    }

    // A document without an entry is one that the model had no answer for.
    private var strayPredictions: String {
        "docid NOT IN (SELECT rowid FROM \(quoted(identifier: parent)) WHERE (flags & 1) = 0)"
    }

    private var freshItems: String {
        let condition = isNested ? "" : " WHERE (new.flags & 1) = 0"
        return
            "SELECT new.rowid AS docid, _each.rowid AS i, _each.value AS body FROM \(quoted(identifier: parent)) AS new, fl_each(new.body, \(expressions[0])) AS _each\(condition)"
    }

    /// The statements that empty the table and fill it from its documents.
    var rebuilding: [String] {
        let table = quoted(identifier: name)
        switch kind {
        case .fullText:
            let fresh = writer.fullTextTable(name, of: parent, columns, module: module, condition)
            return ["DROP TABLE IF EXISTS \(table)", fresh.creation] + fresh.population
        case .array: return ["DELETE FROM \(table)", "INSERT INTO \(table) (docid, i, body) \(freshItems)"]
        // The model may not be there to ask again.
        case .predictive: return ["DELETE FROM \(table) WHERE \(strayPredictions)"]
        }
    }
}
