import CBLBase
import CBLReplication
import CBLStore
import CBLViews
import Glibc
import Synchronization

/// The databases that a server has: those that it was given, or all of a directory, each opened when it is first asked for.
package final class ServedDatabases: Sendable {
    package struct Rights: OptionSet, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        /// Clients may make databases and collections.
        package static let create = Rights(rawValue: 1)
        /// Clients may delete them.
        package static let delete = Rights(rawValue: 2)
    }

    /// A database that is open.
    struct Served: Sendable {
        let share: Share
        /// When it was opened, in microseconds since 1970. Clients see by that whether the server forgot something meanwhile.
        let start: Int64
        /// The indexes of its views.
        let views: ViewIndex
        /// What its design documents have against documents.
        let validation = DocumentValidation()

        var name: String { share.name }
        var database: Database { share.database }

        init(_ share: Share) {
            self.share = share
            start = WallClock.milliseconds * 1000
            views = ViewIndex(share.database)
        }
    }

    private struct State {
        var open: [String: Served] = [:]
        /// Told of each database that is about to be deleted.
        var observer: (@Sendable (String) -> Void)?
    }

    /// Those that were given, which stay their owner's.
    package let shares: [Share]
    package let directory: String?
    package let rights: Rights
    /// How far the databases of the directory are open.
    package let access: Share.Access
    /// Whether bodies of revisions that are replaced are kept until somebody compacts a database.
    private let keepsReplacedBodies: Bool
    /// What new databases of the directory are encrypted with, and those that are encrypted are opened with.
    private let key: EncryptionKey?
    private let state: Mutex<State>

    /// These databases, and all of a directory, which are open as far as `access` says.
    package init(
        _ shares: [Share] = [], directory: String? = nil, access: Share.Access = .readWrite, rights: Rights = [.create, .delete],
        key: EncryptionKey? = nil, keepsReplacedBodies: Bool = false
    ) {
        self.shares = shares
        self.keepsReplacedBodies = keepsReplacedBodies
        self.key = key
        self.directory = directory
        self.access = access
        self.rights = directory == nil ? [] : rights
        if keepsReplacedBodies { for share in shares { share.database.keepsReplacedBodies = true } }
        state = Mutex(State(open: Dictionary(shares.map { ($0.name, Served($0)) }, uniquingKeysWith: { first, _ in first })))
    }

    /// Closes those that were opened here.
    package func close() {
        let opened = state.withLock { state in
            defer { state.open = state.open.filter { isGiven($0.key) } }
            return Array(state.open.values)
        }
        for served in opened {
            served.views.close()
            if !isGiven(served.name) { served.database.close() }
        }
    }

    private func isGiven(_ name: String) -> Bool { shares.contains { $0.name == name } }

    /// Has somebody told of each database that is about to be deleted.
    func observe(_ observer: @escaping @Sendable (String) -> Void) { state.withLock { $0.observer = observer } }

    /// The names of all, sorted.
    package func names() throws -> [String] {
        var names = Set(state.withLock { Array($0.open.keys) })
        if let directory {
            for file in try FolderTree.names(in: directory) {
                guard let suffix = ServedDatabases.suffixes.first(where: file.hasSuffix) else { continue }
                let name = String(file.dropLast(suffix.utf8.count).map { $0 == ":" ? "/" : $0 })
                if !name.isEmpty { names.insert(name) }
            }
        }
        return names.sorted()
    }

    /// Nil if there is none of that name.
    func database(named name: String) throws -> Served? {
        try state.withLock { state in
            if let served = state.open[name] { return served }
            guard let path = path(of: name), let database = try open(path) else { return nil }
            let served = Served(Share(name, database, access: database.isReadOnly ? .readOnly : access))
            state.open[name] = served
            return served
        }
    }

    /// Nil if there is none of that name, or if it is not open yet.
    func openDatabase(named name: String) -> Served? { state.withLock { $0.open[name] } }

    /// Makes a database.
    func create(_ name: String) throws {
        guard rights.contains(.create), let directory else { throw RESTError.forbidden("databases cannot be made here") }
        if let problem = ServedDatabases.problem(withName: name) { throw RESTError.badID(problem) }
        try state.withLock { state in
            guard state.open[name] == nil, path(of: name) == nil else { throw RESTError.exists("there is a database of that name") }
            var options = Database.Options.create
            options.key = key
            let database = try Database(path: ServedDatabases.path(directory, name, ServedDatabases.suffixes[0]), options: options)
            try database.keepExpirations()
            database.keepsReplacedBodies = keepsReplacedBodies
            state.open[name] = Served(Share(name, database, access: access))
        }
    }

    /// Deletes a database with all that is in it.
    func delete(_ name: String) throws {
        guard let served = try database(named: name) else { throw ServedDatabases.unknown(name) }
        guard rights.contains(.delete), !isGiven(name) else { throw RESTError.forbidden("databases cannot be deleted here") }
        let observer = state.withLock { $0.observer }
        observer?(name)
        try state.withLock { state in
            state.open[name] = nil
            served.views.removeAll()
            try served.database.delete()
        }
    }

    // Files.

    private static let suffixes = [".cblite2", ".cblite"]

    // A slash is no part of a file's name; 1.x writes a colon in its place.
    private static func path(_ directory: String, _ name: String, _ suffix: String) -> String {
        directory + "/" + String(name.map { $0 == "/" ? ":" : $0 }) + suffix
    }

    /// Where it is, if it is there.
    private func path(of name: String) -> String? {
        guard let directory, !name.isEmpty, name.utf8.count < ServedDatabases.longestName, !name.hasPrefix("_") else { return nil }
        return ServedDatabases.suffixes.map { ServedDatabases.path(directory, name, $0) }.first { Glibc.access($0, F_OK) == 0 }
    }

    /// For writing, if that is possible.
    private func open(_ path: String, _ key: EncryptionKey? = nil) throws -> Database? {
        var options = Database.Options.readWrite
        options.key = key
        do {
            let database = try Database(path: path, options: options)
            try database.keepExpirations()
            database.keepsReplacedBodies = keepsReplacedBodies
            return database
        } catch let error as StoreError where error.code == .needsKey && key == nil && self.key != nil {
            return try open(path, self.key)
        } catch let error as StoreError where error.code == .version1 || error.code == .readOnly {
            options.access = .readOnly
            return try Database(path: path, options: options)
        } catch let error as StoreError where error.code == .notFound {
            return nil
        }
    }

    // Names.

    private static let longestName = 240

    /// What 1.x has against the name of a new database; nil if nothing.
    static func problem(withName name: String) -> String? {
        guard let first = name.utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first) else {
            return "the name of a database begins with a small letter"
        }
        guard name.utf8.count < longestName else { return "the name of a database is shorter than \(longestName) bytes" }
        let isPlain = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: "_$()+-/".utf8.contains(byte)
            }
        }
        return isPlain ? nil : "the name of a database has small letters, digits and _$()+-/ in it"
    }

    static func unknown(_ name: String) -> RESTError {
        problem(withName: name).map { RESTError.badID($0) } ?? .notFound("no such database")
    }
}
