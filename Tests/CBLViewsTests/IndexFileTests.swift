import CBLFleece
import CBLStore
import CBLTestSupport
import FoundationEssentials
import Glibc
import Testing

@testable import CBLViews

@Suite struct IndexFileTests {
    private let view = ViewDefinition("n", version: "1") { document, emitter in
        emitter.emit(document["n"], document["v"])
        if document["v"].integer == 3 { emitter.emit(text: document["t"], language: "en") }
        if document["v"].integer == 4 { emitter.emit(x: 1, y: 2) }
    }

    private func filled() throws -> ViewDatabase {
        let test = try ViewDatabase()
        try test.database.write { transaction in
            for number in 0..<60 {
                try transaction.put("doc\(number)", #"{"n":"key \#(number % 7)é","v":\#(number % 5),"t":"word \#(number)"}"#)
            }
        }
        try test.index.update([view])
        return test
    }

    private func bytes(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: path))) }

    /// Puts other bytes in the place of the index, as if somebody had.
    private func replace(_ test: ViewDatabase, _ path: String, _ bytes: [UInt8]) throws {
        test.index.close()
        for ending in ["-wal", "-shm", "-journal"] { unlink(path + ending) }
        try Data(bytes).write(to: URL(filePath: path))
        test.index = ViewIndex(test.database)
    }

    @Test func theIndexIsBesideTheDatabase() throws {
        let test = try filled()
        #expect(test.index.path == test.directory.path + "/db.cblviews")
        #expect(try FileManager.default.contentsOfDirectory(atPath: test.path).allSatisfy { !$0.contains("views") })
    }

    @Test func anIndexThatIsDeletedIsMadeAgain() throws {
        let test = try filled()
        let path = try #require(test.index.path)
        let rows = try test.rows(view)
        test.index.close()
        for ending in ["", "-wal", "-shm"] { unlink(path + ending) }
        test.index = ViewIndex(test.database)
        #expect(try test.rows(view) == rows)
    }

    static let foreign: [[UInt8]] = [[], Array("not a database at all".utf8), [UInt8](repeating: 0, count: 8192)]

    @Test(arguments: foreign) func whatIsNoIndexIsThrownAway(_ bytes: [UInt8]) throws {
        let test = try filled()
        let path = try #require(test.index.path)
        let rows = try test.rows(view)
        try replace(test, path, bytes)
        #expect(try test.rows(view) == rows)
    }

    static let intrusions = [
        "CREATE TRIGGER t AFTER INSERT ON views BEGIN DELETE FROM views; END", "CREATE VIEW v AS SELECT 1", "CREATE TABLE more(x)",
        "CREATE INDEX i ON views(version)", "PRAGMA user_version=7", "PRAGMA application_id=7", "DROP TABLE rows_1",
        "UPDATE views SET collation=9", "UPDATE views SET languages='x y'", "DROP TABLE views",
        "ALTER TABLE rows_1 ADD COLUMN more", "INSERT INTO views SELECT 9, 'a', 'b', '1', 0, NULL, 0, 0, 0, NULL, NULL, NULL, NULL, 0",
    ]

    @Test(arguments: intrusions) func aForeignSchemaIsThrownAway(_ sql: String) throws {
        let test = try filled()
        let path = try #require(test.index.path)
        let rows = try test.rows(view)
        test.index.close()
        do {
            let raw = try RawDatabase(path)
            try raw.execute(sql)
        }
        test.index = ViewIndex(test.database)
        #expect(try test.rows(view) == rows)
    }

    @Test func aLinkIsNotFollowed() throws {
        let test = try filled()
        let path = try #require(test.index.path)
        let rows = try test.rows(view)
        test.index.close()
        for ending in ["-wal", "-shm"] { unlink(path + ending) }
        rename(path, test.directory.path + "/elsewhere")
        symlink(test.directory.path + "/elsewhere", path)
        test.index = ViewIndex(test.database)
        #expect(test.index.path == nil)
        #expect(try test.rows(view) == rows)
    }

    /// Rows with nonsense in them: an answer or an error, and never a crash.
    @Test func nonsenseInRowsIsSurvived() throws {
        for (number, sql) in [
            "UPDATE rows_1 SET entries=x'7fff'", "UPDATE rows_1 SET entries=x'80ff'",
            "UPDATE documents_1 SET entries=x'ffffffffffffffffff'",
            "UPDATE documents_1 SET entries=x''", "UPDATE specials_1 SET shape=x'01', language=NULL", "UPDATE rows_1 SET entries=NULL",
            "UPDATE views SET sequence=-1, count=-9", "DELETE FROM rows_1", "UPDATE views SET count=9223372036854775807",
            "UPDATE views SET count=-9223372036854775808, purges=-9223372036854775808", "UPDATE views SET purges=9223372036854775807",
        ].enumerated() {
            let test = try filled()
            let path = try #require(test.index.path)
            test.index.close()
            do { try RawDatabase(path).execute(sql) }
            test.index = ViewIndex(test.database)
            for query in queries { _ = try? test.rows(view, query) }
            try test.put("doc1", #"{"n":\#(number)}"#)
            try test.delete("doc2")
            for query in queries { _ = try? test.rows(view, query) }
        }
    }

    private var queries: [ViewQuery] {
        var grouped = ViewQuery()
        grouped.groupLevel = 1
        var text = ViewQuery()
        text.fullText = FullTextRequest("word")
        var box = ViewQuery()
        box.box = ViewRectangle(x0: 0, y0: 0, x1: 9, y1: 9)
        return [ViewQuery(), grouped, text, box, ViewQuery(startKey: "key 3é")]
    }

    /// Every part of the file cut off or turned over, and random bytes: the rows are there, or an error that says what is wrong.
    @Test func aDamagedFileIsSurvived() throws {
        let test = try filled()
        let path = try #require(test.index.path)
        test.index.close()
        let sound = try bytes(path)
        var random = SeededRandom(11)
        var answers = 0
        for round in 0..<250 {
            var damaged = sound
            switch round % 3 {
            case 0: damaged.removeLast(random.below(damaged.count))
            case 1: damaged[random.below(round < 125 ? 200 : damaged.count)] ^= UInt8(1 << random.below(8))
            default: for _ in 0..<20 { damaged[random.below(damaged.count)] = UInt8(random.below(256)) }
            }
            try replace(test, path, damaged)
            do {
                for query in queries { answers += try test.rows(view, query).count }
            } catch is ViewError {} catch is StoreError {}
        }
        #expect(answers > 0)
    }
}

