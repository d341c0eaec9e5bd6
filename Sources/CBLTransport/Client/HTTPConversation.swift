import CBLBase

/// A request and what comes of it, as a value: what to send where, and what the answer means. It follows redirects, and answers challenges.
///
///     var conversation = HTTPConversation(request)
///     send(conversation.head(…), to: conversation.url)
///     switch conversation.step(after: head) { … }
struct HTTPConversation {
    enum Step: Equatable {
        /// It is the answer.
        case answered
        /// A request is to be sent again: to another URL, or with a proof of who is there.
        case again
        case failed(TransportError)
    }

    /// Those that mean nothing but to the server that they are for, or could be secrets, stay behind when it sends elsewhere.
    private static let harmlessHeaders: Set<String> = [
        "accept", "accept-language", "accept-charset", "content-type", "content-encoding", "content-disposition", "if-match",
        "if-none-match",
        "if-modified-since", "if-unmodified-since", "if-range", "range", "user-agent", "x-couch-full-commit",
    ]
    /// Which of these there are depends on the way, and not on what is asked.
    private static let ownHeaders: Set<String> = [
        "host", "connection", "content-length", "transfer-encoding", "expect", "keep-alive", "te", "trailer", "upgrade", "proxy-connection",
        "proxy-authorization",
    ]

    private(set) var url: PeerURL
    private(set) var method: String
    private(set) var hasBody: Bool
    private let wanted: HTTPClientRequest
    private var headers: HTTPHeaders
    private var credentials: Credentials?
    private var signature: OAuthKeys?
    private var sendsBasic: Bool
    private(set) var digest: DigestAuthentication?
    private var redirects = 0
    private var proofs = 0

    /// With a nonce that the server has given already, if it is known.
    init(_ wanted: HTTPClientRequest, digest: DigestAuthentication? = nil) {
        self.wanted = wanted
        url = wanted.url
        method = wanted.method
        headers = wanted.headers
        if case .none = wanted.body { hasBody = false } else { hasBody = true }
        // Who brings a header along wants no other one.
        credentials = wanted.headers.contains("Authorization") ? nil : wanted.credentials
        signature = wanted.signature
        self.digest = credentials == nil ? nil : digest
        sendsBasic = !wanted.waitsForChallenge && digest == nil
    }

    /// Whether the server is the one that was named: only that is shown a certificate.
    var isAtNamedServer: Bool { url.isSameOrigin(as: wanted.url) }

    /// What stands at the head of the request. `proof` has how many there were with this nonce of the server's, and one that was never used before;
    /// `time` is in seconds since 1970.
    func head(
        cookies: String?, userAgent: String, bodyLength: Int?, expectsContinue: Bool, proof: (count: Int, clientNonce: String), time: Int64
    ) -> HTTPRequestHead {
        var head = HTTPRequestHead(method: method, target: url.target, headers: ["Host": url.hostHeader])
        for field in headers.fields where !HTTPConversation.ownHeaders.contains(lowerCased(field.name)) {
            if !isSameASCII(field.name, "Cookie") { head.headers.add(field.name, field.value) }
        }
        if !head.headers.contains("User-Agent") { head.headers.add("User-Agent", userAgent) }
        if !head.headers.contains("Accept") { head.headers.add("Accept", "*/*") }
        if wanted.unpacksAnswer, !head.headers.contains("Accept-Encoding"), !head.headers.contains("Range") {
            head.headers.add("Accept-Encoding", "gzip, deflate")
        }
        if let credentials { addAuthorization(credentials, proof, to: &head) }
        if let signature, !head.headers.contains("Authorization") {
            let moment = OAuthKeys.Moment(seconds: time, nonce: proof.clientNonce)
            head.headers.add("Authorization", signature.header(method, url, moment))
        }
        let allCookies = (headers.values("Cookie") + (cookies.map { [$0] } ?? [])).joined(separator: "; ")
        if !allCookies.isEmpty { head.headers.add("Cookie", allCookies) }
        if hasBody {
            if let bodyLength {
                head.headers.add("Content-Length", String(bodyLength))
            } else {
                head.headers.add("Transfer-Encoding", "chunked")
            }
            if expectsContinue { head.headers.add("Expect", "100-continue") }
        } else if method == "POST" || method == "PUT" {
            // Some servers wait for a body otherwise.
            head.headers.add("Content-Length", "0")
        }
        return head
    }

