import CBLFleece
import CBLQuery
import CBLStore
import CBLTestSupport
import CBLVectors
import Testing

/// A copy of the vendor's database of words with 300 dimensions each.
struct Words {
    let directory: TemporaryDirectory
    let database: Database
    static let collection = CollectionName(keyStore: ".words")!

    init() throws {
        directory = try TemporaryDirectory()
        database = try Database(path: try Fixtures.copy("v3.x/words_db.cblite2", to: directory), options: .readWrite)
    }

    /// One that is there already.
    init(at path: String, in directory: TemporaryDirectory) throws {
        self.directory = directory
        database = try Database(path: path, options: .readWrite)
    }

    static func options(_ change: (inout VectorOptions) -> Void = { _ in }) -> VectorOptions {
        var options = VectorOptions(dimensions: 300, centroids: 8)
        change(&options)
        return options
    }

    @discardableResult
    func makeIndex(_ options: VectorOptions = Words.options(), _ expression: String = "vector", name: String = "words_index") throws
        -> IndexChange
    {
        try database.write { try $0.createIndex(IndexDefinition(name: name, in: Words.collection, .vector(options), expression)) }
    }

    /// The vector of a word, as JSON.
    func vector(_ id: String, in collection: CollectionName = Words.collection) throws -> String {
        try database.read { snapshot in
            let document = try #require(try snapshot.document(id, in: collection))
            return try document.body.withRoot {
                try #require($0.dictionary?.value(forKey: "vector", snapshot.sharedKeys)).json(keys: snapshot.sharedKeys)
            }
        }
    }

    func rows(_ text: String, target: String = "word49") throws -> [String] {
        let vector = try vector(target)
        return try database.read { snapshot in
            let query = try Query(text, on: snapshot)
            let rows = try query.run(on: snapshot, parameters: QueryParameters(json: #"{"target":\#(vector)}"#))
            var found: [String] = []
            var buffer = ByteBuffer()
            while try rows.next() {
                buffer.removeAll()
                rows.appendArray(style: .canonical, to: &buffer)
                found.append(buffer.string)
            }
            return found
        }
    }

    func ids(_ rest: String, target: String = "word49") throws -> [String] {
        try rows("SELECT META().id FROM words " + rest, target: target).map { String($0.dropFirst(2).dropLast(2)) }
    }

    func save(_ id: String, _ json: String) throws {
        try database.write { transaction in
            let body = try transaction.encode(json: json)
            try transaction.save(id, in: Words.collection, body: body)
        }
    }

    /// The nearest by the exact functions.
    func exact(_ function: String, _ limit: Int, target: String = "word49") throws -> [String] {
        try ids("WHERE ISARRAY(vector) ORDER BY \(function)(vector, $target) LIMIT \(limit)", target: target)
    }

    func index(_ name: String = "words_index") throws -> VectorIndex { try #require(try database.read { try $0.vectorIndex(named: name) }) }

    /// What a check finds.
    func findings() throws -> [Finding] {
        var findings: [Finding] = []
        _ = try database.read { try Checker($0) { findings.append($0) }.run() }
        return findings
    }

    func errors() throws -> [Finding] { try findings().filter { $0.severity == .error } }
}
