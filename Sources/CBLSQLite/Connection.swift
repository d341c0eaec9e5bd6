import CBLBase
import CBLSystemSQLite
import Glibc

/// One connection to one SQLite file. It belongs to one thread at a time: whoever shares it brings a lock.
///
///     let connection = try Connection(path: "db.sqlite3", mode: .readWrite)
///     try connection.execute("PRAGMA cache_size=-10240")
///     let count = try connection.integer("SELECT count(*) FROM kv_default")
package final class Connection {
    package enum Mode: Sendable {
        case readOnly, readWrite, create
    }

    /// SQLite's own handle, for registering functions, collations and modules.
    package let handle: OpaquePointer
    /// The main file, as SQLite calls it; empty in memory.
    private let path: String
    @exclusivity(unchecked) private var kept = KeptStatements()
    private var cacheSize = 0
    private var busyMilliseconds: Int32 = 0
    var heedsInterrupts = false
    private var holdsCommits = false
    /// What is wrong with the schema, if the connection had to be told to pass over it.
    package private(set) var toleratedDamage: String?

    /// Counting allocated memory takes a mutex of the whole process for each allocation, over which threads quarrel that scan a table together.
    /// Nobody asks for the count. If the process has used SQLite before, it has decided already.
    ///
    /// Memory for pages is taken one by one, and not for twenty at first, of which a short command reads three.
    ///
    /// SQLite's sorter hears nothing of Ctrl-C while it sorts what it has in memory: pages of 4 KiB, and at least a megabyte of them if nobody says less.
    private static let prepareLibrary: Void = {
        _ = cblite_sqlite_count_memory(0)
        _ = cblite_sqlite_pages_at_first(0)
        _ = cblite_sqlite_sorted_pages(64)
    }()

    /// Opens a file. `parameters` are those of SQLite's URI file names, for example `immutable=1`.
    package init(path: String, mode: Mode, parameters: [String] = []) throws(SQLiteError) {
        let access =
            switch mode {
            case .readOnly: SQLITE_OPEN_READONLY
            case .readWrite: SQLITE_OPEN_READWRITE
            case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            }
        // What is behind a NUL, SQLite would not see: it would open another file.
        guard !path.utf8.contains(0) else {
            throw SQLiteError(extendedCode: SQLITE_CANTOPEN, message: "a path cannot hold a NUL", sql: nil)
        }
        Connection.prepareLibrary
        FileLayer.register
        var handle: OpaquePointer?
        let flags = access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI | SQLITE_OPEN_EXRESCODE
        let code = sqlite3_open_v2(Connection.uri(path, parameters), &handle, flags, FileLayer.name)
        guard code == SQLITE_OK, let handle else {
            let message = SQLiteError.lackOfDescriptors(code, on: handle) ?? handle.map { String(cString: sqlite3_errmsg($0)) }
            sqlite3_close_v2(handle)
            throw SQLiteError(extendedCode: code, message: message ?? "out of memory", sql: nil)
        }
        self.handle = handle
        self.path = sqlite3_db_filename(handle, "main").map { String(cString: $0) } ?? ""
        try distrustSchema(mode)
        if mode == .readOnly { heedInterrupts() }
    }

    /// A database of its own, in memory.
    package static func inMemory() throws(SQLiteError) -> Connection { try Connection(path: ":memory:", mode: .create) }

    deinit {
        kept.removeAll()
        sqlite3_close_v2(handle)
        if !path.isEmpty { FileLayer.forget(path) }
    }

    /// A schema is text of whoever made the file. It gets the functions that are marked as harmless, no views, no other files, and no more
    /// memory than documents take. What only changes of the schema itself need is on for none.
    private func distrustSchema(_ mode: Mode) throws(SQLiteError) {
        try configure(SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)
        try configure(SQLITE_DBCONFIG_ENABLE_VIEW, false)
        try configure(SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, false)
        if mode == .readOnly { try configure(SQLITE_DBCONFIG_ENABLE_TRIGGER, false) }
        for (limit, value) in Connection.limits { sqlite3_limit(handle, limit, value) }
    }

    /// Lets triggers use virtual tables, as those of full-text indexes do. Only for a schema whose every text is known.
    package func trustSchema() throws(SQLiteError) { try configure(SQLITE_DBCONFIG_TRUSTED_SCHEMA, true) }
    package func distrustSchema() throws(SQLiteError) { try configure(SQLITE_DBCONFIG_TRUSTED_SCHEMA, false) }

    /// In bytes. A row that has more is damage.
    package static let longestValue = 1 << 28

    /// More levels of triggers than arrays in arrays have are damage, too.
    private static let limits: [(Int32, Int32)] = [
        (SQLITE_LIMIT_LENGTH, Int32(longestValue)), (SQLITE_LIMIT_ATTACHED, 0), (SQLITE_LIMIT_TRIGGER_DEPTH, 100),
    ]

    /// Runs `VACUUM`, the one statement of ours that attaches a file: a temporary one, under SQLite's own name.
    package func vacuum() throws(SQLiteError) {
        sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 1)
        defer { sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0) }
        try execute("VACUUM")
    }

    /// Writes all of the database anew into a file that is not there yet, encrypted. `path` is the whole path, without links. Statements of the schema are
    /// run for that: it must be one whose every text is known.
    package func vacuum(into path: String, _ cipher: any WritablePageCipher) throws {
        sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 1)
        defer { sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0) }
        try reserve(cipher.reservedSize)
        HiddenFile.need()
        try FileLayer.awaiting(path, cipher) {
            defer { FileLayer.forget(path) }
            let statement = try Statement("VACUUM INTO ?", on: self, isKept: false)
            try statement.bind(Connection.uri(path, []), 1)
            try statement.run()
        }
    }

    // A path may hold '?', '#' and '%', which mean something in a URI.
    private static func uri(_ path: String, _ parameters: [String]) -> String {
        guard path != ":memory:" else { return path }
        let digits = Array("0123456789ABCDEF".utf8)
        var escaped = Array("file:".utf8)
        // "file:" + an absolute path needs an empty authority, or "//host" would be read as one.
        if path.utf8.first == UInt8(ascii: "/") { escaped += Array("//".utf8) }
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "%"):
                escaped += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            default: escaped.append(byte)
            }
        }
        for (number, parameter) in parameters.enumerated() {
            escaped.append(UInt8(ascii: number == 0 ? "?" : "&"))
            escaped += Array(parameter.utf8)
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    /// Runs one statement, whose rows nobody wants. A text of several is refused: one that has names in it could have got another statement
    /// from one of them.
    package func execute(_ sql: String) throws(SQLiteError) { try Statement(sql, on: self, isKept: false).run() }

    /// Runs statements of our own, separated by `;`.
    package func execute(script: StaticString) throws(SQLiteError) {
        let sql = script.description
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        if code != SQLITE_OK { throw error(code, sql: sql) }
    }

    /// Compiles a statement, and only one, that its caller keeps.
    package func prepare(_ sql: String) throws(SQLiteError) -> Statement {
        try Statement(sql, on: self)
    }

    /// Lends a compiled statement, compiled once for each text and kept for the next caller, unless none comes for long.
    package func withStatement<Result>(
        _ sql: String, _ body: (Statement) throws -> Result
    ) throws -> Result {
        let statement = try kept.lend(sql) ?? kept.lend(prepare(sql))
        defer {
            statement.reset()
            statement.clearBindings()
            statement.isLent = false
        }
        return try body(statement)
    }

    /// The same for a caller that goes on using it: compiled now, or kept from the last time. It should come back with `keep`.
    package func take(_ sql: String) throws(SQLiteError) -> Statement {
        if let statement = kept.take(sql) { return statement }
        return try prepare(sql)
    }

    /// Takes a statement back for its next use.
    package func keep(_ statement: Statement) {
        statement.reset()
        statement.clearBindings()
        kept.keep(statement)
    }

    /// Begins a transaction that writes, with the lock for that taken before any other: see `WriterLocks`.
    package func beginWriting() throws {
        try LayeredFile.telling(handle) {
            $0.takeAhead($1)
        } _: {
            $0.endTaking($1)
        } _: {
            try withStatement("BEGIN IMMEDIATE") { try $0.run() }
        }
    }

    /// Has a transaction begun by `work` that is over in a moment.
    package func readingBriefly(_ work: () throws -> Void) rethrows {
        try LayeredFile.telling(handle) { locks, _ in
            locks.beginMakingDo()
        } _: { locks, _ in
            locks.endMakingDo()
        } _: {
            try work()
        }
    }

    /// Has every commit fail but that of `commit`, until that or `releaseCommits`. After some errors SQLite rolls a transaction back by itself, and whoever
    /// went on would have each statement committed alone.
    package func holdCommits() {
        holdsCommits = true
        let hook: @convention(c) (UnsafeMutableRawPointer?) -> Int32 = { connection in
            guard let connection else { return 0 }
            return Unmanaged<Connection>.fromOpaque(connection).takeUnretainedValue().holdsCommits ? 1 : 0
        }
        sqlite3_commit_hook(handle, hook, Unmanaged.passUnretained(self).toOpaque())
    }

    package func releaseCommits() { holdsCommits = false }

    /// Ends it. A statement that is not at its end goes on with what it sees.
    package func commit() throws {
        releaseCommits()
        try LayeredFile.telling(handle) { locks, _ in
            locks.beginCommit()
        } _: {
            $0.endCommit($1)
        } _: {
            try withStatement("COMMIT") { try $0.run() }
        }
    }

    /// Finalises the kept statements: before closing, and before a change of schema that they would stand in the way of.
    package func releaseStatements() { kept.removeAll() }

    /// The first column of the first row, if there is a row and the column is not NULL.
    package func integer(_ sql: String) throws -> Int64? {
        try withStatement(sql) { statement in
            try statement.step() && !statement.isNull(0) ? statement.int64(0) : nil
        }
    }

    /// The first column of every row, as text.
    package func strings(_ sql: String) throws -> [String] {
        try withStatement(sql) { statement in
            var rows: [String] = []
            while try statement.step() { rows.append(statement.string(0) ?? "") }
            return rows
        }
    }

    /// Rows changed, inserted or deleted by the statement that ran last.
    package var changes: Int { Int(sqlite3_changes(handle)) }
    package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Makes the running statement fail with `SQLITE_INTERRUPT`. The one call that another thread may make.
    package func interrupt() { sqlite3_interrupt(handle) }

    /// Has `check` called again and again while a statement runs; it ends the statement with `SQLITE_INTERRUPT` by giving something else than 0.
    /// With nil it is as it was before: see `heedInterrupts`.
    package func setProgressCheck(_ check: (@convention(c) (UnsafeMutableRawPointer?) -> Int32)?) {
        setProgressCheck(every: 10_000, nil, check)
    }

    /// The same, with something for `check` to look at, after every `steps` instructions of SQLite's machine.
    package func setProgressCheck(
        every steps: Int32, _ subject: UnsafeMutableRawPointer?, _ check: (@convention(c) (UnsafeMutableRawPointer?) -> Int32)?
    ) {
        if let check { return sqlite3_progress_handler(handle, steps, check, subject) }
        guard heedsInterrupts else { return sqlite3_progress_handler(handle, 0, nil, nil) }
        sqlite3_progress_handler(handle, 10_000, { _ in Interrupts.isRequested ? 1 : 0 }, nil)
    }

    /// Compiles the statements of a text one after another, and lends each to `body` before the next is compiled.
    package func forEachStatement(in sql: String, _ body: (Statement) throws -> Void) throws {
        var sql = sql
        try sql.withUTF8 { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let (statement, length) = try Statement.first(in: UnsafeBufferPointer(rebasing: rest), on: self)
                rest = rest.dropFirst(max(1, length))
                if let statement { try body(statement) }
            }
        }
    }

    /// Reads the schema, passing over entries that SQLite cannot understand: without it, one of them makes all tables unreadable. Only for
    /// connections that do not write, and instead of `SQLITE_DBCONFIG_DEFENSIVE`. A file that is cut off can be read as far as it goes.
    package func tolerateDamagedSchema() throws(SQLiteError) {
        let code = sqlite3_exec(handle, "SELECT 1 FROM sqlite_master LIMIT 1", nil, nil, nil)
        guard code & 0xFF == SQLITE_CORRUPT else { return }
        let message = error(code).message
        try execute("PRAGMA writable_schema=ON")
        toleratedDamage = message
    }

    /// How much memory pages are kept in. SQLite's sorter takes as much again before it turns to temporary files.
    package func setCacheSize(kibibytes: Int) throws(SQLiteError) {
        guard kibibytes != cacheSize else { return }
        try execute("PRAGMA cache_size=-\(kibibytes)")
        cacheSize = kibibytes
    }

    /// How long a statement waits for a lock that another connection holds.
    package func setBusyTimeout(milliseconds: Int32) {
        busyMilliseconds = milliseconds
        sqlite3_busy_timeout(handle, milliseconds)
    }

    /// Runs `work`, in which locks that others have are an error at once.
    package func withoutWaiting<Result>(_ work: () throws -> Result) rethrows -> Result {
        let usual = busyMilliseconds
        setBusyTimeout(milliseconds: 0)
        defer { setBusyTimeout(milliseconds: usual) }
        return try work()
    }

    /// Sets one of SQLite's `SQLITE_DBCONFIG_…` switches.
    package func configure(_ option: Int32, _ isOn: Bool) throws(SQLiteError) {
        let code = cblite_sqlite_db_config(handle, option, isOn ? 1 : 0)
        if code != SQLITE_OK { throw error(code) }
    }

    /// The error for a result code that was just returned on this connection.
    package func error(_ code: Int32, sql: String? = nil) -> SQLiteError {
        SQLiteError(code, on: handle, sql: sql)
    }
}

