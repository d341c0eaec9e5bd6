import CBLFleece
import CBLSQLite
import CBLTestSupport
import FoundationEssentials
import Testing

@testable import CBLStore

/// A database in which nothing is wrong: one of each generation made here, and those of the vendor's where they are at hand.
///
///     @Test(arguments: SoundBundle.own + SoundBundle.fixtures(["v2.x/upgrade_2.7"])) func aSoundFileIsClean(_ bundle: SoundBundle) throws
///
/// The tables of our own are those that the releases make, letter by letter, and written down here once more: what is in them comes from this
/// program. So a clone by itself tests all generations, and the vendor's files then tell whether the two programs agree.
struct SoundBundle: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// Of the schema, if it is known.
    let generation: Int?
    private let origin: @Sendable (String) throws -> Void

    /// The bundle, to be changed at will.
    func make(in directory: TemporaryDirectory) throws -> String {
        let path = directory.path + "/" + testDescription.split(separator: "/").joined(separator: "-") + ".cblite2"
        try origin(path)
        return path
    }

    static let own: [SoundBundle] = [302, 400, 500, 503].map { own($0) } + [own(503, vectors: true)]

    private static func own(_ generation: Int, vectors: Bool = false) -> SoundBundle {
        SoundBundle(testDescription: "ours, \(generation)\(vectors ? " with vectors" : "")", generation: generation) { path in
            if let tables = tables[generation] { try make(tables, generation, at: path) }
            let access: Database.Options.Access = generation == 503 ? .create : .readWrite
            try fill(Database(path: path, options: .init(access: access, upgrade: vectors ? .versionVectors : .none)))
        }
    }

    static func fixtures(_ names: [String]) -> [SoundBundle] { Fixtures.arePresent ? names.map { fixture($0) } : [] }

    static func fixtures(_ names: KeyValuePairs<String, Int>) -> [SoundBundle] {
        Fixtures.arePresent ? names.map { fixture($0.key, $0.value) } : []
    }

    private static func fixture(_ name: String, _ generation: Int? = nil) -> SoundBundle {
        SoundBundle(testDescription: name, generation: generation) { path in
            let directory = try TemporaryDirectory()
            try FileManager.default.moveItem(atPath: Fixtures.copy(name + ".cblite2", to: directory), toPath: path)
        }
    }

    // What older releases make

    private static let columns = "  key TEXT PRIMARY KEY,  sequence INTEGER,  flags INTEGER DEFAULT 0,  version BLOB,  body BLOB"

    private static let tables: [Int: [String]] = [
        302: ["CREATE TABLE kv_default (\(columns))", "CREATE TABLE kv_info (\(columns))"],
        400: ["CREATE TABLE kv_default (\(columns),  extra BLOB)", "CREATE TABLE kv_info (\(columns),  extra BLOB)"],
        500: ["default", "del_default"].flatMap { name in
            [
                "CREATE TABLE \"kv_\(name)\" (\(columns),  extra BLOB)", "ALTER TABLE \"kv_\(name)\" ADD COLUMN expiration INTEGER",
                "CREATE INDEX \"kv_\(name)_expiration\" ON \"kv_\(name)\" (expiration) WHERE expiration not null",
            ]
        } + ["CREATE TABLE \"kv_info\" (\(columns),  extra BLOB)"],
    ]

    private static func make(_ tables: [String], _ generation: Int, at path: String) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let connection = try Connection(path: path + "/db.sqlite3", mode: .create)
        try connection.execute(script: "PRAGMA auto_vacuum=incremental; PRAGMA journal_mode=WAL")
        try connection.execute(
            "CREATE TABLE kvmeta (name TEXT PRIMARY KEY, lastSeq INTEGER DEFAULT 0, purgeCnt INTEGER DEFAULT 0) WITHOUT ROWID")
        for sql in tables { try connection.execute(sql) }
        let versioning = "x'000000000000000\(generation < 400 ? 0 : 1)'"
        for (key, body) in [("publicUUID", "randomblob(16)"), ("privateUUID", "randomblob(16)"), ("versioning", versioning)] {
            try connection.execute("INSERT INTO kv_info (key, body) VALUES (\(quoted(literal: key)), \(body))")
        }
        try connection.execute("PRAGMA user_version=\(generation)")
    }

    // What is in them

    private static func fill(_ database: Database) throws {
        defer { database.close() }
        try database.write { transaction in
            for number in 0..<150 {
                let text = String(repeating: "word \(number) ", count: number % 20)
                let json = #"{"n": \#(number), "name": {"last": "x\#(number % 9)"}, "tags": ["a", \#(number)], "text": "\#(text)"}"#
                try transaction.save("doc-\(number)", body: transaction.encode(json: json))
            }
        }
        let blob = try Array("some bytes".utf8).withUnsafeBytes { try database.blobs.write($0).digest }
        try database.write { transaction in
            for number in stride(from: 0, to: 150, by: 7) {
                try transaction.save("doc-\(number)", body: transaction.encode(json: #"{"n": -1, "changed": true}"#))
            }
            for number in stride(from: 0, to: 150, by: 10) { try transaction.delete("doc-\(number)") }
            let picture = #"{"picture": {"@type": "blob", "digest": "\#(blob)", "length": 10}}"#
            try transaction.save("pictured", body: transaction.encode(json: picture))
            _ = try transaction.setExpiration("doc-3", 4_000_000_000_000)
            if transaction.versioning != .vectors {
                for history in [["2-aa", "1-bb"], ["2-cc", "1-bb"]] {
                    try transaction.insertExisting(
                        "conflicted", history: history.map { try RevisionID(parsing: $0) },
                        body: transaction.encode(json: #"{"from": "\#(history[0])"}"#), remote: history[0] == "2-cc" ? 1 : 0)
                }
            }
            guard transaction.generation.hasCollections else { return }
            let plants = try CollectionName(scope: "Garden", name: "plants")
            try transaction.createCollection(plants)
            for name in ["rose", "tulip"] {
                try transaction.save(name, in: plants, body: transaction.encode(json: #"{"name": "\#(name)"}"#))
            }
            try transaction.delete("tulip", in: plants)
        }
    }
}
