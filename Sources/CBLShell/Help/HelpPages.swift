import CBLBase
import CBLLanguage

/// Everything that `help` knows by a name: commands, functions and operators of SQL++, and topics.
enum HelpPages {
    /// The page for some words, or an error that says what was probably meant.
    static func page(on words: [String], hasOpenDatabase: Bool = false) throws(CommandError) -> String {
        guard let first = words.first else { return HelpText.overview(Commands.all) }
        let all = words.joined(separator: " ")
        if let list = list(named: all.lowercased()) { return list }
        if first.lowercased() == "topic", words.count > 1 {
            let name = words.dropFirst().joined(separator: " ")
            guard let topic = HelpTopic.named(name) else { throw unknown(name) }
            return page(topic)
        }
        // A word of the language in capitals is meant as such, even if a command has the same name.
        let isOfSQL = all.contains { $0.isUppercase } && !all.contains { $0.isLowercase }
        if isOfSQL, let known = OperatorReference.entry(named: all) { return page(known) }
        if words.count > 1, let topic = HelpTopic.named(all) { return page(topic) }
        let parser = ArgumentParser(commands: Commands.all)
        if let command = parser.command(named: first) {
            // "cblite info db --help" gives more words than names: those that name nothing are passed over.
            let child = words.dropFirst().lazy.compactMap { command.subcommand(named: $0) }.first
            if let child { return HelpText.page(child, parent: command, hasOpenDatabase: hasOpenDatabase) }
            return HelpText.page(command, hasOpenDatabase: hasOpenDatabase)
                + (HelpTopic.named(command.name).map { "\nAbout it: 'cblite help topic \($0.name)'.\n" } ?? "")
        }
        if let topic = HelpTopic.named(all) { return page(topic) }
        // "upper" and "upper()" alike.
        if let function = FunctionReference.entry(named: String(first.prefix { $0 != "(" })) { return FunctionHelp.page(function) }
        if let known = OperatorReference.entry(named: all) { return page(known) }
        if let advice = ForeignWord.advice(on: all) { return "There is no \"\(all)\" here.\n\n" + HelpText.paragraph(advice) }
        throw unknown(all)
    }

    private static func unknown(_ word: String) -> CommandError {
        let suggestion = Suggestion.sentence(for: word, in: names + aliases, quoted: true)
        return .usage("no help on \"\(word)\".\(suggestion)", hint: "'help' lists the commands, 'help topics' what else there is help on.")
    }

    /// What completion offers behind `help`.
    static let names: [String] =
        Commands.all.filter { $0.group != .hidden }.flatMap { [$0.name] + $0.aliases } + HelpTopic.all.map(\.name)
        + FunctionReference.all.map(\.name) + OperatorReference.all.map(\.name) + ["functions", "operators", "topics"]

    private static let aliases: [String] =
        HelpTopic.all.flatMap(\.aliases) + FunctionReference.all.flatMap(\.aliases) + OperatorReference.all.flatMap(\.aliases)

    /// Words of SQL++ in small letters, if somebody has begun so.
    static func names(startingWith prefix: String) -> [String] {
        let isSmall = prefix.contains { $0.isLowercase }
        let matches = names.filter { $0.lowercased().hasPrefix(prefix.lowercased()) }
        return Set(matches.map { isSmall ? $0.lowercased() : $0 }).sorted()
    }

    /// The words that may follow these: "indexes" behind "info", "MISSING" behind "IS".
    static func words(behind words: [String]) -> [String] {
        let parser = ArgumentParser(commands: Commands.all)
        if words.first == "topic" { return HelpTopic.all.map(\.name) }
        if words.count == 1, let command = parser.command(named: words[0]), !command.subcommands.isEmpty {
            return command.subcommands.map(\.name)
        }
        let phrase = words.joined(separator: " ")
        let isSmall = phrase.contains { $0.isLowercase }
        return (names + aliases).filter { $0.lowercased().hasPrefix(phrase.lowercased() + " ") }.map { name in
            let word = String(name.dropFirst(phrase.count + 1).prefix { $0 != " " })
            return isSmall ? word.lowercased() : word
        }.sorted()
    }

    private static func list(named name: String) -> String? {
        switch name {
        case "functions": FunctionHelp.overview()
        case "operators":
            "The operators and clauses of SQL++. 'cblite help LIKE' explains one.\n\n"
                + HelpText.list(OperatorReference.all.map { ($0.name, $0.summary) })
        case "topics", "topic":
            "'cblite help TOPIC' tells about one of these.\n\n" + HelpText.list(HelpTopic.all.map { ($0.name, $0.summary) })
        default: nil
        }
    }

    private static func page(_ topic: HelpTopic) -> String {
        "\(topic.summary)\n\n" + HelpText.paragraphs(topic.text) + HelpText.examples(topic.examples)
    }

    private static func page(_ known: OperatorReference) -> String {
        let title = known.name + (known.aliases.isEmpty ? "" : "   also: " + known.aliases.joined(separator: ", "))
        let examples = known.examples.map { example in
            // A query and its rows are too long for one line.
            "  \(example.expression)" + (example.query == example.expression ? "\n      " : " ") + "→ \(example.result)\n"
        }.joined()
        return "\(title)\n\n  \(known.syntax)\n\n" + HelpText.paragraph(known.summary) + "\nExamples\n" + examples
    }
}
