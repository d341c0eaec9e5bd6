/// What is known of a WebSocket when it has been opened.
package struct WebSocketOpening: Sendable {
    /// The protocol that both sides have agreed on; empty if none was asked for.
    package let subprotocol: String
    /// The headers of the other side's half of the handshake.
    package let headers: HTTPHeaders
    /// Where the peer was found in the end; nil at the server's side.
    package let url: PeerURL?
    /// The peer's certificates, its own first; empty without TLS.
    package let certificates: [Certificate]

    package init(subprotocol: String, headers: HTTPHeaders, url: PeerURL?, certificates: [Certificate]) {
        self.subprotocol = subprotocol
        self.headers = headers
        self.url = url
        self.certificates = certificates
    }
}

/// How a WebSocket ended.
package struct WebSocketClosing: Sendable {
    package let code: CloseCode
    package let reason: String
    /// Nil if this side wanted it, and the peer agreed.
    package let error: TransportError?
}

/// The owner of a WebSocket. All of it is called on the connection's loop, and never while the connection is being asked for something.
package protocol WebSocketDelegate: AnyObject {
    func webSocket(_ connection: WebSocketConnection, didOpen opening: WebSocketOpening)

    /// A binary message, its bytes valid until the call returns.
    func webSocket(_ connection: WebSocketConnection, didReceive message: UnsafeRawBufferPointer)

    /// Messages are wanted again, after more of them were sent than the connection could get rid of.
    func webSocketIsWritable(_ connection: WebSocketConnection)

    /// More has come of a message, and it is not complete. Only told of large ones, for who counts what connections keep.
    func webSocketHoldsIncompleteMessage(_ connection: WebSocketConnection)

    /// Called once, as the last thing.
    func webSocket(_ connection: WebSocketConnection, didClose closing: WebSocketClosing)
}

extension WebSocketDelegate {
    package func webSocketHoldsIncompleteMessage(_ connection: WebSocketConnection) {}
}
