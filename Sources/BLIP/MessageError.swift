/// An answer that says no: a domain, a code, and a text for people.
public struct MessageError: Error, Hashable, Sendable, CustomStringConvertible {
    public var domain: String
    public var code: Int
    public var message: String

    public init(domain: String, code: Int, message: String = "") {
        self.domain = domain
        self.code = code
        self.message = message
    }

    /// A status of HTTP, as gateways answer.
    public static func http(_ status: Int, _ message: String = "") -> MessageError {
        MessageError(domain: "HTTP", code: status, message: message)
    }

    /// An error of the protocol itself.
    public static func blip(_ code: Code, _ message: String = "") -> MessageError {
        MessageError(domain: "BLIP", code: code.rawValue, message: message)
    }

    public enum Code: Int, Sendable {
        case badRequest = 400
        case forbidden = 403
        /// There is no handler for the request's profile: "not supported".
        case notFound = 404
        case badRange = 416
        case handlerFailed = 501
        case unspecified = 599
    }

    public var isNotSupported: Bool { domain == "BLIP" && code == Code.notFound.rawValue }

    public var description: String { message.isEmpty ? "\(domain) error \(code)" : "\(message) (\(domain) error \(code))" }

    var properties: MessageProperties {
        var properties = MessageProperties()
        properties.append("Error-Domain", domain)
        properties.append("Error-Code", code)
        return properties
    }
}
