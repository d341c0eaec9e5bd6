import CBLFleece
import CBLLanguage
import CBLQuery
import CBLSQLite
import CBLStore
import CBLTestSupport
import CBLVectors
import Testing

private let byDistance = "ORDER BY APPROX_VECTOR_DISTANCE(vector, $target)"

@Suite(.enabled(if: Fixtures.arePresent, Comment(rawValue: Fixtures.absence))) struct VectorSearchTests {
    @Test func theNearestWordsAreFound() throws {
        let words = try Words()
        #expect(try words.makeIndex() == .created)
        #expect(try words.index().isTrained)
        #expect(try words.ids("\(byDistance) LIMIT 20") == words.exact("EUCLIDEAN_DISTANCE", 20))
        #expect(try words.ids("\(byDistance) LIMIT 350").count == 300)
        #expect(try words.ids("\(byDistance) LIMIT 0").isEmpty)
        #expect(try words.ids("\(byDistance) LIMIT -1").isEmpty)
        // The distance itself is exact.
        let row = try #require(try words.rows("SELECT APPROX_VECTOR_DISTANCE(vector, $target) FROM words LIMIT 1").first)
        #expect(row == "[0]" || row == "[0.0]")
    }

    @Test(arguments: [VectorEncoding.none, .scalar(bits: 4), .scalar(bits: 6), .scalar(bits: 8), .product(parts: 5, bits: 4)])
    func everyEncodingFindsThem(encoding: VectorEncoding) throws {
        let words = try Words()
        try words.makeIndex(Words.options { $0.encoding = encoding })
        let found = try words.ids("\(byDistance) LIMIT 20")
        #expect(found.count == 20)
        #expect(Set(found).intersection(try words.exact("EUCLIDEAN_DISTANCE", 20)).count >= 17)
    }

    @Test(arguments: [
        (VectorMetric.cosine, "COSINE"), (.dot, "DOT"), (.euclidean, "EUCLIDEAN"), (.squaredEuclidean, "EUCLIDEAN_SQUARED"),
        (.cosineSimilarity, "cosine_similarity"),
    ])
    func everyMetricHasItsNames(metric: VectorMetric, name: String) throws {
        let words = try Words()
        try words.makeIndex(Words.options { $0.metric = metric })
        let order = "ORDER BY APPROX_VECTOR_DISTANCE(vector, $target, '\(name)') LIMIT 20"
        let descending = order.replacing(" LIMIT", with: " DESC LIMIT")
        let found = try words.ids(metric.isSimilarity ? descending : order)
        #expect(found.count == 20)
        if metric == .cosine || metric == .cosineSimilarity { #expect(try found == words.exact("COSINE_DISTANCE", 20)) }
        #expect(throws: QueryError.self) { try words.ids("ORDER BY APPROX_VECTOR_DISTANCE(vector, $target, 'manhattan') LIMIT 2") }
        if metric != .dot {
            let error = #expect(throws: QueryError.self) {
                try words.ids("ORDER BY APPROX_VECTOR_DISTANCE(vector, $target, 'dot') LIMIT 2")
            }
            #expect(
                error?.diagnostics.first?.message.contains(
                    "in 3rd argument to APPROX_VECTOR_DISTANCE, dot does not match the index's metric, \(metric.rawValue)") == true)
        }
    }

    @Test func editsAreFollowed() throws {
        let words = try Words()
        try words.makeIndex()
        let extwords = CollectionName(keyStore: ".extwords")!
        for (id, source) in [("word301", "word1"), ("word302", "word2"), ("word1", "word3")] {
            try words.save(id, #"{"word":"\#(source)","catid":"cat1","vector":\#(try words.vector(source, in: extwords))}"#)
        }
        try words.database.write { _ = try $0.delete("word2", in: Words.collection) }
        let found = try words.ids("\(byDistance) LIMIT 350")
        #expect(found.count == 301)
        #expect(found.contains("word301") && found.contains("word302") && !found.contains("word2"))
        try words.database.write { _ = try $0.purge("word301", in: Words.collection) }
        #expect(try words.ids("\(byDistance) LIMIT 350").count == 300)
        #expect(try words.ids("\(byDistance) LIMIT 20") == words.exact("EUCLIDEAN_DISTANCE", 20))
        #expect(try words.errors().isEmpty)
    }

    @Test func whatIsNoVectorIsLeftOut() throws {
        let words = try Words()
        try words.save("word1", #"{"vector":null}"#)
        try words.save("word2", #"{"vector":"string"}"#)
        try words.save("word3", #"{}"#)
        try words.save("word4", #"{"vector":[1,2,3]}"#)
        try words.makeIndex()
        #expect(try words.ids("\(byDistance) LIMIT 350").count == 296)
        try words.save("word5", #"{"vector":null}"#)
        #expect(try words.ids("\(byDistance) LIMIT 350").count == 295)
    }

    @Test func otherConditionsAreAskedFirst() throws {
        let words = try Words()
        try words.makeIndex()
        let found = try words.ids("WHERE catid = 'cat1' \(byDistance) LIMIT 300")
        #expect(found.count == 50)
        #expect(try found == words.ids("WHERE catid = 'cat1' ORDER BY EUCLIDEAN_DISTANCE(vector, $target) LIMIT 300"))
        #expect(try words.ids("WHERE word IS VALUED AND catid = 'cat1' \(byDistance)").count == 50)
        // A bound on nothing but the distance applies to the nearest.
        #expect(try words.ids("WHERE APPROX_VECTOR_DISTANCE(vector, $target) < 1 LIMIT 20") == ["word49"])
        #expect(try words.ids("WHERE APPROX_VECTOR_DISTANCE(vector, $target) > 1 AND catid = 'cat1' LIMIT 400").count == 49)
    }

    @Test func fewerProbesFindLess() throws {
        let words = try Words()
        try words.makeIndex(Words.options { $0.probes = 5 })
        let five = try words.ids("\(byDistance) LIMIT 300").count
        try words.makeIndex(Words.options { $0.probes = 1 })
        let one = try words.ids("\(byDistance) LIMIT 300").count
        #expect(five > one && one > 0)
        #expect(try words.ids("ORDER BY APPROX_VECTOR_DISTANCE(vector, $target, 'euclidean_squared', 8) LIMIT 300").count == 300)
    }

    @Test(arguments: [
        ("ORDER BY APPROX_VECTOR_DISTANCE(vector, $target)", "a LIMIT must be given when using APPROX_VECTOR_DISTANCE()"),
        ("\(byDistance) LIMIT 10001", "LIMIT must not exceed 10000 when using APPROX_VECTOR_DISTANCE()"),
        (
            "WHERE APPROX_VECTOR_DISTANCE(vector, $target) < 0.5 OR catid = 'cat1' LIMIT 5",
            "APPROX_VECTOR_DISTANCE can't be used within an OR in a WHERE clause"
        ),
        ("ORDER BY APPROX_VECTOR_DISTANCE('vector', $target) LIMIT 5", "unknown source collection for APPROX_VECTOR_DISTANCE()"),
        (
            "ORDER BY APPROX_VECTOR_DISTANCE(vector, $target, 'default', 0) LIMIT 5",
            "4th argument (numProbes) to APPROX_VECTOR_DISTANCE out of range"
        ),
        (
            "ORDER BY APPROX_VECTOR_DISTANCE(vector, $target, 'default', 1.5) LIMIT 5",
            "4th argument (numProbes) to APPROX_VECTOR_DISTANCE must be an integer"
        ),
        (
            "ORDER BY APPROX_VECTOR_DISTANCE(vector, $target, 'default', 1, true) LIMIT 5",
            "APPROX_VECTOR_DISTANCE does not support 'accurate'=true"
        ),
        (
            "ORDER BY APPROX_VECTOR_DISTANCE(vector, $target, 'default', 1, 5) LIMIT 5",
            "5th argument (accurate) to APPROX_VECTOR_DISTANCE must be boolean"
        ),
        ("ORDER BY APPROX_VECTOR_DISTANCE(vector) LIMIT 5", "Wrong number of arguments to APPROX_VECTOR_DISTANCE()"),
    ])
    func mistakesAreToldInTheVendorsWords(rest: String, message: String) throws {
        let words = try Words()
        try words.makeIndex()
        let error = #expect(throws: QueryError.self) { try words.ids(rest) }
        #expect(error?.diagnostics.first?.message.contains(message) == true, "\(error?.diagnostics.first?.message ?? "")")
    }

    @Test func withoutAnIndexThereIsNoSearch() throws {
        let words = try Words()
        let error = #expect(throws: QueryError.self) { try words.ids("\(byDistance) LIMIT 5") }
        #expect(error?.kind == .missingIndex)
        #expect(
            error?.diagnostics.first?.message.contains(#"vector search with APPROX_VECTOR_DISTANCE requires a vector index on [".vector"]"#)
                == true)
        try words.makeIndex()
        #expect(try words.ids("\(byDistance) LIMIT 5").count == 5)
        try words.database.write { _ = try $0.dropIndex("words_index") }
        #expect(throws: QueryError.self) { try words.ids("\(byDistance) LIMIT 5") }
        #expect(try words.database.read { try $0.indexes() }.allSatisfy { $0.kind != .vector })
    }

    @Test func targetsComeInEveryForm() throws {
        let words = try Words()
        try words.makeIndex()
        #expect(
            try words.rows("SELECT META(w).id FROM words AS w ORDER BY APPROX_VECTOR_DISTANCE(w.vector, $target) LIMIT 1") == [
                #"["word49"]"#
            ])
        #expect(
            try words.rows("SELECT META(words).id FROM words ORDER BY APPROX_VECTOR_DISTANCE(words.vector, $target) LIMIT 1") == [
                #"["word49"]"#
            ])
        for bad in ["'no base64!'", "5", "[1]", "[1, 'x']", "$nothing", "[1,2,3]"] {
            #expect(throws: (any Error).self, "\(bad)") { try words.ids("ORDER BY APPROX_VECTOR_DISTANCE(vector, \(bad)) LIMIT 1") }
        }
    }

    @Test func joinsGoWithTheNearest() throws {
        let words = try Words()
        try words.makeIndex()
        let rows = try words.rows(
            "SELECT c.name FROM words AS w JOIN categories AS c ON META(c).id = w.catid ORDER BY APPROX_VECTOR_DISTANCE(w.vector, $target) LIMIT 5"
        )
        #expect(rows.count == 5)
    }

    @Test func thePlanNamesTheIndex() throws {
        let words = try Words()
        try words.makeIndex()
        for rest in ["\(byDistance) LIMIT 5", "WHERE catid = 'cat1' \(byDistance)"] {
            let plan = try words.database.read { try Query("SELECT word FROM words \(rest)", on: $0).explain(on: $0) }
            #expect(plan.sql.contains(#""kv_.words:vector:words_index""#))
        }
    }

    @Test func fewVectorsAreSearchedWithoutLearning() throws {
        let words = try Words()
        try words.makeIndex(
            Words.options {
                $0.minimumTraining = 400; $0.maximumTraining = 500
            })
        let index = try words.index()
        #expect(!index.isTrained && index.pending == 300)
        #expect(try words.ids("\(byDistance) LIMIT 20") == words.exact("EUCLIDEAN_DISTANCE", 20))
        // When there are enough, it learns at once.
        let vector = try words.vector("word7")
        try words.database.write { transaction in
            for number in 0..<100 {
                try transaction.save("more\(number)", in: Words.collection, body: transaction.encode(json: #"{"vector":\#(vector)}"#))
            }
        }
        let trained = try words.index()
        #expect(trained.isTrained && trained.pending == 0 && trained.listed == 400)
        #expect(try words.ids("\(byDistance) LIMIT 1000").count == 400)
    }

    @Test func whatAnotherProgramWroteIsFound() throws {
        let words = try Words()
        try words.makeIndex()
        // As a program does that knows nothing of the tables.
        let vector = try words.vector("word49")
        let connection = try Connection(path: words.database.path + "/db.sqlite3", mode: .readWrite)
        try connection.execute(
            "INSERT INTO \"kv_.words\" (key, sequence, flags, version, body, extra) "
                + "SELECT 'new', 301, flags, version, body, extra FROM \"kv_.words\" WHERE key='word49'")
        try connection.execute("UPDATE kvmeta SET lastSeq=301 WHERE name='.words'")
        #expect(try words.ids("\(byDistance) LIMIT 2").sorted() == ["new", "word49"])
        // A write takes it in when there are enough for that, and not before.
        try words.save("other", #"{"vector":\#(vector)}"#)
        #expect(try words.index().indexed.end == 300)
        #expect(try Set(words.ids("\(byDistance) LIMIT 3")) == ["new", "word49", "other"])
        for number in 0..<30 { try words.save("more\(number)", #"{"vector":\#(vector)}"#) }
        #expect(try words.index().indexed.end == words.database.read { try $0.lastSequence(of: Words.collection) })
        #expect(try words.ids("\(byDistance) LIMIT 33").count == 33)
        #expect(try Set(words.ids("\(byDistance) LIMIT 33")).isSuperset(of: ["new", "word49", "other", "more0", "more29"]))
    }

    @Test func manySingleSavesKeepListsShort() throws {
        let words = try Words()
        try words.makeIndex()
        let vector = try words.vector("word49")
        for number in 0..<120 { try words.save("w\(number % 40)", #"{"n":\#(number),"vector":\#(vector)}"#) }
        let connection = try Connection(path: words.database.path + "/db.sqlite3", mode: .readOnly)
        #expect(try #require(try connection.integer("SELECT count(*) FROM vx_lists")) < 8 + 30)
        #expect(try words.ids("\(byDistance) LIMIT 41").count == 41)
        #expect(try Set(words.ids("\(byDistance) LIMIT 41")) == Set((0..<40).map { "w\($0)" } + ["word49"]))
        #expect(try words.errors().isEmpty)
        try words.database.write { try $0.rebuildVectorIndex("words_index") }
        #expect(try words.index().listed == 340)
        #expect(try words.errors().isEmpty)
        #expect(try words.ids("\(byDistance) LIMIT 1000").count == 340)
    }

    @Test(arguments: [VectorEncoding.none, .scalar(bits: 8)])
    func whatComesOneByOneStaysTogetherAndIsSorted(encoding: VectorEncoding) throws {
        let words = try Words()
        try words.makeIndex(Words.options { $0.encoding = encoding })
        let vectors = try (1...50).map { try words.vector("word\($0)").split(separator: ",").dropFirst().joined(separator: ",") }
        let connection = try Connection(path: words.database.path + "/db.sqlite3", mode: .readOnly)
        /// Rows of the eight lists, and of what is together.
        func rows(_ lists: String) throws -> Int64 {
            try connection.integer("SELECT count(*) FROM vx_lists WHERE (place >> 22) & 262143 \(lists) 8") ?? 0
        }
        let before = try rows("<")
        var number = 0
        func save(_ count: Int) throws {
            for _ in 0..<count {
                // Every third is the same document again, and every seventh goes.
                let id = number % 3 == 0 ? "often" : "more\(number)"
                try words.save(id, #"{"vector":[0.\#(1000 + number),\#(vectors[number * 7 % 50])}"#)
                if number % 7 == 0 { try words.database.write { _ = try $0.delete(id, in: Words.collection) } }
                number += 1
            }
        }
        try save(64)
        #expect(try rows("=") > 0 && rows("<") == before)
        for _ in 0..<4 {
            try save(110)
            let found = try words.ids("\(byDistance) LIMIT 40")
            #expect(try Set(found).intersection(words.exact("EUCLIDEAN_DISTANCE", 40)).count >= (encoding == .none ? 40 : 30))
            #expect(try words.errors().isEmpty)
        }
        #expect(try rows("<") > before && rows(">") == 0)
        let live = try #require(try connection.integer("SELECT count(*) FROM \"kv_.words\""))
        #expect(try words.ids("\(byDistance) LIMIT 5000").count == Int(live))
        try words.database.write { try $0.rebuildVectorIndex("words_index") }
        #expect(try rows("=") == 0 && words.index().listed == Int(live))
        #expect(try words.errors().isEmpty)
    }

    @Test func whatIsTogetherIsCheckedAndRepaired() throws {
        for damage in [
            // A list that is none, a code less, and bytes that are no block.
            "substr(entries, 1, length(entries) - 304) || x'09000000' || substr(entries, -300)", "zeroblob(40)",
            "substr(entries, 1, length(entries) - 1)",
        ] {
            let words = try Words()
            try words.makeIndex()
            let vector = try words.vector("word49")
            for number in 0..<40 { try words.save("w\(number)", #"{"vector":\#(vector)}"#) }
            #expect(try words.errors().isEmpty)
            let connection = try Connection(path: words.database.path + "/db.sqlite3", mode: .readWrite)
            try connection.execute("UPDATE vx_lists SET entries=CAST(\(damage) AS BLOB) WHERE (place >> 22) & 262143 = 8")
            #expect(connection.changes == 1)
            _ = try? words.ids("\(byDistance) LIMIT 50")
            #expect(try !words.errors().isEmpty)
            try words.database.write { try $0.rebuildVectorIndex("words_index") }
            #expect(try words.errors().isEmpty)
            #expect(try words.ids("\(byDistance) LIMIT 1000").count == 340)
        }
    }

    @Test func aDatabaseOpenedForReadingIsSearched() throws {
        let words = try Words()
        try words.makeIndex()
        let copy = try Database(path: words.database.path, options: .readOnly)
        let vector = try words.vector("word49")
        try copy.read { snapshot in
            let query = try Query("SELECT META().id FROM words \(byDistance) LIMIT 3", on: snapshot)
            let rows = try query.run(on: snapshot, parameters: QueryParameters(json: #"{"target":\#(vector)}"#))
            #expect(try rows.next() && rows[0].string == "word49")
        }
    }
}

@Suite(.enabled(if: Fixtures.arePresent, Comment(rawValue: Fixtures.absence))) struct VectorIndexCareTests {
    private func lazyWords() throws -> Words {
        let words = try Words()
        try words.makeIndex(Words.options { $0.isLazy = true }, "word")
        return words
    }

    private func update(_ words: Words, _ limit: Int) throws -> VectorUpdate? {
        try VectorUpdate(of: "words_index", in: Words.collection, limit: limit, in: words.database)
    }

    private func nearest(_ words: Words, _ limit: Int) throws -> [String] {
        try words.ids("ORDER BY APPROX_VECTOR_DISTANCE(word, $target) LIMIT \(limit)")
    }

    private static func vector(_ number: Int) -> [Float] { (0..<300).map { Float($0 == 0 ? number : 0) } }

    @Test func aLazyIndexHasWhatItIsGiven() throws {
        let words = try lazyWords()
        #expect(try nearest(words, 300).isEmpty)
        let first = try #require(try update(words, 10))
        #expect(first.count == 10)
        #expect(first.values.withRoot { $0.array?[0].string } == "healthful")
        #expect(throws: VectorUpdate.Failure.wrongDimensions) { try first.set([1], 0) }
        for place in 0..<9 { try first.set(Self.vector(place), place) }
        #expect(throws: VectorUpdate.Failure.unfinished) { try first.finish(in: words.database) }
        try first.skip(9)
        #expect(try !first.finish(in: words.database))
        #expect(throws: VectorUpdate.Failure.finished) { try first.finish(in: words.database) }
        #expect(try nearest(words, 300).count == 9)
        // What was skipped comes again, and before the others.
        let second = try #require(try update(words, 1))
        #expect(second.values.withRoot { $0.array?[0].string } != "healthful")
        try second.set(nil, 0)
        try second.finish(in: words.database)
        #expect(try nearest(words, 300).count == 9)
        // A change takes the vector away, and the document comes again.
        try words.save("word1", #"{"word":"other"}"#)
        try words.database.write { _ = try $0.purge("word2", in: Words.collection) }
        #expect(try nearest(words, 300).count == 7)
        var rounds = 0
        while let update = try update(words, 100) {
            for place in 0..<update.count { try update.set(Self.vector(place), place) }
            try update.finish(in: words.database)
            rounds += 1
        }
        #expect(rounds == 3)
        #expect(try nearest(words, 400).count == 298)
        #expect(try words.ids("WHERE catid = 'cat6' ORDER BY APPROX_VECTOR_DISTANCE(word, $target)").count == 50)
        #expect(try words.index().isTrained)
        try words.database.write { try $0.rebuildVectorIndex("words_index") }
        #expect(try nearest(words, 400).count == 298)
    }

    @Test func theLastOfTwoUpdatesCounts() throws {
        let words = try lazyWords()
        for isTrained in [false, true] {
            let count = isTrained ? 300 : 10
            let (first, second) = (try #require(try update(words, count)), try #require(try update(words, count)))
            #expect(first.documentIDs == second.documentIDs && first.documentIDs.count == count)
            for place in 0..<count {
                try first.set(Self.vector(place), place)
                if place.isMultiple(of: 2) { try second.set(Self.vector(1000 + place), place) } else { try second.skip(place) }
            }
            try first.finish(in: words.database)
            try second.finish(in: words.database)
            #expect(try nearest(words, 400).count == count / 2)
            #expect(try words.errors().isEmpty)
            // What was skipped comes again.
            let third = try #require(try update(words, count))
            for place in 0..<third.count { try third.set(nil, place) }
            try third.finish(in: words.database)
            #expect(try nearest(words, 400).count == count / 2)
            try words.database.write { transaction in try transaction.emptyVectorIndex(words.index()) }
        }
    }

    @Test func whatIsNotLazyIsNotUpdated() throws {
        let words = try Words()
        #expect(throws: VectorUpdate.Failure.notFound("words_index")) { try update(words, 1) }
        try words.makeIndex()
        #expect(throws: VectorUpdate.Failure.notLazy) { try update(words, 1) }
    }

    @Test func aCheckFindsDamageAndARepairMendsIt() throws {
        for damage in [
            "UPDATE vx_models SET model=zeroblob(40)",
            "UPDATE vx_lists SET entries=zeroblob(100) WHERE place=(SELECT min(place) FROM vx_lists)",
            "DELETE FROM vx_lists WHERE place=(SELECT max(place) FROM vx_lists)", "DELETE FROM vx_models",
            "UPDATE vx_indexes SET options='x'",
            "UPDATE vx_indexes SET indexed='[1,999999999]', keyStore='.gone'",
        ] {
            let words = try Words()
            try words.makeIndex()
            #expect(try words.errors().isEmpty)
            let connection = try Connection(path: words.database.path + "/db.sqlite3", mode: .readWrite)
            try connection.execute(damage)
            let found = try words.findings()
            #expect(found.contains { $0.kind == .index || $0.kind == .leftover }, "\(damage)")
            _ = try? words.ids("\(byDistance) LIMIT 5")
            _ = try words.database.repair()
            #expect(try words.errors().isEmpty, "\(damage)")
        }
    }

    @Test func indexesThatTheVendorMadeAreUnderstoodAndReplaced() throws {
        let words = try Words()
        let table = "kv_.words:vector:words_index"
        let connection = try Connection(path: words.database.path + "/db.sqlite3", mode: .readWrite)
        // As its Enterprise Edition leaves a file; what the extension keeps its vectors in is made up.
        try connection.configure(1010, false)
        try connection.execute("ALTER TABLE indexes ADD COLUMN whereClause TEXT")
        try connection.execute("ALTER TABLE indexes ADD COLUMN lastSeq TEXT")
        try connection.execute("PRAGMA writable_schema=1")
        let text =
            "CREATE VIRTUAL TABLE \"\(table)\" USING vectorsearch(dimensions=300,clustering=flat8,encoding=SQ8,minToTrain=0,maxToTrain=0)"
        let statement = try connection.prepare(
            "INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql) VALUES ('table', ?1, ?1, 0, ?2)")
        try statement.bind(table, 1)
        try statement.bind(text, 2)
        try statement.run()
        try connection.execute("PRAGMA writable_schema=0")
        try connection.execute("CREATE TABLE \"\(table)_data\" (id INTEGER PRIMARY KEY, block BLOB)")
        try connection.execute(
            "CREATE TRIGGER \"\(table)::del\" AFTER DELETE ON \"kv_.words\"   BEGIN DELETE FROM \"\(table)\" WHERE docid = old.rowid; END")
        try connection.execute(
            "CREATE TRIGGER \"\(table)::preupdate\" BEFORE UPDATE OF body ON \"kv_.words\"   BEGIN DELETE FROM \"\(table)\" WHERE docid = old.rowid; END"
        )
        try connection.execute("PRAGMA user_version=503")
        let row = try connection.prepare(
            "INSERT INTO indexes (name, type, keyStore, expression, indexTableName) VALUES ('words_index', 4, '.words', '=nvector', ?)")
        try row.bind(table, 1)
        try row.run()
        #expect(try words.ids("\(byDistance) LIMIT 20") == words.exact("EUCLIDEAN_DISTANCE", 20))
        #expect(try words.index().id == nil)
        // A write to another collection leaves it alone.
        try words.database.write { _ = try $0.delete("cat7", in: CollectionName(keyStore: ".categories")!) }
        #expect(try words.index().id == nil)
        try words.database.write { _ = try $0.delete("word2", in: Words.collection) }
        #expect(try words.index().isTrained)
        #expect(try words.ids("\(byDistance) LIMIT 400").count == 299)
        #expect(try connection.integer("SELECT count(*) FROM sqlite_master WHERE name LIKE 'kv_.words:vector%'") == 0)
        #expect(try connection.integer("SELECT count(*) FROM indexes WHERE type=4") == 0)
    }

    @Test func anArchiveCarriesTheDefinition() throws {
        let words = try Words()
        try words.makeIndex(Words.options { $0.metric = .cosine })
        let definition = try words.database.read { snapshot in
            try snapshot.indexes().first { $0.kind == .vector }.map { try snapshot.indexSQL($0) }
        }
        #expect(
            definition
                == #"CREATE VIRTUAL TABLE "kv_.words:vector:words_index" USING vectorsearch(dimensions=300,metric=cosine,clustering=flat8,encoding=SQ8,minToTrain=0,maxToTrain=0)"#
        )
    }
}
