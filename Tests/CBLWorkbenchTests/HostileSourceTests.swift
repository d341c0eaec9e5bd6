import CBLFleece
import CBLTestSupport
import CBLWorkbench
import FoundationEssentials
import Testing

/// Readers of files that come from outside: whatever the bytes are, they are read to their end or refused with words.
@Suite struct HostileSourceTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory(inMemory: true) }

    private static let tables = [
        "_id,name,n\na,\"x\",1\nb,\"[1,{\"\"a\"\":2}]\",-1.5e3\nc,,true\n", "a\tb\r\n\"q\"\"q\"\t null\r\n",
        "\u{FEFF}_id,é\n\"\u{301}\",\"x\ny\"\n",
    ].map { Array($0.utf8) }

    private static let texts = [
        #"{"_id": "a", "n": [1, 2.5, -0, 1e400, null]}"# + "\n" + #"{"b": "\ud83d\ude00 \u0000 \\"}"#,
        #"[{"a": {"b": [[[]]]}}, {"_id": "é́"}]"#,
        "{a: 'single', /* no */ b: 0x1F, c: +.5,}\n{}", "[]",
    ].map { Array($0.utf8) }

    /// Reads all documents, and looks at each. Ends, since each step takes some of the input or says that it cannot.
    private func read(_ bytes: [UInt8], _ source: (InputSource) -> any DocumentSource) throws {
        let path = directory.path + "/input"
        try Data(bytes).write(to: URL(filePath: path))
        let documents = source(try InputSource(path: path))
        let encoder = FleeceEncoder()
        for _ in 0...bytes.count {
            var id = ByteBuffer()
            do {
                guard try documents.next(into: encoder, id: &id) else { return }
                try encoder.finish().withRoot { #expect($0.dictionary != nil || $0.kind != .dictionary) }
            } catch is MalformedDocument {
                encoder.reset()
            } catch is FileError {
                return
            } catch is JSONError {
                return
            } catch is FleeceError {
                encoder.reset()
            }
        }
        Issue.record("more documents than bytes in \(String(decoding: bytes, as: UTF8.self).debugDescription)")
    }

    private func readTable(_ bytes: [UInt8]) throws {
        for delimiter in [Delimiter.comma, .tab] { try read(bytes) { TableSource($0, delimiter: delimiter, idKey: "_id") } }
    }

    private func readJSON(_ bytes: [UInt8]) throws {
        for dialect in [JSONDialect.json, .json5] { try read(bytes) { JSONSource($0, dialect: dialect, idKey: "_id") } }
    }

    @Test func everyTruncationAndBitFlipOfTables() throws { for table in Self.tables { try Mutation.forEachSmall(of: table, readTable) } }
    @Test func everyTruncationAndBitFlipOfJSON() throws { for text in Self.texts { try Mutation.forEachSmall(of: text, readJSON) } }

    @Test func randomTablesAndJSON() throws {
        var random = SeededRandom(17)
        try repeatWithin(seconds: 1) {
            try readTable(Mutation.mutated(random.element(of: Self.tables), &random))
            try readJSON(Mutation.mutated(random.element(of: Self.texts), &random))
        }
    }
}
