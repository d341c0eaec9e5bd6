import CBLStore
import CBLTestSupport
import FoundationEssentials
import Testing

/// Damaged 1.x files: an error or a value, and never a crash or a changed byte.
@Suite struct Version1HostileTests {
    private func base(_ directory: TemporaryDirectory, _ layout: Version1File.Layout) throws -> (path: String, main: String) {
        let path = directory.path + (layout == .bundle ? "/old.cblite2" : "/old.cblite")
        let file = try Version1File(at: path, layout)
        let root = try file.add("doc", "1-aa", #"{"n":1,"text":"Schön"}"#, isCurrent: false)
        try file.add("doc", "2-bb", #"{"n":[1,2,{"a":null}]}"#, after: root)
        try file.add("doc", "2-cc", #"{"n":3}"#, after: root)
        try file.add("gone", "1-dd", nil, isDeleted: true)
        try file.database.execute("INSERT INTO localdocs VALUES ('_local/x', '1-local', '{\"a\":1}')")
        return (path, layout == .bundle ? path + "/db.sqlite3" : path)
    }

    /// Everything that looks.
    private func look(_ path: String) {
        do {
            let database = try Database(path: path)
            defer { database.close() }
            try database.read { snapshot in
                _ = try? snapshot.counts(of: .default)
                _ = try? snapshot.document("doc")?.revisions()
                for order in [ScanOptions.Order.id, .sequence, .stored] {
                    var options = ScanOptions(order: order, content: .everything)
                    options.includesDeleted = true
                    guard let cursor = try? snapshot.scan(.default, options) else { continue }
                    cursor.onDamage = { _ in }
                    while (try? cursor.next()) == true { _ = try? cursor.document().revisions() }
                }
                for store in snapshot.rawStores() { _ = try? snapshot.rawDocumentKeys(in: store) }
                _ = try? Checker(snapshot) { _ in }.run()
            }
        } catch {
            // Refused: that is all right.
        }
    }

    @Test(arguments: [Version1File.Layout.bundle, .file]) func aFileWithFlippedBitsIsSurvived(_ layout: Version1File.Layout) throws {
        let directory = try TemporaryDirectory(inMemory: true)
        let (path, main) = try base(directory, layout)
        let original = try Array(Data(contentsOf: URL(filePath: main)))
        var random = SeededRandom(15)
        for round in 0..<600 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            }
            if round.isMultiple(of: 7) { bytes.removeLast(Int.random(in: 1..<bytes.count, using: &random)) }
            try Data(bytes).write(to: URL(filePath: main))
            look(path)
            try #expect(Array(Data(contentsOf: URL(filePath: main))) == bytes)
        }
    }

    @Test func rowsOfAnyKindAreSurvived() throws {
        let directory = try TemporaryDirectory(inMemory: true)
        var random = SeededRandom(16)
        let values: [RawDatabase.Value] = [
            .null, .integer(0), .integer(-1), .integer(.max), .integer(.min), .real(.infinity), .text(""), .text("2-cc"), .text("\u{0}"),
            .text("999999999-ff"), .text("99999999999999999999-aa"), .bytes([]), .bytes([0xFF, 0x00]), .text("{\"a\":"),
            .bytes(Array("{}".utf8)),
        ]
        for round in 0..<150 {
            let folder = directory.path + "/\(round)"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let file = try Version1File(at: folder + "/old.cblite2")
            try file.database.execute("PRAGMA ignore_check_constraints=ON")
            for number in 0..<6 {
                let sequence = try file.add("doc\(number % 3)", "\(number)-aa", #"{"n":1}"#)
                let column =
                    ["revid", "parent", "current", "deleted", "json", "doc_id", "no_attachments"].randomElement(using: &random) ?? ""
                _ = try? file.database.rows(
                    "UPDATE revs SET \(column)=? WHERE sequence=\(sequence)", [values.randomElement(using: &random) ?? .null])
            }
            look(file.path)
        }
    }
}
