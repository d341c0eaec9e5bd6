import CBLFleece
import CBLStore
import CBLTestSupport

@testable import CBLViews

/// A database of a test's own, with views.
final class ViewDatabase {
    let directory: TemporaryDirectory
    let path: String
    var database: Database
    var index: ViewIndex

    init(inMemory: Bool = true) throws {
        directory = try TemporaryDirectory(inMemory: inMemory)
        path = directory.path + "/db.cblite2"
        database = try Database(path: path, options: .create)
        index = ViewIndex(database)
    }

    func put(_ id: String, _ json: String, in collection: CollectionName = .default) throws {
        try database.write { try $0.put(id, json, in: collection) }
    }

    func delete(_ id: String) throws {
        try database.write { transaction in
            guard let document = try transaction.document(id) else { return }
            _ = try transaction.delete(document)
        }
    }

    /// Closes and opens again.
    func reopen(_ options: Database.Options = .readWrite) throws {
        index.close()
        database.close()
        database = try Database(path: path, options: options)
        index = ViewIndex(database)
    }

    /// Each row's key, value and document.
    func rows(_ view: ViewDefinition, _ query: ViewQuery = ViewQuery()) throws -> [String] {
        let list = try index.rows(view, query)
        return (0..<list.count).map { list.json($0) + (list.documentID($0).isEmpty ? "" : " @" + list.documentID($0)) }
    }
}

extension Transaction {
    func put(_ id: String, _ json: String, in collection: CollectionName = .default) throws {
        let body = try encode(json: json)
        if let document = try document(id, in: collection) {
            _ = try save(document, body: body)
        } else {
            _ = try save(id, in: collection, body: body)
        }
    }
}

extension ViewDefinition {
    /// Emits a member as key and another as value.
    static func of(
        _ key: String, _ value: String? = nil, version: String = "1", type: String? = nil, reduce: String? = nil
    ) -> ViewDefinition {
        ViewDefinition(
            "by " + key + (value.map { " of " + $0 } ?? ""), version: version, documentType: type,
            reduction: reduce.flatMap { Reduction(named: $0) }
        ) { document, emitter in
            if let value { emitter.emit(document[key], document[value]) } else { emitter.emit(document[key]) }
        }
    }
}
