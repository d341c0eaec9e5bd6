import CBLBase
import CBLFleece
import CBLTestSupport
import Glibc
import Testing

@testable import CBLStore

@Suite struct WatcherTests {
    let directory: TemporaryDirectory
    let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path + "/new.cblite2"
    }

    @Test func everyCommitIsHeardOf() throws {
        let database = try Database(path: path, options: .create)
        let watcher = try database.watch()
        try #expect(!watcher.wait(milliseconds: 10))
        try database.write { try $0.save("a", body: .emptyDictionary) }
        try #expect(watcher.wait(milliseconds: 5000))
        #expect(watcher.changes[.default]?.previous == 0 && watcher.changes[.default]?.last == 1)
        // Of another connection, as of another process.
        let other = try Database(path: path, options: .readWrite)
        try other.write { transaction in
            let things = try CollectionName(parsing: "things")
            try transaction.createCollection(things)
            try transaction.save("b", in: things, body: .emptyDictionary)
        }
        try #expect(watcher.wait(milliseconds: 5000))
        #expect(watcher.changes.keys.map(\.description) == ["things"])
    }

    /// A process that waits costs nothing: no look from time to time where the kernel tells of every change.
    @Test func nothingHappensWhileNothingChanges() throws {
        let database = try Database(path: path, options: .create)
        let hub = database.file.hub
        hub.setPauses([.milliseconds(1), .milliseconds(1)])
        let watcher = try database.watch()
        try database.write { try $0.save("a", body: .emptyDictionary) }
        try #expect(watcher.wait(milliseconds: 5000))
        // What was written is told of once more, and is looked for twice; then there is silence.
        try #expect(!watcher.wait(milliseconds: 500))
        let looks = hub.lookCount
        try #expect(!watcher.wait(milliseconds: 2000))
        #expect(hub.lookCount == looks)
    }

    /// A commit that becomes visible after the kernel's notice of it is found all the same.
    @Test func whatIsSeenLaterIsFound() throws {
        let database = try Database(path: path, options: .create)
        let other = try Database(path: path, options: .readWrite)
        let watcher = try database.watch()
        let thread = WorkerThread {
            for number in 0..<40 {
                _ = try? other.write { try $0.save("\(number)", body: .emptyDictionary) }
                usleep(UInt32(number % 7) * 3000)
            }
        }
        var last: UInt64 = 0
        while last < 40 {
            guard try watcher.wait(milliseconds: 20_000) else { break }
            last = watcher.changes[.default]?.last ?? last
        }
        #expect(last == 40)
        thread.join()
    }

    @Test func waitingCanBeCancelled() throws {
        let database = try Database(path: path, options: .create)
        let watcher = try database.watch()
        let thread = WorkerThread {
            usleep(50_000)
            watcher.cancel()
        }
        try #expect(!watcher.wait())
        #expect(watcher.isCancelled)
        thread.join()
    }

    /// A thousand of them one by one would have the schema, which grows meanwhile, read a thousand times.
    @Test func manyCollectionsAreMadeAndPreparedAtOnce() throws {
        let database = try Database(path: path, options: .create)
        let names = try (0..<50).map { try CollectionName(scope: "s\($0 % 7)", name: "c\($0)") }
        let versions = { try database.read { try $0.connection.integer("PRAGMA schema_version") ?? 0 } }
        let first = try database.write { try $0.createCollections([names[3]]) }
        let others = try database.write { try $0.createCollections(names + names) }
        #expect(first == [names[3]] && others == Set(names).subtracting([names[3]]))
        try database.read { #expect(Set($0.collections()) == Set(names + [.default])) }
        try database.prepareChangeFeed(of: names)
        try database.prepareConflictSearch(of: names + [.default])
        try database.read { snapshot in
            for name in names {
                let hasConflictIndex = try snapshot.catalog.indexNames.contains(snapshot.tables(name).live.name + "_conflicts")
                let hasSequenceIndex = try snapshot.hasSequenceIndex(of: name)
                #expect(hasSequenceIndex && hasConflictIndex)
            }
        }
        let version = try versions()
        try database.prepareChangeFeed(of: names)
        #expect(try versions() == version)
        #expect(throws: StoreError.self) { try database.prepareChangeFeed(of: names + [CollectionName(name: "absent")]) }
    }

    @Test func changesComeInOrder() throws {
        let database = try Database(path: path, options: .create)
        try database.prepareChangeFeed(of: .default)
        try database.prepareConflictSearch(of: [.default])
        let indexes = try database.read {
            try $0.connection.strings("SELECT sql FROM sqlite_master WHERE tbl_name='kv_del_default' AND type='index' AND sql NOT NULL")
        }
        #expect(
            indexes.suffix(2) == [
                #"CREATE UNIQUE INDEX "kv_del_default_seqs" ON "kv_del_default" (sequence)"#,
                #"CREATE INDEX "kv_del_default_conflicts" ON "kv_del_default" (flags) WHERE (flags & 2) != 0"#,
            ])
        try database.write { transaction in
            for id in ["c", "a", "b"] { try transaction.save(id, body: .emptyDictionary) }
            try transaction.delete("a")
        }
        try database.read { snapshot in
            var options = ScanOptions(order: .sequence, content: .metadata)
            options.includesDeleted = true
            options.since = 1
            var seen: [String] = []
            let cursor = try snapshot.scan(.default, options)
            while try cursor.next() { seen.append("\(cursor.sequence) \(cursor.id) \(cursor.isDeleted)") }
            #expect(seen == ["3 b false", "4 a true"])
        }
    }
}
