/// What a stranger writes into the tables that a release makes.
extension Threat {
    /// Rows of the table of indexes: names, tables and expressions that are not those of an index.
    static let indexRows: [Threat] =
        [
            "kv_default", "kv_info", "kvmeta", "indexes", "sqlite_master", "sqlite_autoindex_kv_default_1", "v.precious",
            #"a" ; DROP TABLE kv_default; --"#,
        ].flatMap { (table: String) in
            [1, 2, 4].map { (type: Int) in
                indexRow(
                    "an index of type \(type) whose table is \(table)", name: "foreign\(type)", type: type,
                    expression: "=j[[\".a\"]]", table: table)
            }
        } + [
            indexRow("an index of an unknown type", name: "foreign", type: 999, expression: "=j[[\".a\"]]", table: nil),
            indexRow(
                "an index whose expression is SQL", name: "foreign", type: 0, expression: "=n1) ; DELETE FROM kv_info; --", table: nil),
            indexRow(
                "an index whose expression is deep", name: "foreign", type: 0, expression: "=j" + String(repeating: "[", count: 300_000),
                table: nil),
            indexRow("an index whose name is that of a table", name: "kv_default", type: 0, expression: "=j[[\".a\"]]", table: nil),
            indexRow(
                "an index whose name is that of an index of SQLite's", name: "kv_default_expiration", type: 0, expression: "=j[[\".a\"]]",
                table: nil),
        ]
        + HostileNames.quotes.enumerated().flatMap { number, quote in
            HostileNames.payloads.enumerated().map { other, payload in
                let name = "x\(quote)\(payload)"
                return indexRow(
                    "an index with quote \(number) and payload \(other)", name: name, type: number % 3, expression: "=j[[\".a\(name)\"]]",
                    table: number % 3 == 0 ? nil : "kv_default::\(name)")
            }
        }

    private static func indexRow(_ what: String, name: String, type: Int, expression: String, table: String?) -> Threat {
        Threat(what, occupies: ["index row \(name)"]) { bundle in
            try bundle.edit { database in
                if try !database.has("indexes") {
                    try database.execute(
                        "CREATE TABLE indexes (name TEXT PRIMARY KEY, type INTEGER NOT NULL, keyStore TEXT NOT NULL, expression TEXT, indexTableName TEXT)"
                    )
                }
                try database.rows(
                    "INSERT OR REPLACE INTO indexes (name, type, keyStore, expression, indexTableName) VALUES (?, ?, 'default', ?, ?)",
                    [.text(name), .integer(Int64(type)), .text(expression), table.map(RawDatabase.Value.text) ?? .null])
            }
        }
    }

    /// Absurd values in every column of every table, of which the seed decides which goes where.
    static let rows: [Threat] =
        ["kv_default", "kv_info", "kvmeta", "indexes", "other tables"].flatMap { table in
            [false, true].map { wholeTable in
                Threat(
                    "absurd values \(wholeTable ? "everywhere" : "here and there") in \(table)", occupies: [table, "values"],
                    sparesDocuments: table == "kvmeta" || table == "indexes"
                ) { bundle in
                    try bundle.edit { database in
                        let tables = try database.tables()
                        let chosen =
                            table == "other tables"
                            ? tables.filter { !["kv_default", "kv_info", "kvmeta", "indexes"].contains($0) } : tables.filter { $0 == table }
                        for table in chosen { try bundle.putAbsurdValues(in: table, of: database, everywhere: wholeTable) }
                    }
                }
            }
        } + [
            Threat("the newest of sequences", occupies: ["sequences"]) { bundle in
                try bundle.edit { database in
                    try database.execute("UPDATE kvmeta SET lastSeq=9223372036854775807, purgeCnt=9223372036854775807")
                    try database.execute(
                        "UPDATE OR IGNORE kv_default SET sequence=9223372036854775807 WHERE rowid=(SELECT max(rowid) FROM kv_default)")
                    try database.execute(
                        "UPDATE OR IGNORE kv_default SET sequence=-9223372036854775808 WHERE rowid=(SELECT min(rowid) FROM kv_default)")
                }
            },
            Threat("giant documents of nothing", occupies: ["giants"]) { bundle in
                try bundle.edit { database in
                    try database.execute(
                        "INSERT INTO kv_default (key, sequence, flags, version, body) SELECT 'giant' || value, 100000 + value, 0, x'01', zeroblob(3000000) FROM (SELECT 1 AS value UNION SELECT 2)"
                    )
                }
            },
        ]

