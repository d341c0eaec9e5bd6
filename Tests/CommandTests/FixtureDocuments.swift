import CBLTestSupport
import FoundationEssentials

/// What the vendor's library read from a fixture, a line for each document. The bodies are kept as text: some hold `inf` or `undefined`,
/// which no JSON parser takes.
struct FixtureDocument: Decodable {
    struct Revision: Decodable {
        let rev: String
        let flags, seq: UInt64
        let history: String?
    }

    let scope, collection, id, rev: String
    let seq: UInt64
    let flags: UInt32
    let expiration: Int64
    private(set) var body = ""
    /// The text of all that is said of its revisions.
    private(set) var revisionsText = ""

    private enum CodingKeys: String, CodingKey { case scope, collection, id, rev, seq, flags, expiration }

    /// As it is named on a command line.
    var collectionName: String { scope == "_default" ? collection : "\(scope).\(collection)" }

    static func all(_ fixture: String) throws -> [FixtureDocument] {
        try Fixtures.lines(fixture + ".jsonl").map { line in
            guard let body = line.firstRange(of: ",\"body\":"), let revisions = line.firstRange(of: ",\"revs\":[") else {
                throw CocoaError(.fileReadCorruptFile)
            }
            var document = try JSONDecoder().decode(FixtureDocument.self, from: Data((line[..<body.lowerBound] + "}").utf8))
            document.body = String(line[body.upperBound..<revisions.lowerBound])
            document.revisionsText = String(line[revisions.upperBound...].dropLast(2))
            return document
        }
    }

    /// The revisions as lines, each laid out as the fixture has it.
    var revisionLines: [String] {
        var lines: [String] = []
        var rest = revisionsText[...]
        while let next = rest.dropFirst().firstRange(of: "{\"rev\":\"") {
            lines.append(String(rest[..<next.lowerBound].dropLast()))
            rest = rest[next.lowerBound...]
        }
        return rest.isEmpty ? lines : lines + [String(rest)]
    }
}
