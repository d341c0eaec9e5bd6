import CBLBase
import CBLTransport
import Synchronization

/// The passwords that were right lately, one for each user: to look at a hash that is slow on purpose with each request would keep everybody
/// waiting. What is kept says nothing outside of this process.
final class RightPasswords: Sendable {
    private let salt = (0..<32).map { _ in UInt8.random(in: .min ... .max) }
    private let digests = Mutex<[String: [UInt8]]>([:])

    func contains(_ credentials: Credentials) -> Bool {
        guard let known = digests.withLock({ $0[credentials.user] }) else { return false }
        return zip(known, digest(credentials)).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    func insert(_ credentials: Credentials) {
        let digest = digest(credentials)
        digests.withLock { $0[credentials.user] = digest }
    }

    private func digest(_ credentials: Credentials) -> [UInt8] {
        (salt + Array(credentials.password.utf8)).withUnsafeBytes { SHA256.digest(of: $0) }
    }
}
