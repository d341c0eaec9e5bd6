import CBLBase
import CBLStore
import CBLViews
import FoundationEssentials
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
        let name: String
        let database: Database
        /// When it was opened, in microseconds since 1970. Clients see by that whether the server forgot something meanwhile.
        let start: Int64
        /// The indexes of its views.
        let views: ViewIndex

        init(_ name: String, _ database: Database) {
            self.name = name
            self.database = database
            start = WallClock.milliseconds * 1000
            views = ViewIndex(database)
        }
    }

    private let directory: String?
    let rights: Rights
    private let open: Mutex<[String: Served]>

    /// All databases in a directory.
    package init(directory: String, rights: Rights = [.create, .delete]) {
        self.directory = directory
        self.rights = rights
        open = Mutex([:])
    }

    /// These, by the names that they have in URLs. They stay their owner's.
    package init(_ databases: [String: Database]) {
        directory = nil
        rights = []
        open = Mutex(Dictionary(uniqueKeysWithValues: databases.map { ($0, Served($0, $1)) }))
    }

    /// Closes those that were opened here.
    package func close() {
        guard directory != nil else { return }
        for served in open.withLock({ open in
            defer { open = [:] }
            return Array(open.values)
        }) {
            served.views.close()
            served.database.close()
        }
    }

    /// The names of all, sorted.
    func names() throws -> [String] {
        var names = Set(open.withLock { Array($0.keys) })
        if let directory {
            for file in try FileManager.default.contentsOfDirectory(atPath: directory) {
                guard let suffix = ServedDatabases.suffixes.first(where: file.hasSuffix) else { continue }
                let name = String(file.dropLast(suffix.utf8.count).map { $0 == ":" ? "/" : $0 })
                if !name.isEmpty { names.insert(name) }
            }
        }
        return names.sorted()
    }

    /// Nil if there is none of that name.
    func database(named name: String) throws -> Served? {
        try open.withLock { open in
            if let served = open[name] { return served }
            guard let path = path(of: name), let database = try ServedDatabases.open(path) else { return nil }
            let served = Served(name, database)
            open[name] = served
            return served
        }
    }

    /// Makes a database.
    func create(_ name: String) throws {
        guard rights.contains(.create), let directory else { throw RESTError.forbidden("databases cannot be made here") }
        if let problem = ServedDatabases.problem(withName: name) { throw RESTError.badID(problem) }
        try open.withLock { open in
            guard open[name] == nil, path(of: name) == nil else { throw RESTError.exists("there is a database of that name") }
            let database = try Database(path: ServedDatabases.path(directory, name, ServedDatabases.suffixes[0]), options: .create)
            try database.keepExpirations()
            open[name] = Served(name, database)
        }
    }

    /// Deletes a database with all that is in it.
    func delete(_ name: String) throws {
        guard let served = try database(named: name) else { throw ServedDatabases.unknown(name) }
        guard rights.contains(.delete), directory != nil else { throw RESTError.forbidden("databases cannot be deleted here") }
        try open.withLock { open in
            open[name] = nil
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
        return ServedDatabases.suffixes.map { ServedDatabases.path(directory, name, $0) }.first(where: FileManager.default.fileExists)
    }

    /// For writing, if that is possible.
    private static func open(_ path: String) throws -> Database? {
        do {
            let database = try Database(path: path, options: .readWrite)
            try database.keepExpirations()
            return database
        } catch let error as StoreError where error.code == .version1 || error.code == .readOnly {
            return try Database(path: path)
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
