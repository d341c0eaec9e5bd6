import CBLTestSupport
import FoundationEssentials
import Testing

@Suite struct SchemaTests {
    private func scratch() throws -> Scratch {
        try Scratch([
            "ada": #"{"name": "Ada", "age": 36, "tags": ["x"], "friend": "bob", "address": {"city": "London"}}"#,
            "bob": #"{"name": "Bob", "age": "41", "tags": [], "address": {"city": null}, "since": "2024-02-29"}"#,
            "cy": #"{"name": "Cy", "age": 7, "friend": "ada", "isNew": true}"#,
        ])
    }

    /// A database whose documents are the lines of a text.
    private func scratch(lines: [String]) throws -> Scratch {
        let scratch = try Scratch()
        let result = try Program.run(["import", scratch.path, "-"], input: lines.joined(separator: "\n"))
        try #require(result.exitCode == 0, "\(result.errors)")
        return scratch
    }

    @Test func propertiesStandInATable() throws {
        let lines = try scratch().run(["schema"]).lines
        #expect(lines[0] == "_default: 3 documents")
        #expect(
            lines.dropFirst(3).map { $0.split(separator: " ").joined(separator: " ") } == [
                #"age 100% integer 67%, string 33% 7 to 36; 2 characters; "41""#,
                #"name 100% string 2 to 3 characters; "Cy", "Bob", "Ada""#,
                #"address 67% object"#,
                #"city 67% string, null 50% 6 characters; "London""#,
                #"friend 67% string 3 characters; "ada", "bob"; IDs of documents in _default"#,
                #"tags 67% array 0 to 1 items"#,
                #"[] string 1 character; "x""#,
                #"isNew 33% boolean always true"#,
                #"since 33% date 2024-02-29"#,
            ])
    }

    @Test func machineOutputSaysTheSame() throws {
        struct Answer: Decodable {
            struct TypeCount: Decodable { let type: String, count: Int }
            struct Property: Decodable {
                let name: String, path: String, count: Int, share: Double, types: [TypeCount]
                let minimum: Double?, maximum: Double?, refersTo: String?, properties: [Property]?
            }
            let collection: String, documents: Int, examined: Int, sampled: Bool, damaged: Int, properties: [Property]
        }
        let scratch = try scratch()
        let result = try scratch.expect(["schema", "--json"])
        #expect(result.lines.count == 1)
        let answer = try JSONDecoder().decode(Answer.self, from: Data(result.output.utf8))
        #expect(answer.collection == "_default" && answer.documents == 3 && answer.examined == 3 && !answer.sampled)
        #expect(answer.properties.map(\.name) == ["age", "name", "address", "friend", "tags", "isNew", "since"])
        #expect(answer.properties[0].minimum == 7 && answer.properties[0].maximum == 36)
        #expect(answer.properties[0].types.map(\.type) == ["integer", "string"])
        #expect(answer.properties[2].properties?.first?.path == "address.city")
        #expect(answer.properties[3].refersTo == "_default")
        #expect(try scratch.expect(["schema", "--format", "json"]).output == result.output)
    }

    @Test func kindsAreShownOneByOne() throws {
        let lines = (0..<12).map { $0 % 3 == 0 ? #"{"type": "a", "one": 1, "uno": 1}"# : #"{"type": "b", "two": 2, "due": 2}"# }
        let scratch = try scratch(lines: lines)
        let output = try scratch.expect(["schema"]).lines
        #expect(output[0] == #"_default: 12 documents, by "type""#)
        #expect(output[1] == #"type = "b": 8 documents"#)
        #expect(output.contains(#"type = "a": 4 documents"#))
        #expect(try scratch.expect(["schema", "--together"]).lines[0] == "_default: 12 documents")
        #expect(try scratch.expect(["schema", "--by", "one"]).lines.contains(#"without a text "one": 12 documents"#))
    }

    @Test func aSampleIsSaidToBeOne() throws {
        let scratch = try scratch(lines: (0..<200).map { #"{"n": \#($0)}"# })
        let title = try scratch.expect(["schema", "--sample", "50"]).lines[0]
        #expect(title == "_default: 200 documents, of which 50 were looked at (--all looks at all)")
        #expect(try scratch.expect(["schema", "--all"]).lines[0] == "_default: 200 documents")
        try scratch.expectFailure(["schema"], exitCode: 2, "--all and --sample exclude each other", flags: ["--all", "--sample", "2"])
    }

    @Test func aSchemaOfJSONIsOne() throws {
        struct Answer: Decodable {
            struct Property: Decodable { let type: JSONType? }
            enum JSONType: Decodable, Equatable {
                case one(String), several([String])
                init(from decoder: any Decoder) throws {
                    let container = try decoder.singleValueContainer()
                    if let one = try? container.decode(String.self) {
                        self = .one(one)
                    } else {
                        self = .several(try container.decode([String].self))
                    }
                }
            }
            let title: String, type: String, properties: [String: Property], required: [String]
        }
        let result = try scratch().expect(["schema", "--format", "json-schema"])
        let answer = try JSONDecoder().decode(Answer.self, from: Data(result.output.utf8))
        #expect(answer.title == "_default" && answer.type == "object" && answer.required == ["age", "name"])
        #expect(answer.properties["age"]?.type == .several(["string", "integer"]))
        #expect(answer.properties["tags"]?.type == .one("array"))
    }

    @Test func mistakesAreNamed() throws {
        let scratch = try scratch()
        try scratch.expectFailure(["schema", "hotells"], "no collection \"hotells\"")
        try scratch.expectFailure(["schema", "_default"], exitCode: 2, "the collection is given twice", flags: ["-C", "_default"])
        try scratch.expect(["mkcoll", "empty"])
        try scratch.expect(["schema", "empty"], "empty: 0 documents\n")
    }

    /// A hundred thousand names, in one document.
    @Test func hostileDocumentsAreSummedUp() throws {
        let names = (0..<100_000).map { #""key \#($0)": [\#($0)]"# }.joined(separator: ",")
        let deep = String(repeating: #"{"a":"#, count: 60) + "1" + String(repeating: "}", count: 60)
        let scratch = try scratch(lines: [#"{"map": {\#(names)}}"#, #"{"deep": \#(deep)}"#, #"{"tricky": "\u001b[31mred\u0000"}"#])
        let lines = try scratch.expect(["schema"]).lines
        #expect(lines.count < 60)
        #expect(lines.contains { $0.hasPrefix("map") && $0.contains("map") && $0.hasSuffix("different names") })
        #expect(lines.contains { $0.hasSuffix("more inside") })
    }

    @Test(
        .enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"),
        arguments: [
            "v2.x/upgrade_2.7", "v2.x/upgrade_2.8_index", "v3.x/db_3_0_0_names_100_with_deleted", "v3.x/words_db", "v4.x/revtrees_4.1",
            "v4.x/vectors_4.1", "v4.x/types_4.1", "v4.x/upgraded_2.7_to_vectors", "v4.x/upgraded_3.0_by_4.1",
        ]) func everyGenerationHasAShape(name: String) throws
    {
        struct Counts: Decodable { let collection: String, documents: Int }
        struct Answer: Decodable { let documents: Int, examined: Int, damaged: Int }
        let path = Fixtures.path(name + ".cblite2")
        let collections = try Program.run(["lscoll", "--json", path])
        try #require(collections.exitCode == 0 && !collections.lines.isEmpty, "\(collections.errors)")
        for line in collections.lines {
            let counts = try JSONDecoder().decode(Counts.self, from: Data(line.utf8))
            let result = try Program.run(["schema", "--json", path, counts.collection])
            #expect(result.exitCode == 0, "\(result.errors)")
            let answer = try JSONDecoder().decode(Answer.self, from: Data(result.output.utf8))
            #expect(answer.documents == counts.documents && answer.examined == counts.documents && answer.damaged == 0)
        }
    }

    @Test func damagedDocumentsArePassedOver() throws {
        let scratch = try scratch()
        let damage = try Program.run(["sql", "--writeable", scratch.path, "UPDATE kv_default SET body = x'0102' WHERE key = 'bob'"])
        try #require(damage.exitCode == 0, "\(damage.errors)")
        let result = try scratch.run(["schema"])
        #expect(result.exitCode == 1)
        #expect(result.errors.contains(#"document "bob" is damaged"#))
        #expect(result.lines[0].hasPrefix("_default: 3 documents"))
        #expect(result.lines.contains { $0.hasPrefix("isNew") && $0.contains("50%") })
    }
}
