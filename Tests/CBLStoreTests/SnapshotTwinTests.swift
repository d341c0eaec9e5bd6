import CBLFleece
import CBLStore
import CBLTestSupport
import Glibc
import Synchronization
import Testing

@Suite struct SnapshotTwinTests {
    let directory: TemporaryDirectory
    let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path + "/a.cblite2"
    }

    private static func save(_ numbers: Range<Int>, in database: Database) throws {
        try database.write { transaction in
            for number in numbers { try transaction.save("n\(number)", body: transaction.encode(json: #"{"n": \#(number)}"#)) }
        }
    }

    private static func count(_ snapshot: Snapshot) throws -> Int { try snapshot.counts(of: .default).live }

    private static func twinCount(_ snapshot: Snapshot) throws -> Int? { try snapshot.twin?.read(count) }

    @Test func aTwinSeesTheSameState() throws {
        let writer = try Database(path: path, options: .create)
        try Self.save(0..<10, in: writer)
        // With the database open in this process, open in no other, and known to SQLite as unchanging.
        for database in [writer, try Database(path: path)] {
            try database.read { snapshot in
                let twin = try #require(snapshot.twin)
                let count = try twin.read(Self.count)
                #expect(count == 10)
                let isOwn = try twin.read { $0.connection === snapshot.connection }
                #expect(isOwn == false)
            }
        }
        writer.close()
        let alone = try Database(path: path)
        #expect(try alone.read(Self.twinCount) == 10)
    }

    @Test func thereIsNoTwinOnceSomebodyHasWritten() throws {
        let database = try Database(path: path, options: .create)
        try Self.save(0..<10, in: database)
        try database.read { snapshot in
            let twin = try #require(snapshot.twin)
            let before = try twin.read(Self.count)
            #expect(before == 10)
            try Self.save(10..<11, in: database)
            let after = try twin.read(Self.count)
            #expect(after == nil)
            let own = try Self.count(snapshot)
            #expect(own == 10)
        }
        #expect(try database.read(Self.twinCount) == 11)
    }

    @Test func thereIsNoTwinOfATransaction() throws {
        let database = try Database(path: path, options: .create)
        try database.write { transaction in #expect(transaction.twin == nil) }
    }

    /// Snapshots and their twins while another thread writes: each pair must be of one state, and there must have been some of both kinds.
    @Test func aTwinNeverSeesAnotherState() throws {
        let database = try Database(path: path, options: .create)
        try Self.save(0..<1, in: database)
        let isOver = Atomic<Bool>(false)
        let saved = Atomic<Int>(1)
        let failures = Mutex<[String]>([])
        let (pairs, refusals) = try withThread({
            while !isOver.load(ordering: .relaxed) {
                let next = saved.load(ordering: .relaxed)
                do {
                    try Self.save(next..<next + 1, in: database)
                    saved.store(next + 1, ordering: .relaxed)
                } catch {
                    return failures.withLock { $0.append("\(error)") }
                }
                usleep(UInt32(next % 7 * 100))
            }
        }) {
            defer { isOver.store(true, ordering: .relaxed) }
            var (pairs, refusals, round) = (0, 0, 0)
            let start = ContinuousClock.now
            while round < 400 || pairs == 0 || refusals == 0, start.duration(to: .now) < Patience.duration {
                try database.read { snapshot in
                    if round % 3 == 0 { usleep(300) }
                    let own = try Self.count(snapshot)
                    if let other = try snapshot.twin?.read(Self.count) {
                        pairs += 1
                        #expect(own == other)
                    } else {
                        refusals += 1
                    }
                }
                round += 1
            }
            return (pairs, refusals)
        }
        #expect(failures.withLock { $0 } == [])
        #expect(pairs > 0 && refusals > 0)
        #expect(try database.read(Self.count) == saved.load(ordering: .relaxed))
    }

    private final class Box: Sendable {
        let work: @Sendable () -> Void
        init(_ work: @escaping @Sendable () -> Void) { self.work = work }
    }

    private func withThread<Result>(_ work: @escaping @Sendable () -> Void, _ body: () throws -> Result) throws -> Result {
        var thread = pthread_t()
        let box = Unmanaged.passRetained(Box(work))
        pthread_create(
            &thread, nil,
            { argument in
                if let argument { Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().work() }
                return nil
            }, box.toOpaque())
        defer { pthread_join(thread, nil) }
        return try body()
    }
}
