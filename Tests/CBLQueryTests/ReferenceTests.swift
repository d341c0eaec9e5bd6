import CBLFleece
import CBLFunctions
import CBLLanguage
import CBLStore
import CBLTestSupport
import CBLVectors
import FoundationEssentials
import Testing

@testable import CBLQuery

/// The documentation of SQL++ says what is true: its examples are run.
struct ReferenceTests {
    /// The documents that the documentation shows.
    private static func sample() throws -> Sample {
        let sample = try Sample()
        try sample.database.write { transaction in
            for line in FunctionReference.sampleDocuments.split(separator: "\n") {
                let words = line.split(separator: "\"", maxSplits: 4)
                #expect(words[1] == "_id")
                try transaction.save(String(words[3]), body: transaction.encode(json: "{\"" + words[4].dropFirst(2)))
            }
        }
        let names = try IndexDefinition(name: "names", .fullText(FullTextOptions()), "name")
        let years = try IndexDefinition(name: "years", .vector(VectorOptions(dimensions: 2, centroids: 1)), "[born, 0]")
        try sample.database.write { for index in [names, years] { _ = try $0.createIndex(index) } }
        return sample
    }

    private static func rows(_ query: String, of sample: Sample) throws -> [String] {
        try sample.database.read { snapshot in
            let query = try Query(query, on: snapshot)
            let rows = try query.run(on: snapshot)
            var answer: [String] = []
            var buffer = ByteBuffer()
            while try rows.next() {
                buffer.removeAll()
                rows.appendObject(to: &buffer)
                answer.append(buffer.string)
            }
            return answer
        }
    }

    @Test func everyFunctionIsInTheReference() {
        let described = Set(FunctionReference.all.flatMap { [$0.name] + $0.aliases })
        #expect(described == Set(Select.functionNames))
        #expect(FunctionReference.all.count == Set(FunctionReference.all.map(\.name)).count)
        #expect(FunctionReference.all.allSatisfy { !$0.examples.isEmpty })
    }

    @Test func examplesOfFunctionsAreTrue() throws {
        PredictionModels.set(
            { input in
                let text = input.value.dictionary?.value(forKey: "text", input.keys)?.string ?? ""
                let encoder = FleeceEncoder()
                encoder.beginDictionary()
                encoder.writeKey("count")
                encoder.write(Int64(text.split(separator: " ").count))
                encoder.endDictionary()
                return try encoder.finish()
            }, named: "words")
        let sample = try ReferenceTests.sample()
        for function in FunctionReference.all {
            for example in function.examples {
                if example.result == "refused" {
                    #expect(throws: QueryError.self, "\(example.expression)") {
                        try ReferenceTests.rows(example.query(in: function.group), of: sample)
                    }
                    continue
                }
                let expected = example.result == "MISSING" ? "{}" : "{\"example\":\(example.result)}"
                let rows = try ReferenceTests.rows(example.query(in: function.group), of: sample)
                #expect(rows == [expected], "\(example.expression)")
            }
        }
    }

    @Test func examplesOfOperatorsAreTrue() throws {
        let sample = try ReferenceTests.sample()
        for known in OperatorReference.all {
            #expect(!known.examples.isEmpty, "\(known.name)")
            for example in known.examples {
                let expected =
                    example.result == "MISSING"
                    ? "{}" : example.query == example.expression ? example.result : "{\"example\":\(example.result)}"
                #expect(try ReferenceTests.rows(example.query, of: sample).joined(separator: " ") == expected, "\(example.expression)")
            }
        }
    }

    /// In docs/sqlpp.md a block of SQL++ is followed by a block with the rows it gives.
    @Test func examplesOfTheGuideAreTrue() throws {
        let guide = try String(contentsOfFile: Fixtures.package + "/docs/sqlpp.md", encoding: .utf8)
        let sample = try ReferenceTests.sample()
        let blocks = guide.components(separatedBy: "```sqlpp\n").dropFirst()
        #expect(blocks.count >= 10)
        for block in blocks {
            let parts = block.components(separatedBy: "```")
            let query = parts[0]
            try #require(parts.count > 2, "\(query)")
            let expected = parts[1 + 1].split(separator: "\n").dropFirst().map(String.init)
            #expect(try ReferenceTests.rows(query, of: sample) == expected, "\(query)")
        }
        #expect(guide.contains("```json\n\(FunctionReference.sampleDocuments)\n```"))
    }
}
