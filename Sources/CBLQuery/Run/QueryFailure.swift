import CBLSQLite

/// Why a query that makes sense could not be run to its end.
package enum QueryFailure: Error, Hashable, Sendable {
    /// Somebody asked it to stop.
    case cancelled
    /// It took longer than it was given.
    case timeLimit(Duration)
    /// A function refused its arguments, or SQLite the statement: the message says why.
    case evaluation(message: String, sql: String)
    /// A document that a statement was to write cannot be written so.
    case refused(String)
}

extension QueryFailure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .cancelled: "the query was cancelled"
        case .timeLimit(let limit): "the query took longer than \(limit.inWords)"
        case .evaluation(let message, _): "the query failed: \(message)"
        case .refused(let message): message
        }
    }
}

extension Duration {
    /// `2 s`, `250 ms`.
    fileprivate var inWords: String {
        let (seconds, attoseconds) = components
        let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
        return milliseconds % 1000 == 0 && milliseconds > 0 ? "\(seconds) s" : "\(milliseconds) ms"
    }
}

extension SQLiteError {
    /// What the person who wrote the query should hear; nil if it is the database's trouble and not the query's.
    var queryFailure: QueryFailure? {
        // SQLITE_ERROR, SQLITE_TOOBIG, SQLITE_MISMATCH, SQLITE_RANGE
        switch code {
        case 1, 18, 20, 25: .evaluation(message: message, sql: sql ?? "")
        default: nil
        }
    }
}
