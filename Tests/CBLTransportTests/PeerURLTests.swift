import CBLTestSupport
import Testing

@testable import CBLTransport

@Suite struct PeerURLTests {
    @Test(arguments: [
        ("ws://localhost/db", "ws://localhost/db", "localhost", 80),
        ("wss://Sync.Example.com:4984/db/", "wss://sync.example.com:4984/db/", "sync.example.com", 4984),
        ("https://h", "wss://h", "h", 443), ("http://h:443/x", "ws://h:443/x", "h", 443), ("blip://h/d", "ws://h/d", "h", 80),
        ("BLIPS://h/d", "wss://h/d", "h", 443), ("ws://[::1]:4984/db", "ws://[::1]:4984/db", "::1", 4984),
        ("wss://[FE80::1]/db", "wss://[fe80::1]/db", "fe80::1", 443), ("ws://h:/d", "ws://h/d", "h", 80),
        ("ws://h/a b/ü?q=ä#fragment", "ws://h/a%20b/%C3%BC?q=%C3%A4", "h", 80),
        ("ws://127.0.0.1:1/d", "ws://127.0.0.1:1/d", "127.0.0.1", 1),
    ])
    func urlsAreRead(text: String, shown: String, host: String, port: UInt16) throws {
        let url = try PeerURL(text)
        #expect(url.description == shown)
        #expect(url.host == host)
        #expect(url.port == port)
    }

    @Test func userAndPasswordAreTakenOutOfTheURL() throws {
        let url = try PeerURL("wss://al%40ice:p%3Ass:word@host/db")
        #expect(url.credentials == Credentials(user: "al@ice", password: "p:ss:word"))
        #expect(url.description == "wss://host/db")
    }

    @Test(arguments: [
        "", "db", "host/db", "://host", "ftp://host/db", "ws://", "ws:///db", "ws://host:0/db", "ws://host:65536/db", "ws://host:+1/db",
        "ws://host:8x/db", "ws://::1/db", "ws://[::1/db", "ws://[::1]x/db", "ws://[zz]/db", "ws://ho st/db", "ws://hö/db", "ws://a%@h/db",
        "ws://h\r\nX: y/db",
    ])
    func otherTextsAreRefusedWithAReason(text: String) {
        let error = #expect(throws: TransportError.self) { try PeerURL(text) }
        #expect(error?.code == .network(.invalidURL))
    }

    @Test func anErrorDoesNotTellThePassword() {
        let error = #expect(throws: TransportError.self) { try PeerURL("wss://alice:secret@host:99999/db") }
        #expect(error?.description.contains("secret") == false)
        #expect(error?.description.contains("host:99999") == true)
    }

    @Test func theEndpointStandsBehindTheDatabase() throws {
        #expect(try PeerURL("wss://h/db/").appending("_blipsync").description == "wss://h/db/_blipsync")
        #expect(try PeerURL("wss://h").appending("my db").appending("_blipsync").target == "/my%20db/_blipsync")
        #expect(try PeerURL("ws://h/").target == "/")
    }

    @Test func hostileURLsNeverCrashTheReader() {
        var random = SeededRandom(6)
        let parts = ["ws", "wss", ":", "//", "/", "@", "[", "]", "::1", "host", "%", "%41", "?", "#", "80", "99999", "ü", " ", "\0"]
        repeatWithin(seconds: 0.3) {
            let text = (0..<random.below(12)).map { _ in random.element(of: parts) }.joined()
            for text in [text, "ws://" + text] {
                guard let url = try? PeerURL(text) else { continue }
                let again = try? PeerURL(url.description)
                #expect(again?.description == url.description)
                _ = url.redirected(to: text)
            }
        }
    }
}

@Suite struct ProxyTests {
    @Test func proxiesAreReadWithAndWithoutScheme() throws {
        #expect(try Proxy("proxy:3128") == Proxy(host: "proxy", port: 3128))
        #expect(
            try Proxy("https://me:pw@proxy:3129/")
                == Proxy(isSecure: true, host: "proxy", port: 3129, credentials: Credentials(user: "me", password: "pw")))
        #expect(throws: TransportError.self) { try Proxy("http://proxy/path") }
    }

    @Test func theEnvironmentNamesTheProxy() throws {
        let variables = ["https_proxy": "http://s:1", "http_proxy": "http://p:2", "no_proxy": "localhost, .inner.example,[::1]"]
        func proxy(_ url: String, _ variables: [String: String]) throws -> String? {
            try Proxy.fromEnvironment(variables, for: PeerURL(url))?.description
        }
        #expect(try proxy("wss://h/db", variables) == "http://s:1")
        #expect(try proxy("ws://h/db", variables) == "http://p:2")
        #expect(try proxy("ws://localhost/db", variables) == nil)
        #expect(try proxy("wss://a.inner.example/db", variables) == nil)
        #expect(try proxy("wss://inner.example/db", variables) == nil)
        #expect(try proxy("wss://notinner.example/db", variables) == "http://s:1")
        #expect(try proxy("ws://[::1]/db", variables) == nil)
        #expect(try proxy("ws://h/db", ["HTTP_PROXY": "http://p:2"]) == nil)
        #expect(try proxy("ws://h/db", ["all_proxy": "p:2"]) == "http://p:2")
        #expect(try proxy("ws://h/db", ["all_proxy": "p:2", "no_proxy": "*"]) == nil)
    }
}
