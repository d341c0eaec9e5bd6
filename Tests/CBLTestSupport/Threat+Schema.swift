/// What foreign SQL does when it is run: delete what is there, take all time, all memory or all of the disk, or attack the process.
enum HostileAct: CaseIterable {
    case deletes, lasts, takesMemory, fills, attacks

    /// A statement, as the body of a trigger has it.
    var statement: String {
        switch self {
        case .deletes: "DELETE FROM kv_info"
        case .lasts: "SELECT (\(HostileAct.endless) SELECT count(*) FROM n)"
        case .takesMemory: "SELECT hex(zeroblob(400000000))"
        case .fills: "INSERT OR REPLACE INTO kv_info (key, body) VALUES ('x', zeroblob(250000000))"
        case .attacks: "SELECT fts3_tokenizer('simple', x'4141414141414141')"
        }
    }

    /// An expression over a row.
    var expression: String {
        switch self {
        case .deletes, .lasts: "(\(HostileAct.endless) SELECT count(*) FROM n)"
        case .takesMemory, .fills: "length(hex(zeroblob(400000000)))"
        case .attacks: "fts3_tokenizer('simple', x'4141414141414141')"
        }
    }

    static let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n)"
}

extension RawDatabase {
    /// A view that never ends, and says of itself that it is a table.
    func putEndlessView(inPlaceOf table: String) throws {
        let rows = "\(HostileAct.endless) SELECT 'doc' || i AS key, i AS sequence, 0 AS flags, x'11' AS version, x'7000' AS body, "
        try execute("DELETE FROM sqlite_master WHERE tbl_name=\(sqlText(table)) AND name<>\(sqlText(table))")
        try rows_(table, "CREATE VIEW \(sqlName(table)) AS \(rows) NULL AS expiration, NULL AS extra FROM n")
    }

    private func rows_(_ table: String, _ sql: String) throws {
        try rows("UPDATE sqlite_master SET type='table', rootpage=0, sql=? WHERE name=?", [.text(sql), .text(table)])
    }
}

/// Entries of the schema that no release of Couchbase Lite makes.
extension Threat {
    static let schemaObjects: [Threat] = triggers + views + tables + indexes + virtualTables + vectorTables

    private static let triggers: [Threat] = {
        let tables = ["kv_default", "kv_info", "kvmeta", "indexes"]
        let events = ["BEFORE INSERT", "AFTER INSERT", "BEFORE UPDATE", "AFTER UPDATE", "BEFORE DELETE", "AFTER DELETE"]
        var all: [Threat] = []
        for (place, table) in tables.enumerated() {
            for (number, event) in events.enumerated() {
                let act = HostileAct.allCases[(place * 2 + number) % HostileAct.allCases.count]
                let name = "foreign_\(table)_\(number)"
                all.append(
                    Threat(
                        "a trigger \(event) on \(table) that \(act)", occupies: ["trigger \(table) \(event)"], foreign: [name],
                        fits: { table != "indexes" || !$0.indexes.isEmpty && $0.description != "v2.x/upgrade_2.8_index" }
                    ) { bundle in
                        try bundle.edit { database in
                            try database.addEntry(
                                "trigger", name, table: table,
                                sql: "CREATE TRIGGER \(name) \(event) ON \(table) BEGIN \(act.statement); END")
                        }
                    })
            }
        }
        // One that has the name, and nearly the text, of one that a release makes.
        all.append(
            Threat(
                "a trigger of a full-text index that does more", occupies: ["fts trigger"], foreign: ["::ins"],
                fits: { $0.indexes.count > 1 }
            ) { bundle in
                try bundle.edit { database in
                    for row in try database.rows("SELECT name, sql FROM sqlite_master WHERE type='trigger' AND name LIKE '%::ins'").prefix(
                        1)
                    {
                        guard let name = row[0], let text = row[1] else { continue }
                        try database.setText(of: name, to: text.replacing("BEGIN ", with: "BEGIN DELETE FROM kv_info; "))
                    }
                }
            })
        return all
    }()

