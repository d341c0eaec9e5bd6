import Testing

@testable import CBLShell

private let commands = sampleCommands

/// `∅` stands for an empty word.
private func words(_ line: String) -> [String] { line.split(separator: " ").map { $0 == "∅" ? "" : String($0) } }

private func parse(_ line: String, open: Bool = false) throws -> (command: ParsedCommand, options: GlobalOptions) {
    let result = try ArgumentParser.parse(words(line), commands: commands, hasOpenDatabase: open)
    guard case .run(let command) = result.request else { throw CommandError.failed("not a command: \(result.request)") }
    return (command, result.options)
}

@Suite struct ArgumentParserTests {
    @Test(arguments: [
        "ls -l --limit 5 db", "ls db -l --limit=5", "ls --limit 5 db --long", "ls db --limit 5 -l", "ls -limit 5 -long db",
        "ls -limit=5 db -l", "list --long db --limit 5", "ls -l --limit 1 --limit 5 db", "LS -l db --limit 5",
    ])
    func flagsMayStandAnywhere(line: String) throws {
        let (command, _) = try parse(line)
        #expect(command.flag("long"))
        #expect(command.int("limit") == 5)
        #expect(command.databasePath == "db")
        #expect(command.argumentIfGiven("PATTERN") == nil)
        #expect(!command.flag("desc"))
        #expect(command.string("cacert") == nil)
    }

    @Test(arguments: [("-v", 1), ("-vv", 2), ("-v -v", 2), ("--verbose -vv", 3), ("-lvv", 2), ("-lv", 1), ("-l", 0)])
    func shortFlagsCombineAndCount(flags: String, count: Int) throws {
        #expect(try parse("ls \(flags) db").command.count("verbose") == count)
    }

    @Test(arguments: ["-k name", "-kname", "-k=name", "-lk name", "-lkname", "--key name", "--key=name", "-key name", "-key=name"])
    func aFlagTakesItsValueInEveryForm(flags: String) throws {
        let (command, _) = try parse("ls \(flags) db x*")
        #expect(command.strings("key") == ["name"])
        #expect(command.argumentIfGiven("PATTERN") == "x*")
    }

    @Test func repeatedFlagsKeepAllValues() throws {
        #expect(try parse("ls -k a db --key b -kc").command.strings("key") == ["a", "b", "c"])
    }

    @Test(arguments: [("--key --long", "--long"), ("--key --", "--"), ("--key ∅", ""), ("--key=", ""), ("--key=a=b", "a=b"), ("-k -", "-")])
    func aValueMayLookLikeAnything(flags: String, value: String) throws {
        #expect(try parse("ls \(flags) db").command.string("key") == value)
    }

    @Test func twoDashesEndTheFlags() throws {
        let (command, _) = try parse("ls db -- -l")
        #expect(command.argumentIfGiven("PATTERN") == "-l")
        #expect(!command.flag("long"))
        #expect(try parse("ls -- db --").command.argumentIfGiven("PATTERN") == "--")
    }

    @Test func oneDashAndAnEmptyWordAreValues() throws {
        #expect(try parse("cp db.cblite2 -").command.argument("DESTINATION") == "-")
        #expect(try parse("ls db ∅").command.argumentIfGiven("PATTERN")?.isEmpty == true)
    }

    @Test func negativeNumbersAreValues() throws {
        #expect(try parse("ls --number -5 db").command.int("number") == -5)
        #expect(try parse("ls -n-5 db").command.int("number") == -5)
        #expect(try parse("ls db -5").command.argumentIfGiven("PATTERN") == "-5")
        #expect(try parse("put db doc -0.5").command.argument("JSON") == "-0.5")
    }

    @Test func theRestOfTheLineIsOneText() throws {
        let (command, options) = try parse("select db name, age FROM people WHERE age > -1 --json")
        #expect(command.argument("REST") == "name, age FROM people WHERE age > -1")
        #expect(options.isJSON)
    }

    @Test func aRepeatingArgumentLeavesEnoughForThoseBehindIt() throws {
        let (command, _) = try parse("mv db a b c target")
        #expect(command.arguments("DOCID") == ["a", "b", "c"])
        #expect(command.argument("COLLECTION") == "target")
    }

    @Test(arguments: [
        "info indexes db", "info db indexes", "info -v indexes db", "info indexes -v db", "info db -v indexes", "info db indexes -v",
        "-C x info indexes db -v", "info -C x db indexes -v", "info -Cx db indexes --verbose",
    ])
    func aSubcommandMayStandBeforeOrAfterTheDatabase(line: String) throws {
        let (command, _) = try parse(line)
        #expect(command.title == "info indexes")
        #expect(command.databasePath == "db")
    }