    private func addAuthorization(
        _ credentials: Credentials, _ proof: (count: Int, clientNonce: String), to head: inout HTTPRequestHead
    ) {
        if let value = digest?.header(method, url.target, credentials, count: proof.count, clientNonce: proof.clientNonce) {
            head.headers.add("Authorization", value)
        } else if sendsBasic {
            head.headers.add("Authorization", credentials.basic)
        }
    }

    mutating func step(after head: HTTPResponseHead) -> Step {
        switch head.status {
        case 301, 302, 303, 307, 308: redirected(head)
        case 401: challenged(head.headers) ? .again : .answered
        default: .answered
        }
    }

    // Whether there is something to prove, and it was not proved yet.
    private mutating func challenged(_ answer: HTTPHeaders) -> Bool {
        guard credentials != nil, proofs < 3 else { return false }
        let challenges = AuthenticationChallenge.all(in: answer)
        if let offered = DigestAuthentication.strongest(of: challenges) {
            // One of an earlier request may have become too old.
            guard digest == nil || offered.isStale || proofs == 0 else { return false }
            (digest, sendsBasic) = (offered, false)
        } else {
            guard !sendsBasic, digest == nil, challenges.contains(where: { $0.scheme == "basic" }) else { return false }
            sendsBasic = true
        }
        proofs += 1
        return true
    }

    private mutating func redirected(_ head: HTTPResponseHead) -> Step {
        // Without a place to go to, it is an answer like others.
        guard let location = head.headers["Location"] else { return .answered }
        guard redirects < wanted.maximumRedirects else {
            return .failed(.tooManyRedirects(from: wanted.url.webDescription, most: wanted.maximumRedirects))
        }
        redirects += 1
        guard var next = url.redirected(to: location) else { return .failed(.invalidRedirect(from: url.webDescription, to: location)) }
        guard next.isSecure || !url.isSecure else { return .failed(.downgrade(from: url.webDescription, to: next.webDescription)) }
        // Those that the server names are its own idea.
        next.credentials = nil
        changeMethod(head.status)
        if !url.isSameOrigin(as: next) {
            // A body may be a secret as well.
            guard !hasBody else { return .failed(.bodyForAnother(from: url.webDescription, to: next.webDescription)) }
            leaveSecrets()
        }
        url = next
        return .again
    }

    // As browsers do: after 303, and where people wrote 302 and meant that, the answer is elsewhere, and is only read.
    private mutating func changeMethod(_ status: Int) {
        guard status == 303 && method != "HEAD" || (status == 301 || status == 302) && method == "POST" else { return }
        method = "GET"
        hasBody = false
        for name in ["Content-Type", "Content-Encoding", "Content-Disposition"] { headers.remove(name) }
    }

    private mutating func leaveSecrets() {
        credentials = nil
        digest = nil
        signature = nil
        var left = HTTPHeaders()
        for field in headers.fields where HTTPConversation.harmlessHeaders.contains(lowerCased(field.name)) {
            left.add(field.name, field.value)
        }
        headers = left
    }
}

extension TransportError {
    static func tooManyRedirects(from url: String, most: Int) -> TransportError {
        TransportError(
            .network(.tooManyRedirects), "\(url): the server sends from one place to another, more than \(most) times",
            advice: "Check the URL, and the configuration of the server")
    }

    static func invalidRedirect(from url: String, to location: String?) -> TransportError {
        TransportError(
            .network(.invalidRedirect),
            location.map { "\(url): the server sends elsewhere, to \"\(ForeignText.line($0))\", which is no place" }
                ?? "\(url): the server sends elsewhere, but does not say where")
    }

    /// The server wants that what was meant for it is told to somebody else.
    fileprivate static func bodyForAnother(from url: String, to next: String) -> TransportError {
        TransportError(
            .network(.invalidRedirect), "\(url): the server sends elsewhere, to \(next), with what was to be told to itself",
            advice: "Name that URL if it is meant")
    }
}
