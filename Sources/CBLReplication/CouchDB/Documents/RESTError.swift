import CBLFleece
import CBLTransport

/// Why a request does not get what it asks for, in the words of 1.x: clients look at the status and at the name.
package struct RESTError: Error, Hashable {
    package let status: Int
    package let name: String
    /// For people; nil if the name says it all.
    package var reason: String?

    package init(_ status: Int, _ name: String, _ reason: String? = nil) {
        self.status = status
        self.name = name
        self.reason = reason
    }

    /// Of what the server itself has against a request.
    package init(_ answer: HTTPAnswer) {
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

    package var json: [UInt8] {
        var object = JSONObjectWriter()
        object.begin()
        write(to: &object)
        object.end()
        return object.buffer.withBytes { Array($0) }
    }

    package static func badRequest(_ reason: String) -> RESTError { RESTError(400, "bad_request", reason) }
    package static func badID(_ reason: String? = nil) -> RESTError { RESTError(400, "Invalid database/document/revision ID", reason) }
    package static func badParameter(_ reason: String) -> RESTError {
        RESTError(400, "Invalid parameter in HTTP query or JSON body", reason)
    }
    package static func badJSON(_ reason: String) -> RESTError { RESTError(400, "Invalid JSON", reason) }
    package static func badAttachment(_ reason: String) -> RESTError { RESTError(400, "Invalid attachment", reason) }
    package static func forbidden(_ reason: String) -> RESTError { RESTError(403, "forbidden", reason) }
    package static func notFound(_ reason: String? = nil) -> RESTError { RESTError(404, "not_found", reason) }
    package static let missing = notFound("missing")
    package static let deleted = notFound("deleted")
    package static let noAttachment = RESTError(404, "Attachment not found")
    package static let methodNotAllowed = RESTError(405, "method_not_allowed")
    package static func notAcceptable(_ reason: String) -> RESTError { RESTError(406, "not_acceptable", reason) }
    package static func conflict(_ reason: String = "conflict") -> RESTError { RESTError(409, "conflict", reason) }
    package static func exists(_ reason: String) -> RESTError { RESTError(412, "file_exists", reason) }
    package static func missingStub(_ reason: String) -> RESTError { RESTError(412, "missing_stub", reason) }
    package static func tooLarge(_ reason: String) -> RESTError { RESTError(413, "Content Too Large", reason) }
    package static func badContentType(_ reason: String) -> RESTError { RESTError(415, "bad_content_type", reason) }
    package static func unsupported(_ reason: String) -> RESTError { RESTError(501, "Not Implemented", reason) }
    package static func damaged(_ reason: String) -> RESTError { RESTError(500, "Invalid data in database", reason) }

    package func write(to object: inout JSONObjectWriter) {
        object.add("status", status)
        object.add("error", name)
        if let reason { object.add("reason", reason) }
    }
}