extension SQLiteError {
    init(_ code: Int32, on handle: OpaquePointer?, sql: String?) {
        if let untold = UntoldFailure.take(), code & 0xFF == SQLITE_INTERRUPT || code & 0xFF == SQLITE_ERROR {
            self.init(extendedCode: SQLiteError.missingLibrary, message: untold, sql: sql)
            return
        }
        let extended = sqlite3_extended_errcode(handle)
        if let lack = SQLiteError.lackOfDescriptors(code, on: handle) {
            self.init(extendedCode: code, message: lack, sql: nil)
            return
        }
        let isCurrent = extended & 0xFF == code & 0xFF
        self.init(
            extendedCode: isCurrent ? extended : code,
            message: String(cString: isCurrent ? sqlite3_errmsg(handle) : sqlite3_errstr(code)), sql: sql)
    }
}

extension SQLiteError {
    /// Files that cannot be opened, or folders that cannot be synchronized, as the process has too many open already: neither the statement nor the
    /// disk is to blame.
    fileprivate static func lackOfDescriptors(_ code: Int32, on handle: OpaquePointer?) -> String? {
        guard [SQLITE_CANTOPEN, SQLITE_IOERR].contains(code & 0xFF), let handle else { return nil }
        // SQLite asks the layer for it, but not when a commit fails.
        let isFolder = sqlite3_extended_errcode(handle) == SQLITE_IOERR | 5 << 8
        let layer = isFolder ? sqlite3_vfs_find(FileLayer.name) : nil
        let reason = layer?.pointee.xGetLastError?(layer, 0, nil) ?? sqlite3_system_errno(handle)
        return reason == EMFILE || reason == ENFILE ? SystemCall.message(reason) : nil
    }
}

/// A text as SQL text: in single quotes, inner ones doubled. What can be bound is better bound.
package func quoted(literal text: String) -> String { quoted(text, "'") }

/// A name as SQL text: always in double quotes, inner ones doubled.
package func quoted(identifier name: String) -> String { quoted(name, "\"") }

// By code points: a quote that stands behind U+0600, or before a combining mark, is a part of another `Character`.
private func quoted(_ text: String, _ quote: Unicode.Scalar) -> String {
    var sql = String.UnicodeScalarView()
    sql.append(quote)
    for scalar in text.unicodeScalars {
        if scalar == quote { sql.append(quote) }
        sql.append(scalar)
    }
    sql.append(quote)
    return String(sql)
}
