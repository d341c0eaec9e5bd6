import CBLFleece
import CBLLanguage
import CBLStore
import CBLTestSupport

@testable import CBLQuery

/// A database of a test's own, with a few documents.
struct Sample {
    let directory: TemporaryDirectory
    let database: Database

    /// Documents as JSON, by ID.
    init(_ documents: KeyValuePairs<String, String> = [:]) throws {
        directory = try TemporaryDirectory()
        database = try Database(path: directory.path + "/sample.cblite2", options: .create)
        try save(documents)
    }

    func save(_ documents: KeyValuePairs<String, String>, in collection: CollectionName = .default) throws {
        try database.write { transaction in
            for (id, json) in documents { try transaction.save(id, in: collection, body: transaction.encode(json: json)) }
        }
    }

    /// Documents `n0`, `n1` … with their number and its remainder by ten.
    func saveNumbers(_ count: Int) throws {
        try database.write { transaction in
            for number in 0..<count {
                let body = try transaction.encode(json: #"{"n": \#(number), "r": \#(number % 10), "list": [1, 2, 3, 4, 5, 6, 7, 8]}"#)
                try transaction.save("n\(number)", body: body)
            }
        }
    }

    static let collection = QueryCollection(
        scope: "_default", name: "_default", table: "kv_default", tableWithDeleted: "all_default", mayHoldDeleted: true)

    /// A translation written by hand.
    static func translation(
        _ sql: String, _ titles: [String], parameters: [String] = [], readsDeleted: Bool = false
    ) -> TranslatedQuery {
        TranslatedQuery(
            sql: sql, titles: titles, parameters: parameters,
            sources: [.init(alias: "_", collection: collection, readsDeleted: readsDeleted)])
    }
}

extension QueryRows {
    /// All rows as JSON arrays.
    func json() throws -> [String] {
        var rows: [String] = []
        var buffer = ByteBuffer()
        while try next() {
            buffer.removeAll()
            appendArray(missing: "missing", to: &buffer)
            rows.append(buffer.string)
        }
        return rows
    }
}
