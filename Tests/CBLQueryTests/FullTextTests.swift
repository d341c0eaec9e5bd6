import CBLFleece
import CBLLanguage
import CBLStore
import Testing

@testable import CBLQuery

@Suite struct FullTextTests {
    private func makeIndex(_ name: String, _ properties: [String], on sample: Sample) throws {
        var options = FullTextOptions()
        options.language = "en"
        try sample.database.write { transaction in
            let specification = IndexSpecification(
                name: name, collection: .default, form: .fullText(properties: properties, tokenizer: options.tokenizer, condition: nil),
                source: .init(.sqlpp, properties.joined(separator: ", "), condition: nil, unnest: nil, in: transaction.generation))
            _ = try transaction.createIndex(specification)
        }
    }

    @Test func aQueryIsExplained() throws {
        let sample = try Sample(["a": #"{"title": "Über fishes", "text": "The fish and the white fish"}"#, "b": #"{"title": "dogs"}"#])
        try makeIndex("byText", ["title", "text"], on: sample)
        try sample.database.read { snapshot in
            let query = try Query("SELECT META().id FROM _ WHERE MATCH(byText, 'fish white')", on: snapshot)
            #expect(try query.run(on: snapshot).json() == [#"["a"]"#])
            let reading = try query.explain(on: snapshot).reading.map(\.text)
            #expect(
                reading == [
                    "searches full-text index \"byText\"", "for each, takes the document of collection _default (_) by its row number",
                ])
        }
    }

    /// A stop word with a star behind it is a prefix, but only in queries.
    @Test func stopWordsCanBePrefixes() throws {
        let sample = try Sample(["a": #"{"title": "theatre"}"#, "b": #"{"title": "the"}"#])
        try makeIndex("t", ["title"], on: sample)
        try sample.database.read { snapshot in
            try #expect(Query("SELECT META().id FROM _ WHERE MATCH(t, 'the*')", on: snapshot).run(on: snapshot).json() == [#"["a"]"#])
        }
    }

    @Test func aMistakeInTheSearchedTextIsAnErrorOfTheQuery() throws {
        let sample = try Sample(["a": #"{"title": "fish"}"#])
        try makeIndex("t", ["title"], on: sample)
        try sample.database.read { snapshot in
            let rows = try Query("SELECT META().id FROM _ WHERE MATCH(t, $text)", on: snapshot)
                .run(on: snapshot, parameters: QueryParameters(json: #"{"text": "(fish"}"#))
            let error = #expect(throws: QueryFailure.self) { _ = try rows.next() }
            #expect(error?.description == "the query failed: malformed MATCH expression: [(fish]")
        }
    }

    @Test func aQueryWhoseIndexWentSaysSo() throws {
        let sample = try Sample(["a": #"{"title": "fish"}"#])
        try makeIndex("t", ["title"], on: sample)
        let query = try sample.database.read { try Query("SELECT META().id FROM _ WHERE MATCH(t, 'fish')", on: $0) }
        try sample.database.read { try #expect(query.run(on: $0).json() == [#"["a"]"#]) }
        try sample.database.write { try $0.dropIndex("t") }
        let error = #expect(throws: QueryError.self) { try sample.database.read { _ = try query.run(on: $0) } }
        #expect(error?.diagnostics.count == 1)
        // Made again, it is found again.
        try makeIndex("t", ["title"], on: sample)
        try sample.database.read { try #expect(query.run(on: $0).json() == [#"["a"]"#]) }
    }

    @Test func arrayIndexesAreUsedAndTold() throws {
        let sample = try Sample(["a": #"{"tags": ["x", "y"]}"#, "b": #"{"tags": ["y"]}"#])
        try sample.database.write { transaction in
            let specification = IndexSpecification(
                name: "byTag", collection: .default, form: .array(levels: ["tags"], expressions: []),
                source: .init(.sqlpp, "", condition: nil, unnest: "tags", in: transaction.generation))
            _ = try transaction.createIndex(specification)
        }
        try sample.database.read { snapshot in
            let query = try Query("SELECT META(d).id FROM _ AS d UNNEST d.tags AS t WHERE t = 'x'", on: snapshot)
            try #expect(query.run(on: snapshot).json() == [#"["a"]"#])
            let reading = try query.explain(on: snapshot).reading.map(\.text)
            #expect(
                reading == [
                    "uses index \"byTag\" of the array items t to find the item = ?",
                    "for each, takes the document of collection _default (d) by its row number",
                ])
        }
    }
}
