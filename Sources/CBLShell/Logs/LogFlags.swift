import CBLBase
import CBLListener
import CBLReplication

/// Log files of what a command does that goes on for long, for the day when somebody asks what happened: in the form of the vendor's, which `logcat`
/// and its programs read.
enum LogFlags {
    static let all: [Flag] = [
        Flag("log-dir", value: "DIRECTORY", .directory, "Write what happens to log files there, which logcat reads; they are kept small"),
        Flag("log-text", "With --log-dir: as text, and not in the binary form"),
        Flag(
            "log-level", value: "LEVEL", .choice(["verbose", "info", "warning", "error"]),
            "With --log-dir: nothing below this (default: info; verbose tells of every document)"),
    ]

    // So much is written of each level before another file begins, and so many are kept beside it.
    private static let longest: Int64 = 4_000_000
    private static let kept: Int64 = 4

    /// Where to; nil if nobody asks for it.
    static func logging(_ invocation: Invocation) throws -> EdgeLogging? {
        guard invocation.parsed.declares("log-dir") else { return nil }
        guard let directory = invocation.string("log-dir") else {
            for flag in ["log-text", "log-level"] where invocation.flag(flag) {
                throw invocation.usageError("--\(flag) goes with --log-dir")
            }
            return nil
        }
        let name = invocation.string("log-level") ?? "info"
        let level = MessageLevel.allCases.first { $0.nameOfFiles == name } ?? .info
        let files = EdgeLogging.Files(directory: directory, isPlainText: invocation.flag("log-text"), longest: longest, kept: kept)
        return EdgeLogging(files: files, level: level)
    }
}

/// What a replication writes to its log.
final class SyncLog {
    private let files: ProgramLog
    private var journal = ReplicationJournal()

    init?(_ invocation: Invocation) throws {
        guard let logging = try LogFlags.logging(invocation) else { return nil }
        files = try ProgramLog(logging, invocation.session, isSilent: true, makesDirectory: true)
    }

    func begin(_ settings: ReplicatorSettings, of database: String) {
        files.tellOpened(database)
        journal.begin(settings, of: database, teller)
    }

    func take(_ event: ReplicatorEvent) {
        // What it says at the end is not the last event's: a replication that was given up has a reason of its own.
        if case .ended = event { return }
        let teller = teller
        journal.take(event, teller)
    }

    func end(_ failure: SyncFailure?) {
        let teller = teller
        journal.end(failure, teller)
    }

    func close() { files.close() }

    private var teller: ReplicationJournal.Teller {
        { [files, object = journal.object] level, message in files.tell(level, "Sync", message(), about: object) }
    }
}
