import CBLFunctions
import CBLQuery
import CBLStore
import CBLTestSupport
import CBLVectors
import Synchronization
import Testing

@Suite(.serialized) struct VectorWarningTests {
    private final class Log: Sendable {
        let lines = Mutex<[String]>([])
        func taken() -> [String] {
            lines.withLock { lines in
                defer { lines = [] }
                return lines
            }
        }
    }

    /// Other tests are warned at the same time: of other properties.
    private func hearing(_ part: String, _ work: (Log) throws -> Void) rethrows {
        let log = Log()
        VectorWarnings.setListener { warning in
            let line = warning.description
            if line.contains(part) { log.lines.withLock { $0.append(line) } }
        }
        defer { VectorWarnings.setListener(nil) }
        try work(log)
    }

    private static let values = [
        ("[1,2,3]", nil), ("[1,2]", "vector has wrong number of dimensions"), ("[1,2,3,4]", "vector has wrong number of dimensions"),
        ("[]", "vector has wrong number of dimensions"), ("[1,null,3]", "array contains a non-numeric value"),
        ("[1,\"2\",3]", "array contains a non-numeric value"), ("\"AACAPwAAAEAAAEBA\"", nil),
        ("\"nope\"", "data is wrong length to be a vector"),
        ("\"AACAPwAAAEA=\"", "data is wrong length to be a vector"), ("\"\"", "data is wrong length to be a vector"),
        ("\"not ä Base64\"", "value is wrong type to be a vector"), ("null", "value is wrong type to be a vector"),
        ("true", "value is wrong type to be a vector"), ("5", "value is wrong type to be a vector"),
        ("1.5", "value is wrong type to be a vector"),
        ("{\"a\":[1,2,3]}", "value is wrong type to be a vector"),
        (#"{"@type":"blob","digest":"sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=","length":0}"#, "value is wrong type to be a vector"),
    ]

    private func database(_ directory: TemporaryDirectory) throws -> Database {
        try Database(path: directory.path + "/db.cblite2", options: .create)
    }

    @Test func whatIsNoVectorIsToldInTheVendorsWords() throws {
        let directory = try TemporaryDirectory()
        let database = try database(directory)
        func save(_ id: Int, _ value: String) throws {
            try database.write { try $0.save("doc\(id)", body: $0.encode(json: #"{"strange":{"vec":\#(value)}}"#)) }
        }
        for (number, value) in Self.values.enumerated() { try save(number, value.0) }
        try database.write { try $0.save("without", body: $0.encode(json: "{}")) }
        let expected = Self.values.compactMap { $0.1.map { "Updating vector index: Property 'strange.vec' \($0); ignoring" } }
        try hearing("'strange.vec'") { log in
            try database.write {
                try $0.createIndex(IndexDefinition(name: "near", .vector(VectorOptions(dimensions: 3, centroids: 1)), "strange.vec"))
            }
            #expect(log.taken().sorted() == expected.sorted())
            // A change tells of what is changed, and nothing else does.
            try database.write { transaction in
                try transaction.save("doc0", body: transaction.encode(json: #"{"strange":{"vec":[1]}}"#))
                // So many are taken in at once, and not when somebody asks.
                for number in 0..<40 { try transaction.save("empty\(number)", body: transaction.encode(json: "{}")) }
            }
            #expect(log.taken() == ["Updating vector index: Property 'strange.vec' vector has wrong number of dimensions; ignoring"])
            try database.write { try $0.save("other", body: $0.encode(json: #"{"other":1}"#)) }
            _ = try database.read { snapshot in
                let query = try Query("SELECT META().id FROM _ ORDER BY APPROX_VECTOR_DISTANCE(strange.vec, [1,2,3]) LIMIT 9", on: snapshot)
                let rows = try query.run(on: snapshot)
                #expect(try rows.next() && rows[0].string == "doc6")
                #expect(try !rows.next())
            }
            #expect(log.taken().isEmpty)
            try database.reindex()
            #expect(log.taken().count == expected.count + 1)
        }
        #expect(try database.read { try $0.vectorIndex(named: "near")?.pending } == 1)
    }

    @Test func anExpressionHasNoNameToBeTold() throws {
        let directory = try TemporaryDirectory()
        let database = try database(directory)
        try database.write { transaction in
            for (id, text) in [("a", "AACAPwAAAEAAAEBA"), ("b", "AACAPw=="), ("c", "[")] {
                try transaction.save(id, body: transaction.encode(json: #"{"x":"\#(text)"}"#))
            }
            try transaction.save("d", body: transaction.encode(json: "{}"))
        }
        try hearing("Updating vector index: ") { log in
            try database.write {
                try $0.createIndex(
                    IndexDefinition(name: "near", .vector(VectorOptions(dimensions: 3, centroids: 1)), "CONCAT(x, '')"))
            }
            let lines = log.taken().filter { !$0.contains("Property") }
            #expect(lines.contains("Updating vector index: data is wrong length to be a vector; ignoring"))
            #expect(lines.contains("Updating vector index: value is wrong type to be a vector; ignoring"))
        }
        // Base64 that an expression makes is a vector.
        #expect(try database.read { try $0.vectorIndex(named: "near")?.pending } == 1)
    }

    @Test func tooFewToLearnFromAreRaised() throws {
        let directory = try TemporaryDirectory()
        let database = try database(directory)
        var options = VectorOptions(dimensions: 3, centroids: 10)
        options.minimumTraining = 20
        try hearing("minTrainingSize of 20 is") { log in
            try database.write { try $0.createIndex(IndexDefinition(name: "near", .vector(options), "v")) }
            #expect(
                log.taken() == [
                    "SQLite warning: vectorsearch: minTrainingSize of 20 is too small; raising it to 250, based on 10 centroids."
                ])
        }
    }
}
