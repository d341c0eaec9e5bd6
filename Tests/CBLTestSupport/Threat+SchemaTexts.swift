/// Texts in the schema that are more than they seem, and entries that contradict each other.
extension Threat {
    static let schemaTexts: [Threat] = appended + lies + roots + shadows

    private static let payload = "; ATTACH '\(HostileScene.victimFile)' AS v; DELETE FROM v.precious; --"

    // SQLite itself reads only the first statement of a text. Who runs the text reads them all.
    private static let appended: [Threat] = [
        ("the documents", "name='kv_default'", "kv_default"), ("the notes", "name='kv_info'", "kv_info"),
        ("the counters", "name='kvmeta'", "kvmeta"),
        ("the index of expirations", "name='kv_default_expiration'", "kv_default"),
        ("a value index", "type='index' AND sql LIKE '%fl\\_value%' ESCAPE '\\' AND tbl_name LIKE 'kv_%'", "value index"),
        ("an array index", "type='index' AND sql LIKE '%fl\\_unnested%' ESCAPE '\\'", "array index"),
        ("a full-text index", "sql LIKE 'CREATE VIRTUAL TABLE%'", "fts"), ("the table of indexes", "name='indexes'", "indexes"),
        ("a trigger", "type='trigger'", "fts trigger"),
    ].map { what, condition, part in
        Threat("a statement behind the text of \(what)", occupies: [part, "text of \(what)"], sparesDocuments: part != "kv_info") {
            bundle in
            try bundle.edit { database in
                try database.rows(
                    "UPDATE sqlite_master SET sql = sql || ? WHERE rowid = (SELECT rowid FROM sqlite_master WHERE \(condition) AND sql IS NOT NULL LIMIT 1)",
                    [.text(payload)])
            }
        }
    }

    private static let lies: [Threat] = [
        Threat("an entry whose type is no type", occupies: ["lying type"]) { bundle in
            try bundle.edit { database in
                try database.execute("CREATE TABLE foreign_type (a)")
                try database.execute("UPDATE sqlite_master SET type='tabel' WHERE name='foreign_type'")
            }
        },
        Threat("a trigger that says it is an index", occupies: ["lying trigger"]) { bundle in
            try bundle.edit {
                try $0.addEntry(
                    "index", "foreign_lie", table: "kv_default",
                    sql: "CREATE TRIGGER foreign_lie AFTER UPDATE ON kvmeta BEGIN DELETE FROM kv_info; END")
            }
        },
        Threat("a table that says it is a trigger", occupies: ["kvmeta"]) { bundle in
            try bundle.edit { try $0.execute("UPDATE sqlite_master SET type='trigger' WHERE name='kvmeta'") }
        },
        Threat("two entries of one name", occupies: ["kv_default"]) { bundle in
            try bundle.edit { database in
                let page = try database.rootPage(of: "kv_info")
                try database.addEntry("table", "kv_default", table: "kv_default", rootPage: page, sql: try database.text(of: "kv_default"))
            }
        },
        Threat("an entry that is named otherwise than its text says", occupies: ["kv_info"], sparesDocuments: false) { bundle in
            try bundle.edit { try $0.execute("UPDATE sqlite_master SET sql=replace(sql, 'kv_info', 'kv_inform') WHERE name='kv_info'") }
        },
        Threat("entries without text", occupies: ["null text"]) { bundle in
            try bundle.edit { database in
                try database.addEntry("table", "kv_.nothing", table: "kv_.nothing", sql: nil)
                try database.addEntry("trigger", "foreign_nothing", table: "kv_default", sql: nil)
                try database.execute("INSERT INTO sqlite_master VALUES (NULL, NULL, NULL, NULL, NULL)")
            }
        },
        Threat("entries of wrong types", occupies: ["wrong types"]) { bundle in
            try bundle.edit { try $0.execute("INSERT INTO sqlite_master VALUES (x'FF', 17, -1, 'page', x'00')") }
        },
        Threat("an endless text", occupies: ["long text"]) { bundle in
            try bundle.edit { database in
                try database.addEntry(
                    "view", "foreign_long", table: "foreign_long",
                    sql: "CREATE VIEW foreign_long AS SELECT " + String(repeating: "(", count: 200_000) + "1"
                        + String(repeating: ")", count: 200_000))
            }
        },
    ]

