import CBLBase

/// A user and a password.
package struct Credentials: Hashable, Sendable {
    package var user: String
    package var password: String

    package init(user: String, password: String) {
        self.user = user
        self.password = password
    }

    /// The value of `Authorization`, or of `Proxy-Authorization`.
    var basic: String { "Basic " + Array("\(user):\(password)".utf8).withUnsafeBytes { Base64.text(of: $0) } }

    /// Reads the value of an `Authorization` header; nil if it is none of Basic authentication.
    init?(basic value: String) {
        let words = value.split(separator: " ", maxSplits: 1)
        guard words.count == 2, isSameASCII(words[0], "Basic"), let bytes = Base64.bytes(of: trimmed(words[1]).utf8),
            let text = String(validating: bytes, as: UTF8.self)
        else { return nil }
        let parts = split(text, at: UInt8(ascii: ":"), most: 2)
        guard parts.count == 2 else { return nil }
        user = String(parts[0])
        password = String(parts[1])
    }

    /// Whether a `WWW-Authenticate` header asks for a name and a password.
    static func isBasicChallenge(_ headers: HTTPHeaders, _ name: String = "WWW-Authenticate") -> Bool {
        // A header may hold several challenges, each with parameters: the scheme's name stands before a blank or at the end.
        headers.list(name).contains { challenge in isSameASCII(challenge.prefix { $0 != " " }, "Basic") }
    }

    /// Whether both are the same, found out in a time that does not depend on where they differ.
    package func matches(_ other: Credentials) -> Bool {
        func differs(_ a: String, _ b: String) -> UInt8 {
            let a = SHA1.digest(of: a)
            let b = SHA1.digest(of: b)
            // With the parentheses: `|` and `^` are of the same rank, and are read from the left.
            return a.withBytes { a in b.withBytes { b in zip(a, b).reduce(0) { $0 | ($1.0 ^ $1.1) } } }
        }
        return differs(user, other.user) | differs(password, other.password) == 0
    }
}

extension SHA1 {
    static func digest(of text: String) -> Digest {
        var text = text
        return text.withUTF8 { digest(of: UnsafeRawBufferPointer($0)) }
    }
}
