import CBLBase
import CBLLanguage
import CBLStore
import CBLWorkbench

/// Turns the words of a command line into a checked command. Pure: it prints nothing and opens nothing.
///
/// Flags may stand anywhere; `--flag value`, `--flag=value`, `-f value`, `-fvalue`, combined `-lv` and single-dash long `-flag` all work;
/// `--` ends the flags; `-` alone is a value; so is a negative number.
struct ArgumentParser {
    enum Request: Sendable {
        case run(ParsedCommand)
        /// `--help` after a command (its words), or alone.
        case help([String])
        case version
        /// A database and no command: the interactive shell.
        case open(path: String)
        /// No words at all.
        case nothing
    }

    struct Result: Sendable {
        let request: Request
        let options: GlobalOptions
    }

    let commands: [CommandDeclaration]
    /// A database is open: commands leave its path out, and no global flag comes before them.
    var hasOpenDatabase = false

    static func parse(_ words: [String], commands: [CommandDeclaration], hasOpenDatabase: Bool = false) throws(CommandError) -> Result {
        try ArgumentParser(commands: commands, hasOpenDatabase: hasOpenDatabase).parse(words)
    }

    /// The flags among the words change `options`: in the interactive shell those it was started with.
    func parse(_ words: [String], options: GlobalOptions = GlobalOptions()) throws(CommandError) -> Result {
        var options = options
        var leading = WordScanner(words: words[...], flags: GlobalFlags.beforeCommand, owner: nil)
        var first: String?
        while first == nil, let item = try leading.next() {
            switch item {
            case .value(let word): first = word
            case .flag(let flag, _) where flag.name == "help": return Result(request: .help(help(leading.rest)), options: options)
            case .flag(let flag, _) where flag.name == "version": return Result(request: .version, options: options)
            case .flag(let flag, let value): options.apply(flag.name, value)
            }
        }
        guard let first else { return Result(request: .nothing, options: options) }
        var rest = leading.rest
        var name = first
        if !hasOpenDatabase, ArgumentParser.isDatabasePath(first) {
            // "cblite DATABASE ls" is understood as "cblite ls DATABASE".
            guard let word = rest.first, command(named: word) != nil else {
                return Result(request: try openRequest(.open(path: first), rest, &options), options: options)
            }
            name = word
            rest = [first] + rest.dropFirst()
        } else if !hasOpenDatabase, ArgumentParser.isURL(first) {
            // A URL alone is opened.
            name = "openremote"
            rest = [first] + rest
        }
        guard let command = command(named: name) else { throw unknownCommand(name) }
        let request = try parse(command, rest, &options)
        return Result(request: request, options: options)
    }

    /// The bundle's name ends in `.cblite2`, with or without a slash; that of a file of 1.0 in `.cblite`. It may be in a ZIP file.
    static func isDatabasePath(_ word: String) -> Bool {
        var name = word[...]
        while name.count > 1, name.last == "/" { name.removeLast() }
        return name.hasSuffix(".cblite2") || name.hasSuffix(".cblite") || Database.bundlePath(ofMainFile: word) != nil
            || PackedDatabases.mayBe(word)
    }

    static func isURL(_ word: String) -> Bool { word.hasPrefix("ws:") || word.hasPrefix("wss:") }

    /// The command of that name or alias; `SELECT` is also understood in capitals.
    func command(named word: String) -> CommandDeclaration? {
        commands.first { $0.isNamed(word) } ?? commands.first { $0.isNamed(word.lowercased()) }
    }

    func unknownCommand(_ word: String) -> CommandError {
        if let advice = ForeignWord.advice(on: word) { return .usage("no command \"\(word)\"", hint: advice) }
        let names = commands.lazy.filter { $0.group != .hidden }.flatMap { [$0.name] + $0.aliases }
        let suggestion = Suggestion.sentence(for: word, in: names, quoted: true)
        return .usage("no command \"\(word)\".\(suggestion)", hint: "'\(hasOpenDatabase ? "help" : "cblite help")' lists the commands.")
    }

