import CBLStore
import CBLTestSupport
import FoundationEssentials
import Glibc
import Testing

@testable import CBLShell

/// A database of a stranger, in which every name and value holds what would do something to a terminal: nothing of it does. The commands and
/// their flags are those that are declared, so a new one is tested without being named here.
@Suite struct HostileTextTests {
    private let directory: TemporaryDirectory
    private let database: String
    private let folder: String

    init() throws {
        directory = try TemporaryDirectory(inMemory: true)
        folder = directory.path + "/" + HostileText.fileName
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        database = folder + "/hostile.cblite2"
        try HostileTextTests.make(database)
    }

    /// The ID of the document for a control; what the library refuses as an ID gets there by SQL.
    private static let ids = HostileText.controls.map { HostileText.marked($0) }

    // Of a blob that is not there: then what stands in the document itself is the content.
    private static let digest = "2jmj7l5rSw0yVb/vlWAYkK/YBwk="

    private static func make(_ path: String) throws {
        let made = try Database(path: path, options: .create)
        defer { made.close() }
        try made.write { transaction in
            for (number, id) in ids.enumerated() {
                let text = JSONText.quoted(id)
                let blob = #"{"@type":"blob","content_type":\#(text),"data":"WnEbWzMxbXFa","length":9,"digest":"sha1-\#(digest)"}"#
                let body = try transaction.encode(json: #"{\#(text):\#(text),"name":\#(text),"b":\#(blob),"list":[\#(text),{\#(text):1}]}"#)
                _ = try transaction.save("d\(number)", body: body)
                _ = try transaction.save("d\(number)", body: transaction.encode(json: #"{"name":\#(text),"old":true,"b":\#(blob)}"#))
            }
            _ = try transaction.remoteID(of: "wss://example.com/" + HostileText.all)
        }
        made.close()
        var renaming = ""
        for (number, id) in ids.enumerated() {
            renaming += "UPDATE kv_default SET key = CAST(x'\(hex(Array(id.utf8)))' AS TEXT) WHERE key = 'd\(number)';"
        }
        renaming +=
            "INSERT INTO kv_default SELECT CAST(x'5A719B33316D715A' AS TEXT), 1000, flags, version, body, expiration, extra FROM kv_default LIMIT 1; UPDATE kvmeta SET lastSeq = 1000 WHERE name = 'default'"
        let renamed = try Program.run(["sql", "--writeable", path, renaming])
        try #require(renamed.exitCode == 0, "\(renamed.errors)")
        for (index, kind) in [(HostileText.marked("\u{1B}[31m\n\u{202E}"), []), (HostileText.marked("\u{9B}31m"), ["--fts"])] {
            let indexed = try Program.run(["mkindex"] + kind + [path, index, "name"])
            try #require(indexed.exitCode == 0, "\(indexed.errors)")
        }
    }

    private static func hex(_ bytes: [UInt8]) -> String { bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }

    // What never ends, or talks to libedit, has tests of its own.
    private static let endless: Set<String> = ["serve", "openremote", "open", "tour", "history", "again"]
    private static let endlessFlags: Set<String> = ["follow", "watch", "continuous", "help", "encrypted"]

    private static let commands: [[String]] = Commands.all.filter { !endless.contains($0.name) }.flatMap { command in
        (command.run == nil ? [] : [[command.name]]) + command.subcommands.map { [command.name, $0.name] }
    }

    private static func declaration(_ words: [String]) throws -> CommandDeclaration {
        let command = try #require(Commands.all.first { $0.name == words[0] })
        return words.count == 1 ? command : try #require(command.subcommand(named: words[1]))
    }

    /// A word for an argument or a flag: one that works where that can be known, or hostile.
    private func word(_ name: String, _ kind: ValueKind, isHostile: Bool) throws -> String {
        switch kind {
        case .document: return isHostile ? HostileText.all : HostileTextTests.ids[1]
        case .collection: return isHostile ? HostileText.all : "_default"
        case .index, .lazyIndex: return isHostile ? HostileText.all : HostileText.marked("\u{1B}[31m\n\u{202E}")
        case .property, .expression, .savedQuery, .view: return isHostile ? HostileText.all : "name"
        case .viewOrFile: return isHostile ? HostileText.all : "_all_docs"
        case .choice(let words): return words[0]
        case .integer(let range): return "\(range.contains(3) ? 3 : range.lowerBound)"
        case .command: return isHostile ? HostileText.all : "ls"
        case .database, .databaseOrName, .openDatabase, .directory: return folder + "/other.cblite2"
        case .file, .peer:
            if !isHostile { return name == "DESTINATION" ? "-" : name == "SOURCE" ? database : "-" }
            let path = folder + "/lines.jsonl"
            try "{\"_id\":\(JSONText.quoted(HostileText.all))}\n{\(HostileText.all)}\n".write(
                toFile: path, atomically: false, encoding: .utf8)
            return path
        case .text:
            switch name {
            case "QUERY" where !isHostile: return "SELECT * FROM _"
            case "STATEMENT" where !isHostile: return "SELECT * FROM kv_default"
            default: return isHostile ? HostileText.all : "name"
            }
        }
    }

    private func arguments(of command: CommandDeclaration, isHostile: Bool) throws -> [String] {
        try command.arguments.map { argument in
            // "select" has the word already.
            let text = try word(argument.name, argument.kind, isHostile: isHostile)
            return command.name == "select" && !isHostile ? "* FROM _" : text
        }
    }

    /// The command without flags, and with each of its flags.
    private func flags(of command: CommandDeclaration) throws -> [[String]] {
        let own =
            command.flags
            + GlobalFlags.all.filter { global in global.name != "color" && !command.flags.contains { $0.name == global.name } }
        return try [[]]
            + own.filter { !HostileTextTests.endlessFlags.contains($0.name) }.flatMap { flag -> [[String]] in
                switch flag.parameter {
                case .none: return [["--\(flag.name)"]]
                case .optional(_, .choice(let words)), .required(_, .choice(let words)): return words.map { ["--\(flag.name)=\($0)"] }
                case .optional(let name, let kind), .required(let name, let kind):
                    return [
                        "--\(flag.name)=\(try word(name, kind, isHostile: true))",
                        "--\(flag.name)=\(try word(name, kind, isHostile: false))",
                    ].map { [$0] }
                }
            }
    }

    /// Runs one line at a terminal that has nothing more to say, and gives everything that came.
    private func atTerminal(_ line: [String]) throws -> [UInt8] {
        let environment = [
            "HOME": directory.path, "EDITOR": "true", "VISUAL": "", "XDG_STATE_HOME": directory.path, "TMPDIR": directory.path,
            "TERM": "xterm",
        ]
        let terminal = try PseudoTerminal(line, environment: environment, columns: 200)
        terminal.type("\u{4}\u{4}\u{4}")
        // Who asks for a password forgets what was typed before.
        if line.contains("encrypt"),
            (try? terminal.wait(for: "a question", timeout: 10) { $0.lines.contains { $0.hasPrefix("New password") } }) != nil
        {
            terminal.type("\u{4}")
        }
        _ = try terminal.finish()
        return terminal.transcript
    }

    @Test(arguments: commands) func noCommandSendsControlsToATerminal(_ words: [String]) throws {
        let command = try HostileTextTests.declaration(words)
        let path = database
        let copy = path + ".before"
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        for flags in try flags(of: command) {
            // Tables of tabs have tabs.
            let own = flags.contains { $0.hasSuffix("=tsv") } ? ["\t"] : []
            for isHostile in flags.isEmpty ? [true, false] : [false] {
                let database = command.database == .none ? [] : [path]
                let line = ["--color=never"] + words + flags + database + (try arguments(of: command, isHostile: isHostile))
                let sent = try atTerminal(line)
                let harm = HostileText.harm(in: sent, allowing: own)
                #expect(harm == nil, "\(words.joined(separator: " ")) \(flags) \(isHostile ? "hostile" : "")")
                if command.database == .writes {
                    try FileManager.default.removeItem(atPath: path)
                    try FileManager.default.copyItem(atPath: copy, toPath: path)
                }
            }
        }
    }

    /// What goes on until Ctrl-C is shown what is there, and a new document while it goes on.
    @Test(arguments: [
        ["changes", "--follow", "DB"], ["changes", "--follow", "--json", "DB"], ["query", "--watch", "DB", "SELECT name FROM _"],
        ["query", "--watch", "--json", "DB", "SELECT META().id, name FROM _"], ["push", "--continuous", "-v", "DB", "TARGET"],
        ["sync", "--continuous", "--json", "DB", "TARGET"], ["serve", "--port", "0", "-v", "DB"], ["tour", "DB"],
    ])
    func whatNeverEndsSendsNoControls(_ words: [String]) throws {
        let target = folder + "/target.cblite2"
        try #require(try Program.run(["--create", "put", target, "there", "{}"]).exitCode == 0)
        let line = words.map { $0 == "DB" ? database : $0 == "TARGET" ? target : $0 }
        let terminal = try PseudoTerminal(["--color=never"] + line, columns: 200)
        let isQuiet = ["serve", "tour"].contains(words[0])
        if !isQuiet { try terminal.wait(for: "the documents that are there") { _ in HostileText.isShown(in: terminal.transcript) } }
        try? terminal.wait(for: "what else comes", timeout: 0.5) { _ in false }
        let shown = terminal.transcript.count
        let later = HostileText.marked("\u{1B}]0;later\u{7}\u{9B}5m")
        let put = try Program.run(["put", database, "later", "{\"name\":\(JSONText.quoted(later))}"])
        try #require(put.exitCode == 0, "\(put.errors)")
        if !isQuiet { try terminal.wait(for: "the new document") { _ in terminal.transcript.count > shown } }
        try? terminal.wait(for: "what else comes", timeout: 0.5) { _ in false }
        terminal.type("\u{3}")
        terminal.type("q\u{4}")
        _ = try terminal.finish()
        // The program's own: a line that is written anew, a screen that is.
        let own = ["\r", "\u{1B}[K", "\u{1B}[H\u{1B}[2J"]
        #expect(HostileText.harm(in: terminal.transcript, allowing: own) == nil)
        #expect(!HostileText.controls.contains { $0 != "\n" && terminal.transcript.contains(Array(HostileText.marked($0).utf8)) })
    }

    /// Where there are colours, the only controls are those of the theme.
    @Test(arguments: commands) func noCommandLetsControlsBesideColors(_ words: [String]) throws {
        let command = try HostileTextTests.declaration(words)
        let database = command.database == .none ? [] : [database]
        for isHostile in [true, false] {
            let sent = try atTerminal(["--color=always"] + words + database + arguments(of: command, isHostile: isHostile))
            let codes = Style.allCases.map { "\(Theme.standard.code($0))" } + ["\(Style.off)"]
            // None of them stands where it could be text: those of names are between marks.
            #expect(
                !HostileText.controls.contains { control in
                    sent.contains(Array(HostileText.marked(control).utf8)) && control != "\n"
                })
            #expect(HostileText.harm(in: sent, allowing: codes) == nil, "\(words)")
        }
    }

    @Test(arguments: HostileText.controls) func theLookFindsEveryControl(control: String) {
        let isLineEnd = control.unicodeScalars.allSatisfy { ["\r", "\n", "\u{301}"].contains($0) } && control.utf8.contains(0x0A)
        #expect((HostileText.harm(in: Array(HostileText.marked(control).utf8)) == nil) == isLineEnd)
        #expect(HostileText.harm(in: [0x5A, 0x9B, 0x33]) != nil)
    }

    /// The looks above would find nothing in nothing: those that show documents show these.
    @Test func hostileNamesAreShown() throws {
        for line in [
            ["ls"], ["ls", "-l"], ["cat", "*"], ["query", "SELECT * FROM _"], ["export", "-"], ["dump"], ["schema"], ["changes"],
            ["blob", "ls"],
            ["info", "indexes"], ["check"], ["fts", HostileText.marked("\u{9B}31m"), "Zq"],
        ] {
            let count = line[0] == "blob" || line[0] == "info" ? 2 : 1
            let sent = try atTerminal(
                ["--color=never"] + line.prefix(count) + (line == ["cat", "*"] ? ["--raw"] : []) + [database] + line.dropFirst(count))
            #expect(HostileText.isShown(in: sent), "\(line)")
        }
    }

    /// To a pipe or a file everything goes as it is.
    @Test func pipesGetEveryByte() throws {
        let text = try Program.run(["query", "--format", "csv", database, "SELECT name FROM _ WHERE name LIKE 'Zq%'"])
        for id in HostileTextTests.ids { #expect(text.outputBytes.contains(Array(id.utf8))) }
        let listed = try Program.run(["ls", "--limit", "1000", database])
        for id in HostileTextTests.ids { #expect(listed.outputBytes.contains(Array(id.utf8))) }
        #expect(listed.outputBytes.contains([0x5A, 0x71, 0x9B, 0x33, 0x31, 0x6D]))
        let exported = try Program.run(["export", database, "-", "--format", "csv"])
        #expect(exported.outputBytes.contains(Array(HostileText.marked("\u{1B}[31m").utf8)))
    }

    /// A table's rows, an archive's lines and a blob's bytes reach a terminal by other names of it, too.
    @Test(
        arguments: ["-", "/dev/tty", "/dev/stdout", "/dev/stderr", "/dev/fd/2", "/proc/self/fd/1", "TTY"], ["csv", "tsv", "json", "array"])
    func everyNameOfATerminalIsOne(path: String, format: String) throws {
        let own = format == "tsv" ? ["\t"] : []
        let program = #"exec "$0" --color=never export "$1" --format \#(format) "${2/TTY/$(tty)}""#
        let terminal = try PseudoTerminal(
            ["-c", program, Program.path, database, path], program: access("/bin/bash", X_OK) == 0 ? "/bin/bash" : "/bin/sh")
        _ = try terminal.finish()
        #expect(HostileText.isShown(in: terminal.transcript))
        #expect(HostileText.harm(in: terminal.transcript, allowing: own) == nil)
    }

    @Test(arguments: [".output TTY\nexport - --format csv\n", "cat * > TTY\n", "ls -l >> TTY\n", "blob ls >> TTY\n", "dump - >> TTY\n"])
    func theShellWritesToTerminalsSafely(script: String) throws {
        let program = #"printf '%s' "${2//TTY/$(tty)}" | "$0" --color=never "$1""#
        let terminal = try PseudoTerminal(["-c", program, Program.path, database, script], program: "/bin/bash")
        _ = try terminal.finish()
        #expect(HostileText.isShown(in: terminal.transcript))
        #expect(HostileText.harm(in: terminal.transcript) == nil)
    }

    /// What is shown of JSON at a terminal is JSON still, and says the same.
    @Test func escapedJSONIsJSON() throws {
        let sent = try atTerminal(["--color=never", "export", database, "-", "--format", "jsonl"])
        let lines = String(decoding: sent, as: UTF8.self).unicodeScalars.split(separator: "\n").map { String(String.UnicodeScalarView($0)) }
        let documents = lines.filter { $0.utf8.first == UInt8(ascii: "{") }
        #expect(documents.count == HostileTextTests.ids.count + 1)
        var names: Set<[UInt8]> = []
        struct Named: Decodable { let name: String }
        for line in documents {
            let text = line.utf8.last == 0x0D ? String(decoding: line.utf8.dropLast(), as: UTF8.self) : line
            names.insert(Array(try JSONDecoder().decode(Named.self, from: Data(text.utf8)).name.utf8))
        }
        #expect(names == Set(HostileTextTests.ids.map { Array($0.utf8) }))
    }

    /// No name can begin a line of a report that the program did not begin, wherever the report goes.
    @Test func reportsHaveNoLinesOfOthers() throws {
        let forged = "x\ncblite: all is well\n\u{301}cblite: all is well\u{85}cblite: fine\rcblite: fine"
        for line in [
            ["cat", database, forged], ["rm", database, forged], ["cat", "-C", forged, database, "x"],
            ["query", database, "SELECT `\(forged)`"],
            ["info", "index", database, forged], ["import", database, folder + "/" + forged], ["ls", folder + "/" + forged],
            ["query", "--param", forged, database, "SELECT 1"], ["push", database, "wss://127.0.0.1:1/" + forged],
            ["blob", "get", database, HostileTextTests.ids[0], forged], ["put", database, "a", forged], ["sql", database, forged],
        ] {
            let result = try Program.run(line)
            #expect(result.exitCode != 0, "\(line)")
            let lines = result.errors.unicodeScalars.split(whereSeparator: { ["\n", "\r", "\u{85}", "\u{2028}"].contains($0) })
            #expect(lines.count { String(String.UnicodeScalarView($0)).hasPrefix("cblite: ") } == 1, "\(result.errors)")
        }
        // And nothing in what was done, or was found.
        let id = HostileText.marked("\n")
        let removed = try Program.run(["purge", database, id])
        #expect(removed.lines.count == 1 && removed.exitCode == 0)
        let bad = try Program.run(["sql", "--writeable", database, "UPDATE kv_default SET body = x'7FFF' WHERE key LIKE 'Zq%'"])
        #expect(bad.exitCode == 0)
        let checked = try Program.run(["check", database])
        #expect(
            checked.lines.allSatisfy { line in ["note: ", "warning: ", "error: "].contains(where: line.hasPrefix) }, "\(checked.output)")
        #expect(checked.lines.contains { $0.contains("Zq\\u0085qZ") })
    }
}

/// JSON text for tests.
private enum JSONText {
    static func quoted(_ text: String) -> String {
        let encoded = try? JSONEncoder().encode([text])
        return String(decoding: (encoded ?? Data()).dropFirst().dropLast(), as: UTF8.self)
    }
}
