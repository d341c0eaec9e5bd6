import CBLTestSupport
import FoundationEssentials
import Glibc
import Testing

/// The interactive shell at a real terminal: what is typed, what the screen shows.
@Suite(.serialized) struct InteractiveTests {
    private let scratch: Scratch
    private let environment: [String: String]

    init() throws {
        scratch = try Scratch([
            "doc-1": #"{"name":"Ada","address":{"city":"London","zip":1}}"#, "doc-2": #"{"name":"Grace"}"#, "note": "{}",
        ])
        environment = ["XDG_STATE_HOME": scratch.directory.path + "/state", "HOME": scratch.directory.path]
    }

    private func open(
        _ flags: [String] = [], columns: Int = 100, environment more: [String: String] = [:]
    ) throws -> PseudoTerminal {
        let all = environment.merging(more) { _, new in new }
        let terminal = try PseudoTerminal(flags + [scratch.path], environment: all, columns: columns)
        try terminal.waitForLine("scratch>")
        return terminal
    }

    private var historyFile: String { scratch.directory.path + "/state/cblite/history" }
    private func history() throws -> String { try String(contentsOfFile: historyFile, encoding: .utf8) }

    @Test func saysWhatWasOpenedAndLeaves() throws {
        let terminal = try open()
        let banner = terminal.screen.lines[0]
        #expect(banner.hasPrefix("scratch.cblite2: format 3.2.2–4.1, "))
        #expect(banner.hasSuffix(", 3 documents in 1 collection, read-only."))
        terminal.type("\u{4}")
        #expect(try terminal.finish() == 0)
        let other = try open(["--writeable"])
        #expect(other.screen.lines[0].hasSuffix(", writable."))
        other.type("quit\n")
        #expect(try other.finish() == 0)
    }

    @Test func runsTheCommandsOfTheCommandLine() throws {
        let terminal = try open(["--writeable"])
        #expect(try terminal.run("ls", prompt: "scratch>") == ["doc-1                   doc-2                   note"])
        #expect(try terminal.run("cat --raw doc-2", prompt: "scratch>") == [#"{"_id":"doc-2", "name":"Grace"}"#])
        #expect(try terminal.run("put doc-3 {name: \"O'Hara\"}", prompt: "scratch>").last?.hasPrefix("Created `doc-3`") ?? false)
        #expect(try terminal.run(#"cat --raw "doc-3""#, prompt: "scratch>") == [#"{"_id":"doc-3", "name":"O'Hara"}"#])
        try terminal.run("mkcoll inventory.hotel", prompt: "scratch>")
        try terminal.run("cd inventory.hotel", prompt: "scratch:inventory.hotel>")
        #expect(try terminal.run("ls", prompt: "scratch:inventory.hotel>") == ["(No documents)"])
        try terminal.run("cd", prompt: "scratch>")
        #expect(try terminal.run("ls; ls -l | wc -l", prompt: "scratch>").last == "5")
    }

