import CBLBase
import CBLFleece
import CBLFunctions
import CBLSQLite
import CBLSystemSQLite
import Glibc
import Synchronization

/// The one connection that writes, and the gate before it: transactions of several threads come one after another.
///
/// Until somebody wants to write, those who read have it. So an app that opens a database and reads has one connection, and one that
/// writes, too, gets its second one then.
///
/// Sendable without check because everything but the gate is touched only by the thread that is inside it.
final class Writer: @unchecked Sendable {
    private let files: FileAccess
    private let options: Database.Options
    let encoder: FleeceEncoder
    /// Where the times of new versions come from.
    var clock = HybridClock()
    let wallClock: @Sendable () -> UInt64
    private var openFile: FileConnection?
    /// The files were replaced, or should have been, and could not be opened then: that is tried again when somebody wants to write.
    private var isToBeReopened = false
    /// Those who read with the connection, which was never written with then.
    private var borrower: ReaderPool?
    private let gate = Gate()
    private let patience: Duration?
    /// Whether something was committed that nobody has read yet.
    private let hasNews = Atomic<Bool>(false)
    /// Called before each transaction; set before there is one.
    var beforeWriting: (@Sendable () -> Void)?

    init(_ files: FileAccess, options: Database.Options) throws {
        self.files = files
        self.options = options
        let bundle = files.bundle
        wallClock = options.wallClock
        patience = files.busyTimeout
        if options.access == .create { try DatabaseCreation.prepare(files) }
        try bundle.checkExistence()
        try bundle.checkForWriting()
        let file = try Writer.open(files, options)
        openFile = file
        encoder = FleeceEncoder(sharedKeys: file.keys)
        try prepare(file)
    }

    private static func open(_ files: FileAccess, _ options: Database.Options) throws -> FileConnection {
        guard let status = files.bundle.status(.main) else { throw StoreError(.notFound, "no such database") }
        let ((connection, functions), entry) = try OpenFiles.enter(status) { present in
            if present == nil {
                try files.checkJournal(cutsOff: options.removesForeignObjects)
                try files.undoInterruptedCreation()
            }
            let isEmpty = present == nil && files.bundle.size(.main) == 0
            // What an interrupted creation left is empty.
            if options.access != .create || !isEmpty { try files.check(present) }
            if present == nil {
                if files.key != nil, ReadAccess.holder(of: files) == .nobody { try files.checkLog() }
            }
            return (try Writer.connect(files, options, isEmpty: isEmpty), use: .ordinary)
        }
        let note = entry.map { OpenFiles.Note($0) }
        // Goes after the connection, if that cannot be used.
        defer { withExtendedLifetime(note) {} }
        if options.access == .create { try DatabaseCreation.createTables(on: connection) }
        let file = try FileConnection(connection, functions: functions, isWriter: true)
        file.note = note
        return file
    }

    private static func connect(_ files: FileAccess, _ options: Database.Options, isEmpty: Bool) throws -> (Connection, FunctionContext?) {
        let connection = try files.connect()
        SQLFunctions.registerCollations(on: connection)
        var functions: FunctionContext?
        if options.removesForeignObjects {
            // To drop an index takes the functions that it names.
            functions = try FileConnection.registerFunctions(on: connection, blobs: blobs(of: files))
            try SchemaCleaning.run(on: connection)
        }
        try connection.configure(SQLITE_DBCONFIG_DEFENSIVE, true)
        if options.access == .create, isEmpty { try connection.execute("PRAGMA auto_vacuum=incremental") }
        try connection.execute(
            script: "PRAGMA mmap_size=0; PRAGMA journal_size_limit=5242880; PRAGMA fullfsync=ON; PRAGMA secure_delete=OFF")
        try connection.setCacheSize(kibibytes: FileConnection.cacheSize)
        switch files.durability {
        // Nobody else sees it yet: its pages go where they belong, and not by way of a log.
        case nil: break
        case .normal: try connection.execute(script: "PRAGMA journal_mode=WAL; PRAGMA synchronous=normal")
        case .full: try connection.execute(script: "PRAGMA journal_mode=WAL; PRAGMA synchronous=full")
        }
        return (connection, functions)
    }

    /// Brings the file to what this release expects; few files need it, and the others are not written.
    private func prepare(_ file: FileConnection) throws {
        let upgrade = options.upgrade == .none ? nil : Upgrade(file)
        let toVectors = options.upgrade == .versionVectors
        guard try TombstoneRepair.isNeeded(file) || upgrade?.isNeeded(toVectors: toVectors) == true else { return }
        try file.registerFunctions(blobs: Writer.blobs(of: files))
        try file.begin(immediate: true)
        do {
            try upgrade?.run(toVectors: toVectors)
            try TombstoneRepair.run(on: file)
            try file.connection.execute("COMMIT")
        } catch {
            file.end()
            throw error
        }
    }

