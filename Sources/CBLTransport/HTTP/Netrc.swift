/// The names and passwords of `~/.netrc`, which many programs share.
///
///     machine sync.example.com login alice password "two words"
package struct Netrc: Sendable {
    private struct Entry {
        /// Nil for the entry that holds for every host.
        var machine: String?
        var login: String?
        var password: String?
    }

    private var entries: [Entry] = []

    /// Reads the text of such a file. What is not understood is passed over, as other readers do.
    package init(_ text: String) {
        var lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }[...]
        var isMacro = false
        while let line = lines.popFirst() {
            // A macro goes on to the next empty line.
            if isMacro {
                isMacro = !line.allSatisfy(\.isWhitespace)
                continue
            }
            var words = Netrc.words(of: line)[...]
            while let word = words.popFirst() {
                switch word {
                case "machine": entries.append(Entry(machine: words.popFirst().map { lowerCased($0) } ?? ""))
                case "default": entries.append(Entry())
                case "login": set(\.login, words.popFirst())
                case "password": set(\.password, words.popFirst())
                case "account": _ = words.popFirst()
                case "macdef":
                    isMacro = true
                    words = []
                default: break
                }
            }
        }
    }

    private mutating func set(_ field: WritableKeyPath<Entry, String?>, _ value: String?) {
        guard !entries.isEmpty else { return }
        entries[entries.count - 1][keyPath: field] = value
    }

    /// What to say to a host. If a user is named already, only that user's password is looked for.
    package func credentials(for host: String, user: String? = nil) -> Credentials? {
        for entry in entries where entry.machine == nil || entry.machine == lowerCased(host) {
            guard let login = entry.login ?? user, user == nil || user == login, let password = entry.password else { continue }
            return Credentials(user: login, password: password)
        }
        return nil
    }

    private static func words(of line: Substring) -> [String] {
        var words: [String] = []
        var rest = line
        while let first = rest.first {
            if first.isWhitespace {
                rest.removeFirst()
            } else if first == "#" {
                break
            } else if first == "\"" {
                rest.removeFirst()
                var word = ""
                while let character = rest.popFirst(), character != "\"" {
                    guard character == "\\", let escaped = rest.popFirst() else {
                        word.append(character)
                        continue
                    }
                    word.append(escaped == "n" ? "\n" : escaped == "t" ? "\t" : escaped == "r" ? "\r" : escaped)
                }
                words.append(word)
            } else {
                words.append(String(rest.prefix { !$0.isWhitespace }))
                rest = rest.drop { !$0.isWhitespace }
            }
        }
        return words
    }
}
