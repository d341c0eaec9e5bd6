import CBLTestSupport
import FoundationEssentials
import Testing

/// JSON Schema at the prompt: `check --schema`, and `--validate` where documents come in.
@Suite struct ValidationTests {
    private let scratch: Scratch
    private let schema: String

    init() throws {
        scratch = try Scratch(["good": #"{"name":"a","tags":["x"]}"#, "bad": #"{"name":1,"tags":["x",2]}"#, "empty": "{}"])
        schema = scratch.directory.path + "/thing.json"
        try write(#"{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"tags":{"items":{"type":"string"}}}}"#)
    }

    private func write(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: schema)) }

    @Test func checkNamesEachPlaceWithTheReason() throws {
        let result = try scratch.run(["check"], flags: ["--schema", schema])
        #expect(result.exitCode == 1)
        #expect(
            result.lines == [
                #"error: document "bad" (name): expected a string, found 1"#,
                #"error: document "bad" (tags[1]): expected a string, found 2"#,
                #"error: document "empty": the property "name" is missing"#,
            ])
        #expect(result.errors == "Compared 3 documents with \(schema): 2 do not follow the schema.\n")
        let facts = try scratch.run(["check"], flags: ["--json", "--schema", schema])
        #expect(facts.lines[0].contains(#""document":"bad","pointer":"/name","keyword":"type""#))
        try write("true")
        #expect(try scratch.run(["check"], flags: ["--schema", schema]).exitCode == 0)
    }

    @Test func whatDoesNotFollowTheSchemaIsNotPut() throws {
        let refused = try scratch.run(["put", "new", #"{"name":2}"#], flags: ["--validate", schema])
        #expect(refused.exitCode == 1)
        #expect(refused.errors.contains("/name: expected a string, found 2") && refused.errors.contains("Nothing was saved."))
        #expect(try scratch.run(["cat", "new"]).exitCode == 1)
        #expect(try scratch.run(["put", "new", #"{"name":"b"}"#], flags: ["--validate", schema]).exitCode == 0)
        #expect(try scratch.run(["put", "new", "--delete"], flags: ["--validate", schema]).exitCode == 2)
    }

    @Test func whatDoesNotFollowTheSchemaIsLeftOutOfAnImport() throws {
        let lines = #"{"_id":"a","name":"x"}"# + "\n" + #"{"_id":"b"}"# + "\n" + #"{"_id":"c","name":"y"}"# + "\n"
        let result = try scratch.run(["import", "-"], flags: ["--validate", schema], input: lines)
        #expect(result.exitCode == 1)
        #expect(result.errors.contains(#"document "b": it does not follow"#) && result.errors.contains("1 left out"))
        #expect(try scratch.run(["ls"]).output.split(separator: "\n").count > 0)
        #expect(try scratch.run(["cat", "a"]).exitCode == 0)
        #expect(try scratch.run(["cat", "b"]).exitCode == 1)
        let careful = try scratch.run(["import", "-"], flags: ["--careful", "--validate", schema], input: #"{"_id":"d"}"#)
        #expect(careful.exitCode == 1 && careful.errors.contains("Nothing was imported"))
    }

    @Test func whatDoesNotFollowTheSchemaIsNotPulled() throws {
        let target = scratch.directory.path + "/target.cblite2"
        let result = try Program.run(["pull", "--validate", schema, target, scratch.path])
        #expect(result.exitCode == 1)
        #expect(result.errors.contains("/name: expected a string, found 1"))
        #expect(try Program.run(["ls", target]).output == "good\n")
        let pushed = try Program.run(["push", "--validate", schema, scratch.path, target])
        #expect(pushed.exitCode == 2)
    }

    @Test(arguments: [
        (#"{"type":3}"#, "#/type"), ("{", "not JSON"), (#"{"$ref":"http://example.com/x.json"}"#, "example.com"),
        (#"{"$schema":"http://nope/"}"#, "nope"),
    ]) func aSchemaThatIsNoneIsRefusedWithItsPlace(_ text: String, _ part: String) throws {
        try write(text)
        for words in [["check"], ["put", "x", "{}"]] {
            let result = try scratch.run(words, flags: [words[0] == "check" ? "--schema" : "--validate", schema])
            #expect(result.exitCode == 1)
            #expect(result.errors.contains("thing.json") && result.errors.contains(part), "\(result.errors)")
        }
    }
}
