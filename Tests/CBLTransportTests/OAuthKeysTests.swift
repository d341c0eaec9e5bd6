import CBLBase
import Testing

@testable import CBLTransport

/// Signatures of requests, as OAuth 1.0a has them.
@Suite struct OAuthKeysTests {
    private static let keys = OAuthKeys(
        consumerKey: "dpf43f3p2l4k3l03", consumerSecret: "kd94hf93k423kf44", token: "nnch734d00sl2jdk", tokenSecret: "pfkkdhi9sl3r4s00")
    private static let moment = OAuthKeys.Moment(seconds: 1_191_242_096, nonce: "kllo9940pd9333jh")

    private func signature(
        _ method: String, _ url: String, form: [(name: String, value: String)] = [], _ keys: OAuthKeys = keys
    ) throws -> String {
        let header = keys.header(method, try PeerURL(url), form: form, OAuthKeysTests.moment)
        let rest = try #require(header.split(separator: "oauth_signature=\"").last)
        return try #require(PercentEncoding.decode(rest.prefix { $0 != "\"" }))
    }

    /// The first is the example of the protocol's own text.
    @Test(arguments: [
        ("http://photos.example.net/photos?file=vacation.jpg&size=original", "tR3+Ty81lMeYAr/Fid0kMTYa/WM="),
        ("http://photos.example.net:80/photos?size=original&file=vacation.jpg", "tR3+Ty81lMeYAr/Fid0kMTYa/WM="),
        ("http://PHOTOS.example.net/photos?file=vacation.jpg&size=original", "tR3+Ty81lMeYAr/Fid0kMTYa/WM="),
        ("http://sync.example.com:4984/db/_local/abc", "D+Lzbwg5ylLnWGS5362NsoLDR2A="),
    ])
    func aRequestIsSigned(url: String, expected: String) throws { #expect(try signature("GET", url) == expected) }

    @Test func everythingCounts() throws {
        let url = "http://host/a%20b?x=%26&y=1"
        var other = OAuthKeysTests.keys
        other.tokenSecret = "another"
        let all = try [
            signature("GET", url), signature("POST", url), signature("GET", url + "&y=1"), signature("GET", "http://host/a+b?x=%26&y=1"),
            signature("GET", "http://host/a%20b?x=%26y&1"), signature("GET", url, form: [("z", "")]), signature("GET", url, other),
        ]
        #expect(Set(all).count == all.count)
        #expect(try signature("GET", url, form: [("z", "2")]) == signature("GET", url + "&z=2"))
    }

    @Test func theHeaderNamesWhatIsNeeded() throws {
        let header = OAuthKeysTests.keys.header("GET", try PeerURL("http://host/db"), OAuthKeysTests.moment)
        #expect(header.hasPrefix("OAuth realm=\"\", oauth_consumer_key=\"dpf43f3p2l4k3l03\", oauth_token=\"nnch734d00sl2jdk\""))
        for part in [
            "oauth_signature_method=\"HMAC-SHA1\"", "oauth_timestamp=\"1191242096\"", "oauth_nonce=\"kllo9940pd9333jh\"",
            "oauth_version=\"1.0\"",
        ] {
            #expect(header.contains(part))
        }
        #expect(!header.contains("pfkkdhi9sl3r4s00"))
    }

    @Test func theSecretsAloneAreForTLS() throws {
        var keys = OAuthKeysTests.keys
        keys.method = .plain
        keys.consumerSecret = "a&\"b"
        #expect(try signature("GET", "https://host/db", keys) == "a%26%22b&pfkkdhi9sl3r4s00")
    }

    /// Where a redirect leads to another server, that one gets no signature.
    @Test func anotherServerGetsNone() throws {
        var request = HTTPClientRequest("GET", try PeerURL("http://host/db"))
        request.signature = OAuthKeysTests.keys
        var conversation = HTTPConversation(request)
        func head() -> HTTPRequestHead {
            conversation.head(cookies: nil, userAgent: "t", bodyLength: nil, expectsContinue: false, proof: (1, "n"), time: 7)
        }
        #expect(head().headers["Authorization"]?.contains("oauth_timestamp=\"7\"") == true)
        #expect(conversation.step(after: HTTPResponseHead(status: 302, headers: ["Location": "/other"])) == .again)
        #expect(head().headers["Authorization"] != nil)
        #expect(conversation.step(after: HTTPResponseHead(status: 302, headers: ["Location": "http://evil/db"])) == .again)
        #expect(head().headers["Authorization"] == nil)
    }
}
