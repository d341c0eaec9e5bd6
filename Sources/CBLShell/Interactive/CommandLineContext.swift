import CBLLanguage

/// Where in a command the cursor stands. Pure.
struct CommandLineContext {
    enum Place: Equatable {
        case nowhere
        /// The name of a command, or the beginning of a query.
        case command
        /// In SQL++.
        case query
        /// One of these flags.
        case flag([String])
        /// A value of this kind, or one of some other words.
        case value(ValueKind, others: [String])
        /// A parameter of queries, or one of some other words.
        case parameter(others: [String])
    }

    private(set) var place = Place.nowhere
    /// What has been typed of the word, without quotes and backslashes.
    private(set) var word = ""
    /// How many characters of the line that is.
    private(set) var wordLength = 0
    /// The same as it stands there.
    private(set) var typed = ""
    /// The words up to the end of the line are one argument.
    private(set) var isRest = false
    /// The collection that a flag in the line names.
    private(set) var collection: String?
    private var quote: UInt8?

    init(_ bytes: [UInt8], _ parser: ArgumentParser) {
        var start = bytes.firstIndex { !WordLexer.isBlank($0) && $0 != UInt8(ascii: "\n") } ?? bytes.count
        if start < bytes.count, bytes[start] == UInt8(ascii: "!") || bytes[start] == UInt8(ascii: ".") { start += 1 }
        let isSetting = start > 0 && bytes[start - 1] == UInt8(ascii: ".")
        let isExternal = start > 0 && bytes[start - 1] == UInt8(ascii: "!")
        let first = String(decoding: bytes[start...].prefix { Lexer.isWordByte($0) }, as: UTF8.self)
        let isBehindFirst = start + first.utf8.count < bytes.count
        if isBehindFirst, StatementReader.queryWords.contains(first.uppercased()), !isExternal {
            place = .query
            return
        }
        var words: [String] = []
        var isTarget = false
        var lexer = WordLexer(bytes, at: start)
        scanning: while true {
            lexer.skipBlanks()
            let begin = lexer.position
            if CommandLineContext.isQuery(behind: words, parser), lexer.byte != UInt8(ascii: "-") {
                place = .query
                return
            }
            switch lexer.next() {
            case .word(let text):
                guard lexer.position == bytes.count else {
                    words.append(text)
                    continue
                }
                take(text, from: begin, bytes)
                break scanning
            case .unfinished(let byte):
                take(CommandLineContext.content(bytes[begin...], of: byte), from: begin, bytes)
                if byte != UInt8(ascii: "\\") { quote = byte }
                break scanning
            case .end: break scanning
            case .newline, .semicolon: (words, isTarget) = ([], false)
            case .pipe: return
            case .redirection: isTarget = true
            }
        }
        if isSetting {
            findSetting(behind: words)
        } else if isTarget || isExternal {
            place = .value(.file, others: [])
        } else if words.isEmpty {
            place = .command
        } else {
            find(behind: words, parser)
        }
    }

    private mutating func take(_ text: String, from begin: Int, _ bytes: [UInt8]) {
        word = text
        typed = String(decoding: bytes[begin...], as: UTF8.self)
        wordLength = typed.unicodeScalars.count
    }

    private static func content(_ bytes: ArraySlice<UInt8>, of quote: UInt8) -> String {
        String(decoding: bytes.filter { $0 != quote }, as: UTF8.self)
    }

    // "query", "select" and others that take SQL++ as it stands.
    private static func isQuery(behind words: [String], _ parser: ArgumentParser) -> Bool {
        guard let name = words.first, let command = parser.command(named: name) else { return false }
        return ["query", "select", "translate"].contains(command.name)
            && command.arguments.contains { $0.presence.isRest }
    }

    /// A word as it has to be typed: in the quotes that are open, or with backslashes.
    func escaped(_ text: String) -> String { (quote.map { String(Character(Unicode.Scalar($0))) } ?? "") + escapedInside(text) }

    /// The same behind what was typed of the word.
    func escapedInside(_ text: String) -> String {
        switch quote {
        // Nothing has a meaning between these, so the quotes are closed for one in the text.
        case UInt8(ascii: "'"): return text.replacingEach("'", with: "'\\''")
        case UInt8(ascii: "\""): return CommandLineContext.escaped(text, "\"\\")
        case nil where isRest: return text
        default: return CommandLineContext.escaped(text, " \t'\"\\;|>")
        }
    }

