import Glibc
import Synchronization

/// The cookies that all connections of a program, or of a database, share.
package final class CookieJar: Sendable {
    private let store: Mutex<CookieStore>
    private let acceptsParentDomains: Bool
    private let clock: @Sendable () -> Int64

    /// `clock` gives the seconds since 1970.
    package init(
        _ cookies: [Cookie] = [], acceptsParentDomains: Bool = false, clock: @escaping @Sendable () -> Int64 = { Int64(time(nil)) }
    ) {
        store = Mutex(CookieStore(cookies))
        self.acceptsParentDomains = acceptsParentDomains
        self.clock = clock
    }

    /// Those to be kept when the program ends.
    package var persistentCookies: [Cookie] { store.withLock { $0.persistent(now: clock()) } }

    func header(for url: PeerURL) -> String? { store.withLock { $0.header(for: url, now: clock()) } }

    func add(from headers: HTTPHeaders, of url: PeerURL) {
        store.withLock { $0.add(from: headers, of: url, now: clock(), acceptsParentDomains: acceptsParentDomains) }
    }
}
