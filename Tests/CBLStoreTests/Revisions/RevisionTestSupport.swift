import CBLBase
import CBLFleece
import CBLSQLite
import CBLTestSupport
import Testing

@testable import CBLStore

/// Bytes from hex text with blanks between groups.
func bytes(_ hex: String) -> [UInt8] {
    Hex.bytes(of: hex.filter { !$0.isWhitespace && $0 != "|" }) ?? []
}

func hex(_ data: FleeceData) -> String { data.withBytes { hex(Array($0)) } }

extension FleeceData: ExpressibleByArrayLiteral {
    public convenience init(arrayLiteral bytes: UInt8...) { self.init(bytes) }
}

func hex(_ bytes: some Collection<UInt8>) -> String {
    Array(bytes).withUnsafeBytes { Hex.text(of: $0) }
}

extension RevisionID {
    init(hex: String) throws(RevisionError) {
        let bytes = bytes(hex)
        let result = bytes.withUnsafeBytes { bytes in Result { () throws(RevisionError) in try RevisionID(binary: bytes) } }
        self = try result.get()
    }
}

extension RevisionTree {
    init(extra: [UInt8], body: [UInt8]? = nil, sequence: UInt64 = 0) throws {
        self = try extra.withUnsafeBytes { extra in
            if let body { return try body.withUnsafeBytes { try RevisionTree(extra: extra, body: $0, sequence: sequence) } }
            return try RevisionTree(extra: extra, body: nil, sequence: sequence)
        }
    }

    init(legacyBody: [UInt8], sequence: UInt64 = 0) throws {
        self = try legacyBody.withUnsafeBytes { try RevisionTree(legacyBody: $0, sequence: sequence) }
    }

    static func isLegacyBody(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { isLegacyBody($0) } }
}

/// A row of a collection's table, as it lies in a fixture.
struct StoredRecord {
    var table: String
    var id: String
    var sequence: UInt64
    var flags: UInt64
    var version: [UInt8]
    var body: [UInt8]?
    var extra: [UInt8]?

    /// Every document of every collection of a fixture, live and deleted.
    static func all(in fixture: String) throws -> [StoredRecord] {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let connection = try Connection(path: try Fixtures.copy(fixture, to: directory) + "/db.sqlite3", mode: .readOnly)
        let tables = try connection.strings("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '*:*'")
        var records: [StoredRecord] = []
        for table in tables where ["kv_default", "kv_del_", "kv_."].contains(where: table.hasPrefix) {
            let hasExtra = try connection.strings("SELECT name FROM pragma_table_info('\(table)')").contains("extra")
            let columns = "key, sequence, flags, version, body, " + (hasExtra ? "extra" : "NULL")
            let statement = try connection.prepare("SELECT \(columns) FROM \(quoted(identifier: table)) ORDER BY sequence")
            while try statement.step() { records.append(StoredRecord(table, statement)) }
        }
        try #require(!records.isEmpty)
        return records
    }

}

extension StoredRecord {
    private init(_ table: String, _ row: Statement) {
        self.init(
            table: table, id: row.string(0) ?? "", sequence: UInt64(row.int64(1)), flags: UInt64(row.int64(2)),
            version: row.blob(3).map { Array($0) } ?? [], body: row.blob(4).map { Array($0) }, extra: row.blob(5).map { Array($0) })
    }
}

/// What the vendor's library said of a document of a fixture: a line of its `.jsonl`.
struct ReportedDocument {
    struct Revision: Equatable {
        var id: String
        var flags: Int64
        var body: String?
        var history: String?
        /// The library reports a remote's revision of a vector document with the document's sequence.
        var sequence: Int64
    }

    let table: String
    let id: String
    let flags: Int64
    let revisions: [Revision]

    static func all(of fixture: String) throws -> [ReportedDocument] {
        try Fixtures.lines("v4.x/\(fixture).jsonl").map { line in
            let encoder = FleeceEncoder()
            try Array(line.utf8).withUnsafeBytes { try JSONParser.parse($0, into: encoder) }
            return try encoder.finish().withRoot { ReportedDocument($0) }
        }
    }

    private init(_ line: Value) {
        func member(_ value: Value, _ key: String) -> Value { value.dictionary?.value(forKey: key, nil) ?? .undefined }
        func table(_ scope: String, _ collection: String) -> String {
            let name = scope == "_default" ? (collection == "_default" ? "default" : "." + collection) : ".\(scope).\(collection)"
            return name.map { ("A"..."Z").contains($0) ? "\\\($0)" : "\($0)" }.joined()
        }
        self.table = table(member(line, "scope").string ?? "", member(line, "collection").string ?? "")
        id = member(line, "id").string ?? ""
        flags = member(line, "flags").integer ?? 0
        revisions = (member(line, "revs").array.map { Array($0) } ?? []).map { revision in
            let body = member(revision, "body")
            return Revision(
                id: member(revision, "rev").string ?? "", flags: member(revision, "flags").integer ?? 0,
                body: body.dictionary == nil ? nil : body.json(style: .canonical), history: member(revision, "history").string,
                sequence: member(revision, "seq").integer ?? 0)
        }
    }

    /// The record of the fixture that this is about.
    func record(in records: [StoredRecord]) -> StoredRecord? {
        records.first { $0.id == id && ($0.table == "kv_" + table || $0.table == "kv_del_" + table) }
    }
}

extension StoredRecord {
    var documentFlags: DocumentFlags { DocumentFlags(rawValue: UInt16(truncatingIfNeeded: flags)) }

    func withColumns<Result>(
        _ work: (_ version: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer?, _ extra: UnsafeRawBufferPointer?) throws -> Result
    ) throws -> Result {
        try version.withUnsafeBytes { version in
            try (body ?? []).withUnsafeBytes { body in
                try (extra ?? []).withUnsafeBytes { extra in
                    try work(version, self.body == nil ? nil : body, self.extra == nil ? nil : extra)
                }
            }
        }
    }

    func vectorRevisions() throws -> VectorRevisions {
        try withColumns { try VectorRevisions(version: $0, body: $1, extra: $2, sequence: sequence, flags: documentFlags) }
    }

    func tree() throws -> RevisionTree {
        try withColumns { try RevisionTree(body: $1, extra: $2, sequence: sequence, flags: documentFlags) }
    }

    /// The shared keys of a fixture.
    static func sharedKeys(of fixture: String) throws -> SharedKeys {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let connection = try Connection(path: try Fixtures.copy(fixture, to: directory) + "/db.sqlite3", mode: .readOnly)
        let statement = try connection.prepare("SELECT body FROM kv_info WHERE key = 'SharedKeys'")
        guard try statement.step(), let bytes = statement.blob(0) else { return SharedKeys() }
        return try SharedKeys(encoded: bytes)
    }
}

func json(_ body: some Collection<UInt8>, _ keys: SharedKeys) -> String {
    FleeceData(Array(body)).withRoot { $0.json(keys: keys, style: .canonical) }
}
