import CBLBase
import CBLLanguage
import CBLStore
import CBLWorkbench

/// Opening, choosing and closing databases.
extension InteractiveShell {
    /// Goes on with a database: one that is open, by its name or path, or another, which is opened beside the others.
    func use(_ word: String) throws {
        if let index = databases.index(of: word) {
            try allowWriting(index)
            go(to: index)
        } else {
            let database = try opening(word) { try session.open(word, writes: false) }
            enter(database)
        }
        if isOnTerminal { session.notice(lines: try Banner.lines(session)) }
    }

    /// A path that is wrong may be a slip in the name of a database that is open.
    private func opening(_ word: String, _ open: () throws -> Database) throws -> Database {
        do { return try open() } catch let error as CommandError where !PathText.hasSlash(word) && !Endpoint.exists(word) {
            if let name = try? CollectionName(parsing: word), let open = session.openDatabase, try open.read({ $0.hasCollection(name) }) {
                throw CommandError(error.exitCode, error.message, hint: "It is a collection of this database: \"cd \(word)\" goes there.")
            }
            let hint = Suggestion.sentence(for: word, in: databases.names, quoted: true)
            throw CommandError(error.exitCode, error.message + (hint.isEmpty ? "" : ".\(hint)"), hint: error.hint)
        }
    }

    /// Opens a database anew that is open for reading, if the command says that it is to be changed.
    private func allowWriting(_ index: Int) throws {
        let old = databases.entries[index].database
        guard old.isReadOnly, session.options.isWriteable || session.options.creates || session.options.upgrade != .none else { return }
        // SQLite's locks belong to the process: what was opened without any must be closed before the file is opened with them.
        old.close()
        let database: Database
        do {
            database = try session.open(old.path, writes: true)
        } catch {
            session.options = options
            let again = try session.open(old.path, writes: false)
            replace(index, by: again)
            throw error
        }
        replace(index, by: database)
    }

    /// Works on a database that is open for reading as if it was open for changes, and leaves it as it was.
    func changing<Result>(_ database: Database, _ work: (Database) throws -> Result) throws -> Result {
        guard let index = databases.entries.firstIndex(where: { $0.database === database }) else { throw session.readOnlyError(database) }
        database.close()
        defer { if let again = try? database.reopened() { replace(index, by: again) } }
        let writable = try Database(path: database.path, options: .readWrite)
        defer { writable.close() }
        return try work(writable)
    }

    private func replace(_ index: Int, by database: Database) {
        keepExpirations(of: database)
        database.setJournal(databases.entries[index].journal)
        databases.update(index) { $0.database = database }
        if databases.currentIndex == index { session.openDatabase = database }
    }

    private func go(to index: Int) {
        leaveCurrent()
        databases.makeCurrent(index)
        adoptCurrent()
    }

    private func leaveCurrent() {
        if let index = databases.currentIndex { databases.update(index) { $0.collection = session.currentCollection } }
    }

    private func adoptCurrent() {
        session.openDatabase = databases.current?.database
        session.currentCollection = databases.current?.collection ?? .default
    }

    /// Closes a database: the current one, or that of a name or path.
    func closeDatabase(_ word: String?) throws {
        guard let index = word.map({ databases.index(of: $0) }) ?? databases.currentIndex else {
            guard let word else { throw CommandError.failed("no database is open") }
            throw CommandError.failed(
                "no database \"\(word)\" is open.\(Suggestion.sentence(for: word, in: databases.names, quoted: true))",
                hint: "\"databases\" lists those that are.")
        }
        let entry = databases.entries[index]
        guard !entry.database.isInTransaction else {
            throw CommandError.failed(
                "\(entry.name): a transaction is open", hint: "\"commit\" keeps its changes, \"rollback\" forgets them.")
        }
        leaveCurrent()
        entry.database.close()
        databases.remove(index)
        adoptCurrent()
    }

    /// What `databases` prints.
    func listDatabases() throws {
        leaveCurrent()
        if session.options.isJSON {
            for (index, entry) in databases.entries.enumerated() {
                try session.writeFacts { line in
                    line.add("name", entry.name)
                    line.add("path", session.shownPath(of: entry.database))
                    line.add("access", entry.database.isReadOnly ? "read-only" : "writable")
                    line.add("collection", entry.collection.description)
                    line.add("current", index == databases.currentIndex)
                    line.add("transaction", entry.database.isInTransaction)
                }
            }
            return
        }
        guard !databases.entries.isEmpty else { return session.notice("(No databases)") }
        var table = Table([.left("  Name"), .left("Access"), .left("Transaction"), .left("Collection"), .left("Path")])
        for (index, entry) in databases.entries.enumerated() {
            table.add([
                (index == databases.currentIndex ? "* " : "  ") + entry.name, entry.database.isReadOnly ? "read-only" : "writable",
                entry.database.isInTransaction ? "open" : "", entry.collection.description, session.shownPath(of: entry.database),
            ])
        }
        try table.write(to: session)
    }

    /// Goes on with a database that was opened.
    func enter(_ database: Database) {
        leaveCurrent()
        // Statements run where the shell does.
        nonisolated(unsafe) let session = session
        let tell: @Sendable () -> Void = { session.remark("(This changes more than undo can take back.)") }
        databases.add(database, journal: isOnTerminal ? ChangeJournal(onTooLarge: tell) : nil)
        database.setJournal(databases.current?.journal)
        adoptCurrent()
        keepExpirations(of: database)
    }

    /// Somebody may stay for long. What cannot be watched is worked on all the same.
    private func keepExpirations(of database: Database) { try? database.keepExpirations() }

    /// Closes a database that nobody will miss, with all that is open in it.
    func discard(_ database: Database) {
        guard let index = databases.entries.firstIndex(where: { $0.database === database }) else { return }
        if database.isInTransaction { try? database.rollBackTransaction() }
        leaveCurrent()
        database.close()
        databases.remove(index)
        adoptCurrent()
    }
}
