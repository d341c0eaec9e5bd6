import CBLFleece
import CBLSQLite
import CBLTestSupport
import FoundationEssentials
import Testing

@testable import CBLStore

/// Files with flipped bits, and files that are cut off: never a crash, and what is not damaged stays readable. `CBLITE_FUZZ_ROUNDS` says how
/// many of each there are for a fixture.
@Suite struct RobustnessTests {
    static let bundles = CheckerTests.bundles + SoundBundle.fixtures(["v4.x/upgraded_3.0_by_4.1"])
    static let rounds = ProcessInfo.processInfo.environment["CBLITE_FUZZ_ROUNDS"].flatMap(Int.init) ?? 12

    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// A fixture's main file alone, changed, in a bundle of its own.
    private func bundle(_ bytes: [UInt8]) throws -> String {
        let path = directory.path + "/damaged.cblite2"
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(filePath: path + "/db.sqlite3"))
        return path
    }

    private static func bytes(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: path + "/db.sqlite3")))
    }

    /// Every document that can be read, as text, and how many were passed over.
    private static func contents(_ path: String) throws -> (documents: Set<String>, damaged: Int) {
        try Database(path: path).read { snapshot in
            var documents: Set<String> = []
            var damaged = 0
            for name in snapshot.collections() {
                let cursor = try snapshot.scan(name, ScanOptions(content: .everything))
                cursor.onDamage = { _ in damaged += 1 }
                do {
                    while try cursor.next() {
                        let body = cursor.body.json(keys: snapshot.sharedKeys, style: .canonical)
                        documents.insert("\(name) \(cursor.id) \(body)")
                        _ = try? cursor.document()
                    }
                } catch is SQLiteError {
                    // The table itself is gone.
                    damaged += 1
                }
            }
            return (documents, damaged)
        }
    }

    @Test func aCopyDoesNotWaitForALockForEver() throws {
        let directory = try TemporaryDirectory()
        let source = try Connection(path: directory.path + "/a", mode: .create)
        try source.execute("CREATE TABLE t(x)")
        source.setBusyTimeout(milliseconds: 1)
        let target = try Connection(path: directory.path + "/b", mode: .create)
        let other = try Connection(path: directory.path + "/a", mode: .readWrite)
        try other.execute("BEGIN EXCLUSIVE")
        let error = #expect(throws: SQLiteError.self) { try Database.backUp(source, to: target, patience: .milliseconds(30)) }
        #expect(error?.isBusy == true)
        try other.execute("ROLLBACK")
        try Database.backUp(source, to: target)
        #expect(try target.strings("SELECT name FROM sqlite_master") == ["t"])
    }

    @Test(arguments: bundles) func flippedBitsDoNoMoreHarmThanTheyMust(_ sound: SoundBundle) throws {
        let source = try sound.make(in: directory)
        let original = try Self.bytes(source)
        let whole = try Self.contents(source).documents
        var random = SeededRandom(UInt64(original.count))
        var complete = 0
        for _ in 0..<Self.rounds {
            var bytes = original
            bytes[random.below(bytes.count)] ^= 1 << UInt8(random.below(8))
            let path = try bundle(bytes)
            do {
                let contents = try Self.contents(path)
                _ = try CheckerTests.findings(path)
                // One bit is in one page: that can be a page of many documents, but never most of a large file.
                if contents.documents.intersection(whole).count >= whole.count * 4 / 5 { complete += 1 }
            } catch is StoreError {
                // The header, the schema or the table of shared keys: the error says so.
            }
        }
        #expect(complete >= Self.rounds * 3 / 4, "\(complete) of \(Self.rounds) files were readable")
    }

    @Test(arguments: bundles) func filesThatAreCutOffAreSaidToBe(_ sound: SoundBundle) throws {
        let original = try Self.bytes(sound.make(in: directory))
        var random = SeededRandom(UInt64(original.count))
        for length in [0, 1, 99, 100, 4095, 4096, original.count - 1] + (0..<Self.rounds / 4).map({ _ in random.below(original.count) }) {
            let path = try bundle(Array(original[..<length]))
            #expect(throws: StoreError.self) { try Database(path: path, options: .readWrite) }
            guard length > 4096 else { continue }
            do { try #expect(!CheckerTests.findings(path).isEmpty) } catch is StoreError {
                // Not even the schema is there.
            }
        }
    }

    /// Whatever the damage is, a salvage ends with an error or with a database that SQLite finds nothing wrong with.
    @Test(arguments: bundles) func whatIsSalvagedIsSound(_ sound: SoundBundle) throws {
        let original = try Self.bytes(sound.make(in: directory))
        var random = SeededRandom(UInt64(original.count) + 1)
        var salvaged = 0
        for round in 0..<Self.rounds / 2 {
            var bytes = original
            for _ in 0..<(round % 3 + 1) { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
            if round % 4 == 3 { bytes.removeLast(random.below(bytes.count / 2)) }
            let path = try bundle(bytes)
            let target = directory.path + "/salvaged.cblite2"
            try? FileManager.default.removeItem(atPath: target)
            do {
                _ = try Salvage(from: path, to: target) { _ in }.run()
            } catch is StoreError {
                #expect(!FileManager.default.fileExists(atPath: target))
                continue
            }
            let findings = try CheckerTests.findings(target).filter { $0.kind == .file || $0.kind == .index || $0.kind == .trigger }
            #expect(findings == [])
            salvaged += 1
        }
        #expect(salvaged > 0)
    }

    @Test(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)")) func aDamagedRowIsNamedAndTheOthersAreRead() throws {
        let path = try Fixtures.copy("v4.x/types_4.1.cblite2", to: directory)
        let connection = try Connection(path: path + "/db.sqlite3", mode: .readWrite)
        try connection.execute("UPDATE \"kv_.types\" SET body=x'FFFF' WHERE key='keys'")
        try Database(path: path).read { snapshot in
            let cursor = try snapshot.scan(CollectionName(name: "types"))
            var damaged: [String?] = []
            var read: [String] = []
            cursor.onDamage = { damaged.append($0.id) }
            while try cursor.next() { read.append(cursor.id) }
            #expect(damaged == ["keys"])
            #expect(try read.count + 1 == snapshot.counts(of: CollectionName(name: "types")).live)
        }
    }

    /// A page of documents is overwritten: the others come in the order that was asked for, each once.
    @Test(arguments: [false, true], [ScanOptions.Order.id, .sequence, .stored])
    func aDamagedPageIsPassedOver(isDescending: Bool, order: ScanOptions.Order) throws {
        let path = directory.path + "/pages.cblite2"
        do {
            let database = try Database(path: path, options: .create)
            try database.write { transaction in
                let text = String(repeating: "x", count: 300)
                for number in 0..<500 {
                    let body = try transaction.encode(json: "{\"text\":\"\(text)\"}")
                    try transaction.save("doc-\(String(1000 + number * 7 % 500).dropFirst())", body: body)
                }
            }
            database.close()
        }
        let file = path + "/db.sqlite3"
        var bytes = Array(try Data(contentsOf: URL(filePath: file)))
        // A leaf of the table holds these texts; take one from the middle.
        let leaves = stride(from: 4096, to: bytes.count, by: 4096).filter { page in
            bytes[page] == 13 && bytes[(page + 4000)..<(page + 4096)].contains(UInt8(ascii: "x"))
        }
        let page = leaves[leaves.count / 2]
        for offset in 0..<8 { bytes[page + offset] = 0xEE }
        try Data(bytes).write(to: URL(filePath: file))

        try Database(path: path).read { snapshot in
            var options = ScanOptions(order: order, content: .body)
            options.isDescending = isDescending
            let cursor = try snapshot.scan(.default, options)
            var damaged: Set<String> = []
            var read: [String] = []
            var sequences: [UInt64] = []
            cursor.onDamage = { if let id = $0.id { damaged.insert(id) } }
            while try cursor.next() {
                read.append(cursor.id)
                sequences.append(cursor.sequence)
            }
            #expect((1...20).contains(damaged.count))
            #expect(Set(read).count == read.count)
            #expect(Set(read).union(damaged).count == 500)
            #expect(Set(read).isDisjoint(with: damaged))
            if order == .id { #expect(read == (isDescending ? read.sorted(by: >) : read.sorted())) }
            if order == .sequence { #expect(sequences == (isDescending ? sequences.sorted(by: >) : sequences.sorted())) }
        }
        let findings = try CheckerTests.findings(path)
        #expect(findings.contains { $0.kind == .unreadable && $0.document?.hasPrefix("doc-") == true })

        let target = directory.path + "/rescued.cblite2"
        var lost: [String] = []
        let summary = try Salvage(from: path, to: target) { if let id = $0.document { lost.append(id) } }.run()
        #expect(summary.documents + lost.count == 500)
        #expect(try CheckerTests.findings(target) == [])
    }
}
