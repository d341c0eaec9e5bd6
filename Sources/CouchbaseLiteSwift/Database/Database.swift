internal import CBLQuery
package import CBLStore
import Foundation
import Synchronization

/// A database: a folder with documents in collections, opened.
///
///     let database = try Database(name: "travel")
///     let hotels = try database.createCollection(name: "hotels")
///     try hotels.save(document: MutableDocument(id: "hotel-1", data: ["name": "Seaview"]))
///
/// It may be used by several threads. Several may be open on one file, in this program and in others; each hears of what the others commit.
public final class Database: @unchecked Sendable {
    // Sendable: what changes is guarded by the lock, or by the core.

    /// `_default`: what the scope that is always there is called.
    public static let defaultScopeName = CollectionName.defaultName
    /// `_default`: what the collection that is always there is called.
    public static let defaultCollectionName = CollectionName.defaultName

    /// The name it was opened by.
    public let name: String
    /// As it was given; later changes of the caller's copy do not reach it.
    public let config: DatabaseConfiguration

    package let core: CBLStore.Database
    package let services = DatabaseServices()
    /// Of the servers that it is replicated with.
    let cookies = DatabaseCookies()
    let openResults = OpenResults()
    package let asyncWork = AsyncWork()
    /// What modules above this one keep with it.
    package let companions = Companions()

    /// Opens a database, or makes it with its folder. A file of an older version is brought to the newest format, which that version does not read.
    /// Documents that have expired are purged. Throws `corruptData`, `unreadableDatabase`, `databaseTooOld` or `databaseTooNew` for files that it
    /// cannot open.
    public convenience init(name: String, config: DatabaseConfiguration = DatabaseConfiguration()) throws {
        try self.init(name: name, config: config, upgrade: .versionVectors)
    }

    /// The same for who does not want the newest format.
    package init(name: String, config: DatabaseConfiguration, upgrade: CBLStore.Database.Options.Upgrade) throws {
        guard !name.isEmpty else { throw libraryError(CBLError.invalidParameter, "A database must have a name.") }
        LogDispatch.shared.adviseFiles()
        VectorIndexing.prepare()
        VectorWarnings.setListener { CouchbaseLiteSwift.log(.database, .warning, $0.description) }
        self.name = name
        self.config = config
        try config.makeDirectory()
        let path = config.path(ofDatabase: name)
        core = try translatingErrors {
            var options = config.options(.create)
            options.upgrade = upgrade
            let core = try Database.openUpgrading(path, options)
            // Nothing is written, and no thread is started, where no document expires.
            let next = try core.read { snapshot in try snapshot.collections().compactMap { try snapshot.nextExpiration(of: $0) }.min() }
            if let next {
                if next <= Transaction.now {
                    try core.write { for name in $0.collections() { try $0.purgeExpired(in: name) } }
                }
                try core.keepExpirations()
            }
            return core
        }
        OpenDatabases.add(self)
        CouchbaseLiteSwift.log(.database, .info, "Opened database \(path)")
    }

    deinit {
        OpenDatabases.removeAll(of: core.path)
        core.close()
    }

    /// The folder of the database, with a slash at its end; nil when it is closed.
    public var path: String? { core.isOpen ? core.path + "/" : nil }

    /// The core as long as it is open.
    package func openCore() throws -> CBLStore.Database {
        guard core.isOpen else { throw libraryError(CBLError.notOpen, "The database \"\(name)\" is closed.") }
        return core
    }

    /// Does something with the core. What closing interrupts fails because the database is closed, and for no other reason.
    func whileOpen<Result>(_ work: () throws -> Result) throws -> Result {
        do { return try work() } catch {
            _ = try openCore()
            throw translated(error)
        }
    }

    /// Whether both are open on the same files.
    func hasSameFile(as other: Database) -> Bool { self === other || core.path == other.core.path }

    // MARK: Work

    /// Does all that the block does to this database in one transaction: all of it is committed, or, if the block throws, nothing. That is
    /// quicker as well. A batch inside another is part of that.
    public func inBatch(using block: () throws -> Void) throws {
        let core = try openCore()
        var failure: (any Error)?
        do {
            try core.write { _ in
                do { try block() } catch {
                    failure = error
                    throw error
                }
            }
        } catch {
            guard let failure else { throw translated(error) }
            throw libraryError(CBLError.unexpectedError, failure.localizedDescription)
        }
    }

    /// Gives space back, checks, or helps queries to be planned. It takes as long as the database is large. What a check finds is thrown as
    /// `corruptData`.
    public func performMaintenance(type: MaintenanceType) throws {
        let core = try openCore()
        // Results that are still being read would keep the log from being emptied.
        openResults.keepAll()
        try translatingErrors {
            switch type {
            case .compact: try core.compact()
            case .reindex: try core.reindex()
            case .integrityCheck:
                let problems = try core.read { try $0.integrityProblems(limit: 10) }
                guard problems.isEmpty else {
                    throw libraryError(CBLError.corruptData, "The database is damaged: " + problems.joined(separator: "; "))
                }
            case .optimize: try core.optimize()
            case .fullOptimize: try core.optimize(isFull: true)
            }
        }
    }

