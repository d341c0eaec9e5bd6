import CBLBase
import CBLFleece

/// What a client wants of a WebSocket's handshake.
package struct HandshakeRequest: Sendable {
    package var url: PeerURL
    /// Names of subprotocols, in order of preference.
    package var protocols: [String]
    /// Further headers; those of the handshake itself cannot be replaced.
    package var headers = HTTPHeaders()
    package var credentials: Credentials?
    /// Whether credentials are kept back until the server asks for them.
    package var waitsForChallenge = false
    package var userAgent = "cblite"

    package init(url: PeerURL, protocols: [String]) {
        self.url = url
        self.protocols = protocols
        credentials = url.credentials
    }
}

/// A client's part of the handshake, as a value: which bytes to send where, and what the answer means. It follows redirects, and answers
/// a challenge.
///
///     var handshake = ClientHandshake(request)
///     send(handshake.request(key: key, cookies: nil), to: handshake.url)
///     switch handshake.step(after: head, body: body) { … }
struct ClientHandshake {
    enum Step: Equatable {
        case opened(protocol: String)
        /// The request is to be sent again, over a new connection: the URL is another one, or credentials are sent this time.
        case again
        case failed(TransportError)
    }

    static let maximumRedirects = 10

    private(set) var url: PeerURL
    private let wanted: HandshakeRequest
    private var credentials: Credentials?
    private var sendsCredentials: Bool
    private var extraHeaders: HTTPHeaders
    private var redirects = 0
    /// Secrets that were for the server that was named, and not for the one that it has sent to.
    private var hasLeftSecrets = false
    private var key = ""

    init(_ wanted: HandshakeRequest) {
        self.wanted = wanted
        url = wanted.url
        credentials = wanted.credentials
        sendsCredentials = !wanted.waitsForChallenge
        extraHeaders = wanted.headers
    }

    /// The request that opens the WebSocket; the key is one that was never used before.
    mutating func request(key: String, cookies: String?) -> [UInt8] {
        self.key = key
        var headers = HTTPHeaders()
        headers.add("Host", url.hostHeader)
        headers.add("User-Agent", wanted.userAgent)
        headers.add("Connection", "Upgrade")
        headers.add("Upgrade", "websocket")
        headers.add("Sec-WebSocket-Version", "13")
        headers.add("Sec-WebSocket-Key", key)
        if !wanted.protocols.isEmpty { headers.add("Sec-WebSocket-Protocol", wanted.protocols.joined(separator: ", ")) }
        if sendsCredentials, let credentials { headers.add("Authorization", credentials.basic) }
        let ownCookies = extraHeaders.values("Cookie")
        let allCookies = (ownCookies + (cookies.map { [$0] } ?? [])).joined(separator: "; ")
        if !allCookies.isEmpty { headers.add("Cookie", allCookies) }
        for field in extraHeaders.fields where !isSameASCII(field.name, "Cookie") {
            if isSameASCII(field.name, "User-Agent") { headers.set(field.name, field.value) }
            if headers[field.name] == nil { headers.add(field.name, field.value) }
        }
        var text = "GET \(url.target) HTTP/1.1\r\n"
        headers.append(to: &text)
        return Array((text + "\r\n").utf8)
    }

    /// Whether the body of an answer is of interest.
    func wantsBody(of head: HTTPResponseHead) -> Bool {
        head.status != 101 && !ClientHandshake.isRedirect(head.status)
    }

    private static func isRedirect(_ status: Int) -> Bool { status == 301 || status == 302 || status == 307 || status == 308 }

    mutating func step(after head: HTTPResponseHead, body: [UInt8]) -> Step {
        switch head.status {
        case 101: return upgraded(head.headers)
        case let status where ClientHandshake.isRedirect(status): return redirected(head)
        case 401 where !sendsCredentials && credentials != nil && Credentials.isBasicChallenge(head.headers):
            sendsCredentials = true
            return .again
        default:
            let hadCredentials = sendsCredentials && credentials != nil
            let reason = ClientHandshake.reason(head.headers, body)
            if hasLeftSecrets, head.status == 401 || head.status == 403 {
                return .failed(.strange(head.status, reason, at: url, insteadOf: wanted.url))
            }
            return .failed(.refused(head.status, reason, by: url.description, hadCredentials: hadCredentials))
        }
    }

    private func upgraded(_ headers: HTTPHeaders) -> Step {
        guard headers.list("Connection").contains(where: { isSameASCII($0, "Upgrade") }),
            headers.list("Upgrade").contains(where: { isSameASCII($0, "websocket") })
        else { return .failed(.malformed("it changes to a protocol that is not WebSocket", by: url)) }
        guard headers["Sec-WebSocket-Accept"] == WebSocketKey.answer(to: key) else {
            return .failed(.malformed("it belongs to another request", by: url))
        }
        guard headers.list("Sec-WebSocket-Extensions").isEmpty else {
            return .failed(.malformed("it uses an extension that was not offered", by: url))
        }
        let chosen = headers["Sec-WebSocket-Protocol"]
        guard let chosen, wanted.protocols.contains(chosen) else {
            if wanted.protocols.isEmpty, chosen == nil { return .opened(protocol: "") }
            return .failed(.noProtocol(chosen, offered: wanted.protocols, by: url))
        }
        return .opened(protocol: chosen)
    }

    private mutating func redirected(_ head: HTTPResponseHead) -> Step {
        guard redirects < ClientHandshake.maximumRedirects else {
            return .failed(.tooManyRedirects(from: "\(wanted.url)", most: ClientHandshake.maximumRedirects))
        }
        redirects += 1
        guard let location = head.headers["Location"], var next = url.redirected(to: location) else {
            return .failed(.invalidRedirect(from: "\(url)", to: head.headers["Location"]))
        }
        guard next.isSecure || !url.isSecure else { return .failed(.downgrade(from: "\(url)", to: "\(next)")) }
        // Whatever was given for a server is for that one: any header may be a secret. Those in the URL that the server names are its own idea.
        next.credentials = nil
        if !url.isSameOrigin(as: next) {
            hasLeftSecrets = hasLeftSecrets || credentials != nil || !extraHeaders.isEmpty
            credentials = nil
            extraHeaders = HTTPHeaders()
        }
        url = next
        return .again
    }

    /// The member `reason` of a body in JSON, or a body that is plain text.
    static func reason(_ headers: HTTPHeaders, _ body: [UInt8]) -> String? {
        let type = lowerCased(headers["Content-Type"]?.prefix { $0 != ";" } ?? "")
        let text: String?
        switch trimmed(type) {
        case "application/json":
            let encoder = FleeceEncoder()
            text = body.withUnsafeBytes { bytes in
                guard (try? JSONParser.parse(bytes, into: encoder)) != nil, let data = try? encoder.finish() else { return nil }
                return data.withRoot { root in
                    guard let members = root.dictionary else { return nil }
                    return (members.value(forKey: "reason", nil) ?? members.value(forKey: "error", nil))?.string
                }
            }
        case "text/plain": text = String(validating: body, as: UTF8.self)
        default: text = nil
        }
        guard let text else { return nil }
        let line = trimmed(ForeignText.line(text))
        return line.isEmpty ? nil : line
    }
}
