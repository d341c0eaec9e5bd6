import CBLBase
import CBLSQLite
import Synchronization

/// A `.cblite2` database.
///
///     let database = try Database(path: "travel.cblite2")
///     try database.read { snapshot in
///         for name in try snapshot.collections() { print(name, try snapshot.counts(of: name).live) }
///     }
///
/// It may be used by any number of threads: each `read` has a connection of its own, and writes come one after another. A thread can keep a
/// transaction open from call to call: `openTransaction`.
package final class Database: Sendable {
    package struct Options: Sendable {
        package enum Access: Sendable {
            /// Leaves every byte of the bundle as it is.
            case readOnly
            case readWrite
            /// Makes the database if there is none.
            case create
        }

        package enum Upgrade: Sendable {
            /// The file stays of the generation it is.
            case none
            /// To the newest generation; older releases then refuse the file.
            case newest
            /// To the newest generation with version vectors, from which there is no way back either.
            case versionVectors
        }

        /// When a commit is safe from a loss of power. From a crash of the program it always is.
        package enum Durability: Sendable {
            /// Before long; the last commits may be lost, none is half there.
            case normal
            /// When `write` returns. Each commit waits for the disk.
            case full
        }

        package var access: Access
        package var upgrade: Upgrade
        /// Whether what no release of Couchbase Lite makes is taken out of the file, instead of refusing to write to it.
        package var removesForeignObjects = false
        package var durability = Durability.normal
        /// Whether the database is thrown away if there is a crash before it is complete: nothing of it waits for the disk, and pages go into the file
        /// without a log, in half of the room. `complete` ends that.
        package var isUnfinished = false
        /// How long to wait for the transaction of another thread or process; then the error is `busy`. Nil: for other threads of this process as
        /// long as it takes, for other processes ten seconds.
        package var busyTimeout: Duration?
        /// Whether who reads again finds a reader that still sees the last state, for some hundredths of a second: for apps, which read one document
        /// after another.
        package var keepsStates = false
        /// The key of an encrypted database. What 1.x encrypted can be read; of others it is said what is the case, instead of passing over the key.
        package var key: EncryptionKey?
        /// Whether queries may use functions that the vendor has in its Enterprise Edition only.
        package var offersEnterpriseFunctions = true
        /// Where new versions have their times from, in nanoseconds since 1970.
        package var wallClock = HybridClock.systemTime

        package init(access: Access = .readOnly, upgrade: Upgrade = .none) {
            self.access = access
            self.upgrade = upgrade
        }

        package static let readOnly = Options()
        package static let readWrite = Options(access: .readWrite)
        package static let create = Options(access: .create)
    }

    /// The bundle, without a slash at its end.
    package let path: String
    package let isReadOnly: Bool
    let offersEnterpriseFunctions: Bool
    /// What documents refer to but do not hold themselves.
    package let blobs: BlobFolder

    let files: FileAccess
    let readers: ReaderPool
    let file: SharedFile
    let writer: Writer?
    let opened = Mutex<OpenTransaction?>(nil)
    let keepsExpirations = Atomic<Bool>(false)
    private let replacedBodiesAreKept = Atomic<Bool>(false)
    /// Who may refuse what is to be stored; see `setRevisionGuard`.
    let revisionGuard = Mutex<RevisionGuard?>(nil)
    let journal = Mutex<ChangeJournal?>(nil)

    /// Whether the file is encrypted, and is read with a key.
    package var isEncrypted: Bool { files.key != nil }

    /// What the file is encrypted with, for others that are to have the same key; nil if it is not.
    package var encryptionKey: EncryptionKey? { files.key }

    /// How the file is encrypted, for people; nil if it is not.
    package var cipherName: String? { files.secret.cipherName }

    /// The same database once more, for reading, when this one has been closed.
    package func reopened() throws(StoreError) -> Database {
        var options = Options.readOnly
        options.key = files.key
        return try Database(path: path, options: options)
    }

    package init(path: String, options: Options = .readOnly) throws(StoreError) {
        let files = FileAccess(path: path, options)
        let bundle = files.bundle
        do {
            if options.access == .readOnly {
                guard options.upgrade == .none else { throw StoreError(.readOnly, "an upgrade needs a database opened for writing") }
                try bundle.checkExistence()
                writer = nil
            } else {
                writer = try Writer(files, options: options)
            }
            let readers = ReaderPool(files, keepsStates: options.keepsStates)
            self.readers = readers
            if let writer { try writer.lend(to: readers) } else { try readers.open() }
            if options.keepsStates { writer?.beforeWriting = { readers.releaseStates() } }
            file = SharedFile.enter(bundle)
        } catch {
            switch StoreError.translating(error, path: bundle.path) {
            case let error as StoreError: throw error
            case let error: throw StoreError(.inputOutput, "\(error)", path: bundle.path)
            }
        }
        self.files = files
        self.path = bundle.path
        isReadOnly = options.access == .readOnly
        offersEnterpriseFunctions = options.offersEnterpriseFunctions
        blobs = BlobFolder(files, unsynced: file.unsyncedBlobs)
    }

    /// Whether bodies of revisions stay when others replace them, until compaction, as far as trees remember the revisions: as 1.x and CouchDB have it.
    /// Who saves a document otherwise drops them. Version vectors have no such revisions.
    package var keepsReplacedBodies: Bool {
        get { replacedBodiesAreKept.load(ordering: .relaxed) }
        set { replacedBodiesAreKept.store(newValue, ordering: .relaxed) }
    }

    /// Gives `work` a view of one state of the database, whatever others write meanwhile. It must not leave the closure. In a `write` of this
    /// thread, or a transaction that it has opened, that is the state as this transaction has made it so far.
    package func read<Result>(_ work: (Snapshot) throws -> Result) throws -> Result {
        guard let transaction = ownTransaction else { return try readCommitted(work) }
        do { return try work(transaction.view()) } catch { throw StoreError.translating(error, path: path) }
    }

    /// The same for what is to see only what others can see, too.
    package func readCommitted<Result>(_ work: (Snapshot) throws -> Result) throws -> Result {
        do {
            return try readers.read { try work(Snapshot($0, of: self)) }
        } catch {
            // Closing interrupts.
            if readers.isClosed, (error as? SQLiteError)?.isInterrupted ?? false { throw StoreError.closed(path) }
            throw StoreError.translating(error, path: path)
        }
    }

    /// What is wrong with the file as a whole although it could be opened for reading: a damaged schema, a missing end, or links in place of files.
    package var visibleDamage: String? {
        let foreign = bundle.foreignParts.map { "\($0), and is left out" }
        let tolerated = try? readers.read { $0.connection.toleratedDamage }
        return foreign.isEmpty ? tolerated : (foreign + (tolerated.map { [$0] } ?? [])).joined(separator: "; ")
    }

    var bundle: DatabaseBundle { files.bundle }

    package var isOpen: Bool { !readers.isClosed }

    /// Ends a database that was made as an unfinished one, which may get its name then. What fails would fail without a word when it is closed.
    package func complete() throws {
        do {
            try blobs.synchronize()
            try writer?.complete()
        } catch {
            throw StoreError.translating(error, path: path)
        }
        close()
    }

    /// Ends what is done with the database, and then all connections to it: a transaction that is open is rolled back, subscriptions and running
    /// queries end, writes of other threads are waited for. From then on everything fails as `notOpen`; to close again changes nothing.
    package func close() {
        guard readers.beginClosing() else { return }
        file.presentHub?.end(of: self)
        abandonTransaction()
        readers.close()
        // Blobs that were to be of documents that did not come.
        if !isReadOnly { try? blobs.synchronize() }
        writer?.close()
        blobs.close()
        file.leave()
    }

    deinit { close() }
}
