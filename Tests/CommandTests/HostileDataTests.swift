import CBLSQLite
import CBLTestSupport
import FoundationEssentials
import Glibc
import Testing

/// Databases whose documents have no end, and whose numbers are absurd, before every command there is: no command hangs, none is ended by a
/// signal, and none takes more memory than a machine has.
@Suite struct HostileDataTests {
    let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path + "/hostile.cblite2"
    }

    /// What follows the database for commands that want more than it. A command that is not here gets the database alone.
    private static let arguments: [String: [[String]]] = [
        "ls": [[], ["-l", "--del"], ["--body"], ["--json", "--body"], ["--seq", "--desc"]],
        "cat": [["*"], ["--raw", "*"], ["--key", "bomb", "bomb"], ["bomb"]],
        "revs": [["bomb"], ["--body", "--json", "bomb"]], "conflicts": [["--body"]], "stats": [["bomb"]], "changes": [[], ["--json"]],
        "schema": [[], ["--json"]], "info": [[], ["--json"], ["-v"]], "check": [[], ["--repair"], ["--salvage", "NEW"]],
        "diff": [["--body", "OTHER"], ["--revs", "OTHER"]], "export": [["-"], ["NEW.json"], ["NEW.csv"]], "dump": [["NEW.dump"]],
        "cp": [["NEW"]], "compact": [[], ["--prune", "1"], ["--purge-deleted"], ["--old-bodies"]],
        "put": [["bomb", "{}"], ["new", "{}"]],
        "rm": [["bomb"], ["good"]], "purge": [["bomb"]], "expire": [["bomb", "30d"], []], "undelete": [["bomb"]], "edit": [["bomb"]],
        "revert": [["bomb", "1"]], "resolve": [["bomb"]], "mv": [["bomb", "other"]], "mkcoll": [["more"]], "rmcoll": [["other"]],
        "mkindex": [["i", "bomb"], ["--fts", "i", "bomb"]], "rmindex": [["i"]], "fts": [["i", "word"]],
        "push": [["NEW"]], "pull": [["OTHER"]], "sync": [["OTHER"]], "import": [["OTHER.json"]],
        "query": [
            ["SELECT * FROM _"], ["SELECT bomb, ARRAY_COUNT(bomb) FROM _ ORDER BY bomb"], ["SELECT ARRAY_AGG(bomb) FROM _"],
            ["SELECT CONCAT(bomb, bomb, META().sequence) FROM _"], ["--writeable", "UPDATE _ SET n = 1"],
        ],
        "blob": [["ls"], ["ls", "-l"], ["ls", "--verify"]],
        "sql": [["SELECT * FROM kvmeta"], ["SELECT fl_value(body, 'bomb') FROM kv_default"]],
    ]

    /// These do not end by themselves, or have no database: what they do with documents others do too.
    private static let excluded: Set<String> = ["serve", "open", "help", "version", "restore", "tour", "openremote"]

    private static let commands: [String] = {
        let names = (try? Program.run(["complete", "command"]))?.lines ?? []
        return names.filter { !excluded.contains($0) }
    }()

    /// A third of all lines, another one each turn: each meets some of the threats, and each threat some of every kind.
    private static func lines(turn: Int) -> [(command: String, words: [String])] {
        let all = commands.flatMap { command in (arguments[command] ?? [[]]).map { (command, $0) } }
        return all.enumerated().filter { ($0.offset + turn) % 3 == 0 }.map(\.element)
    }

    private func make() throws {
        for words in [
            ["--create", "mkcoll", path, "other"], ["put", path, "good", #"{"n":1}"#], ["put", path, "bomb", #"{"bomb":1}"#],
            ["put", path, "bomb", #"{"bomb":2}"#], ["put", path, "gone", "{}"], ["rm", path, "gone"],
        ] {
            let result = try Program.run(words)
            try #require(result.exitCode == 0, "\(words): \(result.errors)")
        }
    }

    private func change(_ sql: String, _ blob: [UInt8]? = nil) throws {
        let connection = try Connection(path: path + "/db.sqlite3", mode: .readWrite)
        try connection.withStatement(sql) { statement in
            if let blob { try statement.bind(blob: blob, 1) }
            try statement.run()
        }
    }

    /// Runs a command on a copy, with as much memory as a small machine has.
    private func run(_ command: String, _ words: [String]) throws -> Program.Result? {
        let place = directory.path + "/run"
        try? FileManager.default.removeItem(atPath: place)
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        let copy = place + "/copy.cblite2"
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        let other = place + "/other.cblite2"
        if words.contains("OTHER") { try FileManager.default.copyItem(atPath: path, toPath: other) }
        if words.contains("OTHER.json") { try Data(#"{"_id":"new"}"#.utf8).write(to: URL(filePath: place + "/other.json")) }
        let arguments = words.map { word in
            switch word {
            case "OTHER": other
            case "OTHER.json": place + "/other.json"
            case "NEW": place + "/new.cblite2"
            case _ where word.hasPrefix("NEW."): place + "/new" + word.dropFirst(3)
            default: word
            }
        }
        // "blob ls": the word of a command's command stands before the database too.
        if command == "blob" { return try calmly([command] + arguments + [copy]) }
        let flags = arguments.prefix { $0.hasPrefix("-") && $0 != "-" }
        // `--salvage NEW` and the like have their value behind them.
        let withValue = flags.count == 1 && ["--salvage", "--key", "--prune"].contains(flags[0]) ? 2 : flags.count
        return try calmly([command] + arguments.prefix(withValue) + [copy] + arguments.dropFirst(withValue))
    }

    private func calmly(_ words: [String]) throws -> Program.Result? {
        try Program.run(
            tool: "sh", ["-c", #"ulimit -v 6000000; EDITOR=true exec "$@""#, "sh", Program.path] + words, timeout: 2 * Patience.seconds)
    }

    private func expectCalm(_ about: String, _ lines: [(command: String, words: [String])]) throws {
        for (command, words) in lines {
            let result = try #require(try run(command, words))
            #expect(!result.timedOut, "\(command) \(words) hangs: \(about)")
            #expect(result.exitCode < 128 || result.exitCode == 130, "\(command) \(words): \(result.exitCode), \(about): \(result.errors)")
            #expect(!result.errors.contains("memory"), "\(command) \(words): \(about): \(result.errors)")
        }
    }

    @Test func thereAreCommands() { #expect(Self.commands.count > 30) }

    @Test(arguments: 0..<DataBomb.all.count) func noCommandHangsOnAnEndlessDocument(number: Int) throws {
        let bomb = DataBomb.all[number]
        try make()
        try change("UPDATE kv_default SET body=?, flags=flags|4 WHERE key='bomb'", bomb.bytes)
        try expectCalm(bomb.name, Self.lines(turn: number))
    }

    /// What is good is shown, and what is not is named.
    @Test(arguments: DataBomb.all) func theOthersAreShown(_ bomb: DataBomb) throws {
        try make()
        try change("UPDATE kv_default SET body=? WHERE key='bomb'", bomb.bytes)
        for (command, words) in [("cat", ["--raw", "*"]), ("export", ["-"]), ("ls", ["--json", "--body"])] {
            let result = try #require(try run(command, words))
            #expect(result.exitCode == 1)
            #expect(result.output.contains(#""n":1"#), "\(command)")
            #expect(!result.output.contains("undefined"), "\(command)")
            #expect(result.errors.contains("bomb") && result.errors.contains("again and again"), "\(command): \(result.errors)")
        }
    }

    private static let values = ["-9223372036854775808", "9223372036854775807", "1e300", "'x'", "x'00'", "NULL"]
    private static let places = [
        "kv_default SET sequence=? WHERE key='bomb'", "kv_default SET flags=? WHERE key='bomb'",
        "kv_default SET expiration=? WHERE key='bomb'",
        "kv_default SET version=? WHERE key='bomb'", "kv_default SET extra=? WHERE key='bomb'", "kv_default SET body=? WHERE key='bomb'",
        "kvmeta SET lastSeq=?", "kvmeta SET purgeCnt=?", "kv_info SET body=? WHERE key LIKE 'max%'",
        "kv_info SET body=? WHERE key='versioning'",
    ]

    @Test(arguments: places) func noCommandTrapsOnAbsurdNumbers(place: String) throws {
        try make()
        let sound = directory.path + "/sound"
        try FileManager.default.copyItem(atPath: path, toPath: sound)
        for (turn, value) in Self.values.enumerated() {
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.copyItem(atPath: sound, toPath: path)
            try change("UPDATE \(place)".replacing("?", with: value))
            var lines = Self.lines(turn: turn + place.utf8.count)
            // A peer that offers a revision and never sends it is waited for, as one on a slow line is; Ctrl-C ends that.
            if place.contains("version=?") { lines.removeAll { ["pull", "sync"].contains($0.command) } }
            try expectCalm("\(place) \(value)", lines)
        }
    }

    /// The reader of a pipe takes no more until the interrupt has been sent, so it arrives in the middle of the work.
    @Test(arguments: [
        ["check"], ["ls", "--json", "--body"], ["cat", "--raw", "*"], ["export", "-"],
    ])
    func ctrlCEndsAWalkThroughEndlessDocuments(words: [String]) throws {
        try make()
        try change("DELETE FROM kv_default")
        let connection = try Connection(path: path + "/db.sqlite3", mode: .readWrite)
        try connection.execute("BEGIN")
        // What is printed at once fills the buffer of the output, and the pipe.
        let text = FleeceBuilder.document(text: 4000)
        for number in 0..<3000 {
            let isGood = number < 200
            let id = "\(isGood ? "a" : "b")-document-with-a-rather-long-name-\(number)"
            let sql = "INSERT INTO kv_default (key, sequence, flags, version, body) VALUES ('\(id)', \(number + 10), 0, x'0101', ?)"
            let statement = try connection.prepare(sql)
            try statement.bind(blob: isGood ? text : DataBomb.all[0].bytes, 1)
            try statement.run()
        }
        try connection.execute("COMMIT")
        let flags = words.dropFirst().filter { $0.hasPrefix("--") }
        let program = try RunningProgram([words[0]] + flags + [path] + words.dropFirst().filter { !$0.hasPrefix("--") })
        #expect(program.readOutput(atLeast: 1))
        program.send(signal: SIGINT)
        let result = program.finish()
        #expect(!result.timedOut)
        #expect(result.exitCode == 130, "\(words): \(result.errors.prefix(300))")
    }
}
