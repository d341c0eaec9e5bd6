import CBLBase
import CBLFleece
import CBLSQLite

/// A write transaction: what `Database.write` gives its closure. It sees what it has written; others see it when it is committed.
///
///     try database.write { transaction in
///         let body = try transaction.encode(json: #"{"type": "hotel"}"#)
///         try transaction.save("hotel-1", body: body)
///     }
///
/// One that is begun inside another of its thread is a savepoint: what it wrote becomes part of the outer one when it is committed, and is
/// forgotten alone when it is rolled back.
package final class Transaction: Snapshot {
    let writer: Writer
    /// Encodes with the database's shared keys, adding to them. Kept from one document to the next.
    package let encoder: FleeceEncoder
    /// Canonical JSON of the body at hand.
    var json = ByteBuffer(capacity: 4096)
    private let sharedKeyCount: Int
    private var storedKeyCount: Int
    /// Of the few key stores that one transaction changes.
    @exclusivity(unchecked) private var counters: [Counter] = []
    /// What went without a trace.
    var removals = Removals()
    /// What is changed, if anybody is to be told at once.
    @exclusivity(unchecked) private(set) var note: CommitNote?
    /// Who is asked before a revision is stored, if anybody.
    let revisionGuard: RevisionGuard?
    /// Where what documents were like is kept for somebody who may want it back.
    @exclusivity(unchecked) var journal: ChangeJournal?
    private let journalMark: ChangeJournal.Mark?
    /// Where the revisions come from that are stored now; nil for here.
    package var origin: RevisionOrigin?
    /// The revisions that were stored, if anybody wants to hear of them.
    @exclusivity(unchecked) private(set) var revisionChanges: [RevisionChange]?
    /// Who knows that this is just being committed.
    var committing: ChangeHub?
    private(set) var isOpen = true
    private var depth: Int?
    private let enclosing: Transaction?
    /// The one that is open inside this one. While it is, nothing else may be done with this one.
    private weak var inner: Transaction?
    private let savepoint: String
    /// Vector indexes that writing makes wrong.
    private var vendorsVectors: [VendorVectorState] = []

    /// What `kvmeta` will say of a key store.
    private struct Counter {
        let keyStore: String
        var lastSequence: UInt64
        var purges: Int
        var hasNewSequence = false
        var hasNewPurges = false
    }

    /// Waits for its turn.
    init(_ writer: Writer, of database: Database) throws {
        self.writer = writer
        enclosing = nil
        savepoint = ""
        let file = try writer.begin()
        encoder = writer.encoder
        encoder.reset()
        sharedKeyCount = file.sharedKeys.count
        storedKeyCount = sharedKeyCount
        note = database.file.presentHub?.newNote
        revisionGuard = database.revisionGuard.withLock { $0 }
        journal = database.journal.withLock { $0 }
        journalMark = journal?.mark
        revisionChanges = database.file.witnesses.isEmpty ? nil : []
        super.init(file, of: database)
        connection.holdCommits()
        do { vendorsVectors = try watchVendorsVectors() } catch {
            rollBack()
            throw error
        }
    }

    /// Begins a savepoint.
    init(inside enclosing: Transaction) throws {
        try enclosing.flush()
        self.enclosing = enclosing
        writer = enclosing.writer
        encoder = enclosing.encoder
        encoder.reset()
        let level = enclosing.level + 1
        savepoint = "cblite_write_\(level)"
        let file = enclosing.file
        // Statements of somebody's own may have changed the schema.
        try file.refresh()
        sharedKeyCount = file.sharedKeys.count
        storedKeyCount = sharedKeyCount
        note = enclosing.note.map { CommitNote(hasIDs: $0.hasIDs) }
        revisionGuard = enclosing.revisionGuard
        journal = enclosing.journal
        journalMark = journal?.mark
        revisionChanges = enclosing.revisionChanges == nil ? nil : []
        origin = enclosing.origin
        try file.connection.execute("SAVEPOINT \(savepoint)")
        super.init(file, of: enclosing.database)
        enclosing.inner = self
    }

    deinit { if isOpen { rollBack() } }

    package var isOutermost: Bool { enclosing == nil }
    private var level: Int { enclosing.map { $0.level + 1 } ?? 0 }

    /// The last one that was begun inside this one, or this one itself.
    var innermost: Transaction { inner?.innermost ?? self }

    /// What has been written so far, to be read.
    func view() throws -> Snapshot {
        let innermost = innermost
        try innermost.flush()
        try file.refresh()
        return Snapshot(file, of: database)
    }

    /// Makes everything that was written permanent and visible. For transactions that were begun with `Database.begin`.
    package func commit() throws {
        guard isOpen else { throw StoreError(.noTransaction, "the transaction has ended already", path: database.path) }
        guard inner == nil else { throw StoreError(.transactionOpen, "a transaction inside this one is open", path: database.path) }
        var noted: Int?
        do {
            // After some errors SQLite has ended the transaction. What came then, if anything, must not be taken for all of it.
            guard connection.isInTransaction else { throw StoreError(.noTransaction, "SQLite has rolled the transaction back") }
            if isOutermost {
                try replaceVendorsVectors(vendorsVectors)
                try updateVectorIndexes()
            }
            try flush()
            try notePurges()
            noted = try noteRemovals()
            if isOutermost { try database.blobs.synchronize() }
            if isOutermost { willCommit() }
            if isOutermost { try connection.commit() } else { try connection.withStatement("RELEASE \(savepoint)") { try $0.run() } }
        } catch {
            if isOutermost { hasNotCommitted() }
            if let noted { database.file.presentHub?.removals.takeBack(noted) }
            rollBack()
            throw StoreError.translating(error, path: database.path)
        }
        isOpen = false
        if let enclosing {
            enclosing.removals.merge(removals)
            if let note { enclosing.note?.merge(note) }
            if let revisionChanges { enclosing.revisionChanges? += revisionChanges }
            enclosing.inner = nil
        } else {
            // Before the next one can commit: each is told by itself, in order.
            tellOfCommit()
            if let revisionChanges, !revisionChanges.isEmpty { database.file.witnesses.tell(revisionChanges) }
            writer.finish(hasCommitted: true)
        }
    }

    /// Forgets everything that was written.
    package func rollBack() {
        guard isOpen else { return }
        inner?.rollBack()
        // What is inside may have taken this one with it.
        guard isOpen else { return }
        isOpen = false
        if let journalMark { journal?.rollBack(to: journalMark) }
        takeBackDeletions()
        guard let enclosing else {
            file.end()
            connection.releaseCommits()
            file.forget(sharedKeyCount: sharedKeyCount)
            return writer.finish()
        }
        enclosing.inner = nil
        do {
            try connection.execute("ROLLBACK TO \(savepoint)")
            try connection.execute("RELEASE \(savepoint)")
            file.forget(sharedKeyCount: sharedKeyCount)
            try file.refresh()
        } catch {
            // After some errors, a full disk among them, SQLite has ended the whole transaction; in doubt there is nothing else left to do.
            enclosing.rollBack()
        }
    }

    /// Writes down what is only counted so far, for others to read in the same transaction.
    private func flush() throws {
        for counter in counters {
            note?.end(counter.keyStore, lastSequence: counter.lastSequence, purges: counter.purges)
            if counter.hasNewSequence {
                try setMetadata(counter.keyStore, Transaction.setSequence, Int64(bitPattern: counter.lastSequence))
            }
            if counter.hasNewPurges && generation.countsPurges {
                try setMetadata(counter.keyStore, Transaction.setPurges, Int64(counter.purges))
            }
        }
        counters = []
        depth = nil
        guard sharedKeys.count > storedKeyCount else { return }
        try file.storeSharedKeys()
        storedKeyCount = sharedKeys.count
    }

    /// Has the note say how many rows had been purged before this transaction purged some.
    private func notePurges() throws {
        guard isOutermost, let purges = note?.purges else { return }
        for (name, count) in purges where hasCollection(name) { note?.begin(purges: try purgeCount(of: name) - count, of: name) }
    }

    // Made once: they are run in each transaction.
    private static let setSequence = setColumn("lastSeq")
    private static let setPurges = setColumn("purgeCnt")

    private static func setColumn(_ column: String) -> (update: String, insert: String) {
        ("UPDATE kvmeta SET \(column) = ?2 WHERE name = ?1", "INSERT INTO kvmeta (name, \(column)) VALUES (?1, ?2)")
    }

    private func setMetadata(_ keyStore: String, _ sql: (update: String, insert: String), _ value: Int64) throws {
        func run(_ sql: String) throws {
            try connection.withStatement(sql) { statement in
                try statement.bind(keyStore, 1)
                try statement.bind(value, 2)
                try statement.run()
            }
        }
        try run(sql.update)
        if connection.changes == 0 { try run(sql.insert) }
    }

    override func metadata(_ keyStore: String) throws -> (lastSequence: UInt64, purges: Int) {
        if let counter = counters.first(where: { $0.keyStore == keyStore }) { return (counter.lastSequence, counter.purges) }
        return try super.metadata(keyStore)
    }

    /// Looked up once: it is needed for every save.
    func treeDepth() throws -> Int {
        if let depth { return depth }
        let stored = try pruneDepth()
        depth = stored
        return stored
    }

    private func withCounter<Result>(_ keyStore: String, _ change: (inout Counter) -> Result) throws -> Result {
        if let place = counters.firstIndex(where: { $0.keyStore == keyStore }) { return change(&counters[place]) }
        let stored = try super.metadata(keyStore)
        note?.begin(keyStore, CollectionState(lastSequence: stored.lastSequence, purges: stored.purges))
        counters.append(Counter(keyStore: keyStore, lastSequence: stored.lastSequence, purges: stored.purges))
        return change(&counters[counters.count - 1])
    }

    /// The next sequence of a collection.
    func nextSequence(_ tables: CollectionTables) throws -> UInt64 {
        let sequence = try withCounter(tables.live.keyStore) { counter in
            counter.lastSequence += 1
            counter.hasNewSequence = true
            return counter.lastSequence
        }
        try checkSequence(sequence, tables)
        return sequence
    }

    /// Only a look at the file tells what this transaction has changed.
    func notePartially() { note?.setPartial() }

    func noteExpiration(_ time: Int64) { note?.expire(at: time) }

    /// What has got the last sequence.
    func noteSaved(_ id: UnsafeRawBufferPointer, _ sequence: UInt64, _ tables: CollectionTables) {
        note?.save(id, sequence, in: tables.live.keyStore)
    }

    /// A revision that was stored.
    func noteRevision(_ id: @autoclosure () -> String, _ tables: CollectionTables, _ change: @autoclosure () -> NotedRevision?) {
        guard revisionChanges != nil, let change = change() else { return }
        revisionChanges?.append(
            RevisionChange(
                documentID: id(), collection: tables.name, revision: change.revision, isDeleted: change.isDeleted,
                isCurrent: change.isCurrent,
                isConflict: change.isConflict, origin: origin))
    }

    struct NotedRevision {
        let revision: RevisionID
        let isDeleted: Bool
        let isCurrent: Bool
        let isConflict: Bool
    }

    /// A sequence that was not used after all: whoever tries again in this transaction gets it.
    func giveBack(_ sequence: UInt64, _ tables: CollectionTables) throws {
        try withCounter(tables.live.keyStore) { counter in
            if counter.lastSequence == sequence { counter.lastSequence -= 1 }
        }
    }

    /// Refuses a sequence that leaves no room for those to come.
    func checkSequence(_ sequence: UInt64, _ tables: CollectionTables) throws(StoreError) {
        guard sequence > DocumentRules.highestSequence else { return }
        throw StoreError(
            .corrupt,
            "collection \"\(tables.name)\" has no sequence left for a change: its last one is \(sequence - 1). A repair counts anew")
    }

    func setLastSequence(_ sequence: UInt64, _ tables: CollectionTables) throws {
        try withCounter(tables.live.keyStore) { counter in
            counter.lastSequence = sequence
            counter.hasNewSequence = true
        }
    }

    /// `areKnown` says whether observers can be told which documents went: they were noted, or are still there with a new sequence.
    func countPurges(_ count: Int, in keyStore: String, areKnown: Bool = false) throws {
        guard count > 0 else { return }
        if areKnown { countKnownPurges(count, in: keyStore) }
        try withCounter(keyStore) { counter in
            counter.purges = counter.purges.addingClamped(count)
            counter.hasNewPurges = true
        }
    }

    /// Parses JSON into a body with the database's shared keys.
    package func encode(json: String, _ dialect: JSONDialect = .json) throws -> FleeceData {
        encoder.reset()
        try JSONParser.parse(json, dialect, into: encoder)
        return try encoder.finish()
    }
}

extension Database {
    /// Gives `work` the one transaction that may write. What it did is committed when it returns, and forgotten if it throws. Inside another
    /// `write` of the same thread it is a part of that: a savepoint.
    @discardableResult
    package func write<Result>(_ work: (Transaction) throws -> Result) throws -> Result {
        let transaction = try begin()
        if transaction.isOutermost { enter(transaction, lasts: false) }
        defer { if transaction.isOutermost { leave(transaction) } }
        do {
            let result = try work(transaction)
            try transaction.commit()
            return result
        } catch {
            transaction.rollBack()
            // It may have been closed from inside.
            if !isOpen, error is StoreError || error is SQLiteError { throw StoreError.closed(path) }
            throw StoreError.translating(error, path: path)
        }
    }

    /// Begins a transaction that stays open until its `commit` or `rollBack`. Nobody else can write meanwhile, in any process.
    package func begin() throws -> Transaction {
        guard let writer else { throw StoreError(.readOnly, "the database was opened for reading only", path: path) }
        do {
            if let outer = ownTransaction { return try Transaction(inside: outer.innermost) }
            return try Transaction(writer, of: self)
        } catch {
            throw StoreError.translating(error, path: path)
        }
    }
}
