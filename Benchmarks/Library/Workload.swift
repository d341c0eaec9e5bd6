import CouchbaseLiteSwift

/// One piece of work, done in a process of its own in a directory that may have a database from `prepare`.
struct Workload: Sendable {
    let name: String
    let title: String
    /// Which database it needs: none, 100,000 users, or 10,000 with an index.
    let base: Base
    let run: @Sendable (Scene) throws -> String

    enum Base: String {
        case none
        case large
        case small
    }

    static let all = documents + queries + liveQueries + blobs + replication + lifecycle
}

/// Where a workload takes place.
struct Scene {
    let clock = Clock()
    let directory: String

    func open(_ name: String = "bench", fullSync: Bool = false) throws -> Database {
        var configuration = DatabaseConfiguration()
        configuration.directory = directory
        configuration.fullSync = fullSync
        return try Database(name: name, config: configuration)
    }

    /// Opens the database, gives its default collection, and closes it again; only what the clock is told of is measured.
    func withCollection<Result>(_ name: String = "bench", fullSync: Bool = false, _ work: (Database, Collection) throws -> Result) throws
        -> Result
    {
        let database = try open(name, fullSync: fullSync)
        let result = try work(database, try database.defaultCollection())
        try database.close()
        return result
    }

    /// Makes what a workload needs.
    func prepare(_ base: Workload.Base) throws {
        guard base != .none else { return }
        try withCollection { database, collection in
            var users = UserSource()
            try database.inBatch {
                for _ in 0..<(base == .large ? 100_000 : 10_000) { try collection.save(document: users.next().document()) }
            }
            if base == .small { try collection.createIndex(withName: "byID", config: ValueIndexConfiguration(["id"])) }
        }
    }
}