    // Global flags may also follow a bare database path; a further word there is a mistyped command.
    private func openRequest(_ request: Request, _ rest: ArraySlice<String>, _ options: inout GlobalOptions) throws(CommandError) -> Request
    {
        var scanner = WordScanner(words: rest, flags: GlobalFlags.ofShell, owner: nil)
        while let item = try scanner.next() {
            switch item {
            case .value(let word): throw unknownCommand(word)
            case .flag(let flag, _) where flag.name == "help": return .help([])
            case .flag(let flag, let value): options.apply(flag.name, value)
            }
        }
        return request
    }

    private func help(_ words: ArraySlice<String>) -> [String] { words.filter { !$0.hasPrefix("-") } }

    private func parse(
        _ parent: CommandDeclaration, _ words: ArraySlice<String>, _ options: inout GlobalOptions
    ) throws(CommandError) -> Request {
        var words = words
        var command = parent
        var title = parent.name
        if let (child, rest) = try subcommand(of: parent, in: words) {
            command = child
            words = rest
            title += " " + child.name
        }
        let ownFlags = command.name == parent.name ? command.flags : command.flags + parent.flags
        let flags = ArgumentParser.withGlobalFlags(ownFlags)
        let usage = Usage(command: command, title: title, hasOpenDatabase: hasOpenDatabase)
        var scanner = WordScanner(words: words, flags: flags, owner: usage)
        scanner.takesDocuments = command.arguments.contains { $0.kind == .document }
        var values: [String] = []
        var flagValues: [(name: String, value: String?)] = []
        while let item = try scanner.next() {
            switch item {
            case .value(let word): values.append(word)
            case .flag(let flag, let value):
                if flag.name == "help" { return .help(title.split(separator: " ").map(String.init)) }
                if !ownFlags.contains(where: { $0.name == flag.name }) { options.apply(flag.name, value) }
                flagValues.append((flag.name, value))
            }
        }
        guard command.run != nil else { throw missingSubcommand(command, values, usage) }
        let declared = command.positionals(withOpenDatabase: hasOpenDatabase)
        // One word too many is a mistyped subcommand.
        if !command.subcommands.isEmpty, values.count > declared.count { throw missingSubcommand(command, values, usage) }
        var arguments: [(name: String, value: String)]
        do throws(CommandError) {
            arguments = try ArgumentParser.assign(values, to: declared, usage)
        } catch {
            // "export hotels.csv where rating > 4" comes easily to those who think in SQL.
            guard ownFlags.contains(where: { $0.name == "where" }), values.contains(where: { $0.lowercased() == "where" }) else {
                throw error
            }
            throw .usage("\(title): a condition is given with --where, in quotes", hint: "For example: --where 'rating > 4'")
        }
        var path: String?
        if command.database != .none, !hasOpenDatabase {
            // "info index NAME DATABASE" is what some are used to.
            if command.name != parent.name, arguments.count == 2, ArgumentParser.isDatabasePath(arguments[1].value),
                !ArgumentParser.isDatabasePath(arguments[0].value), declared[1].kind == .index
            {
                (arguments[0].value, arguments[1].value) = (arguments[1].value, arguments[0].value)
            }
            path = arguments.removeFirst().value
        }
        return .run(
            ParsedCommand(
                command: command, title: title, databasePath: path, declaredFlags: flags, declaredArguments: command.positionals(),
                flagValues: flagValues, argumentValues: arguments))
    }

    /// A command's own flags, and the global ones it does not replace, with the short names that are still free.
    static func withGlobalFlags(_ own: [Flag]) -> [Flag] {
        own + GlobalFlags.all.filter { global in !own.contains { $0.name == global.name } }
    }

