import CouchbaseLiteSwift
import Synchronization

extension Workload {
    static let liveQueries = [
        Workload(name: "8a", title: "a live query hears of a change at rest", base: .small) { try live($0, changes: 100, rest: 300_000) },
        Workload(name: "8b", title: "a live query in a stream of changes", base: .small) { try live($0, changes: 20, rest: 0) },
        Workload(name: "8c", title: "a listener of the collection, 200 changes", base: .small) { scene in
            try scene.withCollection { _, collection in
                let ear = Ear()
                let token = collection.addChangeListener(queue: ear.queue) { _ in ear.hear(0) }
                var delays: [Double] = []
                scene.clock.start()
                for number in 0..<200 {
                    guard let document = try collection.document(id: User.id(number))?.toMutable() else { continue }
                    let begin = ear.now
                    try collection.save(document: document.setInt(number, forKey: "balance"))
                    delays.append(ear.wait(after: begin) - begin)
                }
                scene.clock.stop()
                token.remove()
                return String(format: "median ms: %.3f", Contest.median(delays))
            }
        },
    ]

    private static func live(_ scene: Scene, changes: Int, rest: UInt32) throws -> String {
        try scene.withCollection { database, collection in
            let ids = try database.createQuery("SELECT META().id FROM _ WHERE contact.address.state = 'CA' ORDER BY META().id").execute()
                .compactMap { $0.string(at: 0) }
            let query = try database.createQuery("SELECT META().id, balance FROM _ WHERE contact.address.state = 'CA'")
            let ear = Ear()
            let token = query.addChangeListener(withQueue: ear.queue) { change in
                ear.hear(change.results.map { $0.reduce(0) { $0 + $1.int(at: 1) } } ?? 0)
            }
            _ = ear.wait(after: 0)
            var delays: [Double] = []
            for number in 0..<changes {
                usleep(rest)
                guard let document = try collection.document(id: ids[number % ids.count])?.toMutable() else { continue }
                document.setInt(document.int(forKey: "balance") + 1, forKey: "balance")
                scene.clock.start()
                try collection.save(document: document)
                let begin = ear.now
                delays.append(ear.wait(after: begin) - begin)
                scene.clock.stop()
            }
            token.remove()
            return String(format: "sum %d median ms: %.3f", ear.last, Contest.median(delays))
        }
    }

    /// Waits for listeners to be called.
    private final class Ear: Sendable {
        let queue = DispatchQueue(label: "ear")
        private let heard = Mutex((time: 0.0, value: 0))
        private let bell = DispatchSemaphore(value: 0)

        /// Milliseconds.
        var now: Double {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1e6
        }

        var last: Int { heard.withLock { $0.value } }

        func hear(_ value: Int) {
            let now = now
            heard.withLock { $0 = (now, value) }
            bell.signal()
        }

        /// When something was heard; at once if it was before.
        func wait(after begin: Double) -> Double {
            bell.wait()
            return max(begin, heard.withLock { $0.time })
        }
    }

    static let replication = [
        Workload(name: "10a", title: "push 10,000 to a database beside", base: .small) { try replicate($0, .push) },
        Workload(name: "10b", title: "pull 10,000 likewise", base: .small) { try replicate($0, .pull) },
    ]

    private static func replicate(_ scene: Scene, _ type: ReplicatorType) throws -> String {
        try scene.withCollection { database, collection in
            try scene.withCollection("other") { other, others in
                let (from, to) = type == .push ? (collection, other) : (others, database)
                var configuration = ReplicatorConfiguration(
                    collections: CollectionConfiguration.fromCollections([from]), target: DatabaseEndpoint(database: to))
                configuration.replicatorType = type
                let replicator = Replicator(config: configuration)
                let ended = DispatchSemaphore(value: 0)
                let token = replicator.addChangeListener(withQueue: .global()) { if $0.status.activity == .stopped { ended.signal() } }
                scene.clock.measure {
                    replicator.start()
                    ended.wait()
                }
                token.remove()
                return "\(others.count) \(replicator.status.error?.localizedDescription ?? "")"
            }
        }
    }
}
