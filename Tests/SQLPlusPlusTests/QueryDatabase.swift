import CSQLite
import DocumentStore
import Fleece
import FoundationEssentials
import SQLFunctions
import SQLPlusPlus
import SQLite
import TestSupport

/// A database with a data set of the query vectors, in which translated queries can be run.
final class QueryDatabase {
    struct Answer: Equatable {
        var titles: [String]
        var rows: [String]
    }

    private let directory: TemporaryDirectory
    let database: Database

    /// `parts` is the description of a data set in `query-datasets.json`.
    init(_ parts: Value) throws {
        directory = try TemporaryDirectory()
        database = try Database(path: directory.path + "/db.cblite2", options: .create)
        try database.write { transaction in
            let loader = Loader(transaction)
            for part in parts.array.map(Array.init) ?? [] { try loader.load(part) }
        }
    }

    /// Makes the indexes of a vector, instead of those of the last one.
    func makeIndexes(_ indexes: ArrayView?) throws {
        guard let indexes else { return }
        try database.write { transaction in
            for index in indexes {
                guard let index = index.dictionary else { continue }
                func member(_ name: String) -> String? { index.value(forKey: name, nil)?.string }
                let text = member("expr") ?? ""
                let isJSON = member("lang") == "json"
                let expressions = isJSON ? try Expression.list(json: text) : try Select(sqlpp: text).results.map(\.expression)
                let translator = Translator(schema: AssumedSchema())
                let form = IndexSpecification.Form.fullText(
                    properties: try expressions.map(translator.fullTextColumn), tokenizer: tokenizer(index), condition: nil)
                _ = try transaction.createIndex(
                    IndexSpecification(
                        name: member("name") ?? "", collection: .default, form: form,
                        source: .init(isJSON ? .json : .sqlpp, text, condition: nil, unnest: nil, in: transaction.generation)))
            }
        }
    }

    private func tokenizer(_ index: DictionaryView) -> String {
        let given = index.value(forKey: "opts", nil)?.dictionary
        var options = FullTextOptions()
        options.language = given?.value(forKey: "language", nil)?.string
        options.ignoresDiacritics = given?.value(forKey: "ignoreDiacritics", nil)?.boolean == true
        options.disablesStemming = given?.value(forKey: "disableStemming", nil)?.boolean == true
        options.stopWords = given?.value(forKey: "stopWords", nil)?.string
        return options.tokenizer
    }

    // The schema

    static func collection(_ name: CollectionName) -> QueryCollection {
        if name.isDefault {
            return QueryCollection(
                scope: "_default", name: "_default", table: "kv_default", tableWithDeleted: "all_default", mayHoldDeleted: true)
        }
        let path = escapingCapitals(name.description)
        return QueryCollection(
            scope: name.scope, name: name.name, table: "kv_." + path, tableWithDeleted: "all_." + path, mayHoldDeleted: false)
    }

    static func escapingCapitals(_ text: String) -> String {
        text.reduce(into: "") { text, character in
            if character.isASCII, character.isUppercase { text.append("\\") }
            text.append(character)
        }
    }

    struct Schema: QuerySchema {
        let databaseName = "db"
        let collections: [CollectionName]
        let tables: Set<String>

        init(_ snapshot: Snapshot) throws {
            collections = snapshot.collections()
            tables = Set(try snapshot.connection.strings("SELECT name FROM sqlite_master WHERE type='table'"))
        }

        var collectionNames: [String] { collections.map(\.description) }

        func collection(scope: String, name: String) -> QueryCollection? {
            collections.first { $0.scope == scope && $0.name == name }.map(QueryDatabase.collection)
        }

        func fullTextTable(index: String, of collection: QueryCollection) -> String? {
            let table = collection.table + "::" + QueryDatabase.escapingCapitals(index)
            return tables.contains(table) ? table : nil
        }

        func unnestTable(plainName: String) -> String? { nil }
    }

    // Running

    func run(_ select: Select, parameters: DictionaryView? = nil) throws -> Answer {
        try database.read { snapshot in
            try snapshot.registerFunctions()
            let connection = snapshot.connection
            try connection.execute("PRAGMA case_sensitive_like=true")
            let query = try Translator(schema: Schema(snapshot)).translate(select)
            for source in query.sources where source.readsDeleted { try QueryDatabase.makeView(of: source.collection, connection) }
            return try connection.withStatement(query.sql) { statement in
                for parameter in parameters.map({ Array($0) }) ?? [] {
                    guard let name = parameter.key.string else { continue }
                    guard query.parameters.contains(name) else {
                        throw QueryError(.unknownParameter, "Unknown query property '\(name)'")
                    }
                    try QueryDatabase.bind(parameter.value, "$_" + name, statement)
                }
                var rows: [String] = []
                try FullTextQuery.run {
                    while try statement.step() {
                        let columns = (query.hiddenColumns..<Int(statement.columnCount)).map {
                            QueryDatabase.json(statement, Int32($0), snapshot.sharedKeys)
                        }
                        rows.append("[" + columns.joined(separator: ",") + "]")
                    }
                }
                return Answer(titles: query.titles, rows: rows)
            }
        }
    }

