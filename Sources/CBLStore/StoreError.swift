import CBLSQLite

/// Why a database could not do what was asked: a code for programs, and a message for the person at the prompt.
package struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        /// No such database, collection, document, revision or blob.
        case notFound
        /// A database or collection of that name is there already.
        case exists
        /// The document was changed by somebody else, or is there already, or is gone.
        case conflict
        /// Another process or thread holds the lock for longer than the waiting time, or has open what is to be deleted.
        case busy
        /// The database was closed.
        case notOpen
        case corrupt
        /// The file's schema has something that no release of Couchbase Lite makes, and that SQLite would run.
        case foreignSchema
        case notADatabase
        /// The file seems to be encrypted, and no key was given.
        case needsKey
        /// A key was given that is none for this file, which may not be encrypted at all.
        case wrongKey
        /// A Couchbase Lite 1.x database: another schema, readable only by converting it.
        case version1
        case tooNew
        case tooOld
        case readOnly
        /// A collection, scope, document or index name that the rules do not allow.
        case invalidName
        /// A body that cannot be a document.
        case invalidDocument
        /// A document that whoever looks at what is stored does not allow.
        case refused
        /// A revision ID or a history that cannot be one.
        case invalidRevision
        /// A revision that was made later than it is now, by this machine's clock.
        case fromFuture
        /// An index of the collection needs functions or modules that are not there.
        case unsupported
        case diskFull
        case interrupted
        /// Something that cannot be done while a transaction is open.
        case transactionOpen
        /// Something that can be done only while a transaction is open.
        case noTransaction
        case inputOutput
    }

    package let code: Code
    package let message: String
    /// The database it is about, where one is known.
    package let path: String?
    /// What SQLite said, if it was SQLite that refused.
    package let cause: SQLiteError?

    package init(_ code: Code, _ message: String, path: String? = nil, cause: SQLiteError? = nil) {
        self.code = code
        self.message = message
        self.path = path
        self.cause = cause
    }

    package var description: String {
        guard let path else { return message }
        return "\(path): \(message)"
    }

    static func closed(_ path: String) -> StoreError { StoreError(.notOpen, "the database is closed", path: path) }

    /// The same error, saying which database it is about.
    func about(_ path: String) -> StoreError {
        self.path == nil ? StoreError(code, message, path: path, cause: cause) : self
    }
}

extension StoreError {
    /// What an error of SQLite means to the user of a database.
    init(_ error: SQLiteError, path: String? = nil) {
        let (code, message): (Code, String) =
            if error.isBusy {
                (.busy, "another program is using the database and did not let go of it in time")
            } else if error.isInterrupted {
                (.interrupted, "interrupted")
            } else if error.isMissingLibrary {
                (.unsupported, error.message)
            } else if error.isDiskFull {
                (.diskFull, "the disk is full; nothing was changed")
            } else if error.isHeldCommit {
                (.noTransaction, "SQLite has rolled the transaction back")
            } else if error.isNotADatabase {
                (.notADatabase, "the file db.sqlite3 is not an SQLite database, or its header is damaged")
            } else if error.isCorrupt, error.message.hasPrefix("malformed database schema") {
                (.foreignSchema, "an entry of its schema is none that SQLite can understand: \(error.message)")
            } else if error.isCorrupt {
                (.corrupt, "the database is damaged: \(error.message)")
            } else if error.message.hasPrefix("no such table: kv") || error.message.hasPrefix("no such column: ") {
                // SQL of users has its own report: here a name of ours is not in the schema.
                (.corrupt, "the database is damaged: \(error.message)")
            } else if error.isReadOnly {
                (.readOnly, "the database cannot be written: \(error.message)")
            } else if error.message.hasPrefix("Unknown ML model name") {
                (.unsupported, "a predictive index of the collection asks a model that is not there: \(error.message)")
            } else if error.namesWhatIsMissing {
                (.unsupported, "an index of the database needs what this program does not have: \(error.message)")
            } else {
                (.inputOutput, error.sql.map { "SQLite: \(error.message), in: \($0)" } ?? "SQLite: \(error.message)")
            }
        self.init(code, message, path: path, cause: error)
    }

    /// Whatever was thrown, with SQLite's errors translated; errors of other origin pass.
    package static func translating(_ error: any Error, path: String? = nil) -> any Error {
        switch error {
        case let error as StoreError: path.map(error.about) ?? error
        case let error as SQLiteError: StoreError(error, path: path)
        default: error
        }
    }
}

extension SQLiteError {
    fileprivate var isNotADatabase: Bool { code == 26 }

    fileprivate var namesWhatIsMissing: Bool {
        ["no such function", "unknown function", "no such module", "unknown tokenizer", "no such collation"].contains {
            message.hasPrefix($0)
        }
    }
}
