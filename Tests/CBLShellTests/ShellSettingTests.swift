import CBLTestSupport
import FoundationEssentials
import Glibc
import Testing

@testable import CBLShell

/// The settings of the interactive shell as values, and the file that keeps them.
@Suite struct ShellSettingTests {
    private func set(_ name: String, _ text: String, in settings: inout ShellSettings) throws {
        try ShellSetting.named(name).set(text, in: &settings)
    }

    // Another value of each setting.
    private static let others = [
        "mode": "csv", "headers": "off", "width": "10 0 30", "null": " NULL \"x\" \\", "limit": "100", "timer": "on",
        "pager": "on less -S", "prompt": "{db}|{mode}>;  ", "theme": "dark",
    ]

    @Test func everySettingGivesBackWhatItWasSetTo() throws {
        #expect(Set(ShellSettingTests.others.keys) == Set(ShellSetting.kept.map(\.name)))
        for setting in ShellSetting.kept {
            var settings = ShellSettings()
            let other = try #require(ShellSettingTests.others[setting.name])
            let get = try #require(setting.value?.get)
            #expect(get(settings) != other)
            try setting.set(other, in: &settings)
            #expect(get(settings) == other)
            try setting.set(get(ShellSettings()), in: &settings)
            #expect(settings == ShellSettings())
        }
    }

