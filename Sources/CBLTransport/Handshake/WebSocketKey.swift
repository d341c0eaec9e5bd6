import CBLBase

/// The proof that the answer to a handshake is one to this request, and from somebody who understands it.
enum WebSocketKey {
    private static let suffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

    static func random(using generator: inout some RandomNumberGenerator) -> String {
        let words = (generator.next(), generator.next())
        return withUnsafeBytes(of: words) { Base64.text(of: $0) }
    }

    /// What `Sec-WebSocket-Accept` must say.
    static func answer(to key: String) -> String { SHA1.digest(of: key + suffix).base64 }

    static func isValid(_ key: String) -> Bool { Base64.bytes(of: key.utf8)?.count == 16 }
}
