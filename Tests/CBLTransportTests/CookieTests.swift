import CBLTestSupport
import Testing

@testable import CBLTransport

@Suite struct CookieTests {
    private let now: Int64 = 1_700_000_000

    private func header(_ cookies: [String], from: String, for url: String, parents: Bool = false, later: Int64 = 0) throws -> String? {
        var store = CookieStore()
        var headers = HTTPHeaders()
        for cookie in cookies { headers.add("Set-Cookie", cookie) }
        try store.add(from: headers, of: PeerURL(from), now: now, acceptsParentDomains: parents)
        return try store.header(for: PeerURL(url), now: now + later)
    }

    @Test(arguments: [
        ("a=b", "wss://host/db/_blipsync", "a=b"), ("a=b", "wss://host/db", "a=b"), ("a=b", "wss://host/", nil),
        ("a=b", "wss://host/dbx", nil), ("a=b", "wss://sub.host/db/x", nil), ("a=b; Path=/", "wss://host/other", "a=b"),
        ("a=b; path=relative", "wss://host/db/x", "a=b"), ("a=b; Secure", "ws://host/db/x", nil), ("a=b; secure", "wss://host/db/x", "a=b"),
        ("a=b; Domain=host", "wss://sub.host/db/x", "a=b"), ("a=b; Domain=.HOST", "wss://host/db/x", "a=b"),
        ("a=b; Domain=other", "wss://other/db/x", nil), ("a=b; Domain=st", "wss://host/db/x", nil),
        ("a=b; Domain=", "wss://host/db/x", "a=b"),
        ("a = b c ;x", "wss://host/db/x", "a=b c"), ("=b", "wss://host/db/x", nil), ("ab", "wss://host/db/x", nil),
        ("a b=c", "wss://host/db/x", nil), ("SyncGatewaySession=abc==; Path=/db; HttpOnly", "wss://host/db", "SyncGatewaySession=abc=="),
    ])
    func cookiesGoWhereTheyMay(cookie: String, url: String, expected: String?) throws {
        #expect(try header([cookie], from: "wss://host/db/_blipsync", for: url) == expected)
    }

    @Test func parentDomainsAreAcceptedOnlyOnRequest() throws {
        let cookie = "a=b; Domain=example.com"
        #expect(try header([cookie], from: "wss://sync.example.com/db/x", for: "wss://www.example.com/db/x") == nil)
        #expect(try header([cookie], from: "wss://sync.example.com/db/x", for: "wss://www.example.com/db/x", parents: true) == "a=b")
        #expect(try header(["a=b; Domain=com"], from: "wss://example.com/db/x", for: "wss://example.com/db/x", parents: true) == nil)
        #expect(try header(["a=b; Domain=0.0.1"], from: "wss://127.0.0.1/db/x", for: "wss://127.0.0.1/db/x", parents: true) == nil)
    }

    @Test func aCookieThatNeedsTLSCannotBeSetWithoutIt() throws {
        #expect(try header(["a=b; Secure"], from: "ws://host/db/x", for: "wss://host/db/x") == nil)
    }

    @Test func cookiesExpire() throws {
        let url = "wss://host/db/x"
        #expect(try header(["a=b; Max-Age=60"], from: url, for: url, later: 59) == "a=b")
        #expect(try header(["a=b; Max-Age=60"], from: url, for: url, later: 60) == nil)
        #expect(try header(["a=b", "a=c; Max-Age=0"], from: url, for: url) == nil)
        #expect(try header(["a=b", "a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT"], from: url, for: url) == nil)
        // The maximum age counts, whatever date there is.
        #expect(try header(["a=b; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT"], from: url, for: url) == "a=b")
        #expect(try header(["a=b; Max-Age=9223372036854775807"], from: url, for: url, later: 1 << 40) == "a=b")
        #expect(try header(["a=b; Expires=nonsense"], from: url, for: url) == "a=b")
    }

