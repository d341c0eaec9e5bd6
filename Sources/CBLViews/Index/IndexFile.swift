import CBLBase
import CBLSQLite
import CBLStore
import Glibc
import Synchronization

/// The file of a database's views, beside it, and the connections to it: one that writes, and some that read. Where there can be no such file, the
/// index is a temporary one, with a single connection that whoever comes takes in turn.
///
/// What is in the file counts for nothing: if it is damaged, or not ours, it is thrown away.
final class IndexFile: Sendable {
    /// Empty for a temporary index.
    let path: String
    private struct State {
        var idle: [IndexConnection] = []
        var writer: IndexConnection?
        var isClosed = false
        /// Counts how often the file was thrown away: connections of before are of no use.
        var round = 0
        /// The thread that has the connection that writes.
        var user: pthread_t?
    }
    private let state = Mutex(State())
    /// Held by who writes, or uses the one connection of a temporary index.
    private let gate = Gate()
    private static let mostReaders = 4

    /// What others may do with the file: no more than with the database.
    private let permissions: mode_t

    var isTemporary: Bool { path.isEmpty }
    /// Whether there may be something in it. Nobody who only looks makes a file.
    var isThere: Bool { isTemporary || access(path, F_OK) == 0 }
    var round: Int { state.withLock { $0.round } }

    /// A temporary one.
    init() { (path, permissions) = ("", 0) }

    init(beside database: Database) {
        path = IndexFile.path(for: database)
        permissions = database.permissions
    }

    /// Where the index of a database belongs; empty if there can be none.
    private static func path(for database: Database) -> String {
        let base = database.path.hasSuffix(".cblite2") ? String(database.path.dropLast(8)) : database.path
        let path = base + ".cblviews"
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let folder = slash.map { String(decoding: path.utf8[...$0], as: UTF8.self) } ?? "."
        guard access(folder, W_OK) == 0, ["", "-wal", "-shm", "-journal"].allSatisfy({ isFile(path + $0) }) else { return "" }
        return path
    }

    /// Whether there is a regular file, or nothing.
    private static func isFile(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
    }

    func close() {
        let dropped = state.withLock { state in
            state.isClosed = true
            defer { (state.idle, state.writer) = ([], nil) }
            return (state.idle, state.writer)
        }
        withExtendedLifetime(dropped) {}
    }

    /// Lends the connection that writes, to one at a time.
    func writing<Result>(_ work: (IndexConnection) throws -> Result) throws -> Result {
        let thread = pthread_self()
        // It would wait for itself.
        if state.withLock({ $0.user == thread }) {
            throw ViewError.badRequest("a view cannot be asked within a map function, or within a query of a temporary index")
        }
        gate.enter()
        state.withLock { $0.user = thread }
        defer {
            state.withLock { $0.user = nil }
            gate.leave()
        }
        let writer = try takeWriter()
        return try work(writer)
    }

    /// Lends a connection to read with. For a temporary index, nobody else can use it meanwhile.
    func reading<Result>(_ work: (IndexConnection) throws -> Result) throws -> Result {
        if isTemporary { return try writing(work) }
        let (kept, round) = try state.withLock { state in
            guard !state.isClosed else { throw ViewError.closed }
            return (state.idle.popLast(), state.round)
        }
        let reader = try kept ?? open()
        defer {
            state.withLock { state in
                if !state.isClosed, state.round == round, state.idle.count < IndexFile.mostReaders { state.idle.append(reader) }
            }
        }
        return try work(reader)
    }

    private func takeWriter() throws -> IndexConnection {
        if let writer = try state.withLock({ state in
            guard !state.isClosed else { throw ViewError.closed }
            return state.writer
        }) {
            return writer
        }
        let writer = try open()
        try state.withLock { state in
            guard !state.isClosed else { throw ViewError.closed }
            state.writer = writer
        }
        return writer
    }

    /// Removes the file. Who has it open keeps what nobody else sees any more. With a round, only if no other thread did so since.
    func throwAway(ifStillIn round: Int? = nil) {
        let dropped: ([IndexConnection], IndexConnection?)? = state.withLock { state in
            guard round ?? state.round == state.round else { return nil }
            state.round += 1
            defer { (state.idle, state.writer) = ([], nil) }
            return (state.idle, state.writer)
        }
        guard dropped != nil, !isTemporary else { return }
        for ending in ["", "-wal", "-shm", "-journal"] { unlink(path + ending) }
    }

    private func open() throws -> IndexConnection {
        let round = round
        do { return try connect() } catch let error as ViewError where error.isDamage && !isTemporary {
            throwAway(ifStillIn: round)
            return try connect()
        }
    }

    /// Makes an empty file, so that it never can be read by more people than the database. SQLite's own files beside it take after it.
    private func makeFile() {
        guard !isTemporary else { return }
        let file = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, permissions)
        if file >= 0 { Glibc.close(file) }
    }

    // Another process may be building all of it.
    private static let patience: Int32 = 600_000

    /// Who finds another one in the middle of the same is not made to wait by SQLite.
    private func setLog(_ connection: Connection) throws {
        for attempt in 1... {
            do {
                guard try connection.strings("PRAGMA journal_mode=WAL") == ["wal"] else {
                    throw SQLiteError(extendedCode: 14, message: "there can be no log beside it")
                }
                return
            } catch let error as SQLiteError where error.isBusy && attempt < IndexFile.mostAttempts {
                usleep(5000)
            }
        }
    }

    private static let mostAttempts = 2000

    private func connect() throws -> IndexConnection {
        do {
            makeFile()
            let connection = try Connection(path: path, mode: .create)
            connection.setBusyTimeout(milliseconds: IndexFile.patience)
            let index = try IndexConnection(connection, path: path)
            // Of no effect on a file that is there: rows are written in their order, and larger pages are filled with less ado.
            try connection.execute("PRAGMA page_size=16384")
            if isTemporary {
                try connection.execute("PRAGMA synchronous=OFF")
            } else {
                try setLog(connection)
                try connection.execute("PRAGMA synchronous=NORMAL")
            }
            try connection.setCacheSize(kibibytes: 16_384)
            if try connection.integer("SELECT count(*) FROM sqlite_master") == 0 {
                try connection.execute("BEGIN IMMEDIATE")
                // Another process may have been quicker.
                if try connection.integer("SELECT count(*) FROM sqlite_master") == 0 { try IndexSchema.make(connection) }
                try connection.execute("COMMIT")
            }
            try index.transaction(writing: false) {}
            return index
        } catch let error as SQLiteError {
            throw ViewError.index(error, path: path)
        }
    }
}
