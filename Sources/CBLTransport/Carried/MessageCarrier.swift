/// Something that is not ours and carries bytes to a peer: Bluetooth, a pipe, whatever a program has. It keeps their order.
///
/// All of it is called on the connection's loop, and answers on any thread.
package protocol MessageCarrier: AnyObject, Sendable {
    /// Connects. Nil says that there is a connection.
    func open(_ completion: @escaping @Sendable (TransportError?) -> Void)

    /// Sends what is to arrive whole, or as the next bytes of a stream. Nil says that there is room for more.
    func send(_ message: [UInt8], _ completion: @escaping @Sendable (TransportError?) -> Void)

    /// Hangs up; called once, as the last thing. The error says why, nil that both are done.
    func close(_ error: TransportError?)
}

/// What a carrier carries.
package enum MessageFraming: Sendable {
    /// It keeps messages apart: each message of the connection is one of the carrier's.
    case messages
    /// It carries a stream of bytes: messages are kept apart by the frames of WebSocket.
    case bytes
}
