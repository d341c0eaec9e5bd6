import CBLTestSupport
import FoundationEssentials
import Glibc
import Testing

/// The settings of the interactive shell, as somebody at a terminal sees them.
@Suite(.serialized) struct SettingsTests {
    private let scratch: Scratch
    private let config: String

    init() throws {
        scratch = try Scratch([
            "a": #"{"n":1.5,"name":"Ada","list":[1,2],"nothing":null}"#, "b": #"{"n":20,"name":"Grace Brewster Murray Hopper"}"#,
            "c": #"{"n":300.25,"name":"Edsger","nothing":null}"#,
        ])
        config = scratch.directory.path + "/.config/cblite/config"
    }

    private func open(columns: Int = 200, environment more: [String: String] = [:], config text: String? = nil) throws -> PseudoTerminal {
        if let text {
            try FileManager.default.createDirectory(
                atPath: scratch.directory.path + "/.config/cblite", withIntermediateDirectories: true)
            try text.write(toFile: config, atomically: false, encoding: .utf8)
        }
        let environment = ["HOME": scratch.directory.path].merging(more) { _, new in new }
        let terminal = try PseudoTerminal([scratch.path], environment: environment, columns: columns)
        try terminal.waitForLine("scratch>")
        if text == nil { try terminal.run(".timer off", prompt: "scratch>") }
        return terminal
    }

