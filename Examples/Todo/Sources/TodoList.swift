import CouchbaseLiteSwift

/// Something to be done.
final class Task: Codable {
    @DocumentID var id: String?
    var title: String
    var isDone = false
    var added = Date()

    init(_ title: String) { self.title = title }
}

/// The tasks of a database, numbered as they were added.
final class TodoList {
    let database: Database
    let tasks: Collection

    init(directory: String) throws {
        var configuration = DatabaseConfiguration()
        configuration.directory = directory
        database = try Database(name: "todo", config: configuration)
        tasks = try database.createCollection(name: "tasks")
        try tasks.createIndex(withName: "byAdded", config: ValueIndexConfiguration(["added"]))
    }

    /// What a row of the list shows.
    struct Row: Decodable {
        let id: String
        let title: String
        let isDone: Bool
    }

    func query() throws -> Query {
        try database.createQuery("SELECT META().id, title, isDone FROM tasks ORDER BY added")
    }

    func rows() throws -> [Row] { try query().execute().data(as: Row.self) }

    func add(_ title: String) throws { try tasks.save(from: Task(title)) }

    /// The task with this number in the list.
    func task(_ number: Int) throws -> Task? {
        let rows = try rows()
        guard rows.indices.contains(number - 1) else { return nil }
        return try tasks.document(id: rows[number - 1].id, as: Task.self)
    }

    func finish(_ task: Task) throws {
        task.isDone = true
        try tasks.save(from: task)
    }

    /// Removes what is done, here and on all devices that this one is synced with.
    func removeDone() throws {
        try database.inBatch {
            for row in try rows() where row.isDone {
                if let document = try tasks.document(id: row.id) { try tasks.delete(document: document) }
            }
        }
    }

    static func text(_ rows: [Row]) -> String {
        if rows.isEmpty { return "Nothing to do.\n" }
        return rows.enumerated().map { "\($0 + 1). [\($1.isDone ? "x" : " ")] \($1.title)\n" }.joined()
    }
}
