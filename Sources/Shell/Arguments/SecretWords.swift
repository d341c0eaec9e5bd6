import Glibc

/// Passwords and tokens among the words of a command line: `--user NAME:PASSWORD`, `--token`, `--header Authorization: …`, and URLs with a password.
enum SecretWords {
    private static let flags: Set<Substring> = ["user", "token", "password", "header"]

    /// The words with each byte of a secret replaced: as long as they were. How many bytes a secret has is still to be seen, nothing else.
    static func masked(_ words: [String]) -> [String] {
        var result: [String] = []
        var flag: Substring?
        for word in words {
            if let name = flag, flags.contains(name) || !word.hasPrefix("-") {
                result.append(maskedValue(word, of: name))
                flag = nil
            } else if word.hasPrefix("-"), let equals = word.firstIndex(of: "=") {
                let name = word[..<equals].drop { $0 == "-" }
                result.append(word[...equals] + maskedValue(String(word[word.index(after: equals)...]), of: name))
            } else {
                if word.hasPrefix("-") { flag = word.drop { $0 == "-" } }
                result.append(maskedURL(word))
            }
        }
        return result
    }

    private static func maskedValue(_ value: String, of flag: Substring) -> String {
        switch flag {
        case "user":
            guard let colon = value.firstIndex(of: ":"), !value[colon...].hasPrefix(":@") else { return value }
            return masked(value, from: value.index(after: colon))
        case "token", "password": return masked(value, from: value.startIndex)
        case "header":
            // Nobody knows which headers a server takes for a secret.
            guard let colon = value.firstIndex(of: ":") else { return value }
            return masked(value, from: value.index(after: colon))
        case "proxy" where !value.contains("://"): return String(maskedURL("://" + value).dropFirst(3))
        default: return maskedURL(value)
        }
    }

    /// `wss://ada:secret@host` without the secret.
    private static func maskedURL(_ text: String) -> String {
        guard let start = text.firstRange(of: "://")?.upperBound, let at = text[start...].prefix(while: { $0 != "/" }).lastIndex(of: "@"),
            let colon = text[start..<at].firstIndex(of: ":"), !text[start..<at].contains(where: \.isWhitespace)
        else { return text }
        return masked(text, from: text.index(after: colon), to: at)
    }

    private static func masked(_ text: String, from start: String.Index, to end: String.Index? = nil) -> String {
        let end = end ?? text.endIndex
        return text[..<start] + String(repeating: "x", count: text[start..<end].utf8.count) + text[end...]
    }

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
