import CBLTestSupport
import FoundationEssentials
import Testing

/// Captures are texts in the source tree that show what the program prints: consoles in the documentation, and the screens in `Screens`.
/// `CBLITE_UPDATE_CAPTURES=1 swift test --filter Capture` writes them anew.
enum Capture {
    static let isUpdating = ProcessInfo.processInfo.environment["CBLITE_UPDATE_CAPTURES"] == "1"

    /// What is never the same twice, as a mask that stands for all of its kind.
    static func masked(_ text: String) -> String {
        text.replacing(#/\d+\.\d+ secs; \d+ docs/sec/#, with: "T secs; R docs/sec")
            .replacing(#/\d[\d ,]*(\.\d+)? (ms|µs|s)\b/#, with: "T")
            .replacing(#/in \d+ (days|hours)/#, with: "in D")
            .replacing(#/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z?/#, with: "TIME")
            .replacing(#/[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}\b/#, with: "UUID")
            .replacing(#/cblite-tour-\w{6}/#, with: "cblite-tour-XXXXXX")
    }

    /// Compares a file with what it should be, or writes it.
    static func check(_ path: String, _ old: String, _ new: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        if isUpdating {
            if old != new { try new.write(toFile: path, atomically: true, encoding: .utf8) }
            return
        }
        let (expected, found) = (old.split(separator: "\n"), new.split(separator: "\n"))
        for (line, other) in zip(expected, found) where line != other {
            Issue.record(
                "\(path) is out of date (CBLITE_UPDATE_CAPTURES=1 renews it):\n- \(line)\n+ \(other)", sourceLocation: sourceLocation)
            return
        }
        #expect(expected.count == found.count, "\(path) is out of date", sourceLocation: sourceLocation)
    }
}

/// A folder with the sample database in it.
final class SampleFolder {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        let made = try Program.run(["generate", "sample", directory.path + "/travel.cblite2"])
        try #require(made.exitCode == 0, "\(made.errors)")
    }

    /// The program is on the path, and nothing of the person who runs the tests has a say.
    var environment: [String: String] {
        let folder = URL(filePath: Program.path).deletingLastPathComponent().path
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return [
            "PATH": folder + ":" + path, "HOME": directory.path, "XDG_STATE_HOME": directory.path + "/.state", "TZ": "UTC",
            "TMPDIR": directory.path, "EDITOR": "true", "VISUAL": "", "PAGER": "less -RSFX", "LESS": "", "LESSHISTFILE": "-",
        ]
    }
}
