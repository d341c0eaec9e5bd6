import CBLFleece
import CBLFunctions
import CBLLanguage
import CBLSQLite
import CBLStore
import CBLTestSupport
import CBLVectors
import Synchronization
import Testing

@testable import CBLQuery

/// Queries that ask models, and what they read instead where there is a predictive index.
@Suite struct PredictionQueryTests {
    private let directory: TemporaryDirectory
    private let database: Database
    private let model = "m\(UInt64.random(in: 0...UInt64.max))"
    private let calls = Calls()

    init() throws {
        directory = try TemporaryDirectory(inMemory: true)
        database = try Database(path: directory.path + "/new.cblite2", options: .create)
        let calls = calls
        PredictionModels.set(
            { input in
                calls.add()
                return try Self.eightBall(input)
            }, named: model)
        try database.write { transaction in
            for number in 1...100 { try transaction.save("n\(number)", body: transaction.encode(json: "{\"num\":\(number)}")) }
            try transaction.save("other", body: transaction.encode(json: "{\"text\":\"x\"}"))
        }
    }

    /// The vendor's test model: how close numbers are to whole ones.
    private static func eightBall(_ input: PredictionInput) throws -> FleeceData? {
        guard let number = input.value.dictionary?.value(forKey: "number", input.keys)?.double else { return nil }
        func intness(_ x: Double) -> Double { abs(x - x.rounded(.down) - 0.5) * 2 }
        let encoder = FleeceEncoder()
        encoder.beginDictionary()
        for (key, value) in [("integer", number), ("even", number / 2), ("square", number.squareRoot())] {
            encoder.writeKey(key)
            encoder.write(intness(value))
        }
        encoder.endDictionary()
        return try encoder.finish()
    }

    private func rows(_ text: String, _ parameters: QueryParameters = .none) throws -> [String] {
        try database.read { snapshot in
            let rows = try Query(text, on: snapshot).run(on: snapshot, parameters: parameters)
            var result: [String] = []
            while try rows.next() {
                result.append(
                    rows.titles.indices.map { column in
                        var buffer = ByteBuffer()
                        rows[column].append(to: &buffer, keys: snapshot.sharedKeys, missing: "MISSING")
                        return buffer.string
                    }.joined(separator: " "))
            }
            return result
        }
    }

    private func explanation(_ text: String) throws -> QueryPlan {
        try database.read { snapshot in try Query(text, on: snapshot).explain(on: snapshot) }
    }

    private func makeIndex(_ name: String, _ outputs: String...) throws {
        try database.write { transaction in
            _ = try transaction.createIndex(IndexDefinition(name: name, predicting: model, of: "{'number': num}", outputs: outputs))
        }
        _ = calls.take()
    }

    private var squares: String {
        """
        SELECT num FROM _ WHERE PREDICTION(\(model), {'number': num}, '.square') >= 1 \
        AND PREDICTION(\(model), {'number': num}).even >= 1 ORDER BY num DESC
        """
    }

