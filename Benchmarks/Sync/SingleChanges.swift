import CBLReplication
import CBLStore
import CBLTransport
import Glibc
import Synchronization

/// How long one change takes to the other side of a continuous replication, while nothing else happens: each is saved when the one before has come, and
/// everybody has gone to sleep again.
struct SingleChanges {
    let name: String
    let isPush: Bool

    static let all = [SingleChanges(name: "one change pushed", isPush: true), SingleChanges(name: "one change pulled", isPush: false)]

    private static let count = 300
    private static let pause: UInt32 = 5000

    struct Result {
        /// In milliseconds: half of the changes take no longer than the first, and nine of ten no longer than the second.
        let median: Double
        let ninth: Double
        let processorMicroseconds: Double
    }

    func run(in folder: String) async throws -> Result {
        let source = try Corpus.empty(folder + "/source.cblite2")
        let target = try Corpus.empty(folder + "/target.cblite2")
        let (active, passive) = isPush ? (source, target) : (target, source)
        let loop = EventLoop()
        let host = try Host(passive)
        let collection = ReplicatorSettings.Collection(push: isPush ? .continuous : .off, pull: isPush ? .off : .continuous)
        let settings = ReplicatorSettings(.server(ReplicatorSettings.server(try host.url)), collections: [collection])
        let replicator = Replicator(active, settings, on: loop) { _ in }
        replicator.start()
        let arrival = Arrival()
        let subscription = try target.subscribe(ChangeInterest(isPassedOn: true)) {
            if case .changed(let changes) = $0 { arrival.note(changes) }
        }
        defer { subscription.cancel() }
        // The first one waits for the connection.
        _ = try change(0, source, arrival)
        var times: [Double] = []
        let measured = try await Measurement {
            for number in 1...SingleChanges.count {
                usleep(SingleChanges.pause)
                times.append(try change(number, source, arrival))
            }
        }
        replicator.stop()
        host.stop()
        loop.stop()
        times.sort()
        return Result(
            median: times[times.count / 2], ninth: times[times.count * 9 / 10],
            processorMicroseconds: measured.processorSeconds / Double(SingleChanges.count) * 1e6)
    }

    /// From the end of the commit to the moment in which somebody hears of it on the other side, in milliseconds.
    private func change(_ number: Int, _ source: Database, _ arrival: Arrival) throws -> Double {
        try source.write { _ = try $0.save("user_\(number)", body: $0.encode(json: Corpus.json(number))) }
        let start = ContinuousClock.now
        guard let end = arrival.wait(for: number + 1) else { throw Failure(text: "\(name): change \(number) did not arrive") }
        return max(.zero, end - start) / .milliseconds(1)
    }
}

/// When the target had how many documents.
private final class Arrival: Sendable {
    private let state = Mutex<(count: UInt64, time: ContinuousClock.Instant)>((0, .now))

    func note(_ changes: DatabaseChanges) {
        guard let change = changes.collections[.default] else { return }
        state.withLock { $0 = (change.last, .now) }
    }

    func wait(for count: Int) -> ContinuousClock.Instant? {
        for _ in 0..<100_000 {
            let (arrived, time) = state.withLock { $0 }
            if arrived >= UInt64(count) { return time }
            usleep(100)
        }
        return nil
    }
}
