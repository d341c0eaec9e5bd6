import CBLLanguage
import CBLStore
import CBLTestSupport
import Testing

@testable import CBLQuery

@Suite struct IndexAdvisorTests {
    private let directory: TemporaryDirectory
    private let database: Database

    init() throws {
        directory = try TemporaryDirectory()
        database = try Database(path: directory.path + "/new.cblite2", options: .create)
        try database.write { transaction in
            try transaction.createCollection(CollectionName(name: "cities"))
            _ = try transaction.createIndex(IndexDefinition(name: "byIsland", .value, "island"))
        }
    }

    static let advice: [(String, [String])] = [
        ("SELECT name FROM _ WHERE city = 'x'", ["byCity: city"]),
        ("SELECT name FROM _ WHERE address.city = 'x' AND stars > 3", ["byCityAndStars: address.city, stars"]),
        ("SELECT name FROM _ WHERE stars BETWEEN 1 AND 3", ["byStars: stars"]),
        ("SELECT name FROM _ WHERE city = 'x' ORDER BY name", ["byCityAndName: city, name"]),
        ("SELECT name FROM _ ORDER BY name DESC, stars DESC", ["byNameAndStars: name, stars"]),
        ("SELECT city, count(*) FROM _ GROUP BY city", ["byCity: city"]),
        ("SELECT name FROM _ WHERE name LIKE 'B%'", ["byName: name"]),
        ("SELECT name FROM _ WHERE lower(name) = 'x'", ["byExpression: [[\"lower()\",[\".name\"]]]"]),
        ("SELECT name FROM _ WHERE `first name` IN ['a', 'b']", ["byName: `first name`"]),
        ("SELECT name FROM _ WHERE a = 1 OR b = 2", ["byA: a", "byB: b"]),
        ("SELECT h.name FROM _ AS h JOIN cities AS c ON h.city = c.id WHERE h.stars = 5", ["byStars: stars", "byId: id"]),
        ("SELECT h.name FROM _ AS h UNNEST h.contacts AS c WHERE c.kind = 'x'", ["byKind: kind contacts"]),
        ("SELECT h.name FROM _ AS h UNNEST h.tags AS t WHERE t = 'x'", ["byTags:  tags"]),
        // Nothing helps these, or what helps is there.
        ("SELECT name FROM _ WHERE island = 'x'", []), ("SELECT name FROM _", []), ("SELECT name FROM _ WHERE a = b", []),
        ("SELECT name FROM _ WHERE name LIKE '%x%'", []), ("SELECT name FROM _ WHERE META().id = 'x'", []),
    ]

    @Test(arguments: advice) func theIndexThatHelpsIsFound(_ advice: (query: String, indexes: [String])) throws {
        try database.read { snapshot in
            let found = try IndexAdvisor.advise(Select(sqlpp: advice.query), on: snapshot)
            let names = found.suggestions.flatMap(\.definitions).map { definition in
                "\(definition.name): \(definition.expressions)" + (definition.path.map { " \($0)" } ?? "")
            }
            #expect(Set(names) == Set(advice.indexes), "\(found)")
            #expect(!found.before.isEmpty)
        }
        // What was suggested can be made, and does what was promised.
        try database.write { transaction in
            let found = try IndexAdvisor.advise(Select(sqlpp: advice.query), on: transaction)
            for definition in found.suggestions.flatMap(\.definitions) { #expect(try transaction.createIndex(definition) == .created) }
            let again = try IndexAdvisor.advise(Select(sqlpp: advice.query), on: transaction)
            #expect(again.suggestions.isEmpty, "\(again.suggestions)")
        }
    }

    @Test func whatNoIndexHelpsIsSaid() throws {
        try database.read { snapshot in
            let notes = { (query: String) in try IndexAdvisor.advise(Select(sqlpp: query), on: snapshot).notes.joined() }
            try #expect(notes("SELECT name FROM _ WHERE name LIKE '%x%'").contains("full-text index of name"))
            try #expect(notes("SELECT name FROM _ WHERE ANY t IN tags SATISFIES t = 1 END").contains("--unnest 'tags'"))
            try #expect(notes("SELECT name FROM _ WHERE MATCH(words, 'x')").contains("--fts"))
        }
    }

    @Test func askingLeavesTheFileAsItWas() throws {
        try database.read { snapshot in
            let schema = "SELECT sql FROM sqlite_master"
            let before = try snapshot.connection.strings(schema)
            _ = try IndexAdvisor.advise(Select(sqlpp: "SELECT name FROM _ WHERE city = 'x'"), on: snapshot)
            #expect(try snapshot.connection.strings(schema) == before)
        }
    }
}
