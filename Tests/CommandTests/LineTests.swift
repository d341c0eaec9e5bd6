import CBLTestSupport
import FoundationEssentials
import Glibc
import Testing

/// What a picky person does at the prompt: keys, pasting, interrupting, several sessions.
@Suite(.serialized) struct LineTests {
    private let scratch: Scratch
    private let environment: [String: String]

    init() throws {
        scratch = try Scratch(["doc-1": #"{"name":"Ada"}"#, "doc-2": #"{"name":"Grace"}"#])
        environment = ["XDG_STATE_HOME": scratch.directory.path + "/state", "HOME": scratch.directory.path]
    }

    private func open(_ flags: [String] = [], columns: Int = 100) throws -> PseudoTerminal {
        let terminal = try PseudoTerminal(flags + [scratch.path], environment: environment, columns: columns)
        try terminal.waitForLine("scratch>")
        return terminal
    }

    // Transactions and databases

    @Test func thePromptTellsOfTheTransaction() throws {
        let terminal = try open(["--writeable"])
        try terminal.run("begin", prompt: "scratch*>")
        try terminal.run("mkcoll inventory.hotel", prompt: "scratch*>")
        try terminal.run("cd inventory.hotel", prompt: "scratch:inventory.hotel*>")
        try terminal.run("rm nobody", prompt: "scratch:inventory.hotel*>")
        #expect(
            try terminal.run("ROLLBACK;", prompt: "scratch>")
                == ["Rolled back.", #"The collection "inventory.hotel" is gone with it; this is the default collection."#])
        try terminal.run("begin", prompt: "scratch*>")
        try terminal.run("put new {}", prompt: "scratch*>")
        #expect(try terminal.run("commit", prompt: "scratch>") == ["Committed."])
        #expect(try scratch.ids() == ["doc-1", "doc-2", "new"])
    }

    @Test(arguments: ["\u{4}", "quit\n"]) func leavingRollsBackAndSaysSo(ending: String) throws {
        let terminal = try open(["--writeable"])
        try terminal.run("begin", prompt: "scratch*>")
        try terminal.run("put new {}", prompt: "scratch*>")
        terminal.type(ending)
        try terminal.waitForText("cblite: scratch: the open transaction was rolled back")
        #expect(try terminal.finish() == 0)
        #expect(try scratch.ids() == ["doc-1", "doc-2"])
    }

    @Test(arguments: [SIGTERM, SIGHUP]) func aSignalAtThePromptRollsBack(signal: Int32) throws {
        let terminal = try open(["--writeable"])
        try terminal.run("begin", prompt: "scratch*>")
        try terminal.run("put new {}", prompt: "scratch*>")
        terminal.send(signal: signal)
        #expect(try terminal.finish() == 128 + signal)
        #expect(terminal.text.contains("cblite: scratch: the open transaction was rolled back"))
        #expect(try scratch.ids() == ["doc-1", "doc-2"])
    }

    @Test func completesTheNamesOfDatabases() throws {
        let terminal = try open(["--writeable"])
        let other = scratch.directory.path + "/other.cblite2"
        try terminal.run("cp \(other)", prompt: "scratch>")
        #expect(try terminal.run("use --writeable \(other)", prompt: "other>").first?.hasPrefix("other.cblite2: format") ?? false)
        try terminal.run("begin", prompt: "other*>")
        terminal.type("use scr\t\n")
        try terminal.waitForLine("scratch>")
        #expect(try terminal.run("databases", prompt: "scratch>").contains { $0.hasPrefix("  other    writable  open ") })
        terminal.type("close o\t")
        try terminal.waitForLine("scratch> close other")
        terminal.type("\n")
        try terminal.waitForText("cblite: other: a transaction is open")
        terminal.type("use oth\t\n")
        try terminal.waitForLine("other*>")
    }

    // Interrupting

    /// Ctrl-C, when the program has gone to work.
    private func interrupt(_ terminal: PseudoTerminal, _ line: String, when isAtWork: (Screen) -> Bool = { _ in true }) throws {
        terminal.type(line + "\n")
        try terminal.wait(for: "work on \"\(line)\"") { isAtWork($0) && terminal.isReadingPlainly }
        terminal.type("\u{3}")
    }

    @Test(arguments: [false, true]) func anImportLeavesNothingHalfDone(isInTransaction: Bool) throws {
        let pipe = scratch.directory.path + "/pipe.jsonl"
        #expect(mkfifo(pipe, 0o600) == 0)
        let terminal = try open(["--writeable"])
        let prompt = isInTransaction ? "scratch*>" : "scratch>"
        if isInTransaction {
            try terminal.run("begin", prompt: prompt)
            try terminal.run("put kept {}", prompt: prompt)
        }
        // The pipe stays open with many documents read: the import is in the middle, and waits for more.
        terminal.type("import \(pipe)\n")
        let writer = Glibc.open(pipe, O_RDWR | O_NONBLOCK)
        try #require(writer >= 0)
        defer { close(writer) }
        let lines = Array((0..<50_000).map { "{\"_id\":\"d\($0)\",\"n\":\($0)}\n" }.joined().utf8)
        var rest = lines[...]
        while !rest.isEmpty {
            var poll = pollfd(fd: writer, events: Int16(POLLOUT), revents: 0)
            try #require(Glibc.poll(&poll, 1, 30_000) > 0, "nobody reads what is to be imported")
            let count = rest.withUnsafeBytes { write(writer, $0.baseAddress, min($0.count, 65536)) }
            try #require(count > 0)
            rest = rest.dropFirst(count)
        }
        terminal.type("\u{3}")
        try terminal.wait(for: "the prompt") { $0.lines.contains { $0.contains("interrupted") } && $0.currentLine == prompt }
        #expect(try terminal.run("ls -c", prompt: prompt).last?.contains(isInTransaction ? "3" : "2") ?? false)
        if isInTransaction { try terminal.run("commit", prompt: "scratch>") }
        #expect(try scratch.ids() == (isInTransaction ? ["doc-1", "doc-2", "kept"] : ["doc-1", "doc-2"]))
        #expect(try Program.run(["check", scratch.path]).exitCode == 0)
    }

    @Test func aQueryAndAListingEndAtOnce() throws {
        let file = scratch.directory.path + "/many.jsonl"
        try (0..<5000).map { "{\"_id\":\"d\($0)\",\"n\":\($0)}\n" }.joined().write(toFile: file, atomically: false, encoding: .utf8)
        try scratch.expect(["import", file])
        let terminal = try open()
        // Twenty-five million pairs.
        try interrupt(terminal, "SELECT count(a.n) FROM _ AS a JOIN _ AS b ON a.n + b.n > 1")
        try terminal.wait(for: "the prompt") { $0.lines.contains { $0.contains("interrupted") } && $0.currentLine == "scratch>" }
        // A program that does not read keeps the listing waiting; Ctrl-C ends both.
        try interrupt(terminal, "ls -l | (echo started >&2; exec sleep 100)") { $0.lines.contains("started") }
        try terminal.wait(for: "the prompt") { $0.currentLine == "scratch>" && $0.lines.contains("started") }
        #expect(try terminal.run("ls doc-1", prompt: "scratch>") == ["doc-1"])
    }

    /// The system chooses the thread that a signal interrupts: the one that waits for keys has to hear of it from whichever that is.
    @Test func aSignalThatAnotherThreadTakesIsHeard() throws {
        // What is open for writing is watched by a thread.
        let terminal = try open(["--writeable"])
        let others = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(terminal.processID)/task").compactMap { Int32($0) }
            .filter { $0 != terminal.processID }
        let other = try #require(others.first, "the shell has one thread only at its prompt")
        for prompts in 2..<5 {
            terminal.type("ls")
            try terminal.waitForLine("scratch> ls")
            terminal.send(signal: SIGINT, thread: other)
            try terminal.wait(for: "a new prompt") { screen in
                screen.currentLine == "scratch>" && screen.lines.count { $0.hasPrefix("scratch>") } == prompts
            }
        }
        terminal.send(signal: SIGTERM, thread: other)
        #expect(try terminal.finish() == 128 + SIGTERM)
    }

    // Keys

    @Test func modifiedKeysMoveAndStrangeOnesDoNothing() throws {
        let terminal = try open()
        terminal.type("ls doc-1 --limit 1")
        try terminal.waitForLine("scratch> ls doc-1 --limit 1")
        let start = "scratch> ".count
        // Ctrl-Left, Ctrl-Right, Home, End, Alt-Left.
        for (keys, column) in [("\u{1B}[1;5D", 17), ("\u{1B}[1~", 0), ("\u{1B}[1;5C", 2), ("\u{1B}[4~", 18), ("\u{1B}[1;3D", 17)] {
            terminal.type(keys)
            try terminal.wait(for: "column \(column)") { $0.cursor == start + column }
        }
        // F5, Insert, a page, Shift-Tab, Ctrl-Up.
        terminal.type("\u{1B}[15~\u{1B}[2~\u{1B}[5~\u{1B}[Z\u{1B}[1;5A2")
        try terminal.waitForLine("scratch> ls doc-1 --limit 21")
    }

    @Test func theLastWordComesBack() throws {
        let terminal = try open()
        try terminal.run("ls doc-1", prompt: "scratch>")
        try terminal.run("ls 'doc-2'", prompt: "scratch>")
        terminal.type("cat \u{1B}.")
        try terminal.waitForLine("scratch> cat 'doc-2'")
        terminal.type("\u{1B}.")
        try terminal.waitForLine("scratch> cat doc-1")
    }

    @Test func viKeysSearchTheHistory() throws {
        try "bind -v\n".write(toFile: scratch.directory.path + "/.editrc", atomically: false, encoding: .utf8)
        let terminal = try open()
        try terminal.run("ls doc-1", prompt: "scratch>")
        try terminal.run("lscoll", prompt: "scratch>")
        terminal.type("\u{12}doc")
        try terminal.waitForText("bck:doc")
        terminal.type("\n")
        try terminal.wait(for: "the document") { $0.lines.contains("doc-1") && $0.currentLine == "scratch>" }
        // Ctrl-Left moves, and F5 does nothing: as single keys they would delete what is there.
        terminal.type("ls doc-2 --limit 1")
        try terminal.waitForLine("scratch> ls doc-2 --limit 1")
        terminal.type("\u{1B}[1;5D")
        // Escape steps back onto the last character.
        try terminal.wait(for: "the word before") { $0.cursor == "scratch> ls doc-2 ".count }
        terminal.type("\u{1B}[15~\u{1B}[1;5C\u{1B}[1;5CA2")
        try terminal.waitForLine("scratch> ls doc-2 --limit 12")
    }

    @Test func severalLinesAreRecalledAsOne() throws {
        let terminal = try open(["--writeable"])
        try terminal.run("put long {", prompt: "     ..>")
        try terminal.run(#""a": 1}"#, prompt: "scratch>")
        terminal.type("\u{1B}[A")
        try terminal.wait(for: "both lines") { $0.lines.suffix(2) == ["scratch> put long {", #""a": 1}"#] }
        terminal.type("\u{7F}, \"b\": 2}\n")
        try terminal.waitForText("Updated `long`")
        #expect(try scratch.cat("long") == #"{"_id":"long", "a":1,"b":2}"#)
    }

    @Test func endAndQuitKeysAreHarmlessInALine() throws {
        let terminal = try open()
        // Ctrl-D deletes in the middle of a line; Ctrl-\ does nothing.
        // What is not read when Ctrl-\ comes is lost, so each key waits for the one before.
        terminal.type("lsx")
        try terminal.waitForLine("scratch> lsx")
        terminal.type("\u{2}\u{4}")
        try terminal.waitForLine("scratch> ls")
        terminal.type("\u{1C} doc-1\n")
        try terminal.wait(for: "the document") { $0.lines.contains("doc-1") && $0.currentLine == "scratch>" }
        terminal.type("\u{3}")
        try terminal.wait(for: "a new prompt") { $0.lines.filter { $0 == "scratch>" }.count == 2 }
        terminal.type("\u{4}")
        #expect(try terminal.finish() == 0)
    }

    @Test func aThousandLinesArePastedAsOne() throws {
        let terminal = try open(["--writeable"])
        let lines = (0..<1000).map { "put p\($0) {\"n\": \($0)}" }
        terminal.type("\u{1B}[200~.output /dev/null\r" + lines.joined(separator: "\r") + "\r.output\r\u{1B}[201~")
        try terminal.waitForLine(".output")
        #expect(try scratch.ids() == ["doc-1", "doc-2"])
        terminal.type("\n")
        try terminal.waitForLine("scratch>")
        #expect(try scratch.ids().count == 1002)
    }

    @Test func aPasteWhoseEndIsLostCanBeGivenUp() throws {
        let terminal = try open()
        terminal.type("ls")
        try terminal.waitForLine("scratch> ls")
        // Not even its beginning is shown: it is inserted as a whole.
        terminal.type("\u{1B}[200~ doc-1 doc-")
        terminal.settle(milliseconds: 100)
        terminal.type("\u{3}")
        try terminal.wait(for: "a new prompt") { $0.lines.filter { $0.hasPrefix("scratch>") }.count == 2 && $0.currentLine == "scratch>" }
        #expect(try terminal.run("ls doc-2", prompt: "scratch>") == ["doc-2"])
    }

    @Test func manyCandidatesFitTheScreen() throws {
        let file = scratch.directory.path + "/many.jsonl"
        try (0..<500).map { "{\"_id\":\"number-\($0)\"}\n" }.joined().write(toFile: file, atomically: false, encoding: .utf8)
        try scratch.expect(["import", file])
        let terminal = try open(columns: 60)
        terminal.type("cat num\t")
        try terminal.waitForLine("scratch> cat number-")
        terminal.type("\t")
        try terminal.wait(for: "the list") { $0.lines.contains("… and more") && $0.currentLine == "scratch> cat number-" }
        #expect(terminal.screen.lines.filter { $0.hasPrefix("number-") }.count <= 21)
    }

    @Test func theHistoryOfTwoSessionsIsOneAndDoesNotGrowForever() throws {
        let folder = scratch.directory.path + "/state/cblite"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let old = (0..<16_000).map { "ls old-\($0)\n" }.joined()
        try old.write(toFile: folder + "/history", atomically: false, encoding: .utf8)
        let (first, second) = (try open(), try open())
        try first.run("ls doc-1", prompt: "scratch>")
        try second.run("ls doc-2", prompt: "scratch>")
        try first.run("lscoll", prompt: "scratch>")
        // At the next prompt each knows what the other has typed.
        second.type("\u{3}")
        try second.wait(for: "a new prompt") { $0.lines.filter { $0 == "scratch>" }.count >= 2 }
        #expect(
            try second.run("history ls | tail -2", prompt: "scratch>").map { $0.split(separator: " ").dropFirst().joined(separator: " ") }
                == ["ls doc-2", "lscoll"])
        let lines = try String(contentsOfFile: folder + "/history", encoding: .utf8).split(separator: "\n")
        #expect(lines.count <= 10_010 && lines.contains("ls old-15999") && !lines.contains("ls old-1"))
    }
}
