import CBLBase
import CBLTransport
import Synchronization

/// Secrets that stand for a user once, when a replicator connects: what a page in a browser has in the place of a password.
package final class SyncSessions: Sendable {
    private struct Entry {
        let user: String
        let database: String
        let isOnce: Bool
        let end: LoopTime
    }

    /// What a client puts before the secret, among the names of protocols.
    static let prefix = "SyncGatewaySession_"
    private static let shortLife = Duration.seconds(300)
    private static let longLife = Duration.seconds(24 * 3600)
    private static let most = 10_000

    private let entries = Mutex<[String: Entry]>([:])

    init() {}

    func begin(_ user: String, in database: String, isOnce: Bool, at time: LoopTime) -> String {
        let token = (0..<24).map { _ in UInt8.random(in: .min ... .max) }.withUnsafeBytes { Hex.text(of: $0) }
        let entry = Entry(
            user: user, database: database, isOnce: isOnce, end: time + (isOnce ? SyncSessions.shortLife : SyncSessions.longLife))
        entries.withLock { entries in
            if entries.count >= SyncSessions.most { entries = entries.filter { $0.value.end > time } }
            if entries.count >= SyncSessions.most, let first = entries.min(by: { $0.value.end < $1.value.end }) { entries[first.key] = nil }
            entries[token] = entry
        }
        return token
    }

    /// Whom a secret stands for; the one that is good for once is not good any more then.
    func user(of token: String, in database: String, at time: LoopTime) -> String? {
        entries.withLock { entries in
            guard let entry = entries[token], entry.database == database else { return nil }
            if entry.isOnce || entry.end <= time { entries[token] = nil }
            return entry.end > time ? entry.user : nil
        }
    }

    /// Forgets all of somebody's; false if there were none.
    func end(_ user: String, in database: String, at time: LoopTime) -> Bool {
        entries.withLock { entries in
            let theirs = entries.filter { $0.value.user == user && $0.value.database == database && $0.value.end > time }
            for token in theirs.keys { entries[token] = nil }
            return !theirs.isEmpty
        }
    }

    /// The secret among the protocols that a client names.
    static func token(in request: PeerRequest) -> String? {
        request.protocols.first { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
    }
}
