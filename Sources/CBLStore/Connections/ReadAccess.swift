import CBLFunctions
import CBLSQLite
import CBLSystemSQLite
import Glibc

/// How a connection reads a database without leaving a trace in it: which way depends on who else has it open.
/// `docs/file-format.md` tells the cases; the test `ReadOnlyTests` hashes every file before and after.
enum ReadAccess: Sendable {
    /// As any connection of SQLite: somebody in this process writes the database anyway.
    case ordinary
    /// Nobody has it open and the log is empty: the main file is all there is, and no lock is needed.
    case immutable
    /// Another process has it open: its log is read through its shared memory, which is mapped read-only.
    case attached
    /// A log that a crash left: read with an index of it in our own memory.
    case abandonedLog
    /// What cannot be read in place, for example a rollback journal that a crash left, is read from a private copy.
    case copied(TemporaryCopy)

    /// The way that fits the bundle as it is now. No descriptor of this process may be on the file when `present` is nil.
    static func choose(_ bundle: DatabaseBundle, present: OpenFiles.Use?) throws(StoreError) -> ReadAccess {
        switch present {
        case .ordinary: return .ordinary
        case .attached: return .attached
        case nil: break
        }
        switch holder(of: bundle) {
        case .somebody: return .attached
        case .unknown: return .copied(try TemporaryCopy(of: bundle))
        case .nobody: break
        }
        // SQLite would look for a journal before it reads a log. Where that is no file, the copy goes without it.
        let hasForeignJournal = bundle.status(.rollbackJournal).map { $0.kind != .file } ?? false
        let hasLog = bundle.size(.log) > 0
        if bundle.size(.rollbackJournal) > 0 || (hasForeignJournal && hasLog) { return .copied(try TemporaryCopy(of: bundle)) }
        return hasLog ? .abandonedLog : .immutable
    }

    private enum Holder {
        case somebody, nobody, unknown
    }

    /// Whether a living process holds the shared memory of the log: SQLite locks its byte 128 for as long as it is connected.
    private static func holder(of bundle: DatabaseBundle) -> Holder {
        // SQLite maps nothing but a file.
        if let status = bundle.status(.sharedMemory), status.kind != .file { return .nobody }
        do throws(StoreError) {
            guard let file = try bundle.open(.sharedMemory) else { return .nobody }
            return file.isLocked(at: 128).map { $0 ? .somebody : .nobody } ?? .unknown
        } catch {
            return .unknown
        }
    }

    /// What SQLite opens when it reads this way.
    private var parts: [DatabaseBundle.Part] {
        switch self {
        case .ordinary, .attached: DatabaseBundle.Part.allCases
        case .abandonedLog: [.main, .log, .rollbackJournal]
        case .immutable: [.main]
        // The copy is our own.
        case .copied: []
        }
    }

    var use: OpenFiles.Use? {
        switch self {
        case .ordinary: .ordinary
        case .attached: .attached
        case .immutable, .abandonedLog, .copied: nil
        }
    }

    /// Whether SQLite's own locks tell this reader of changes. If not, the files have to be watched.
    var isCoordinated: Bool { use != nil }

    /// Whether a second connection can be told to see the state that a first one sees.
    var canBeShared: Bool {
        switch self {
        case .ordinary, .attached, .immutable: true
        case .abandonedLog, .copied: false
        }
    }

    /// Opens a connection, and makes sure that the file can be read this way.
    func connect(_ bundle: DatabaseBundle) throws -> Connection {
        try bundle.check(parts)
        let connection: Connection
        switch self {
        case .ordinary:
            connection = try Connection(path: bundle.databaseFile, mode: .readOnly)
        case .immutable:
            connection = try Connection(path: bundle.databaseFile, mode: .readOnly, parameters: ["immutable=1"])
        case .attached:
            connection = try Connection(path: bundle.databaseFile, mode: .readOnly, parameters: ["readonly_shm=1"])
        case .abandonedLog:
            connection = try Connection(path: bundle.databaseFile, mode: .readOnly, parameters: ["nolock=1"])
            // Before the first read: the index of the log is then made on the heap, and not in a file.
            try connection.execute("PRAGMA locking_mode=EXCLUSIVE")
        case .copied(let copy):
            connection = try Connection(path: copy.bundle.databaseFile, mode: .readWrite)
        }
        connection.setBusyTimeout(milliseconds: FileConnection.busyTimeout)
        try connection.configure(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
        try connection.tolerateDamagedSchema()
        // Being defensive, SQLite would not read a file that is shorter than its header says.
        if connection.toleratedDamage == nil { try connection.configure(SQLITE_DBCONFIG_DEFENSIVE, true) }
        try connection.setCacheSize(kibibytes: FileConnection.cacheSize)
        SQLFunctions.registerCollations(on: connection)
        return connection
    }
}

/// A copy of the main file and its journals in a directory of our own, removed with this object.
final class TemporaryCopy: Sendable {
    let bundle: DatabaseBundle

    init(of original: DatabaseBundle) throws(StoreError) {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array((parent + "/cblite-read-XXXXXX").utf8CString)
        guard let name = template.withUnsafeMutableBufferPointer({ mkdtemp($0.baseAddress!) }) else {
            throw StoreError(.inputOutput, "cannot make a directory in \(parent): \(FileStatus.reason())", path: original.path)
        }
        bundle = DatabaseBundle(path: String(cString: name))
        // The main file before the log: what a checkpoint moves in between is then in both. If it came in between, once more.
        for _ in 0..<20 {
            let before = original.status(.main)
            for part in [DatabaseBundle.Part.main, .rollbackJournal, .log] { try copy(part, of: original) }
            try bundle.checkJournal(cutsOff: true)
            if original.status(.main) == before { return }
        }
        throw StoreError(.busy, "another program keeps changing the database", path: original.path)
    }

    deinit { _ = Leftover(path: bundle.path)?.remove() }

    /// Copies one file. Journals that are no files are left out, as reading in place does without them.
    private func copy(_ part: DatabaseBundle.Part, of original: DatabaseBundle) throws(StoreError) {
        do {
            let folder = try bundle.folder()
            folder.remove(part.rawValue)
            if part != .main, let status = original.status(part), status.kind != .file { return }
            guard let file = try original.open(part) else {
                if part == .main { throw StoreError(.notFound, "the database is gone") }
                return
            }
            try FileCopy.copy(file, into: folder, as: part.rawValue)
        } catch {
            throw error as? StoreError ?? StoreError(.inputOutput, "\(error)")
        }
    }
}
