import CBLTestSupport
import Testing

@testable import CBLTransport

/// What a client asks, where, and what it makes of the answers, without a connection.
@Suite struct HTTPConversationTests {
    private static let ada = Credentials(user: "ada", password: "secret")

    private func head(_ conversation: HTTPConversation) -> HTTPRequestHead {
        conversation.head(cookies: nil, userAgent: "test", bodyLength: 3, expectsContinue: false, proof: (1, "abc"), time: 1_191_242_096)
    }

    private func redirect(_ status: Int, _ location: String) -> HTTPResponseHead {
        HTTPResponseHead(status: status, headers: ["Location": location])
    }

    @Test(arguments: [
        ("GET", 301, "GET"), ("GET", 303, "GET"), ("GET", 307, "GET"), ("HEAD", 302, "HEAD"), ("HEAD", 303, "HEAD"), ("POST", 301, "GET"),
        ("POST", 302, "GET"), ("POST", 303, "GET"), ("POST", 307, "POST"), ("POST", 308, "POST"), ("PUT", 301, "PUT"), ("PUT", 303, "GET"),
        ("DELETE", 308, "DELETE"),
    ])
    func redirectsKeepOrChangeTheMethod(method: String, status: Int, then: String) throws {
        let hasBody = method == "POST" || method == "PUT"
        let url = try PeerURL("http://host/db/doc?x=1")
        var conversation = HTTPConversation(
            HTTPClientRequest(method, url, headers: ["Content-Type": "text/plain", "X": "y"], body: hasBody ? .bytes([1, 2, 3]) : .none))
        #expect(conversation.step(after: redirect(status, "/other")) == .again)
        let next = head(conversation)
        #expect(next.method == then && next.target == "/other" && next.headers["X"] == "y")
        #expect(conversation.hasBody == (hasBody && then == method))
        #expect((next.headers["Content-Length"] == "3") == conversation.hasBody)
    }

    @Test(arguments: [
        ("/x", "http://host:81/x"), ("x", "http://host:81/db/x"), ("../x?y", "http://host:81/x?y"), ("./x", "http://host:81/db/x"),
        ("?z", "http://host:81/db/doc?z"), ("//other/x", "http://other/x"), ("http://other:82", "http://other:82"),
        ("https://host/x#y", "https://host/x"), ("../../../x", "http://host:81/x"),
    ])
    func placesAreFoundFromWhereOneIs(location: String, url: String) throws {
        #expect(try PeerURL("http://host:81/db/doc?q").redirected(to: location) == PeerURL(url))
    }

    @Test(arguments: ["", "javascript:alert(1)", "ftp://host/", "//", "http://", "a\\b", "http:x"])
    func otherPlacesAreNone(location: String) throws {
        var conversation = HTTPConversation(HTTPClientRequest("GET", try PeerURL("http://host/db/doc")))
        guard case .failed(let error) = conversation.step(after: redirect(302, location)) else {
            Issue.record("followed to \(conversation.url)")
            return
        }
        #expect(error.code == .network(.invalidRedirect))
    }

    @Test(arguments: ["http://host:81/", "http://other/", "https://host/"])
    func secretsStayWithTheServerTheyAreFor(location: String) throws {
        var request = HTTPClientRequest(
            "GET", try PeerURL("http://host/db"),
            headers: ["Cookie": "a=b", "X-Key": "sesame", "Accept": "text/plain", "If-None-Match": "\"1\""])
        request.credentials = Self.ada
        var conversation = HTTPConversation(request)
        #expect(head(conversation).headers["Authorization"] == Self.ada.basic)
        #expect(conversation.step(after: redirect(302, "/elsewhere")) == .again)
        #expect(head(conversation).headers["Authorization"] == Self.ada.basic && conversation.isAtNamedServer)
        #expect(conversation.step(after: redirect(302, location)) == .again)
        let next = head(conversation).headers
        #expect(!next.contains("Authorization") && !next.contains("Cookie") && !next.contains("X-Key"))
        #expect(next["Accept"] == "text/plain" && next["If-None-Match"] == "\"1\"" && !conversation.isAtNamedServer)
        // Nor does a challenge get them.
        let challenge = HTTPResponseHead(status: 401, headers: ["WWW-Authenticate": "Basic realm=x"])
        #expect(conversation.step(after: challenge) == .answered)
        // Not even by way of the server that they were for.
        if !conversation.url.isSecure {
            #expect(conversation.step(after: redirect(302, "http://host/db")) == .again)
            #expect(!head(conversation).headers.contains("Authorization"))
        }
    }

