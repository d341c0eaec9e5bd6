import CBLTestSupport
import FoundationEssentials
import Glibc
import Testing

/// What `kill -9` at any moment leaves behind: everything that was reported done, nothing half done, and a database that is whole.
/// `CBLITE_CRASH_ROUNDS` says how often each test kills; a few times unless it is set.
@Suite(.serialized) struct CrashTests {
    private let directory: TemporaryDirectory
    private static let rounds = ProcessInfo.processInfo.environment["CBLITE_CRASH_ROUNDS"].flatMap(Int.init)

    init() throws { directory = try TemporaryDirectory() }

    @Test func whatWasReportedDoneIsThere() throws {
        // The moments of the kills are never the same. The changes are, except in long runs.
        let seed = CrashTests.rounds == nil ? 1 : UInt64.random(in: 0...UInt64.max)
        var load = try Workload(seed: seed, directory: directory)
        for round in 0..<(CrashTests.rounds ?? 10) {
            for _ in 0..<load.random.below(3) {
                let change = try load.nextChange()
                let result = try Program.run(change.words)
                try #require(result.exitCode == 0, "seed \(seed), round \(round), \(change.words): \(result.errors)")
                load.documents = change.after
            }
            let change = try load.nextChange()
            let result = try Victim.run(change.words, killedWithin: load.typicalTime(of: change.words))
            load.note(result.seconds, of: change.words)
            let found = try load.storedDocuments()
            let isDone = found == change.after
            #expect(isDone || found == load.documents, "seed \(seed), round \(round), \(change.words)")
            #expect(isDone || result.exitCode != 0, "seed \(seed), round \(round), \(change.words): reported, but lost")
            load.documents = found
            try expectWhole(load.path, "seed \(seed), round \(round), \(change.words)")
        }
        // The last one that was killed may have left its log; the next one that writes takes it over, and leaves none.
        #expect(try Program.run(["compact", load.path]).exitCode == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: load.path).filter { $0.hasPrefix("db.") } == ["db.sqlite3"])
    }

    static let fixtures = [
        "v2.x/upgrade_2.7", "v2.x/upgrade_2.8", "v2.x/upgrade_2.8_index", "v3.x/db_3_0_0_names_100_with_deleted", "v3.x/words_db",
        "v3.x/upgrade_3.1_peerCheckpoints", "v4.x/upgraded_3.0_by_4.1", "v4.x/revtrees_4.1", "v1.x/ios130/iosdb",
    ]

