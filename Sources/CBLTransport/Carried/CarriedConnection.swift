/// A WebSocket connection without a handshake, over what a carrier brings.
///
///     let connection = CarriedConnection(carrier, .bytes, .client, subprotocol: "…", on: loop, delegate: owner)
///     connection.open()
///     … carrier: connection.received(bytes), connection.ended(nil)
package final class CarriedConnection: @unchecked Sendable {
    // Sendable: the loop's thread alone touches what changes.

    private let carrier: any MessageCarrier
    private let loop: EventLoop
    private let stream: MessageStream
    private let connection: WebSocketConnection
    private let subprotocol: String
    private var delegate: (any WebSocketDelegate & Sendable)?

    package init(
        _ carrier: any MessageCarrier, _ framing: MessageFraming, _ role: WebSocketRole, peer: String, subprotocol: String,
        on loop: EventLoop, delegate: any WebSocketDelegate & Sendable
    ) {
        self.carrier = carrier
        self.loop = loop
        self.subprotocol = subprotocol
        self.delegate = delegate
        stream = MessageStream(carrier, framing, on: loop)
        var limits = WebSocketLimits()
        // Who carries messages knows whether the other side is there.
        if framing == .messages { limits.heartbeat = nil }
        connection = WebSocketConnection(MessageStream.role(role, framing), peer: peer, limits: limits, on: loop)
    }

    /// Has the carrier connect. The delegate is told when that is done, and in any case of the end.
    package func open() {
        loop.preconditionOnLoop()
        carrier.open { [self] error in loop.perform { self.opened(error) } }
    }

    private func opened(_ error: TransportError?) {
        guard let delegate else { return }
        self.delegate = nil
        if let error {
            stream.ended(error)
            stream.close()
            return delegate.webSocket(connection, didClose: WebSocketClosing(code: .abnormal, reason: "", error: error))
        }
        let opening = WebSocketOpening(subprotocol: subprotocol, headers: [:], url: nil, certificates: [])
        connection.start(stream, received: [], opening: opening, delegate: delegate)
    }

    /// What the peer has sent. On any thread; in the order of the calls.
    package func received(_ bytes: [UInt8]) { loop.perform { self.stream.received(bytes) } }

    /// The carrier has lost the peer, or, with nil, the peer has hung up as it should.
    package func ended(_ error: TransportError?) {
        loop.perform {
            let error = error ?? TransportError(.closed(.normal), "the peer closed the connection")
            // Before there is a connection, that is the answer to the attempt.
            if self.delegate != nil { self.opened(error) } else { self.stream.ended(error) }
        }
    }

    /// Ends it after a farewell.
    package func close() {
        loop.perform {
            if self.delegate != nil {
                self.opened(TransportError(.closed(.goingAway), "this side closed the connection"))
            } else {
                self.connection.close(.goingAway)
            }
        }
    }
}