    @Test func nullHeadersAndWidthShapeTheRows() throws {
        let terminal = try open()
        let query = "SELECT name, nothing, n FROM _ ORDER BY meta().id"
        #expect(
            try terminal.run(query, prompt: "scratch>") == [
                "name                          nothing       n", "Ada                           null       1.5",
                "Grace Brewster Murray Hopper            20", "Edsger                        null     300.25",
            ])
        for line in [".null -", ".headers off", ".width 8"] { try terminal.run(line, prompt: "scratch>") }
        #expect(
            try terminal.run(query, prompt: "scratch>") == ["Ada       -    1.5", "Grace B…      20", "Edsger    -  300.25"])
        try terminal.run(".mode csv", prompt: "scratch>")
        #expect(try terminal.run(query, prompt: "scratch>").last == "Edsger,-,300.25")
        for line in [".mode table", ".headers on", ".width 0"] { try terminal.run(line, prompt: "scratch>") }
        #expect(try terminal.run("SELECT n FROM _ WHERE n = 20", prompt: "scratch>") == [" n", "20"])
    }

    @Test func limitShowsTheFirstRowsOnTheScreenOnly() throws {
        let terminal = try open()
        try terminal.run(".limit 2", prompt: "scratch>")
        #expect(
            try terminal.run("SELECT n FROM _ ORDER BY n", prompt: "scratch>") == [
                " 1.5", "20", "(The first 2 rows: .limit 2. '.limit off' and 'again' show all)",
            ])
        #expect(try terminal.run("SELECT n FROM _ ORDER BY n LIMIT 3", prompt: "scratch>").count == 3)
        #expect(try terminal.run("SELECT n FROM _ WHERE n < 100", prompt: "scratch>").count == 2)
        try terminal.run(".mode jsonl", prompt: "scratch>")
        #expect(try terminal.run("SELECT n FROM _ ORDER BY n", prompt: "scratch>").count == 3)
        #expect(try terminal.run("SELECT n FROM _; | wc -l", prompt: "scratch>") == ["3"])
        #expect(try terminal.run("query --json 'SELECT n FROM _'", prompt: "scratch>").count == 3)
        #expect(try terminal.run("EXPLAIN SELECT n FROM _", prompt: "scratch>").allSatisfy { !$0.contains("LIMIT") })
        let file = scratch.directory.path + "/rows"
        try terminal.run("SELECT n FROM _; > \(file)", prompt: "scratch>")
        #expect(try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").count == 3)
    }

    @Test func rowsAreCountedBelow() throws {
        let terminal = try open(config: "")
        let rows = try terminal.run("SELECT n FROM _", prompt: "scratch>")
        #expect(rows.count == 4 && rows[3].hasPrefix("(3 rows, ") && rows[3].hasSuffix(" ms)"))
        #expect(try terminal.run("SELECT n FROM _ WHERE n = 20", prompt: "scratch>").last?.hasPrefix("(1 row, ") ?? false)
        #expect(try terminal.run("SELECT n FROM _; | cat", prompt: "scratch>").count == 3)
        #expect(try terminal.run("ls a", prompt: "scratch>") == ["a"])
    }

    @Test func parametersStandForValues() throws {
        let terminal = try open()
        try terminal.run(#".set $who "Grace Brewster Murray Hopper""#, prompt: "scratch>")
        try terminal.run(".set least=2", prompt: "scratch>")
        #expect(try terminal.run("SELECT n FROM _ WHERE name = $who", prompt: "scratch>") == ["20"])
        #expect(try terminal.run("SELECT n FROM _ WHERE n > $least ORDER BY n", prompt: "scratch>") == [" 20", "300.25"])
        #expect(
            try terminal.run("query -p least=100 'SELECT n FROM _ WHERE n > $least'", prompt: "scratch>") == ["300.25"])
        #expect(
            try terminal.run(".set", prompt: "scratch>").suffix(2) == ["$least 2", #"$who "Grace Brewster Murray Hopper""#])
        try terminal.run(".set $who {\"a\": [1, \"x y\"]}", prompt: "scratch>")
        #expect(try terminal.run(".set $who", prompt: "scratch>") == [#"$who {"a":[1,"x y"]}"#])
        #expect(try terminal.run(".set $who [1,", prompt: "scratch>").first == #"cblite: .set $who: "[1," is not JSON"#)
        #expect(try terminal.run(".unset $wo", prompt: "scratch>") == ["cblite: there is no parameter $wo. Did you mean $who?"])
        try terminal.run(".unset $who", prompt: "scratch>")
        #expect(
            try terminal.run("SELECT n FROM _ WHERE name = $who", prompt: "scratch>") == [
                "$who has no value, and is MISSING; '.set $who VALUE' gives one.", "(No results)",
            ])
        #expect(try terminal.run(".set mode=csv", prompt: "scratch>").last == "Write .mode csv, or .set $mode csv")
        try terminal.run(".set mode csv", prompt: "scratch>")
        #expect(try terminal.run(".mode", prompt: "scratch>") == ["csv"])
        try terminal.run(".unset mode", prompt: "scratch>")
        #expect(try terminal.run(".mode", prompt: "scratch>") == ["table"])
        terminal.type(".set $l\tx")
        try terminal.waitForLine("scratch> .set $least x")
    }

    @Test func theTimeOfEveryCommandIsToldIfOneWants() throws {
        let terminal = try open()
        try terminal.run(".timer on", prompt: "scratch>")
        let listing = try terminal.run("ls a", prompt: "scratch>")
        #expect(listing.count == 2 && listing[1].hasPrefix("Time: "))
        let rows = try terminal.run("SELECT n FROM _ WHERE n = 20", prompt: "scratch>")
        #expect(rows[0] == "20" && rows[1].hasPrefix("(1 row, ") && !rows.contains { $0.hasPrefix("Time: ") }, "\(rows)")
    }

    @Test func rowsOfJSONAreFoldedOnTheScreenOnly() throws {
        let terminal = try open(columns: 60)
        try terminal.run(".mode json", prompt: "scratch>")
        let row = #"[{"name": "Grace Brewster Murray Hopper", "n": 20, "id": "b"}]"#
        let query = "SELECT name, n, meta().id FROM _ WHERE n = 20"
        #expect(
            try terminal.run(query, prompt: "scratch>") == [
                "[{", #"   "name": "Grace Brewster Murray Hopper","#, #"   "n": 20,"#, #"   "id": "b""#, " }]",
            ])
        terminal.resize(columns: 70)
        #expect(try terminal.run(query, prompt: "scratch>") == [row])
        terminal.resize(columns: 60)
        #expect(try terminal.run(query + "; | tr _ .", prompt: "scratch>").suffix(2).joined() == row)
    }

    @Test func promptsAreAsOneWantsThem() throws {
        let terminal = try open()
        terminal.type(".prompt {mode} {db}:{coll}{txn}$\n")
        try terminal.waitForLine("table scratch$")
        terminal.type("cd _default\n.mode csv\n")
        try terminal.waitForLine("csv scratch$")
        terminal.type("SELECT n FROM\n")
        try terminal.waitForLine("         ..>")
        terminal.type("\u{3}")
        try terminal.waitForLine("csv scratch$")
        terminal.type(".unset prompt\n")
        try terminal.waitForLine("scratch>")
    }

    @Test func settingsAreSavedForTheNextTime() throws {
        let first = try open(config: "# my own\n.timer off\n")
        for line in [".mode line", ".set null nil", ".set $x 1"] { try first.run(line, prompt: "scratch>") }
        #expect(try first.run(".save", prompt: "scratch>") == ["Saved in \(config)"])
        #expect(try String(contentsOfFile: config, encoding: .utf8) == "# my own\n.timer off\n.mode line\n.null nil\n")
        let second = try open()
        #expect(try second.run("SELECT nothing FROM _ LIMIT 1", prompt: "scratch>") == ["nothing = nil"])
    }

    @Test func strangeSettingsKeepNobodyFromWork() throws {
        let binary = try open(config: ".mode csv\n\u{1}\u{2}\n.fancy\nls\nrm a\n.width x\n.timer off\n")
        #expect(binary.text.contains("line 2") && binary.text.contains("2 more lines are not understood"))
        #expect(try binary.run("SELECT n FROM _ WHERE n = 20", prompt: "scratch>") == ["n", "20"])
        try FileManager.default.removeItem(atPath: config)
        try FileManager.default.createDirectory(atPath: config, withIntermediateDirectories: true)
        let directory = try open()
        #expect(directory.screen.lines[0].hasSuffix("is a directory, and no file with settings"))
        #expect(try directory.run(".save", prompt: "scratch>").first?.hasSuffix("is a directory, and no file with settings") ?? false)
        try FileManager.default.removeItem(atPath: config)
        #expect(mkfifo(config, 0o600) == 0)
        #expect(try open().screen.lines[0].hasSuffix("is not a file with settings"))
    }

    @Test func themesColourTheScreen() throws {
        let terminal = try open(environment: ["TERM": "xterm-256color"])
        func sent(_ line: String) throws -> String {
            let before = terminal.transcript.count
            try terminal.run(line, prompt: "scratch>")
            return String(decoding: terminal.transcript[before...], as: UTF8.self)
        }
        #expect(try sent("SELECT list, nothing FROM _ LIMIT 1").contains("[\u{1B}[36m1\u{1B}[0m,\u{1B}[36m2\u{1B}[0m]"))
        #expect(try sent("SELECT list, nothing FROM _ LIMIT 1").contains("\u{1B}[1;4mlist\u{1B}[0m"))
        #expect(try sent("SELECT nme FORM _").contains("\u{1B}[1;31mcblite: \u{1B}[0mSQL++ syntax error"))
        #expect(try sent("SELECT nme FORM _").contains(" ^~~~\u{1B}[0m"))
        try terminal.run(".theme dark", prompt: "scratch>")
        #expect(try sent("cat a").contains("\u{1B}[38;5;117m\"_id\"\u{1B}[0m: \u{1B}[38;5;150m\"a\""))
        #expect(try sent("revs a").contains("* \u{1B}[1;38;5;255m1-"))
        let samples = try sent(".theme")
        #expect(samples.contains("\u{1B}[38;5;22m\"x\"") && samples.contains("\u{1B}[38;5;150m\"x\""))
        try terminal.run(".theme none", prompt: "scratch>")
        #expect(try !sent("cat a").contains("m\"a\""))
        #expect(try sent(".theme").contains("\u{1B}[32m\"x\""))
        #expect(try terminal.run("SELECT list, n FROM _ LIMIT 1", prompt: "scratch>")[1].hasPrefix("----"))
    }

    @Test func theThemeIsAlsoThatOfSingleCommands() throws {
        _ = try open(config: ".theme light\n")
        let environment = ["HOME": scratch.directory.path, "XDG_CONFIG_HOME": ""]
        let result = try Program.run(["--color", "cat", "--raw", scratch.path, "a", "--key", "n"], environment: environment)
        #expect(result.output.contains("\u{1B}[38;5;25m\"n\"\u{1B}[0m"))
        try ".theme none\n".write(toFile: config, atomically: false, encoding: .utf8)
        let plain = try Program.run(["--color", "cat", "--raw", scratch.path, "a", "--key", "n"], environment: environment)
        #expect(plain.output == #"{"_id":"a", "n":1.5}"# + "\n")
    }

    @Test func namesAndValuesAreCompleted() throws {
        let terminal = try open()
        for (typed, line) in [
            (".pro\t", ".prompt"), (".theme da\t", ".theme dark"), (".set th\t", ".set theme"), (".set theme li\t", ".set theme light"),
            (".headers of\t", ".headers off"), (".pager a\t", ".pager auto"), (".unset the\t", ".unset theme"),
        ] {
            terminal.type(typed)
            try terminal.waitForLine("scratch> " + line)
            terminal.type("\u{15}")
            try terminal.waitForLine("scratch>")
        }
    }
}
