/// An answer that says no: a domain, a code, and a text for people.
package struct MessageError: Error, Hashable, Sendable, CustomStringConvertible {
    package var domain: String
    package var code: Int
    package var message: String

    package init(domain: String, code: Int, message: String = "") {
        self.domain = domain
        self.code = code
        self.message = message
    }

    /// A status of HTTP, as gateways answer.
    package static func http(_ status: Int, _ message: String = "") -> MessageError {
        MessageError(domain: "HTTP", code: status, message: message)
    }

    /// An error of the protocol itself.
    package static func blip(_ code: Code, _ message: String = "") -> MessageError {
        MessageError(domain: "BLIP", code: code.rawValue, message: message)
    }

    package enum Code: Int, Sendable {
        case badRequest = 400
        case forbidden = 403
        /// There is no handler for the request's profile: "not supported".
        case notFound = 404
        case badRange = 416
        case handlerFailed = 501
        case unspecified = 599
    }

    package var isNotSupported: Bool { domain == "BLIP" && code == Code.notFound.rawValue }

    package var description: String { message.isEmpty ? "\(domain) error \(code)" : "\(message) (\(domain) error \(code))" }

    var properties: MessageProperties {
        var properties = MessageProperties()
        properties.append("Error-Domain", domain)
        properties.append("Error-Code", code)
        return properties
    }
}