    @Test func theLongestPathComesFirstAndANewValueReplacesTheOld() throws {
        let cookies = ["a=1; Path=/", "b=2; Path=/db", "a=3; Path=/"]
        #expect(try header(cookies, from: "wss://host/db/x", for: "wss://host/db/x") == "b=2; a=3")
    }

    @Test func onlyCookiesWithADateArePersistent() throws {
        var store = CookieStore()
        let headers: HTTPHeaders = ["Set-Cookie": "a=b", "Set-Cookie": "c=d; Max-Age=5"]
        try store.add(from: headers, of: PeerURL("ws://host/db/x"), now: now)
        #expect(store.persistent(now: now).map(\.name) == ["c"])
        #expect(store.persistent(now: now + 5) == [])
    }

    @Test func aServerCannotFillTheMemory() throws {
        var store = CookieStore()
        for number in 0..<1000 { store.add(Cookie(name: "n\(number)", value: "", domain: "h\(number % 10)"), now: now) }
        #expect(store.cookies.count == CookieStore.maximumCount)
        #expect(store.cookies.last?.name == "n999")
    }

    @Test(
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Wed, 31-Dec-2069 23:59:59 GMT", 3_155_759_999), ("1 Jan 1970 0:0:0", 0),
            ("29 Feb 2024 12:00:00", 1_709_208_000), ("1 Mar 2100 00:00:00", 4_107_542_400), ("1 Jan 1600 0:0:0", nil),
            ("32 Jan 2000 0:0:0", nil),
            ("1 Foo 2000 0:0:0", nil), ("1 Jan 2000 24:00:00", nil), ("1 Jan 2000", nil), ("", nil),
        ] as [(String, Int64?)])
    func datesAreReadInEveryStyle(text: String, seconds: Int64?) { #expect(CookieDate.seconds(text) == seconds) }

    @Test func hostileCookiesNeverCrashTheReader() throws {
        var random = SeededRandom(31)
        let parts = [
            "a=b", ";", "=", "Domain", "=.", "host", "Path", "=/", "/db", "Max-Age", "=-1", "99999999999999999999", "Expires",
            "=1 Jan 99 1:1:1", "ü", " ",
        ]
        let url = try PeerURL("ws://host/db/x")
        repeatWithin(seconds: 0.3) {
            let text = (0..<random.below(14)).map { _ in random.element(of: parts) }.joined()
            var store = CookieStore()
            store.add(from: ["Set-Cookie": text], of: url, now: now)
            if let header = store.header(for: url, now: now) { #expect(HTTPHeaders.isWritable(name: "Cookie", value: header)) }
            _ = CookieDate.seconds(text)
        }
    }
}

@Suite struct NetrcTests {
    private let text = """
        # comment
        machine sync.example.com login alice password secret
        machine other
            login "bob" password "two \\"words\\"" # trailing
        macdef init
        machine not.an.entry login x password y

        machine sync.example.com login carol password third
        machine nologin password only
        default login anonymous password guest
        """

    @Test func entriesAreFound() {
        let netrc = Netrc(text)
        #expect(netrc.credentials(for: "SYNC.example.com") == Credentials(user: "alice", password: "secret"))
        #expect(netrc.credentials(for: "sync.example.com", user: "carol") == Credentials(user: "carol", password: "third"))
        #expect(netrc.credentials(for: "other") == Credentials(user: "bob", password: "two \"words\""))
        #expect(netrc.credentials(for: "not.an.entry") == Credentials(user: "anonymous", password: "guest"))
        #expect(netrc.credentials(for: "nologin", user: "me") == Credentials(user: "me", password: "only"))
        #expect(netrc.credentials(for: "other", user: "somebody") == nil)
    }

    @Test func hostileFilesNeverCrashTheReader() {
        var random = SeededRandom(41)
        for end in text.indices { _ = Netrc(String(text[..<end])).credentials(for: "other") }
        let words = ["machine", "default", "login", "password", "macdef", "account", "\"", "\\", "\n", " ", "#", "x"]
        repeatWithin(seconds: 0.2) {
            _ = Netrc((0..<20).map { _ in random.element(of: words) }.joined(separator: " ")).credentials(for: "x")
        }
    }
}
