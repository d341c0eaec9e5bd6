import CBLTestSupport
import FoundationEssentials
import Testing

@Suite struct HelpTests {
    @Test(arguments: [
        (["LIKE"], "text [NOT] LIKE pattern"), (["is", "not", "missing"], "a IS [NOT] MISSING"), (["||"], "text || text"),
        (["SELECT"], "usage: cblite select"), (["upper()"], "upper(text)"), (["operators"], "UNNEST"), (["topics"], "phones"),
        (["android"], "adb exec-out"), (["exit", "codes"], "130"), (["topic", "conflicts"], "resolve trip-sapporo"),
        (["conflicts"], "usage: cblite conflicts"), (["info", "indexes"], "usage: cblite info indexes"),
    ])
    func explains(words: [String], text: String) throws {
        let result = try Program.run(["help"] + words)
        #expect(result.output.contains(text))
        #expect(result.errors == "" && result.exitCode == 0)
    }

    @Test(arguments: [
        ("lke", #"no help on "lke". Did you mean "LIKE"?"#), ("transfre", #"Did you mean "transfer"?"#),
        ("uper", #"Did you mean "upper"?"#),
        ("chekc", #"Did you mean "check"?"#), ("zzzzzz", "'help topics'"),
    ])
    func suggestsWhatWasMeant(word: String, text: String) throws {
        let result = try Program.run(["help", word])
        #expect(result.errors.contains(text))
        #expect(result.exitCode == 2)
    }

    @Test func offersAllOfThemForCompletion() throws {
        let names = try Program.run(["complete", "topic"]).lines
        for name in ["ls", "upper", "IS MISSING", "conflicts", "topics"] { #expect(names.contains(name), "\(name)") }
        #expect(Set(names).count >= 100)
    }

    @Test func everyTopicHasAPage() throws {
        let topics = try Program.run(["help", "topics"]).lines.filter { $0.hasPrefix("  ") }.compactMap { $0.split(separator: " ").first }
        #expect(topics.count >= 18)
        for topic in topics { #expect(try Program.run(["help", "topic", String(topic)]).lines.count >= 3, "\(topic)") }
    }

    /// In the interactive shell signs that mean something to it can be asked about.
    @Test func signsCanBeAskedAbout() throws {
        let folder = try SampleFolder()
        let result = try Program.run(["travel.cblite2"], input: "help ||\nhelp >=\nhelp topics > file\n", directory: folder.directory.path)
        #expect(result.output.contains("text || text") && result.output.contains("a < b    a <= b"))
        #expect(try String(contentsOfFile: folder.directory.path + "/file", encoding: .utf8).contains("phones"))
    }
}

@Suite struct TourTests {
    @Test func isPrintedAsAWhole() throws {
        let folder = try SampleFolder()
        let result = try Program.run(["tour"], environment: folder.environment, directory: folder.directory.path)
        #expect(result.exitCode == 0)
        #expect(!result.errors.contains("cblite:"))
        for text in ["1 of ", "雪の宿 Yuki no Yado", "SCAN booking", "Resolved `trip-sapporo`", "Undeleted `weekend-in-porto`"] {
            #expect(result.output.contains(text), "\(text)")
        }
        // The copy is gone.
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.directory.path).sorted() == ["travel.cblite2"])
        #expect(
            try Program.run(["travel.cblite2"], input: "tour\nls\n", environment: folder.environment, directory: folder.directory.path)
                .output.hasSuffix("trip-sapporo\nwelcome\n"))
    }

    @Test func isWalkedThroughAtATerminal() throws {
        let folder = try SampleFolder()
        let terminal = try PseudoTerminal(
            ["tour"], environment: folder.environment, directory: folder.directory.path, columns: 100, rows: 100)
        try terminal.waitForText("1 of ")
        let count = try #require(terminal.text.firstMatch(of: #/1 of (\d+)/#).flatMap { Int($0.1) })
        for step in 1...count {
            try terminal.wait(for: "step \(step)") { screen in
                screen.currentLine.hasPrefix("travel") && screen.currentLine.hasSuffix(">")
                    && screen.lines.contains { $0.hasPrefix("\(step) of ") }
            }
            // Something else in between does not move the tour on.
            if step == 2 { try terminal.run("ls welcome", prompt: "travel>") }
            terminal.type("\n")
        }
        try terminal.waitForText("That was the tour.")
        #expect(!terminal.text.contains("cblite:"))
        #expect(terminal.screen.lines.contains("travel> lscoll"))
        #expect(terminal.screen.lines.contains("welcome"))
        terminal.type("\u{4}")
        #expect(try terminal.finish() == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.directory.path).filter { $0.hasPrefix("cblite-tour") } == [])
    }

    @Test func leavesWhatWasOpenAsItWas() throws {
        let folder = try SampleFolder()
        let terminal = try PseudoTerminal(
            ["travel.cblite2"], environment: folder.environment, directory: folder.directory.path, columns: 100)
        try terminal.waitForLine("travel>")
        try terminal.run("cd inventory.hotel", prompt: "travel:inventory.hotel>")
        terminal.type("tour\n")
        try terminal.wait(for: "the first step") { $0.currentLine == "travel-2>" && $0.lines.contains { $0.hasPrefix("1 of ") } }
        try terminal.run("rm welcome", prompt: "travel-2>")
        terminal.type("skip\n")
        try terminal.waitForText("2 of ")
        terminal.type("quit\n")
        try terminal.waitForLine("travel:inventory.hotel>")
        #expect(try terminal.run("ls -C _default welcome", prompt: "travel:inventory.hotel>") == ["welcome"])
    }

    @Test func wantsASample() throws {
        let scratch = try Scratch()
        let result = try Program.run(["tour", scratch.path])
        #expect(result.errors.contains("the tour is about the sample database"))
        #expect(result.exitCode == 1)
    }
}
