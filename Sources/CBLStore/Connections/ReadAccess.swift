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
    static func choose(_ files: FileAccess, present: OpenFiles.Use?) throws(StoreError) -> ReadAccess {
        let bundle = files.bundle
        switch present {
        case .ordinary: return .ordinary
        case .attached: return .attached
        case nil: break
        }
        switch holder(of: files) {
        case .somebody: return .attached
        case .unknown: return .copied(try TemporaryCopy(of: files))
        case .nobody: break
        }
        // SQLite would look for a journal before it reads a log. Where that is no file, the copy goes without it.
        let hasForeignJournal = bundle.status(.rollbackJournal).map { $0.kind != .file } ?? false
        let hasLog = bundle.size(.log) > 0
        if bundle.size(.rollbackJournal) > 0 || (hasForeignJournal && hasLog) { return .copied(try TemporaryCopy(of: files)) }
        if hasLog { try files.checkLog() }
        return hasLog ? .abandonedLog : .immutable
    }

    enum Holder {
        case somebody, nobody, unknown
    }

    /// Whether a living process holds the shared memory of the log: SQLite locks its byte 128 for as long as it is connected.
    static func holder(of files: FileAccess) -> Holder {
        // SQLite maps nothing but a file.
        if let status = files.bundle.status(.sharedMemory), status.kind != .file { return .nobody }
        do throws(StoreError) {
            guard let file = try files.open(.sharedMemory) else { return .nobody }
            return file.isLocked(at: 128).map { $0 ? .somebody : .nobody } ?? .unknown
        } catch {
            return .unknown
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
    func connect(_ files: FileAccess) throws -> Connection {
        let connection =
            switch self {
            case .ordinary: try files.opened(.readOnly).connect()
            case .immutable: try files.opened(.immutable).connect()
            case .attached: try files.opened(.attached).connect()
            case .abandonedLog: try files.opened(.abandonedLog).connect()
            case .copied(let copy): try copy.files.connect()
            }
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
    let files: FileAccess

    /// Without any files yet.
    init(besides original: FileAccess) throws(StoreError) {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array((parent + "/cblite-read-XXXXXX").utf8CString)
        guard let name = template.withUnsafeMutableBufferPointer({ mkdtemp($0.baseAddress!) }) else {
            throw StoreError(.inputOutput, "cannot make a directory in \(parent): \(FileStatus.reason())", path: original.bundle.path)
        }
        files = original.copied(to: DatabaseBundle(path: String(cString: name)), .ownCopy)
    }

    convenience init(of original: FileAccess, leavesOutLog: Bool = false) throws(StoreError) {
        try self.init(besides: original)
        // The main file before the log: what a checkpoint moves in between is then in both. If it came in between, once more.
        for _ in 0..<20 {
            let before = original.bundle.status(.main)
            for part in [DatabaseBundle.Part.main, .rollbackJournal, .log] where part != .log || !leavesOutLog {
                try original.copy(part, to: files)
            }
            try files.checkJournal(cutsOff: true)
            if original.bundle.status(.main) == before { return }
        }
        throw StoreError(.busy, "another program keeps changing the database", path: original.bundle.path)
    }

    deinit { _ = Leftover(path: files.bundle.path)?.remove() }
}
