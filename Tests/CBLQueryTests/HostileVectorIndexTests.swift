import CBLFleece
import CBLLanguage
import CBLQuery
import CBLSQLite
import CBLStore
import CBLTestSupport
import CBLVectors
import FoundationEssentials
import Testing

/// Databases in which the tables of a vector index are damaged, or made by somebody who means harm: nothing crashes, no document is found that is
/// not there or is told to be nearer than it is, a check tells of what is missing, and a repair mends it. `CBLITE_FUZZ_ROUNDS` says how many
/// of each kind there are.
@Suite(.enabled(if: Fixtures.arePresent, Comment(rawValue: Fixtures.absence))) struct HostileVectorIndexTests {
    enum Form: CaseIterable { case trained, waiting, product, lazy }

    private static let rounds = ProcessInfo.processInfo.environment["CBLITE_FUZZ_ROUNDS"].flatMap(Int.init) ?? 12
    private static let names = ["vx_indexes", "vx_models", "vx_lists", "vx_pending"]

    private static func make(_ form: Form) throws -> Words {
        let words = try Words()
        switch form {
        case .trained: try words.makeIndex()
        case .waiting: try words.makeIndex(Words.options { $0.minimumTraining = 400 })
        case .product: try words.makeIndex(Words.options { $0.encoding = .product(parts: 5, bits: 4) })
        case .lazy:
            try words.makeIndex(Words.options { $0.isLazy = true }, "word")
            while let update = try VectorUpdate(of: "words_index", in: Words.collection, limit: 100, in: words.database) {
                for place in 0..<update.count { try update.set((0..<300).map { Float($0 == 0 ? place : 0) }, place) }
                try update.finish(in: words.database)
            }
        }
        return words
    }

    /// Changes one value somewhere in the tables. Gives the column, and whether its text is another one now.
    private func damage(_ path: String, _ random: inout SeededRandom) throws -> (column: String, isText: Bool) {
        let connection = try Connection(path: path + "/db.sqlite3", mode: .readWrite)
        while true {
            let table = random.element(of: Self.names)
            let count = Int(try connection.integer("SELECT count(*) FROM \(table)") ?? 0)
            guard count > 0 else { continue }
            let columns = try connection.strings("SELECT name FROM pragma_table_info('\(table)')")
            let column = random.element(of: columns)
            let key = table == "vx_pending" ? "sequence" : columns[0]
            let row = try connection.strings("SELECT \(key) FROM \(table) LIMIT 1 OFFSET \(random.below(count))")[0]
            let type = try connection.strings("SELECT typeof(\(column)) FROM \(table) WHERE \(key)=\(row)").first ?? ""
            let statement = try connection.prepare("UPDATE OR IGNORE \(table) SET \(column)=?1 WHERE \(key)=\(row)")
            switch type {
            case "blob", "text":
                var bytes: [UInt8] = try connection.withStatement("SELECT CAST(\(column) AS BLOB) FROM \(table) WHERE \(key)=\(row)") {
                    try $0.step() ? Array($0.blob(0) ?? UnsafeRawBufferPointer(start: nil, count: 0)) : []
                }
                if type == "blob", random.below(3) > 0, !bytes.isEmpty {
                    bytes[random.below(bytes.count)] ^= 1 << UInt8(random.below(8))
                } else {
                    bytes = Mutation.mutated(bytes, &random)
                }
                if type == "blob" {
                    try statement.bind(blob: bytes, 1)
                } else {
                    try statement.bind(String(decoding: bytes, as: UTF8.self), 1)
                }
            default:
                let numbers: [Int64] = [0, -1, 1, 2, 299, .max, .min, 1 << 40, -1 << 40, 1 << 22, 301]
                try statement.bind(random.element(of: numbers), 1)
            }
            try statement.run()
            if connection.changes > 0 { return ("\(table).\(column)", type == "text") }
        }
    }

    private func rows(_ words: Words, lazy: Bool) throws -> [String: Double] {
        let call = "APPROX_VECTOR_DISTANCE(\(lazy ? "word" : "vector"), $target, 'euclidean_squared', 8)"
        var found: [String: Double] = [:]
        for row in try words.rows("SELECT META().id, \(call) AS d FROM words ORDER BY \(call) LIMIT 1000") {
            let parts = row.dropFirst().dropLast().split(separator: ",")
            let id = String(parts[0].dropFirst().dropLast())
            #expect(found[id] == nil, "\(id) is found twice")
            let distance: Double = try #require(Double(parts[1]))
            found[id] = distance
        }
        return found
    }

    @Test(arguments: Form.allCases) func aDamagedValueGivesNoWrongDocuments(_ form: Form) throws {
        let original = try Self.make(form)
        let sound = try rows(original, lazy: form == .lazy)
        #expect(sound.count == 300)
        var random = SeededRandom(UInt64(Form.allCases.firstIndex(of: form) ?? 0))
        for round in 0..<Self.rounds {
            let path = original.directory.path + "/copy\(round).cblite2"
            _ = try original.database.copy(to: path)
            let (column, isText) = try damage(path, &random)
            let what: Testing.Comment = "\(form), round \(round): \(column)"
            let words = try Words(at: path, in: original.directory)
            let hasErrors = try !words.errors().isEmpty
            do {
                let found = try rows(words, lazy: form == .lazy)
                for (id, distance) in found {
                    let exact = try #require(sound[id], what)
                    if form != .lazy { #expect(abs(distance - exact) < 0.001, what) }
                }
                // What a definition says that makes sense is as good as another one.
                #expect(hasErrors || isText || found.count == 300, what)
            } catch { #expect(hasErrors || isText, "\(what): \(error)") }
            // Documents are saved, whatever state the index is in.
            try words.save("new", #"{"word":"new","vector":\#(original.vector("word7"))}"#)
            #expect(try words.ids("WHERE word = 'new' AND $target IS VALUED") == ["new"])
            _ = try words.database.repair()
            #expect(try words.errors().isEmpty, what)
            if form != .lazy, !isText { #expect(try rows(words, lazy: false).count == 301, what) }
            words.database.close()
            try FileManager.default.removeItem(atPath: path)
        }
    }

    /// Rows that no program of ours writes.
    @Test(arguments: [
        "UPDATE vx_indexes SET options='dimensions=4096,clustering=flat64000,encoding=PQ2048x12'",
        "UPDATE vx_indexes SET options='dimensions=300,clustering=flat1,encoding=SQ8'",
        "UPDATE vx_indexes SET indexed='[1,18446744073709551615]'",
        "UPDATE vx_indexes SET indexed='[9223372036854775807,1]'",
        "UPDATE vx_indexes SET expression='=n' || replace(hex(zeroblob(50000)), '0', '(')",
        "UPDATE vx_indexes SET expression='=nvector) UNION SELECT 1 --'", "UPDATE vx_indexes SET expression='=nABORT(vector)'",
        "UPDATE vx_indexes SET name=x'00ff'", "UPDATE vx_indexes SET name=char(0) || 'x'", "UPDATE vx_indexes SET id=9223372036854775807",
        "UPDATE vx_indexes SET id=-1", "UPDATE vx_indexes SET keyStore='.categories'", "UPDATE vx_indexes SET keyStore='default\" --'",
        "UPDATE vx_indexes SET pending=9223372036854775807, listed=9223372036854775807, changes=-9223372036854775808",
        "UPDATE vx_indexes SET model=0", "UPDATE vx_lists SET place=place+1099511627776", "UPDATE vx_lists SET entries=zeroblob(8)",
        "UPDATE vx_lists SET entries=1.5", "INSERT INTO vx_lists SELECT (1 << 40) | (200000 << 22), entries FROM vx_lists LIMIT 1",
        "INSERT INTO vx_lists SELECT place | 4194302, entries FROM vx_lists", "INSERT INTO vx_lists VALUES (-9223372036854775808, x'')",
        "INSERT INTO vx_pending VALUES (1, 5, 0, x'00')", "INSERT INTO vx_pending VALUES (1, -1, -1, zeroblob(1200))",
        "INSERT INTO vx_pending VALUES (1, 5, 0, zeroblob(1200))", "UPDATE vx_models SET model=zeroblob(100000)",
        "INSERT INTO vx_indexes SELECT id+1, name || 'b', keyStore, expression, options, indexed, model, pending, listed, changes FROM vx_indexes",
    ])
    func strangeRowsDoNoHarm(statement: String) throws {
        let words = try Self.make(.trained)
        let connection = try Connection(path: words.database.path + "/db.sqlite3", mode: .readWrite)
        try connection.execute(statement)
        _ = try? rows(words, lazy: false)
        _ = try words.errors()
        try words.save("new", #"{"vector":\#(words.vector("word7"))}"#)
        _ = try? words.database.write { try $0.rebuildVectorIndex("words_index") }
        _ = try words.database.repair()
        #expect(try words.errors().isEmpty)
        // A new one of that name takes the place of whatever is there.
        try words.makeIndex(Words.options { $0.metric = .cosine })
        try words.makeIndex()
        #expect(try rows(words, lazy: false).count == 301)
        #expect(try words.errors().isEmpty)
    }

    /// As when the counter of a collection was damaged, and is mended to less: what comes then has numbers that the index has seen.
    @Test func anIndexThatIsAheadOfItsDocumentsMissesNone() throws {
        let words = try Self.make(.trained)
        let connection = try Connection(path: words.database.path + "/db.sqlite3", mode: .readWrite)
        try connection.execute("UPDATE vx_indexes SET indexed='[1,5000]'")
        try connection.execute(
            "INSERT INTO \"kv_.words\" (key, sequence, flags, version, body, extra) "
                + "SELECT 'new', 301, flags, version, body, extra FROM \"kv_.words\" WHERE key='word49'")
        try connection.execute("UPDATE kvmeta SET lastSeq=301 WHERE name='.words'")
        #expect(try rows(words, lazy: false).count == 301)
        #expect(try words.errors().contains { $0.message.contains("it has seen documents that are not there yet") })
        // The next write sets it right.
        try words.save("other", #"{"vector":\#(words.vector("word7"))}"#)
        #expect(try rows(words, lazy: false).count == 302)
        #expect(try words.index().listed == 302)
        #expect(try words.errors().isEmpty)
    }

    @Test(arguments: names) func tablesThatAreNotAllThereAreTakenOut(table: String) throws {
        for repairs in [true, false] {
            let words = try Self.make(.trained)
            let connection = try Connection(path: words.database.path + "/db.sqlite3", mode: .readWrite)
            try connection.execute("DROP TABLE \(table)")
            #expect(throws: QueryError.self) { try rows(words, lazy: false) }
            #expect(try words.errors().contains { $0.message == "the tables of vector indexes are incomplete, so there are none" })
            try words.save("new", #"{"vector":\#(words.vector("word7"))}"#)
            if repairs {
                _ = try words.database.repair()
                #expect(try words.errors().isEmpty)
                #expect(try connection.integer("SELECT count(*) FROM sqlite_master WHERE name LIKE 'vx%'") == 0)
            }
            #expect(try words.makeIndex() == .created)
            #expect(try rows(words, lazy: false).count == 301)
            #expect(try words.errors().isEmpty)
        }
    }

    // Lazy ones

    @Test func aLazyIndexLearnsWhenItIsMadeAnew() throws {
        let words = try Self.make(.lazy)
        let before = try words.index()
        #expect(before.isTrained && before.listed == 300)
        try words.database.reindex()
        let after = try words.index()
        #expect(after.isTrained && after.listed == 300 && after.pending == 0 && after.model != before.model)
        #expect(try rows(words, lazy: true).count == 300)
        #expect(try words.errors().isEmpty)
    }

    @Test func aLazyIndexWithoutAModelStaysOneUntilItHasEnough() throws {
        let words = try Words()
        try words.makeIndex(
            Words.options {
                $0.isLazy = true
                $0.minimumTraining = 301
            }, "word")
        func embed() throws {
            while let update = try VectorUpdate(of: "words_index", in: Words.collection, limit: 100, in: words.database) {
                for place in 0..<update.count { try update.set((0..<300).map { Float($0 == 0 ? place : 0) }, place) }
                try update.finish(in: words.database)
            }
        }
        try embed()
        try words.database.reindex()
        #expect(try !words.index().isTrained && words.index().pending == 300)
        #expect(try rows(words, lazy: true).count == 300)
        try words.save("new", #"{"word":"new"}"#)
        try embed()
        #expect(try words.index().isTrained && words.index().pending == 0 && words.index().listed == 301)
        #expect(try rows(words, lazy: true).count == 301)
        // All vectors go, and may come again.
        try words.database.write { transaction in try transaction.emptyVectorIndex(words.index()) }
        #expect(try rows(words, lazy: true).isEmpty)
        try words.database.reindex()
        #expect(try words.database.read { try $0.countUnseen(by: words.index()) } == 301)
        try embed()
        #expect(try words.index().isTrained && rows(words, lazy: true).count == 301)
    }
}
