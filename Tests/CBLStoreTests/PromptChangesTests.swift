import CBLBase
import CBLFleece
import CBLTestSupport
import Glibc
import Synchronization
import Testing

@testable import CBLStore

/// What a commit of this process is told without a look at the file: by the thread that made it, and the same as a look would find.
@Suite struct PromptChangesTests {
    private let directory: TemporaryDirectory
    private let database: Database
    private let hotels: CollectionName
    private var path: String { directory.path + "/prompt.cblite2" }

    init() throws {
        directory = try TemporaryDirectory()
        database = try Database(path: directory.path + "/prompt.cblite2", options: .create)
        let hotels = try CollectionName(name: "hotels")
        self.hotels = hotels
        try database.write { _ = try $0.createCollection(hotels) }
    }

    private final class Heard: Sendable {
        private let events = Mutex<[DatabaseChanges]>([])
        func add(_ event: ChangeEvent) { if case .changed(let changes) = event { events.withLock { $0.append(changes) } } }
        func take() -> [DatabaseChanges] {
            events.withLock { events in
                defer { events = [] }
                return events
            }
        }
    }

    private func subscribe(_ interest: ChangeInterest, _ heard: Heard) throws -> ChangeSubscription {
        var interest = interest
        interest.isPassedOn = true
        return try database.subscribe(interest) { heard.add($0) }
    }

    private static let everything = ChangeInterest(purges: true, documentIDs: true)

    /// Also when the hub is just looking because somebody has begun to listen.
    @Test func commitsAreToldOneByOneFromTheStart() throws {
        var joined = 0
        for round in 0..<300 {
            let heard = Heard()
            let subscription = try subscribe(Self.everything, heard)
            var told: [DatabaseChanges] = []
            for number in 0..<3 { try database.write { _ = try $0.save("doc", body: $0.encode(json: "{\"n\":\(round * 3 + number)}")) } }
            for _ in 0..<300 where told.count < 3 {
                told += heard.take()
                if told.count < 3 { usleep(1000) }
            }
            if told.count < 3 { joined += 1 }
            subscription.cancel()
        }
        // On a busy machine a look may take longer than a commit waits.
        #expect(joined < 3)
    }

    /// Waits until the hub has looked after the subscription began: until then commits are left to the next look.
    private func settle(_ heard: Heard) throws {
        for number in 0..<1000 {
            try database.write { _ = try $0.save("settle", body: $0.encode(json: "{\"n\":\(number)}")) }
            if !heard.take().isEmpty { return }
        }
        Issue.record("no commit was told before its write returned")
    }

    /// What is told, until a document is among it.
    private func ids(_ heard: Heard, upTo last: String) -> [String] {
        let end = ContinuousClock.now + Patience.duration
        var ids: [String] = []
        while !ids.contains(last), ContinuousClock.now < end {
            ids += heard.take().flatMap { $0.collections[.default]?.documentIDs ?? [] }
        }
        return ids.filter { $0 != "settle" }
    }

    private func save(_ id: String, in name: CollectionName = .default, _ transaction: Transaction) throws {
        try transaction.save(id, in: name, body: transaction.encode(json: "{}"))
    }

    @Test func aCommitIsToldBeforeItsWriteReturns() throws {
        let heard = Heard()
        let subscription = try subscribe(Self.everything, heard)
        defer { subscription.cancel() }
        try settle(heard)
        // Now and then the hub looks itself, and tells a little later.
        for number in 0..<20 { try database.write { try save("doc\(number)", $0) } }
        #expect(ids(heard, upTo: "doc19") == (0..<20).map { "doc\($0)" })
    }

