import CBLStore

/// `begin`, `commit` and `rollback`, and what becomes of a transaction that nobody ended.
extension InteractiveShell {
    private static let howToEnd = "\"commit\" keeps its changes, \"rollback\" forgets them."

    func beginTransaction() throws {
        let (index, database) = try currentDatabase()
        guard !database.isInTransaction else {
            throw CommandError.failed("a transaction is open already", hint: InteractiveShell.howToEnd)
        }
        guard !database.isReadOnly else {
            throw CommandError.failed(
                "\(database.path): opened for reading only",
                hint: "A transaction is for changes. \"use --writeable \(databases.entries[index].name)\" opens it for them."
            )
        }
        try database.openTransaction()
        databases.update(index) { entry in
            entry.isInTransaction = true
            entry.transactionStart = entry.journal?.steps.last?.number ?? 0
        }
        Termination.delay()
    }

    func commitTransaction() throws {
        let (index, database) = try openTransaction("to commit")
        databases.update(index) { $0.isInTransaction = false }
        defer { permitTermination() }
        try database.commitTransaction()
        if isOnTerminal { session.notice("Committed.") }
    }

    func rollBackTransaction() throws {
        let (index, database) = try openTransaction("to roll back")
        databases.update(index) { $0.isInTransaction = false }
        defer { permitTermination() }
        try database.rollBackTransaction()
        if isOnTerminal { session.notice("Rolled back.") }
        try leaveMissingCollection(database)
    }

    /// The collection that one is in may have come with the transaction, and have gone with it.
    private func leaveMissingCollection(_ database: Database) throws {
        let name = session.currentCollection
        guard try !database.read({ $0.hasCollection(name) }) else { return }
        session.currentCollection = .default
        session.notice("The collection \"\(name)\" is gone with it; this is the default collection.")
    }

    private func currentDatabase() throws(CommandError) -> (index: Int, Database) {
        guard let index = databases.currentIndex else { throw .failed("no database is open", hint: "use DATABASE opens one.") }
        return (index, databases.entries[index].database)
    }

    private func openTransaction(_ purpose: String) throws(CommandError) -> (index: Int, Database) {
        let (index, database) = try currentDatabase()
        guard database.isInTransaction else {
            throw .failed("there is no transaction \(purpose)", hint: "\"begin\" begins one.")
        }
        return (index, database)
    }

    /// After each statement: tells if something, such as a full disk, has ended a transaction. What comes next in a script was meant as a part of
    /// it, and is not run.
    func noticeLostTransactions() {
        for (index, entry) in databases.entries.enumerated() where entry.isInTransaction && !entry.database.isInTransaction {
            databases.update(index) { $0.isInTransaction = false }
            hasLostTransaction = true
            session.warn("\(entry.name): the transaction has ended, and all of its changes are undone")
            if index == databases.currentIndex { try? leaveMissingCollection(entry.database) }
            permitTermination()
        }
    }

    /// At the end: rolls back what is open, says so, and closes all. True if a change was lost.
    func closeAll() -> Bool {
        var isLost = false
        for entry in databases.entries {
            if entry.database.isInTransaction {
                isLost = true
                session.warn("\(entry.name): the open transaction was rolled back; \"commit\" would have kept its changes")
            }
            entry.database.close()
        }
        session.openDatabase = nil
        return isLost
    }

    private func permitTermination() {
        if !databases.entries.contains(where: \.isInTransaction), session.remoteCopies.isEmpty { Termination.permit() }
    }
}

extension Session {
    /// Refuses what cannot be done while the current database has a transaction open.
    func refuseInTransaction(_ problem: String) throws(CommandError) {
        guard let openDatabase, openDatabase.isInTransaction else { return }
        throw .failed("\(problem) while a transaction is open", hint: "\"commit\" keeps its changes, \"rollback\" forgets them.")
    }

    /// Refuses to open a file another time that a transaction of this shell has for itself: it would wait for itself.
    func refuseInTransaction(_ problem: String, at path: String) throws(CommandError) {
        guard let shell, let index = shell.databases.index(ofPath: path) else { return }
        let entry = shell.databases.entries[index]
        guard entry.database.isInTransaction else { return }
        throw .failed("\(path): \(problem) while \(entry.name) has a transaction open", hint: "commit or rollback comes first.")
    }
}