    /// Names that end quotes, in the places of a file where a name may stand.
    static let names: [Threat] = (0..<12).flatMap { seed in
        [
            Threat("documents with hostile IDs, \(seed)", occupies: ["IDs \(seed)"]) { bundle in
                try bundle.edit { database in
                    let names = HostileNames.all(seed: UInt64(seed)).prefix(12) + HostileNames.awkward
                    // Whole documents but for their names.
                    let columns = try database.columns(of: "kv_default").filter { $0 != "key" && $0 != "sequence" && $0 != "expiration" }
                        .joined(separator: ", ")
                    for (number, name) in names.enumerated() {
                        try database.rows(
                            """
                            INSERT OR IGNORE INTO kv_default (key, sequence, \(columns))
                            SELECT ?, 1000000 + ?, \(columns) FROM kv_default WHERE flags & 7 = 0 LIMIT 1
                            """, [.text(name), .integer(Int64(seed * 1000 + number))])
                    }
                }
            },
            Threat("collections with hostile names, \(seed)", occupies: ["collections \(seed)"]) { bundle in
                try bundle.edit { database in
                    let names = HostileNames.all(seed: UInt64(seed) + 100).prefix(6) + HostileNames.awkward.suffix(4)
                    for name in names where !name.contains("\0") {
                        for prefix in ["kv_.", "kv_del_.", "kv_", "kv_.scope."] {
                            try database.execute(
                                "CREATE TABLE IF NOT EXISTS \(sqlName(prefix + name)) (  key TEXT PRIMARY KEY,  sequence INTEGER,  flags INTEGER DEFAULT 0,  version BLOB,  body BLOB,  expiration INTEGER,  extra BLOB)"
                            )
                        }
                        try database.rows("INSERT OR IGNORE INTO kvmeta (name, lastSeq) VALUES (?, 1)", [.text("." + name)])
                    }
                }
            },
            Threat("indexes and columns with hostile names, \(seed)", occupies: ["index names \(seed)"]) { bundle in
                try bundle.edit { database in
                    for (number, name) in HostileNames.all(seed: UInt64(seed) + 200).prefix(6).enumerated() {
                        try database.execute("CREATE INDEX IF NOT EXISTS \(sqlName(name)) ON kv_default (sequence)")
                        try database.execute("CREATE TABLE IF NOT EXISTS \(sqlName("kv_default::\(name)")) (a, \(sqlName(name)))")
                        try database.addEntry(
                            "table", "kv_default::fts\(seed)\(number)", table: "kv_default::fts\(seed)\(number)",
                            sql:
                                "CREATE VIRTUAL TABLE \(sqlName("kv_default::fts\(seed)\(number)")) USING fts4(\(sqlName(name)), tokenize=unicodesn \(sqlName("stopwordlist=" + name)))"
                        )
                    }
                }
            },
        ]
    }
}

extension HostileBundle {
    func putAbsurdValues(in table: String, of database: RawDatabase, everywhere: Bool) throws {
        for column in try database.columns(of: table) {
            for _ in 0..<(everywhere ? 12 : 3) {
                let (value, remainder) = withRandom { random in (Absurd.value(&random), random.below(7)) }
                // Some values break a rule of the table, and are left out.
                _ = try? database.rows(
                    "UPDATE OR IGNORE \(sqlName(table)) SET \(sqlName(column))=? WHERE (length(quote(\(sqlName(column)))) + length(\(sqlName(column)))) % 7 = ?",
                    [value, .integer(Int64(remainder))])
            }
        }
    }
}

/// Values that no column expects.
enum Absurd {
    static func value(_ random: inout SeededRandom) -> RawDatabase.Value {
        switch random.below(12) {
        case 0: .null
        case 1: .integer(.max)
        case 2: .integer(.min)
        case 3: .integer(random.element(of: [-1, 0, 1, 2, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 1 << 53, -1 << 53, 0xFFFF]))
        case 4: .real(random.element(of: [1e300, -1e300, .infinity, 0.5, -0.0, 2.5e-308]))
        case 5: .text(random.element(of: HostileNames.awkward))
        case 6: .text(random.element(of: ["0", "-1", "9223372036854775808", "1e400", "NaN", "null", "{}", "[[[["]))
        case 7: .text(String(repeating: "é", count: 100_000))
        case 8: .bytes((0..<random.below(60)).map { _ in UInt8(random.below(256)) })
        case 9: .bytes([UInt8](repeating: 0xFF, count: 1 + random.below(20)))
        case 10: .bytes([])
        default: .bytes([0x70, 0x00, 0x80, UInt8(random.below(256))])
        }
    }
}
