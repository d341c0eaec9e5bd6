/// A short answer to a person or a program, complete in itself.
package struct HTTPAnswer: Error, Hashable, Sendable {
    package var status: Int
    package var headers: HTTPHeaders
    /// A sentence for the person at the other end.
    package var reason: String
    /// What is sent in its place, as JSON.
    package var json: [UInt8]?

    package init(_ status: Int, _ reason: String, headers: HTTPHeaders = [:]) {
        self.status = status
        self.reason = reason
        self.headers = headers
    }

    package init(_ status: Int, json: [UInt8]) {
        self.init(status, "")
        self.json = json
    }

    /// Who is there must say a name and a password.
    package static func unauthorized(realm: String) -> HTTPAnswer {
        let quoted = realm.filter { $0 != "\"" && $0 != "\\" }
        return HTTPAnswer(401, "a user name and a password are needed", headers: ["WWW-Authenticate": "Basic realm=\"\(quoted)\""])
    }

    package static let notFound = HTTPAnswer(404, "there is no such database")
    package static let upgradeRequired = HTTPAnswer(426, "only WebSocket is spoken here", headers: ["Upgrade": "websocket"])
    package static let tooManyConnections = HTTPAnswer(503, "too many connections; try again later", headers: ["Retry-After": "10"])

    /// As it is sent. `isHead`: to whoever asked for the head alone.
    func bytes(isHead: Bool = false, keepsConnection: Bool = false) -> [UInt8] {
        let body = (json ?? Array(reason.utf8)) + [UInt8(ascii: "\n")]
        var all: HTTPHeaders = [
            "Content-Type": json == nil ? "text/plain; charset=utf-8" : "application/json", "Content-Length": "\(body.count)",
            "Connection": keepsConnection ? "keep-alive" : "close",
            // For browsers: it is what it says it is, for nobody else's pages, and not to be kept.
            "X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-store",
        ]
        for field in headers.fields { all.add(field.name, field.value) }
        var text = "HTTP/1.1 \(status) \(HTTPStatus.phrase(status))\r\n"
        all.append(to: &text)
        return Array((text + "\r\n").utf8) + (isHead ? [] : body)
    }
}
