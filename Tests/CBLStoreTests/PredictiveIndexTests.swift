import CBLFleece
import CBLFunctions
import CBLSQLite
import CBLTestSupport
import Testing

@testable import CBLStore

/// Predictive indexes in the vendor's layout, and what becomes of them when documents, the file and the model change.
@Suite struct PredictiveIndexTests {
    private let directory: TemporaryDirectory
    private let database: Database
    /// The list of models is that of the process.
    private let model = "m\(UInt64.random(in: 0...UInt64.max))"
    private let digest = "0MWKSbbzr0gn4VVVuKsNE9sZE8o="
    private let table = #"kv_default:predict:0\M\W\K\Sbbzr0gn4\V\V\Vu\Ks\N\E9s\Z\E8o="#

    init() throws {
        directory = try TemporaryDirectory()
        database = try Database(path: directory.path + "/new.cblite2", options: .create)
        // Doubles numbers, and has nothing to say of others.
        PredictionModels.set(
            { input in
                guard let number = input.value.dictionary?.value(forKey: "number", input.keys)?.integer else { return nil }
                let encoder = FleeceEncoder()
                encoder.beginDictionary()
                encoder.writeKey("double")
                encoder.write(Int64(number) * 2)
                encoder.endDictionary()
                return try encoder.finish()
            }, named: model)
    }

    private var call: String { "prediction('\(model)', dict_of('number', fl_value(new.body, 'num')))" }

    private func index(_ name: String, outputs: [String] = []) -> IndexSpecification {
        let properties = outputs.map { ",\".\($0)\"" }.joined()
        return IndexSpecification(
            name: name, collection: .default,
            form: .predictive(digest: digest, call: call, outputs: outputs.map { "fl_unnested_value(body, '\($0)')" }),
            source: .init(
                .json, "[[\"PREDICTION()\",\"\(model)\",{\"number\":[\".num\"]}\(properties)]]", condition: nil, unnest: nil, in: .newest))
    }

    private func put(_ id: String, _ json: String) throws {
        try database.write { transaction in try transaction.save(id, body: transaction.encode(json: json)) }
    }

    private func kept(in database: Database? = nil) throws -> [String] {
        try (database ?? self.database).read { snapshot in
            try snapshot.registerFunctions()
            return try snapshot.connection.strings(
                """
                SELECT (SELECT key FROM kv_default WHERE rowid = docid) || ' ' || fl_unnested_value(body, 'double') \
                FROM "\(table)" ORDER BY 1
                """)
        }
    }

