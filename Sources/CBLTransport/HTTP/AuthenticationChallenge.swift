/// One of the ways in which a server lets itself be told who is there: `Digest realm="x", nonce="…"` (RFC 9110, section 11).
package struct AuthenticationChallenge: Hashable, Sendable {
    /// In lower case.
    package let scheme: String
    package let parameters: HeaderParameters

    /// Several of them may be in one header, and each has commas within it: a word without `=` behind it begins the next one.
    package static func all(in headers: HTTPHeaders, _ name: String = "WWW-Authenticate") -> [AuthenticationChallenge] {
        var challenges: [AuthenticationChallenge] = []
        for value in headers.values(name) {
            var scheme: String?
            var items: [Substring] = []
            func close() {
                guard let scheme, let parameters = HeaderParameters(items.joined(separator: ";")) else { return }
                challenges.append(AuthenticationChallenge(scheme: scheme, parameters: parameters))
            }
            for piece in HeaderParameters.pieces(value, at: UInt8(ascii: ",")) ?? [] {
                let text = Substring(trimmed(piece))
                let word = Substring(text.utf8.prefix { HTTPSyntax.isToken($0) })
                let rest = text.utf8.dropFirst(word.utf8.count).drop(while: HTTPSyntax.isBlank)
                if word.isEmpty || rest.first == UInt8(ascii: "=") {
                    items.append(text)
                } else {
                    close()
                    scheme = lowerCased(word)
                    items = [Substring(rest)]
                }
            }
            close()
        }
        return challenges
    }
}
