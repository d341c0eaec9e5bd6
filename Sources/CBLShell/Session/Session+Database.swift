import CBLBase
import CBLLanguage
import CBLStore

extension Session {
    /// Opens a database as the global flags say. What goes wrong here is exit code 3, unless it says nothing of the database.
    ///
    /// It may have key flags of its own: if these are not given, what the global ones say is for it as well, should it need a key. One that is made without
    /// them gets `newKey`. `unfinished` is where it is until it is complete.
    func open(
        _ path: String, writes: Bool, removesForeignObjects: Bool = false, ownKeys: KeyFlags? = nil, madeWith newKey: EncryptionKey? = nil,
        unfinishedAt unfinished: String? = nil, knownKey: EncryptionKey? = nil
    ) throws(CommandError) -> Database {
        let path = Database.bundlePath(ofMainFile: path) ?? path
        let access: Database.Options.Access = options.creates ? .create : writes || options.isWriteable ? .readWrite : .readOnly
        if access != .readOnly, let source = packedSource(of: path) {
            throw Session.packedError(source)
        }
        if access != .readOnly { try refuseInTransaction("it cannot be changed from the side", at: path) }
        let upgrade: Database.Options.Upgrade =
            switch options.upgrade {
            case .none: .none
            case .newest: .newest
            case .versionVectors: .versionVectors
            }
        var settings = Database.Options(access: access, upgrade: upgrade)
        settings.removesForeignObjects = removesForeignObjects
        settings.isUnfinished = unfinished != nil
        settings.key = knownKey
        if knownKey == nil { settings.key = try key(of: ownKeys ?? options.keys, for: path) }
        if settings.key == nil, let newKey, access == .create, !Endpoint.exists(path) { settings.key = newKey }
        let database: Database
        do throws(StoreError) { database = try open(path, unfinishedAt: unfinished, settings) } catch {
            if error.code == .notFound { throw missing(path, error, writes: writes) }
            guard error.code == .needsKey, settings.key == nil else { throw Session.commandError(error) }
            var key = ownKeys == nil ? nil : try self.key(of: options.keys, for: path)
            if key == nil { key = try keyWithoutFlags(for: path) }
            guard let key else { throw Session.commandError(error) }
            settings.key = key
            do throws(StoreError) { database = try open(path, unfinishedAt: unfinished, settings) } catch {
                throw Session.commandError(error)
            }
        }
        if let key = settings.key { knownKeys[path] = key }
        if access == .readOnly, let damage = database.visibleDamage { warn("\(path): the database is damaged: \(damage)") }
        return database
    }

    /// Has `work` fill a database that is not there yet: it appears when that is done, or not at all.
    func make<Result>(_ path: String, keepsUnused: Bool, _ work: (Database) throws -> Result) throws -> Result {
        var result: Result?
        do {
            return try Termination.delayed {
                try Database.appearing(at: path) { unfinished in
                    let database = try open(path, writes: true, unfinishedAt: unfinished)
                    defer { database.close() }
                    let made = try work(database)
                    result = made
                    if !keepsUnused, try database.isWithoutDocuments { throw NothingMade() }
                    try database.complete()
                    return made
                }
            }
        } catch let error as NothingMade {
            guard let result else { throw error }
            return result
        }
    }

    private struct NothingMade: Error {}

    /// There is no such database, but perhaps one that was meant; or it was to be made.
    private func missing(_ path: String, _ error: StoreError, writes: Bool) -> CommandError {
        let known = Session.commandError(error)
        if !path.hasSuffix(".cblite2"), Database.isBundle(path + ".cblite2"), Endpoint.exists(path + ".cblite2") {
            return CommandError(known.exitCode, "\(known.message). Did you mean \"\(path).cblite2\"?", hint: known.hint)
        }
        guard writes, shell == nil, !Endpoint.exists(path), path.hasSuffix(".cblite2") else { return known }
        return known.hinting("--create in front of the command makes it: cblite --create …")
    }

    static func commandError(_ error: StoreError) -> CommandError {
        let report = ErrorReport.commandError(error)
        let exitCode: ExitCode =
            switch error.code {
            case .interrupted: .interrupted
            case .diskFull: .failure
            default: .cannotOpen
            }
        return CommandError(exitCode, report?.message ?? error.description, hint: report?.hint)
    }