    /// Finds the word of a subcommand: the first one, or the second after a database's path.
    private func subcommand(
        of parent: CommandDeclaration, in words: ArraySlice<String>
    ) throws(CommandError) -> (CommandDeclaration, ArraySlice<String>)? {
        guard !parent.subcommands.isEmpty else { return nil }
        // Which words are values of flags depends on the subcommand that is being looked for, so all their flags are known here.
        let flags = ArgumentParser.withGlobalFlags(parent.flags + parent.subcommands.flatMap(\.flags))
        let usage = Usage(command: parent, title: parent.name, hasOpenDatabase: hasOpenDatabase)
        var scanner = WordScanner(words: words, flags: flags, owner: usage)
        var position = 0
        while position < 2, let item = try scanner.next() {
            guard case .value(let word) = item else { continue }
            if let child = parent.subcommand(named: word) {
                let index = scanner.rest.startIndex - 1
                return (child, words[..<index] + words[(index + 1)...])
            }
            position += 1
            if hasOpenDatabase { break }
        }
        return nil
    }

    private func missingSubcommand(_ command: CommandDeclaration, _ values: [String], _ usage: Usage) -> CommandError {
        let names = command.subcommands.map(\.name)
        let word = values.first { !ArgumentParser.isDatabasePath($0) }
        let problem = word.map { "\(command.name): no \"\($0)\"." + Suggestion.sentence(for: $0, in: names, quoted: true) }
        return .usage(problem ?? "\(command.name) needs one of: \(names.joined(separator: ", "))", hint: usage.line)
    }

    /// Gives every declared argument its words. Those that are required come first; what is left goes to the others from left to right.
    private static func assign(
        _ values: [String], to declared: [Argument], _ usage: Usage
    ) throws(CommandError) -> [(name: String, value: String)] {
        let required = declared.filter(\.isRequired)
        if values.count < required.count { throw .usage("\(usage.title): \(required[values.count].name) is missing", hint: usage.line) }
        var extra = values.count - required.count
        var result: [(name: String, value: String)] = []
        var rest = values[...]
        for argument in declared {
            let additional = argument.isRepeating ? extra : argument.isRequired ? 0 : min(extra, 1)
            extra -= additional
            let words = rest.prefix((argument.isRequired ? 1 : 0) + additional)
            rest = rest.dropFirst(words.count)
            for word in words { try check(word, argument.kind, of: argument.name, title: usage.title, hint: usage.line) }
            if argument.presence.isRest {
                if words.isEmpty { continue }
                result.append((argument.name, words.dropFirst().reduce(words[words.startIndex]) { $0 + " " + $1 }))
            } else {
                for word in words { result.append((argument.name, word)) }
            }
        }
        if let word = rest.first {
            throw .usage("\(usage.title): \"\(word)\" is one argument too many", hint: usage.line)
        }
        return result
    }

    /// Checks the text of a flag or an argument against its kind.
    static func check(
        _ text: String, _ kind: ValueKind, of name: String, title: String?, hint: @autoclosure () -> String
    ) throws(CommandError) {
        var subject: String { title.map { "\($0): \(name)" } ?? name }
        switch kind {
        case .integer(let range):
            if let number = Int(text), range.contains(number) { return }
            let wanted =
                switch (range.lowerBound, range.upperBound) {
                case (Int.min, Int.max): "a whole number"
                case (let low, Int.max): "a whole number, \(low) or more"
                case (let low, let high): "a whole number from \(low) to \(high)"
                }
            throw .usage("\(subject) needs \(wanted), not \"\(text)\"", hint: hint())
        case .choice(let words):
            if words.contains(text) { return }
            let suggestion = Suggestion.sentence(for: text, in: words, quoted: true)
            throw .usage("\(subject) is one of \(words.joined(separator: ", ")), not \"\(text)\".\(suggestion)", hint: hint())
        case .text, .file, .directory, .database, .databaseOrName, .openDatabase, .peer, .collection, .document, .index, .lazyIndex, .view,
            .viewOrFile, .property, .expression, .savedQuery, .command:
            return
        }
    }
}
