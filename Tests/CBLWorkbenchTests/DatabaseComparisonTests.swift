import CBLFleece
import CBLStore
import CBLTestSupport
import CBLWorkbench
import Testing

@Suite struct DatabaseComparisonTests {
    private let directory: TemporaryDirectory
    private let first: Database
    private let second: Database
    private let people: CollectionName

    init() throws {
        directory = try TemporaryDirectory()
        first = try Database(path: directory.path + "/first.cblite2", options: .create)
        second = try Database(path: directory.path + "/second.cblite2", options: .create)
        people = try CollectionName(parsing: "people")
    }

    private func save(_ documents: [String: String], in collection: CollectionName = .default, of database: Database) throws {
        try database.write { transaction in
            try transaction.createCollection(collection)
            for (id, json) in documents { try transaction.save(id, in: collection, body: transaction.encode(json: json)) }
        }
    }

    /// `+b`, `~people/a`
    private func differences(revisions: Bool = false) throws -> [String] {
        try first.read { before in
            try second.read { after in
                var comparison = DatabaseComparison(before, after)
                comparison.comparesRevisions = revisions
                var found: [String] = []
                let counts = try comparison.run(comparison.collections) { difference in
                    let mark = [.added: "+", .removed: "-", .changed: "~"][difference.change] ?? "?"
                    let collection = difference.document.collection
                    found.append(mark + (collection.isDefault ? "" : "\(collection)/") + difference.document.id)
                }
                #expect(counts.isEqual == found.isEmpty)
                #expect(counts.added + counts.removed + counts.changed == found.count)
                return found
            }
        }
    }

    @Test func whatIsInBothIsComparedByItsBody() throws {
        // The keys of the two databases have different numbers.
        try save(["a": #"{"x":1,"y":[2]}"#, "b": "{}", "c": #"{"name":"c"}"#], of: first)
        try save(["c": #"{"name":"d"}"#, "d": "{}"], of: second)
        try save(["a": #"{"y":[2],"x":1}"#], of: second)
        #expect(try differences() == ["-b", "~c", "+d"])
    }

    @Test func aCollectionThatOneSideLacksIsEmptyThere() throws {
        try save(["a": "{}"], in: people, of: first)
        #expect(try differences() == ["-people/a"])
        try save(["a": "{}"], in: people, of: second)
        #expect(try differences() == [])
    }

    @Test func revisionsCountOnlyIfTheyAreAskedFor() throws {
        try save(["a": #"{"x":1}"#, "gone": "{}"], of: first)
        try save(["a": #"{"x":0}"#], of: second)
        try save(["a": #"{"x":1}"#], of: second)
        try first.write { _ = try $0.delete("gone") }
        #expect(try differences() == [])
        // A deletion that only one side remembers is no document that the other lacks.
        #expect(try differences(revisions: true) == ["~a", "~gone"])
    }

    @Test func whoHasSeenEnoughCanStop() throws {
        struct Enough: Error {}
        try save(["a": "{}", "b": "{}"], of: first)
        try first.read { before in
            try second.read { after in
                var comparison = DatabaseComparison(before, after)
                var count = 0
                comparison.check = {
                    count += 1
                    if count == 2 { throw Enough() }
                }
                #expect(throws: Enough.self) { try comparison.run(comparison.collections) { _ in } }
            }
        }
    }

    @Test(arguments: [
        (#"{"a":1}"#, #"{"a":1}"#, []), (#"{"a":1}"#, #"{"a":2}"#, ["a"]), (#"{"a":{"b":1,"c":1}}"#, #"{"a":{"b":2,"c":1}}"#, ["a.b"]),
        (#"{"a":[1,2,3]}"#, #"{"a":[1,3]}"#, ["a[1]"]), (#"{"a.b":1}"#, #"{"c":1}"#, [#"a\.b"#, "c"]), (#"{"a":[1]}"#, #"{"a":{}}"#, ["a"]),
    ])
    func propertiesAreNamedByTheirPaths(before: String, after: String, paths: [String]) throws {
        let bodies = try [before, after].map { json in
            let encoder = FleeceEncoder()
            try JSONParser.parse(json, into: encoder)
            return try encoder.finish()
        }
        let found = bodies[0].withRoot { before in
            bodies[1].withRoot { JSONDifference(before, nil, $0, nil).changes.map(\.path) }
        }
        #expect(found == paths)
    }
}
