import CBLTestSupport
import FoundationEssentials
import Glibc
import Testing

/// `grep` in pipes and at a terminal.
@Suite struct GrepTests {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch([
            "note": #"{"title": "A walk by the Sea", "tags": ["sea", "walk"], "nested": {"a b": [{"c": "seaside"}]}}"#,
            "other": #"{"title": "Mountains", "height": 4125, "isHigh": true, "path": "/usr/lib/", "odd": "two\nlines\u001b[2J"}"#,
        ])
        try scratch.expect(["mkcoll", "shop.item"])
        try scratch.expect(["put", "i1", #"{"name": "Seal", "price": 12.5}"#], flags: ["-C", "shop.item"])
    }

    private func grep(_ words: String...) throws -> [String] { try scratch.expect(["grep"] + words).lines }

    @Test func everyValueHasALine() throws {
        #expect(
            try grep("sea") == [
                "note\ttitle\tA walk by the Sea", "note\ttags[0]\tsea", "note\tnested.`a b`[0].c\tseaside", "shop.item/i1\tname\tSeal",
            ])
        #expect(try grep("Sea") == ["note\ttitle\tA walk by the Sea", "shop.item/i1\tname\tSeal"])
        #expect(try grep("-s", "sea") == ["note\ttags[0]\tsea", "note\tnested.`a b`[0].c\tseaside"])
        #expect(try grep("-i", "SEAL") == ["shop.item/i1\tname\tSeal"])
        #expect(try grep("12") == ["other\theight\t4125", "shop.item/i1\tprice\t12.5"])
        #expect(try grep("true") == ["other\tisHigh\ttrue"])
    }

    @Test(arguments: [["-C", "shop.item"], ["-C", "shop.item", "-C", "shop.item"], ["-C", "shop.item,shop.item"]])
    func oneCollectionIsNotNamed(flags: [String]) throws {
        try scratch.expect(["grep", "seal"], "i1\tname\tSeal\n", flags: flags)
    }

    @Test func collectionsAreChosen() throws {
        #expect(try scratch.expect(["grep", "sea", "--count"], flags: ["-C", "_default", "-C", "shop.item"]).lines.count == 2)
        #expect(try scratch.expect(["grep", "sea", "--ids"], flags: ["-C", "*"]).lines == ["note", "shop.item/i1"])
        try scratch.expectFailure(["grep", "sea", "-C", "shop.itm"], "Did you mean \"shop.item\"?")
        // One that is named before the command.
        #expect(try Program.run(["-C", "shop.item", "grep", scratch.path, "sea"]).output == "i1\tname\tSeal\n")
    }

