import CBLTestSupport
import FoundationEssentials
import Testing

/// A database of a test's own, worked on with the built program.
///
///     let scratch = try Scratch()
///     try scratch.expect(["put", "doc", #"{"x":1}"#], "Created `doc`, new revision 1-6f9a1fe5 (sequence 1)\n")
final class Scratch {
    let directory: TemporaryDirectory
    let path: String

    /// A new database, with these documents in the default collection.
    init(_ documents: KeyValuePairs<String, String> = [:]) throws {
        directory = try TemporaryDirectory()
        path = directory.path + "/scratch.cblite2"
        let made = try Program.run(["--create", "mkcoll", path, "_default"])
        try #require(made.exitCode == 0, "\(made.errors)")
        for (id, json) in documents { try expect(["put", id, json]) }
    }

    /// A copy of a fixture.
    init(fixture: String) throws {
        directory = try TemporaryDirectory()
        path = try Fixtures.copy(fixture + ".cblite2", to: directory)
    }

    /// Runs a command; the words are without the database, which comes behind the flags and before everything else.
    func run(_ words: [String], flags: [String] = [], input: String = "", environment: [String: String] = [:]) throws -> Program.Result {
        // "blob put": the word of a command's command stands before the database too.
        let count = words.first == "blob" ? 2 : 1
        let all = words.prefix(count) + flags + [path] + words.dropFirst(count)
        return try Program.run(Array(all), input: input, environment: environment)
    }

    /// Runs a command that succeeds, and checks what it prints.
    @discardableResult
    func expect(
        _ words: [String], _ output: String? = nil, flags: [String] = [], input: String = "", environment: [String: String] = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Program.Result {
        let result = try run(words, flags: flags, input: input, environment: environment)
        #expect(result.exitCode == 0, "\(words): \(result.errors)", sourceLocation: sourceLocation)
        if let output { #expect(result.output == output, sourceLocation: sourceLocation) }
        return result
    }

    /// Runs a command that fails, and checks that nothing in the database changed.
    func expectFailure(
        _ words: [String], exitCode: Int32 = 1, _ message: String, flags: [String] = [], input: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let before = try documents()
        let result = try run(words, flags: flags, input: input)
        #expect(result.exitCode == exitCode, "\(words)", sourceLocation: sourceLocation)
        #expect(result.errors.contains(message), sourceLocation: sourceLocation)
        #expect(result.output.isEmpty, sourceLocation: sourceLocation)
        #expect(try documents() == before, sourceLocation: sourceLocation)
    }

    /// Everything that is listed of all documents, live and deleted, with their bodies.
    func documents() throws -> [String] {
        var lines: [String] = []
        for collection in try collections() {
            let listed = try Program.run(["ls", "--json", "--del", "--body", path, "-C", collection])
            try #require(listed.exitCode == 0, "\(listed.errors)")
            lines += listed.lines
        }
        return lines
    }

    func collections() throws -> [String] {
        struct Line: Decodable { let collection: String }
        let listed = try Program.run(["lscoll", "--json", path])
        try #require(listed.exitCode == 0 && !listed.lines.isEmpty, "\(listed.errors)")
        return try listed.lines.map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8)).collection
        }
    }

    /// The IDs of a collection's live documents.
    func ids(in collection: String = "_default") throws -> [String] {
        try Program.run(["ls", "-l", path, "-C", collection]).lines.dropFirst().compactMap {
            $0.split(separator: " ").first.map(String.init)
        }
    }

    /// A document as one line of JSON.
    func cat(_ id: String, collection: String = "_default") throws -> String {
        try Program.run(["cat", "--raw", "-C", collection, path, "--", id]).lines.first ?? ""
    }

    /// The names of the files in the bundle.
    func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
}
