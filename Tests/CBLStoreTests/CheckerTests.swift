import CBLSQLite
import CBLTestSupport
import Glibc
import Testing

@testable import CBLStore

/// A check finds nothing in sound files, and names what is wrong in others.
@Suite struct CheckerTests {
    static let bundles =
        SoundBundle.own
        + SoundBundle.fixtures([
            "v2.x/upgrade_2.7", "v2.x/upgrade_2.8", "v2.x/upgrade_2.8_index", "v3.x/db_3_0_0_names_100_with_deleted",
            "v3.x/upgrade_3.1_peerCheckpoints", "v3.x/words_db", "v4.x/revtrees_4.1", "v4.x/types_4.1", "v4.x/upgraded_1.3_by_4.1",
            "v4.x/upgraded_2.7_to_vectors", "v4.x/upgraded_2.8_index_by_4.1", "v4.x/upgraded_3.1_by_4.1", "v4.x/vectors_4.1",
        ])

    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    static func findings(_ path: String, _ key: EncryptionKey? = nil, isQuick: Bool = false) throws -> [Finding] {
        var options = Database.Options.readOnly
        options.key = key
        return try Database(path: path, options: options).read { snapshot in
            var findings: [Finding] = []
            let summary = try Checker(snapshot, options: .init(isQuick: isQuick)) { findings.append($0) }.run()
            #expect(summary.problems == findings.filter { $0.severity != .note }.count)
            return findings
        }
    }

    /// A copy of a fixture in which some SQL was run, as no library would.
    func damaged(_ fixture: String, _ sql: String) throws -> String {
        let path = try Fixtures.copy(fixture + ".cblite2", to: directory)
        let connection = try Connection(path: path + "/db.sqlite3", mode: .readWrite)
        let store = try FileConnection(connection)
        try store.registerFunctions(blobs: BlobFolder(FileAccess(DatabaseBundle(path: path))))
        try connection.trustSchema()
        try connection.forEachStatement(in: sql) { try $0.run() }
        return path
    }

    @Test(arguments: bundles) func aSoundFileIsClean(_ bundle: SoundBundle) throws {
        #expect(try Self.findings(bundle.make(in: directory)) == [])
    }

