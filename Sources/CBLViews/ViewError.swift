import CBLSQLite

/// Why a view could not do what was asked.
package enum ViewError: Error, Sendable, CustomStringConvertible {
    /// Options that do not go together, or that the view cannot serve.
    case badRequest(String)
    /// No index of that name, or none yet, where none was to be made.
    case notIndexed(String)
    /// The index could not be read or written.
    case index(SQLiteError, path: String)
    case cancelled
    case closed

    package var description: String {
        switch self {
        case .badRequest(let reason): reason
        case .notIndexed(let name): "the view \"\(name)\" has no index yet"
        case .index(let error, let path): "the index of views \(path.isEmpty ? "(temporary)" : path): \(error.message)"
        case .cancelled: "cancelled"
        case .closed: "the database is closed"
        }
    }

    /// Whether the index is to be thrown away: it is damaged, or not what it should be.
    var isDamage: Bool {
        if case .index(let error, _) = self { error.isCorrupt || error.isConstraint || error.message.hasPrefix("no such ") } else { false }
    }
}