    private static let views: [Threat] = [
        Threat("a view that attacks", occupies: ["view"], foreign: ["foreign_view"]) { bundle in
            try bundle.edit {
                try $0.addEntry(
                    "view", "foreign_view", table: "foreign_view",
                    sql: "CREATE VIEW foreign_view AS SELECT \(HostileAct.attacks.expression) FROM pragma_table_list")
            }
        },
        Threat("a view with a trigger instead of writing", occupies: ["view with trigger"], foreign: ["foreign_view2", "foreign_instead"]) {
            bundle in
            try bundle.edit { database in
                try database.execute(
                    """
                    CREATE VIEW foreign_view2 AS SELECT * FROM kv_info;
                    CREATE TRIGGER foreign_instead INSTEAD OF INSERT ON foreign_view2 BEGIN DELETE FROM kv_info; END
                    """)
            }
        },
        Threat("an endless view in the place of the documents", occupies: ["kv_default"], foreign: ["kv_default"]) { bundle in
            try bundle.edit { try $0.putEndlessView(inPlaceOf: "kv_default") }
        },
        Threat("an endless view in the place of the notes", occupies: ["kv_info"], foreign: ["kv_info"], sparesDocuments: false) { bundle in
            try bundle.edit { try $0.putEndlessView(inPlaceOf: "kv_info") }
        },
        Threat("an endless view in the place of the counters", occupies: ["kvmeta"], foreign: ["kvmeta"]) { bundle in
            try bundle.edit { database in
                try database.execute("DELETE FROM sqlite_master WHERE tbl_name='kvmeta' AND name<>'kvmeta'")
                try database.rows(
                    "UPDATE sqlite_master SET type='table', rootpage=0, sql=? WHERE name='kvmeta'",
                    [.text("CREATE VIEW kvmeta AS \(HostileAct.endless) SELECT 'default' AS name, i AS lastSeq, i AS purgeCnt FROM n")])
            }
        },
        Threat("an endless view as a collection of its own", occupies: ["kv_.endless"], foreign: ["kv_.endless"]) { bundle in
            try bundle.edit { database in
                try database.execute("CREATE TABLE \"kv_.endless\" (x)")
                try database.putEndlessView(inPlaceOf: "kv_.endless")
            }
        },
        Threat("an endless view as a store of raw documents", occupies: ["kv_raw"], foreign: ["kv_raw"]) { bundle in
            try bundle.edit { database in
                try database.execute("CREATE TABLE kv_raw (x)")
                try database.putEndlessView(inPlaceOf: "kv_raw")
            }
        },
    ]

    private static let tables: [Threat] = [
        Threat("a table of somebody else", occupies: ["table"], foreign: ["foreign_table"]) { bundle in
            try bundle.edit { try $0.execute("CREATE TABLE foreign_table (a, b); INSERT INTO foreign_table VALUES (1, 2)") }
        },
        changedTable(
            "a generated column", "flags INTEGER DEFAULT 0",
            "flags INTEGER DEFAULT 0, foreign_column AS (\(HostileAct.takesMemory.expression))"),
        changedTable(
            "a CHECK that takes memory", "flags INTEGER DEFAULT 0",
            "flags INTEGER DEFAULT 0 CHECK (\(HostileAct.takesMemory.expression) > 0)"),
        changedTable(
            "a CHECK that attacks", "flags INTEGER DEFAULT 0", "flags INTEGER DEFAULT 0 CHECK (\(HostileAct.attacks.expression) IS NULL)"),
        changedTable(
            "a default that takes memory", "flags INTEGER DEFAULT 0", "flags INTEGER DEFAULT (\(HostileAct.takesMemory.expression))"),
        changedTable("another collation of keys", "key TEXT PRIMARY KEY", "key TEXT COLLATE NOCASE PRIMARY KEY"),
        changedTable("keys that are numbers", "key TEXT PRIMARY KEY", "key INTEGER PRIMARY KEY"),
        changedTable("no column of bodies", "body BLOB", "boody BLOB"),
        changedTable("a foreign key that deletes", "body BLOB", "body BLOB REFERENCES kv_info(key) ON DELETE CASCADE"),
    ]