    @Test(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)")) func theVendorsSwappedTombstonesAreNamed() throws {
        let findings = try Self.findings(Fixtures.path("v4.x/upgraded_3.0_by_4.1.cblite2"))
        #expect(findings.count == 22)
        #expect(findings.allSatisfy { $0.kind == .swapped && $0.repair == .automatic && $0.document?.hasPrefix("~") == true })
    }

    struct Damage: Sendable, CustomTestStringConvertible {
        let kind: Finding.Kind
        let about: String
        let sql: String
        var testDescription: String { "\(kind) \(about): \(sql)" }
    }

    static let damages: [Damage] = [
        Damage(kind: .body, about: "alice", sql: "UPDATE kv_default SET body=x'7001FFFF' WHERE key='alice'"),
        Damage(kind: .body, about: "alice", sql: "UPDATE kv_default SET body=substr(body,3) WHERE key='alice'"),
        Damage(kind: .body, about: "alice", sql: "UPDATE kv_default SET body=x'435f696400017001800430008004' WHERE key='alice'"),
        Damage(kind: .id, about: "_x", sql: "UPDATE kv_default SET key='_x' WHERE key='alice'"),
        Damage(kind: .revisions, about: "alice", sql: "UPDATE kv_default SET version=x'01abcd' WHERE key='alice'"),
        Damage(kind: .revisions, about: "alice", sql: "UPDATE kv_default SET extra=substr(extra,1,20) WHERE key='alice'"),
        Damage(kind: .revisions, about: "alice", sql: "UPDATE kv_default SET extra=NULL WHERE key='alice'"),
        Damage(kind: .flags, about: "alice", sql: "UPDATE kv_default SET flags=flags|2 WHERE key='alice'"),
        // Its only revision still has its body, and that has no blob.
        Damage(kind: .flags, about: "alice", sql: "UPDATE kv_default SET flags=flags|4 WHERE key='alice'"),
        Damage(kind: .flags, about: "withblob", sql: "UPDATE kv_default SET flags=flags&~4 WHERE key='withblob'"),
        Damage(kind: .flags, about: "conflicted", sql: "UPDATE kv_default SET flags=flags&~2 WHERE key='conflicted'"),
        Damage(kind: .placement, about: "alice", sql: "UPDATE kv_default SET flags=flags|1 WHERE key='alice'"),
        Damage(
            kind: .placement, about: "gone",
            sql: "INSERT INTO kv_default SELECT * FROM kv_del_default WHERE key='gone'; DELETE FROM kv_del_default WHERE key='gone'"),
        Damage(
            kind: .placement, about: "gone",
            sql:
                "INSERT INTO kv_default (key, sequence, flags, version, body, extra) SELECT key, 2000, flags, version, body, extra FROM kv_del_default WHERE key='gone'"
        ),
        Damage(kind: .sequence, about: "alice", sql: "UPDATE kv_default SET sequence=NULL WHERE key='alice'"),
        Damage(
            kind: .sequence, about: "hist",
            sql: "UPDATE kv_del_default SET sequence=(SELECT sequence FROM kv_default WHERE key='hist') WHERE key='gone'"),
        Damage(kind: .expiration, about: "temp", sql: "UPDATE kv_default SET expiration='soon' WHERE key='temp'"),
        Damage(kind: .swapped, about: "gone", sql: "UPDATE kv_del_default SET extra=expiration, expiration=extra WHERE key='gone'"),
        Damage(kind: .counter, about: "default", sql: "UPDATE kvmeta SET lastSeq=3 WHERE name='default'"),
        Damage(kind: .counter, about: ".things", sql: "UPDATE kvmeta SET purgeCnt='many' WHERE name='.things'"),
        Damage(kind: .info, about: "publicUUID", sql: "DELETE FROM kv_info WHERE key='publicUUID'"),
        Damage(kind: .info, about: "remotes", sql: "UPDATE kv_info SET body=x'FF' WHERE key='remotes'"),
        Damage(kind: .index, about: "ftsEn", sql: #"DELETE FROM "kv_default::fts\En" WHERE docid=2"#),
        Damage(kind: .index, about: "ftsEn", sql: #"INSERT INTO "kv_default::fts\En" (docid, bio) VALUES (999, 'x')"#),
        Damage(kind: .index, about: "ftsEn", sql: #"UPDATE "kv_default::fts\En" SET bio='other' WHERE docid=2"#),
        Damage(kind: .index, about: "ftsPart", sql: #"DELETE FROM "kv_default::fts\Part" WHERE docid=2"#),
        Damage(kind: .index, about: "ftsEn", sql: #"UPDATE "kv_default::fts\En_content" SET c0bio=c0bio||' zebra' WHERE docid=2"#),
        Damage(kind: .index, about: "arrTags", sql: #"DELETE FROM "6afb5d1c83901d88b1046b400b8a41b1b00b5d70" WHERE i=1"#),
        Damage(kind: .index, about: "arrEmails", sql: "UPDATE b85f1d88e158021f61481a16388c465aa479cf76 SET body='nobody' WHERE i=0"),
        Damage(kind: .index, about: "byName", sql: "DROP INDEX byName"),
        Damage(kind: .trigger, about: "ftsTwo", sql: #"DROP TRIGGER "kv_default::\Fts\Two::ins""#),
        Damage(kind: .trigger, about: "arrTags", sql: #"DROP TRIGGER "6afb5d1c83901d88b1046b400b8a41b1b00b5d70::postupdate""#),
        Damage(kind: .leftover, about: "old", sql: "INSERT INTO indexes (name, type, keyStore) VALUES ('old', 0, '.gone')"),
        // A row that its index has not: the index is hidden from the statement that inserts.
        Damage(
            kind: .index, about: "byName",
            sql: """
                PRAGMA writable_schema=ON; UPDATE sqlite_master SET sql='CREATE INDEX byName ON kv_default (fl_value(body, ''type''))' WHERE name='byName'
                """),
    ]

    @Test(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"), arguments: damages) func damageIsNamed(_ damage: Damage) throws {
        let path = try damaged("v4.x/revtrees_4.1", damage.sql)
        let findings = try Self.findings(path)
        #expect(
            findings.contains { $0.kind == damage.kind && ($0.document ?? $0.subject)?.lowercased() == damage.about.lowercased() },
            "\(findings.map { "\($0.kind) \($0.document ?? $0.subject ?? ""): \($0.message)" })")
    }

    @Test(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)")) func missingAndDamagedBlobsAreNamed() throws {
        let path = try Fixtures.copy("v4.x/revtrees_4.1.cblite2", to: directory)
        let digest = try #require(try Database(path: path).blobs.list().first)
        let file = path + "/Attachments/" + digest.fileName
        try Self.write("something else", to: file)
        let damaged = try Self.findings(path)
        #expect(damaged.contains { $0.kind == .blob && $0.document == "withblob" })
        // Without reading it, only its length can tell.
        try Self.write("hello blo8", to: file)
        #expect(try Self.findings(path).contains { $0.kind == .blob })
        #expect(try !Self.findings(path, isQuick: true).contains { $0.kind == .blob })
        rename(file, path + "/Attachments/incoming_abcdef")
        let findings = try Self.findings(path)
        #expect(findings.contains { $0.kind == .blob && $0.message.contains("missing") && $0.document == "withblob" })
        #expect(findings.contains { $0.kind == .leftover && $0.severity == .note })
    }

    private static func write(_ text: String, to path: String) throws {
        guard let file = fopen(path, "w") else { throw StoreError(.inputOutput, "cannot write \(path)") }
        fputs(text, file)
        fclose(file)
    }
}