    @Test(arguments: [
        ("mode", "tabel", #".mode is one of table, json, jsonl, csv, tsv, markdown, line, html, not "tabel". Did you mean "table"?"#),
        ("headers", "of", #".headers is one of auto, on, off, not "of". Did you mean "on"?"#),
        ("width", "-1", #".width needs auto, a number of columns, or one for each column, not "-1""#),
        ("width", "10 x", #".width needs auto, a number of columns, or one for each column, not "x""#),
        ("limit", "0", #".limit needs off or a number above zero, not "0""#),
        ("pager", "atuo", #".pager is auto, on, off or a command, not "atuo". Did you mean "auto"?"#),
        ("pager", "off less", ".pager off takes no command"),
        ("prompt", "{cool}>", ".prompt has no place {cool}. Did you mean {coll}?"),
        ("prompt", "{db", ".prompt: a } is missing behind {db"),
        ("theme", "drak", #".theme is one of default, dark, light, mono, none, not "drak". Did you mean "dark"?"#),
        ("read", "x", #"".read" is not a setting that has a value"#),
    ])
    func mistakesAreTold(name: String, text: String, message: String) throws {
        var settings = ShellSettings()
        let setting = try ShellSetting.named(name)
        let error = #expect(throws: CommandError.self) { try setting.set(text, in: &settings) }
        #expect(error?.message == message)
        #expect(settings == ShellSettings())
    }

    @Test(arguments: [
        ("{db}:{coll}{txn}>", "travel:inventory.hotel*>"), ("{coll}@{db} {mode}$ ", "inventory.hotel@travel table$ "), ("x", "x"), ("", ""),
        ("\u{1B}[2J", "\\u001b[2J"),
    ])
    func promptsAreFilled(template: String, text: String) throws {
        var prompt = Prompt(database: "travel", collection: try .init(parsing: "inventory.hotel"), isInTransaction: true)
        #expect(try PromptTemplate(template).filled(with: prompt, mode: .table) == text)
        prompt.collection = .default
        prompt.isInTransaction = false
        #expect(PromptTemplate.standard.filled(with: prompt, mode: .table) == "travel>")
    }

    @Test func widthsAreForAllColumnsOrEach() throws {
        let all = try ColumnWidths("20")
        #expect(all.limit(ofColumn: 0) == 20 && all.limit(ofColumn: 9) == 20)
        let each = try ColumnWidths("10 0 30")
        #expect((0..<4).map { each.limit(ofColumn: $0) } == [10, nil, 30, nil])
        #expect(try ColumnWidths("0") == .auto && ColumnWidths("auto") == .auto)
    }

    @Test(arguments: [
        (["$city Paris"], "city", "Paris"), (["$city=Paris"], "city", "Paris"), (["city=Paris"], "city", "Paris"),
        (["$list [1, 2] ;"], "list", "[1, 2]"), (["$n = 5"], "n", "5"), (["$city"], "city", nil), (["$mode=1"], "mode", "1"),
    ])
    func parametersHaveANameAndAValue(words: [String], name: String, value: String?) throws {
        let parameter = try #require(SettingName.parameter(words))
        #expect(parameter.name == name)
        #expect(parameter.value == value)
    }

    @Test(arguments: [["mode", "csv"], ["mode=csv"], ["$"], [], ["a-b=1"]]) func otherWordsAreNoParameters(words: [String]) {
        #expect(SettingName.parameter(words) == nil)
    }

    @Test(arguments: [
        (".prompt {db} > ", ["prompt", "{db} >"]), (".prompt '{db} > '", ["prompt", "{db} > "]),
        (".set prompt a;b", ["set", "prompt", "a;b"]), (".pager a | b; c", ["pager", "a | b; c"]), (".pager 'less'", ["pager", "less"]),
        (".prompt", ["prompt"]),
        (#".set $x {"a": "b c"}"#, ["set", #"$x {"a": "b c"}"#]), (".width 10  0", ["width", "10", "0"]), (".null ''", ["null", ""]),
        (".set mode csv", ["set", "mode", "csv"]), (".set", ["set"]), (#".set x="y > z" "#, ["set", #"x="y > z""#]),
    ])
    func theLineOfASettingIsSplit(line: String, words: [String]) throws {
        var reader = StatementReader(commands: [])
        reader.append(line)
        #expect(try reader.next(isLast: true)?.action == .setting(words))
    }

    // The file

    private func read(_ file: SettingsFile) -> (ShellSettings, mistakes: [String]) {
        var settings = ShellSettings()
        var mistakes: [String] = []
        file.forEach(
            { entry throws(CommandError) in try entry.setting.set(entry.text, in: &settings) }, onMistake: { mistakes.append($0.message) })
        return (settings, mistakes)
    }

    @Test func whatIsSavedReadsBack() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/new/folder/config"
        var settings = ShellSettings()
        for (name, text) in ShellSettingTests.others { try set(name, text, in: &settings) }
        var file = try SettingsFile(path)
        file.keep(settings)
        try file.write()
        let again = read(try SettingsFile(path))
        #expect(again.0 == settings)
        #expect(again.mistakes == [])
        var facts = stat()
        #expect(stat(path, &facts) == 0 && facts.st_mode & 0o133 == 0)
        #expect(stat(directory.path + "/new", &facts) == 0 && facts.st_mode & 0o777 == 0o700)
    }

    @Test func savingKeepsCommentsUnknownLinesRightsAndLinks() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/config"
        let old = "# mine\n\n.mode csv   -- rows\n.timer on\r\n.fancy 1\n.mode json\nls\n.width 20"
        try old.write(toFile: directory.path + "/real", atomically: false, encoding: .utf8)
        #expect(symlink("real", path) == 0 && chmod(path, 0o600) == 0)
        var file = try SettingsFile(path)
        var (settings, mistakes) = read(file)
        #expect(settings.mode == .json && settings.timing == .on)
        #expect(mistakes.count == 3 && mistakes[1] == "\(path): line 5: no setting \".fancy\".")
        settings.timing = .auto
        settings.null = "-"
        file.keep(settings)
        try file.write()
        #expect(
            try String(contentsOfFile: path, encoding: .utf8)
                == "# mine\n\n.mode csv   -- rows\n.fancy 1\n.mode json\nls\n.width 20\n.null -\n")
        var facts = stat()
        #expect(lstat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFLNK)
        #expect(stat(path, &facts) == 0 && facts.st_mode & 0o777 == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() == ["config", "real"])
    }

    @Test func strangeFilesAreRefused() throws {
        let directory = try TemporaryDirectory()
        let message = { (path: String) in #expect(throws: CommandError.self) { try SettingsFile(path) }?.message ?? "" }
        #expect(message(directory.path).hasSuffix("is a directory, and no file with settings"))
        #expect(message("/dev/zero").hasSuffix("is not a file with settings"))
        let pipe = directory.path + "/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        #expect(message(pipe).hasSuffix("is not a file with settings"))
        let large = directory.path + "/large"
        try String(repeating: ".mode csv\n", count: 10_000).write(toFile: large, atomically: false, encoding: .utf8)
        #expect(message(large).hasSuffix("is too large for a file with settings"))
        let binary = directory.path + "/binary"
        try Data([0x7F, 0x45, 0x4C, 0x46, 0, 0]).write(to: URL(filePath: binary))
        #expect(message(binary).hasSuffix("is not a file with settings"))
        #expect(try read(SettingsFile(directory.path + "/absent")).0 == ShellSettings())
    }

    /// Whatever bytes are in the file: it is read, some mistakes are told, and saving it keeps what is not understood.
    @Test func randomBytesDoNoHarm() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/config"
        var random = SeededRandom(11)
        let words = [
            ".mode", ".width", " ", "10", "\n", "'", "\"", "\\", "{", ".set $x ", ".prompt ", "\u{7F}", "é", ";", "|", ">", "#", "\r",
        ]
        for _ in 0..<300 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 0..<40, using: &random) {
                if Bool.random(using: &random) {
                    bytes += Array((words.randomElement(using: &random) ?? "").utf8)
                } else {
                    bytes.append(UInt8.random(in: 1...255, using: &random))
                }
            }
            try Data(bytes).write(to: URL(filePath: path))
            var file = try SettingsFile(path)
            let (settings, mistakes) = read(file)
            #expect(mistakes.count <= 4)
            file.keep(settings)
            try file.write()
            #expect(read(try SettingsFile(path)).0 == settings, "\(bytes)")
        }
    }
}