    /// Random transactions, nested ones that are rolled back among them.
    @Test(arguments: 1...8) func whatIsToldIsWhatALookFinds(seed: UInt64) throws {
        let heard = Heard()
        let subscription = try subscribe(Self.everything, heard)
        defer { subscription.cancel() }
        var random = SeededRandom(seed)
        var known: [CollectionName: UInt64] = [:]
        for name in [CollectionName.default, hotels] { known[name] = try database.read { try $0.lastSequence(of: name) } }
        var told: [CollectionName: [String]] = [:]
        var changed: [CollectionName: [String]] = [:]
        for _ in 0..<60 {
            var purged: [CollectionName: [String]] = [:]
            func change(_ transaction: Transaction, depth: Int) throws {
                for _ in 0...random.below(4) {
                    let name = random.below(2) == 0 ? CollectionName.default : hotels
                    let id = "doc\(random.below(12))"
                    switch random.below(6) {
                    case 0...2: try save(id, in: name, transaction)
                    case 3: if try transaction.document(id, in: name)?.isDeleted == false { try transaction.delete(id, in: name) }
                    case 4: if try transaction.purge(id, in: name) { purged[name, default: []].append(id) }
                    default:
                        guard depth < 2 else { continue }
                        let before = purged
                        if random.below(2) == 0 {
                            try database.write { try change($0, depth: depth + 1) }
                        } else {
                            struct Regret: Error {}
                            try? database.write { inner in
                                try change(inner, depth: depth + 1)
                                throw Regret()
                            }
                            purged = before
                        }
                    }
                }
            }
            try database.write { try change($0, depth: 0) }
            for name in [CollectionName.default, hotels] {
                let ids = try database.read { try $0.documentIDs(in: name, after: known[name] ?? 0, upTo: .max) ?? [] }
                known[name] = try database.read { try $0.lastSequence(of: name) }
                let gone = (purged[name] ?? []).filter { !ids.contains($0) }
                changed[name, default: []] += ids + gone
            }
            for changes in heard.take() {
                for (name, change) in changes.collections { told[name, default: []] += change.documentIDs ?? ["?"] }
            }
        }
        // What was left to a look comes a little later.
        let end = ContinuousClock.now + Patience.duration
        while Set(told.values.flatMap { $0 }) != Set(changed.values.flatMap { $0 }), ContinuousClock.now < end {
            for changes in heard.take() {
                for (name, change) in changes.collections { told[name, default: []] += change.documentIDs ?? ["?"] }
            }
        }
        for name in [CollectionName.default, hotels] { #expect(Set(told[name] ?? []) == Set(changed[name] ?? [])) }
    }

    @Test func aListenerOfOneDocumentHearsOfItAlone() throws {
        let (all, heard) = (Heard(), Heard())
        let subscription = try subscribe(Self.everything, all)
        let own = try subscribe(ChangeInterest(document: "a", in: .default), heard)
        defer { for subscription in [subscription, own] { subscription.cancel() } }
        try settle(all)
        try database.write { try save("b", $0) }
        #expect(ids(all, upTo: "b") == ["b"])
        #expect(heard.take().isEmpty)
        try database.write { transaction in
            try save("a", transaction)
            try save("b", transaction)
        }
        #expect(ids(heard, upTo: "a") == ["a"])
        try database.write { _ = try $0.purge("a") }
        #expect(ids(heard, upTo: "a") == ["a"])
    }

    /// A look may see a purge before the thread that has committed it comes to tell of it: sequences do not say so.
    @Test func aPurgeThatALookHasSeenIsNotToldAgain() throws {
        let heard = Heard()
        let subscription = try subscribe(Self.everything, heard)
        defer { subscription.cancel() }
        let ids = (0..<200).map { "doc\($0)" }
        try database.write { transaction in for id in ids { try save(id, transaction) } }
        try database.write { try save("begin", $0) }
        _ = self.ids(heard, upTo: "begin")
        let hub = database.file.hub
        let isOver = Atomic<Bool>(false)
        let looker = WorkerThread { while !isOver.load(ordering: .relaxed) { hub.signal() } }
        for id in ids { try database.write { _ = try $0.purge(id) } }
        try database.write { try save("end", $0) }
        #expect(self.ids(heard, upTo: "end").filter { $0 != "end" } == ids)
        isOver.store(true, ordering: .relaxed)
        looker.join()
    }

    @Test func nothingIsToldOfWhatIsRolledBack() throws {
        let heard = Heard()
        let subscription = try subscribe(Self.everything, heard)
        defer { subscription.cancel() }
        try settle(heard)
        struct Regret: Error {}
        #expect(throws: Regret.self) {
            try database.write { transaction in
                try save("never", transaction)
                throw Regret()
            }
        }
        try database.write { try save("after", $0) }
        #expect(ids(heard, upTo: "after") == ["after"])
    }

    /// Who does not ask which documents it was is told without a look all the same.
    @Test func whoWantsNoIDsIsToldAtOnce() throws {
        let heard = Heard()
        let subscription = try subscribe(ChangeInterest(purges: true), heard)
        defer { subscription.cancel() }
        try settle(heard)
        var last = try database.read { try $0.lastSequence(of: .default) }
        /// What a commit is told, unless the hub is just looking: then the next one is tried.
        func told(_ work: (Transaction, Int) throws -> Void) throws -> DatabaseChanges.Collection? {
            for attempt in 0..<1000 {
                _ = heard.take()
                last = try database.read { try $0.lastSequence(of: .default) }
                try database.write { try work($0, attempt) }
                let changes = heard.take()
                if changes.count == 1 { return changes[0].collections[.default] }
            }
            return nil
        }
        let saved = try #require(try told { transaction, _ in for id in ["a", "b", "a"] { try save(id, transaction) } })
        #expect(saved.previous == last && saved.last == last + 3 && saved.documentIDs == nil && !saved.isPurged)
        for number in 0..<1000 { try database.write { try save("purged\(number)", $0) } }
        let purged = try #require(try told { transaction, attempt in _ = try transaction.purge("purged\(attempt)") })
        #expect(purged.isPurged && !purged.isChanged)
    }