    // MARK: Its end

    /// Stops replicators, listeners and live queries, waits for them, and closes. To close again does nothing.
    public func close() throws {
        guard core.isOpen else { return }
        try translatingErrors { try checkNotInBatch("closed") }
        services.stopAll()
        core.close()
        CouchbaseLiteSwift.log(.database, .info, "Closed database \(core.path)")
    }

    /// Closes the database and deletes its files. Throws `busy` while it is open elsewhere in this program.
    public func delete() throws {
        let core = try openCore()
        try translatingErrors {
            try checkNotInBatch("deleted")
            services.stopAll()
            try core.delete()
        }
    }

    private func checkNotInBatch(_ verb: String) throws {
        guard core.isInTransaction else { return }
        throw libraryError(CBLError.transactionNotClosed, "The database cannot be \(verb) inside a batch.")
    }

    /// Deletes a database of the folder, by default of the default one. Throws `busy` while this program has it open. If there is none, nothing
    /// happens.
    public static func delete(withName name: String, inDirectory directory: String? = nil) throws {
        let path = DatabaseConfiguration.path(ofDatabase: name, in: directory ?? DatabaseConfiguration.defaultDirectory)
        guard FileManager.default.fileExists(atPath: path) else { return }
        try translatingErrors { try CBLStore.Database.delete(at: path) }
    }

    /// Whether there is a database of this name in the folder, by default in the default one. Nothing is opened.
    public static func exists(withName name: String, inDirectory directory: String? = nil) -> Bool {
        let path = DatabaseConfiguration.path(ofDatabase: name, in: directory ?? DatabaseConfiguration.defaultDirectory)
        return FileManager.default.fileExists(atPath: path)
    }

    /// A database of Couchbase Lite 1.x is made one of today first, as the vendor's library does; one that is encrypted keeps its key.
    private static func openUpgrading(_ path: String, _ options: CBLStore.Database.Options) throws -> CBLStore.Database {
        do { return try CBLStore.Database(path: path, options: options) } catch {
            guard error.code == .version1 else { throw error }
            let omitted = try CBLStore.Database.upgradeVersion1(at: path, key: options.key, keepingOldAt: nil)
            CouchbaseLiteSwift.log(.database, .info, "Upgraded database \(path) from Couchbase Lite 1.x")
            for error in omitted ?? [] { CouchbaseLiteSwift.log(.database, .warning, "Left out of the upgrade: \(error)") }
            return try CBLStore.Database(path: path, options: options)
        }
    }

    /// Copies a database, with a new identity of its own. Throws `EEXIST` of `NSPOSIXErrorDomain` if there is one of the name already.
    public static func copy(fromPath path: String, toDatabase name: String, withConfig config: DatabaseConfiguration?) throws {
        let config = config ?? DatabaseConfiguration()
        let target = config.path(ofDatabase: name)
        guard !FileManager.default.fileExists(atPath: target) else {
            throw systemError(EEXIST, "There is a database at \(target) already.")
        }
        try config.makeDirectory()
        try translatingErrors {
            let source = try CBLStore.Database(path: path, options: config.options(.readOnly))
            defer { source.close() }
            let omitted = try source.copy(to: target)
            for error in omitted { CouchbaseLiteSwift.log(.database, .warning, "Left out of the copy: \(error)") }
        }
    }

    // MARK: Encryption

    /// Writes the database and its blobs anew with another key, or with none, and goes on with that. Until all of it is there nothing has changed. Throws
    /// `busy` while the database is open elsewhere, in this program or in another. `config` keeps the key that was given at opening.
    public func changeEncryptionKey(_ key: EncryptionKey?) throws {
        let core = try openCore()
        if key == nil, !core.isEncrypted { return }
        // Results that are still being read would keep the old file open.
        openResults.keepAll()
        try translatingErrors {
            try checkNotInBatch("encrypted anew")
            try core.changeKey(to: key?.core)
        }
        CouchbaseLiteSwift.log(.database, .info, "Changed the key of database \(core.path)")
    }
}

/// What saving does when the document was changed by somebody else meanwhile.
public enum ConcurrencyControl: UInt8, Sendable {
    /// The other change is replaced, without a word.
    case lastWriteWins
    /// Nothing is saved or deleted, and the result is false.
    case failOnConflict
}

/// What `performMaintenance(type:)` is to do. No kind of it changes a document.
public enum MaintenanceType: UInt8, Sendable {
    /// Gives space back to the file system, and removes blobs that no document refers to.
    case compact
    /// Builds all indexes anew.
    case reindex
    /// Looks for damage.
    case integrityCheck
    /// Looks at a part of the data, so that queries are planned well.
    case optimize
    /// Looks at all of the data, so that queries are planned well.
    case fullOptimize
}
