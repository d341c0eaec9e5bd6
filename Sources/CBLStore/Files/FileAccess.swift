import CBLSQLite
import CBLSystemSQLite
import Glibc

/// The one way to the bytes of a database: where its files are, what may be done with them, and the key that they are encrypted with.
///
///     let files = FileAccess(DatabaseBundle(path: path), .readWrite, key: key)
///     let connection = try files.connect()
///     let blob = try files.openBlob(digest.fileName, in: folder)
///
/// It alone has SQLite open the main file (`connect`), reads it without SQLite (`header`), and opens what has the content of blobs (`openBlob`,
/// `makeBlob`). So whatever stands between these bytes and their meaning, as a cipher does, has its place here: `Tests/files.sh` watches that
/// nothing goes past it. Names, sizes and times of files are no secret, and `DatabaseBundle` and `Folder` tell them to everybody.
struct FileAccess: Sendable {
    /// How the main file is opened.
    enum Mode: Sendable {
        /// With SQLite's locks, which tell of what others write.
        case readOnly
        /// Nobody writes it: without locks, and as if there were no log.
        case immutable
        /// The log through the shared memory of another process, which is mapped for reading only.
        case attached
        /// A log that nobody has open, with an index of it in our own memory.
        case abandonedLog
        /// A copy that only this process knows. SQLite may have to play its journal back.
        case ownCopy
        case readWrite
        /// A file that is not there yet, in a bundle that nobody sees before it is complete.
        case unfinished
    }

    let bundle: DatabaseBundle
    let mode: Mode
    /// The key, and what is known of it. All that was derived from the same access shares it.
    let secret: FileSecret
    /// Nil where all that was written is thrown away if there is a crash.
    let durability: Database.Options.Durability?
    /// How long to wait for the transaction of another; nil for as long as is usual.
    let busyTimeout: Duration?

    init(
        _ bundle: DatabaseBundle, _ mode: Mode = .readOnly, key: EncryptionKey? = nil,
        durability: Database.Options.Durability? = .normal, busyTimeout: Duration? = nil
    ) {
        self.init(bundle, mode, FileSecret(key), durability: durability, busyTimeout: busyTimeout)
    }

    private init(
        _ bundle: DatabaseBundle, _ mode: Mode, _ secret: FileSecret, durability: Database.Options.Durability?, busyTimeout: Duration?
    ) {
        self.bundle = bundle
        self.mode = mode
        self.secret = secret
        self.durability = durability
        self.busyTimeout = busyTimeout
    }

    init(path: String, _ options: Database.Options) {
        self.init(
            DatabaseBundle(path: path), options.access == .readOnly ? .readOnly : .readWrite, key: options.key,
            durability: options.isUnfinished ? nil : options.durability, busyTimeout: options.busyTimeout)
    }

    var key: EncryptionKey? { secret.given }

    /// The same files in another way.
    func opened(_ mode: Mode) -> FileAccess {
        FileAccess(bundle, mode, secret, durability: durability, busyTimeout: busyTimeout)
    }

    /// A copy of the same files in another place, as they are: with the same key.
    func copied(to bundle: DatabaseBundle, _ mode: Mode = .unfinished, durability: Database.Options.Durability? = nil) -> FileAccess {
        FileAccess(bundle, mode, secret, durability: durability, busyTimeout: nil)
    }

    /// Files of the same content in another place, with a key of their own, or none.
    func rewritten(to bundle: DatabaseBundle, key: EncryptionKey?, durability: Database.Options.Durability? = nil) -> FileAccess {
        FileAccess(bundle, .unfinished, key: key, durability: durability)
    }

    var isReadOnly: Bool {
        switch mode {
        case .readOnly, .immutable, .attached, .abandonedLog: true
        case .ownCopy, .readWrite, .unfinished: false
        }
    }

    /// Has SQLite open the main file, and makes sure that all it opens by name are files.
    func connect() throws -> Connection {
        try bundle.check(mode.parts)
        let connection = try Connection(path: bundle.databaseFile, mode: mode.connectionMode, parameters: mode.parameters)
        connection.setBusyTimeout(milliseconds: busyMilliseconds)
        if let key { try unlock(connection, key) } else { try checkIsPlain(connection) }
        switch mode {
        case .readOnly, .immutable, .attached, .ownCopy: break
        // Before the first read: the index of the log is then made on the heap, and not in a file.
        case .abandonedLog: try connection.execute("PRAGMA locking_mode=EXCLUSIVE")
        case .readWrite:
            if key != nil, secret.isOfVersion1 { throw isEncryptedVersion1(nil) }
            guard sqlite3_db_readonly(connection.handle, "main") == 0 else {
                let reason = access(bundle.databaseFile, W_OK) == 0 ? "it was opened for reading only" : FileStatus.reason()
                throw StoreError(.readOnly, "the file db.sqlite3 cannot be written: \(reason)")
            }
            fallthrough
        case .unfinished: if durability == nil { try connection.execute("PRAGMA synchronous=off") }
        }
        return connection
    }

    /// Has SQLite empty a file again whose creation was interrupted, if it is one: before others look at what is in it. This process has no connection
    /// to it.
    func undoInterruptedCreation() throws {
        guard bundle.size(.main) > 0, bundle.size(.rollbackJournal) > 0, isOfCreation else { return }
        let connection = try Connection(path: bundle.databaseFile, mode: .readWrite)
        connection.setBusyTimeout(milliseconds: busyMilliseconds)
        _ = try connection.integer("PRAGMA user_version")
    }

    private var isOfCreation: Bool { (try? open(.rollbackJournal)).flatMap { $0 }.map { RollbackJournal.isOfEmptyFile($0) } ?? false }

    private static let usualBusyTimeout = Duration.seconds(10)

    private var busyMilliseconds: Int32 {
        let timeout = busyTimeout ?? FileAccess.usualBusyTimeout
        return Int32(clamping: Int64(min(max(0, timeout / .milliseconds(1)), 1e9)))
    }
}

extension FileAccess.Mode {
    fileprivate var connectionMode: Connection.Mode {
        switch self {
        case .readOnly, .immutable, .attached, .abandonedLog: .readOnly
        case .ownCopy, .readWrite: .readWrite
        case .unfinished: .create
        }
    }

    /// Of SQLite's URI.
    fileprivate var parameters: [String] {
        switch self {
        case .immutable: ["immutable=1"]
        case .attached: ["readonly_shm=1"]
        case .abandonedLog: ["nolock=1"]
        case .readOnly, .ownCopy, .readWrite, .unfinished: []
        }
    }

    /// What SQLite opens by name.
    fileprivate var parts: [DatabaseBundle.Part] {
        switch self {
        case .readOnly, .attached, .readWrite: DatabaseBundle.Part.allCases
        case .abandonedLog: [.main, .log, .rollbackJournal]
        case .immutable: [.main]
        // Nobody but us has put anything there.
        case .ownCopy, .unfinished: []
        }
    }
}