    @Test(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"), arguments: fixtures, ["--upgrade", "--upgrade=vv"])
    func anUpgradeIsMadeWholeOrNotAtAll(fixture: String, flag: String) throws {
        var path = ""
        func renew() throws {
            if !path.isEmpty { try FileManager.default.removeItem(atPath: path) }
            path = try Fixtures.copy(fixture + ".cblite2", to: directory)
        }
        func words() -> [String] { [flag, "mkcoll", path, "_default"] }
        try renew()
        let before = try everything(path)
        let whole = try Victim.run(words(), killedWithin: nil)
        let after = try everything(path)
        for _ in 0..<max(1, (CrashTests.rounds ?? 10) / 10) {
            try renew()
            let result = try Victim.run(words(), killedWithin: whole.seconds)
            let found = try everything(path)
            #expect(found == after || (found == before && result.exitCode != 0))
            try expectWhole(path, "\(fixture) \(flag)")
            #expect(try Program.run(words()).exitCode == 0)
            #expect(try everything(path) == after)
        }
    }

    @Test func aCopyIsThereWholeOrNotAtAll() throws {
        var load = try Workload(seed: 1, directory: directory)
        for _ in 0..<12 {
            let change = try load.nextChange()
            _ = try Program.run(change.words)
        }
        let copy = directory.path + "/copy.cblite2"
        var seconds = 0.5
        for _ in 0..<(CrashTests.rounds ?? 10) / 2 {
            try? FileManager.default.removeItem(atPath: copy)
            let result = try Victim.run(["cp", load.path, copy], killedWithin: seconds)
            if result.exitCode == 0 { seconds = result.seconds }
            guard FileManager.default.fileExists(atPath: copy) else {
                #expect(result.exitCode != 0)
                continue
            }
            try expectWhole(copy, "copy")
            #expect(try Program.run(["diff", "--revs", load.path, copy]).exitCode == 0)
        }
        try? FileManager.default.removeItem(atPath: copy)
        #expect(try Program.run(["cp", load.path, copy]).exitCode == 0)
        let left = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(left.filter { $0.contains("TEMP") }.isEmpty, "what an earlier copy left is taken over")
    }

    @Test func anImportIntoANewDatabaseIsThereWholeOrNotAtAll() throws {
        let lines = (0..<20_000).map { "{\"_id\":\"doc-\($0)\",\"number\":\($0),\"text\":\"\(String(repeating: "text ", count: 20))\"}" }
        let (source, new) = (directory.path + "/lines.jsonl", directory.path + "/new.cblite2")
        try lines.joined(separator: "\n").write(toFile: source, atomically: false, encoding: .utf8)
        var seconds = 5.0
        for round in 0..<(CrashTests.rounds ?? 10) / 2 {
            try? FileManager.default.removeItem(atPath: new)
            let result = try Victim.run(["import", new, source], killedWithin: round == 0 ? nil : seconds)
            if result.exitCode == 0 { seconds = result.seconds }
            guard FileManager.default.fileExists(atPath: new) else {
                #expect(result.exitCode != 0)
                continue
            }
            try expectWhole(new, "import")
            #expect(try Program.run(["ls", new]).output.split(separator: "\n").count == 20_000)
        }
        try? FileManager.default.removeItem(atPath: new)
        #expect(try Program.run(["import", new, source]).exitCode == 0)
        let left = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(left.filter { $0.contains("TEMP") }.isEmpty, "what an earlier import left is taken away")
    }

    /// As `docker stop`, `systemctl stop` or a terminal that is closed end it: what is not complete goes with it.
    @Test(arguments: [SIGTERM, SIGHUP]) func whatIsNotCompleteGoesWithTheProcess(signal: Int32) throws {
        let new = directory.path + "/new.cblite2"
        // It waits for its input.
        let victim = try RunningProgram(["import", new, "-"])
        func left() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: directory.path) }
        for _ in 0..<3000 where try left().isEmpty { usleep(10_000) }
        #expect(try left().count == 1 && left()[0].contains("_TEMP-"))
        victim.send(signal: signal)
        for _ in 0..<3000 where try !left().isEmpty { usleep(10_000) }
        #expect(try left().isEmpty)
        #expect(victim.finish().exitCode == 128 + signal)
    }

    @Test func halfABlobIsCollectedByCompact() throws {
        let path = directory.path + "/blobs.cblite2"
        #expect(try Program.run(["--create", "put", path, "doc", "{}"]).exitCode == 0)
        let victim = try RunningProgram(["blob", "put", path, "doc", "picture", "-"])
        func unfinished() -> [String] {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: path + "/Attachments")) ?? []
            return names.filter { $0.hasPrefix("incoming_") }
        }
        /// Whether it has a file in that folder open, whatever its name.
        func isWriting() -> Bool {
            let descriptors = "/proc/\(victim.processID)/fd"
            let names = (try? FileManager.default.contentsOfDirectory(atPath: descriptors)) ?? []
            let targets = names.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(descriptors)/\($0)") }
            return targets.contains { $0.contains("/Attachments/") }
        }
        for _ in 0..<3000 where !isWriting() { usleep(10_000) }
        #expect(isWriting())
        victim.send(signal: SIGKILL)
        #expect(victim.finish().exitCode == 128 + SIGKILL)
        #expect(try Program.run(["cat", "--raw", path, "doc"]).output == "{\"_id\":\"doc\"}\n")
        // Where the file system has files without names, nothing is left. Others, and earlier releases, leave this.
        let file = unfinished().first ?? "incoming_left"
        #expect(FileManager.default.createFile(atPath: path + "/Attachments/" + file, contents: Data("half".utf8)))
        // Somebody may still be writing it, for all that can be known.
        #expect(try Program.run(["compact", path]).exitCode == 0)
        #expect(unfinished() == [file])
        var times = [timespec(tv_sec: 1_000_000_000, tv_nsec: 0), timespec(tv_sec: 1_000_000_000, tv_nsec: 0)]
        utimensat(AT_FDCWD, path + "/Attachments/" + file, &times, 0)
        #expect(try Program.run(["compact", path]).exitCode == 0)
        #expect(unfinished().isEmpty)
    }

    @Test func anInterruptedImportLeavesNothing() throws {
        let path = directory.path + "/import.cblite2"
        #expect(try Program.run(["--create", "put", path, "doc", "{}"]).exitCode == 0)
        let before = try everything(path)
        for signal in [SIGINT, SIGKILL] {
            let program = try RunningProgram(["import", path, "-"])
            // More than the pipe holds: what does not fit is taken when the import is under way. The input does not end.
            program.feed(Array(String(repeating: "{\"text\":\"0123456789\",\"list\":[1,2,3]}\n", count: 20_000).utf8))
            program.send(signal: signal)
            #expect(program.finish().exitCode == (signal == SIGINT ? 130 : 128 + SIGKILL))
            #expect(try everything(path) == before)
            try expectWhole(path, "import")
        }
    }

    /// The old key or the new one, and all documents with their blobs by it.
    @Test func anotherKeyIsGivenWholeOrNotAtAll() throws {
        let path = directory.path + "/key.cblite2"
        let lines = (0..<2000).map { "{\"_id\":\"doc\($0)\",\"text\":\"number \($0)\"}\n" }.joined()
        #expect(try Program.run(["--create", "import", path, "-"], input: lines).exitCode == 0)
        #expect(
            try Program.run(["blob", "put", path, "doc1", "picture", "-"], input: String(repeating: "picture", count: 50_000)).exitCode == 0
        )
        let digits = ["", String(repeating: "11", count: 32), String(repeating: "22", count: 32)]
        for (index, digits) in digits.enumerated() {
            let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
            #expect(
                FileManager.default.createFile(atPath: directory.path + "/\(index)", contents: Data(digits.utf8), attributes: attributes))
        }
        func flags(_ key: Int, _ name: String) -> [String] { key == 0 ? [] : ["--\(name)=:@\(directory.path)/\(key)"] }
        func documents(_ key: Int) throws -> String? {
            let shown = try Program.run(flags(key, "key") + ["cat", "--raw", path, "*"])
            guard shown.exitCode == 0 else { return nil }
            #expect(try Program.run(["blob", "ls", "--verify"] + flags(key, "key") + [path]).exitCode == 0)
            #expect(try Program.run(["check"] + flags(key, "key") + [path]).exitCode == 0)
            return shown.output
        }
        let expected = try #require(try documents(0))
        var (present, seconds) = (0, 0.5)
        for round in 0..<(CrashTests.rounds ?? 8) {
            let next = (present + 1) % 3
            let command = next == 0 ? "decrypt" : present == 0 ? "encrypt" : "rekey"
            let result = try Victim.run([command] + flags(present, "key") + flags(next, "new-key") + [path], killedWithin: seconds)
            if result.exitCode == 0 { seconds = result.seconds }
            let found = try [present, next].filter { try documents($0) == expected }
            #expect(found.count == 1 && (result.exitCode != 0 || found == [next]), "round \(round), \(command)")
            present = found.first ?? present
        }
        // What was killed has left nothing that the next one does not take away.
        let next = present == 1 ? 2 : 1
        let command = present == 0 ? "encrypt" : "rekey"
        #expect(try Program.run([command] + flags(present, "key") + flags(next, "new-key") + [path]).exitCode == 0)
        #expect(try documents(next) == expected)
        let left = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(left.filter { $0.contains("TEMP") }.isEmpty, "\(left)")
    }

    /// A vector index is there whole or not at all, and finds what was saved.
    @Test func vectorIndexesAreKeptWhole() throws {
        let path = directory.path + "/vectors.cblite2"
        func save(_ numbers: Range<Int>, killedWithin seconds: Double?) throws -> (exitCode: Int32, seconds: Double) {
            let lines = numbers.map { "{\"_id\":\"doc\($0)\",\"t\":\"crashcrash \($0)\",\"v\":[\($0 % 17),\($0 % 13),\($0),1]}\n" }
            let file = directory.path + "/documents.jsonl"
            try Data(lines.joined().utf8).write(to: URL(filePath: file))
            return try Victim.run(["import", "--create", path, file], killedWithin: seconds)
        }
        func count(_ query: String) throws -> Int { try Program.run(["query", "--json", path, query]).linesOfSuccess().count }
        func found(_ expression: String) throws -> Int {
            try count("SELECT 1 FROM _ ORDER BY APPROX_VECTOR_DISTANCE(\(expression), [1,2,3,4], 'default', 8) LIMIT 10000")
        }
        func expectSound(_ context: String) throws {
            try expectWhole(path, context)
            let checked = try Program.run(["check", path])
            #expect(checked.exitCode == 0, "\(context): \(checked.output) \(checked.errors)")
        }
        func make(_ name: String, _ words: [String], killedWithin seconds: Double?) throws -> (exitCode: Int32, seconds: Double) {
            let flags = ["--vector", "--dimensions", "4", "--centroids", "8"]
            return try Victim.run(["mkindex"] + flags + [path, name] + words, killedWithin: seconds)
        }
        let rounds = CrashTests.rounds ?? 10
        var documents = 400
        #expect(try save(0..<documents, killedWithin: nil).exitCode == 0)

        var seconds = try make("near", ["v"], killedWithin: nil).seconds
        for round in 0..<(rounds + 1) / 2 {
            _ = try Program.run(["rmindex", path, "near"])
            let result = try make("near", ["v"], killedWithin: seconds)
            let isThere = try Program.run(["info", "indexes", path]).output.contains("near")
            #expect(isThere || result.exitCode != 0)
            if isThere { #expect(try found("v") == documents) }
            try expectSound("making, round \(round)")
        }
        #expect(try make("near", ["v"], killedWithin: nil).exitCode == 0)

        seconds = try save(documents..<documents + 150, killedWithin: nil).seconds
        documents += 150
        for round in 0..<rounds {
            let result = try save(documents..<documents + 150, killedWithin: seconds)
            let stored = try count("SELECT 1 FROM _")
            #expect(stored == documents + 150 || (stored == documents && result.exitCode != 0), "saving, round \(round)")
            documents = stored
            #expect(try found("v") == documents, "saving, round \(round)")
            try expectSound("saving, round \(round)")
        }

        #expect(try make("meaning", ["--lazy", "t"], killedWithin: nil).exitCode == 0)
        let program = "while read -r line; do echo \"[${#line},1,2,3]\"; done"
        let words = ["embed", path, "meaning", "--batch", "30", "--command", program]
        seconds = try Victim.run(words + ["--limit", "90"], killedWithin: nil).seconds
        var embedded = 90
        #expect(try found("t") == embedded)
        for round in 0..<rounds {
            let result = try Victim.run(words + ["--limit", "90"], killedWithin: seconds)
            let now = try found("t")
            #expect(now % 30 == documents % 30 || now % 30 == 0, "embedding, round \(round): \(now)")
            #expect(now >= embedded && (result.exitCode != 0 || now == min(embedded + 90, documents)), "embedding, round \(round)")
            embedded = now
            try expectSound("embedding, round \(round)")
        }
        #expect(try Victim.run(words, killedWithin: nil).exitCode == 0)
        #expect(try found("t") == documents)
        try expectSound("embedded")
    }

    /// Schema and documents, as far as they do not hold random values.
    private func everything(_ path: String) throws -> [String] {
        var lines: [String] = []
        for sql in [
            "SELECT name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_stat%' ORDER BY name",
            "SELECT key, hex(body) AS body FROM kv_info WHERE key NOT LIKE '%UUID' ORDER BY key", "PRAGMA user_version",
        ] { lines += try Program.run(["sql", "--json", path, sql]).linesOfSuccess() }
        for line in try Program.run(["lscoll", "--json", path]).linesOfSuccess() {
            let collection = try JSONDecoder().decode(Workload.Collection.self, from: Data(line.utf8)).collection
            lines += try Program.run(["ls", "--json", "--body", "--del", "-C", collection, path]).linesOfSuccess()
        }
        return lines
    }

    private func expectWhole(_ path: String, _ context: String, _ location: SourceLocation = #_sourceLocation) throws {
        let integrity = try Program.run(["sql", "--json", path, "PRAGMA integrity_check"])
        #expect(integrity.lines == [#"{"integrity_check":"ok"}"#], "\(context): \(integrity.errors)", sourceLocation: location)
        let blobs = try Program.run(["blob", "ls", "--verify", path])
        #expect(blobs.exitCode == 0, "\(context): \(blobs.output) \(blobs.errors)", sourceLocation: location)
        if Program.databaseKey != nil { try expectHidden(path, location) }
    }
}