    private static let roots: [Threat] = [
        Threat("two tables with one root", occupies: ["kv_default"]) { bundle in
            try bundle.edit { database in
                try database.execute(
                    "UPDATE sqlite_master SET rootpage=(SELECT rootpage FROM sqlite_master WHERE name='kv_info') WHERE name='kv_default'")
            }
        },
        Threat("documents whose root is the schema's", occupies: ["kv_default"]) { bundle in
            try bundle.edit { try $0.execute("UPDATE sqlite_master SET rootpage=1 WHERE name='kv_default'") }
        },
        Threat("notes whose root is an index's", occupies: ["kv_info"], sparesDocuments: false) { bundle in
            try bundle.edit { database in
                try database.execute(
                    "UPDATE sqlite_master SET rootpage=(SELECT rootpage FROM sqlite_master WHERE name='sqlite_autoindex_kv_default_1') WHERE name='kv_info'"
                )
            }
        },
        Threat("documents whose root is beyond the end", occupies: ["kv_default"]) { bundle in
            try bundle.edit { try $0.execute("UPDATE sqlite_master SET rootpage=2147483647 WHERE name='kv_default'") }
        },
        Threat("a collection whose root is negative", occupies: ["negative root"]) { bundle in
            try bundle.edit {
                try $0.addEntry(
                    "table", "kv_.below", table: "kv_.below", rootPage: -5, sql: "CREATE TABLE \"kv_.below\" (key TEXT PRIMARY KEY)")
            }
        },
    ]

    private static let shadows: [Threat] = [
        Threat("damaged segments of a full-text index", occupies: ["fts"], fits: { $0.indexes.count > 1 }) { bundle in
            try bundle.edit { database in
                for table in try database.tables() where table.hasSuffix("_segdir") {
                    try database.execute(
                        "UPDATE \(sqlName(table)) SET root=randomblob(900), end_block='999999999 99', leaves_end_block=9223372036854775807")
                }
                for table in try database.tables() where table.hasSuffix("_docsize") || table.hasSuffix("_stat") {
                    try database.execute(
                        "UPDATE \(sqlName(table)) SET \(table.hasSuffix("_stat") ? "value" : "size")=x'FFFFFFFFFFFFFFFFFF7F'")
                }
            }
        },
        Threat(
            "an endless view in the place of a full-text index's texts", occupies: ["fts"], foreign: ["_content"],
            fits: { $0.indexes.count > 1 }
        ) {
            bundle in
            try bundle.edit { database in
                for table in try database.tables() where table.hasSuffix("_content") {
                    try database.rows(
                        "UPDATE sqlite_master SET rootpage=0, sql=? WHERE name=?",
                        [
                            .text(
                                "CREATE VIEW \(sqlName(table)) AS \(HostileAct.endless) SELECT i AS docid, hex(zeroblob(100000000)) AS c0 FROM n"
                            ), .text(table),
                        ])
                }
            }
        },
        Threat("a full-text index with foreign options", occupies: ["fts"], foreign: ["::"], fits: { $0.indexes.count > 1 }) { bundle in
            try bundle.edit {
                try $0.execute(
                    "UPDATE sqlite_master SET sql=replace(sql, 'tokenize=', 'content=\"sqlite_master\", languageid=\"l\", tokenize=') WHERE sql LIKE 'CREATE VIRTUAL TABLE%'"
                )
            }
        },
        Threat("a full-text index with a foreign tokenizer", occupies: ["fts"], foreign: ["::"], fits: { $0.indexes.count > 1 }) { bundle in
            try bundle.edit {
                try $0.execute(
                    "UPDATE sqlite_master SET sql=replace(sql, 'unicodesn', 'foreign_tokenizer') WHERE sql LIKE 'CREATE VIRTUAL TABLE%'")
            }
        },
        Threat("absurd statistics", occupies: ["stat"]) { bundle in
            try bundle.edit { database in
                try database.execute("CREATE TABLE IF NOT EXISTS kv_dummy (a); DROP TABLE kv_dummy; ANALYZE kvmeta")
                try database.execute("DELETE FROM sqlite_stat1")
                for text in ["99999999999999999999 -1 0", "x", String(repeating: "1 ", count: 100_000), "unordered sz=-5 noskipscan"] {
                    try database.rows("INSERT INTO sqlite_stat1 VALUES ('kv_default', 'kv_default_expiration', ?)", [.text(text)])
                    try database.rows("INSERT INTO sqlite_stat1 VALUES ('kvmeta', NULL, ?)", [.text(text)])
                }
            }
        },
    ]
}
