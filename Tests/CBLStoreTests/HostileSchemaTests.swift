import CBLFleece
import CBLSQLite
import CBLSystemSQLite
import CBLTestSupport
import FoundationEssentials
import Testing

@testable import CBLStore

/// Schemas with more in them than releases of Couchbase Lite make: what SQLite would run for whoever reads or writes the file.
struct HostileSchemaTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path + "/hostile.cblite2"
        let database = try Database(path: path, options: .create)
        try database.write { transaction in
            for number in 0..<5 {
                try transaction.save("d\(number)", body: transaction.encode(json: #"{"n":\#(number),"tags":["a","b"],"text":"words"}"#))
            }
            for specification in [
                IndexCreationTests.value("byN", "fl_value(body, 'n')"), IndexCreationTests.fullText("words", "text"),
                IndexCreationTests.array("tags", "tags"),
            ] { _ = try transaction.createIndex(specification) }
        }
        try database.write { try $0.delete("d4") }
        database.close()
    }

    /// Runs SQL as a hostile hand would, which can write anything into a file.
    private func tamper(_ statements: [String], _ key: EncryptionKey? = nil) throws {
        let connection = try Connection(path: path + "/db.sqlite3", mode: .readWrite)
        if let key { try connection.use(#require(CouchbaseCipher(key))) }
        _ = try FileConnection.registerFunctions(on: connection, blobs: BlobFolder(FileAccess(DatabaseBundle(path: path))))
        try connection.execute("PRAGMA writable_schema=ON")
        for statement in statements { try connection.forEachStatement(in: statement) { try $0.run() } }
    }

    struct Threat: CustomTestStringConvertible, Sendable {
        let name: String
        let kind: ForeignObject.Kind
        let sql: [String]
        var testDescription: String { name }
    }

    static let threats: [Threat] = [
        Threat(
            name: "trigger on documents", kind: .trigger,
            sql: ["CREATE TRIGGER evil AFTER INSERT ON kv_default BEGIN DELETE FROM kv_info; END"]),
        Threat(
            name: "trigger on counters", kind: .trigger,
            sql: ["CREATE TRIGGER evil AFTER UPDATE ON kvmeta BEGIN DELETE FROM kv_default; END"]),
        Threat(
            name: "trigger of an index's name", kind: .trigger,
            sql: ["CREATE TRIGGER \"kv_default::words::upd\" AFTER UPDATE ON kv_default BEGIN DELETE FROM kv_info; END"]),
        Threat(
            name: "trigger with a second action", kind: .trigger,
            sql: [
                "UPDATE sqlite_master SET sql=replace(sql, '; END', '; DELETE FROM kv_info; END') WHERE name='kv_default::words::del'"
            ]),
        Threat(
            name: "trigger with a query in its condition", kind: .trigger,
            sql: [
                "UPDATE sqlite_master SET sql=replace(sql, '  BEGIN', 'WHEN (SELECT 1)  BEGIN') WHERE name='kv_default::words::del'"
            ]),
        Threat(name: "view", kind: .view, sql: ["CREATE VIEW evil AS SELECT * FROM kv_default"]),
        Threat(
            name: "view called a table", kind: .view,
            sql: ["CREATE VIEW \"kv_.evil\" AS SELECT 1 AS key", "UPDATE sqlite_master SET type='table', rootpage=4 WHERE name='kv_.evil'"]),
        Threat(
            name: "index on an expensive expression", kind: .index, sql: ["CREATE INDEX evil ON kv_default (hex(zeroblob(length(key))))"]),
        Threat(name: "index on a foreign table", kind: .index, sql: ["CREATE TABLE other (x)", "CREATE INDEX evil ON other (x)"]),
        Threat(name: "foreign table", kind: .table, sql: ["CREATE TABLE evil (x)", "INSERT INTO evil VALUES (zeroblob(100000))"]),
        Threat(name: "foreign virtual table", kind: .virtualTable, sql: ["CREATE VIRTUAL TABLE evil USING fts3tokenize('simple')"]),
        Threat(
            name: "full-text table of another kind", kind: .virtualTable,
            sql: ["CREATE VIRTUAL TABLE \"kv_default::e\" USING fts4(x, content=\"kv_info\")"]),
        Threat(
            name: "statement behind an index", kind: .index,
            sql: ["UPDATE sqlite_master SET sql=sql || '; DELETE FROM kv_info' WHERE name='byN'"]),
        Threat(
            name: "statement behind a full-text table", kind: .virtualTable,
            sql: ["UPDATE sqlite_master SET sql=sql || '; DELETE FROM kv_info' WHERE name='kv_default::words'"]),
        Threat(
            name: "comment in an index", kind: .index,
            sql: ["UPDATE sqlite_master SET sql=replace(sql, '(fl_value', '(/* */fl_value') WHERE name='byN'"]),
        Threat(
            name: "condition of a table", kind: .documents,
            sql: [
                "UPDATE sqlite_master SET sql=replace(sql, 'extra BLOB)', 'extra BLOB, CHECK (length(hex(zeroblob(9))) > 0))') WHERE name='kv_default'"
            ]),
        Threat(
            name: "generated column", kind: .documents,
            sql: ["ALTER TABLE kv_default ADD COLUMN evil AS (hex(zeroblob(400000)))"]),
        Threat(
            name: "two entries of a page", kind: .table,
            sql: [
                "INSERT INTO sqlite_master SELECT type, 'evil', 'evil', rootpage, 'CREATE TABLE evil (x)' FROM sqlite_master WHERE name='kv_default'"
            ]),
    ]

    @Test(arguments: threats, [false, true]) func itIsReadNamedRefusedAndTakenOut(_ threat: Threat, isEncrypted: Bool) throws {
        let key = isEncrypted ? EncryptionKey(password: "shared with a stranger") : nil
        if let key {
            let database = try Database(path: path, options: .readWrite)
            try database.changeKey(to: key)
            database.close()
        }
        func options(_ access: Database.Options.Access) -> Database.Options {
            var options = Database.Options(access: access)
            options.key = key
            return options
        }
        func findings(_ path: String) throws -> [Finding] { try CheckerTests.findings(path, key) }
        try tamper(threat.sql, key)
        // Read: the good documents are there.
        try Database(path: path, options: options(.readOnly)).read { snapshot in
            #expect(try snapshot.counts(of: .default).live == 4)
            let cursor = try snapshot.scan(.default)
            var ids: [String] = []
            while try cursor.next() { ids.append(cursor.id) }
            #expect(ids.sorted() == ["d0", "d1", "d2", "d3"])
        }
        // Named.
        let named = try findings(path).filter { $0.kind == .schema }
        #expect(named.contains { $0.message.contains(threat.kind.rawValue) }, "\(named)")
        // Refused.
        let before = try Data(contentsOf: URL(filePath: path + "/db.sqlite3"))
        let error = #expect(throws: StoreError.self) { try Database(path: path, options: options(.readWrite)) }
        #expect(error?.code == .foreignSchema)
        #expect(try Data(contentsOf: URL(filePath: path + "/db.sqlite3")) == before)
        // Carried into a new file without it.
        let rescued = directory.path + "/rescued.cblite2"
        _ = try Salvage(from: path, to: rescued, key: key) { _ in }.run()
        #expect(try findings(rescued).filter { $0.severity != .note } == [])
        #expect(try Database(path: rescued, options: options(.readOnly)).read { try $0.counts(of: .default) }.live == 4)
        // Copied without it, and taken out.
        let copy = directory.path + "/copy.cblite2"
        guard threat.kind != .documents else {
            #expect(throws: StoreError.self) { try Database(path: path, options: options(.readOnly)).copy(to: copy) }
            #expect(!FileManager.default.fileExists(atPath: copy))
            return
        }
        try Database(path: path, options: options(.readOnly)).copy(to: copy)
        #expect(try findings(copy).filter { $0.kind == .schema } == [])
        var removing = options(.readWrite)
        removing.removesForeignObjects = true
        let database = try Database(path: path, options: removing)
        _ = try database.repair(.init(reclaimsLostPages: true))
        try database.write { try $0.save("new", body: $0.encode(json: "{}")) }
        database.close()
        #expect(try findings(path).filter { $0.severity != .note } == [])
        #expect(try Database(path: path, options: options(.readOnly)).read { try $0.counts(of: .default) }.live == 5)
    }

    private static let bundles = ["v2.x", "v3.x", "v4.x"].flatMap { folder in
        ((try? FileManager.default.contentsOfDirectory(atPath: Fixtures.path(folder))) ?? []).filter { $0.hasSuffix(".cblite2") }.map {
            folder + "/" + $0
        }
    }

    @Test(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)")) func thereAreBundlesOfTheVendors() { #expect(Self.bundles.count >= 14) }

    @Test(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"), arguments: HostileSchemaTests.bundles)
    func whatTheVendorMakesIsKnown(_ fixture: String) throws {
        let connection = try Connection(path: Fixtures.path(fixture) + "/db.sqlite3", mode: .readOnly, parameters: ["immutable=1"])
        let inspection = try SchemaInspection(reading: connection)
        #expect(inspection.foreign.map(\.object) == [])
        #expect(try inspection.known.count == SchemaInspection.entries(of: connection).count)
    }

    @Test func theListOfIndexesCannotHaveDocumentsDropped() throws {
        try tamper(["INSERT INTO indexes (name, type, keyStore, indexTableName) VALUES ('evil', 2, 'default', 'kv_info')"])
        let database = try Database(path: path, options: .readWrite)
        try database.write { _ = try $0.dropIndex("evil") }
        database.close()
        #expect(try Database(path: path).read { try $0.counts(of: .default) }.live == 4)
    }

    @Test func whatAnotherProgramAddsIsNoticedBeforeTheNextWrite() throws {
        let database = try Database(path: path, options: .readWrite)
        try database.write { try $0.save("e", body: $0.encode(json: "{}")) }
        try tamper(["CREATE TRIGGER evil AFTER INSERT ON kv_default BEGIN DELETE FROM kv_info; END"])
        let error = #expect(throws: StoreError.self) { try database.write { try $0.save("f", body: $0.encode(json: "{}")) } }
        #expect(error?.code == .foreignSchema)
    }
}