    @Test func aModelIsAskedForEachRow() throws {
        #expect(try rows(squares) == ["100", "64", "36", "16", "4"])
        #expect(calls.take() == 111)
        #expect(
            try rows("SELECT PREDICTION(\(model), {'number': num}).square, 1 FROM _ WHERE META().id IN ('n4', 'other') ORDER BY META().id")
                == ["1.0 1", "MISSING 1"])
        #expect(try rows("SELECT num FROM _ WHERE PREDICTION(\(model), {'number': num}) IS NOT VALUED") == ["MISSING"])
    }

    @Test func anIndexWithOutputsIsSearched() throws {
        try makeIndex("nums", "square", "even")
        #expect(try rows(squares) == ["100", "64", "36", "16", "4"])
        #expect(calls.take() == 0)
        let plan = try explanation(squares)
        #expect(!plan.sql.contains("prediction("))
        // SQLite calls it a covering one if it is new enough to know what an index of expressions covers.
        #expect(plan.text.contains(" INDEX nums (<expr>>?)"))
        #expect(plan.reading.first?.text == "uses predictive index \"nums\" to find square > ?")
    }

    @Test func anIndexWithoutOutputsIsReadOnly() throws {
        try makeIndex("nums")
        #expect(try rows(squares) == ["100", "64", "36", "16", "4"])
        #expect(calls.take() == 0)
        let plan = try explanation(squares)
        #expect(!plan.sql.contains("prediction(") && !plan.text.contains("INDEX nums"))
        #expect(plan.reading.contains { $0.text.contains("predictive index \"nums\" keeps") })
    }

    /// As the vendor has it: what no answer is kept of is not joined.
    @Test func withAnIndexDocumentsWithoutAnswerAreNoRows() throws {
        #expect(try rows("SELECT PREDICTION(\(model), {'number': num}).even FROM _").count == 101)
        try makeIndex("nums")
        #expect(try rows("SELECT PREDICTION(\(model), {'number': num}).even FROM _").count == 100)
        #expect(try rows("SELECT PREDICTION(\(model), {'number': num + 0}).even FROM _").count == 101)
    }

    @Test func aliasesJoinsGroupsAndSubqueriesReadTheIndexToo() throws {
        try makeIndex("nums", "square")
        let square = "PREDICTION(\(model), {'number': a.num}, '.square')"
        #expect(try rows("SELECT a.num FROM _ AS a WHERE \(square) = 1 ORDER BY a.num LIMIT 2") == ["1", "4"])
        #expect(try rows("SELECT count(*) FROM _ AS a WHERE \(square) = 1") == ["10"])
        #expect(try rows("SELECT count(*) FROM _ AS a GROUP BY \(square) = 1 ORDER BY 1").sorted() == ["10", "90"])
        #expect(
            try rows(
                "SELECT a.num, b.num FROM _ AS a JOIN _ AS b ON a.num = b.num + 3 WHERE \(square) = 1 "
                    + "AND PREDICTION(\(model), {'number': b.num}, '.square') = 1") == ["4 1"])
        #expect(try rows("SELECT 1 FROM _ WHERE EXISTS (SELECT 1 FROM _ AS a WHERE \(square) = 1) LIMIT 1") == ["1"])
        #expect(calls.take() == 0)
    }

    @Test func aQueryFollowsTheIndexesThatThereAre() throws {
        let query = try database.read { try Query(squares, on: $0) }
        func count() throws -> Int {
            try database.read { snapshot in
                let rows = try query.run(on: snapshot)
                while try rows.next() {}
                return rows.count
            }
        }
        #expect(try count() == 5 && calls.take() > 0)
        try makeIndex("nums", "square")
        #expect(try count() == 5 && calls.take() == 0)
        try database.write { transaction in _ = try transaction.dropIndex("nums") }
        #expect(try count() == 5 && calls.take() > 0)
    }

    // Mistakes

    @Test func whatCannotBeAskedHasTheVendorsWords() throws {
        func message(_ text: String) -> String? {
            let failure = #expect(throws: QueryFailure.self) { try rows(text) }
            return if case .evaluation(let message, _)? = failure { message } else { nil }
        }
        #expect(message("SELECT PREDICTION(`no such`, {'a': 1}) FROM _") == "Unknown ML model name 'no such'")
        let wanted = "Parameter of prediction() must be a dictionary"
        #expect(message("SELECT PREDICTION(\(model), 'string') FROM _") == wanted)
        #expect(message("SELECT PREDICTION(\(model), [1]) FROM _") == wanted)
        #expect(message("SELECT PREDICTION(\(model), num) FROM _") == wanted)
        #expect(message("SELECT PREDICTION(\(model), true) FROM _") == wanted)
        #expect(try rows("SELECT PREDICTION(\(model), nothing) FROM _ LIMIT 1") == ["MISSING"])
        #expect(try rows("SELECT PREDICTION(\(model), NULL) FROM _ LIMIT 1") == ["MISSING"])
        #expect(calls.take() == 0)
        struct Tired: Error, CustomStringConvertible { let description = "I am tired" }
        PredictionModels.set({ _ in throw Tired() }, named: model)
        #expect(message("SELECT PREDICTION(\(model), {'number': num}) FROM _") == "I am tired")
    }

    static let mistakes = [
        ("[]", "an index needs an expression"),
        (#"[["PREDICTION()","m",{}],["PREDICTION()","m",{}]]"#, "Predictive index requires exactly one expression"),
        (#"[[".a"]]"#, "Predictive index requires a PREDICT() expression"),
        (#"{"WHAT":[["PREDICTION()","m",{}]],"WHERE":[".a"]}"#, "a predictive index cannot have a condition"),
        (#"[["PREDICTION()","m",{"a":["$p"]}]]"#, "an index cannot have parameters"),
        (#"[["PREDICTION()","m",{"a":["SELECT",{"WHAT":[1]}]}]]"#, "an index cannot have a SELECT"),
        (#"[["PREDICTION()","m",{"a":["ANY","x",[".l"],["<",["?x"],1]]}]]"#, "cannot be part of an index"),
    ]

    @Test(arguments: mistakes) func whatIsNoDefinitionIsExplained(text: String, message: String) throws {
        let error = #expect(throws: QueryError.self) {
            try database.read { snapshot in
                try IndexDefinition(name: "i", .predictive, text, language: .json).specification(on: snapshot)
            }
        }
        #expect(error.map { "\($0)".contains(message) } == true, "\(String(describing: error))")
    }

    /// What would make the schema foreign to ourselves is not made.
    @Test(arguments: [#"[["||",[".a"],"x\u0000y"]]"#, #"[["PREDICTION()","MODEL",{"a":"x\u0000y"}]]"#])
    func anIndexThatWouldLockTheDatabaseIsRefused(text: String) throws {
        let text = text.replacing("MODEL", with: model)
        let kind: IndexDefinition.Kind = text.contains("PREDICTION") ? .predictive : .value
        let error = #expect(throws: StoreError.self) {
            try database.write { try $0.createIndex(IndexDefinition(name: "i", kind, text, language: .json)) }
        }
        #expect(error?.code == .unsupported)
        try database.write { transaction in try transaction.save("b", body: transaction.encode(json: "{}")) }
    }

    @Test func aDefinitionIsKeptAsJSON() throws {
        let definition = try IndexDefinition(name: "i", predicting: "8ball", of: "{'number': num}", outputs: ["square", "a.b"])
        #expect(definition.expressions == #"[["PREDICTION()","8ball",{"number":[".num"]},".square",".a.b"]]"#)
        let whole = try IndexDefinition(name: "i", predicting: "m", of: #"{"t":[".x"]}"#, outputs: [])
        #expect(whole.expressions == #"[["PREDICTION()","m",{"t":[".x"]}]]"#)
        #expect(throws: QueryError.self) { try IndexDefinition(name: "i", predicting: "m", of: "a, b", outputs: []) }
        #expect(throws: QueryError.self) { try IndexDefinition(name: "i", predicting: "m", of: "{}", outputs: ["a["]) }
    }

    // At the same time

    /// Runs a query while somebody may take its model away.
    private static func ask(_ text: String, of database: Database, _ unknown: String) throws {
        do {
            try database.read { snapshot in
                let rows = try Query(text, on: snapshot).run(on: snapshot)
                while try rows.next() {}
            }
        } catch let failure as QueryFailure {
            guard case .evaluation(unknown, _) = failure else { throw failure }
        }
    }

    @Test func modelsComeAndGoWhileQueriesRun() async throws {
        let (database, name) = (database, model)
        let text = "SELECT PREDICTION(\(name), {'number': num}).even FROM _"
        let known: PredictionModels.Model = { try Self.eightBall($0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { for _ in 0..<20 { try Self.ask(text, of: database, "Unknown ML model name '\(name)'") } }
            }
            group.addTask {
                for round in 0..<400 { PredictionModels.set(round % 2 == 0 ? nil : known, named: name) }
            }
            try await group.waitForAll()
        }
    }

    /// A model may look into the database through another connection, while a query or an index asks it.
    @Test func aModelQueriesAnotherConnection() throws {
        let other = try Database(path: database.path)
        PredictionModels.set(
            { input in
                guard let number = input.value.dictionary?.value(forKey: "number", input.keys)?.integer else { return nil }
                return try other.read { snapshot in
                    let query = try Query("SELECT num + 1000 AS big FROM _ WHERE num = \(number)", on: snapshot)
                    let rows = try query.run(on: snapshot)
                    guard try rows.next() else { return nil }
                    let encoder = FleeceEncoder()
                    encoder.beginDictionary()
                    encoder.writeKey("big")
                    guard case .integer(let big) = rows[0] else { return nil }
                    encoder.write(big)
                    encoder.endDictionary()
                    return try encoder.finish()
                }
            }, named: model)
        let text = "SELECT PREDICTION(\(model), {'number': num}, '.big') AS b FROM _ WHERE num > 98 ORDER BY num"
        #expect(try rows(text) == ["1099", "1100"])
        try makeIndex("bigs", "big")
        #expect(try rows(text) == ["1099", "1100"])
        // It sees what has been committed, and not what is about to be.
        try database.write { transaction in try transaction.save("n101", body: transaction.encode(json: "{\"num\":101}")) }
        #expect(try rows(text) == ["1099", "1100"])
        try database.write { transaction in try transaction.save("again", body: transaction.encode(json: "{\"num\":101}")) }
        #expect(try rows(text) == ["1099", "1100", "1101"])
    }

    /// A model may know other things later.
    @Test func aModelIsAskedForAVectorWhenItsDocumentIsSaved() throws {
        let (name, calls) = (model + "v", Calls())
        PredictionModels.set(
            { input in
                calls.add()
                guard let number = input.value.dictionary?.value(forKey: "number", input.keys)?.double else { return nil }
                let encoder = FleeceEncoder()
                try JSONParser.parse("{\"near\":[\(number),1,1]}", .json, into: encoder)
                return try encoder.finish()
            }, named: name)
        let expression = "PREDICTION(\(name), {'number': num}).near"
        try database.write { transaction in
            _ = try transaction.createIndex(
                IndexDefinition(name: "near", .vector(VectorOptions(dimensions: 3, centroids: 1)), expression))
        }
        #expect(calls.take() >= 101)
        try database.write { try $0.save("late", body: $0.encode(json: "{\"num\":1000}")) }
        #expect(calls.take() > 0)
        let index = try #require(try database.read { try $0.vectorIndex(named: "near") })
        #expect(try index.indexed.end == database.read { try $0.lastSequence(of: .default) })
        #expect(
            try rows("SELECT META().id FROM _ ORDER BY APPROX_VECTOR_DISTANCE(\(expression), [1000, 1, 1]) LIMIT 1") == ["\"late\""])
    }
}

/// How often a model was asked.
private final class Calls: Sendable {
    private let count = Mutex(0)

    func add() { count.withLock { $0 += 1 } }

    /// Since the last time.
    func take() -> Int {
        count.withLock { count in
            defer { count = 0 }
            return count
        }
    }
}
