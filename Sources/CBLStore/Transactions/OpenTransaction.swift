import Glibc

/// The outermost transaction of a database: that of a `write` until it returns, or one that outlasts the call which began it,
/// `Database.openTransaction`.
///
/// It belongs to the thread that opened it. There, every `write` is a savepoint inside it, and every `read` sees what it has written so far. All
/// other threads read what was last committed, and their writes wait for its end: so observers hear of nothing that may yet be rolled back.
///
/// Sendable without check because other threads only compare the thread, and end one that lasts when the database is closed.
struct OpenTransaction: @unchecked Sendable {
    let transaction: Transaction
    /// Whether it outlasts the call.
    let lasts: Bool
    private let thread = pthread_self()

    init(_ transaction: Transaction, lasts: Bool) {
        self.transaction = transaction
        self.lasts = lasts
    }

    /// Other threads do not look at the transaction itself.
    var isOfThisThread: Bool { pthread_equal(thread, pthread_self()) != 0 && transaction.isOpen }
}

extension Database {
    /// Begins a transaction that stays open from call to call, until `commitTransaction` or `rollBackTransaction`.
    ///
    ///     try database.openTransaction()
    ///     try database.write { … }        // part of it; if this throws, only this is undone
    ///     try database.read { … }         // sees it
    ///     try database.commitTransaction()
    ///
    /// Nobody else can write meanwhile, in any thread or process.
    package func openTransaction() throws {
        guard ownTransaction == nil else { throw StoreError(.transactionOpen, "a transaction is open already", path: path) }
        enter(try begin(), lasts: true)
    }

    /// Makes a transaction the one that this thread's calls are part of.
    func enter(_ transaction: Transaction, lasts: Bool) { opened.withLock { $0 = OpenTransaction(transaction, lasts: lasts) } }

    /// The next one may have come already.
    func leave(_ transaction: Transaction) { opened.withLock { if $0?.transaction === transaction { $0 = nil } } }

    /// Whether this thread has a transaction open. A serious failure, such as a full disk, can end it at any time: SQLite then rolls it back.
    package var isInTransaction: Bool { ownTransaction != nil }

    /// Makes everything since `openTransaction` permanent and visible. If that fails, nothing of it remains.
    package func commitTransaction() throws {
        let transaction = try endedTransaction()
        defer { if !transaction.isOpen { leave(transaction) } }
        try transaction.commit()
    }

    /// Forgets everything since `openTransaction`.
    package func rollBackTransaction() throws {
        let transaction = try endedTransaction()
        transaction.rollBack()
        leave(transaction)
    }

    private func endedTransaction() throws(StoreError) -> Transaction {
        guard let transaction = ownTransaction, opened.withLock({ $0?.lasts ?? false }) else {
            throw StoreError(.noTransaction, "no transaction is open", path: path)
        }
        return transaction
    }

    /// The transaction that this thread has open.
    var ownTransaction: Transaction? {
        opened.withLock { opened in
            guard let open = opened, open.isOfThisThread else { return nil }
            return open.transaction
        }
    }

    /// Refuses what needs the file for itself, or can only see what is committed.
    func checkNoTransaction(_ work: String) throws(StoreError) {
        guard ownTransaction != nil else { return }
        throw StoreError(.transactionOpen, "\(work) while a transaction is open: commit it or roll it back first", path: path)
    }

    /// At closing, by whichever thread. A `write` of another one comes to its end by itself.
    func abandonTransaction() {
        let transaction = opened.withLock { opened -> Transaction? in
            guard let open = opened, open.lasts || open.isOfThisThread else { return nil }
            opened = nil
            return open.transaction
        }
        transaction?.rollBack()
    }
}
