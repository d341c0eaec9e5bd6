import CBLTestSupport
import Testing

/// A process that may open no more files, or has no more memory, says so, whatever it was about to do, and does no harm.
@Suite struct ScarceResourcesTests {
    private static let commands = [
        "ls \"$D\"", "cat \"$D\" 'doc*'", "select \"$D\" 'count(*) FROM _'", "info \"$D\"", "put \"$D\" other '{\"a\":1}'", "check \"$D\"",
        "mkindex \"$D\" i n", "dump \"$D\"", "compact \"$D\"", "cp \"$D\" \"$D.copy.cblite2\"", "sync \"$D\" \"$D.other.cblite2\"",
        "push \"$D\" ws://127.0.0.1:1/x", "pull \"$D\" http://127.0.0.1:1/x",
    ]

    private func run(_ command: String, limit: String, _ scratch: Scratch) throws -> Program.Result {
        let program = try RunningProgram(
            ["-c", "rm -rf \"$D\".*; ulimit \(limit); exec \"$C\" \(command)"], program: "/bin/sh",
            environment: ["C": Program.path, "D": scratch.path, "SWIFT_BACKTRACE": "enable=no"])
        return program.finish()
    }

    @Test(arguments: commands) func withFewDescriptorsEveryCommandEndsInOrder(command: String) throws {
        let scratch = try Scratch(["doc": #"{"n":1}"#, "doc2": #"{"n":2}"#])
        var successes = 0
        for limit in Array(4...30) + [64] {
            let result = try run(command, limit: "-n \(limit)", scratch)
            #expect(result.exitCode <= 5 && !result.timedOut, "\(limit): \(result.exitCode) \(result.errors)")
            #expect(result.exitCode == 0 || result.errors.hasPrefix("cblite: "), "\(limit): \(result.errors)")
            #expect(
                result.exitCode == 0 || command.contains("127.0.0.1") || result.errors.contains("Too many open files"),
                "\(limit): \(result.errors)")
            if result.exitCode == 0 { successes += 1 }
        }
        // Nobody listens at the port.
        #expect(successes > 0 || command.contains("127.0.0.1"))
        try scratch.expect(["check"])
    }

    /// What the language says before it gives up stands in front of it.
    @Test(arguments: commands) func withoutMemoryEveryCommandEndsInOrder(command: String) throws {
        let scratch = try Scratch(["doc": #"{"n":1}"#, "doc2": #"{"n":2}"#])
        let least = try #require(
            try stride(from: 20_000, to: 2_000_000, by: 1000).first { try run("version", limit: "-v \($0)", scratch).exitCode == 0 })
        for limit in stride(from: least, to: least + 12_000, by: 1500) {
            let result = try run(command, limit: "-v \(limit)", scratch)
            // The loader's own is 127.
            #expect((result.exitCode <= 5 || result.exitCode == 127) && !result.timedOut, "\(limit): \(result.exitCode) \(result.errors)")
            #expect(result.exitCode == 0 || !result.errors.isEmpty, "\(limit): \(result.exitCode)")
        }
        try scratch.expect(["check"])
    }
}
