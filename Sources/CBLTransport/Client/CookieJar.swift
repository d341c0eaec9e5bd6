import Glibc
import Synchronization

/// The cookies that all connections of a program, or of a database, share.
package final class CookieJar: Sendable {
    private final class Content: Sendable {
        let store: Mutex<CookieStore>
        let onChange: @Sendable ([Cookie]) -> Void

        init(_ store: CookieStore, _ onChange: @escaping @Sendable ([Cookie]) -> Void) {
            self.store = Mutex(store)
            self.onChange = onChange
        }
    }

    private let content: Content
    private let acceptsParentDomains: Bool
    private let clock: @Sendable () -> Int64

    /// `clock` gives the seconds since 1970. `onChange` is called with those to be kept when the program ends, if they are others than before.
    package init(
        _ cookies: [Cookie] = [], acceptsParentDomains: Bool = false, clock: @escaping @Sendable () -> Int64 = { Int64(time(nil)) },
        onChange: @escaping @Sendable ([Cookie]) -> Void = { _ in }
    ) {
        content = Content(CookieStore(cookies), onChange)
        self.acceptsParentDomains = acceptsParentDomains
        self.clock = clock
    }

    private init(_ content: Content, acceptsParentDomains: Bool, clock: @escaping @Sendable () -> Int64) {
        self.content = content
        self.acceptsParentDomains = acceptsParentDomains
        self.clock = clock
    }

    /// The same cookies for connections that accept those of parent domains, or do not.
    package func accepting(parentDomains: Bool) -> CookieJar { CookieJar(content, acceptsParentDomains: parentDomains, clock: clock) }

    /// Those to be kept when the program ends.
    package var persistentCookies: [Cookie] { content.store.withLock { $0.persistent(now: clock()) } }

    func header(for url: PeerURL) -> String? { content.store.withLock { $0.header(for: url, now: clock()) } }

    func add(from headers: HTTPHeaders, of url: PeerURL) {
        let now = clock()
        let changed: [Cookie]? = content.store.withLock { store in
            let before = store.persistent(now: now)
            store.add(from: headers, of: url, now: now, acceptsParentDomains: acceptsParentDomains)
            let after = store.persistent(now: now)
            return after == before ? nil : after
        }
        if let changed { content.onChange(changed) }
    }
}
