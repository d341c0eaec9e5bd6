import CBLBase

/// What shows that a password is right, without having it. It says nothing outside of this process.
struct SaltedPassword: Sendable {
    private let salt: [UInt8]
    private let digest: [UInt8]

    init(_ password: String) {
        salt = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
        digest = SaltedPassword.digest(password, salt)
    }

    /// Takes the same time wherever they differ.
    func matches(_ password: String) -> Bool {
        // With the parentheses: `|` and `^` are of the same rank, and are read from the left.
        zip(SaltedPassword.digest(password, salt), digest).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private static func digest(_ password: String, _ salt: [UInt8]) -> [UInt8] {
        (salt + Array(password.utf8)).withUnsafeBytes { SHA256.digest(of: $0) }
    }
}
