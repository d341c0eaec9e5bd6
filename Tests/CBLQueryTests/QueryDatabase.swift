import CBLFleece
import CBLLanguage
import CBLQuery
import CBLStore
import CBLTestSupport
import FoundationEssentials

/// A database with a data set of the query vectors, in which queries can be run.
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
        // The answers are those of the vendor's Community Edition.
        var options = Database.Options.create
        options.offersEnterpriseFunctions = false
        database = try Database(path: directory.path + "/db.cblite2", options: options)
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
                let expressions = isJSON ? try QueryExpression.list(json: text) : try Select(sqlpp: text).results.map(\.expression)
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

    /// Runs a query as everybody does, through the whole engine.
    func run(_ text: String, _ language: Query.Language, parameters: String?) throws -> Answer {
        try database.read { snapshot in
            let query = try Query(text, language, on: snapshot)
            let rows = try query.run(on: snapshot, parameters: parameters.map { try QueryParameters(json: $0) } ?? .none)
            var answer = Answer(titles: rows.titles, rows: [])
            var buffer = ByteBuffer()
            while try rows.next() {
                buffer.removeAll()
                rows.appendArray(style: .canonical, missing: #"{"$missing":true}"#, to: &buffer)
                answer.rows.append(buffer.string)
            }
            return answer
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
        let encoder = FleeceEncoder()
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
        guard let tables = transaction.documentTables(of: name) else { return }
        let table = isDeleted ? tables.deleted ?? tables.live : tables.live
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
