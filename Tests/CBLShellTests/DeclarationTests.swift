import Testing

@testable import CBLShell

/// Rules that every declared command keeps.
@Suite struct DeclarationTests {
    private static let entries = CompletionModel(Commands.all).entries

    @Test func commandNamesAreUnique() {
        let names = Commands.all.flatMap { [$0.name] + $0.aliases }
        #expect(Set(names).count == names.count)
        for name in names { #expect(name.allSatisfy { $0.isLowercase || $0 == "-" || $0.isNumber }, "\(name)") }
    }

    @Test func entriesAreCalledAsTheirCommands() {
        for entry in Commands.entries { #expect(entry.name == entry.declaration().name) }
        #expect(Commands.named(in: ["a.cblite2", "cat", "ls", "get"]).map(\.name) == ["ls", "cat"])
    }

    @Test(arguments: entries.map(\.title)) func flagsAreUniqueWithinACommand(title: String) throws {
        let command = try #require(DeclarationTests.entries.first { $0.title == title }).command
        let names = command.flags.flatMap { [$0.name] + $0.aliases }
        #expect(Set(names).count == names.count)
        let letters = command.flags.compactMap(\.short)
        #expect(Set(letters).count == letters.count)
    }

    @Test(arguments: entries.map(\.title)) func textsAreThereAndHaveNoFullStop(title: String) throws {
        let command = try #require(DeclarationTests.entries.first { $0.title == title }).command
        #expect(!command.summary.isEmpty && !command.summary.hasSuffix("."))
        for flag in command.flags { #expect(!flag.help.isEmpty && !flag.help.hasSuffix("."), "--\(flag.name)") }
        for argument in command.arguments { #expect(!argument.help.hasSuffix("."), "\(argument.name)") }
        #expect(!command.arguments.contains { $0.name == Argument.database.name } || command.database == .none)
        #expect(command.run != nil || !command.subcommands.isEmpty)
    }

    @Test(arguments: entries.map(\.title)) func atMostOneArgumentRepeats(title: String) throws {
        let command = try #require(DeclarationTests.entries.first { $0.title == title }).command
        #expect(command.arguments.count { $0.isRepeating } <= 1)
    }

    @Test(arguments: entries.flatMap { $0.command.examples.map(\.line) }) func examplesAreValidCommandLines(line: String) throws {
        // What does not begin with the program's name is typed in the interactive shell.
        let commands = shellWords(line)
        let words = commands.first { $0.first == "cblite" }.map { Array($0.dropFirst()) }
        let result = try ArgumentParser.parse(words ?? commands[0], commands: Commands.all, hasOpenDatabase: words == nil)
        if case .nothing = result.request { Issue.record("no command: \(line)") }
    }

    /// The commands of a line and their words, as a shell reads them.
    private func shellWords(_ line: String) -> [[String]] {
        var commands: [[String]] = [[]]
        var word: String?
        var quote: Character?
        for character in line {
            if let open = quote {
                if character == open { quote = nil } else { word = (word ?? "") + String(character) }
            } else if character == "'" || character == "\"" {
                quote = character
                word = word ?? ""
            } else if character == " " || "|<>;&#".contains(character) {
                if let word { commands[commands.count - 1].append(word) }
                word = nil
                if character != " " { commands.append([]) }
            } else {
                word = (word ?? "") + String(character)
            }
        }
        if let word { commands[commands.count - 1].append(word) }
        return commands
    }
}