    /// A database of 1.x is converted first, if it may be.
    private func open(_ path: String, unfinishedAt unfinished: String?, _ options: Database.Options) throws(StoreError) -> Database {
        if let unfinished {
            do { return try Database(path: unfinished, options: options) } catch {
                throw StoreError(error.code, error.message, path: path, cause: error.cause)
            }
        }
        do { return try Database(path: path, options: options) } catch {
            guard error.code == .version1, options.upgrade != .none else { throw error }
            do { try convert(path, options) } catch let failure as StoreError { throw failure } catch {
                throw StoreError(.interrupted, "\(error)")
            }
            return try Database(path: path, options: options)
        }
    }

    private func convert(_ path: String, _ settings: Database.Options) throws {
        let key = settings.key
        let kept = options.keepsNoBackup ? nil : PathText.free(beside: path, "before-upgrade")
        let progress = progress("Upgrading", unit: "documents")
        defer { progress.finish() }
        var shown = 0
        let omitted = try Termination.delayed {
            try Database.upgradeVersion1(at: path, key: key, keepingOldAt: kept, to: settings.upgrade) { done, _ in
                try Interruption.check()
                progress.advance(by: max(0, done - shown))
                shown = done
            }
        }
        progress.clear()
        if let kept { notice("Upgraded; the old database is \(kept).") } else { notice("Upgraded.") }
        for omission in omitted ?? [] { warn(omission.message) }
    }

    /// The open database cannot be changed, and how it could.
    func readOnlyError(_ database: Database) -> CommandError {
        if let source = packedSource(of: database.path) { return Session.packedError(source) }
        let name = shell?.databases.current?.name ?? database.path
        return .failed("\(database.path): opened for reading only", hint: "\"use --writeable \(name)\" opens it for changes.")
    }
}

extension Invocation {
    /// What is written to is made if it is not there, unless `--existing` forbids it.
    func allowCreation() {
        if !flag("existing") { session.options.creates = true }
    }

    /// The database that the command line names, or the one that is open. Opened read-only unless the command is declared to
    /// write or the person asked for more.
    func database() throws -> Database {
        let writes = parsed.command.database == .writes
        if let path = parsed.databasePath { return try session.open(path, writes: writes) }
        guard let database = session.openDatabase else { throw usageError("no database is open") }
        if writes, database.isReadOnly {
            throw session.readOnlyError(database)
        }
        return database
    }

    /// The same database for a use of a writing command that only looks. It leaves every byte as it was.
    func databaseForReading() throws -> Database {
        if let path = parsed.databasePath { return try session.open(path, writes: false) }
        guard let database = session.openDatabase else { throw usageError("no database is open") }
        return database
    }

    /// The same database for a use of a reading command that changes something. Whether it may has been asked before.
    func databaseForChanging() throws -> Database {
        if let path = parsed.databasePath { return try session.open(path, writes: true) }
        return try database()
    }

    /// The name of the collection to work on: `--collection`, or else the current one. It need not exist.
    func collectionName() throws -> CollectionName {
        guard let text = session.options.collection else { return session.currentCollection }
        do {
            return try CollectionName(parsing: text)
        } catch {
            throw usageError(error.message)
        }
    }

    /// The collection to work on. It exists in the snapshot: if not, the error says what was probably meant.
    func collection(in snapshot: Snapshot) throws -> CollectionName {
        try existing(try collectionName(), in: snapshot)
    }

    /// Checks that a collection exists.
    func existing(_ name: CollectionName, in snapshot: Snapshot) throws -> CollectionName {
        if snapshot.hasCollection(name) { return name }
        let known = snapshot.collections().map(\.description)
        let members = known.filter { $0.hasPrefix(name.description + ".") }
        guard members.isEmpty else {
            throw StoreError(.notFound, "\"\(name)\" is a scope, with the collections \(members.joined(separator: ", "))")
        }
        // "hotel" may well mean "inventory.hotel".
        let namesake = known.first { $0.hasSuffix("." + name.description) }
        let suggestion = namesake.map { " Did you mean \"\($0)\"?" } ?? Suggestion.sentence(for: name.description, in: known, quoted: true)
        throw StoreError(.notFound, "no collection \"\(name)\".\(suggestion)")
    }

    /// Opens the database, and works on one state of the chosen collection.
    ///
    ///     try invocation.read { snapshot, collection in
    ///         let cursor = try snapshot.scan(collection)
    func read<Result>(_ work: (Snapshot, CollectionName) throws -> Result) throws -> Result {
        try database().read { try work($0, collection(in: $0)) }
    }
}
