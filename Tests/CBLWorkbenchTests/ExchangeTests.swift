import CBLFleece
import CBLStore
import CBLTestSupport
import CBLWorkbench
import FoundationEssentials
import Testing

/// Documents out of a database as text, and into another one.
@Suite struct ExchangeTests {
    private let directory: TemporaryDirectory
    private let database: Database

    init() throws {
        directory = try TemporaryDirectory()
        database = try Database(path: directory.path + "/a.cblite2", options: .create)
        try database.write { transaction in
            for (id, json) in [("a", #"{"n":1,"tags":["x","y"]}"#), ("b/c", #"{"n":"1","formula":"=1+1"}"#), ("d", "{}")] {
                try transaction.save(id, body: transaction.encode(json: json))
            }
        }
    }

    private final class Text: TextSink {
        var buffer = ByteBuffer()
        func write(separator: UInt8?, lines render: (inout ByteBuffer) throws -> Void) throws { try render(&buffer) }
    }

    private func json(_ exporter: Exporter = Exporter(), of database: Database, isArray: Bool = false) throws -> String {
        let text = Text()
        try database.read { _ = try exporter.writeJSON($0, .default, isArray: isArray, to: text) }
        return text.buffer.string
    }

    private func source(_ text: String) throws -> InputSource {
        let path = directory.path + "/input"
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        return try InputSource(path: path)
    }

    private func copy(from source: any DocumentSource, _ importer: Importer = Importer()) throws -> (Database, Importer.Outcome) {
        let other = try Database(path: directory.path + "/b.cblite2", options: .create)
        return (other, try importer.run(source, into: .default, of: other))
    }

    @Test(arguments: [false, true]) func linesAndArraysComeBackAsTheyWere(isArray: Bool) throws {
        let text = try json(of: database, isArray: isArray)
        #expect(text.hasPrefix(isArray ? #"[{"_id":"a","n":1,"# : #"{"_id":"a","n":1,"#))
        let (other, outcome) = try copy(from: JSONSource(source(text), idKey: "_id"))
        #expect(outcome.created == 3 && outcome.failed == 0 && outcome.named == 0)
        #expect(try json(of: other) == json(of: database))
    }

    @Test(arguments: [false, true]) func tablesComeBackAsTheyWere(guardsFormulas: Bool) throws {
        let text = Text()
        let cells = DelimitedText(delimiter: .comma, guardsFormulas: guardsFormulas)
        try database.read { _ = try Exporter().writeTable($0, .default, cells, to: text) }
        #expect(text.buffer.string.contains(guardsFormulas ? "'=1+1" : ",=1+1"))
        let table = TableSource(
            try source(text.buffer.string), delimiter: .comma, idKey: "_id", removesGuards: guardsFormulas)
        let (other, outcome) = try copy(from: table)
        #expect(outcome.created == 3)
        #expect(try json(of: other) == json(of: database))
    }

    @Test func aFolderHasAFileForEachDocument() throws {
        let folder = directory.path + "/files"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        try database.read { snapshot in
            _ = try Exporter().writeFiles(snapshot, .default) { name, render in
                var buffer = ByteBuffer()
                try render(&buffer)
                try buffer.string.write(toFile: folder + "/" + name, atomically: false, encoding: .utf8)
            }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["a.json", "b%2Fc.json", "d.json"])
        let (other, outcome) = try copy(from: DirectorySource(folder, idKey: "_id"))
        #expect(outcome.created == 3)
        #expect(try json(of: other) == json(of: database))
    }

    @Test func onlyWhatIsAskedForIsWritten() throws {
        var exporter = Exporter()
        exporter.idKey = ""
        exporter.chosen = DocumentIDs(["d", "a"])
        exporter.limit = 1
        var walks: [Int?] = []
        var count = 0
        exporter.begin = { walks.append($0) }
        exporter.progress = { count += 1 }
        #expect(try json(exporter, of: database) == #"{"n":1,"tags":["x","y"]}"# + "\n")
        #expect(walks == [2] && count == 1)
    }

    @Test func whatIsLeftOutIsTold() throws {
        var told: [String] = []
        var importer = Importer()
        importer.leaveOut = { told.append($0) }
        importer.idPrefix = "x-"
        let (other, outcome) = try copy(from: JSONSource(source("{\"_id\":\"a\"}\n{\"b\":}\n{\"c\":1}\n"), idKey: "_id"), importer)
        #expect(outcome.read == 3 && outcome.created == 2 && outcome.failed == 1 && outcome.named == 1)
        #expect(told.count == 1 && told[0].contains("input, line 2, column 6: "))
        #expect(try other.read { try $0.document("x-a") } != nil)
    }

    @Test func whoWantsAllOrNothingGetsNothing() throws {
        struct Enough: Error {}
        var importer = Importer()
        importer.leaveOut = { _ in throw Enough() }
        let source = JSONSource(try source("{\"_id\":\"a\"}\n{\"b\":}\n"), idKey: "_id")
        #expect(throws: Enough.self) { try importer.run(source, into: .default, of: database) }
        #expect(try json(of: database).hasPrefix(#"{"_id":"a","n":1,"#))
    }

    @Test func whatCannotBeReadIsNamed() throws {
        #expect(throws: FileError("/nonexistent: No such file or directory")) { try InputSource(path: "/nonexistent") }
        let source = JSONSource(try source("[{}"), idKey: "_id")
        let error = #expect(throws: FileError.self) { try Importer().run(source, into: .default, of: database) }
        #expect(error?.message.hasSuffix("input: the array is not closed") == true)
    }
}
