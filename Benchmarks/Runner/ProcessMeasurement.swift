import CBLBase
import CBLBenchProcesses
import CBLQuery
import CBLStore
import FoundationEssentials
import Glibc

/// What an app does with the library in its own process, where the vendor's program has nothing beside it.
enum ProcessMeasurement: String, CaseIterable {
    /// Opening and closing a database, again and again.
    case opens
    /// Live queries of which nothing is asked.
    case live

    func run(in folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = folder + "/small.cblite2"
        try Corpus.makeSmall(at: path)
        switch self {
        case .opens: try ProcessMeasurement.measureOpens(path)
        case .live: try ProcessMeasurement.measureLive(path)
        }
    }

    private static let times = 1000

    private static func measureOpens(_ path: String) throws {
        print("| opened and closed \(times) times | each µs | CPU µs | switches | MiB |")
        print("|---|---:|---:|---:|---:|")
        for (name, options) in [("for reading", Database.Options.readOnly), ("for writing", .readWrite)] {
            try Database(path: path, options: options).close()
            let start = ProcessFacts()
            for _ in 0..<times { try Database(path: path, options: options).close() }
            let end = ProcessFacts()
            let cells = [
                cell((end.milliseconds - start.milliseconds) * 1e3 / Double(times), 0, width: 6),
                cell((end.processorMilliseconds - start.processorMilliseconds) * 1e3 / Double(times), 0, width: 6),
                cell(Double(end.switches - start.switches) / Double(times), 2, width: 6), cell(end.residentMiB, 1, width: 4),
            ]
            print("| \(name) | \(cells.joined(separator: " | ")) |")
        }
    }

    private static let queries = 40
    private static let idleSeconds = 5

    private static func measureLive(_ path: String) throws {
        print("| live queries | threads | MiB | CPU ms in \(idleSeconds) s | switches in \(idleSeconds) s |")
        print("|---|---:|---:|---:|---:|")
        let database = try Database(path: path, options: .readWrite)
        defer { database.close() }
        _ = try database.read { $0.collections() }
        try report("none, but the database is open")
        let arrived = Arrivals()
        let live = try (0..<queries).map { number in
            let query = try database.read { try Query("SELECT name.first FROM _ WHERE balance % \(queries) = \(number)", on: $0) }
            return try LiveQuery(query, on: database) { event in
                if case .failure(let error) = event { arrived.fail(error) } else { arrived.add() }
            }
        }
        defer { for query in live { query.stop() } }
        try arrived.wait(for: queries)
        try report("\(queries), idle")
        guard arrived.count == queries else { throw Failure(text: "a live query told of a change where there was none") }
    }

    /// What the process does while nothing happens. The measuring thread's own sleep is not counted.
    private static func report(_ name: String) throws {
        // What has just been done comes to its end.
        usleep(1_000_000)
        let start = ProcessFacts()
        usleep(UInt32(idleSeconds * 1_000_000))
        let end = ProcessFacts()
        let cells = [
            String(end.threads), cell(end.residentMiB, 1, width: 4),
            cell(end.processorMilliseconds - start.processorMilliseconds, 2, width: 6),
            String(max(0, end.switches - start.switches - 1)),
        ]
        print("| \(name) | \(cells.joined(separator: " | ")) |")
    }
}

/// Live queries that have their first result.
private final class Arrivals: @unchecked Sendable {
    // Sendable: both are touched only under the lock.
    private let lock = WaitCondition()
    private var arrived = 0
    private var failure: (any Error)?

    var count: Int { lock.locked { arrived } }

    func add() {
        lock.locked {
            arrived += 1
            lock.signal()
        }
    }

    func fail(_ error: any Error) {
        lock.locked {
            failure = error
            lock.signal()
        }
    }

    func wait(for number: Int) throws {
        let end = Deadline(after: .seconds(60))
        try lock.locked {
            while arrived < number {
                if let failure { throw failure }
                guard lock.wait(until: end) else { throw Failure(text: "only \(arrived) of \(number) live queries have a result") }
            }
        }
    }
}
