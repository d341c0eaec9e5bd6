import CBLReplicationTestSupport
import CBLStore
import CBLTestSupport
import CBLTransport
import Glibc
import Testing

@testable import CBLListener
@testable import CBLReplication

/// Those who leave checkpoints without end.
@Suite(.timeLimit(.minutes(10))) struct HostileCheckpointTests {
    private let databases: Databases
    private let database: Database

    init() throws {
        databases = try Databases()
        database = try databases.create("m", 3)
    }

    private func stored() throws -> (count: Int, bytes: Int) {
        let sizes = try database.read { try $0.peerCheckpointSizes(most: .max) }
        return (sizes.count, sizes.reduce(0) { $0 + $1.bytes })
    }

    private func pages() -> Int {
        [database.path + "/db.sqlite3", database.path + "/db.sqlite3-wal"].reduce(0) { $0 + (FileSize.of($1) ?? 0) }
    }

    /// Also of somebody who may only read.
    @Test func readersDoNotFillTheDisk() async throws {
        let listener = try TestListener([Share("db", database, collections: [.default], access: .readOnly)])
        let client = try await RawClient(listener.url())
        let body = [UInt8](repeating: 0x20, count: 256 << 10)
        for number in 0..<120 { #expect(await client.ask("setCheckpoint", ["client": "flood-\(number)"], body)?.error == nil) }
        let stored = try stored()
        #expect(stored.bytes <= CheckpointShelf.Limits().ofEach.bytes && stored.count > 10)
        // With room for what is written ahead.
        #expect(pages() < 24 << 20)
        // The last one is there, and the first one is not.
        #expect(await client.ask("getCheckpoint", ["client": "flood-119"])?.error == nil)
        #expect(await client.ask("getCheckpoint", ["client": "flood-0"])?.errorCode == "HTTP 404")
    }

    @Test func manySmallOnesAreCounted() async throws {
        let listener = try TestListener(database)
        let client = try await RawClient(listener.url())
        let most = CheckpointShelf.Limits().ofEach.count
        for number in 0..<most + 500 { await client.send("setCheckpoint", ["client": "cp-\(number)"], Array("{}".utf8)) }
        #expect(await client.ask("setCheckpoint", ["client": "last"], Array("{}".utf8))?.error == nil)
        #expect(try stored().count <= most)
        #expect(
            await client.ask("setCheckpoint", ["client": String(repeating: "n", count: 257)], Array("{}".utf8))?.errorCode == "BLIP 400")
    }

    /// A client that names a new checkpoint for each of its filters goes on, and so does somebody else.
    @Test func honestClientsGoOnMeanwhile() async throws {
        var users = UserList()
        for name in ["ada", "eve"] { users.set(name, password: "x", rights: UserRights(.readOnly)) }
        let known = users
        let listener = try TestListener(database) { $0.users = known }
        let other = try databases.create("other")
        func pull() async throws -> SyncOutcome {
            await sync(other, try listener.url(), push: .off) { $0.handshake.credentials = Credentials(user: "ada", password: "x") }
        }
        #expect(try await pull().isFine(pulled: 3))
        let before = try stored().count
        let eve = try await RawClient(listener.url(), user: Credentials(user: "eve", password: "x"))
        let body = [UInt8](repeating: 0x20, count: 1 << 20)
        for number in 0..<30 { #expect(await eve.ask("setCheckpoint", ["client": "flood-\(number)"], body)?.error == nil) }
        // What ada left is still there, and agrees with her own.
        try database.fill(1, prefix: "new")
        #expect(try await pull().isFine(pulled: 1))
        #expect(before == 1)
        for number in 0..<50 {
            let id = "cp-filter-\(number)"
            #expect(await eve.ask("setCheckpoint", ["client": id], Array(#"{"n":\#(number)}"#.utf8))?.string("rev") == "1-cc")
            #expect(await eve.ask("setCheckpoint", ["client": id, "rev": "1-cc"], Array("{}".utf8))?.string("rev") == "2-cc")
        }
    }

    /// One whose checkpoint had to go starts again, and is done.
    @Test func whoMissesOneBeginsAgain() async throws {
        let listener = try TestListener(database)
        let other = try databases.create("other")
        #expect(await sync(other, try listener.url(), push: .off).isFine(pulled: 3))
        let flood = try await RawClient(listener.url())
        for number in 0..<12 {
            #expect(await flood.ask("setCheckpoint", ["client": "flood-\(number)"], [UInt8](repeating: 0x20, count: 1 << 20))?.error == nil)
        }
        try database.fill(2, prefix: "new")
        #expect(await sync(other, try listener.url(), push: .off).isFine(pulled: 2))
        #expect(await sync(other, try listener.url(), push: .off).isFine(pulled: 0))
    }

    private let small = CheckpointShelf.Limits(ofEach: .init(count: 8, bytes: 1000), ofAll: .init(count: 24, bytes: 2000))

    private func names() throws -> Set<String> { Set(try database.read { try $0.peerCheckpointSizes(most: .max) }.map(\.id)) }

    @Test func theOldestOfWhoeverHasTooManyGo() throws {
        let shelf = CheckpointShelf(small)
        for number in 0..<6 { _ = try shelf.save("a\(number)", revision: "", [1], by: "ada", in: database) }
        for number in 0..<30 { _ = try shelf.save("b\(number)", revision: "", [1], by: "bob", in: database) }
        #expect(try names().filter { $0.hasPrefix("a") }.count == 6)
        #expect(try (7...8).contains(names().filter { $0.hasPrefix("b") }.count) && names().contains("b29"))
        // What is written again is not old.
        _ = try shelf.save("a0", revision: "1-cc", [2], by: "ada", in: database)
        for number in 6..<10 { _ = try shelf.save("a\(number)", revision: "", [1], by: "ada", in: database) }
        #expect(try names().isSuperset(of: ["a0", "a9"]) && !names().contains("a1"))
        // One that is too large for all of it has the others go, and is there.
        _ = try shelf.save("large", revision: "", [UInt8](repeating: 0, count: 1500), by: "bob", in: database)
        #expect(try names().filter { $0.hasPrefix("b") }.isEmpty && names().contains("large"))
    }

    @Test func thereIsALimitForAllTogetherAlsoAfterARestart() throws {
        for round in 0..<5 {
            let shelf = CheckpointShelf(small)
            for number in 0..<20 { _ = try shelf.save("r\(round)-\(number)", revision: "", [1], by: "visitor \(number)", in: database) }
            #expect(try names().count <= 24 && names().contains("r\(round)-19"))
        }
        // A conflict changes nothing.
        let shelf = CheckpointShelf(small)
        let before = try names()
        #expect(throws: StoreError.self) { try shelf.save("r4-19", revision: "7-cc", [1], by: "ada", in: database) }
        #expect(try names() == before)
    }
}

/// The length of a file; nil if there is none.
enum FileSize {
    static func of(_ path: String) -> Int? {
        var facts = stat()
        return stat(path, &facts) == 0 ? Int(facts.st_size) : nil
    }
}