    /// What functions in SQL read.
    private static func blobs(of files: FileAccess) -> BlobFolder { BlobFolder(files.opened(.readOnly)) }

    /// Has a pool read with the connection until it is needed for writing. To be called once, before anybody else knows of either.
    func lend(to pool: ReaderPool) throws {
        guard let file = openFile else { return }
        try file.becomeReader()
        try pool.borrow(file)
        borrower = pool
    }

    /// Waits for its turn, and begins a transaction. `finish` must follow.
    func begin() throws -> FileConnection {
        try enter()
        do {
            let file = try present()
            try file.begin(immediate: true)
            return file
        } catch {
            gate.leave()
            throw error
        }
    }

    /// Lets the next one in.
    func finish(hasCommitted: Bool = false) {
        if hasCommitted { hasNews.store(true, ordering: .relaxed) }
        gate.leave()
    }

    /// Reads on this connection, if it has committed something since somebody last read, and nobody is writing: it has the pages at hand that any
    /// other one would have to read anew. Nil otherwise. `work` must be quick, and call nobody who might write.
    func readNews<Result>(_ work: (FileConnection) throws -> Result) throws -> Result? {
        guard hasNews.load(ordering: .relaxed), hasNews.exchange(false, ordering: .relaxed), gate.tryEnter() else { return nil }
        defer { gate.leave() }
        let file = try present()
        // What stands in the way may not do so for another connection.
        do { try file.connection.readingBriefly { try file.begin() } } catch { return nil }
        defer { file.end() }
        return try work(file)
    }

    /// Ends all connections of the database, has `work` put other files in the place of its own, and opens those. What fails leaves the old ones.
    func replacingFiles(readBy readers: ReaderPool, _ work: () throws -> Void) throws {
        try enter()
        defer { gate.leave() }
        guard openFile != nil || isToBeReopened else { throw StoreError.closed(files.bundle.path) }
        try readers.suspended {
            borrower = nil
            encoder.sharedKeys = nil
            openFile = nil
            isToBeReopened = true
            let result = Result { try work() }
            _ = try reopened()
            try result.get()
        }
    }

    private func reopened() throws -> FileConnection {
        let file = try Writer.open(files, options)
        try file.becomeWriter(blobs: Writer.blobs(of: files))
        openFile = file
        isToBeReopened = false
        encoder.sharedKeys = file.keys
        return file
    }

    /// Runs `work` between transactions.
    func exclusively<Result>(_ work: (FileConnection) throws -> Result) throws -> Result {
        try enter()
        defer { gate.leave() }
        return try work(try present())
    }

    private func enter() throws(StoreError) {
        if let patience {
            guard gate.enter(within: patience) else {
                throw StoreError(.busy, "another thread is writing, and did not come to an end in time", path: files.bundle.path)
            }
        } else {
            gate.enter()
        }
        beforeWriting?()
    }

    private func present() throws -> FileConnection {
        guard let file = openFile else {
            guard isToBeReopened else { throw StoreError.closed(files.bundle.path) }
            return try reopened()
        }
        guard let pool = borrower else { return file }
        // If somebody is just reading with it, he keeps it.
        let writing = pool.giveUp(file) ? file : try Writer.open(files, options)
        try writing.becomeWriter(blobs: Writer.blobs(of: files))
        borrower = nil
        openFile = writing
        encoder.sharedKeys = writing.keys
        return writing
    }

    /// Has a database that nobody sees yet become what all others are, with a log. What fails here leaves it as nobody is to see it.
    func complete() throws {
        gate.enter()
        defer { gate.leave() }
        let connection = try present().connection
        try Maintenance.tidyUp(connection)
        connection.releaseStatements()
        guard try connection.strings("PRAGMA journal_mode=WAL") == ["wal"] else {
            throw StoreError(.inputOutput, "there can be no log beside it", path: files.bundle.path)
        }
    }

    /// Tidies up and ends the connection. If it is the last one to the file, SQLite empties the log.
    func close() {
        gate.enter()
        defer { gate.leave() }
        isToBeReopened = false
        guard let file = openFile else { return }
        // What fails here is only left for the next time.
        if borrower == nil, files.durability != nil { try? Maintenance.tidyUp(file.connection) }
        borrower = nil
        encoder.sharedKeys = nil
        openFile = nil
    }
}
