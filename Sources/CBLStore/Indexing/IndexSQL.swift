import CBLSQLite

/// The texts that make indexes in a file of some generation, as the vendor's library of that time writes and compares them: every blank counts.
struct IndexSQL {
    let generation: SchemaGeneration

    /// A table that an index is kept in: how it is made, filled, and kept right.
    struct Table: Hashable {
        /// Its name in the file.
        let name: String
        let creation: String
        /// Statements that fill it; for a full-text table they write to its shadow tables.
        let population: [String]
        /// Each with the last part of its name.
        let triggers: [Trigger]

        var definition: [String] { [creation] + triggers.map(\.sql) }
    }

    struct Trigger: Hashable {
        let name: String
        let sql: String
    }

    /// The table that lists the indexes. Columns that came later are at other places in upgraded files.
    var registry: String {
        let start = "CREATE TABLE indexes (name TEXT PRIMARY KEY, type INTEGER NOT NULL, keyStore TEXT NOT NULL, expression TEXT, "
        if generation.keepsConditions { return start + "whereClause TEXT, indexTableName TEXT, lastSeq TEXT)" }
        return start + (generation.readsSeparators ? "indexTableName TEXT, lastSeq TEXT)" : "indexTableName TEXT)")
    }

    /// An SQL index. `expressions` are about columns of the table.
    func valueIndex(_ name: String, on table: String, _ expressions: [String], _ condition: String? = nil) -> String {
        let start = "CREATE INDEX \(identifier(name)) ON \(identifier(table)) (\(expressions.joined(separator: ", ")))"
        return condition.map { "\(start) WHERE \($0)" } ?? start
    }

    /// A name, in quotes only where it needs them; 2.x always used them for indexes.
    private func identifier(_ name: String) -> String {
        generation.separatesBodies ? IndexSQL.identifier(name) : quoted(identifier: name)
    }