/// Real processes that are killed while they index.
@Suite struct KillTests {
    private static let variable = "CBLITE_VIEWS_CHILD"

    private static let view = ViewDefinition("n", version: "1") { $1.emit([$0["n"].item, $0["m"].item], $0["n"]) }

    /// Not a test of its own: what the killed process runs. It changes documents and indexes them for as long as it lives.
    @Test(.enabled(if: getenv("CBLITE_VIEWS_CHILD") != nil)) func child() throws {
        let path = String(cString: try #require(getenv("CBLITE_VIEWS_CHILD")))
        let database = try Database(path: path, options: .readWrite)
        let index = ViewIndex(database)
        var random = SeededRandom(UInt64(getpid()))
        while true {
            try database.write { transaction in
                for _ in 0..<40 { try transaction.put("doc\(random.below(400))", #"{"n":\#(random.below(50)),"m":"\#(random.below(9))"}"#) }
                try transaction.purge("doc\(random.below(400))")
            }
            if random.below(4) == 0 { try index.remove("n") }
            try index.update([KillTests.view])
        }
    }

    @Test func whoeverIsKilledLeavesACorrectIndex() throws {
        guard getenv("CBLITE_VIEWS_CHILD") == nil else { return }
        let test = try ViewDatabase()
        try test.database.write { transaction in for number in 0..<400 { try transaction.put("doc\(number)", #"{"n":\#(number),"m":"x"}"#) }
        }
        test.index.close()
        // One that looks at what the others write.
        try test.reopen(.readOnly)
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        var random = SeededRandom(5)
        for _ in 0..<8 {
            let before = try test.database.read { try $0.lastSequence(of: .default) }
            let child = try RunningProgram(
                ["--testing-library", "swift-testing", "--filter", "KillTests/child"], program: program,
                environment: [KillTests.variable: test.path])
            let end = ContinuousClock.now + Patience.duration
            while try test.database.read({ try $0.lastSequence(of: .default) }) == before, .now < end { usleep(1000) }
            usleep(UInt32(random.below(150_000)))
            child.send(signal: SIGKILL)
            _ = child.finish()
            try test.reopen()
            // It was at work.
            #expect(try test.database.read { try $0.lastSequence(of: .default) } > before)
            let rows = try test.rows(KillTests.view)
            let fresh = ViewIndex(test.database, .temporary)
            let list = try fresh.rows(KillTests.view)
            #expect(rows == (0..<list.count).map { list.json($0) + " @" + list.documentID($0) })
            try test.reopen(.readOnly)
        }
    }
}
