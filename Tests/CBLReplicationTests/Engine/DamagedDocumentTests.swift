import CBLFleece
import CBLReplicationTestSupport
import CBLSQLite
import CBLStore
import CBLTestSupport
import Testing

@testable import CBLReplication

/// One document that cannot be read is its own trouble, and nobody else's.
@Suite struct DamagedDocumentTests {
    enum Column: String, CaseIterable {
        case version, extra, body

        /// No revision, no tree, and a value that is none within one that is.
        var rubbish: String {
            switch self {
            case .version: "x'80'"
            case .extra: "x'01FFFFFF'"
            case .body: "x'416E700180029FFF8003'"
            }
        }
    }

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func path(_ name: String) -> String { "\(directory.path)/\(name).cblite2" }

    /// A database with three documents, of which "b" is damaged; `repair` takes that back.
    private func damaged(_ column: Column) throws -> (Database, repair: () throws -> Void) {
        let database = try Database(path: path("a"), options: .init(access: .create))
        try database.write { transaction in
            for id in ["a", "b", "c"] { try transaction.save(id, body: transaction.encode(json: #"{"n":1}"#)) }
            // What a tree has beside its current revision is in a column of its own.
            _ = try transaction.save("b", body: transaction.encode(json: #"{"n":2}"#))
        }
        func connect() throws -> Connection { try Connection(path: path("a") + "/db.sqlite3", mode: .readWrite) }
        let value = try connect().strings("SELECT quote(\(column)) FROM kv_default WHERE key='b'")[0]
        try connect().execute("UPDATE kv_default SET \(column)=\(column.rubbish) WHERE key='b'")
        return (database, { try connect().execute("UPDATE kv_default SET \(column)=\(value) WHERE key='b'") })
    }

    @Test(arguments: Column.allCases) func aPushLeavesItOutAndTellsEachTime(_ column: Column) async throws {
        let (database, repair) = try damaged(column)
        let middle = try Database(path: path("m"), options: .init(access: .create))
        let server = try TestServer(middle)
        let settings = try server.settings([.init(push: .once, pull: .off)])
        for pushed in [["a", "c"], []] {
            let outcome = await synchronize(database, settings)
            #expect(outcome.failure == nil && outcome.pushed.sorted() == pushed)
            #expect(outcome.errors.map(\.documentID) == ["b"])
            #expect(outcome.errors.first?.error?.message.contains("\"b\" is damaged") == true, "\(outcome.errors)")
        }
        try repair()
        // Nobody has changed it, and it goes all the same.
        let outcome = await synchronize(database, settings)
        #expect(outcome.isFine(pushed: 1))
        #expect(try documents(of: database) == documents(of: middle))
    }

    @Test func itIsPendingUntilItIsRepaired() async throws {
        let (database, repair) = try damaged(.version)
        let middle = try Database(path: path("m"), options: .init(access: .create))
        let settings = ReplicatorSettings(.database(middle), collections: [.init(push: .once, pull: .off)])
        _ = await synchronize(database, settings)
        #expect(try database.read { try $0.syncStates(lookingAtMost: 100) }.map(\.pending) == [1])
        try repair()
        _ = await synchronize(database, settings)
        #expect(try database.read { try $0.syncStates(lookingAtMost: 100) }.map(\.pending) == [0])
    }

    @Test(arguments: Column.allCases) func aPullFromItGetsTheOthersAndItWhenItIsRepaired(_ column: Column) async throws {
        let (database, repair) = try damaged(column)
        let server = try TestServer(database)
        let client = try Database(path: path("m"), options: .init(access: .create))
        let settings = try server.settings([.init(push: .off, pull: .once)])
        for pulled in [["a", "c"], []] {
            let outcome = await synchronize(client, settings)
            #expect(outcome.failure == nil && outcome.pulled.sorted() == pulled)
            #expect(outcome.errors.map(\.documentID) == ["b"])
            #expect(outcome.errors.first?.error?.message.contains("\"b\" is damaged") == true, "\(outcome.errors)")
        }
        try repair()
        // Nobody has changed it, and it comes all the same.
        let outcome = await synchronize(client, settings)
        #expect(outcome.failure == nil && outcome.errors.isEmpty && outcome.pulled == ["b"], "\(outcome)")
        #expect(try documents(of: database) == documents(of: client))
    }

    @Test func aRepairTellsThoseWhoHavePassedIt() async throws {
        let (database, _) = try damaged(.version)
        func last() throws -> UInt64 { try database.read { try $0.lastSequence(of: .default) } }
        let before = try last()
        _ = try database.repair()
        let changes = try database.read { try $0.changedDocuments(since: before, limit: 10, remote: 0) }
        #expect(changes.map(\.id) == ["b"])
    }

    @Test(arguments: [Column.version, .extra]) func whatIsPushedOntoItKeepsNobodyElseOut(_ column: Column) async throws {
        let (server, repair) = try damaged(column)
        let database = try Database(path: path("m"), options: .init(access: .create))
        try database.write { transaction in
            for id in ["b", "d", "e"] { try transaction.save(id, body: transaction.encode(json: #"{"n":3}"#)) }
        }
        let settings = ReplicatorSettings(.database(server), collections: [.init(push: .once, pull: .off)])
        let outcome = await synchronize(database, settings)
        #expect(outcome.failure == nil && outcome.pushed.sorted() == ["d", "e"] && outcome.errors.map(\.documentID) == ["b"], "\(outcome)")
        try repair()
    }

    @Test func whatIsWrongWithTheDiskIsNotWrongWithDocuments() {
        for code in [StoreError.Code.diskFull, .inputOutput, .busy] {
            let error = ReplicatedDatabase.translate(StoreError(code, "the disk is full"))
            #expect(error.isTransientForDocument && error.message == "the disk is full")
        }
        #expect(!ReplicatedDatabase.translate(StoreError(.invalidDocument, "no")).isTransientForDocument)
    }
}
