import Glibc

/// Passwords and tokens among the words of a command line: `--user NAME:PASSWORD`, `--token`, `--header Authorization: …`, and URLs with a password.
enum SecretWords {
    private static let flags: Set<String> = ["user", "token", "password", "header"]

    /// The words with each byte of a secret replaced: as long as they were. How many bytes a secret has is still to be seen, nothing else.
    static func masked(_ words: [String]) -> [String] {
        var result: [String] = []
        var flag: String?
        for word in words {
            if let name = flag, flags.contains(name) || !word.hasPrefix("-") {
                result.append(maskedValue(word, of: name))
                flag = nil
            } else if word.hasPrefix("-"), let (name, value) = parted(word, "=") {
                result.append(name + "=" + maskedValue(value, of: String(name.drop { $0 == "-" })))
            } else {
                if word.hasPrefix("-") { flag = String(word.drop { $0 == "-" }) }
                result.append(maskedURL(word))
            }
        }
        return result
    }

    /// Whether a word looks as if a secret were in it, though it is no flag's and no URL's: `ada:secret@host`, or `…?token=secret`.
    static func isSuspicious(_ word: String) -> Bool {
        let bytes = word.utf8
        if let at = bytes.firstIndex(of: UInt8(ascii: "@")), let colon = bytes[..<at].firstIndex(of: UInt8(ascii: ":")),
            colon > bytes.startIndex, bytes.index(after: colon) < at, bytes.index(after: at) < bytes.endIndex,
            !bytes[..<at].contains(where: { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "/") })
        {
            return true
        }
        guard let (_, query) = parted(word, "?") else { return false }
        return query.lowercased().split(separator: "&").contains { part in
            let name = part.prefix { $0 != "=" }
            return name.utf8.count < part.utf8.count
                && ["token", "password", "passwd", "secret", "session", "apikey", "api_key"].contains { name.hasSuffix($0) }
        }
    }

    private static func maskedValue(_ value: String, of name: String) -> String {
        // What stands in a flag that was mistyped is a secret all the same; "-u" is that of other programs.
        let flag = name == "u" || name.utf8.count > 1 && "user".hasPrefix(name) ? "user" : name
        switch flag {
        case "user":
            guard let (name, password) = parted(value, ":"), password.utf8.first != UInt8(ascii: "@") else { return value }
            return name + ":" + masked(password)
        case "token": return masked(value)
        // What follows ":@" is the name of a file.
        case "password": return value.hasPrefix(":@") ? value : masked(value)
        case "key": return EncryptionKeyText.isKey(value) ? masked(value) : value
        case "header":
            // Nobody knows which headers a server takes for a secret.
            guard let (name, content) = parted(value, ":") else { return value }
            return name + ":" + masked(content)
        case "proxy" where parted(value, "://") == nil: return String(maskedURL("://" + value).unicodeScalars.dropFirst(3))
        default: return maskedURL(value)
        }
    }

    /// `wss://ada:secret@host` without the secret.
    private static func maskedURL(_ text: String) -> String {
        guard let (scheme, rest) = parted(text, "://") else { return text }
        let authority = rest.unicodeScalars.prefix { $0 != "/" }
        guard let at = authority.lastIndex(of: "@"), let (user, password) = parted(String(authority[..<at]), ":"),
            !authority[..<at].contains(where: \.properties.isWhitespace)
        else { return text }
        return scheme + "://" + user + ":" + masked(password) + String(rest.unicodeScalars[at...])
    }

    /// What stands before and behind a mark. A password may begin with anything, also with what would be one `Character` with the mark.
    private static func parted(_ text: String, _ mark: String) -> (String, String)? {
        let (scalars, mark) = (text.unicodeScalars, mark.unicodeScalars)
        guard let start = scalars.indices.first(where: { scalars[$0...].starts(with: mark) }) else { return nil }
        return (String(scalars[..<start]), String(scalars[start...].dropFirst(mark.count)))
    }

    private static func masked(_ text: String) -> String { String(repeating: "x", count: text.utf8.count) }

    /// Overwrites the secrets among the process's own arguments, so that they are not to be read in `ps` and `/proc`. Nothing helps for the moment
    /// before that.
    static func hide() {
        let arguments = CommandLine.unsafeArgv
        let words = (0..<Int(CommandLine.argc)).map { arguments[$0].map { String(cString: $0) } ?? "" }
        for (index, word) in masked(words).enumerated() where word != words[index] {
            guard let bytes = arguments[index], strlen(bytes) == word.utf8.count else { continue }
            for (offset, byte) in word.utf8.enumerated() { bytes[offset] = CChar(bitPattern: byte) }
        }
    }
}
