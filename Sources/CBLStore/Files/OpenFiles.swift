import Glibc
import Synchronization

/// The main files that this process has connections with locks to.
///
/// POSIX locks belong to a process and a file: closing *any* descriptor of the file drops them all, behind SQLite's back. So a file in
/// this table is never opened by anything but SQLite, and the probe for other processes' locks, which cannot see one's own, asks here first.
enum OpenFiles {
    enum Use: Hashable, Sendable {
        /// Ordinary connections, of a database opened for writing.
        case ordinary
        /// Connections that read another process's write-ahead log, and cannot write even the shared memory.
        case attached
    }

    struct Entry: Hashable, Sendable {
        let file: FileIdentity
        let use: Use
    }

    /// Leaves the table when it goes.
    final class Note: Sendable {
        private let entry: Entry

        init(_ entry: Entry) { self.entry = entry }

        deinit { OpenFiles.leave(entry) }
    }

    private static let counts = Mutex<[Entry: Int]>([:])

    /// Calls `body` with the use that is already made of the file, if any, and notes the use that `body` decided for.
    /// One thread at a time, so that nobody probes a file that somebody else is just opening.
    static func enter<Result>(
        _ file: FileStatus, _ body: (_ present: Use?) throws -> (Result, use: Use?)
    ) throws -> (Result, Entry?) {
        try counts.withLock { counts in
            let entries = [Use.ordinary, .attached].map { Entry(file: file.identity, use: $0) }
            let present = entries.first { counts[$0] != nil }?.use
            let (result, use) = try body(present)
            let entry = entries.first { $0.use == use }
            if let entry { counts[entry, default: 0] += 1 }
            return (result, entry)
        }
    }

    /// Whether a file, by whatever name it was found, is in the table.
    static func contains(_ file: FileStatus) -> Bool {
        counts.withLock { counts in
            !counts.isEmpty
                && [Use.ordinary, .attached].contains { counts[Entry(file: file.identity, use: $0)] != nil }
        }
    }

    static func leave(_ entry: Entry) {
        counts.withLock { counts in
            guard let count = counts[entry] else { return }
            counts[entry] = count > 1 ? count - 1 : nil
        }
    }
}
