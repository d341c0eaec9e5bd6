import CBLBase
import CBLLanguage

/// Walks over the words of a command line and tells flags from values.
struct WordScanner {
    enum Item {
        case flag(Flag, String?)
        case value(String)
    }

    /// The words not looked at yet.
    private(set) var rest: ArraySlice<String>
    private let flags: [Flag]
    /// The command, for messages. Nil before the command.
    private let owner: Usage?
    /// A word that begins with a dash may have been meant as the ID of a document: many do.
    var takesDocuments = false
    private var flagsHaveEnded = false
    /// Short flags still to come of a word like `-lv`, and the word.
    private var combined: Substring = ""
    private var combinedWord = ""

    init(words: ArraySlice<String>, flags: [Flag], owner: Usage?) {
        self.rest = words
        self.flags = flags
        self.owner = owner
    }

    mutating func next() throws(CommandError) -> Item? {
        if !combined.isEmpty { return try nextCombined() }
        guard let word = rest.popFirst() else { return nil }
        guard !flagsHaveEnded, word.utf8.first == UInt8(ascii: "-"), word.utf8.count > 1 else { return .value(word) }
        if word == "--" {
            flagsHaveEnded = true
            return try next()
        }
        if word.hasPrefix("--") { return try long(word.dropFirst(2), spelling: word) }
        if let item = try longWithOneDash(word) { return item }
        if isNumber(word) { return .value(word) }
        combined = word.dropFirst()
        combinedWord = word
        return try nextCombined()
    }

    private func flag(long name: Substring) -> Flag? {
        flags.first { $0.name == name } ?? flags.first { flag in flag.aliases.contains { $0 == name } }
    }

    private mutating func long(_ body: Substring, spelling: String) throws(CommandError) -> Item {
        let (name, value) = WordScanner.split(body)
        guard let flag = flag(long: name) else { throw unknown(spelling, name) }
        return try finish(flag, value, spelled: spelling.hasPrefix("--") ? "--\(name)" : "-\(name)")
    }

    private mutating func longWithOneDash(_ word: String) throws(CommandError) -> Item? {
        let (name, _) = WordScanner.split(word.dropFirst())
        guard name.count > 1, flag(long: name) != nil else { return nil }
        return try long(word.dropFirst(), spelling: word)
    }

    private mutating func nextCombined() throws(CommandError) -> Item {
        let letter = combined.removeFirst()
        guard let flag = flags.first(where: { $0.short == letter }) else {
            // If not even the first letter is known, a long name was probably meant.
            if combinedWord.dropFirst().dropFirst().elementsEqual(combined) || suggestion(combinedWord.dropFirst()) != nil {
                throw unknown(combinedWord, combinedWord.dropFirst())
            }
            throw error("unknown flag -\(letter) in \(combinedWord).\(documentHint(combinedWord))")
        }
        if flag.needsValue {
            // "-C name", "-Cname" and "-C=name" alike.
            var value: Substring? = combined.isEmpty ? nil : combined
            if value?.first == "=" { value = value?.dropFirst() }
            combined = ""
            return try finish(flag, value, spelled: "-\(letter)")
        }
        if combined.first == "=" {
            let value = combined.dropFirst()
            combined = ""
            return try finish(flag, value, spelled: "-\(letter)")
        }
        return .flag(flag, nil)
    }

    private mutating func finish(_ flag: Flag, _ value: Substring?, spelled: String) throws(CommandError) -> Item {
        guard let kind = flag.valueKind else {
            if value != nil { throw error("\(spelled) takes no value") }
            return .flag(flag, nil)
        }
        guard let text = value.map(String.init) ?? (flag.needsValue ? rest.popFirst() : nil) else {
            if flag.needsValue { throw error("\(spelled) needs a value") }
            return .flag(flag, nil)
        }
        try ArgumentParser.check(text, kind, of: spelled, title: owner?.title, hint: hint)
        return .flag(flag, text)
    }

    private static func split(_ body: Substring) -> (name: Substring, value: Substring?) {
        guard let equals = body.firstIndex(of: "=") else { return (body, nil) }
        return (body[..<equals], body[body.index(after: equals)...])
    }

    private func isNumber(_ word: String) -> Bool {
        guard let digit = word.dropFirst().first, digit.isASCII, digit.isNumber || digit == "." else { return false }
        return !flags.contains { $0.short == digit } && Double(word) != nil
    }

    private var hint: String { owner?.line ?? "'cblite help' explains the flags." }

    private func error(_ message: String) -> CommandError {
        .usage(owner.map { "\($0.title): \(message)" } ?? message, hint: hint)
    }

    private func unknown(_ spelling: String, _ name: Substring) -> CommandError {
        let sentence = suggestion(name).map { " Did you mean --\($0)?" } ?? documentHint(spelling)
        let shown = spelling.split(separator: "=", maxSplits: 1).first.map(String.init) ?? spelling
        return error("unknown flag \(shown).\(sentence)")
    }

    private func documentHint(_ word: String) -> String {
        guard takesDocuments, word.utf8.count > 4, !word.hasPrefix("--") else { return "" }
        return " A document ID that begins with a dash goes behind --."
    }

    private func suggestion(_ name: Substring) -> String? {
        Suggestion.closest(to: String(name), in: flags.lazy.flatMap { [$0.name] + $0.aliases })
    }
}
