import CBLTestSupport
import FoundationEssentials
import Glibc
import Testing

/// What lies in wait where a file is to be written: links, pipes and files of others stay as they are, and lead nowhere.
@Suite struct HostileTargetTests {
    private let scratch = try? Scratch(["a": #"{"x":1}"#])

    private func place() throws -> (database: String, folder: String, victim: String) {
        let scratch = try #require(scratch)
        let victim = scratch.directory.path + "/victim"
        try "precious".write(toFile: victim, atomically: false, encoding: .utf8)
        let folder = scratch.directory.path + "/out"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return (scratch.path, folder, victim)
    }

    private static let writers: [[String]] = [
        ["export", "DB", "FILE.jsonl"], ["export", "DB", "FILE.csv"], ["dump", "DB", "FILE.archive"],
        ["query", "-o", "FILE.json", "DB", "SELECT * FROM _"],
        ["cp", "DB", "FILE.tsv"],
    ]

    @Test(arguments: writers) func aLinkUnderAForeseenNameIsNotFollowed(_ words: [String]) throws {
        let (database, folder, victim) = try place()
        let words = words.map { $0 == "DB" ? database : $0.hasPrefix("FILE") ? folder + "/" + $0 : $0 }
        let target = try #require(words.first { $0.hasPrefix(folder) })
        for (number, name) in ["\(target).partial", "\(target).tmp", "\(target)~"].enumerated() {
            if number == 1 { #expect(mkfifo(name, 0o600) == 0) } else { #expect(symlink(victim, name) == 0) }
        }
        let before = Set(try FileManager.default.contentsOfDirectory(atPath: folder))
        let result = try Program.run(words)
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try String(contentsOfFile: victim, encoding: .utf8) == "precious")
        let after = Set(try FileManager.default.contentsOfDirectory(atPath: folder))
        #expect(after.subtracting(before) == [String(target.dropFirst(folder.count + 1))] && before.isSubset(of: after))
    }

    /// In a folder, names come from the database, and what has them already is replaced.
    @Test(arguments: ["link", "dangling", "pipe", "device", "file"]) func whatHasADocumentsNameIsReplaced(_ kind: String) throws {
        let (database, folder, victim) = try place()
        let file = folder + "/a.json"
        switch kind {
        case "link": #expect(symlink(victim, file) == 0)
        case "dangling": #expect(symlink(victim + ".new", file) == 0)
        case "pipe": #expect(mkfifo(file, 0o600) == 0)
        case "device": #expect(symlink("/dev/null", file) == 0)
        default: try "old".write(toFile: file, atomically: false, encoding: .utf8)
        }
        let result = try Program.run(["export", database, folder + "/"])
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "{\"_id\":\"a\",\"x\":1}\n")
        var facts = stat()
        #expect(lstat(file, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG)
        #expect(try String(contentsOfFile: victim, encoding: .utf8) == "precious")
        #expect(!FileManager.default.fileExists(atPath: victim + ".new"))
    }

    @Test func aDirectoryWithADocumentsNameIsAnError() throws {
        let (database, folder, _) = try place()
        try FileManager.default.createDirectory(atPath: folder + "/a.json", withIntermediateDirectories: false)
        let result = try Program.run(["export", database, folder + "/"])
        #expect(result.exitCode == 1 && result.errors.contains("a.json: "))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["a.json"])
    }

    /// Names may be as long as a file system allows.
    @Test func aNameOfFullLengthIsWritten() throws {
        let (database, folder, _) = try place()
        let file = folder + "/" + String(repeating: "x", count: 249) + ".jsonl"
        let result = try Program.run(["export", database, file])
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 1)
    }

    @Test func whatFailsLeavesNothing() throws {
        let (database, folder, _) = try place()
        #expect(try Program.run(["export", "-C", "nowhere", database, folder + "/x.csv"]).exitCode == 1)
        #expect(try Program.run(["query", "-o", folder + "/x.json", database, "SELECT abs(x, x) FROM _"]).exitCode != 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
    }

    /// The shell's own files.
    @Test func theSettingsAndTheHistoryAreNotWrittenThroughLinks() throws {
        let (database, folder, victim) = try place()
        let config = folder + "/cblite"
        try FileManager.default.createDirectory(atPath: config, withIntermediateDirectories: false)
        #expect(symlink(victim, config + "/config.partial") == 0)
        let environment = ["XDG_CONFIG_HOME": folder, "XDG_STATE_HOME": folder, "HOME": folder]
        let saved = try Program.run([database], input: ".mode csv\n.save\n", environment: environment)
        #expect(saved.exitCode == 0, "\(saved.errors)")
        #expect(try String(contentsOfFile: victim, encoding: .utf8) == "precious")
        #expect(try String(contentsOfFile: config + "/config", encoding: .utf8) == ".mode csv\n")
        // Nobody writes to this pipe, and nobody reads from it.
        #expect(mkfifo(config + "/history", 0o600) == 0)
        let terminal = try PseudoTerminal([database], environment: environment)
        try terminal.waitForLine("scratch>")
        try terminal.run("lscoll", prompt: "scratch>")
        terminal.type("\u{4}")
        #expect(try terminal.finish() == 0)
    }
}