    @Test func theLayoutIsTheVendorsByteForByte() throws {
        try database.write { transaction in
            #expect(try transaction.createIndex(index("nums", outputs: ["double", "half"])) == .created)
            let sql = try transaction.connection.strings("SELECT sql FROM sqlite_master WHERE sql LIKE '%predict%' ORDER BY rowid")
            let t = "\"\(table)\""
            func trigger(_ kind: String, _ event: String, _ condition: String, _ action: String) -> String {
                "CREATE TRIGGER \"\(table)::\(kind)\" \(event) ON \"kv_default\" WHEN \(condition)  BEGIN \(action); END"
            }
            let insertion = "INSERT INTO \(t) (docid, body) VALUES (new.rowid, \(call))"
            let deletion = "DELETE FROM \(t) WHERE docid = old.rowid"
            #expect(
                sql == [
                    "CREATE TABLE \(t) (docid INTEGER PRIMARY KEY REFERENCES \"kv_default\"(rowid),  body BLOB NOT NULL ON CONFLICT IGNORE) WITHOUT ROWID",
                    trigger("ins", "AFTER INSERT", "(new.flags & 1) = 0", insertion),
                    trigger("del", "BEFORE DELETE", "(old.flags & 1) = 0", deletion),
                    trigger("preupdate", "BEFORE UPDATE OF body, flags", "(old.flags & 1) = 0", deletion),
                    trigger("postupdate", "AFTER UPDATE OF body, flags", "(new.flags) & 1 = 0", insertion),
                    "CREATE INDEX nums ON \(t) (fl_unnested_value(body, 'double'), fl_unnested_value(body, 'half'))",
                ])
            let row = "SELECT name || ' ' || type || ' ' || keyStore || ' ' || expression || ' ' || indexTableName FROM indexes"
            #expect(
                try transaction.connection.strings(row) == [
                    "nums 3 default =j[[\"PREDICTION()\",\"\(model)\",{\"number\":[\".num\"]},\".double\",\".half\"]] \(table)"
                ])
        }
    }

    @Test func documentsAreKeptUpWith() throws {
        try put("a", #"{"num":1}"#)
        try put("none", #"{"x":1}"#)
        try put("gone", #"{"num":9}"#)
        try database.write { transaction in
            _ = try transaction.delete("gone", in: .default)
            _ = try transaction.createIndex(index("nums", outputs: ["double"]))
        }
        #expect(try kept() == ["a 2"])
        try put("b", #"{"num":5}"#)
        try put("a", #"{"num":2}"#)
        #expect(try kept() == ["a 4", "b 10"])
        try put("a", #"{"y":1}"#)
        try database.write { transaction in _ = try transaction.delete("b", in: .default) }
        #expect(try kept() == [])
        try put("b", #"{"num":7}"#)
        try put("none", #"{"num":3}"#)
        #expect(try kept() == ["b 14", "none 6"])
        try database.write { transaction in _ = try transaction.purge("b", in: .default) }
        #expect(try kept() == ["none 6"])
    }

    @Test func withoutTheModelNothingIsSaved() throws {
        try database.write { transaction in _ = try transaction.createIndex(index("nums")) }
        try put("a", #"{"num":1}"#)
        PredictionModels.set(nil, named: model)
        let error = #expect(throws: StoreError.self) { try put("b", #"{"num":2}"#) }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains("Unknown ML model name '\(model)'") == true)
        #expect(error?.cause?.code == 1)
        #expect(try kept() == ["a 2"])
        // What is kept needs no model.
        #expect(try database.read { try $0.indexes().map(\.name) } == ["nums"])
        // Nor does another index of the same.
        try database.write { transaction in _ = try transaction.createIndex(index("others", outputs: ["x"])) }
        #expect(throws: StoreError.self) {
            try database.write { transaction in
                for name in ["nums", "others"] { _ = try transaction.dropIndex(name) }
                _ = try transaction.createIndex(index("again"))
            }
        }
        #expect(try kept() == ["a 2"])
    }

    @Test func indexesOfTheSameShareATableUntilTheLastGoes() throws {
        try put("a", #"{"num":1}"#)
        func hasTable() throws -> Bool { try database.read { $0.catalog.indexTables[table] != nil } }
        try database.write { transaction in
            _ = try transaction.createIndex(index("all"))
            _ = try transaction.createIndex(index("doubles", outputs: ["double"]))
            _ = try transaction.createIndex(index("halves", outputs: ["half"]))
            #expect(try transaction.createIndex(index("all")) == .unchanged)
            #expect(try transaction.createIndex(index("halves", outputs: ["half"])) == .unchanged)
        }
        for name in ["doubles", "all", "halves"] {
            #expect(try hasTable() && kept() == ["a 2"])
            try database.write { transaction in _ = try transaction.dropIndex(name) }
        }
        #expect(try !hasTable())
        #expect(try database.read { try $0.connection.strings("SELECT name FROM sqlite_master WHERE name LIKE '%predict%'") } == [])
        try put("b", #"{"num":1}"#)
    }

    @Test func entriesAreListed() throws {
        try put("a", #"{"num":1}"#)
        try put("b", #"{"num":0}"#)
        try database.write { transaction in
            _ = try transaction.createIndex(index("all"))
            _ = try transaction.createIndex(index("doubles", outputs: ["double"]))
        }
        try database.read { snapshot in
            let indexes = try snapshot.indexes()
            let all = try snapshot.entries(of: indexes[0])
            #expect(all?.keyCount == 1 && all?.headings == ["document"])
            let entries = try snapshot.entries(of: indexes[1])
            let doubles = try #require(entries)
            var rows: [String] = []
            while try doubles.statement.step() { rows.append("\(doubles.statement.int64(0)) \(doubles.statement.string(1) ?? "")") }
            #expect(rows == ["0 b", "2 a"])
        }
    }

    // Checks

    private func findings() throws -> [String] {
        try database.read { snapshot in
            var findings: [String] = []
            _ = try Checker(snapshot) { findings.append($0.message) }.run()
            return findings
        }
    }

    @Test func aCheckSeesWhatIsWrong() throws {
        try put("a", #"{"num":1}"#)
        try database.write { transaction in
            _ = try transaction.createIndex(index("all"))
            _ = try transaction.createIndex(index("doubles", outputs: ["double"]))
        }
        #expect(try findings() == [])
        try change("INSERT INTO \"\(table)\" VALUES (77, x'00')")
        #expect(try findings() == ["it has an answer about a document that is not there (number 77)"])
        _ = try database.repair()
        #expect(try findings() == [] && kept() == ["a 2"])
        try change("DROP TRIGGER \"\(table)::del\"")
        #expect(try findings().contains { $0.contains("its trigger del is missing") })
        _ = try database.repair()
        #expect(try findings() == [] && kept() == ["a 2"])
        try change("DROP INDEX doubles")
        #expect(try findings() == ["it is listed, but SQLite has no index of that name"])
        _ = try database.repair()
        #expect(try database.read { try $0.indexes().map(\.name) } == ["all"])
        // Without what is asked, it cannot be made again.
        try change("DROP TRIGGER \"\(table)::ins\"")
        try change("DROP TRIGGER \"\(table)::postupdate\"")
        #expect(try findings().contains { $0.contains("its triggers are missing") })
        _ = try database.repair()
        #expect(try findings() == [])
        #expect(try database.read { try $0.indexes() } == [])
        try put("b", #"{"num":1}"#)
    }

    private func change(_ sql: String) throws {
        try database.write { transaction in
            try transaction.connection.execute(sql)
            try transaction.file.reloadSchema()
        }
    }

    @Test func anArchiveBringsItBackIfTheModelIsThere() throws {
        try put("a", #"{"num":1}"#)
        try database.write { transaction in
            _ = try transaction.createIndex(index("all"))
            _ = try transaction.createIndex(index("doubles", outputs: ["double"]))
        }
        var archive: [[UInt8]] = []
        try database.dump { archive.append(Array($0.dropLast())) }
        func restore(_ name: String) throws -> (Database, [String]) {
            let copy = try Database(path: directory.path + "/\(name).cblite2", options: .create)
            let result = try copy.restore(Archive.RestoreOptions()) { restorer in
                for line in archive { try line.withUnsafeBytes { try restorer.accept($0) } }
            }
            return (copy, result.warnings)
        }
        let (copy, warnings) = try restore("copy")
        #expect(warnings == [])
        #expect(try kept(in: copy) == ["a 2"])
        #expect(try copy.read { try $0.indexes().map(\.name) } == ["all", "doubles"])
        let sql = "SELECT sql FROM sqlite_master WHERE sql LIKE '%predict%' ORDER BY name"
        #expect(try copy.read { try $0.connection.strings(sql) } == database.read { try $0.connection.strings(sql) })
        PredictionModels.set(nil, named: model)
        let (other, refusals) = try restore("other")
        #expect(refusals.count == 2 && refusals.allSatisfy { $0.contains("Unknown ML model name '\(model)'") })
        #expect(try other.read { try $0.indexes() } == [])
    }
}
