import CBLBase

/// With what the requests of a client are signed for a user, as OAuth 1.0a has it (RFC 5849).
///
///     keys.header("GET", url, form: [], moment: .now)     // the value of `Authorization`
package struct OAuthKeys: Hashable, Sendable {
    package enum Method: String, Sendable {
        case hmac = "HMAC-SHA1"
        /// The secrets themselves: for connections with TLS.
        case plain = "PLAINTEXT"
    }

    /// When, and by what no other request is called.
    package struct Moment: Hashable, Sendable {
        package var seconds: Int64
        package var nonce: String

        package init(seconds: Int64, nonce: String) {
            self.seconds = seconds
            self.nonce = nonce
        }
    }

    package var consumerKey: String
    package var consumerSecret: String
    package var token: String
    package var tokenSecret: String
    package var method = Method.hmac

    package init(consumerKey: String, consumerSecret: String, token: String, tokenSecret: String, method: Method = .hmac) {
        self.consumerKey = consumerKey
        self.consumerSecret = consumerSecret
        self.token = token
        self.tokenSecret = tokenSecret
        self.method = method
    }

    /// The value of the header that proves who asks. `form` is what a body of a form's type says.
    package func header(_ verb: String, _ url: PeerURL, form: [(name: String, value: String)] = [], _ moment: Moment) -> String {
        let own = [
            ("oauth_consumer_key", consumerKey), ("oauth_token", token), ("oauth_signature_method", method.rawValue),
            ("oauth_timestamp", String(moment.seconds)), ("oauth_nonce", moment.nonce), ("oauth_version", "1.0"),
        ]
        let signature =
            switch method {
            case .plain: key
            case .hmac:
                code(of: base(verb, url, (HTTPQuery(encoded: url.query ?? "")?.items ?? []).map { ($0.name, $0.value) } + form + own))
            }
        let members = own + [("oauth_signature", signature)]
        return "OAuth realm=\"\", " + members.map { "\($0)=\"\(PercentEncoding.unreserved($1))\"" }.joined(separator: ", ")
    }

    private var key: String { PercentEncoding.unreserved(consumerSecret) + "&" + PercentEncoding.unreserved(tokenSecret) }

    private func base(_ verb: String, _ url: PeerURL, _ parameters: [(String, String)]) -> String {
        var place = url
        place.query = nil
        if place.path.isEmpty { place.path = "/" }
        // By bytes, as they stand in the text.
        let sorted = parameters.map { (PercentEncoding.unreserved($0), PercentEncoding.unreserved($1)) }.sorted { a, b in
            a.0 == b.0 ? a.1.utf8.lexicographicallyPrecedes(b.1.utf8) : a.0.utf8.lexicographicallyPrecedes(b.0.utf8)
        }
        let text = sorted.map { "\($0)=\($1)" }.joined(separator: "&")
        return [verb, place.webDescription, text].map { PercentEncoding.unreserved($0) }.joined(separator: "&")
    }

    private func code(of text: String) -> String {
        var hmac = Array(key.utf8).withUnsafeBytes { HMACSHA1(key: $0) }
        Array(text.utf8).withUnsafeBytes { hmac.update($0) }
        return hmac.finish().withUnsafeBytes { Base64.text(of: $0) }
    }
}
