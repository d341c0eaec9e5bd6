import CBLFleece
import CBLSQLite
import CBLStore
import CBLTestSupport
import FoundationEssentials
import Glibc
import Synchronization
import Testing

@Suite struct OpeningTests {
    let directory: TemporaryDirectory
    let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path + "/db.cblite2"
    }

    private func refusal(_ options: Database.Options = .readOnly) -> StoreError.Code? {
        do {
            _ = try Database(path: path, options: options)
            return nil
        } catch { return error.code }
    }

    private func writeMainFile(_ content: Data) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try content.write(to: URL(filePath: path + "/db.sqlite3"))
    }

    @Test func whatIsNoDatabaseIsRefusedWithAReason() throws {
        #expect(refusal() == .notFound && refusal(.readWrite) == .notFound)
        try Data("text".utf8).write(to: URL(filePath: path))
        #expect(refusal() == .notADatabase && refusal(.create) != nil)
        unlink(path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        #expect(refusal() == .notADatabase)
        try Data().write(to: URL(filePath: path + "/keep.txt"))
        #expect(refusal(.create) == .notADatabase)
        unlink(path + "/keep.txt")
        try writeMainFile(Data())
        #expect(refusal() == .notADatabase)
        try writeMainFile(Data(repeating: 7, count: 50))
        #expect(refusal() == .corrupt)
        try writeMainFile(Data((0..<5000).map { UInt8(truncatingIfNeeded: $0 * 31) }))
        #expect(refusal() == .notADatabase && refusal(.readWrite) == .notADatabase)
    }

    @Test func anInterruptedCreationIsTakenOver() throws {
        try writeMainFile(Data())
        let database = try Database(path: path, options: .create)
        try database.write { try $0.save("a", body: .emptyDictionary) }
        database.close()
        #expect(refusal() == nil)
    }

    @Test(arguments: [(0, StoreError.Code.notADatabase), (150, .tooOld), (200, .tooOld), (600, .tooNew), (1000, .tooNew)])
    func formatsOutOfRangeAreNamed(_ version: Int, _ code: StoreError.Code) throws {
        try Database(path: path, options: .create).close()
        try Connection(path: path + "/db.sqlite3", mode: .readWrite).execute("PRAGMA user_version=\(version)")
        #expect(refusal() == code)
        #expect(refusal(.readWrite) == code)
    }

    @Test func aTruncatedFileIsRefused() throws {
        let database = try Database(path: path, options: .create)
        try database.write { transaction in for n in 0..<500 { try transaction.save("doc \(n)", body: .emptyDictionary) } }
        database.close()
        truncate(path + "/db.sqlite3", 10_000)
        #expect(refusal() == .corrupt && refusal(.readWrite) == .corrupt)
    }

    @Test func aDatabaseOpenedForReadingRefusesWrites() throws {
        try Database(path: path, options: .create).close()
        let database = try Database(path: path)
        #expect { try database.write { _ in } } throws: { ($0 as? StoreError)?.code == .readOnly }
        #expect { try database.blobs.write(UnsafeRawBufferPointer(start: nil, count: 0)) } throws: {
            ($0 as? StoreError)?.code == .readOnly
        }
        #expect(refusal(.init(access: .readOnly, upgrade: .newest)) == .readOnly)
    }

    @Test func aClosedDatabaseLeavesNoLog() throws {
        let database = try Database(path: path, options: .create)
        try database.write { try $0.save("a", body: .emptyDictionary) }
        try database.read { try #expect($0.document("a") != nil) }
        database.close()
        try #expect(FileManager.default.contentsOfDirectory(atPath: path) == ["db.sqlite3"])
    }

    @Test func threadsWriteInTurnAndReadWithoutWaiting() async throws {
        let database = try Database(path: path, options: .create)
        let highest = Highest()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<3 {
                group.addTask {
                    for n in 0..<30 {
                        let saved = try database.write { try $0.save("d\(n)", body: $0.encode(json: "{\"writer\(writer)\":\(n)}")) }
                        highest.note(saved.sequence)
                    }
                }
                group.addTask {
                    var last: UInt64 = 0
                    for _ in 0..<50 {
                        let known = highest.value
                        let now = try database.read { try $0.lastSequence(of: .default) }
                        #expect(now >= known && now >= last)
                        last = now
                    }
                }
            }
            try await group.waitForAll()
        }
        try database.read { snapshot in
            try #expect(snapshot.lastSequence(of: .default) == 90)
            try #expect(snapshot.document("d0")?.revision.generation == 3)
            #expect(snapshot.sharedKeys.count == 3)
        }
    }
}

/// The highest sequence that any thread was told.
private final class Highest: Sendable {
    private let state = Mutex<UInt64>(0)
    var value: UInt64 { state.withLock { $0 } }
    func note(_ sequence: UInt64) { state.withLock { $0 = max($0, sequence) } }
}
