import CBLTestSupport
import Testing

/// A process that may open no more files says so, whatever it was about to open, and does no harm.
@Suite struct FewDescriptorsTests {
    private static let commands = [
        "ls \"$D\"", "cat \"$D\" 'doc*'", "select \"$D\" 'count(*) FROM _'", "info \"$D\"", "put \"$D\" other '{\"a\":1}'", "check \"$D\"",
        "mkindex \"$D\" i n", "dump \"$D\"", "compact \"$D\"", "cp \"$D\" \"$D.copy.cblite2\"", "sync \"$D\" \"$D.other.cblite2\"",
        "push \"$D\" ws://127.0.0.1:1/x", "pull \"$D\" http://127.0.0.1:1/x",
    ]

    @Test(arguments: commands) func everyCommandEndsInOrder(command: String) throws {
        let scratch = try Scratch(["doc": #"{"n":1}"#, "doc2": #"{"n":2}"#])
        var successes = 0
        for limit in Array(4...30) + [64] {
            let script = "rm -rf \"$D\".*; ulimit -n \(limit); exec \"$C\" \(command)"
            let program = try RunningProgram(
                ["-c", script], program: "/bin/sh", environment: ["C": Program.path, "D": scratch.path, "SWIFT_BACKTRACE": "enable=no"])
            let result = program.finish()
            #expect(result.exitCode <= 5 && !result.timedOut, "\(limit): \(result.exitCode) \(result.errors)")
            #expect(result.exitCode == 0 || result.errors.hasPrefix("cblite: "), "\(limit): \(result.errors)")
            if result.exitCode == 0 { successes += 1 }
        }
        // Nobody listens at the port.
        #expect(successes > 0 || command.contains("127.0.0.1"))
        try scratch.expect(["check"])
    }
}
