import CBLTestSupport
import Testing

/// `diff` between two databases that a person has side by side.
@Suite struct DiffTests {
    private let scratch: Scratch
    private var other: String { scratch.directory.path + "/other.cblite2" }

    init() throws {
        scratch = try Scratch(["a": #"{"n":1}"#, "b": #"{"n":2}"#, "c": #"{"n":3}"#])
        try scratch.expect(["cp", other])
        try scratch.expect(["mkcoll", "mine"])
        for id in ["x", "y"] { try scratch.expect(["put", id, "{}"], flags: ["-C", "mine"]) }
        for (id, body) in [("b", #"{"n":20}"#), ("d", #"{"n":4}"#)] { #expect(try Program.run(["put", other, id, body]).exitCode == 0) }
        #expect(try Program.run(["rm", other, "c"]).exitCode == 0)
    }

    private func diff(_ flags: String...) throws -> Program.Result { try Program.run(["diff"] + flags + [scratch.path, other]) }

    @Test func aCollectionOfOneSideIsOneLine() throws {
        let result = try diff()
        #expect(result.exitCode == 1)
        #expect(result.lines == ["_default:", "~ b", "- c", "+ d", "mine: 2 removed (only in the first)"])
        #expect(result.errors == "(1 added, 3 removed, 1 changed)\n")
        #expect(try diff("--all").lines.suffix(3) == ["mine:", "- x", "- y"])
        #expect(try diff("--json").lines.count == 5)
    }

    @Test func theNumbersCanBeEnough() throws {
        #expect(
            try diff("--stat").lines == ["_default: 1 added, 1 removed, 1 changed", "mine: 2 removed (only in the first)"])
        #expect(
            try diff("--stat", "--json").lines.first == #"{"collection":"_default","added":1,"removed":1,"changed":1}"#)
    }

    /// What meets it in either database counts.
    @Test func aConditionChooses() throws {
        let result = try diff("--where", "n > 3")
        #expect(result.lines == ["_default:", "~ b", "+ d"])
        #expect(result.errors == "(1 added, 0 removed, 1 changed)\n")
        #expect(try diff("--where", "n = 1").exitCode == 0)
        #expect(try diff("--where", "n = ").errors.contains("SQL++ syntax error"))
    }

    @Test func whatIsOpenGoesByItsName() throws {
        let result = try Program.run([scratch.path], input: "use \(other)\nuse scratch\ndiff other\n")
        #expect(result.lines.prefix(4) == ["_default:", "~ b", "- c", "+ d"])
    }

    /// That a collection has no such property is no slip if another one has.
    @Test func aConditionIsSpokenOfOnce() throws {
        let scratch = try Scratch(["a": #"{"x":1}"#])
        _ = try scratch.run(["put", "-C", "hotels", "h", #"{"city":"Porto"}"#])
        let other = scratch.directory.path + "/other.cblite2"
        #expect(try Program.run(["cp", scratch.path, other]).exitCode == 0)
        for (condition, count) in [("city = 'Porto'", 0), ("cty = 'Porto'", 2)] {
            let terminal = try PseudoTerminal(["diff", "--where", condition, scratch.path, other], columns: 150)
            try terminal.waitForText("(No differences)")
            _ = try terminal.finish()
            #expect(terminal.text.split(separator: "No document").count - 1 == count, "\(condition)")
        }
    }
}
