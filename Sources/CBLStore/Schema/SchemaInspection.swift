import CBLSQLite
import CBLSystemSQLite

/// A row of SQLite's own table of tables.
struct SchemaEntry {
    let rowid: Int64
    let type: String
    let name: String
    let table: String
    /// The page that a table or an index begins at; 0 for what has none.
    let rootPage: Int64
    /// Nil for the indexes that SQLite makes by itself.
    let sql: String?
}

/// Something in a schema that no release of Couchbase Lite makes.
package struct ForeignObject: Hashable, Sendable, CustomStringConvertible {
    package enum Kind: String, Sendable {
        case trigger, view, table, index
        /// A table that code of SQLite answers for.
        case virtualTable = "virtual table"
        /// A table of documents that has more than such tables have.
        case documents = "table of documents"
        case entry = "entry"
    }

    package let kind: Kind
    package let name: String
    /// What it is of, for triggers and indexes.
    package let table: String?

    package var description: String { table.map { "the \(kind.rawValue) \"\(name)\" of \($0)" } ?? "the \(kind.rawValue) \"\(name)\"" }
}

/// A schema, compared with what releases of Couchbase Lite make.
///
/// A file that somebody sends can have triggers, views, generated columns and conditions of its own, which SQLite runs for whoever writes to
/// it. So a file is written to only if its whole schema is known, and text of a schema is run only if it is among what is `known` here.
struct SchemaInspection {
    /// An entry whose text is one of those that releases write, with nothing else in it.
    struct Known {
        enum Kind: Equatable {
            case table(SchemaTable)
            /// A table that belongs to a virtual one.
            case part(of: String)
            case index(ofKeyStore: Bool)
            case automaticIndex
            case trigger
        }

        let kind: Kind
        let entry: SchemaEntry
        var sql: String { entry.sql ?? "" }
    }

    struct Foreign {
        let object: ForeignObject
        let entry: SchemaEntry
        /// Whether the page that it begins at is another's, too.
        let sharesPage: Bool
    }

    private(set) var known: [Known] = []
    private(set) var foreign: [Foreign] = []

    private var tables: [String: SchemaTable] = [:]

    init(reading connection: Connection) throws { self.init(try SchemaInspection.entries(of: connection)) }

    init(_ entries: [SchemaEntry]) {
        var names: Set<String> = []
        var pages: Set<Int64> = []
        var rest: [SchemaEntry] = []
        for entry in entries {
            // SQLite has one list of names for all but triggers, in which case does not count.
            let isFirst = names.insert((entry.type == "trigger" ? "t" : "n") + entry.name.lowercased()).inserted
            let hasPage = entry.type == "index" || (entry.type == "table" && !SchemaInspection.isVirtual(entry.sql))
            let ownsPage = hasPage ? entry.rootPage > 1 && pages.insert(entry.rootPage).inserted : entry.rootPage == 0
            if isFirst && ownsPage { rest.append(entry) } else { reject(entry, isFirst: isFirst, sharesPage: !ownsPage) }
        }
        rest = rest.filter { !takeTable($0) }
        rest = rest.filter { !takePart($0) }
        checkParents()
        rest = rest.filter { !takeIndexOrTrigger($0) }
        for entry in rest { reject(entry) }
    }

    static func entries(of connection: Connection) throws -> [SchemaEntry] {
        let rows = try connection.prepare("SELECT rowid, type, name, tbl_name, rootpage, sql FROM sqlite_master")
        var entries: [SchemaEntry] = []
        while try rows.step() {
            entries.append(
                SchemaEntry(
                    rowid: rows.int64(0), type: rows.string(1) ?? "", name: rows.string(2) ?? "", table: rows.string(3) ?? "",
                    rootPage: rows.int64(4), sql: rows.string(5)))
        }
        return entries
    }

    private static func isVirtual(_ sql: String?) -> Bool { sql?.hasPrefix("CREATE VIRTUAL TABLE") ?? false }

    // What is known

    private mutating func takeTable(_ entry: SchemaEntry) -> Bool {
        guard entry.type == "table", entry.table == entry.name, let sql = entry.sql,
            let table = SchemaTable(name: entry.name, sql: sql)
        else { return false }
        if case .keyStore(let columns) = table {
            guard !columns.hasForeign, Schema.keyStore(ofTable: entry.name) != nil else { return false }
        }
        tables[entry.name] = table
        known.append(Known(kind: .table(table), entry: entry))
        return true
    }

    private mutating func takePart(_ entry: SchemaEntry) -> Bool {
        guard entry.type == "table", let sql = entry.sql, let owner = owner(ofPart: entry.name) else { return false }
        var text = SchemaText(sql)
        guard text.take("CREATE TABLE"), text.take(name: entry.name) else { return false }
        let isRight: Bool
        switch tables[owner] {
        case .fullText: isRight = SchemaInspection.takePartOfFullText(entry.name.utf8.dropFirst(owner.utf8.count), &text)
        case .vectors: isRight = SchemaInspection.takePlainColumns(&text)
        default: isRight = false
        }
        guard isRight, text.isAtEnd else { return false }
        known.append(Known(kind: .part(of: owner), entry: entry))
        return true
    }

    private func owner(ofPart name: String) -> String? {
        for (place, byte) in zip(name.utf8.indices, name.utf8) where byte == UInt8(ascii: "_") {
            let owner = String(name[..<place])
            switch tables[owner] {
            case .fullText, .vectors: return owner
            default: continue
            }
        }
        return nil
    }