extension CrashTests {
    /// Nothing of the documents is in any file of an encrypted database.
    private func expectHidden(_ path: String, _ location: SourceLocation) throws {
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            guard let bytes = try? Data(contentsOf: URL(filePath: path + "/" + name)) else { continue }
            #expect(bytes.firstRange(of: Data("crashcrash".utf8)) == nil, "\(name)", sourceLocation: location)
        }
    }
}

/// A run of the program that is killed at a random moment.
private enum Victim {
    static func run(_ words: [String], killedWithin seconds: Double?) throws -> (exitCode: Int32, seconds: Double) {
        let clock = ContinuousClock()
        let start = clock.now
        let program = try RunningProgram(words)
        if let seconds {
            usleep(UInt32(Double.random(in: 0...1.1) * seconds * 1e6))
            program.send(signal: SIGKILL)
        }
        let exitCode = program.finish().exitCode
        return (exitCode, (clock.now - start) / .seconds(1))
    }
}

/// Changes of all kinds, and what the database holds after each.
private struct Workload {
    struct Collection: Decodable { let collection: String }
    private struct Stored: Decodable {
        struct Blob: Decodable { let length: Int }
        let _id: String
        let n: Int
        let text: String
        let picture: Blob?
    }

    /// Of a document: the number it was made with, from which its text follows, and the size of its blob.
    struct Content: Equatable {
        var number: Int
        var blobSize: Int?
    }

