import CBLTestSupport

@testable import CBLShell

/// Lines for every command that is declared, with arguments by their kinds: a new command is tried without being named here. What a new *kind*
/// of argument is given has to be said in `values`, which the compiler sees to.
struct CommandLines {
    struct Line: Sendable, CustomStringConvertible {
        let words: [String]
        /// It goes on until it is interrupted.
        var isEndless = false

        var description: String { words.map { $0.contains(" ") ? "'\($0)'" : $0 }.joined(separator: " ") }
    }

    /// One command, or one command's command.
    struct Entry: Sendable, CustomStringConvertible {
        let words: [String]
        let command: CommandDeclaration

        var description: String { words.joined(separator: " ") }
    }

    static let entries: [Entry] = Commands.all.flatMap { command in
        (command.run == nil ? [] : [Entry(words: [command.name], command: command)])
            + command.subcommands.map { Entry(words: [command.name, $0.name], command: $0) }
    }

    let base: HostileBase

    /// Texts that something can be made of: a path, a query, a document, a time, a number, a collection.
    private static let texts = [
        "name", "SELECT name, META().id FROM _", "*", #"{"name": "new", "list": [1, {"a": 2}]}"#, "never", "1d", "1", "fresh",
        "ws://127.0.0.1:1/none",
        "SELECT * FROM kv_default",
    ]

    private func values(_ kind: ValueKind, isFirstDatabase: Bool = false) -> [String] {
        switch kind {
        case .text: CommandLines.texts
        case .integer(let range): [String(range.contains(3) ? 3 : range.lowerBound)]
        case .choice(let words): words
        case .file, .peer: [HostileBundle.dataName, "made.jsonl", "made.csv", "made.cblite2", "-", HostileBundle.soundName]
        case .directory: ["made"]
        case .database: isFirstDatabase ? [HostileBundle.name] : [HostileBundle.soundName, "made.cblite2"]
        case .databaseOrName, .openDatabase: [HostileBundle.name]
        case .collection: base.collections + ["fresh"]
        case .document: base.documents + ["*", "nobody"]
        case .index, .lazyIndex: base.indexes + ["foreign1", "nothing"]
        case .view: ["name", "views/nothing"]
        case .viewOrFile: ["_all_docs", HostileBundle.dataName, "nothing"]
        case .property: base.properties
        case .expression: CommandLines.texts + base.properties
        case .savedQuery: ["top", "../top"]
        case .command: ["ls"]
        }
    }

    /// The command with each choice of arguments, and once with every flag.
    func lines(of entry: Entry, isInteractive: Bool = false) -> [Line] {
        let arguments = entry.command.positionals(withOpenDatabase: isInteractive)
        let choices = choices(for: arguments, isInteractive: isInteractive)
        var lines = choices.map { Line(words: entry.words + $0) }
        let required = self.choices(
            for: arguments.filter { $0.isRequired || [.file, .peer, .database].contains($0.kind) }, isInteractive: isInteractive)
        for (number, flag) in entry.command.flags.enumerated() where flag.name != "help" {
            // A flag is tried with few arguments and with all: some take the place of an argument.
            for words in Set([required[number % required.count], choices[number % choices.count]]).sorted(by: { $0.count < $1.count }) {
                for value in flagValues(flag) {
                    let given = value.map { flag.needsValue ? ["--\(flag.name)", $0] : ["--\(flag.name)=\($0)"] } ?? ["--\(flag.name)"]
                    lines.append(Line(words: entry.words + given + words, isEndless: CommandLines.endlessFlags.contains(flag.name)))
                }
            }
        }
        if !isInteractive {
            lines.append(Line(words: ["--writeable", "--json"] + entry.words + choices[0]))
            lines.append(Line(words: ["--upgrade"] + entry.words + choices[0]))
        }
        if CommandLines.endlessCommands.contains(entry.words[0]) { lines = lines.map { Line(words: $0.words, isEndless: true) } }
        return lines
    }

    private static let endlessFlags: Set = ["follow", "watch", "continuous"]
    private static let endlessCommands: Set = ["serve"]

    private func flagValues(_ flag: Flag) -> [String?] {
        guard let kind = flag.valueKind else { return [nil] }
        var all: [String?] = values(kind)
        // A secret is never on the line itself.
        if flag.synopsis.contains(":@FILE") { all.insert(":@" + HostileBundle.dataName, at: 0) }
        return flag.needsValue ? Array(all.prefix(3)) : [nil] + all.prefix(2)
    }

    /// As many choices as the argument with the most values has, and one with the required arguments alone.
    private func choices(for arguments: [Argument], isInteractive: Bool) -> [[String]] {
        var hasDatabase = isInteractive
        let lists = arguments.map { argument in
            // What an open database stands for is the hostile one.
            let isFirst = argument.isImpliedByOpenDatabase || argument.kind == .database && !hasDatabase
            if isFirst { hasDatabase = true }
            return isFirst ? [HostileBundle.name] : values(argument.kind)
        }
        var choices = (0..<(lists.map(\.count).max() ?? 1)).map { number in lists.map { $0[number % $0.count] } }
        let required = zip(arguments, lists).filter { $0.0.isRequired || $0.0.kind == .database }.map { $0.1[0] }
        if required.count < arguments.count { choices.append(required) }
        return choices
    }
}
