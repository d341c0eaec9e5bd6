import CBLBase

/// Proves to a server that one knows a password, without telling it (RFC 7616). It is of use for as long as the server's nonce is.
struct DigestAuthentication: Hashable, Sendable {
    enum Algorithm: Hashable, Sendable {
        case md5
        case sha256

        fileprivate func hex(_ text: String) -> String {
            Array(text.utf8).withUnsafeBytes { bytes in
                switch self {
                case .md5: MD5.digest(of: bytes).withUnsafeBytes { Hex.text(of: $0) }
                case .sha256: SHA256.digest(of: bytes).withUnsafeBytes { Hex.text(of: $0) }
                }
            }
        }
    }

    private let algorithm: Algorithm
    private let algorithmName: String?
    private let isSession: Bool
    private let realm: String
    private let nonce: String
    private let opaque: String?
    private let hasQuality: Bool
    /// The server takes the password for the right one, but wants it proved with a newer nonce.
    let isStale: Bool

    /// Nil if the server asks for something else, or for what is not understood here.
    init?(_ challenge: AuthenticationChallenge) {
        let parameters = challenge.parameters
        guard challenge.scheme == "digest", let realm = parameters["realm"], let nonce = parameters["nonce"] else { return nil }
        algorithmName = parameters["algorithm"]
        switch lowerCased(algorithmName ?? "md5") {
        case "md5": (algorithm, isSession) = (.md5, false)
        case "md5-sess": (algorithm, isSession) = (.md5, true)
        case "sha-256": (algorithm, isSession) = (.sha256, false)
        case "sha-256-sess": (algorithm, isSession) = (.sha256, true)
        default: return nil
        }
        let qualities = parameters["qop"].map { split($0, at: UInt8(ascii: ",")).map { lowerCased(trimmed($0)) } }
        // Without any it is the one of earlier days. With `auth-int` alone the body would have to be known in advance.
        guard qualities?.contains("auth") ?? true else { return nil }
        hasQuality = qualities != nil
        self.realm = realm
        self.nonce = nonce
        opaque = parameters["opaque"]
        isStale = parameters["stale"].map { isSameASCII($0, "true") } ?? false
    }

    /// The best that is offered.
    static func strongest(of challenges: [AuthenticationChallenge]) -> DigestAuthentication? {
        let offered = challenges.compactMap(DigestAuthentication.init)
        return offered.first { $0.algorithm == .sha256 } ?? offered.first
    }

    /// The value of `Authorization` for a request, the `count`th with this nonce. `clientNonce` is one that was never used before.
    func header(_ method: String, _ target: String, _ credentials: Credentials, count: Int, clientNonce: String) -> String {
        let number = String(count, radix: 16)
        let countText = String(repeating: "0", count: max(0, 8 - number.utf8.count)) + number
        var secret = algorithm.hex("\(credentials.user):\(realm):\(credentials.password)")
        if isSession { secret = algorithm.hex("\(secret):\(nonce):\(clientNonce)") }
        let request = algorithm.hex("\(method):\(target)")
        let proof =
            hasQuality
            ? algorithm.hex("\(secret):\(nonce):\(countText):\(clientNonce):auth:\(request)")
            : algorithm.hex("\(secret):\(nonce):\(request)")
        var text = "Digest username=\(HeaderParameters.quoted(credentials.user)), realm=\(HeaderParameters.quoted(realm))"
        text += ", nonce=\(HeaderParameters.quoted(nonce)), uri=\(HeaderParameters.quoted(target)), response=\"\(proof)\""
        if let algorithmName { text += ", algorithm=\(algorithmName)" }
        if hasQuality || isSession { text += ", cnonce=\"\(clientNonce)\"" }
        if hasQuality { text += ", qop=auth, nc=\(countText)" }
        if let opaque { text += ", opaque=\(HeaderParameters.quoted(opaque))" }
        return text
    }
}
