import CBLReplication
import Testing

@testable import CBLShell

/// The line that tells how a replication goes on.
struct SyncLineTests {
    private func line(_ phase: SyncLine.Phase, pulled: Int = 0, failed: Int = 0, conflicts: Int = 0, bytes: (UInt64, UInt64) = (0, 0))
        -> String
    {
        var line = SyncLine(title: "Pulling", peer: "ws://host/db")
        line.phase = phase
        line.tally.pulled = pulled
        line.tally.failed = failed
        line.tally.conflicts = conflicts
        line.status.completed = bytes.0
        line.status.total = bytes.1
        return line.text(seconds: 2)
    }

    @Test func eachPhaseHasItsWords() {
        #expect(line(.connecting) == "Connecting to ws://host/db…")
        #expect(line(.working) == "Pulling: 0 documents")
        #expect(
            line(.working, pulled: 24_690, bytes: (34_000_000, 60_000_000)) == "Pulling: 24,690 documents, 12,345/s, 34.0 MB of 60.0 MB")
        #expect(
            line(.working, pulled: 2, failed: 3, conflicts: 1, bytes: (9, 9))
                == "Pulling: 2 documents, 1/s, 9 bytes, 3 failed, 1 in conflict")
        #expect(line(.waiting(until: 6, reason: "connection refused"), pulled: 7) == "Trying again in 4 s, 7 documents: connection refused")
        #expect(line(.watching, pulled: 1) == "Up to date; Ctrl-C ends: 1 document")
        #expect(line(.ending).hasPrefix("Ending at a checkpoint"))
    }

    /// Sizes that the peer only guessed may be less than what came.
    @Test func moreThanAllIsAll() { #expect(line(.working, pulled: 2, bytes: (10, 9)) == "Pulling: 2 documents, 1/s, 9 bytes") }
}
