import CBLBase
import CBLFleece
import CBLTestSupport
import Glibc
import Synchronization
import Testing

@testable import CBLStore

/// What several threads note.
private final class Notes<Item: Sendable>: Sendable {
    private let items = Mutex<[Item]>([])

    func add(_ item: Item) { items.withLock { $0.append(item) } }
    var all: [Item] { items.withLock { $0 } }

    /// Waits until the items are enough; what has not come when patience ends does not come.
    @discardableResult
    func wait(until isEnough: ([Item]) -> Bool) -> [Item] {
        let end = ContinuousClock.now + Patience.duration
        while !isEnough(all), .now < end { usleep(1000) }
        return all
    }
}

private func eventually(_ isTrue: () -> Bool) -> Bool {
    let end = ContinuousClock.now + Patience.duration
    while .now < end {
        if isTrue() { return true }
        usleep(2000)
    }
    return false
}

@Suite(.timeLimit(.minutes(5))) struct ChangeHubTests {
    private let directory: TemporaryDirectory
    private let database: Database
    private var path: String { database.path }

    init() throws {
        directory = try TemporaryDirectory()
        database = try Database(path: directory.path + "/new.cblite2", options: .create)
        try put("a")
    }

    private func put(_ id: String, _ json: String = "{}") throws {
        try database.write { try $0.save(id, body: $0.encode(json: json)) }
    }

    private func hubThread(_ database: Database) throws -> ProcessThread {
        let notes = Notes<ProcessThread>()
        let subscription = try database.subscribe { if case .alarm = $0 { notes.add(.current) } }
        subscription.setAlarm(after: .zero)
        defer { subscription.cancel() }
        return try #require(notes.wait { !$0.isEmpty }.first)
    }

    // Economy

    @Test func manySubscribersShareOneThreadAndOneDescriptor() throws {
        let other = try Database(path: path)
        let notes = Notes<ProcessThread>()
        let subscriptions = try (0..<40).map { number in
            try (number % 2 == 0 ? database : other).subscribe { if case .changed = $0 { notes.add(.current) } }
        }
        #expect(ProcessThread.noticeCount(ofFolder: path) == 1)
        try put("b")
        let threads = notes.wait { $0.count >= 40 }
        #expect(threads.count == 40 && Set(threads).count == 1)
        #expect(threads[0].name == "cblite-changes")
        for subscription in subscriptions { subscription.cancel() }
        // The last one takes them along.
        #expect(eventually { !threads[0].isThere && ProcessThread.noticeCount(ofFolder: path) == 0 })
        // And the next one begins anew.
        let next = try database.watch()
        try put("c")
        #expect(try next.wait() && next.changes[.default]?.last == 3)
    }

    @Test func nobodyIsWokenWhileNothingChanges() throws {
        database.file.hub.setPauses([.milliseconds(1), .milliseconds(1)])
        let subscriptions = try (0..<40).map { _ in try database.subscribe(ChangeInterest(purges: true, documentIDs: true)) { _ in } }
        try put("b")
        let thread = try hubThread(database)
        usleep(500_000)
        let before = try #require(thread.sleeps)
        sleep(1)
        #expect(thread.sleeps == before)
        for subscription in subscriptions { subscription.cancel() }
    }

    // What is told

    @Test func documentsAreToldByTheirIDs() throws {
        try database.prepareChangeFeed(of: .default)
        let watcher = try database.watch(noticingPurges: true, documentIDs: true)
        func heard() throws -> DatabaseChanges.Collection {
            #expect(try watcher.wait())
            #expect(watcher.notices.count == 1)
            return try #require(watcher.notices.first?.collections[.default])
        }
        try database.write { transaction in
            for id in ["b", "c", "d"] { try transaction.save(id, body: .emptyDictionary) }
            try transaction.delete("a")
            try transaction.save("b", body: transaction.encode(json: #"{"n":1}"#))
        }
        var change = try heard()
        #expect(change.documentIDs == ["c", "d", "a", "b"] && change.previous == 1 && change.last == 6 && !change.lacksPurged)
        try database.write { transaction in
            try transaction.purge("c")
            try transaction.purge("not there")
            // What is inside, and undone, is not told.
            _ = try? database.write { inner in
                try inner.purge("d")
                throw StoreError(.conflict, "")
            }
        }
        change = try heard()
        #expect(change.documentIDs == ["c"] && change.isPurged && !change.isChanged && !change.lacksPurged)
        try database.write { transaction in
            try transaction.purge("b")
            try transaction.save("b", body: .emptyDictionary)
            try transaction.purgeDeleted()
        }
        change = try heard()
        #expect(change.documentIDs == ["b", "a"] && change.isPurged && !change.lacksPurged)
        try database.write { transaction in
            try transaction.setExpiration("d", Transaction.now - 1)
            try transaction.purgeExpired()
        }
        change = try heard()
        #expect(change.documentIDs == ["d"] && change.isPurged && !change.lacksPurged)
        let things = try CollectionName(parsing: "things")
        try database.write { transaction in
            try transaction.createCollection(things)
            try transaction.move("b", from: .default, to: things, newID: "thing")
        }
        #expect(try watcher.wait())
        #expect(watcher.notices.first?.collections[.default]?.documentIDs == ["b"])
        #expect(watcher.notices.first?.collections[things]?.documentIDs == ["thing"])
    }

    @Test func whatOtherProcessesDoIsTold() throws {
        let watcher = try database.watch(noticingPurges: true, documentIDs: true)
        func heard(_ arguments: [String]) throws -> DatabaseChanges.Collection {
            let result = try Program.run(arguments)
            #expect(result.exitCode == 0, "\(result.errors)")
            #expect(try watcher.wait())
            return try #require(watcher.notices.last?.collections[.default])
        }
        var change = try heard(["put", path, "fresh", "{}"])
        #expect(change.documentIDs == ["fresh"] && !change.isPurged)
        // Its row goes to the other table. Whether that was all, the file does not tell.
        change = try heard(["rm", path, "fresh"])
        #expect(change.documentIDs == ["fresh"] && change.isPurged && change.lacksPurged)
        change = try heard(["rm", "--purge", path, "a"])
        #expect(change.documentIDs == [] && change.isPurged && !change.isChanged && change.lacksPurged)
    }

    @Test func tooManyAreNotListed() throws {
        let watcher = try database.watch(noticingPurges: true, documentIDs: true)
        func heard() throws -> DatabaseChanges.Collection? {
            #expect(try watcher.wait())
            return watcher.notices.first?.collections[.default]
        }
        func fill(_ numbers: Range<Int>) throws {
            try database.write { transaction in
                for number in numbers { try transaction.save("n\(number)", body: .emptyDictionary) }
            }
        }
        try fill(0..<RemovalLog.mostIDs)
        #expect(try heard()?.documentIDs?.count == RemovalLog.mostIDs)
        try fill(0..<(RemovalLog.mostIDs + 1))
        #expect(try heard().map { $0.documentIDs == nil && !$0.lacksPurged } == true)
        // A large collection is not searched for those that have changed.
        try fill(5001..<10_001)
        #expect(try heard()?.documentIDs == nil)
        try database.prepareChangeFeed(of: .default)
        try put("last")
        #expect(try heard()?.documentIDs == ["last"])
        try database.write { transaction in
            for number in 0...RemovalLog.mostIDs { try transaction.purge("n\(number)") }
        }
        #expect(try heard().map { $0.documentIDs == nil && $0.isPurged && !$0.lacksPurged } == true)
        try database.write { _ = try $0.purge("last") }
        #expect(try heard()?.documentIDs == ["last"])
    }

    @Test func oneDocumentIsWatched() throws {
        let watcher = try Watcher(database, ChangeInterest(document: "a", in: .default), since: nil)
        func isHeard(_ work: (Transaction) throws -> Void) throws -> Bool {
            try database.write(work)
            // A commit that is certainly told, to somebody who came later, has been looked at.
            let later = try database.watch()
            try put("later")
            #expect(try later.wait())
            return try watcher.wait(milliseconds: 50)
        }
        #expect(try !isHeard { try $0.save("b", body: .emptyDictionary) })
        #expect(try isHeard { try $0.save("a", body: $0.encode(json: #"{"n":1}"#)) })
        #expect(watcher.notices.map { $0.collections[.default]?.documentIDs } == [["a"]])
        #expect(try isHeard { try $0.delete("a") })
        #expect(try !isHeard { try $0.purge("b") })
        // Neither when there is too much to be listed.
        #expect(try !isHeard { for number in 0...RemovalLog.mostIDs { try $0.save("n\(number)", body: .emptyDictionary) } })
        #expect(
            try isHeard { for number in 0...RemovalLog.mostIDs { try $0.save(number == 7 ? "a" : "n\(number)", body: .emptyDictionary) } })
        #expect(try isHeard { try $0.purge("a") })
        #expect(try !isHeard { try $0.purge("a") })
        #expect(try isHeard { try $0.save("a", body: .emptyDictionary) })
        #expect(try Program.run(["rm", "--purge", path, "n1"]).exitCode == 0)
        #expect(try !watcher.wait(milliseconds: 300))
        #expect(try Program.run(["rm", "--purge", path, "a"]).exitCode == 0)
        #expect(try watcher.wait())
    }

    @Test func collectionsThatComeAndGoAreTold() throws {
        let (here, other) = (try CollectionName(parsing: "here"), try CollectionName(parsing: "there.other"))
        let all = try database.watch()
        let one = try Watcher(database, ChangeInterest(collections: [here]), since: nil)
        func told(_ watcher: Watcher) throws -> [DatabaseChanges] { try watcher.wait() ? watcher.notices : [] }

        try database.write { for name in [here, other] { try $0.createCollection(name) } }
        let created = try told(all)
        #expect(created.map(\.created) == [[here, other]] && created.map(\.deleted) == [[]] && created[0].collections.isEmpty)
        #expect(try told(one).map(\.created) == [[here]])

        try database.write { try $0.save("x", in: here, body: .emptyDictionary) }
        #expect(try told(all).map { $0.collections[here]?.last } == [1])
        #expect(try told(one).map(\.created) == [[]])

        try database.write { for name in [here, other] { try $0.deleteCollection(name) } }
        let deleted = try told(all)
        #expect(deleted.map(\.deleted) == [[here, other]] && deleted.map(\.created) == [[]] && deleted[0].collections.isEmpty)
        #expect(try told(one).map(\.deleted) == [[here]])

        // It goes on with its sequences, and whoever knows these hears no more than that it is back.
        try database.write { try $0.createCollection(here) }
        let again = try told(one)
        #expect(again.map(\.created) == [[here]] && again[0].collections[here]?.isChanged != true)
    }

    @Test func whatIsDeletedAndMadeAgainAtOnceHasLostItsDocuments() throws {
        let name = try CollectionName(parsing: "here")
        try database.write {
            try $0.createCollection(name)
            try $0.save("x", in: name, body: .emptyDictionary)
        }
        let watcher = try Watcher(database, ChangeInterest(collections: [name], purges: true, documentIDs: true), since: nil)
        let document = try Watcher(database, ChangeInterest(document: "x", in: name), since: nil)
        try database.write {
            try $0.deleteCollection(name)
            try $0.createCollection(name)
        }
        #expect(try watcher.wait())
        #expect(watcher.notices.map(\.deleted) == [[]])
        #expect(watcher.notices.map { $0.collections[name]?.isPurged } == [true])
        #expect(watcher.notices.map { $0.collections[name]?.lacksPurged } == [true])
        #expect(try document.wait())
        #expect(document.notices.map { $0.collections[name]?.documentIDs } == [["x"]])
    }

    @Test func whatOtherProcessesDeleteIsTold() throws {
        let name = try CollectionName(parsing: "here")
        try database.write { try $0.createCollection(name) }
        let document = try Watcher(database, ChangeInterest(document: "x", in: name), since: nil)
        #expect(try Program.run(["rmcoll", "--yes", path, "here"]).exitCode == 0)
        #expect(try document.wait())
        #expect(document.notices.map(\.deleted) == [[name]])
    }

    @Test func purgesAreKnownFromTheCommitOn() {
        let log = RemovalLog()
        let first = log.notePurged([.default: (RemovalLog.Removed(count: 1, ids: ["a"]), end: 5)])
        // Not committed yet: who looks now sees the count before.
        #expect(log.purged(from: .default, after: 3, upTo: 4).count == 0)
        #expect(log.purged(from: .default, after: 4, upTo: 5).ids == ["a"])
        log.takeBack(first)
        _ = log.notePurged([.default: (RemovalLog.Removed(count: 1, ids: ["b"]), end: 5)])
        #expect(log.purged(from: .default, after: 4, upTo: 5).ids == ["b"])
        #expect(log.purged(from: .default, after: 5, upTo: 9).ids == [])
        log.forget(purgedUpTo: [.default: 5], expiredUpTo: [:])
        #expect(log.purged(from: .default, after: 4, upTo: 5).count == 0)
    }

    @Test func eachHearsEverythingOnceAndInOrder() throws {
        try database.prepareChangeFeed(of: .default)
        let other = try Database(path: path, options: .readWrite)
        let databases = [database, other]
        let perThread = 60
        let total = UInt64(1 + 3 * perThread)
        let threads = (0..<3).map { number in
            WorkerThread {
                for round in 0..<perThread {
                    _ = try? databases[number % 2].write { try $0.save("\(number)-\(round)", body: .emptyDictionary) }
                }
            }
        }
        var heard: [(known: UInt64, isSince: Bool, notes: Notes<DatabaseChanges.Collection>, subscription: ChangeSubscription)] = []
        for number in 0..<12 {
            let notes = Notes<DatabaseChanges.Collection>()
            // Some ask for what was before, the others begin where things are just now.
            let since: [CollectionName: UInt64]? = number % 3 == 0 ? [.default: 1] : nil
            let subscription = try databases[number % 2].subscribe(ChangeInterest(documentIDs: true), since: since) { event in
                if case .changed(let changes) = event, let change = changes.collections[.default] { notes.add(change) }
            }
            let known = try since == nil ? database.read { try $0.lastSequence(of: .default) } : 1
            heard.append((known, since != nil, notes, subscription))
            usleep(2000)
        }
        for thread in threads { thread.join() }
        for (known, isSince, notes, subscription) in heard where known < total {
            let changes = notes.wait { $0.last?.last == total }
            let first = try #require(changes.first)
            #expect(changes.last?.last == total && (isSince ? first.previous == 1 : first.previous <= known))
            for (change, next) in zip(changes, changes.dropFirst()) { #expect(change.last == next.previous) }
            let ids = changes.flatMap { $0.documentIDs ?? [] }
            #expect(ids.count == Int(total - first.previous) && Set(ids).count == ids.count)
            subscription.cancel()
        }
    }

    @Test func alarmsComeInTheirTime() throws {
        let notes = Notes<String>()
        let late = try database.subscribe { if case .alarm = $0 { notes.add("late") } }
        let soon = try database.subscribe { if case .alarm = $0 { notes.add("soon") } }
        let start = ContinuousClock.now
        late.setAlarm(after: .milliseconds(200))
        // The sooner one counts.
        late.setAlarm(after: .seconds(600))
        soon.setAlarm(after: .milliseconds(50))
        #expect(notes.wait { $0.count >= 2 } == ["soon", "late"])
        #expect(.now - start >= .milliseconds(200))
        for subscription in [late, soon] { subscription.cancel() }
    }

    // The end

    @Test func theHandlerMayEndItsOwnAndOthers() throws {
        let notes = Notes<String>()
        let held = Mutex<[ChangeSubscription]>([])
        for number in 0..<3 {
            let subscription = try database.subscribe { event in
                guard case .changed = event else { return }
                notes.add("\(number)")
                for subscription in held.withLock({ $0 }) { subscription.cancel() }
            }
            held.withLock { $0.append(subscription) }
        }
        let last = try database.watch()
        try put("b")
        #expect(try last.wait())
        try put("c")
        #expect(try last.wait())
        #expect(notes.all == ["0"])
    }

    @Test func cancellingWaitsForTheHandler() throws {
        let order = Order()
        let subscription = try database.subscribe { event in
            guard case .changed = event else { return }
            order.note("begun")
            usleep(100_000)
            order.note("done")
        }
        try put("b")
        order.await("begun")
        subscription.cancel()
        #expect(order.has("done"))
    }

    @Test func whoLetsGoOfItHearsNothingMore() throws {
        let notes = Notes<Int>()
        _ = try database.subscribe { _ in notes.add(1) }
        let watcher = try database.watch()
        try put("b")
        #expect(try watcher.wait())
        #expect(notes.all == [])
    }

    @Test func closingEndsTheSubscriptionsOfOneDatabase() throws {
        let notes = Notes<String>()
        func subscribe(_ database: Database, _ name: String) throws -> ChangeSubscription {
            try database.subscribe { event in
                switch event {
                case .changed(let changes): notes.add("\(name) \(changes.collections[.default]?.last ?? 0)")
                case .closed: notes.add("\(name) closed")
                default: break
                }
            }
        }
        let other = try Database(path: path, options: .readWrite)
        // The first one's readers are those that the hub looks with.
        let subscriptions = [try subscribe(other, "one"), try subscribe(database, "two")]
        try put("b")
        notes.wait { $0.count >= 2 }
        other.close()
        notes.wait { $0.count >= 3 }
        try put("c")
        #expect(notes.wait { $0.count >= 4 } == ["one 2", "two 2", "one closed", "two 3"])
        #expect(throws: StoreError.self) { _ = try subscribe(other, "three") }
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test func theHandlerMayCloseTheDatabase() throws {
        let notes = Notes<String>()
        let other = try Database(path: path)
        let subscription = try other.subscribe { event in
            switch event {
            case .changed: other.close()
            case .closed: notes.add("closed")
            default: notes.add("\(event)")
            }
        }
        try put("b")
        #expect(notes.wait { !$0.isEmpty } == ["closed"])
        subscription.cancel()
        let watcher = try database.watch()
        try put("c")
        #expect(try watcher.wait())
    }

    /// Subscribing, cancelling, closing and committing on several threads at once: who has cancelled is told nothing, and nothing hangs.
    @Test func anythingMayHappenAtOnce() throws {
        let told = Atomic<Int>(0)
        let wrong = Atomic<Int>(0)
        let path = path
        let threads = (0..<4).map { seed in
            WorkerThread { [database] in
                var random = SeededRandom(UInt64(seed))
                for _ in 0..<60 {
                    guard let own = try? Database(path: path, options: .readWrite) else { continue }
                    let isOver = Atomic<Bool>(false)
                    let handler: @Sendable (ChangeEvent) -> Void = { _ in
                        told.add(1, ordering: .relaxed)
                        usleep(100)
                        if isOver.load(ordering: .sequentiallyConsistent) { wrong.add(1, ordering: .relaxed) }
                    }
                    let interest = ChangeInterest(purges: random.below(2) == 0, documentIDs: random.below(2) == 0)
                    guard let mine = try? own.subscribe(interest, handler: handler),
                        let shared = try? database.subscribe(interest, handler: handler)
                    else { continue }
                    _ = try? own.write { try $0.save("\(seed)", body: .emptyDictionary) }
                    mine.setAlarm(after: .microseconds(random.below(500)))
                    if random.below(2) == 0 { _ = try? database.write { try $0.purge("\(seed)") } }
                    if random.below(2) == 0 { own.close() }
                    usleep(UInt32(random.below(1500)))
                    mine.cancel()
                    shared.cancel()
                    isOver.store(true, ordering: .sequentiallyConsistent)
                    if random.below(2) == 0 { own.close() }
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(told.load(ordering: .relaxed) > 0)
        #expect(wrong.load(ordering: .relaxed) == 0)
        #expect(eventually { ProcessThread.noticeCount(ofFolder: path) == 0 })
    }
}
