import CBLBase
import CBLTransport

/// Whom a request has to be for, and which web pages may ask: what keeps the pages that somebody looks at from using what their machine serves.
///
/// A page of anywhere can have its browser connect to this machine, with the passwords that the browser knows; `Origin` tells of it. And a page
/// whose name is suddenly that of this machine counts as this server's own; `Host` tells of that, as the browser says by which name it came.
package struct HostPolicy: Sendable {
    private var names: Set<String> = []
    private var origins: Set<WebOrigin> = []
    private var allowsAnyHost = false
    /// Pages of anywhere may connect, though without what the browser knows of the person.
    package private(set) var allowsAnyOrigin = false

    /// What pages of others may send along; nil for whatever they ask for.
    package var sendable: [String]?
    /// How long their browsers may remember that.
    package var seconds: Int64 = 600

    package init() {}

    /// Lets requests be for that name as well, or for any (`*`); false if it is none.
    package mutating func allow(host text: String) -> Bool {
        if text == "*" {
            allowsAnyHost = true
            return true
        }
        guard let host = RequestHost(text), host.port == nil else { return false }
        names.insert(host.name)
        return true
    }

    /// Lets pages of that origin connect, or any (`*`); false if it is none.
    package mutating func allow(origin text: String) -> Bool {
        if text == "*" {
            allowsAnyOrigin = true
            return true
        }
        guard let origin = WebOrigin(text) else { return false }
        origins.insert(origin)
        return true
    }

    /// What a server knows of itself.
    struct Place {
        var names: Set<String>
        /// The names in it are the server's, too.
        var certificate: Certificate?
        /// Only this machine reaches it.
        var isLocal: Bool
    }

    /// What a request is to be answered with that nobody should have sent; nil if it is all right.
    func objection(to request: PeerRequest, at place: Place) -> HTTPAnswer? {
        let origins = request.http.headers.values("Origin")
        guard origins.count <= 1 else { return HTTPAnswer(400, "a request has one origin") }
        let isExpected = allowsAnyHost || isName(request.host, of: place)
        guard isExpected || !place.isLocal && isOfNoBrowser(request) else {
            return HTTPAnswer(
                421, "this server does not answer to \"\(request.host.name)\": \"serve --allow-host \(request.host.name)\" would")
        }
        if let origin = origins.first { return mayAsk(origin, request, place) ? nil : HostPolicy.refusal(of: origin) }
        return HostPolicy.isAskedByAnother(request) ? HTTPAnswer(403, "this is not for the pages of other servers") : nil
    }

    private func isName(_ host: RequestHost, of place: Place) -> Bool {
        // Where an address leads, nobody has to be asked.
        host.isAddress || place.names.contains(host.name) || names.contains(host.name) || place.certificate?.isFor(host.name) ?? false
    }

    /// Replicators come by whatever name this machine has elsewhere. A browser cannot seem to be one: it says the origin with each WebSocket.
    private func isOfNoBrowser(_ request: PeerRequest) -> Bool {
        request.wantsWebSocket && request.http.headers["Origin"] == nil && request.http.headers["Sec-Fetch-Site"] == nil
    }

    private func mayAsk(_ text: String, _ request: PeerRequest, _ place: Place) -> Bool {
        if allowsAnyOrigin { return true }
        guard let origin = WebOrigin(text) else { return false }
        return origins.contains(origin) || origin.isOf(request.host, isSecure: place.certificate != nil)
    }

    /// What answers have besides that the page of another origin may read, and has its browser know by this that it may.
    func headers(for request: PeerRequest) -> HTTPHeaders {
        guard let text = request.http.headers["Origin"] else { return [:] }
        if let origin = WebOrigin(text), origins.contains(origin) {
            return [
                "Access-Control-Allow-Origin": text, "Access-Control-Allow-Credentials": "true", "Vary": "Origin",
                "Access-Control-Expose-Headers": HostPolicy.readable,
            ]
        }
        // Pages of anywhere are nobody's: what the browser knows of the person is not for them.
        guard allowsAnyOrigin else { return [:] }
        return ["Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": HostPolicy.readable]
    }

    private static let readable = "Etag, Location, Content-Range, Accept-Ranges, Content-Encoding, Content-Length, Server, Retry-After"

    /// The answer to a browser that asks before it lets a page send what it wants to; nil if that is not what it asks.
    func permission(for request: PeerRequest) -> HTTPAnswer? {
        guard request.http.method == "OPTIONS", request.http.headers["Access-Control-Request-Method"] != nil else { return nil }
        var headers = headers(for: request)
        guard !headers.isEmpty else { return nil }
        headers.add("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, DELETE, COPY")
        if let sendable {
            headers.add("Access-Control-Allow-Headers", sendable.joined(separator: ", "))
        } else if let wanted = request.http.headers["Access-Control-Request-Headers"] {
            headers.add("Access-Control-Allow-Headers", wanted)
        }
        headers.add("Access-Control-Max-Age", "\(seconds)")
        var answer = HTTPAnswer(200, json: Array("{}".utf8))
        answer.headers = headers
        return answer
    }

    private static func refusal(of origin: String) -> HTTPAnswer {
        let name = ForeignText.line(origin, limit: 100)
        guard WebOrigin(origin) != nil else { return HTTPAnswer(403, "pages of nobody in particular (\"\(name)\") may not connect") }
        return HTTPAnswer(403, "pages of \(name) may not connect: \"serve --allow-origin \(name)\" lets them")
    }

    /// Browsers that say it: whether a page of another server asks. To follow a link is nothing that the page learns from.
    private static func isAskedByAnother(_ request: PeerRequest) -> Bool {
        guard let site = request.http.headers["Sec-Fetch-Site"], site != "same-origin", site != "none" else { return false }
        return request.wantsWebSocket || request.http.headers["Sec-Fetch-Mode"] != "navigate"
    }
}
