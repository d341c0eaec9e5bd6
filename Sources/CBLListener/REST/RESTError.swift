import CBLBase
import CBLFleece
import CBLLanguage
import CBLQuery
import CBLStore
import CBLTransport
import CBLViews

/// Why a request does not get what it asks for, in the words of 1.x: clients look at the status and at the name.
struct RESTError: Error, Hashable {
    let status: Int
    let name: String
    /// For people; nil if the name says it all.
    var reason: String?

    init(_ status: Int, _ name: String, _ reason: String? = nil) {
        self.status = status
        self.name = name
        self.reason = reason
    }

    /// Of what the server itself has against a request.
    init(_ answer: HTTPAnswer) {
        let name =
            switch answer.status {
            case 400: "bad_request"
            case 401: "unauthorized"
            case 403: "forbidden"
            case 404: "not_found"
            default: HTTPStatus.phrase(answer.status)
            }
        self.init(answer.status, name, answer.reason)
    }

    var json: [UInt8] {
        var object = JSONObjectWriter()
        object.begin()
        write(to: &object)
        object.end()
        return object.buffer.withBytes { Array($0) }
    }

    static func badRequest(_ reason: String) -> RESTError { RESTError(400, "bad_request", reason) }
    static func badID(_ reason: String? = nil) -> RESTError { RESTError(400, "Invalid database/document/revision ID", reason) }
    static func badParameter(_ reason: String) -> RESTError { RESTError(400, "Invalid parameter in HTTP query or JSON body", reason) }
    static func badJSON(_ reason: String) -> RESTError { RESTError(400, "Invalid JSON", reason) }
    static func badAttachment(_ reason: String) -> RESTError { RESTError(400, "Invalid attachment", reason) }
    static func forbidden(_ reason: String) -> RESTError { RESTError(403, "forbidden", reason) }
    static func notFound(_ reason: String? = nil) -> RESTError { RESTError(404, "not_found", reason) }
    static let missing = notFound("missing")
    static let deleted = notFound("deleted")
    static let noAttachment = RESTError(404, "Attachment not found")
    static let methodNotAllowed = RESTError(405, "method_not_allowed")
    static func notAcceptable(_ reason: String) -> RESTError { RESTError(406, "not_acceptable", reason) }
    static func conflict(_ reason: String = "conflict") -> RESTError { RESTError(409, "conflict", reason) }
    static func exists(_ reason: String) -> RESTError { RESTError(412, "file_exists", reason) }
    static func tooLarge(_ reason: String) -> RESTError { RESTError(413, "Content Too Large", reason) }
    static func badContentType(_ reason: String) -> RESTError { RESTError(415, "bad_content_type", reason) }
    static func unsupported(_ reason: String) -> RESTError { RESTError(501, "Not Implemented", reason) }
    static func damaged(_ reason: String) -> RESTError { RESTError(500, "Invalid data in database", reason) }
}

extension RESTError {
    /// Whatever was thrown while a request was answered.
    init(_ error: any Error) {
        switch error {
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
        case .invalidName, .invalidRevision: self = .badID(message)
        case .invalidDocument: self = .badRequest(message)
        case .refused, .readOnly: self = .forbidden(message)
        case .version1: self = .forbidden("a database of Couchbase Lite 1.x can only be read here")
        case .corrupt: self = .damaged(message)
        case .busy: self.init(500, "Database locked", message)
        case .unsupported, .tooNew, .tooOld, .foreignSchema: self = .unsupported(message)
        default: self.init(500, "Database error!", message)
        }
    }

    func write(to object: inout JSONObjectWriter) {
        object.add("status", status)
        object.add("error", name)
        if let reason { object.add("reason", reason) }
    }
}
