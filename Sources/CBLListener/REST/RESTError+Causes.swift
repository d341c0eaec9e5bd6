import CBLBase
import CBLFleece
import CBLLanguage
import CBLQuery
import CBLReplication
import CBLStore
import CBLTransport
import CBLViews

extension RESTError {
    /// Whatever was thrown while a request was answered.
    init(_ error: any Error) {
        switch StoreError.translating(error) {
        case let error as RESTError: self = error
        case let error as StoreError: self.init(error)
        case let error as QueryError: self.init(error)
        case let error as QueryFailure: self.init(error)
        case ViewError.badRequest(let reason): self = .badRequest(reason)
        case let error as JSONError: self = .badJSON("\(error)")
        case let error as FleeceError: self = .damaged("\(error)")
        case let error as MultipartFailure: self = .badRequest("the parts of the body cannot be read: \(error.reason)")
        case let error as Decompressor.Failure: self = RESTError(400, "Bad data encoding", "the body cannot be unpacked: \(error)")
        default: self.init(500, "Internal error", "\(error)")
        }
    }

    private init(_ error: StoreError) {
        // Where the database is on this machine is nothing that clients have to know.
        let message = error.message
        switch error.code {
        case .notFound: self = .notFound(message)
        case .conflict: self = .conflict(message)
        case .exists: self = .exists(message)
        case .invalidName, .invalidRevision, .fromFuture: self = .badID(message)
        case .invalidDocument: self = .badRequest(message)
        case .refused, .readOnly: self = .forbidden(message)
        case .version1: self = .forbidden("a database of Couchbase Lite 1.x can only be read here")
        case .corrupt: self = .damaged(message)
        case .diskFull: self.init(500, "Database error!", "the disk is full; nothing was changed")
        case .inputOutput: self.init(500, "Database error!", "a file of the database cannot be read or written")
        case .busy: self.init(500, "Database locked", message)
        case .unsupported, .tooNew, .tooOld, .foreignSchema: self = .unsupported(message)
        default: self.init(500, "Database error!", message)
        }
    }
}
