import CBLTestSupport
import CouchbaseLiteSwift
import Foundation

/// A database of a test's own with a few hotels in it.
final class QueryScene {
    let directory: TemporaryDirectory
    let database: Database
    let hotels: CouchbaseLiteSwift.Collection

    init() throws {
        directory = try TemporaryDirectory(inMemory: true)
        database = try Database(name: "travel", config: QueryScene.configuration(directory))
        hotels = try database.createCollection(name: "hotels", scope: "inventory")
        try put(
            "seaview",
            [
                "name": "Seaview", "city": "Kiel", "stars": 4, "price": 120.5, "open": true, "tags": ["sea", "sauna"],
                "owner": ["first": "Ada", "last": "Berg"], "phones": [["type": "work", "number": "1"], ["type": "home", "number": "2"]],
            ])
        try put("alpina", ["name": "Alpina", "city": "Füssen", "stars": 5, "price": 300, "open": false, "tags": [], "note": NSNull()])
        try put("station", ["name": "station", "city": "Kiel", "stars": 2, "price": 49.99, "open": true, "tags": ["trains"]])
    }

    static func configuration(_ directory: TemporaryDirectory) -> DatabaseConfiguration {
        var configuration = DatabaseConfiguration()
        configuration.directory = directory.path
        return configuration
    }

    deinit { try? database.close() }

    func put(_ id: String, _ data: [String: Any]) throws { try hotels.save(document: MutableDocument(id: id, data: data)) }

    func rows(_ sql: String, _ parameters: Parameters? = nil) throws -> [[String: Any]] {
        let query = try database.createQuery(sql)
        query.parameters = parameters
        return try query.execute().map { $0.toDictionary() }
    }

    /// Many small documents in the default collection.
    func putNumbers(_ count: Int) throws {
        let collection = try database.defaultCollection()
        try database.inBatch {
            for number in 0..<count {
                try collection.save(document: MutableDocument(id: "n\(number)", data: ["number": number, "text": "text \(number)"]))
            }
        }
    }
}

extension NSError {
    static func of(_ work: () throws -> Void) -> NSError? {
        do {
            try work()
            return nil
        } catch { return error as NSError }
    }
}
