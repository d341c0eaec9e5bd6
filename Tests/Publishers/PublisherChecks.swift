// The program that Tests/publishers.sh runs: each check prints its claim, and the program fails if one does not hold.

import CouchbaseLiteSwift
import Foundation
import OpenCombine

/// What was told, on whichever thread.
final class Told<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var values: [Value] = []

    func add(_ value: Value) { lock.withLock { values.append(value) } }

    var all: [Value] { lock.withLock { values } }

    func wait(until condition: ([Value]) -> Bool) -> Bool {
        let end = Date(timeIntervalSinceNow: 20)
        while Date() < end {
            if condition(all) { return true }
            usleep(1000)
        }
        return condition(all)
    }
}

/// Asks for one change, and for no more by itself.
final class Slow: Subscriber, @unchecked Sendable {
    typealias Input = CollectionChange
    typealias Failure = Never

    let told = Told<String>()
    private(set) var subscription: Subscription?

    func receive(subscription: Subscription) {
        self.subscription = subscription
        subscription.request(.max(1))
    }

    func receive(_ change: CollectionChange) -> Subscribers.Demand {
        told.add(change.documentIDs.joined())
        return .none
    }

    func receive(completion: Subscribers.Completion<Never>) {}
}

// Not in `main`, whose closures would belong to the main actor.
enum Checks {
    nonisolated(unsafe) private static var failures = 0

    private static func check(_ holds: Bool, _ claim: String) {
        print(holds ? "ok:" : "FAILED:", claim)
        if !holds { failures += 1 }
    }

    /// Whether all hold.
    static func run() throws -> Bool {
        var configuration = DatabaseConfiguration()
        configuration.directory = NSTemporaryDirectory() + "cblite-publishers-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: configuration.directory) }
        let database = try Database(name: "db", config: configuration)
        let collection = try database.defaultCollection()
        let queue = DispatchQueue(label: "told")

        // Receiving.
        let changes = Told<[String]>(), documents = Told<String>()
        var subscriptions: [AnyCancellable] = []
        collection.changePublisher(on: queue).sink { changes.add($0.documentIDs) }.store(in: &subscriptions)
        collection.documentChangePublisher(for: "one", on: queue).map(\.documentID).sink { documents.add($0) }.store(in: &subscriptions)
        try collection.save(document: MutableDocument(id: "one", data: ["n": 1]))
        try collection.save(document: MutableDocument(id: "two", data: ["n": 2]))
        check(changes.wait { $0.flatMap { $0 } == ["one", "two"] }, "collection changes are received")
        check(documents.wait { $0 == ["one"] }, "document changes are received")

        // Cancelling.
        subscriptions = []
        try collection.save(document: MutableDocument(id: "three", data: [:]))
        usleep(100_000)
        check(changes.all.flatMap { $0 } == ["one", "two"], "cancelling removes the listener")

        // A publisher that is let go of while subscribed, and a subscription that is let go of.
        let query = try database.createQuery("SELECT META().id FROM _default ORDER BY META().id")
        let rows = Told<[String]>()
        var live: AnyCancellable? = query.changePublisher(on: queue).sink { change in
            rows.add(change.results?.allResults().compactMap { $0.string(at: 0) } ?? [])
        }
        check(rows.wait { $0.last == ["one", "three", "two"] }, "live queries are received")
        try collection.save(document: MutableDocument(id: "zebra", data: [:]))
        check(rows.wait { $0.last?.count == 4 }, "and their changes")
        live = nil
        try collection.save(document: MutableDocument(id: "zebu", data: [:]))
        usleep(200_000)
        check(rows.all.last?.count == 4, "releasing the subscription ends it")
        withExtendedLifetime(live) {}

        // Demand.
        let slow = Slow()
        collection.changePublisher(on: queue).subscribe(slow)
        let seen = Told<String>()
        let witness = collection.changePublisher(on: queue).sink { seen.add($0.documentIDs.joined()) }
        func save(_ name: String) throws {
            try collection.save(document: MutableDocument(id: name, data: [:]))
            check(seen.wait { $0.last == name }, "saved " + name)
        }
        for name in ["a", "b", "c"] { try save(name) }
        check(slow.told.wait { $0 == ["a"] }, "one was asked for")
        usleep(100_000)
        check(slow.told.all == ["a"], "and no more come")
        slow.subscription?.request(.unlimited)
        check(slow.told.wait { $0 == ["a", "b", "c"] }, "the others have waited")
        slow.subscription?.cancel()

        // first() cancels from inside a value.
        let first = Told<String>()
        let one = collection.changePublisher(on: queue).first().sink { first.add($0.documentIDs.joined()) }
        try save("f")
        try save("g")
        witness.cancel()
        check(first.wait { $0 == ["f"] }, "cancelling while a value is received")
        usleep(50_000)
        check(first.all == ["f"], "ends it")
        withExtendedLifetime(one) {}

        // Replicator.
        let other = try Database(name: "other", config: configuration)
        var config = ReplicatorConfiguration(
            collections: CollectionConfiguration.fromCollections([collection]), target: DatabaseEndpoint(database: other))
        config.replicatorType = .push
        let activities = Told<Replicator.ActivityLevel>(), replicated = Told<String>()
        var kept: [AnyCancellable] = []
        do {
            let replicator = Replicator(config: config)
            replicator.changePublisher(on: queue).sink { activities.add($0.status.activity) }.store(in: &kept)
            replicator.documentReplicationPublisher(on: queue).sink { for d in $0.documents { replicated.add(d.id) } }.store(in: &kept)
            replicator.start()
        }
        check(activities.wait { $0.last == .stopped }, "replicator changes are received")
        check(replicated.wait { $0.count == Int(collection.count) }, "document replications are received")
        kept = []
        // Many subscriptions come and go: nothing is left.
        weak var gone: CouchbaseLiteSwift.Collection?
        do {
            let own = try database.createCollection(name: "own")
            gone = own
            for _ in 0..<1000 { own.changePublisher(on: queue).sink { _ in }.cancel() }
        }
        queue.sync {}
        check(gone == nil, "publishers and subscriptions that ended keep nothing alive")
        try database.close()
        try other.close()
        return failures == 0
    }
}

@main enum Program {
    static func main() throws { exit(try Checks.run() ? 0 : 1) }
}
