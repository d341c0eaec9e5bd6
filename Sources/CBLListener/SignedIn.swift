import CBLBase
import CBLTransport
import Synchronization

/// Those who have shown their password once, and show a cookie since.
final class SignedIn: Sendable {
    private struct Entry {
        let user: String
        var lastSeen: LoopTime
    }

    static let cookie = "AuthSession"
    /// Who shows nothing for so long is forgotten.
    static let patience = Duration.seconds(3600)
    private static let most = 10_000

    private let entries = Mutex<[String: Entry]>([:])

    /// Gives the secret that stands for the password from now on.
    func begin(_ user: String, at time: LoopTime) -> String {
        let token = (0..<32).map { _ in UInt8.random(in: .min ... .max) }.withUnsafeBytes { Hex.text(of: $0) }
        entries.withLock { entries in
            if entries.count >= SignedIn.most {
                entries = entries.filter { time.since($0.value.lastSeen) < SignedIn.patience }
                if entries.count >= SignedIn.most, let oldest = entries.min(by: { $0.value.lastSeen < $1.value.lastSeen }) {
                    entries[oldest.key] = nil
                }
            }
            entries[token] = Entry(user: user, lastSeen: time)
        }
        return token
    }

    func user(of token: String, at time: LoopTime) -> String? {
        entries.withLock { entries in
            guard let entry = entries[token] else { return nil }
            guard time.since(entry.lastSeen) < SignedIn.patience else {
                entries[token] = nil
                return nil
            }
            entries[token]?.lastSeen = time
            return entry.user
        }
    }

    func end(_ token: String) { entries.withLock { $0[token] = nil } }

    /// What a request shows; nil if there is none, or if there are several.
    static func token(in headers: HTTPHeaders) -> String? {
        let tokens = headers.values("Cookie").flatMap { $0.split(separator: ";") }.compactMap { piece -> String? in
            let parts = piece.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
            return parts.count == 2 && parts[0] == cookie ? String(parts[1]) : nil
        }
        return tokens.count == 1 ? tokens[0] : nil
    }

    /// The header that has a browser keep it, or forget it. Pages of other servers cannot use it, and scripts do not see it.
    static func header(_ token: String?, isSecure: Bool) -> String {
        "\(cookie)=\(token ?? ""); Path=/; HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "") + (token == nil ? "; Max-Age=0" : "")
    }
}