    var isQuoted: Bool { quote != nil }

    private static func escaped(_ text: String, _ special: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if special.unicodeScalars.contains(scalar) { result.append("\\") }
            result.unicodeScalars.append(scalar)
        }
        return result
    }

    /// What ends a word that is complete.
    var ending: String { quote.map { String(Character(Unicode.Scalar($0))) + " " } ?? " " }

    private mutating func find(behind words: [String], _ parser: ArgumentParser) {
        guard let parent = parser.command(named: words[0]) else { return }
        let child = words.dropFirst().lazy.compactMap { parent.subcommand(named: $0) }.first
        let command = child ?? parent
        let own = child == nil ? parent.flags : command.flags + parent.flags
        let flags = ArgumentParser.withGlobalFlags(own)
        var rest = words.dropFirst()
        if let child, let index = rest.firstIndex(where: child.isNamed) { rest = rest[..<index] + rest[(index + 1)...] }
        var values = 0
        var hasCondition = false
        var awaiting: Flag?
        var flagsHaveEnded = false
        for word in rest {
            if word == "--where" || word.hasPrefix("--where=") || word == "-w" { hasCondition = true }
            if let flag = awaiting {
                if flag.name == "collection" { collection = word }
                awaiting = nil
            } else if word == "--" {
                flagsHaveEnded = true
            } else if !flagsHaveEnded, word.hasPrefix("-"), word != "-" {
                awaiting = CommandLineContext.flag(word, flags).flatMap { $0.needsValue && !word.contains("=") ? $0 : nil }
                if word.hasPrefix("--collection=") { collection = String(word.dropFirst(13)) }
            } else {
                values += 1
            }
        }
        if let awaiting {
            place = awaiting.valueKind.map { .value($0, others: []) } ?? .nowhere
        } else if !flagsHaveEnded, word.hasPrefix("-") {
            completeFlag(flags)
        } else {
            var arguments = command.run == nil ? [] : command.positionals(withOpenDatabase: true)
            // A condition chooses in place of IDs, where only one can be given.
            if hasCondition, arguments.count > 1, arguments[0].kind == .document { arguments.removeFirst() }
            let argument = values < arguments.count ? arguments[values] : arguments.last.flatMap { $0.isRepeating ? $0 : nil }
            if argument?.kind == .command, values > 0 {
                place = .value(.choice(HelpPages.words(behind: Array(rest))), others: [])
                return
            }
            isRest = argument?.presence.isRest ?? false
            let others = child == nil && values == 0 ? parent.subcommands.map(\.name) : []
            place = .value(argument?.kind ?? .text, others: others)
        }
    }

    private mutating func findSetting(behind words: [String]) {
        var words = words
        if ["set", "unset"].contains(words.first) {
            let isSet = words.removeFirst() == "set"
            if words.isEmpty {
                place = .parameter(others: ShellSetting.kept.map(\.name))
                return
            }
            if !isSet { return }
        }
        if words.isEmpty {
            place = .value(.choice(ShellSetting.all.map(\.name)), others: [])
        } else if words.count == 1, let setting = ShellSetting.all.first(where: { $0.name == words[0] }) {
            place = .value(setting.kind, others: setting.suggestions)
        }
    }

    private mutating func completeFlag(_ flags: [Flag]) {
        if let equals = word.firstIndex(of: "="), let flag = CommandLineContext.flag(word, flags), let kind = flag.valueKind {
            let value = String(word[word.index(after: equals)...])
            (word, wordLength) = (value, value.unicodeScalars.count)
            place = .value(kind, others: [])
        } else {
            place = .flag(flags.map { "--\($0.name)" })
        }
    }

    /// The flag that a word stands for; of combined short ones, the last.
    private static func flag(_ word: String, _ flags: [Flag]) -> Flag? {
        let name = word.drop { $0 == "-" }.prefix { $0 != "=" }
        if let flag = flags.first(where: { $0.name == name || $0.aliases.contains(String(name)) }) { return flag }
        guard !word.hasPrefix("--"), let letter = name.last else { return nil }
        return flags.first { $0.short == letter }
    }
}
