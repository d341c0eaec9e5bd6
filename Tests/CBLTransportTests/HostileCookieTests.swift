import Testing

@testable import CBLTransport

/// Servers that set cookies which are not theirs, or too many of them.
@Suite struct HostileCookieTests {
    private func headers(_ cookies: [String]) -> HTTPHeaders {
        var headers = HTTPHeaders()
        for cookie in cookies { headers.add("Set-Cookie", cookie) }
        return headers
    }

    @Test func oneServerDoesNotFillTheStore() throws {
        let (good, bad) = (try PeerURL("wss://good.example/db"), try PeerURL("wss://bad.example/db"))
        var store = CookieStore()
        store.add(from: headers(["session=1"]), of: good, now: 0)
        for number in 0..<1000 { store.add(from: headers(["c\(number)=\(String(repeating: "x", count: 4000))"]), of: bad, now: 0) }
        #expect(store.header(for: good, now: 0) == "session=1")
        #expect(store.cookies.count == 1 + CookieStore.maximumCountPerDomain)
        // The next request can still be sent.
        #expect(try #require(store.header(for: bad, now: 0)).utf8.count <= CookieStore.maximumHeaderLength)
        store.add(from: headers(["large=\(String(repeating: "x", count: 5000))"]), of: good, now: 0)
        #expect(store.header(for: good, now: 0) == "session=1")
    }

    @Test func whatCameEncryptedIsNotReplacedByWhatDidNot() throws {
        var store = CookieStore()
        store.add(from: headers(["session=true; Secure"]), of: try PeerURL("wss://host/db"), now: 0)
        for forged in ["session=forged", "session=forged; Max-Age=0", "session=forged; Path=/"] {
            store.add(from: headers([forged]), of: try PeerURL("ws://host/db"), now: 0)
        }
        #expect(store.header(for: try PeerURL("wss://host/db"), now: 0) == "session=true")
        #expect(store.header(for: try PeerURL("ws://host/db"), now: 0) == nil)
    }

    /// By letters, a semicolon with an accent behind it is another letter.
    @Test func anAttributeDoesNotHideBehindAnAccent() throws {
        let cookie = Cookie(setCookie: "a=b;\u{301} x; Path=/p", from: try PeerURL("wss://host/db"), now: 0)
        #expect(cookie?.value == "b" && cookie?.path == "/p")
        #expect(Cookie(setCookie: "a=\u{301}b", from: try PeerURL("wss://host/db"), now: 0)?.name == "a")
    }
}
