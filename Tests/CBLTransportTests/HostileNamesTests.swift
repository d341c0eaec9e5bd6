import Testing

@testable import CBLTransport

/// Hosts, origins and URLs that are not what they look like.
@Suite struct HostileNamesTests {
    @Test(
        arguments: [
            ("localhost", "localhost", nil, false), ("LocalHost:4984", "localhost", 4984, false), ("a.example.", "a.example", nil, false),
            ("127.0.0.1:80", "127.0.0.1", 80, true), ("[::1]:4984", "::1", 4984, true), ("[FE80::1%25eth0]", "fe80::1", nil, true),
            ("host:", "host", nil, false), ("127.0.0.1.", "127.0.0.1", nil, true),
            ("127.0.0.1.evil.example", "127.0.0.1.evil.example", nil, false),
            ("[::ffff:127.0.0.1]", "::ffff:127.0.0.1", nil, true), ("1.2.3", "1.2.3", nil, false), ("a_b", "a_b", nil, false),
        ] as [(String, String, UInt16?, Bool)])
    func aHostIsRead(text: String, name: String, port: UInt16?, isAddress: Bool) throws {
        let host = try #require(RequestHost(text))
        #expect(host.name == name && host.port == port && host.isAddress == isAddress)
    }

    @Test(arguments: [
        "", ".", ":80", "a b", "a/b", "a@b", "a:b", "a:0", "a:65536", "a:80:80", "::1", "[::1", "[]", "[x]", "[::1]x", "[::1]x:80",
        "a\u{301}",
        "a,b", "a\\b", "ä.example", "a:+80", "[127.0.0.1]", "a\0", String(repeating: "a", count: 256),
    ])
    func whatIsNoHostIsNone(text: String) { #expect(RequestHost(text) == nil) }

    @Test(arguments: [
        "", "null", "localhost", "http://", "http:///", "http://a/b", "http://a?b", "http://a@b", "//a", "http:a", "http://a\\b", "://a",
        "http://a http://b", "ht tp://a", "http://a:x",
    ])
    func whatIsNoOriginIsNone(text: String) { #expect(WebOrigin(text) == nil) }

    @Test(
        arguments: [
            ("http://localhost:4984", "localhost:4984", false, true), ("HTTP://LOCALHOST:4984", "localhost:4984", false, true),
            ("ws://localhost:4984", "localhost:4984", false, true), ("http://localhost", "localhost", false, true),
            ("http://localhost:80", "localhost", false, true), ("https://a.example", "a.example:443", true, true),
            ("http://[::1]:4984", "[::1]:4984", false, true),
            ("https://localhost:4984", "localhost:4984", false, false), ("http://localhost:3000", "localhost:4984", false, false),
            ("http://localhost", "localhost:4984", false, false), ("http://localhost:4984", "127.0.0.1:4984", false, false),
            ("http://evil.localhost:4984", "localhost:4984", false, false), ("ftp://localhost:4984", "localhost:4984", false, false),
        ])
    func anOriginIsOfItsOwnHostAlone(origin: String, host: String, isSecure: Bool, isSame: Bool) throws {
        #expect(try #require(WebOrigin(origin)).isOf(#require(RequestHost(host)), isSecure: isSecure) == isSame)
    }

    @Test func aHostsFileSaysWhatThisMachineIsCalled() {
        let text = """
            127.0.0.1\tlocalhost box.lan # comment.example
            # 127.0.0.1 commented
            ::1 ip6-localhost\r
            192.0.2.7 db.corp.example\n203.0.113.9 other.example
            127.0.1.1 bad/name UPPER
            """
        let names = NetworkAddresses.names(inHosts: text, of: ["192.0.2.7"])
        #expect(names == ["localhost", "box.lan", "ip6-localhost", "db.corp.example", "upper"])
        #expect(NetworkAddresses.namesOfThisMachine().contains("localhost"))
    }

    @Test(arguments: [
        ("192.0.2.7", "192.0.2.7"), ("::ffff:192.0.2.7", "192.0.2.7"), ("2001:db8:1:2::3", "20010db800010002"),
        ("2001:db8:1:2:ffff::9%eth0", "20010db800010002"), ("somebody", "somebody"),
    ])
    func onesAddressesAreCountedTogether(address: String, network: String) { #expect(NetworkAddresses.network(of: address) == network) }

    /// Others read a backslash as a slash, and find another host in it.
    @Test(arguments: ["ws://good.example\\@evil.example/db", "ws://a:b\\c@host/db", "ws://good.example\\db"])
    func aURLNamesOneHost(text: String) { #expect(throws: TransportError.self) { try PeerURL(text) } }

    /// Nor does an accent hide where a password ends.
    @Test(arguments: [
        "ws://ada:sesame@\u{301}host/db", "ws://ada:sesame@host:1@\u{301}", "ws://ada:sesame@a b/\u{301}db", "ws://ada:sesame@h\\/",
    ])
    func aPasswordIsNotShown(text: String) {
        let error = #expect(throws: TransportError.self) { try PeerURL(text) }
        #expect(error?.description.contains("sesame") == false, "\(error?.description ?? "")")
    }

    @Test(arguments: ["ws://h\r\nX: y/db", "ws://h/db\r\nX: y", "ws://h/db?a\r\nX:%20y", "ws://h/\u{0}db", "ws://u:p\r\nX: y@h/db"])
    func aURLCannotWriteHeaders(text: String) throws {
        guard let url = try? PeerURL(text) else { return }
        var handshake = ClientHandshake(HandshakeRequest(url: url, protocols: ["x"]))
        let bytes = handshake.request(key: ClientHandshakeTests.key, cookies: nil)
        let head = try bytes.withUnsafeBytes { try HTTPRequestHead($0) }
        #expect(head.headers["X"] == nil && head.headers.fields.count <= 8)
    }

    @Test(arguments: [
        ("GET http://localhost:1/db HTTP/1.1", "localhost:1", true), ("GET http://evil.example/db HTTP/1.1", "localhost", false),
        ("GET http://localhost@evil.example/db HTTP/1.1", "localhost", false), ("GET /db HTTP/1.1", "a b", false),
        ("GET /db HTTP/1.1", "", false),
    ])
    func aRequestIsForOneHost(first: String, host: String, isRead: Bool) throws {
        let head = try request(first, "Host: \(host)")
        if isRead {
            #expect(try PeerRequest(head).http.path == ["db"])
        } else {
            #expect(throws: HTTPAnswer.self) { try PeerRequest(head) }
        }
    }

    @Test func aPasswordMayBeginWithAnAccent() {
        let value = Credentials(user: "ada", password: "\u{301}x").basic
        #expect(Credentials(basic: value)?.password.unicodeScalars.elementsEqual("\u{301}x".unicodeScalars) == true)
    }
}