    /// The transaction has noted no IDs yet when somebody comes who wants them.
    @Test func whoComesMeanwhileHearsOfTheDocuments() throws {
        let (early, late) = (Heard(), Heard())
        let subscription = try subscribe(ChangeInterest(), early)
        try settle(early)
        var other: ChangeSubscription?
        try database.write { transaction in
            try save("before", transaction)
            other = try subscribe(Self.everything, late)
            try save("after", transaction)
        }
        #expect(ids(late, upTo: "after") == ["before", "after"])
        for subscription in [subscription, other] { subscription?.cancel() }
    }

    @Test func aCollectionThatIsMadeIsTold() throws {
        let heard = Heard()
        let subscription = try subscribe(ChangeInterest(), heard)
        defer { subscription.cancel() }
        try settle(heard)
        let name = try CollectionName(name: "motels")
        try database.write { _ = try $0.createCollection(name) }
        let end = ContinuousClock.now + Patience.duration
        var made: Set<CollectionName> = []
        while made.isEmpty, ContinuousClock.now < end { for changes in heard.take() { made.formUnion(changes.created) } }
        #expect(made == [name])
    }

    /// Somebody sleeps until the next document expires: a sooner one is told by the commit, and what is later by the next look.
    @Test func aSoonerExpirationIsToldAtOnce() throws {
        let times = Mutex<[Int64?]>([])
        var interest = ChangeInterest(collections: [])
        interest.nextExpiration = true
        interest.isPassedOn = true
        let subscription = try database.subscribe(interest) { event in
            if case .nextExpiration(let time) = event { times.withLock { $0.append(time) } }
        }
        defer { subscription.cancel() }
        func waitFor(_ count: Int) -> [Int64?] {
            let end = ContinuousClock.now + Patience.duration
            while times.withLock({ $0.count }) < count, ContinuousClock.now < end { usleep(1000) }
            return times.withLock { $0 }
        }
        #expect(waitFor(1) == [nil])
        let now = Transaction.now
        func save(_ id: String, for seconds: Int64) throws {
            try database.write { transaction in
                try self.save(id, transaction)
                try transaction.setExpiration(id, now + seconds * 1000)
            }
        }
        try save("long", for: 3000)
        #expect(waitFor(2) == [nil, now + 3_000_000])
        try save("longer", for: 4000)
        try save("short", for: 2000)
        #expect(waitFor(3) == [nil, now + 3_000_000, now + 2_000_000])
        struct Regret: Error {}
        try? database.write { transaction in
            try transaction.setExpiration("short", now + 1000)
            throw Regret()
        }
        #expect(times.withLock { $0.count } == 3)
        // With its history, the document takes along when it is to go.
        try database.write { try $0.purge("short") }
        try database.write { try $0.move("long", from: .default, to: hotels) }
        #expect(waitFor(4).suffix(1) == [now + 3_000_000])
        // One whose time has passed, and that is gone, stands in nobody's way.
        try save("brief", for: 1)
        try database.write { try $0.purge("brief") }
        while Transaction.now <= now + 1000 { usleep(10_000) }
        try save("later", for: 5000)
        try save("soon", for: 1000)
        let end = ContinuousClock.now + Patience.duration
        while times.withLock({ $0.last }) != now + 1_000_000, ContinuousClock.now < end { usleep(1000) }
        #expect(times.withLock { $0.last } == now + 1_000_000)
    }

    /// A handler may end its own subscription, and another thread that ends it waits for the handler.
    @Test func aHandlerEndsItsOwnSubscription() throws {
        let heard = Heard()
        let box = Mutex<ChangeSubscription?>(nil)
        var interest = Self.everything
        interest.isPassedOn = true
        let subscription = try database.subscribe(interest) { event in
            heard.add(event)
            box.withLock { $0.take() }?.cancel()
        }
        box.withLock { $0 = subscription }
        let end = ContinuousClock.now + Patience.duration
        var count = 0
        while heard.take().isEmpty, ContinuousClock.now < end {
            count += 1
            try database.write { try save("doc\(count)", $0) }
        }
        try database.write { try save("last", $0) }
        #expect(heard.take().isEmpty)
    }
}