    @Test func aStarIsSeenAsColumns() throws {
        let terminal = try open()
        #expect(
            try terminal.run("SELECT * FROM _ WHERE name IS NOT MISSING", prompt: "scratch>").prefix(3) == [
                "name   address", #"Ada    {"city":"London","zip":1}"#, "Grace",
            ])
        #expect(try terminal.run("SELECT * FROM _ LIMIT 1 | cat", prompt: "scratch>").first?.hasPrefix("{") ?? false)
    }

    @Test func saysWhatNoDocumentHas() throws {
        let terminal = try open(["--writeable"])
        func remark(_ line: String) throws -> String? { try terminal.run(line, prompt: "scratch>").first { $0.hasPrefix("(No doc") } }
        let didYouMean = #"(No document has "nme". Did you mean "name"?)"#
        #expect(try remark("SELECT nme FROM _") == didYouMean)
        #expect(try remark("SELECT name FROM _ WHERE name = Ada") == #"(No document has "Ada". A text stands in quotes: 'Ada'.)"#)
        #expect(try remark("SELECT a.address.cty FROM _ a") == #"(No document has "address.cty". Did you mean "address.city"?)"#)
        #expect(try remark("stats nme") == didYouMean)
        #expect(try remark("export - --where 'nme = 1'") == didYouMean)
        #expect(try remark("UPDATE _ SET x = 1 WHERE nme = 1") == didYouMean)
        #expect(try remark("mkindex i nme") == didYouMean)
        #expect(
            try remark("SELECT name, address.zip, meta().id, upper(name) AS u FROM _ WHERE ANY x IN [1] SATISFIES x = 1 END ORDER BY u")
                == nil)
        #expect(try remark("UPDATE _ SET newOne = 1 WHERE name = 'Ada'") == nil)
    }

    @Test func saysWhatNoItemOfAnArrayHas() throws {
        let reviews = #"{"reviews":[{"stars":1,"by":{"name":"Ann"}},{"text":"fine","marks":[{"kind":"a"}]}]}"#
        let scratch = try Scratch(["one": "{}", "two": reviews])
        let terminal = try PseudoTerminal(["--writeable", scratch.path], environment: environment, columns: 140)
        try terminal.waitForLine("scratch>")
        func remark(_ line: String) throws -> String? { try terminal.run(line, prompt: "scratch>").first { $0.hasPrefix("(No doc") } }
        let didYouMean = #"(No document has "reviews[].tex". Did you mean "reviews[].text"?)"#
        for line in [
            "SELECT reviews[0].tex FROM _", "SELECT r.tex FROM _ UNNEST _.reviews AS r", "SELECT r.tex FROM _ AS d UNNEST d.reviews AS r",
            "SELECT meta().id FROM _ WHERE ANY r IN reviews SATISFIES r.tex = 'x' END", "stats reviews[].tex",
            "UPDATE _ SET x = 1 WHERE EVERY r IN reviews SATISFIES r.tex = 'x' END AND reviews IS NOT MISSING",
        ] { #expect(try remark(line) == didYouMean, "\(line)") }
        let deeper = #"(No document has "reviews[].marks[].kin". Did you mean "reviews[].marks[].kind"?)"#
        #expect(try remark("SELECT m.kin FROM _ AS d UNNEST d.reviews AS r UNNEST r.marks AS m") == deeper)
        #expect(try remark("SELECT 1 FROM _ WHERE ANY r IN reviews SATISFIES ANY m IN r.marks SATISFIES m.kin = 'a' END END") == deeper)
        for line in [
            "SELECT reviews[0].text, reviews[7].by.name FROM _", "SELECT r.text, m.kind FROM _ UNNEST _.reviews AS r UNNEST r.marks AS m",
            "SELECT meta().id FROM _ WHERE ANY r IN reviews SATISFIES r.by.name = 'x' AND r.stars > 1 END", "stats reviews[].stars",
            "SELECT meta().id FROM _ WHERE ANY r IN [1, 2] SATISFIES r > 1 END", "SELECT r FROM _ UNNEST _.reviews AS r",
        ] { #expect(try remark(line) == nil, "\(line)") }
        try terminal.run("save slip SELECT reviews[0].tex FROM _", prompt: "scratch>")
        #expect(try remark("run slip") == didYouMean)
    }

    @Test func theLastStatementsAreListedByTheirNumber() throws {
        let terminal = try open()
        for line in [".timer on", "ls doc-1", "ls doc-2"] { try terminal.run(line, prompt: "scratch>") }
        #expect(try terminal.run("history 2", prompt: "scratch>").prefix(2) == ["    2  ls doc-1", "    3  ls doc-2"])
        #expect(try terminal.run("show databases", prompt: "scratch>").contains { $0.hasPrefix("* scratch  read-only") })
        terminal.type("quit\n")
        #expect(try terminal.finish() == 0)
        #expect(terminal.screen.lines.last { !$0.isEmpty } == "scratch> quit", "no time")
    }

    @Test func aClauseGoesOnWithTheQueryBefore() throws {
        let terminal = try open()
        try terminal.run("SELECT name", prompt: "     ..>")
        #expect(try terminal.run("FROM _ WHERE name IS NOT MISSING", prompt: "scratch>").prefix(2) == ["Ada", "Grace"])
        let narrower = try terminal.run("AND name = 'Ada'", prompt: "scratch>")
        #expect(narrower.prefix(2) == ["(This goes on with the query before.)", "Ada"])
        try terminal.run("ls", prompt: "scratch>")
        #expect(try terminal.run("WHERE name = 'Ada'", prompt: "scratch>").first == "cblite: no command \"WHERE\"")
    }

    @Test func tellsWhichIndexWouldHelp() throws {
        let terminal = try open()
        let command = "mkindex byTitle title"
        let explained = try terminal.run("EXPLAIN SELECT done FROM _ WHERE title = 'x'", prompt: "scratch>")
        #expect(explained.contains("looks at every document of collection _default (_)"))
        let remark = #"(No document has "title". A text stands in quotes: 'title'.)"#
        #expect(explained.suffix(2) == [remark, "(This would help: \(command))"])
        let suggested = try terminal.run("mkindex --suggest SELECT done FROM _ WHERE title = 'x'", prompt: "scratch>")
        #expect(suggested.contains("  \(command)"))
        try terminal.run("use --writeable scratch", prompt: "scratch>")
        try terminal.run(command, prompt: "scratch>")
        #expect(try !terminal.run("EXPLAIN SELECT done FROM _ WHERE title = 'x'", prompt: "scratch>").joined().contains("help"))
    }

    @Test func tellsMistakesAndGoesOn() throws {
        let terminal = try open()
        #expect(
            try terminal.run("lss", prompt: "scratch>") == [#"cblite: no command "lss". Did you mean "ls"?"#, "'help' lists the commands."])
        #expect(try terminal.run("cat nobody", prompt: "scratch>").first?.hasPrefix(#"cblite: no document "nobody""#) ?? false)
        #expect(try terminal.run("rm note", prompt: "scratch>").last == "\"use --writeable scratch\" opens it for changes.")
        #expect(try terminal.run("ls 'open", prompt: "     ..>") == [])
        #expect(try terminal.run("", prompt: "scratch>") == ["cblite: the input ends before ' is closed"])
        terminal.type("\u{4}")
        #expect(try terminal.finish() == 0)
    }

    @Test func goesOnWithWhatIsUnfinished() throws {
        let terminal = try open(["--writeable"])
        try terminal.run("put long {", prompt: "     ..>")
        try terminal.run(#""a": [1,"#, prompt: "     ..>")
        #expect(try terminal.run("2]}", prompt: "scratch>").last?.hasPrefix("Created `long`") ?? false)
        #expect(try terminal.run("cat --raw long", prompt: "scratch>") == [#"{"_id":"long", "a":[1,2]}"#])
        #expect(try history().contains(#"put long {\n"a": [1,\n2]}"#))
    }

    @Test func forgetsTheLineAtCtrlC() throws {
        let terminal = try open()
        terminal.type("cat 'note")
        try terminal.waitForLine("scratch> cat 'note")
        terminal.type("\u{3}")
        try terminal.wait(for: "a new prompt") { $0.currentLine == "scratch>" && $0.lines.count > 3 }
        try terminal.run("cat 'a", prompt: "     ..>")
        terminal.type("\u{3}")
        try terminal.waitForLine("scratch>")
        #expect(try terminal.run("ls doc-1", prompt: "scratch>") == ["doc-1"])
    }

    @Test func completesFromWhatThereIs() throws {
        _ = try scratch.run(["mkcoll", "peaks"])
        _ = try scratch.run(["put", "-C", "peaks", "galdhopiggen", #"{"altitude": 2469}"#])
        let terminal = try open()
        terminal.type("lsc\t")
        try terminal.waitForLine("scratch> lscoll")
        terminal.type("\u{15}cat d\t")
        try terminal.waitForLine("scratch> cat doc-")
        terminal.type("\t")
        try terminal.waitForText("doc-1  doc-2")
        terminal.type("2\t--k\t")
        try terminal.waitForLine("scratch> cat doc-2 --key")
        terminal.type("\u{15}cd _d\t")
        try terminal.waitForLine("scratch> cd _default")
        terminal.type("\u{15}import \(scratch.directory.path)/scr\t")
        try terminal.waitForLine("scratch> import \(scratch.directory.path)/scratch.cblite2")
        // What is inside of a database is not looked for.
        terminal.type("\t")
        try terminal.waitForLine("scratch> import \(scratch.directory.path)/scratch.cblite2")
        terminal.type("\u{15}SELECT addr\t.\t")
        try terminal.waitForText("address.city  address.zip")
        terminal.type("c\t, upp\t")
        try terminal.waitForLine("scratch> SELECT address.city , upper(")
        // Before FROM, it may be a property of any collection.
        terminal.type("\u{15}SELECT alt\t")
        try terminal.waitForLine("scratch> SELECT altitude")
        terminal.type("\u{15}SELECT 1 FROM _ WHERE alt\t")
        try terminal.waitForLine("scratch> SELECT 1 FROM _ WHERE alt")
        terminal.type("\u{15}cat nothing\t")
        try terminal.waitForLine("scratch> cat nothing")
    }

    /// What a name is about may stand behind it, in a condition, or in an array.
    @Test func completesWhatIsInDocuments() throws {
        _ = try scratch.run(["mkcoll", "peaks"])
        let document = #"{"full name": "Ada", "born in": "Rome", "reviews": [{"author": "Bob", "marks": [{"given by": 1}]}], "status": 1}"#
        for collection in ["_default", "peaks"] { _ = try scratch.run(["put", "-C", collection, "one", document]) }
        let terminal = try open()
        for (typed, shown) in [
            ("mkindex byName stat", "mkindex byName status"), ("mkindex byName status, revi", "mkindex byName status, reviews"),
            ("stats reviews[0].au", "stats reviews[0].author"), ("cat one --key st", "cat one --key status"),
            ("cat one --key 'ful", "cat one --key '`full name`'"), ("rm --where stat", "rm --where status"),
            ("mv --where 'reviews[3].aut", "mv --where 'reviews[3].author"), ("mv --where 'x > 1' pea", "mv --where 'x > 1' peaks"),
            ("SELECT bor", "SELECT `born in`"), ("SELECT reviews[0].marks[1].g", "SELECT reviews[0].marks[1].`given by`"),
            ("SELECT 1 FROM _ UNNEST reviews AS r WHERE r.a", "SELECT 1 FROM _ UNNEST reviews AS r WHERE r.author"),
            ("SELECT 1 FROM _ AS p UNNEST p.reviews AS r UNNEST r.marks m WHERE m.", "m.`given by`"),
            ("SELECT 1 FROM _ WHERE ANY item IN reviews SATISFIES it", "SATISFIES item."),
            ("SELECT 1 FROM _ WHERE ANY item IN reviews SATISFIES item.au", "SATISFIES item.author"),
        ] {
            terminal.type("\u{15}\(typed)\t")
            try terminal.wait(for: shown) { $0.currentLine.hasSuffix(shown) }
        }
        terminal.type("\u{15}SELECT ful\t\t")
        try terminal.waitForText("`full name`")
        try terminal.waitForLine("scratch> SELECT ful")
        terminal.type("\u{15} FROM peaks AS p JOIN _ AS q ON p.a = q.a\u{1}SELECT p.st\t")
        try terminal.waitForText("SELECT p.status")
    }

    /// Shown, asked about, and taken back, step by step.
    @Test func takesBackWhatTheLastStatementsChanged() throws {
        let terminal = try open(["--writeable"])
        func tell(_ line: String) throws -> [String] { try terminal.run(line, prompt: "scratch>") }
        func ask(_ line: String, _ answer: String) throws -> [String] {
            terminal.type(line + "\n")
            try terminal.wait(for: "the question") { $0.currentLine.hasSuffix("back? [y/N]") }
            return try tell(answer)
        }
        #expect(try tell("undo") == ["cblite: there is nothing to take back"])
        #expect(try tell("undo --list") == ["(Nothing to take back)"])
        let before = try tell("cat note")
        _ = try tell(#"put note {"title":"\u001b]0;new"}"#)
        _ = try tell("purge doc-*")
        _ = try tell("UPDATE _ SET seen = true;")
        _ = try tell("rm nobody")
        let listed = try tell("undo --list")
        #expect(listed.map { $0.prefix(7) } == ["\"UPDATE", "\"purge ", "\"put no"])
        let preview = try tell("undo --dry-run")
        #expect(preview.first == "\"UPDATE _ SET seen = true\": 1 change" && preview.last?.hasPrefix("Would have reverted `note`") ?? false)
        #expect(try ask("undo", "n").last == "Nothing was changed.")
        #expect(try ask("undo", "y").last?.hasPrefix("Reverted `note`, new revision") ?? false)
        #expect(try tell("SELECT count(*) AS n FROM _ WHERE seen").contains("0"))
        #expect(try ask("undo 2", "yes").filter { $0.hasPrefix("Restored `doc-") }.count == 2)
        #expect(try tell("cat note") == before)
        #expect(try tell("ls").joined().contains("doc-1"))
        _ = try terminal.run("begin", prompt: "scratch*>")
        #expect(try terminal.run("undo", prompt: "scratch*>") == ["cblite: there is nothing to take back"])
        _ = try terminal.run("rm note", prompt: "scratch*>")
        #expect(try terminal.run("undo --yes", prompt: "scratch*>").last?.hasPrefix("Undeleted `note`") ?? false)
        _ = try terminal.run("rm note", prompt: "scratch*>")
        _ = try tell("rollback")
        #expect(try tell("undo") == ["cblite: there is nothing to take back"])
        _ = try tell("rm note")
        #expect(try tell("compact").first == "(This, and what was done before, cannot be taken back.)")
        #expect(try tell("undo") == ["cblite: there is nothing to take back"])
        _ = try tell("mkcoll things")
        _ = try tell("put -C things a {}")
        terminal.type("rmcoll things\n")
        try terminal.waitForText("It cannot be taken back. [y/N]")
        #expect(try tell("n") == ["Nothing was deleted."])
        let script = try Program.run(["--writeable", scratch.path], input: "undo\n")
        #expect(script.exitCode == 1 && script.errors.contains("\"begin\" and \"rollback\""))
    }

    /// In colours, with brackets that belong together and what the history suggests; and nothing of it without colours.
    @Test func theLineShowsWhatIsTyped() throws {
        let terminal = try open(columns: 40)
        terminal.type("SELECT count(*) FROM _ WHERE (title = 'x' -- y")
        // The comment is the last thing that is drawn.
        try terminal.wait(for: "the comment") { $0.currentLine == "itle = 'x' -- y" && $0.styles(ofLine: $0.cursorRow).count == 15 }
        let row = terminal.screen.cursorRow
        let (first, second) = (terminal.screen.styles(ofLine: row - 1), terminal.screen.styles(ofLine: row))
        #expect(first.count == 37 && Set(first.dropFirst(9).prefix(6)).count == 1 && first.dropFirst(15).prefix(1) == " ")
        #expect(second.prefix(7).allSatisfy { $0 == " " } && !second.dropFirst(7).prefix(3).contains(" "))
        #expect(terminal.screen.cursor == 15)
        terminal.type("\u{15}ls (a)")
        try terminal.wait(for: "the brackets") { $0.currentLine == "scratch> ls (a)" && $0.styles(ofLine: $0.cursorRow).count == 15 }
        let marked = terminal.screen.styles(ofLine: terminal.screen.cursorRow)
        #expect(marked.dropFirst(12).first == marked.last && marked.dropFirst(13).first == " ")
        terminal.type("\u{15}")
        try terminal.waitForLine("scratch>")
        _ = try terminal.run("ls doc-1 --deleted", prompt: "scratch>")
        // What is suggested is faint, fits into the row, and is taken with a key that goes right, or not at all.
        terminal.type("ls d")
        try terminal.waitForLine("scratch> ls doc-1 --deleted")
        #expect(terminal.screen.cursor == "scratch> ls d".count)
        terminal.type("x")
        try terminal.waitForLine("scratch> ls dx")
        terminal.type("\u{8}")
        try terminal.waitForLine("scratch> ls doc-1 --deleted")
        terminal.type("\u{1B}[C")
        try terminal.wait(for: "all of it") { $0.currentLine == "scratch> ls doc-1 --deleted" && $0.cursor == 27 }
        terminal.type("\u{1}\u{5}\u{2}\u{6}\u{3}")
        try terminal.waitForLine("scratch>")
        _ = try terminal.run(".theme none", prompt: "scratch>")
        terminal.type("ls d")
        try terminal.waitForLine("scratch> ls d")
        #expect(terminal.screen.styles(ofLine: terminal.screen.cursorRow) == "")
    }

    @Test func remembersWhatWasTyped() throws {
        let first = try open()
        for line in ["ls doc-1", "lscoll", "ls doc-1", " ls doc-2", "cp x --user ada:secret"] { try first.run(line, prompt: "scratch>") }
        first.type("quit\n")
        #expect(try first.finish() == 0)
        #expect(try history() == "ls doc-1\nlscoll\nls doc-1\nquit\n")
        var facts = stat()
        #expect(stat(historyFile, &facts) == 0 && facts.st_mode & 0o777 == 0o600)

        let second = try open()
        second.type("\u{1B}[A\u{1B}[A")
        try second.waitForLine("scratch> ls doc-1")
        second.type("\u{1B}[A")
        try second.waitForLine("scratch> lscoll")
        // Ctrl-R looks for it.
        second.type("\u{3}")
        try second.waitForLine("scratch>")
        second.type("\u{12}doc")
        try second.waitForText("bck:doc")
        second.type("\n")
        try second.wait(for: "the document") { $0.lines.contains("doc-1") && $0.currentLine == "scratch>" }
        // What another session adds is there at the next prompt.
        let other = try open()
        try other.run("ls note", prompt: "scratch>")
        try second.run("lscoll", prompt: "scratch>")
        let found = try second.run("history 'ls n'", prompt: "scratch>")
        #expect(found.count == 1 && found[0].hasSuffix("  ls note"))
    }

    @Test func stopsTheRunningWorkAtCtrlC() throws {
        let terminal = try open()
        terminal.type("sql WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n\n")
        try terminal.waitForText("FROM n) SELECT")
        try terminal.wait(for: "the end of editing") { _ in terminal.isReadingPlainly }
        terminal.type("\u{3}")
        try terminal.waitForText("scratch.cblite2: interrupted")
        try terminal.waitForLine("scratch>")
        #expect(try terminal.run("ls doc-1", prompt: "scratch>") == ["doc-1"])
    }

    @Test func takesWhatIsPastedAsOne() throws {
        let terminal = try open(["--writeable"])
        terminal.type("\u{1B}[200~put pasted {\r\n\t\"x\": 1\r\n}\r\n\u{1B}[201~")
        try terminal.wait(for: "the text") { $0.currentLine == "}" }
        #expect(!terminal.text.contains("Created"))
        terminal.type("\n")
        try terminal.waitForText("Created `pasted`")
    }

    @Test func editsWideCharacters() throws {
        let terminal = try open(["--writeable"])
        terminal.type("put 日語 {}\u{1}" + String(repeating: "\u{6}", count: 5) + "本\n")
        try terminal.waitForText("Created `日本語`")
        try terminal.waitForLine("scratch>")
        terminal.type("cat 日\t")
        try terminal.waitForLine("scratch> cat 日本語")
        #expect(terminal.screen.cursor == "scratch> cat ".count + 7)
    }

    @Test func drawsTheLineAnewForAnotherWidth() throws {
        let terminal = try open(columns: 100)
        let words = "ls " + String(repeating: "word ", count: 14) + "end"
        terminal.type(words)
        try terminal.waitForLine("scratch> " + words)
        terminal.resize(columns: 60)
        try terminal.wait(for: "a break") { $0.lines.suffix(2).joined() == "scratch> " + words && $0.currentLine.hasSuffix("end") }
    }

    @Test func keepsViKeysFromEditrc() throws {
        try "bind -v\n".write(toFile: scratch.directory.path + "/.editrc", atomically: false, encoding: .utf8)
        let terminal = try open()
        terminal.type("xcat doc-2\u{1B}0")
        terminal.type("xA --raw\n")
        try terminal.waitForText(#"{"_id":"doc-2", "name":"Grace"}"#)
        try terminal.waitForLine("scratch>")
        terminal.type("lsc\t")
        try terminal.waitForLine("scratch> lscoll")
        terminal.type("\u{3}")
        try terminal.waitForLine("scratch>")
    }

    @Test func obeysSettings() throws {
        let config = scratch.directory.path + "/.config/cblite"
        try FileManager.default.createDirectory(atPath: config, withIntermediateDirectories: true)
        try ".mode csv\nrm note\n".write(toFile: config + "/config", atomically: false, encoding: .utf8)
        let terminal = try open(["--writeable"], environment: ["PAGER": "sed s/^/paged:/"])
        #expect(terminal.screen.lines.prefix(2).joined().contains("config: line 2: only settings can stand there"))
        #expect(try terminal.run(".mode", prompt: "scratch>") == ["csv"])
        #expect(try terminal.run(".moed x", prompt: "scratch>").first == #"cblite: no setting ".moed". Did you mean .mode?"#)
        try terminal.run(".timer on", prompt: "scratch>")
        let lines = try terminal.run("ls doc-1", prompt: "scratch>")
        #expect(lines.count == 2 && lines[0] == "doc-1" && lines[1].hasPrefix("Time: ") && lines[1].hasSuffix(" ms"))
        try terminal.run(".timer off", prompt: "scratch>")
        try terminal.run(".pager on", prompt: "scratch>")
        #expect(try terminal.run("ls doc-1", prompt: "scratch>") == ["paged:doc-1"])
        try terminal.run(".pager off", prompt: "scratch>")
        terminal.type(".ti\to\t")
        // The line looks so before the list is there, too.
        try terminal.waitForText("on   off")
        try terminal.wait(for: "the setting") { $0.currentLine.hasPrefix("scratch> .timer o") }
        terminal.type("\u{3}")
        try terminal.waitForLine("scratch>")
        let file = scratch.directory.path + "/out"
        try terminal.run(".output \(file)", prompt: "scratch>")
        #expect(try terminal.run("ls doc-1", prompt: "scratch>") == [])
        try terminal.run("ls doc-2", prompt: "scratch>")
        try terminal.run(".output", prompt: "scratch>")
        #expect(try terminal.run("ls note", prompt: "scratch>") == ["note"])
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "doc-1\ndoc-2\n")
        try "ls note\nput new {\n}\nlss\nls doc-1\n".write(toFile: file, atomically: false, encoding: .utf8)
        let read = try terminal.run(".read \(file)", prompt: "scratch>")
        #expect(read.first == "note" && read.contains { $0.hasPrefix("Created `new`") } && !read.contains("doc-1"))
        #expect(read.contains(#"cblite: line 4: no command "lss". Did you mean "ls"?"#))
    }

    @Test func runsQueriesTypedStraight() throws {
        let terminal = try open(["--writeable"])
        try terminal.run(".timer off", prompt: "scratch>")
        #expect(try terminal.run("SELECT name FROM _ WHERE name > '' ORDER BY name LIMIT 1", prompt: "scratch>") == ["Ada"])
        try terminal.run("SELECT name FROM", prompt: "     ..>")
        #expect(try terminal.run("_ WHERE address.zip = 1", prompt: "scratch>") == ["Ada"])
        #expect(try terminal.run("SELECT name FROM _ WHERE address.zip = 1 \\G", prompt: "scratch>") == ["name = Ada"])
        try terminal.run(".mode jsonl", prompt: "scratch>")
        #expect(try terminal.run("SELECT name FROM _ WHERE address.zip = 1", prompt: "scratch>") == [#"{"name":"Ada"}"#])
        #expect(try terminal.run("select --format csv name FROM _ WHERE address.zip = 1", prompt: "scratch>") == ["name", "Ada"])
        #expect(try terminal.run("SELECT name FROM _ WHERE zip >> 1;", prompt: "scratch>").contains { $0.contains("  ^") })
        try terminal.run("UPDATE _ SET name = 'Ada L.' WHERE address.zip = 1", prompt: "scratch>")
        #expect(try scratch.cat("doc-1").contains("Ada L."))
    }

    @Test func runsAStatementAgain() throws {
        let terminal = try open()
        #expect(try terminal.run("again", prompt: "scratch>") == ["cblite: nothing has been typed yet"])
        try terminal.run("ls doc-1", prompt: "scratch>")
        #expect(try terminal.run("again", prompt: "scratch>") == ["ls doc-1", "doc-1"])
        try terminal.run("ls note; ls doc-2", prompt: "scratch>")
        #expect(try terminal.run("again", prompt: "scratch>") == ["ls note; ls doc-2", "note", "doc-2"])
        #expect(try terminal.run("again 99", prompt: "scratch>") == ["cblite: the history has no statement 99 to run again"])
    }

    /// What is typed at another terminal at the same time is in the same history, and not what is meant.
    @Test func anotherTerminalsStatementIsNotRunAgain() throws {
        let (one, other) = (try open(), try open())
        try one.run("ls doc-1", prompt: "scratch>")
        try other.run("ls doc-2", prompt: "scratch>")
        #expect(try one.run("again", prompt: "scratch>") == ["ls doc-1", "doc-1"])
        #expect(try one.run("again", prompt: "scratch>") == ["ls doc-1", "doc-1"])
    }

    @Test func flagsAreForTheDatabaseThatTheyWereGivenFor() throws {
        let other = scratch.directory.path + "/other.cblite2"
        try scratch.expect(["cp", other])
        let terminal = try open(["--writeable", "--create"])
        #expect(try terminal.run("use \(other)", prompt: "other>").first?.hasSuffix("read-only.") ?? false)
        #expect(try terminal.run("put new '{}'", prompt: "other>").first?.contains("for reading only") ?? false)
        #expect(try terminal.run("use \(other)x", prompt: "other>").first?.contains("no such database") ?? false)
        #expect(try terminal.run("use --writeable \(other)", prompt: "other>").first?.hasSuffix("writable.") ?? false)
        try terminal.run("put new '{}'", prompt: "other>")
        try terminal.run("use scratch", prompt: "scratch>")
        try terminal.run("put mine '{}'", prompt: "scratch>")
        #expect(try scratch.cat("mine") != "")
    }

    @Test func goesOnWithAnotherDatabase() throws {
        let other = scratch.directory.path + "/other.cblite2"
        try scratch.expect(["cp", other])
        let terminal = try open()
        #expect(try terminal.run("use \(other)x", prompt: "scratch>").first?.hasPrefix("cblite: ") ?? false)
        #expect(try terminal.run("use \(other)", prompt: "other>").first?.hasPrefix("other.cblite2: format") ?? false)
        #expect(try terminal.run("ls doc-1", prompt: "other>") == ["doc-1"])
    }

    @Test func leavesWhenAskedToEnd() throws {
        let terminal = try open()
        terminal.send(signal: SIGTERM)
        #expect(try terminal.finish() == 128 + SIGTERM)
    }
}

/// Statements that come from a pipe or a file.
struct ScriptTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch(["doc-1": #"{"name":"Ada"}"#, "doc-2": "{}"]) }

    private func run(_ script: String, _ flags: [String] = []) throws -> Program.Result {
        try Program.run(flags + [scratch.path], input: script, directory: scratch.directory.path)
    }

    @Test func runsOneStatementAfterAnother() throws {
        let result = try run("# a comment\nls\n\ncat --raw doc-1; cat --raw doc-2\n")
        #expect(result.output == "doc-1\ndoc-2\n{\"_id\":\"doc-1\", \"name\":\"Ada\"}\n{\"_id\":\"doc-2\"}\n")
        #expect(result.errors == "")
        #expect(result.exitCode == 0)
    }

    @Test func endsAtTheFirstFailure() throws {
        let result = try run("ls doc-1\nls -C nowhere\nls doc-2\n")
        #expect(result.output == "doc-1\n")
        #expect(result.errors.hasPrefix("cblite: line 2: "))
        #expect(result.exitCode == 1)
        #expect(try run("lss\nls\n").exitCode == 2)
    }

    @Test func keepsGoingIfToldSo() throws {
        let result = try run("ls doc-1\nlss\ncat nobody\nls doc-2\n", ["--keep-going"])
        #expect(result.output == "doc-1\ndoc-2\n")
        #expect(result.exitCode == 2)
    }

    @Test func writesAndQuits() throws {
        let result = try run("put x {\n\"a\": 1}\nquit\nput y {}\n", ["--writeable"])
        #expect(result.exitCode == 0)
        #expect(try scratch.ids() == ["doc-1", "doc-2", "x"])
    }

    @Test func redirectsResults() throws {
        let result = try run("ls > names.txt\nlscoll --json >> names.txt; ls | tr a-z A-Z\nls | exit 3\n")
        #expect(result.output == "DOC-1\nDOC-2\n")
        #expect(result.exitCode == 1)
        let text = try String(contentsOfFile: scratch.directory.path + "/names.txt", encoding: .utf8)
        #expect(text.hasPrefix("doc-1\ndoc-2\n{\"collection\""))
        // What fails leaves the file as it was.
        #expect(try run("ls -C nowhere > names.txt\n").exitCode == 1)
        #expect(try String(contentsOfFile: scratch.directory.path + "/names.txt", encoding: .utf8) == text)
    }

    @Test func runsQueriesOfSeveralLines() throws {
        let result = try run("SELECT name\nFROM _\nWHERE name > ''\nSELECT count(*) AS n FROM _ | tr 0-9 a-j\nls doc-1\n")
        #expect(result.output == "Ada\nc\ndoc-1\n")
        #expect(result.errors == "")
    }

    @Test func runsOtherPrograms() throws {
        let result = try run("!printf 'one two'\n!exit 4\nls\n")
        #expect(result.output == "one two")
        #expect(result.exitCode == 1)
    }

    @Test func unfinishedInputIsAnError() throws {
        let result = try run("put x {\"a\": 1\n", ["--writeable"])
        #expect(result.exitCode == 2)
        #expect(result.errors == "cblite: the input ends before { is closed\n")
    }
}
