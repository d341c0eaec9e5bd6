import CBLStore

/// Where documents are imported: a database that is there, or one that the first import makes.
final class ImportTarget {
    private let path: String?
    private let invocation: Invocation
    private let keepsUnused: Bool
    private var database: Database?
    /// Of one that was made here: perhaps its key cannot be read once more.
    private var key: EncryptionKey?

    /// Without a path it is the database that is open. `keepsUnused` is whether one is made that nothing comes into.
    init(_ path: String?, _ invocation: Invocation, keepsUnused: Bool) {
        self.path = path
        self.invocation = invocation
        self.keepsUnused = keepsUnused
    }

    /// Has `work` import something: everything of it is there then, or nothing. A database that is made for it is not there before.
    func use<Result>(_ work: (Database) throws -> Result) throws -> Result {
        if let database { return try work(database) }
        let session = invocation.session
        if let path, session.options.creates, !Endpoint.exists(path) {
            return try session.make(path, keepsUnused: keepsUnused) { database in
                key = database.encryptionKey
                return try work(database)
            }
        }
        let opened = try path.map { try session.open($0, writes: true, knownKey: key) } ?? invocation.database()
        database = opened
        return try work(opened)
    }
}
