import CBLReplicationTestSupport
import CBLTestSupport
import CBLTransport
import FoundationEssentials
import Glibc
import Testing

/// What the program makes of those at the other end, and they of it.
@Suite(.timeLimit(.minutes(10))) struct HostilePeerTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch(["a": #"{"n":1}"#]) }

    private static let forged = "no\ncblite: check: everything is fine\r\nCompleted 9 docs\u{1B}[2J\u{202E}"

    /// Every line is the program's own, and nothing steers the terminal.
    private func expectOwnLines(_ result: Program.Result, sourceLocation: SourceLocation = #_sourceLocation) {
        let text = result.output + result.errors
        #expect(
            !text.split(separator: "\n").contains { $0.hasPrefix("cblite: check") || $0.hasPrefix("Completed 9") }, "\(text)",
            sourceLocation: sourceLocation)
        #expect(
            text.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control && $0 != "\u{202E}" }, "\(text)",
            sourceLocation: sourceLocation)
        #expect(text.contains("everything is fine"), "\(text)", sourceLocation: sourceLocation)
    }

    @Test func aServerThatRefusesADocumentWritesNoLines() throws {
        let server = try ScriptedServer { request in
            switch request.profile {
            case "proposeChanges": [.answer([:], "[0]")]
            case "rev": [.refuse("HTTP", 403, Self.forged)]
            default: [.answer()]
            }
        }
        for words in [["push", server.url], ["push", server.url, "-vv"], ["push", server.url, "--json"]] {
            let result = try scratch.run(words)
            #expect(result.exitCode == 1)
            expectOwnLines(result)
        }
    }

    @Test(arguments: ["HTTP", "forged\ncblite: check: x", "BLIP"]) func norDoesOneThatRefusesEverything(domain: String) throws {
        let server = try ScriptedServer { _ in [.refuse(domain, 400, Self.forged)] }
        let result = try scratch.run(["pull", server.url])
        #expect(result.exitCode != 0)
        expectOwnLines(result)
    }

    @Test func norItsFarewell() throws {
        let server = try ScriptedServer { _ in [.close(CloseCode(rawValue: 4002), Self.forged)] }
        expectOwnLines(try scratch.run(["pull", server.url]))
    }

    @Test func norTheNamesOfItsDocuments() throws {
        let server = try ScriptedServer { request in
            guard request.profile == "subChanges" else { return [.answer()] }
            let id = #"x\ncblite: check: everything is fine\u001b[2J"#
            return [
                .answer(), .ask("changes", [:], #"[[1,"\#(id)","1-aa"]]"#), .ask("changes", [:], "[]"),
                .ask(
                    "norev",
                    ["id": "x\ncblite: check: everything is fine", "rev": "1-aa", "sequence": "1", "error": "403", "reason": Self.forged]),
            ]
        }
        expectOwnLines(try scratch.run(["pull", server.url, "-vv", "--timeout", "5"]))
    }

    @Test func aServerThatSaysNothingIsLeft() throws {
        let server = try ScriptedServer { _ in [] }
        let result = try scratch.run(["pull", server.url, "--timeout", "1"])
        #expect(result.exitCode == 1 && result.errors.contains("has sent nothing for 1 seconds"), "\(result.errors)")
    }

    @Test func aServersPagesAreForItsOwnNames() throws {
        let server = try RunningProgram([
            "serve", "--port", "0", scratch.path, "--allow-host", "db.example", "--allow-origin", "https://app.example",
        ])
        while !server.outputSoFar.contains("\n") { server.readOutput(atLeast: server.outputSoFar.utf8.count + 1) }
        let url = String(server.outputSoFar.prefix { $0 != "\n" })
        // By its name, its address, and as another one.
        for (host, works) in [("localhost", true), ("127.0.0.1", true)] {
            let address = url.split(separator: "localhost", maxSplits: 1).joined(separator: host)
            let other = scratch.directory.path + "/\(host).cblite2"
            #expect((try Program.run(["pull", address, other]).exitCode == 0) == works)
        }
        for (header, message) in [
            ("Origin: http://evil.example", "--allow-origin http://evil.example"), ("Origin: null", "nobody in particular"),
        ] {
            let refused = try Program.run(["pull", url, scratch.directory.path + "/x.cblite2", "--header", header])
            #expect(refused.exitCode == 1 && refused.errors.contains(message), "\(refused.errors)")
        }
        #expect(
            try Program.run(["pull", url, scratch.directory.path + "/y.cblite2", "--header", "Origin: https://app.example"]).exitCode == 0)
        server.send(signal: SIGINT)
        #expect(server.finish().exitCode == 0)
    }
}
