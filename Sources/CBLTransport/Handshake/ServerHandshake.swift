import CBLBase

/// What a client asks a server for, and who it seems to be: what the server's owner decides by.
package struct PeerRequest: Sendable {
    package internal(set) var http: HTTPRequest
    /// Whom it is for.
    package let host: RequestHost
    /// The name and the password that came with it. They have not been checked.
    package let credentials: Credentials?
    /// What it has shown of itself.
    package internal(set) var certificates: [Certificate] = []
    /// The key and the subprotocols, in the client's order, if a WebSocket is wanted.
    let webSocketKey: String?
    package let protocols: [String]

    package var wantsWebSocket: Bool { webSocketKey != nil }

    /// Throws the answer to a request that cannot be one.
    init(_ head: HTTPRequestHead) throws(HTTPAnswer) {
        let headers = head.headers
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
        guard let request = HTTPRequest(head.method, target: String(target), headers: headers) else {
            throw HTTPAnswer(400, "the target of the request is not percent-encoded correctly")
        }
        http = request
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
        guard head.method == "GET" else { throw HTTPAnswer(405, "a WebSocket is opened with GET", headers: ["Allow": "GET"]) }
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