    private static func takePartOfFullText(_ ending: Substring.UTF8View, _ text: inout SchemaText) -> Bool {
        switch String(Substring(ending)) {
        case "_content":
            guard text.take("(docid INTEGER PRIMARY KEY") else { return false }
            return (!text.take(",") || text.takeNames() != nil) && text.take(")")
        case "_segments": return text.take("(blockid INTEGER PRIMARY KEY, block BLOB)")
        case "_segdir":
            return text.take("(level INTEGER, idx INTEGER, start_block INTEGER, leaves_end_block INTEGER, end_block INTEGER, root BLOB,")
                && text.take("PRIMARY KEY(level, idx))")
        case "_docsize": return text.take("(docid INTEGER PRIMARY KEY, size BLOB)")
        case "_stat": return text.take("(id INTEGER PRIMARY KEY, value BLOB)")
        default: return false
        }
    }

    /// Columns of plain types, which nothing is computed for. What the vendor's extension for vectors makes is not documented.
    private static func takePlainColumns(_ text: inout SchemaText) -> Bool {
        guard text.take("(") else { return false }
        repeat {
            if text.take("PRIMARY KEY (") {
                guard text.takeNames() != nil, text.take(")") else { return false }
                continue
            }
            guard text.takeName() != nil else { return false }
            while text.take("INTEGER") || text.take("TEXT") || text.take("BLOB") || text.take("REAL") || text.take("PRIMARY KEY")
                || text.take("NOT NULL") || text.take("UNIQUE")
            {}
        } while text.take(",")
        guard text.take(")") else { return false }
        _ = text.take("WITHOUT ROWID")
        return true
    }

    /// Tables that are filled from others must be filled from documents, in the end.
    private mutating func checkParents() {
        while let place = known.firstIndex(where: { !hasParent($0) }) {
            let entry = known.remove(at: place).entry
            tables[entry.name] = nil
            reject(entry)
        }
    }

    private func hasParent(_ object: Known) -> Bool {
        switch object.kind {
        case .table(.items(let parent)), .table(.predictions(let parent)):
            switch tables[parent] {
            case .keyStore, .items: object.entry.name != parent
            default: false
            }
        default: true
        }
    }

    private mutating func takeIndexOrTrigger(_ entry: SchemaEntry) -> Bool {
        switch entry.type {
        case "index":
            guard let kind = kind(ofIndex: entry) else { return false }
            known.append(Known(kind: kind, entry: entry))
            return true
        case "trigger":
            guard let sql = entry.sql, let trigger = SchemaTrigger(name: entry.name, sql), trigger.source == entry.table,
                tables[trigger.table]?.isOfIndex == true, isSource(trigger.source, of: trigger.table)
            else { return false }
            known.append(Known(kind: .trigger, entry: entry))
            return true
        default: return false
        }
    }

    private func kind(ofIndex entry: SchemaEntry) -> Known.Kind? {
        guard let sql = entry.sql else {
            let isOfKnown = tables[entry.table] != nil || known.contains { $0.entry.name == entry.table }
            return isOfKnown && entry.name.hasPrefix("sqlite_autoindex_") ? .automaticIndex : nil
        }
        guard let index = SchemaIndex(sql), index.name == entry.name, index.table == entry.table else { return nil }
        if case .keyStore = tables[index.table], index.isOfKeyStore { return .index(ofKeyStore: true) }
        switch tables[index.table] {
        case .keyStore, .items, .predictions: return index.isUnique ? nil : .index(ofKeyStore: false)
        default: return nil
        }
    }

    private func isSource(_ source: String, of table: String) -> Bool {
        switch tables[table] {
        case .items(let parent), .predictions(let parent): return source == parent
        default:
            guard case .keyStore = tables[source] else { return false }
            return table.utf8.starts(with: (source + ":").utf8)
        }
    }

    // What is not

    private mutating func reject(_ entry: SchemaEntry, isFirst: Bool = true, sharesPage: Bool = false) {
        // Without one of these a file is no database: what has its place stays until the documents are carried out.
        let isNeeded = isFirst && ["kv_default", "kv_info", "kvmeta"].contains(entry.name) && entry.type != "trigger"
        // Whatever its text says, documents may be in it.
        let holdsDocuments = isNeeded || (!sharesPage && entry.rootPage > 1 && Schema.keyStore(ofTable: entry.name) != nil)
        let object = ForeignObject(
            kind: holdsDocuments && entry.type != "index" ? .documents : SchemaInspection.foreignKind(entry), name: entry.name,
            table: entry.type == "trigger" || entry.type == "index" ? entry.table : nil)
        foreign.append(Foreign(object: object, entry: entry, sharesPage: sharesPage))
    }

    private static func foreignKind(_ entry: SchemaEntry) -> ForeignObject.Kind {
        var text = SchemaText(entry.sql ?? "")
        if text.take("CREATE VIEW") { return .view }
        switch SchemaTable(name: entry.name, sql: entry.sql ?? "") {
        case .keyStore?, .counters?: return .documents
        default: break
        }
        switch entry.type {
        case "trigger": return .trigger
        case "view": return .view
        case "index": return .index
        case "table":
            return text.take("CREATE VIRTUAL TABLE") ? .virtualTable : .table
        default: return .entry
        }
    }
}

extension SchemaInspection {
    /// Has SQLite trust the schema that it is about to run; throws if it is not one that releases of Couchbase Lite make.
    func trust(on connection: Connection) throws {
        // What hangs on a foreign table is foreign, too: the table says more.
        guard let first = foreign.first(where: { $0.object.kind == .documents }) ?? foreign.first else {
            return try connection.trustSchema()
        }
        try connection.distrustSchema()
        let others = foreign.count > 1 ? " and \(foreign.count - 1) more" : ""
        throw StoreError(
            .foreignSchema, "it has \(first.object)\(others), which no release of Couchbase Lite makes; to write to it could run them")
    }
}
