import CBLBase

/// What a client asks a server for, read and understood: what the server's owner decides by.
package struct PeerRequest: Sendable {
    package let method: String
    /// The components of the path, decoded: `["db", "_blipsync"]`.
    package let path: [String]
    package let query: String?
    /// Whom it is for.
    package let host: RequestHost
    package let headers: HTTPHeaders
    /// The name and the password that came with it. They have not been checked.
    package let credentials: Credentials?
    /// Where it came from, and what it has shown of itself.
    package internal(set) var address = ""
    package internal(set) var certificates: [Certificate] = []
    /// The key and the subprotocols, in the client's order, if a WebSocket is wanted.
    let webSocketKey: String?
    package let protocols: [String]

    package var wantsWebSocket: Bool { webSocketKey != nil }

    /// Throws the answer to a request that cannot be one.
    init(_ head: HTTPRequestHead) throws(HTTPAnswer) {
        method = head.method
        headers = head.headers
        // Two hosts in one request are read differently by different readers.
        let hosts = headers.values("Host")
        guard hosts.count == 1 else { throw HTTPAnswer(400, "a request names one host") }
        guard let host = RequestHost(hosts[0]) else { throw HTTPAnswer(400, "what the request names is no host") }
        self.host = host
        var target = head.target[...]
        // Through a proxy the whole URL may come.
        if !target.hasPrefix("/") {
            guard let url = try? PeerURL(head.target) else { throw HTTPAnswer(400, "the target of the request is not a path") }
            guard let named = RequestHost(url.bracketedHost), named.name == host.name else {
                throw HTTPAnswer(400, "a request names one host")
            }
            target = Substring(url.target)
        }
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        query = parts.count > 1 ? String(parts[1]) : nil
        var components: [String] = []
        for component in parts[0].split(separator: "/", omittingEmptySubsequences: true) {
            guard let decoded = PercentEncoding.decode(component), !decoded.utf8.contains(0) else {
                throw HTTPAnswer(400, "the path of the request is not percent-encoded correctly")
            }
            components.append(decoded)
        }
        path = components
        let authorization = headers.values("Authorization")
        credentials = authorization.count == 1 ? Credentials(basic: authorization[0]) : nil
        protocols = headers.list("Sec-WebSocket-Protocol")
        let isUpgrade =
            headers.list("Connection").contains { isSameASCII($0, "Upgrade") }
            && headers.list("Upgrade").contains { isSameASCII($0, "websocket") }
        guard isUpgrade else {
            webSocketKey = nil
            return
        }
        guard method == "GET" else { throw HTTPAnswer(405, "a WebSocket is opened with GET", headers: ["Allow": "GET"]) }
        guard headers["Sec-WebSocket-Version"] == "13" else {
            throw HTTPAnswer(426, "only version 13 of WebSocket is spoken here", headers: ["Sec-WebSocket-Version": "13"])
        }
        let keys = headers.values("Sec-WebSocket-Key")
        guard keys.count == 1, WebSocketKey.isValid(keys[0]) else { throw HTTPAnswer(400, "the request has no usable Sec-WebSocket-Key") }
        guard headers["Content-Length"].map({ $0 == "0" }) ?? true, headers["Transfer-Encoding"] == nil else {
            throw HTTPAnswer(400, "a request for a WebSocket has no body")
        }
        webSocketKey = keys[0]
    }

    /// The first of the client's subprotocols that is among these: its order counts, not ours.
    package func preferredProtocol(of supported: [String]) -> String? { protocols.first { supported.contains($0) } }

    /// The bytes that open the WebSocket; nil if none is wanted.
    func acceptance(protocol name: String?) -> [UInt8]? {
        guard let webSocketKey else { return nil }
        var headers: HTTPHeaders = [
            "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Accept": WebSocketKey.answer(to: webSocketKey),
            CorrelationID.header: CorrelationID.make(),
        ]
        if let name { headers.add("Sec-WebSocket-Protocol", name) }
        var text = "HTTP/1.1 101 Switching Protocols\r\n"
        headers.append(to: &text)
        return Array((text + "\r\n").utf8)
    }
}

/// An answer that ends the connection.
package struct HTTPAnswer: Error, Hashable, Sendable {
    package var status: Int
    package var headers: HTTPHeaders
    /// A sentence for the person at the other end.
    package var reason: String
    /// What is sent in its place, as JSON.
    package var json: [UInt8]?
    private var hasBody = true

    package init(_ status: Int, _ reason: String, headers: HTTPHeaders = [:]) {
        self.status = status
        self.reason = reason
        self.headers = headers
    }

    package init(_ status: Int, json: [UInt8]) {
        self.init(status, "")
        self.json = json
    }

    /// The same, for whoever asked for the head alone.
    var withoutBody: HTTPAnswer {
        var answer = self
        answer.hasBody = false
        return answer
    }

    /// Who is there must say a name and a password.
    package static func unauthorized(realm: String) -> HTTPAnswer {
        let quoted = realm.filter { $0 != "\"" && $0 != "\\" }
        return HTTPAnswer(401, "a user name and a password are needed", headers: ["WWW-Authenticate": "Basic realm=\"\(quoted)\""])
    }

    package static let notFound = HTTPAnswer(404, "there is no such database")
    package static let upgradeRequired = HTTPAnswer(426, "only WebSocket is spoken here", headers: ["Upgrade": "websocket"])
    package static let tooManyConnections = HTTPAnswer(503, "too many connections; try again later", headers: ["Retry-After": "10"])

    var bytes: [UInt8] {
        let body = (json ?? Array(reason.utf8)) + [UInt8(ascii: "\n")]
        var all: HTTPHeaders = [
            "Content-Type": json == nil ? "text/plain; charset=utf-8" : "application/json", "Content-Length": "\(body.count)",
            "Connection": "close",
            // For browsers: it is what it says it is, for nobody else's pages, and not to be kept.
            "X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-store",
        ]
        for field in headers.fields { all.add(field.name, field.value) }
        var text = "HTTP/1.1 \(status) \(HTTPStatus.phrase(status))\r\n"
        all.append(to: &text)
        return Array((text + "\r\n").utf8) + (hasBody ? body : [])
    }
}
