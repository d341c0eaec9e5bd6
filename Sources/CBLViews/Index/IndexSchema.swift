import CBLFunctions
import CBLSQLite
import CBLStore

/// The tables of an index file. Their texts are these, letter by letter, or the file is none of ours: see `docs/views.md`.
enum IndexSchema {
    /// "CBLv", so that other programs can tell what the file is.
    static let applicationID: Int64 = 0x4342_4C76
    static let version: Int64 = 2

    static func collation(_ collation: JSONCollation) -> String {
        switch collation {
        case .unicode: "VIEW_UNICODE"
        case .ascii: "VIEW_ASCII"
        case .raw: "VIEW_RAW"
        }
    }

    static let properties = "CREATE TABLE properties(name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID"
    static let views = """
        CREATE TABLE views(view INTEGER PRIMARY KEY, collection TEXT NOT NULL, name TEXT NOT NULL, version TEXT NOT NULL, \
        collation INTEGER NOT NULL, type TEXT, sequence INTEGER NOT NULL, purges INTEGER NOT NULL, count INTEGER NOT NULL, sample TEXT, \
        sampleSequence INTEGER, sampleRevision BLOB, languages TEXT, shapes INTEGER NOT NULL)
        """
    static let viewsByName = "CREATE UNIQUE INDEX viewsByName ON views(collection, name)"

    static func rows(_ view: Int64) -> String { "rows_\(view)" }
    static func documents(_ view: Int64) -> String { "documents_\(view)" }
    static func specials(_ view: Int64) -> String { "specials_\(view)" }
    static func boxes(_ view: Int64) -> String { "boxes_\(view)" }
    /// The texts in a language; its name consists of letters.
    static func texts(_ view: Int64, _ language: String) -> String { language.isEmpty ? "texts_\(view)" : "texts_\(view)_\(language)" }

    static func makeTables(_ view: Int64, _ collation: JSONCollation) -> [String] {
        [
            "CREATE TABLE \(rows(view))(first TEXT PRIMARY KEY COLLATE \(self.collation(collation)), entries BLOB) WITHOUT ROWID",
            "CREATE TABLE \(documents(view))(first TEXT PRIMARY KEY, entries BLOB) WITHOUT ROWID",
        ]
    }

    static func makeSpecials(_ view: Int64) -> String {
        """
        CREATE TABLE \(specials(view))(special INTEGER PRIMARY KEY, id TEXT NOT NULL, number INTEGER NOT NULL, sequence INTEGER NOT NULL, \
        value, language TEXT, x0 REAL, y0 REAL, x1 REAL, y1 REAL, shape BLOB)
        """
    }

    static func makeBoxes(_ view: Int64) -> String { "CREATE VIRTUAL TABLE \(boxes(view)) USING rtree(special, x0, x1, y0, y1)" }

    static func makeTexts(_ view: Int64, _ language: String) -> String {
        let stemmer = language.isEmpty ? "" : " \"stemmer=\(language)\""
        return "CREATE VIRTUAL TABLE \(texts(view, language)) USING fts4(content, tokenize=unicodesn\(stemmer))"
    }

    /// The language whose stemmer is meant; empty for none, also where there is none for it.
    static func language(_ language: String?) -> String {
        guard let language else { return "" }
        var options = FullTextOptions()
        options.language = language
        guard let stemmer = options.stemmer, stemmer.utf8.count < 20, stemmer.utf8.allSatisfy({ $0 &- 0x61 < 26 }) else { return "" }
        return stemmer
    }

    /// Makes the tables that all files have.
    static func make(_ connection: Connection) throws {
        try connection.execute(properties)
        try connection.execute(views)
        try connection.execute(viewsByName)
        try connection.execute("PRAGMA application_id=\(applicationID)")
        try connection.execute("PRAGMA user_version=\(version)")
    }

    private struct Entry: Equatable {
        var name: String
        var sql: String
    }

    /// Throws damage if there is anything in the schema that we do not write, or something missing.
    static func check(_ connection: Connection) throws {
        guard try connection.integer("PRAGMA user_version") == version, try connection.integer("PRAGMA application_id") == applicationID,
            try connection.strings("PRAGMA encoding") == ["UTF-8"]
        else { throw foreign("it is not an index of views") }
        let found = try entries(connection)
        let base = [
            Entry(name: "properties", sql: properties), Entry(name: "views", sql: views), Entry(name: "viewsByName", sql: viewsByName),
        ]
        guard base.allSatisfy(found.contains) else { throw foreign("its tables are not ours") }
        var expected = base
        var virtual: [String] = []
        try connection.withStatement("SELECT view, collation, languages, shapes FROM views") { row in
            while try row.step() {
                guard let collation = JSONCollation(rawValue: UInt8(clamping: row.int64(1))) else {
                    throw foreign("a collation is unknown")
                }
                let view = row.int64(0)
                let made = makeTables(view, collation)
                expected.append(Entry(name: rows(view), sql: made[0]))
                expected.append(Entry(name: documents(view), sql: made[1]))
                let languages = row.string(2).map { $0.split(separator: " ", omittingEmptySubsequences: false).map(String.init) } ?? []
                guard languages.allSatisfy({ language($0) == $0 }) else { throw foreign("a language is unknown") }
                let hasShapes = row.int64(3) != 0
                if hasShapes || !languages.isEmpty { expected.append(Entry(name: specials(view), sql: makeSpecials(view))) }
                virtual += languages.map { makeTexts(view, $0) } + (hasShapes ? [makeBoxes(view)] : [])
            }
        }
        if !virtual.isEmpty { expected += try shadows(of: virtual) }
        func ordered(_ entries: [Entry]) -> [Entry] { entries.sorted { ($0.name, $0.sql) < ($1.name, $1.sql) } }
        guard ordered(found) == ordered(expected) else { throw foreign("its tables are not ours") }
    }

    /// What SQLite makes of these texts.
    private static func shadows(of virtual: [String]) throws -> [Entry] {
        let model = try Connection.inMemory()
        try SQLFunctions.registerTokenizer(on: model)
        for sql in virtual { try model.execute(sql) }
        return try entries(model)
    }

    private static func entries(_ connection: Connection) throws -> [Entry] {
        try connection.withStatement("SELECT name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_autoindex_%' OR sql IS NOT NULL") {
            row in
            var entries: [Entry] = []
            while try row.step() { entries.append(Entry(name: row.string(0) ?? "", sql: row.string(1) ?? "")) }
            return entries
        }
    }

    private static func foreign(_ reason: String) -> SQLiteError { SQLiteError(extendedCode: 11, message: reason) }
}
