import Synchronization

/// The databases that this program has open, by their paths: for those who only know a path.
enum OpenDatabases {
    private struct Weak: Sendable {
        weak var database: Database?
    }

    private static let databases = Mutex<[String: [Weak]]>([:])

    static func add(_ database: Database) {
        databases.withLock { $0[database.core.path, default: []].append(Weak(database: database)) }
    }

    /// Forgets those of a path that are gone.
    static func removeAll(of path: String) {
        databases.withLock { databases in
            databases[path]?.removeAll { $0.database == nil }
            if databases[path]?.isEmpty ?? false { databases[path] = nil }
        }
    }

    /// Any of those of a path that is open.
    static func database(at path: String) -> Database? {
        let candidates = databases.withLock { $0[path] ?? [] }
        return candidates.lazy.compactMap(\.database).first { $0.core.isOpen }
    }
}