    private static func makeView(of collection: QueryCollection, _ connection: Connection) throws {
        let deleted = "kv_del_" + collection.table.dropFirst(3)
        let columns = "key, sequence, flags, version, body, expiration, extra"
        try connection.execute(
            """
            CREATE TEMP VIEW IF NOT EXISTS "\(collection.tableWithDeleted)" AS \
            SELECT \(columns) FROM "\(collection.table)" UNION ALL SELECT \(columns) FROM "\(deleted)"
            """)
    }

    private static func bind(_ value: Value, _ name: String, _ statement: SQLite.Statement) throws {
        let index = sqlite3_bind_parameter_index(statement.handle, name)
        switch value.kind {
        case .null, .undefined: break
        case .boolean: try statement.bind(value.boolean == true ? 1.0 : 0.0, index)
        case .integer where value.integer != nil: try statement.bind(value.integer, index)
        case .integer, .double: try statement.bind(value.double ?? 0, index)
        case .string: try statement.bind(value.string, index)
        default:
            let encoder = Encoder()
            encoder.write(value, keys: nil)
            try encoder.finish().withBytes { try statement.bind(blob: $0, index) }
        }
    }

    /// A result column as JSON text.
    private static func json(_ row: SQLite.Statement, _ column: Int32, _ keys: SharedKeys) -> String {
        switch row.kind(column) {
        case .integer: return String(row.int64(column))
        case .real:
            var buffer = ByteBuffer()
            JSONWriter.write(double: row.double(column), to: &buffer)
            return buffer.string
        case .text:
            var buffer = ByteBuffer()
            JSONWriter.write(string: row.string(column) ?? "", to: &buffer)
            return buffer.string
        case .blob:
            guard let bytes = row.blob(column), !bytes.isEmpty else { return "null" }
            return Value(root: bytes)?.json(keys: keys, style: .canonical) ?? "damaged"
        case .null: return "{\"$missing\":true}"
        }
    }
}

/// Puts documents into tables as they are: with given sequences and without revision IDs, names that no document may have included.
private final class Loader {
    private let transaction: Transaction
    private var sequences: [CollectionName: Int64] = [:]

    init(_ transaction: Transaction) { self.transaction = transaction }

    /// Loads a part of a data set.
    func load(_ part: Value) throws {
        guard let part = part.dictionary, let file = part.value(forKey: "file", nil)?.string else { return }
        let collection = part.value(forKey: "collection", nil)?.string
        let prefix = part.value(forKey: "idPrefix", nil)?.string ?? ""
        var number = 0
        func nextID() -> String {
            number += 1
            let digits = String(number)
            return prefix + String(repeating: "0", count: 7 - digits.count) + digits
        }
        switch part.value(forKey: "format", nil)?.string {
        case "array":
            try read(String(contentsOfFile: Fixtures.path("json/" + file), encoding: .utf8)) { root in
                for item in root.array.map(Array.init) ?? [] { try save(nextID(), collection, item) }
            }
        case "lines": for line in try Fixtures.lines("json/" + file) { try read(line) { try save(nextID(), collection, $0) } }
        case "_id": for line in try Fixtures.lines("json/" + file) { try read(line) { try saveNamedInside($0, collection) } }
        default: for line in try Fixtures.lines("json/" + file) { try read(line) { try saveDescribed($0, collection) } }
        }
    }

    private func read(_ json: String, _ body: (Value) throws -> Void) throws {
        let encoder = Encoder()
        try JSONParser.parse(json, into: encoder)
        try encoder.finish().withRoot(body)
    }

    /// The document's ID is its member `_id`, which goes.
    private func saveNamedInside(_ document: Value, _ collection: String?) throws {
        let members = document.dictionary.map { Array($0) } ?? []
        let rest = members.filter { $0.key.string != "_id" }.map { "\($0.key.json()):\($0.value.json())" }
        let id = members.first { $0.key.string == "_id" }?.value.string ?? ""
        try read("{" + rest.joined(separator: ",") + "}") { try save(id, collection, $0) }
    }

    /// The document is described: its ID, its body and more.
    private func saveDescribed(_ document: Value, _ collection: String?) throws {
        guard let members = document.dictionary, let id = members.value(forKey: "id", nil)?.string,
            let body = members.value(forKey: "body", nil)
        else { return }
        let isDeleted = members.value(forKey: "deleted", nil)?.boolean == true
        try save(id, members.value(forKey: "collection", nil)?.string ?? collection, body, isDeleted: isDeleted)
    }

    private func save(_ id: String, _ collection: String?, _ body: Value, isDeleted: Bool = false) throws {
        let name = try collection.map { try CollectionName(parsing: $0) } ?? .default
        if !transaction.hasCollection(name) { _ = try transaction.createCollection(name) }
        let live = QueryDatabase.collection(name).table
        let table = isDeleted ? "kv_del_" + live.dropFirst(3) : live
        sequences[name, default: 0] += 1
        transaction.encoder.reset()
        transaction.encoder.write(body, keys: nil)
        let data = try transaction.encoder.finish()
        let sql = "INSERT INTO \"\(table)\" (key, sequence, flags, body) VALUES (?, ?, ?, ?)"
        try transaction.connection.withStatement(sql) { statement in
            try statement.bind(id, 1)
            try statement.bind(sequences[name] ?? 0, 2)
            try statement.bind(isDeleted ? 1 : 0, 3)
            try data.withBytes { try statement.bind(blob: $0, 4) }
            try statement.run()
        }
    }
}
