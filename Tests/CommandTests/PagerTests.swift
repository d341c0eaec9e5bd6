import CBLTestSupport
import FoundationEssentials
import Glibc
import Testing

/// Long results, page by page.
@Suite(.serialized) struct PagerTests {
    private let scratch: Scratch

    // `less` shows a colon where it waits.
    private static let less = access("/usr/bin/less", X_OK) == 0 || access("/bin/less", X_OK) == 0

    init() throws {
        let numbers = (1...60).map { "\($0)" }.joined(separator: ",")
        scratch = try Scratch(["many": "{\"list\":[\(numbers)]}"])
    }

    private func open(pager: String, environment more: [String: String] = [:]) throws -> PseudoTerminal {
        let environment = ["HOME": scratch.directory.path, "PAGER": pager, "LESS": "RSFX"].merging(more) { _, new in new }
        let terminal = try PseudoTerminal([scratch.path], environment: environment, columns: 120)
        try terminal.waitForLine("scratch>")
        return terminal
    }

    /// Numbers from 1 on, as many as `condition` lets pass, and then work without end.
    private func numbers(_ condition: String = "true") -> String {
        "sql WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n WHERE \(condition)\n"
    }

    private func waitForPage(_ terminal: PseudoTerminal) throws {
        try terminal.wait(for: "a page") { $0.currentLine == ":" && $0.lines.contains { $0.contains("20") } }
    }

    private func expectToGoOn(_ terminal: PseudoTerminal) throws {
        try terminal.waitForLine("scratch>")
        #expect(try terminal.run("ls", prompt: "scratch>") == ["many"])
        #expect(!terminal.text.contains("cblite: "))
        #expect(!terminal.text.contains("interrupted"))
        terminal.type("\u{4}")
        #expect(try terminal.finish() == 0)
    }

    @Test(.enabled(if: less)) func whatFitsStaysOnTheScreen() throws {
        let terminal = try open(pager: "less")
        let rows = try terminal.run("SELECT u FROM _ UNNEST _.list AS u WHERE u <= 21", prompt: "scratch>")
        #expect(rows.count == 22 && rows[20] == "21" && rows[21].hasPrefix("(21 rows, "))
        try expectToGoOn(terminal)
    }

    @Test(.enabled(if: less)) func whatDoesNotFitIsShownPageByPage() throws {
        let terminal = try open(pager: "less")
        terminal.type("SELECT u FROM _ UNNEST _.list AS u\n")
        try waitForPage(terminal)
        #expect(!terminal.text.contains("60") && !terminal.text.contains("rows"))
        terminal.type(" ")
        try terminal.wait(for: "another page") { $0.currentLine == ":" && $0.lines.contains("40") }
        terminal.type("q")
        try terminal.waitForText("(60 rows")
        try expectToGoOn(terminal)
    }

    @Test(.enabled(if: less)) func leavingThePagerEndsTheWork() throws {
        let terminal = try open(pager: "less")
        terminal.type(numbers())
        try waitForPage(terminal)
        terminal.type("q")
        try expectToGoOn(terminal)
    }

    @Test(.enabled(if: less)) func leavingThePagerEndsWorkThatFindsNothing() throws {
        let terminal = try open(pager: "less")
        terminal.type(numbers("x < 40000"))
        try waitForPage(terminal)
        terminal.type("q")
        try expectToGoOn(terminal)
    }

    @Test(.enabled(if: less)) func interruptsInThePagerAreItsOwn() throws {
        let terminal = try open(pager: "less")
        terminal.type(numbers())
        try waitForPage(terminal)
        for _ in 0..<8 { terminal.type("\u{3}") }
        terminal.type("/30.\n")
        try terminal.wait(for: "what was looked for") {
            $0.currentLine == ":" && $0.lines.contains { $0.hasSuffix("300") || $0.hasSuffix("30") }
        }
        terminal.type("q")
        try expectToGoOn(terminal)
    }

    @Test func anotherProgramMayShowThePages() throws {
        let terminal = try open(pager: "no-such-program")
        try terminal.run(".pager sed s/^/paged:/", prompt: "scratch>")
        #expect(try terminal.run("ls", prompt: "scratch>") == ["many"])
        let rows = try terminal.run("SELECT u FROM _ UNNEST _.list AS u", prompt: "scratch>")
        #expect(rows.count == 61 && rows[0] == "paged: 1" && rows[59] == "paged:60" && rows[60].hasPrefix("(60 rows"))
        try terminal.run(".pager on", prompt: "scratch>")
        #expect(try terminal.run(".pager", prompt: "scratch>") == ["on"])
        try terminal.run(".pager on sed s/^/paged:/", prompt: "scratch>")
        #expect(try terminal.run("ls", prompt: "scratch>") == ["paged:many"])
        #expect(try terminal.run("ls | cat", prompt: "scratch>") == ["many"])
    }

    @Test func withoutAProgramEverythingIsOnTheScreen() throws {
        let terminal = try open(pager: "no-such-program", environment: ["PATH": "/nowhere"])
        let rows = try terminal.run("SELECT u FROM _ UNNEST _.list AS u", prompt: "scratch>")
        #expect(rows.count == 61 && rows[60].hasPrefix("(60 rows, "))
        try terminal.run(".pager (read -r line; exit 127)", prompt: "scratch>")
        let again = try terminal.run("SELECT u FROM _ UNNEST _.list AS u", prompt: "scratch>")
        #expect(again.count == 61 && again[0] == " 1" && again[59] == "60" && again[60].hasPrefix("(60 rows"))
        let endless = try terminal.run(String(numbers().dropLast()), prompt: "scratch>")
        #expect(endless.last == "cblite: the pager \"(read -r line; exit 127)\" cannot be run; '.pager off' does without")
        try terminal.run(".pager off", prompt: "scratch>")
        #expect(try terminal.run("SELECT u FROM _ UNNEST _.list AS u", prompt: "scratch>").count == 61)
    }

    @Test func theScreenIsAskedForItsSizeEachTime() throws {
        let terminal = try open(pager: "sed s/^/paged:/")
        #expect(try terminal.run("SELECT u FROM _ UNNEST _.list AS u WHERE u <= 15", prompt: "scratch>")[0] == " 1")
        terminal.resize(columns: 120, rows: 12)
        #expect(try terminal.run("SELECT u FROM _ UNNEST _.list AS u WHERE u <= 15", prompt: "scratch>")[0] == "paged: 1")
    }
}