    @Test func expressionsStandBetweenSlashes() throws {
        #expect(try grep(#"/\bsea\b/"#) == ["note\ttitle\tA walk by the Sea", "note\ttags[0]\tsea"])
        #expect(try grep("/^Mo.*s$/") == ["other\ttitle\tMountains"])
        #expect(try grep("/usr/lib") == ["other\tpath\t/usr/lib/"])
        #expect(try grep("-F", "/lib/") == ["other\tpath\t/usr/lib/"])
        #expect(try grep(#"/\/lib\//"#) == ["other\tpath\t/usr/lib/"])
        #expect(try grep(#"/\d{4}/"#) == ["other\theight\t4125"])
        let wrong = try scratch.run(["grep", "/a(b/"])
        #expect(wrong.exitCode == 2 && wrong.output.isEmpty)
        #expect(
            wrong.errors.hasPrefix(
                "cblite: grep: invalid regular expression \"a(b\": a \"(\" without \")\", column 5\n    /a(b/\n        ^\nusage: "))
    }

    @Test func nothingFoundIsOne() throws {
        let result = try scratch.run(["grep", "nowhere"])
        #expect(result.exitCode == 1 && result.output.isEmpty && result.errors == "(Nothing found)\n")
        #expect(try scratch.run(["grep", "nowhere", "--quiet"]).errors.isEmpty)
        let counted = try scratch.run(["grep", "nowhere", "--count"], flags: ["-C", "shop.item"])
        #expect(counted.exitCode == 1 && counted.output == "0 values in 0 documents\n")
    }

    @Test func otherFormsAreForOtherProgramsAndQuestions() throws {
        try scratch.expect(["grep", "sea", "--ids"], "note\nshop.item/i1\n")
        try scratch.expect(["grep", "sea", "--count"], "_default: 3 values in 1 document\nshop.item: 1 value in 1 document\n")
        #expect(
            try grep("--json", "/two|12[.]5|4125|true/") == [
                #"{"collection":"_default","id":"other","path":"height","value":4125}"#,
                #"{"collection":"_default","id":"other","path":"isHigh","value":true}"#,
                #"{"collection":"_default","id":"other","path":"odd","value":"two\nlines\u001b[2J"}"#,
                #"{"collection":"shop.item","id":"i1","path":"price","value":12.5}"#,
            ])
        #expect(try grep("--json", "--ids", "seal") == [#"{"collection":"shop.item","id":"i1"}"#])
        #expect(
            try grep("--json", "--count", "sea") == [
                #"{"collection":"_default","values":3,"documents":1}"#, #"{"collection":"shop.item","values":1,"documents":1}"#,
            ])
        // A value is one line, and does nothing to a screen that it is shown on later.
        #expect(try grep("two") == ["other\todd\ttwo\\nlines\\u001b[2J"])
    }

    @Test func namesArePathsToo() throws {
        #expect(try grep("--names", "it") == ["note\ttitle\tA walk by the Sea", "other\ttitle\tMountains"])
        #expect(try grep("--names", "nest", "--json") == [#"{"collection":"_default","id":"note","path":"nested","type":"object"}"#])
        #expect(try grep("--names", "tags") == ["note\ttags\t[…]"])
        #expect(try grep("--key", "tags", "sea") == ["note\ttags[0]\tsea"])
        #expect(try grep("--key", "nested.`a b`[].c", "sea") == ["note\tnested.`a b`[0].c\tseaside"])
        try scratch.expectFailure(["grep", "--key", "a..b", "x"], exitCode: 2, "is no path")
    }

    @Test func aLimitEndsIt() throws {
        let result = try scratch.expect(["grep", "--limit", "2", "sea"])
        #expect(result.lines.count == 2 && result.errors == "(Stopping after 2 lines)\n")
        for words in [["--count", "--ids"], ["--count", "--limit", "1"], ["-i", "-s"]] {
            try scratch.expectFailure(["grep"] + words + ["x"], exitCode: 2, "exclude each other")
        }
        try scratch.expectFailure(["grep", ""], exitCode: 2, "TEXT is empty")
    }

    @Test func damagedDocumentsAreNamed() throws {
        let damage = try Program.run(["sql", "--writeable", scratch.path, "UPDATE kv_default SET body = x'0102' WHERE key = 'other'"])
        try #require(damage.exitCode == 0, "\(damage.errors)")
        let result = try scratch.run(["grep", "sea"])
        #expect(result.exitCode == 1 && result.lines.count == 4 && result.errors.contains(#"document "other" is damaged"#))
    }

    @Test func anEncryptedDatabaseIsSearched() throws {
        let secret = scratch.directory.path + "/password"
        try "secret\n".write(toFile: secret, atomically: true, encoding: .utf8)
        let path = scratch.directory.path + "/hidden.cblite2"
        let made = try Program.run(["cp", scratch.path, path])
        try #require(made.exitCode == 0, "\(made.errors)")
        let encrypted = try Program.run(["encrypt", path, "--new-password=:@\(secret)"])
        try #require(encrypted.exitCode == 0, "\(encrypted.errors)")
        #expect(try Program.run(["grep", "--password=:@\(secret)", path, "seal"]).output == "shop.item/i1\tname\tSeal\n")
    }

    // At a terminal

    private func terminal(_ columns: Int = 60) throws -> PseudoTerminal {
        let terminal = try PseudoTerminal(
            [scratch.path], environment: ["HOME": scratch.directory.path, "NO_COLOR": "1"], columns: columns)
        try terminal.waitForLine("scratch>")
        return terminal
    }

    @Test func aLongValueIsCutAroundTheText() throws {
        let text = String(repeating: "before ", count: 40) + "needle" + String(repeating: " behind", count: 40)
        let writeable = try Program.run(["put", scratch.path, "long", "{\"text\": \"\(text)\"}"])
        try #require(writeable.exitCode == 0)
        let terminal = try terminal()
        let lines = try terminal.run("grep needle", prompt: "scratch>")
        #expect(lines.count == 2 && lines[1] == "(1 value in 1 document)")
        #expect(lines[0].hasPrefix("long  text  … ") && lines[0].hasSuffix(" …") && lines[0].contains(" needle ") && lines[0].count < 60)
        #expect(try terminal.run("grep nowhere", prompt: "scratch>") == ["(Nothing found)"])
        #expect(try terminal.run("grep two", prompt: "scratch>").first?.hasPrefix("other  odd  two lines") == true)
        terminal.type("\u{4}")
        #expect(try terminal.finish() == 0)
    }

    @Test func theTextIsMarkedInColours() throws {
        let result = try scratch.expect(["grep", "seal", "--color"])
        #expect(result.output == "\u{1B}[1;36mshop.item/i1\u{1B}[0m\t\u{1B}[1;34mname\u{1B}[0m\t\u{1B}[1;31mSeal\u{1B}[0m\n")
        let name = try scratch.expect(["grep", "--names", "height", "--color"])
        #expect(name.output.hasPrefix("\u{1B}[1;36mother\u{1B}[0m\t\u{1B}[1;31mheight\u{1B}[0m\t"))
    }

    @Test func flagsAndCollectionsAreCompleted() throws {
        let terminal = try terminal(100)
        terminal.type("grep --ign\t")
        try terminal.waitForText("grep --ignore-case")
        terminal.type("sea -C sh\t")
        try terminal.waitForText("-C shop.item")
        terminal.type("\n")
        try terminal.waitForText("i1  name  Seal")
        try terminal.waitForLine("scratch>")
        terminal.type("\u{4}")
        #expect(try terminal.finish() == 0)
    }

    /// In files of 2.x, the column of a body has the whole revision tree.
    @Test(.enabled(if: Fixtures.arePresent, "no fixtures")) func filesOfTheSecondGenerationAreSearched() throws {
        let scratch = try Scratch(fixture: "v2.x/upgrade_2.7")
        let lines = try scratch.run(["grep", "false"]).lines
        let expected = try scratch.run(["export", "-"]).lines.filter { $0.contains("false") }.count
        #expect(expected > 0 && lines.count == expected)
    }

    @Test func aPropertyThatNobodyHasIsSpokenOf() throws {
        let scratch = try Scratch(["a": #"{"reviews":[{"text":"snow"}]}"#])
        let slip = try scratch.run(["grep", "--key", "review.text", "snow"])
        #expect(slip.exitCode == 1 && slip.errors.contains("Did you mean \"reviews[].text\"?"), "\(slip.errors)")
        #expect(try !scratch.run(["grep", "--key", "reviews[0].text", "rain"]).errors.contains("Did you mean"))
        let script = try Program.run([scratch.path], input: "ls\ncat nobody\n")
        #expect(script.errors.contains("line 2: no document \"nobody\""), "\(script.errors)")
    }
}