    /// A table of documents whose text is not what a release writes.
    private static func changedTable(_ what: String, _ old: String, _ new: String) -> Threat {
        Threat("documents with \(what)", occupies: ["kv_default"], foreign: ["kv_default"]) { bundle in
            try bundle.edit { database in
                guard let text = try database.text(of: "kv_default") else { return }
                try database.setText(of: "kv_default", to: text.replacing(old, with: new))
            }
        }
    }

    /// The tables of vector indexes, which a base may have or not, as somebody else would make them.
    private static let vectorTables: [Threat] =
        ["vx_indexes", "vx_models", "vx_lists", "vx_pending"].enumerated().flatMap { number, table in
            let act = HostileAct.allCases[number % HostileAct.allCases.count]
            let trigger = "foreign_\(table)_written"
            return [
                Threat("a trigger on \(table) that \(act)", occupies: ["trigger \(table)"], foreign: [trigger], fits: \.hasVectors) {
                    bundle in
                    try bundle.edit { database in
                        try database.addEntry(
                            "trigger", trigger, table: table,
                            sql: "CREATE TRIGGER \(trigger) AFTER INSERT ON \(table) BEGIN \(act.statement); END")
                    }
                },
                Threat("an endless view in the place of \(table)", occupies: [table], foreign: [table], fits: \.hasVectors) { bundle in
                    try bundle.edit { database in
                        try database.execute("DELETE FROM sqlite_master WHERE tbl_name='\(table)' AND name<>'\(table)'")
                        let columns = try database.columns(of: table).map { "i AS \($0)" }.joined(separator: ", ")
                        try database.rows(
                            "UPDATE sqlite_master SET type='table', rootpage=0, sql=? WHERE name=?",
                            [.text("CREATE VIEW \(table) AS \(HostileAct.endless) SELECT \(columns) FROM n"), .text(table)])
                    }
                },
                Threat("\(table) with another column", occupies: [table], foreign: [table], fits: \.hasVectors) { bundle in
                    try bundle.edit { database in
                        guard let text = try database.text(of: table) else { return }
                        let column = "foreign_column AS (\(act.expression)), "
                        let key = table == "vx_lists" ? "(place " : "(id "
                        try database.setText(of: table, to: text.replacing(key, with: "(\(column)" + key.dropFirst()))
                    }
                },
                Threat("\(table) is gone", occupies: [table], fits: \.hasVectors) { bundle in
                    try bundle.edit { try $0.execute("DROP TABLE \(table)") }
                },
            ]
        }

    private static let indexes: [Threat] = HostileAct.allCases.map { act in
        let name = "foreign_index_\(act)"
        return Threat("an index on an expression that \(act)", occupies: [name], foreign: [name]) { bundle in
            try bundle.edit { database in
                try database.execute("CREATE INDEX \(name) ON kv_default (sequence)")
                try database.setText(of: name, to: "CREATE INDEX \(name) ON kv_default (\(act.expression))")
            }
        }
    }

    private static let virtualTables: [Threat] =
        [
            "fts3tokenize(simple)", "dbstat", "rtree(id, a, b)", "csv(filename='\(HostileScene.victimText)')", "fts5(text)",
            "fts4aux(main, kv_info)",
            "zipfile('\(HostileScene.victimText)')", "fsdir('..')", "sqlite_dbpage", "bytecode", "generate_series",
            "fts4(text, tokenize=icu)",
        ].enumerated().map { number, module in
            let name = "foreign_virtual_\(number)"
            return Threat("a virtual table of \(module)", occupies: [name], foreign: [name]) { bundle in
                try bundle.edit { try $0.addEntry("table", name, table: name, sql: "CREATE VIRTUAL TABLE \(name) USING \(module)") }
            }
        } + [
            Threat("documents in a virtual table", occupies: ["kv_default"], foreign: ["kv_default"]) { bundle in
                try bundle.edit { database in
                    try database.execute("DELETE FROM sqlite_master WHERE tbl_name='kv_default' AND name<>'kv_default'")
                    try database.rows(
                        "UPDATE sqlite_master SET rootpage=0, sql=? WHERE name='kv_default'",
                        [.text("CREATE VIRTUAL TABLE kv_default USING fts4(key, sequence, flags, version, body, expiration, extra)")])
                }
            }
        ]
}