    typealias Documents = [String: [String: Content]]
    let path: String
    private let directory: TemporaryDirectory
    var random: SeededRandom
    var documents: Documents = ["_default": [:]]
    private var number = 0
    private var times: [String: Double] = [:]

    init(seed: UInt64, directory: TemporaryDirectory) throws {
        self.directory = directory
        path = directory.path + "/crash.cblite2"
        random = SeededRandom(seed)
        #expect(try Program.run(["--create", "mkcoll", path, "_default"]).exitCode == 0)
    }

    /// How long such a command took at most.
    func typicalTime(of words: [String]) -> Double { times[words[0]] ?? 0.5 }

    mutating func note(_ seconds: Double, of words: [String]) {
        times[words[0]] = max(seconds, (times[words[0]] ?? seconds) * 0.95)
    }

    private static func text(_ number: Int) -> String { String(repeating: "crash", count: number % 7 == 0 ? 9000 : number % 50) }

    private static func json(_ number: Int) -> String {
        "{\"n\":\(number),\"text\":\"\(text(number))\",\"property\(number % 1000)\":[true,null]}"
    }

    mutating func nextChange() throws -> (words: [String], after: Documents) {
        number += 1
        var after = documents
        let collection = random.element(of: documents.keys.sorted())
        let ids = (documents[collection] ?? [:]).keys.sorted()
        let of = ["-C", collection]
        let kind = random.below(20)
        switch kind {
        case 0...6:
            let id = "doc\(random.below(40))"
            after[collection]?[id] = Content(number: number)
            return (["put"] + of + [path, id, Workload.json(number)], after)
        case 7...8 where !ids.isEmpty:
            let id = random.element(of: ids)
            after[collection]?[id] = nil
            return (["rm"] + of + [path, id], after)
        case 9 where !ids.isEmpty:
            let id = random.element(of: ids)
            after[collection]?[id] = nil
            return (["purge"] + of + [path, id], after)
        case 10...12 where !ids.isEmpty:
            let id = random.element(of: ids)
            let size = 1 + random.below(2_000_000)
            after[collection]?[id]?.blobSize = size
            let file = directory.path + "/picture"
            #expect(FileManager.default.createFile(atPath: file, contents: Data(repeating: UInt8(truncatingIfNeeded: number), count: size)))
            return (["blob", "put"] + of + [path, id, "picture", file], after)
        case 13, 14:
            let name = "scope\(random.below(3)).Name\(random.below(5))"
            after[name, default: [:]] = documents[name] ?? [:]
            return (["mkcoll", path, name], after)
        case 15, 16:
            return (["compact", path], after)
        default:
            let file = directory.path + "/import.jsonl"
            var lines = ""
            for index in 0..<random.below(2000) {
                after[collection]?["doc\(index)"] = Content(number: number + index)
                lines += "{\"_id\":\"doc\(index)\"," + Workload.json(number + index).dropFirst() + "\n"
            }
            try lines.write(toFile: file, atomically: false, encoding: .utf8)
            return (["import"] + of + [path, file], after)
        }
    }

    /// What the program finds in the database.
    func storedDocuments() throws -> Documents {
        var found: Documents = [:]
        for line in try Program.run(["lscoll", "--json", path]).linesOfSuccess() {
            let name = try JSONDecoder().decode(Collection.self, from: Data(line.utf8)).collection
            found[name] = [:]
            let shown = try Program.run(["cat", "--raw", "-C", name, path, "*"])
            try #require(shown.exitCode == 0 || shown.errors.contains("no document's ID matches"), "\(shown.errors)")
            for line in shown.lines {
                let document = try JSONDecoder().decode(Stored.self, from: Data(line.utf8))
                #expect(document.text == Workload.text(document.n), "\(document._id) is damaged")
                found[name]?[document._id] = Content(number: document.n, blobSize: document.picture?.length)
            }
        }
        return found
    }
}

extension Program.Result {
    /// What was printed, which of a command that failed is as little as of one that found nothing.
    fileprivate func linesOfSuccess(_ location: SourceLocation = #_sourceLocation) throws -> [String] {
        try #require(exitCode == 0, "\(errors)", sourceLocation: location)
        return lines
    }
}