    @Test func theNameOfAnIndexMayStandBeforeItsDatabase() throws {
        let command = try parse("info index by.name a.cblite2").command
        #expect(command.databasePath == "a.cblite2")
        #expect(command.argument("NAME") == "by.name")
    }

    @Test(arguments: ["info index db name --limit 3", "info db index name --limit 3", "info --limit 3 db index name"])
    func aSubcommandHasItsOwnArgumentsAndFlags(line: String) throws {
        let (command, _) = try parse(line)
        #expect(command.title == "info index")
        #expect(command.argument("NAME") == "name")
        #expect(command.int("limit") == 3)
    }

    @Test func aCommandWithSubcommandsMayAlsoStandAlone() throws {
        #expect(try parse("info db -v").command.title == "info")
        // A path of that name needs a "./" in front.
        #expect(try parse("info ./indexes").command.title == "info")
    }

    @Test func anOpenDatabaseTakesThePlaceOfItsPath() throws {
        let (list, _) = try parse("ls -l x*", open: true)
        #expect(list.databasePath == nil)
        #expect(list.argumentIfGiven("PATTERN") == "x*")
        #expect(try parse("info indexes", open: true).command.title == "info indexes")
        #expect(try parse("info index indexes", open: true).command.argument("NAME") == "indexes")
        let (copy, _) = try parse("cp out.json", open: true)
        #expect(copy.argument("DESTINATION") == "out.json")
        #expect(copy.argumentIfGiven("SOURCE") == nil)
    }

    @Test(arguments: [
        "--writable -C a.b --json ls db", "ls db --writeable --collection=a.b --json", "-writeable ls -C a.b db -json",
        "-Ca.b ls --writable db --json",
    ])
    func globalFlagsMayStandBeforeOrAfterTheCommand(line: String) throws {
        let (_, options) = try parse(line)
        #expect(options.isWriteable)
        #expect(options.collection == "a.b")
        #expect(options.isJSON)
        #expect(!options.creates)
    }

    @Test func creatingAndUpgradingImplyWriting() throws {
        #expect(try parse("--create ls db").options.isWriteable)
        let (_, plain) = try parse("--upgrade ls db")
        #expect(plain.upgrade == .newest && plain.isWriteable)
        #expect(try parse("--upgrade=vv ls db").options.upgrade == .versionVectors)
    }

    @Test func aCommandsOwnFlagReplacesAGlobalOne() throws {
        let (command, options) = try parse("put --create db doc {}")
        #expect(command.flag("create"))
        #expect(!options.creates)
        #expect(try parse("--create put db doc {}").options.creates)
    }

    @Test(arguments: [
        ("--color", GlobalOptions.Color.always), ("--color=never", .never), ("--color=auto", .auto), ("--colour=always", .always),
    ])
    func colorMayHaveAValue(flag: String, color: GlobalOptions.Color) throws {
        #expect(try parse("\(flag) ls db").options.color == color)
        #expect(try parse("ls \(flag) db").options.color == color)
    }

    @Test(arguments: ["a.cblite2", "a.cblite2/", "dir/a.cblite2//", "--json a.cblite2", "a.cblite2 --writeable"])
    func aDatabaseAloneIsOpened(line: String) throws {
        let result = try ArgumentParser.parse(words(line), commands: commands)
        guard case .open(let path) = result.request else { throw CommandError.failed("\(result.request)") }
        #expect(path.contains("a.cblite2"))
    }

    @Test func aDatabaseMayStandBeforeTheCommand() throws {
        let (command, _) = try parse("a.cblite2 ls x* -l")
        #expect(command.databasePath == "a.cblite2")
        #expect(command.argumentIfGiven("PATTERN") == "x*")
    }

    @Test(arguments: ["ws://h/db", "wss://h:4984/db"])
    func aURLAloneIsOpened(url: String) throws {
        let request = try ArgumentParser.parse([url, "--quiet"], commands: Commands.all).request
        guard case .run(let command) = request else { throw CommandError.failed("\(request)") }
        #expect(command.command.name == "openremote" && command.argument("URL") == url)
    }

