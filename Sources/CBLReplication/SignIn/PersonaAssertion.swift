import CBLBase
import CBLFleece
import CBLTransport

/// What a server of Persona says of somebody, for a server: parts in Base64 with points between them, of which two are of interest here. Whether it
/// is true is for the other server to find out.
package struct PersonaAssertion: Sendable, Hashable {
    package let text: String
    package let email: String
    /// For whom it is meant.
    package let origin: String
    /// In milliseconds since 1970.
    package let expires: Int64

    /// Nil if the text is none.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        func part(_ place: Int) -> FleeceData? {
            let standard = parts[place].utf8.map {
                $0 == UInt8(ascii: "-") ? UInt8(ascii: "+") : $0 == UInt8(ascii: "_") ? UInt8(ascii: "/") : $0
            }
            let padded = standard + [UInt8](repeating: UInt8(ascii: "="), count: (4 - standard.count % 4) % 4)
            guard let json = Base64.bytes(of: padded) else { return nil }
            let encoder = FleeceEncoder()
            guard (try? json.withUnsafeBytes({ try JSONParser.parse($0, into: encoder) })) != nil else { return nil }
            return try? encoder.finish()
        }
        guard parts.count >= 4, let who = part(1), let whom = part(3) else { return nil }
        let email = who.withRoot {
            $0.dictionary?.value(forKey: "principal", nil)?.dictionary?.value(forKey: "email", nil)?.string
        }
        let (origin, expires) = whom.withRoot {
            ($0.dictionary?.value(forKey: "aud", nil)?.string, $0.dictionary?.value(forKey: "exp", nil)?.integer)
        }
        guard let email, let origin, let expires else { return nil }
        self.text = text
        self.email = email
        self.origin = origin
        self.expires = expires
    }

    /// Whether it is of use with a server at that time, in milliseconds since 1970.
    package func isValid(for url: PeerURL, at time: Int64) -> Bool {
        guard let origin = try? PeerURL(origin) else { return false }
        return expires > time && origin.isSameOrigin(as: url)
    }
}
