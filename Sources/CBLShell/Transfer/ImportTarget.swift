import CBLStore

/// Where documents are imported: a database that is there, or one that the first import makes.
final class ImportTarget {
    private let path: String?
    private let invocation: Invocation
    private var database: Database?

    /// Without a path it is the database that is open.
    init(_ path: String?, _ invocation: Invocation) {
        self.path = path
        self.invocation = invocation
    }

    /// Has `work` import something: everything of it is there then, or nothing. A database that is made for it is not there before.
    func use<Result>(_ work: (Database) throws -> Result) throws -> Result {
        if let database { return try work(database) }
        let session = invocation.session
        if let path, session.options.creates, !Endpoint.exists(path) { return try session.make(path, work) }
        let opened = try path.map { try session.open($0, writes: true) } ?? invocation.database()
        database = opened
        return try work(opened)
    }
}