    @Test(arguments: [
        ("--help", []), ("-h", []), ("--help ls", ["ls"]), ("ls --help", ["ls"]), ("ls -h", ["ls"]), ("ls db a --help", ["ls"]),
        ("info indexes --help", ["info", "indexes"]), ("blob --help", ["blob"]),
    ])
    func helpNeedsNothingElse(line: String, expected: [String]) throws {
        let result = try ArgumentParser.parse(words(line), commands: commands)
        guard case .help(let found) = result.request else { throw CommandError.failed("\(result.request)") }
        #expect(found == expected)
    }

    @Test(arguments: [
        ("sl db", "no command \"sl\". Did you mean \"ls\"?"),
        ("xyzzy", "no command \"xyzzy\"."),
        ("a.cblite2 sl", "no command \"sl\". Did you mean \"ls\"?"),
        ("--limt ls", "unknown flag --limt."),
        ("ls --limt 5 db", "ls: unknown flag --limt. Did you mean --limit?"),
        ("ls --limt=5 db", "ls: unknown flag --limt. Did you mean --limit?"),
        ("ls -desk db", "ls: unknown flag -desk. Did you mean --desc?"),
        ("ls -x db", "ls: unknown flag -x."),
        ("ls -lx db", "ls: unknown flag -x in -lx."),
        ("ls", "ls: DATABASE is missing"),
        ("ls db a b", "ls: \"b\" is one argument too many"),
        ("put db", "put: DOCID is missing"),
        ("put db doc", "put: JSON is missing"),
        ("mv db a", "mv: COLLECTION is missing"),
        ("mv db", "mv: DOCID is missing"),
        ("ls --limit", "ls: --limit needs a value"),
        ("ls -lk", "ls: -k needs a value"),
        ("ls --limit x db", "ls: --limit needs a whole number, 0 or more, not \"x\""),
        ("ls --limit -1 db", "ls: --limit needs a whole number, 0 or more, not \"-1\""),
        ("ls --limit 99999999999999999999 db", "ls: --limit needs a whole number, 0 or more, not \"99999999999999999999\""),
        ("ls -n 11 db", "ls: -n needs a whole number from -10 to 10, not \"11\""),
        ("ls --desc=yes db", "ls: --desc takes no value"),
        ("ls -l=yes db", "ls: -l takes no value"),
        ("put --mode fsat db d {}", "put: --mode is one of fast, safe, not \"fsat\". Did you mean \"fast\"?"),
        ("--upgrade=2 ls db", "--upgrade is one of vv, not \"2\"."),
        ("blob", "blob needs one of: ls"),
        ("blob sl a.cblite2", "blob: no \"sl\". Did you mean \"ls\"?"),
        ("info index db", "info index: NAME is missing"),
        ("info indexs a.cblite2", "info: no \"indexs\". Did you mean \"indexes\"?"),
        ("ls db -KabcdeF", "ls: unknown flag -KabcdeF. A document ID that begins with a dash goes behind --."),
    ])
    func mistakesAreNamed(line: String, expected: String) {
        do {
            _ = try ArgumentParser.parse(words(line), commands: commands)
            Issue.record("no error")
        } catch {
            #expect(error.message == expected)
            #expect(error.exitCode == .usage)
            #expect(error.hint != nil)
        }
    }

    @Test func everyMistakeHasAUsageLine() {
        #expect(throws: CommandError.usage("ls: DATABASE is missing", hint: "usage: cblite ls [FLAGS] DATABASE [PATTERN]")) {
            try ArgumentParser.parse(["ls"], commands: commands)
        }
        #expect(throws: CommandError.usage("mv: COLLECTION is missing", hint: "usage: mv DOCID… COLLECTION")) {
            try ArgumentParser.parse(["mv", "a"], commands: commands, hasOpenDatabase: true)
        }
    }

    @Test func noArrangementOfOddWordsStopsTheParser() {
        let odd = [
            "", "-", "--", "---", "-=", "--=", "-k", "--key", "--limit=", "ls", "index", "a.cblite2", "-é", "-v=", "--🙂=x", "-1", "-.",
        ]
        var generator = SeededGenerator(seed: 7)
        for length in 0..<6 {
            for _ in 0..<400 {
                let line = (0..<length).map { _ in odd.randomElement(using: &generator) ?? "" }
                _ = try? ArgumentParser.parse(line, commands: commands)
                _ = try? ArgumentParser.parse(["ls"] + line, commands: commands)
                _ = try? ArgumentParser.parse(["info"] + line, commands: commands, hasOpenDatabase: true)
            }
        }
    }
}

/// The same "random" numbers in every run (SplitMix64).
private struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