    /// A name, in quotes only where it needs them. The vendor's library leaves them out before SQL's own words too, and fails over those here.
    static func identifier(_ name: String) -> String {
        if reserved.contains(name.lowercased()) { return quoted(identifier: name) }
        var isBare = true
        for (place, byte) in name.utf8.enumerated() {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"): continue
            case UInt8(ascii: "0")...UInt8(ascii: "9") where place > 0: continue
            default: isBare = false
            }
        }
        return isBare && !name.isEmpty ? name : quoted(identifier: name)
    }

    /// The words that SQLite does not take as names without quotes.
    private static let reserved: Set<String> = [
        "add", "all", "alter", "and", "as", "autoincrement", "between", "case", "check", "collate", "commit", "constraint", "create",
        "default", "deferrable", "delete", "distinct", "drop", "else", "escape", "except", "exists", "foreign", "from", "group", "having",
        "if", "in", "index", "insert", "intersect", "into", "is", "isnull", "join", "limit", "not", "nothing", "notnull", "null", "on",
        "or",
        "order", "primary", "references", "returning", "select", "set", "table", "then", "to", "transaction", "union", "unique", "update",
        "using", "values", "when", "where",
    ]

    /// A collection's table, as triggers name it.
    private func triggerTarget(_ live: String) -> String {
        generation.hasCollections ? quoted(identifier: live) : IndexSQL.identifier(live)
    }

    private static func trigger(_ kind: String, of table: String, _ event: String, on target: String, _ when: String, _ action: String)
        -> Trigger
    {
        let name = quoted(identifier: "\(table)::\(kind)")
        return Trigger(name: kind, sql: "CREATE TRIGGER \(name) \(event) ON \(target) \(when)  BEGIN \(action); END")
    }

    // Full-text indexes

    func fullTextTableName(_ index: String, of live: String) -> String { "\(live)::\(escaped(index))" }

    /// The virtual table of a full-text index. `properties` are paths; `condition` is about the row `new`.
    func fullTextTable(_ name: String, of live: String, _ properties: [String], module: String, _ condition: String?) -> Table {
        let (table, target) = (quoted(identifier: name), triggerTarget(live))
        let columns = properties.map { quoted(identifier: $0) }.joined(separator: ", ")
        let texts = properties.map { "fl_fts_value(new.body, \(quoted(literal: $0)))" }.joined(separator: ", ")
        let new = condition.map { "WHEN \($0)" } ?? ""
        let old = condition.map { "WHEN \(ExpressionCheck.replacing(row: "new", by: "old", in: $0))" } ?? ""
        let insertion = "INSERT INTO \(table) (docid, \(columns)) VALUES (new.rowid, \(texts))"
        let deletion = "DELETE FROM \(table) WHERE docid = old.rowid"
        let source = "\(quoted(identifier: live)) AS new" + (condition.map { " WHERE \($0)" } ?? "")
        let content = properties.enumerated().map { quoted(identifier: "c\($0)\($1)") }.joined(separator: ", ")
        return Table(
            name: name, creation: "CREATE VIRTUAL TABLE \(table) USING \(module)",
            // As a row by row insertion into the virtual table would do it, in less than half the time: the benchmark `mkfts`.
            population: [
                "INSERT INTO \(quoted(identifier: name + "_content")) (docid, \(content)) SELECT new.rowid, \(texts) FROM \(source)",
                "INSERT INTO \(table) (\(table)) VALUES ('rebuild')",
            ],
            triggers: [
                IndexSQL.trigger("ins", of: name, "AFTER INSERT", on: target, new, insertion),
                IndexSQL.trigger("del", of: name, "AFTER DELETE", on: target, old, deletion),
                IndexSQL.trigger("preupdate", of: name, "BEFORE UPDATE OF body", on: target, old, deletion),
                IndexSQL.trigger("postupdate", of: name, "AFTER UPDATE OF body", on: target, new, insertion),
            ])
    }

    static func fullTextModule(_ properties: [String], tokenizer: String) -> String {
        "fts4(\(properties.map { quoted(identifier: $0) }.joined(separator: ", ")), tokenize=\(tokenizer))"
    }

    /// Capitals are escaped, since SQLite's table names ignore case and names of indexes do not.
    private func escaped(_ name: String) -> String {
        guard generation.hasCollections else { return name }
        var result = ""
        for character in name.unicodeScalars {
            if ("A"..."Z").contains(character) { result.unicodeScalars.append("\\") }
            result.unicodeScalars.append(character)
        }
        return result
    }

    // Predictive indexes

    func predictionTableName(_ digest: String, of live: String) -> String { "\(live):predict:\(escaped(digest))" }

    /// The table of what a model answers for each document, by the document's row. `call` is about the row `new`. No answer is no row: the
    /// table passes over NULL.
    func predictionTable(_ name: String, of live: String, _ call: String) -> Table {
        let (table, target) = (quoted(identifier: name), triggerTarget(live))
        let insertion = "INSERT INTO \(table) (docid, body) VALUES (new.rowid, \(call))"
        let deletion = "DELETE FROM \(table) WHERE docid = old.rowid"
        return Table(
            name: name,
            creation:
                "CREATE TABLE \(table) (docid INTEGER PRIMARY KEY REFERENCES \(target)(rowid),  body BLOB NOT NULL ON CONFLICT IGNORE) WITHOUT ROWID",
            population: [IndexSQL.predictions(for: name, of: live, call)],
            triggers: [
                IndexSQL.trigger("ins", of: name, "AFTER INSERT", on: target, "WHEN (new.flags & 1) = 0", insertion),
                IndexSQL.trigger("del", of: name, "BEFORE DELETE", on: target, "WHEN (old.flags & 1) = 0", deletion),
                IndexSQL.trigger("preupdate", of: name, "BEFORE UPDATE OF body, flags", on: target, "WHEN (old.flags & 1) = 0", deletion),
                IndexSQL.trigger("postupdate", of: name, "AFTER UPDATE OF body, flags", on: target, "WHEN (new.flags) & 1 = 0", insertion),
            ])
    }

    /// Asks the model about all documents.
    static func predictions(for table: String, of live: String, _ call: String) -> String {
        "INSERT INTO \(quoted(identifier: table)) (docid, body) SELECT new.rowid, \(call) FROM \(quoted(identifier: live)) AS new WHERE (new.flags & 1) = 0"
    }

    // Array indexes

    /// The name that `indexes` has for the table of an array. Each level is a path from an item of the one before.
    func unnestTableName(_ levels: [String], of live: String) -> String {
        "\(live):unnest:\(levels.map(escaped).joined(separator: "[]."))"
    }

    /// The levels of such a name; nil if it is none.
    func levels(ofUnnestTable plain: String, of live: String) -> [String]? {
        let start = live + ":unnest:"
        guard plain.hasPrefix(start), !plain.utf8.contains(UInt8(ascii: "\"")) else { return nil }
        let levels = plain.dropFirst(start.count).split(separator: "[].", omittingEmptySubsequences: false)
        guard !levels.contains(where: \.isEmpty) else { return nil }
        return levels.map { generation.hasCollections ? IndexSQL.unescaped($0) : String($0) }
    }

    /// The tables of an array, the outermost first.
    func unnestTables(_ levels: [String], of live: String) -> [Table] {
        var tables: [Table] = []
        for depth in levels.indices {
            let plain = unnestTableName(Array(levels[...depth]), of: live)
            let name = generation.hashesUnnestTables ? Schema.hashedName(ofIndexTable: plain) : plain
            tables.append(unnestTable(name, of: tables.last?.name ?? live, path: levels[depth], isNested: depth > 0))
        }
        return tables
    }

    /// The table of the items of an array. Its parent is a collection's table, or that of the array around it.
    func unnestTable(_ table: String, of parent: String, path: String, isNested: Bool) -> Table {
        let (name, owner) = (IndexSQL.identifier(table), IndexSQL.identifier(parent))
        // Until tables were hashed, rows had no number of their own, and triggers named the collection as everywhere else.
        let ending = generation.hashesUnnestTables ? "" : " WITHOUT ROWID"
        let target = generation.hashesUnnestTables ? owner : triggerTarget(parent)
        let insertion = "INSERT INTO \(name) (docid, i, body) SELECT new.rowid, _each.rowid, _each.value FROM "
        let each = "fl_each(new.body, \(quoted(literal: path))) AS _each "
        let deletion = "DELETE FROM \(name) WHERE docid = old.rowid"
        func trigger(_ kind: String, _ event: String, _ when: String, _ action: String) -> Trigger {
            IndexSQL.trigger(kind, of: table, event, on: target, isNested ? "" : "WHEN " + when, action)
        }
        var triggers = [
            trigger("ins", "AFTER INSERT", "(new.flags & 1) = 0", insertion + each),
            trigger("del", "BEFORE DELETE", "(old.flags & 1) = 0", deletion),
        ]
        if !isNested {
            triggers += [
                trigger("preupdate", "BEFORE UPDATE OF body, flags", "(old.flags & 1) = 0", deletion),
                trigger("postupdate", "AFTER UPDATE OF body, flags", "(new.flags & 1 = 0)", insertion + each),
            ]
        }
        return Table(
            name: table,
            creation:
                "CREATE TABLE \(name) (docid INTEGER NOT NULL REFERENCES \(owner)(rowid),  i INTEGER NOT NULL, body BLOB NOT NULL,  CONSTRAINT pk PRIMARY KEY (docid, i))\(ending)",
            population: ["\(insertion)\(owner) AS new, \(each)\(isNested ? "" : "WHERE (new.flags & 1) = 0")"], triggers: triggers)
    }

    /// A path without the backslashes that a table's name has before capitals; others belong to the path.
    static func unescaped(_ path: Substring) -> String {
        var result = ""
        var isEscaped = false
        for character in path.unicodeScalars {
            if isEscaped, !("A"..."Z").contains(character) { result.unicodeScalars.append("\\") }
            isEscaped = character == "\\"
            if !isEscaped { result.unicodeScalars.append(character) }
        }
        return isEscaped ? result + "\\" : result
    }
}

extension SchemaGeneration {
    /// The table of indexes has their conditions. Before, these were part of the expression.
    var keepsConditions: Bool { rawValue >= 503 }
    /// Tables of arrays are named by a digest, and arrays in arrays have one too.
    var hashesUnnestTables: Bool { rawValue >= 502 }
    /// There is a table of indexes; without one they are recognised in SQLite's own.
    var listsIndexes: Bool { rawValue >= 301 }
}

extension SchemaGeneration {
    /// Whether all releases that write this generation have a function. One that they lack would keep them from writing documents.
    func knows(function: String) -> Bool {
        switch function {
        case "div", "idiv", "isvalued", "round_even": rawValue >= 400
        case "date_add_millis", "date_add_str", "date_diff_millis", "date_diff_str", "millis_to_tz", "str_to_tz": rawValue >= 501
        default: true
        }
    }
}