    @Test func aBodyIsForTheServerThatWasNamed() throws {
        let url = try PeerURL("http://host/_session")
        var conversation = HTTPConversation(HTTPClientRequest("POST", url, body: .bytes([1, 2, 3])))
        guard case .failed(let error) = conversation.step(after: redirect(307, "http://other/")) else {
            Issue.record("it was told to another server")
            return
        }
        #expect(error.code == .network(.invalidRedirect) && error.description.contains("http://other"))
        var secure = HTTPConversation(HTTPClientRequest("GET", try PeerURL("https://host/db")))
        guard case .failed(let downgrade) = secure.step(after: redirect(302, "http://host/db")) else {
            Issue.record("without encryption")
            return
        }
        #expect(downgrade.description.contains("nothing is encrypted"))
    }

    @Test func aServerThatSendsInCirclesIsLeft() throws {
        var request = HTTPClientRequest("GET", try PeerURL("http://host/db"))
        request.maximumRedirects = 2
        var conversation = HTTPConversation(request)
        for _ in 0..<2 { #expect(conversation.step(after: redirect(302, "/db")) == .again) }
        guard case .failed(let error) = conversation.step(after: redirect(302, "/db")) else {
            Issue.record("followed")
            return
        }
        #expect(error.code == .network(.tooManyRedirects))
        #expect(conversation.step(after: HTTPResponseHead(status: 302)) == .answered)
    }

    @Test func theHeadersOfTheWayAreOurs() throws {
        let headers: HTTPHeaders = [
            "Host": "evil", "Content-Length": "9", "Transfer-Encoding": "chunked", "Connection": "close", "Accept": "a/b",
        ]
        let conversation = HTTPConversation(
            HTTPClientRequest("PUT", try PeerURL("http://host:81/db"), headers: headers, body: .bytes([1, 2, 3])))
        let head = head(conversation)
        #expect(head.headers["Host"] == "host:81" && head.headers.values("Content-Length") == ["3"] && head.headers["Accept"] == "a/b")
        #expect(!head.headers.contains("Transfer-Encoding") && !head.headers.contains("Connection"))
    }

    @Test func credentialsMayWaitForAChallenge() throws {
        var request = HTTPClientRequest("GET", try PeerURL("http://ada:secret@host/db"))
        request.waitsForChallenge = true
        var conversation = HTTPConversation(request)
        #expect(!head(conversation).headers.contains("Authorization"))
        #expect(conversation.step(after: HTTPResponseHead(status: 401)) == .answered)
        let challenge = HTTPResponseHead(status: 401, headers: ["WWW-Authenticate": "Negotiate, Basic realm=\"a, b\""])
        #expect(conversation.step(after: challenge) == .again)
        #expect(head(conversation).headers["Authorization"] == Self.ada.basic)
        // The password was wrong.
        #expect(conversation.step(after: challenge) == .answered)
        request.headers.add("Authorization", "Bearer x")
        var other = HTTPConversation(request)
        #expect(other.step(after: challenge) == .answered)
        #expect(head(other).headers.values("Authorization") == ["Bearer x"])
    }

    /// The example of RFC 7616, section 3.9.1.
    @Test(arguments: [
        ("MD5", "8ca523f5e9506fed4657c9700eebdbec"), ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
    ])
    func passwordsAreProvedAsInTheStandard(algorithm: String, response: String) throws {
        let challenge = """
            Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=\(algorithm), nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", \
            opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
            """
        let challenges = AuthenticationChallenge.all(in: ["WWW-Authenticate": challenge])
        let digest = try #require(DigestAuthentication.strongest(of: challenges))
        let header = digest.header(
            "GET", "/dir/index.html", Credentials(user: "Mufasa", password: "Circle of Life"), count: 1,
            clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ")
        #expect(header.contains("response=\"\(response)\"") && header.contains("nc=00000001") && header.contains("qop=auth,"))
    }

    /// The example of RFC 2069, with its response as it was corrected.
    @Test func serversOfEarlierDaysGetTheirProof() throws {
        let challenge =
            "Digest realm=\"testrealm@host.com\", nonce=\"dcd98b7102dd2f0e8b11d0f600bfb0c093\", opaque=\"5ccc069c403ebaf9f0171e9517f40e41\""
        let digest = try #require(DigestAuthentication.strongest(of: AuthenticationChallenge.all(in: ["WWW-Authenticate": challenge])))
        let header = digest.header(
            "GET", "/dir/index.html", Credentials(user: "Mufasa", password: "CircleOfLife"), count: 1, clientNonce: "x")
        #expect(header.contains("response=\"1949323746fe6a43ef61f9606e7febea\"") && !header.contains("qop"))
    }

    @Test func theBestChallengeIsTaken() throws {
        let headers: HTTPHeaders = [
            "WWW-Authenticate":
                "Basic realm=x, Digest realm=\"y\", nonce=1, qop=\"auth\", Digest realm=y, nonce=2, algorithm=SHA-256, qop=\"auth\"",
            "www-authenticate": "Digest realm=z, nonce=3, algorithm=unknown",
        ]
        let challenges = AuthenticationChallenge.all(in: headers)
        #expect(challenges.map(\.scheme) == ["basic", "digest", "digest", "digest"])
        let best = try #require(DigestAuthentication.strongest(of: challenges))
        #expect(best == DigestAuthentication(challenges[2]))
        for wrong in ["Digest realm=x", "Digest nonce=x", "Digest realm=x, nonce=y, qop=\"auth-int\"", "Digest", "Digest realm=\"x", ""] {
            #expect(DigestAuthentication.strongest(of: AuthenticationChallenge.all(in: ["WWW-Authenticate": wrong])) == nil)
        }
    }

    @Test func aNonceThatBecameTooOldIsRenewed() throws {
        func challenge(_ nonce: String, _ more: String = "") -> HTTPResponseHead {
            HTTPResponseHead(status: 401, headers: ["WWW-Authenticate": "Digest realm=x, nonce=\(nonce)\(more)"])
        }
        var request = HTTPClientRequest("GET", try PeerURL("http://host/db"))
        request.credentials = Self.ada
        var conversation = HTTPConversation(request)
        #expect(conversation.step(after: challenge("1")) == .again)
        #expect(head(conversation).headers["Authorization"]?.contains("nonce=\"1\"") ?? false)
        #expect(conversation.step(after: challenge("2", ", stale=true")) == .again)
        #expect(conversation.step(after: challenge("3")) == .answered)
        var later = HTTPConversation(request, digest: conversation.digest)
        #expect(head(later).headers["Authorization"]?.contains("nonce=\"2\"") ?? false)
        #expect(later.step(after: challenge("4")) == .again)
        #expect(later.step(after: challenge("5")) == .answered)
    }

    @Test func hostileAnswersEndSomewhere() throws {
        var random = SeededRandom(404)
        let pieces = [
            "Digest ", "Basic ", "realm=\"x\"", "nonce=", "qop=\"auth\"", ",", ";", "\"", "stale=true", "/", "http://h", "..", "?", ":",
            "\\", "é",
        ]
        for _ in 0..<3000 {
            var request = HTTPClientRequest("POST", try PeerURL("http://host/db"), body: random.below(2) == 0 ? .none : .bytes([1]))
            request.credentials = Self.ada
            var conversation = HTTPConversation(request)
            var steps = 0
            while true {
                func text() -> String { (0..<random.below(6)).map { _ in random.element(of: pieces) }.joined() }
                let status = random.element(of: [200, 301, 302, 303, 307, 308, 401, 401])
                let answer = HTTPResponseHead(status: status, headers: ["Location": text(), "WWW-Authenticate": text()])
                guard case .again = conversation.step(after: answer) else { break }
                _ = head(conversation)
                steps += 1
            }
            #expect(steps <= 14)
        }
    }
}
