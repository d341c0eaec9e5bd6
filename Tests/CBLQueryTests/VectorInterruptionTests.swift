import CBLQuery
import CBLSQLite
import CBLStore
import CBLTestSupport
import CBLVectors
import Glibc
import Synchronization
import Testing

/// Ctrl-C while an index learns, or takes vectors in: in a process of its own, as there is one such wish for all of a process.
@Suite struct VectorInterruptionTests {
    /// A database with vectors in it.
    private struct Vectors {
        let directory: TemporaryDirectory
        let database: Database

        init() throws {
            directory = try TemporaryDirectory()
            database = try Database(path: directory.path + "/vectors.cblite2", options: .create)
            try add(0..<120)
        }

        func add(_ numbers: Range<Int>) throws {
            try database.write { transaction in
                for number in numbers {
                    let body = try transaction.encode(json: #"{"t":"\#(number)","v":[\#(number % 10),\#(number % 7),\#(number),1]}"#)
                    try transaction.save("doc\(number)", body: body)
                }
            }
        }

        @discardableResult
        func makeIndex(_ expression: String = "v", lazy: Bool = false, minimum: Int = 0) throws -> IndexChange {
            var options = VectorOptions(dimensions: 4, centroids: 4)
            options.isLazy = lazy
            options.minimumTraining = minimum
            return try database.write { try $0.createIndex(IndexDefinition(name: "near", .vector(options), expression)) }
        }

        func index() throws -> VectorIndex? { try database.read { try $0.vectorIndex(named: "near") } }

        /// All of the tables of vector indexes, in few words.
        func state() throws -> [String] {
            let connection = try Connection(path: database.path + "/db.sqlite3", mode: .readOnly)
            let schema = try connection.strings("SELECT name FROM sqlite_master ORDER BY name")
            guard schema.contains("vx_indexes") else { return schema }
            return try schema
                + connection.strings("SELECT indexed || model || pending || '/' || listed FROM vx_indexes")
                + connection.strings("SELECT hex(model) FROM vx_models") + connection.strings("SELECT place || hex(entries) FROM vx_lists")
        }

        func search() throws -> Int {
            try database.read { snapshot in
                let query = try Query("SELECT META().id FROM _ ORDER BY APPROX_VECTOR_DISTANCE(v, [1,2,3,4]) LIMIT 1000", on: snapshot)
                let rows = try query.run(on: snapshot)
                var count = 0
                while try rows.next() { count += 1 }
                return count
            }
        }
    }

    private enum Wish {
        static let asked = Atomic<Int>(0)
        static let most = Atomic<Int>(.max)

        /// Wants all work to end when somebody has asked for that so often.
        static func come(after count: Int) {
            asked.store(0, ordering: .relaxed)
            most.store(count, ordering: .relaxed)
        }

        static func end() { most.store(.max, ordering: .relaxed) }

        static func install() { Interrupts.ask { Wish.asked.add(1, ordering: .relaxed).newValue > Wish.most.load(ordering: .relaxed) } }
    }

    /// Does something until it succeeds, interrupted later each time. Nothing of what was interrupted may be left. Gives how often that was.
    private static func interrupt(_ vectors: Vectors, _ work: () throws -> Void) throws -> Int {
        Wish.install()
        for count in 0..<10_000 {
            let before = try vectors.state()
            Wish.come(after: count)
            do {
                try work()
                Wish.end()
                return count
            } catch let error as StoreError where error.code == .interrupted { Wish.end() }
            guard try vectors.state() == before else { exit(3) }
        }
        exit(4)
    }

    @Test func makingOneIsWholeOrNotAtAll() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let vectors = try Vectors()
            let times = try Self.interrupt(vectors) { try vectors.makeIndex() }
            guard times > 10, try vectors.index()?.isTrained == true, try vectors.search() == 120 else { exit(5) }
            exit(0)
        }
    }

    @Test func makingOneAnewIsWholeOrNotAtAll() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let vectors = try Vectors()
            try vectors.makeIndex()
            try vectors.add(120..<150)
            let times = try Self.interrupt(vectors) { try vectors.database.reindex() }
            guard times > 10, try vectors.index()?.listed == 150, try vectors.search() == 150 else { exit(5) }
            exit(0)
        }
    }

    /// Documents are saved all the same; their vectors come with the next ones.
    @Test func savingIsNotUndone() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let vectors = try Vectors()
            try vectors.makeIndex(minimum: 130)
            guard try vectors.index()?.pending == 120 else { exit(5) }
            Wish.install()
            Wish.come(after: 3)
            try vectors.add(120..<140)
            Wish.end()
            guard try vectors.index()?.isTrained == false, try vectors.search() == 140 else { exit(6) }
            try vectors.add(140..<141)
            guard try vectors.index()?.listed == 141, try vectors.search() == 141 else { exit(7) }
            exit(0)
        }
    }

    /// What a lazy index was given is kept; it learns another time.
    @Test func vectorsThatWereGivenAreKept() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let vectors = try Vectors()
            try vectors.makeIndex("t", lazy: true)
            guard let update = try VectorUpdate(of: "near", in: .default, limit: 120, in: vectors.database) else { exit(5) }
            for place in 0..<update.count { try update.set([Float(place), 1, 2, 3], place) }
            Wish.install()
            Wish.come(after: 3)
            try update.finish(in: vectors.database)
            Wish.end()
            guard let index = try vectors.index(), !index.isTrained, index.pending == 120, index.indexed.end == 120 else { exit(6) }
            // Neither more vectors nor any come: to learn, it has to be told.
            try vectors.database.reindex()
            guard let index = try vectors.index(), index.isTrained, index.listed == 120, index.pending == 0 else { exit(7) }
            exit(0)
        }
    }
}
