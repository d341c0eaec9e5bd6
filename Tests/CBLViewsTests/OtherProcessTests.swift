import CBLStore
import CBLTestSupport
import FoundationEssentials
import Glibc
import Synchronization
import Testing

@testable import CBLViews

/// What another process writes, a live view of this one tells.
@Suite struct OtherProcessTests {
    private static let variable = "CBLITE_VIEWS_WRITER"

    /// Not a test of its own: what the other process runs.
    @Test(.enabled(if: getenv("CBLITE_VIEWS_WRITER") != nil)) func writer() throws {
        let database = try Database(path: String(cString: try #require(getenv(OtherProcessTests.variable))), options: .readWrite)
        defer { database.close() }
        // Whichever comes next: a document that is new, one that changes, and one that goes.
        try database.write { transaction in
            if try transaction.counts(of: .default).live == 1 {
                try transaction.put("b", #"{"n":2}"#)
            } else if try transaction.document("a") != nil {
                _ = try transaction.purge("a")
            } else {
                try transaction.put("b", #"{"n":3}"#)
            }
        }
    }

    @Test func aLiveViewTellsWhatAnotherProcessWrites() throws {
        guard getenv(OtherProcessTests.variable) == nil else { return }
        let test = try ViewDatabase()
        try test.put("a", #"{"n":1}"#)
        let told = Mutex<[String]>([])
        func wait(for rows: String) -> Bool {
            let end = ContinuousClock.now + Patience.duration
            while told.withLock({ $0.last }) != rows, .now < end { usleep(1000) }
            return told.withLock { $0.last } == rows
        }
        let timing = LiveTiming(quiet: .zero, delay: .milliseconds(1))
        let live = try LiveView(.of("n"), on: test.index, timing: timing) { event in
            guard case .result(let result) = event else { return told.withLock { $0.append("\(event)") } }
            told.withLock { $0.append((0..<result.rows.count).map { result.rows.json($0) }.joined(separator: ",")) }
        }
        defer { live.stop() }
        #expect(wait(for: "1"))
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        for rows in ["1,2", "2", "3"] {
            if rows == "3" { try test.put("c", "{}") }
            let other = try RunningProgram(
                ["--testing-library", "swift-testing", "--filter", "OtherProcessTests/writer"], program: program,
                environment: [OtherProcessTests.variable: test.path])
            #expect(other.finish().exitCode == 0)
            #expect(wait(for: rows), "\(told.withLock { $0 })")
        }
    }
}
