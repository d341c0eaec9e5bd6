import CBLTransport
import Synchronization

/// The passwords that were right lately, one for each user: to look at a hash that is slow on purpose with each request would keep everybody
/// waiting.
final class RightPasswords: Sendable {
    private let known = Mutex<[String: SaltedPassword]>([:])

    func contains(_ credentials: Credentials) -> Bool {
        known.withLock { $0[credentials.user] }?.matches(credentials.password) ?? false
    }

    func insert(_ credentials: Credentials) {
        let password = SaltedPassword(credentials.password)
        known.withLock { $0[credentials.user] = password }
    }
}
