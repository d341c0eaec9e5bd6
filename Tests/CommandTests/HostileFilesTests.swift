import CBLStore
import CBLTestSupport
import FoundationEssentials
import Glibc
import Testing

/// Links, special files and folders in every place of a bundle, and every command that meets them: none may reach what is outside, wait, or say
/// a word of it.
@Suite struct HostileFilesTests {
    /// A place in or beside the bundle `db.cblite2`.
    enum Place: String, CaseIterable, Sendable {
        case main = "db.cblite2/db.sqlite3"
        case log = "db.cblite2/db.sqlite3-wal"
        case sharedMemory = "db.cblite2/db.sqlite3-shm"
        case journal = "db.cblite2/db.sqlite3-journal"
        case attachments = "db.cblite2/Attachments"
        case blob = "db.cblite2/Attachments/c2XTGPrFT86b4bdd8Xo4E_Zpuww=.blob"
        case unfinishedBlob = "db.cblite2/Attachments/incoming_abcdef"
        case replacedBlobs = "db.cblite2/Attachments_temp"
        case unfinishedBundle = "db.cblite2_TEMP"
        case unfinishedCopy = "copy.cblite2_TEMP"
        case abandonedCopy = "copy.cblite2_TEMP-abc123"
        case copy = "copy.cblite2"
        case unknown = "db.cblite2/unknown"

        var isOfNobody: Bool { [.replacedBlobs, .unfinishedBundle, .unfinishedCopy, .abandonedCopy, .unknown].contains(self) }
        var isOfFile: Bool { [.main, .log, .sharedMemory, .journal, .blob, .unfinishedBlob].contains(self) }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let place: Place
        let intruder: Intruder
        var testDescription: String { "\(place) \(intruder)" }

        static let all = Place.allCases.flatMap { (place: Place) -> [Case] in
            Intruder.allCases.compactMap { (intruder: Intruder) -> Case? in
                // What belongs there is no intruder; and a person may name a link to a database.
                if place.isOfFile ? intruder == .file : intruder == .folder && place != .copy { return nil }
                // Where no command looks for anything, a few will do.
                if place.isOfNobody && ![.linkToFile, .linkToFolder, .linkToNothing, .pipe, .file].contains(intruder) { return nil }
                return place == .copy && intruder == .linkToFolder ? nil : Case(place: place, intruder: intruder)
            }
        }
    }

    private let directory: TemporaryDirectory
    private let victim: Victim
    private let template: String
    private var path: String { directory.path + "/db.cblite2" }
    private static let digest = "sha1-c2XTGPrFT86b4bdd8Xo4E/Zpuww="

    init() throws {
        directory = try TemporaryDirectory(inMemory: true)
        template = directory.path + "/template"
        try HostileFilesTests.make(template, id: "good")
        victim = try Victim(in: directory, names: ["c2XTGPrFT86b4bdd8Xo4E_Zpuww=.blob", "incoming_abcdef", "db.sqlite3-wal"])
        // Where a main file belongs, a link to a main file is the worst.
        try HostileFilesTests.make(victim.folder + "/theirs.cblite2", id: Victim.secret)
        try FileManager.default.copyItem(atPath: victim.folder + "/theirs.cblite2/db.sqlite3", toPath: victim.folder + "/db.sqlite3")
    }

    private static func make(_ path: String, id: String) throws {
        let database = try Database(path: path, options: .create)
        defer { database.close() }
        let blob = try Array("hello blob".utf8).withUnsafeBytes { try database.blobs.write($0) }
        try database.write { transaction in
            let json = #"{"file":{"@type":"blob","digest":"\#(blob.digest)","length":10,"content_type":"text/plain"}}"#
            try transaction.save(id, body: transaction.encode(json: json))
            try transaction.save("plain", body: transaction.encode(json: #"{"a":1}"#))
        }
    }

    /// A fresh bundle with the intruder in its place, and nothing of an earlier command.
    private func prepare(_ hostile: Case) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) where name != "victim" && name != "template" {
            try FileManager.default.removeItem(atPath: directory.path + "/" + name)
        }
        try FileManager.default.copyItem(atPath: template, toPath: path)
        let place = directory.path + "/" + hostile.place.rawValue
        try hostile.intruder.place(at: place, victim)
        if !hostile.intruder.isForeign || hostile.intruder == .pipe || hostile.intruder == .linkToFolder { try makeOld(place) }
    }

    /// What commands are given behind the path of the database, or instead of it; those that are not here get the path alone.
    private func lines(of command: String) -> [[String]] {
        let copy = directory.path + "/copy.cblite2"
        let file = directory.path + "/written"
        return switch command {
        case "cat", "revs", "rm", "undelete", "purge", "expire", "resolve": [[command, path, "good"]]
        case "blob":
            [
                ["blob", "ls", path], ["blob", "ls", "--verify", path], ["blob", "get", path, "good"],
                ["blob", "get", path, HostileFilesTests.digest, "-o", file],
                ["blob", "put", path, "good", "file", template + "/db.sqlite3"],
            ]
        case "query": [["query", path, "SELECT * FROM _"]]
        case "select": [["select", path, "* FROM _"]]
        case "translate": [["translate", path, "SELECT * FROM _"]]
        case "sql": [["sql", path, "SELECT * FROM kv_default"], ["sql", "--writeable", path, "DELETE FROM kv_default"]]
        case "put": [["put", path, "new", "{}"]]
        case "edit": [["edit", "--with=true", path, "good"]]
        case "mv": [["mv", path, "good", "other"]]
        case "revert": [["revert", path, "good", "1-aa"]]
        case "mkcoll", "rmcoll": [[command, path, "other"]]
        case "fts": [["fts", path, "words", "text"]]
        case "mkindex": [["mkindex", path, "byA", "a"]]
        case "rmindex": [["rmindex", path, "byA"]]
        case "cp": [["cp", path, copy], ["cp", "-C", "_default", path, copy]]
        case "export", "dump": [[command, path, file + ".jsonl"]]
        case "import", "restore": [[command, path, template + "/db.sqlite3"], [command, copy, template + "/db.sqlite3"]]
        case "diff": [["diff", path, template]]
        case "check":
            [["check", path], ["check", "--quick", path], ["check", "--repair", path], ["check", "--salvage", copy, path]]
        case "compact": [["compact", "--purge-deleted", path], ["compact", path]]
        case "info": [["info", path], ["info", "-v", path], ["info", "indexes", path], ["info", "keys", path]]
        case "generate": [["generate", "sample", copy]]
        case "complete": ["collection", "document", "index", "property"].map { ["complete", $0, path, ""] }
        case "push", "pull", "sync": [[command, path, template], [command, template, path]]
        case "changes": [["changes", path], ["changes", "--follow", path]]
        case "serve": [["serve", "--port", "0", path]]
        // The first talks to a server alone, and the other to a person.
        case "openremote", "open": []
        default: [[command, path]]
        }
    }

    @Test(arguments: Case.all) func nothingOutsideIsReachedOrWaitedFor(_ hostile: Case) throws {
        if hostile.place == .main { try victim.replaceFile(with: victim.folder + "/db.sqlite3") }
        let before = try victim.state()
        let commands = try Program.run(["complete", "command"]).lines + ["complete", "generate"]
        #expect(commands.contains("cat") && commands.contains("check"))
        for line in commands.flatMap(lines) {
            try prepare(hostile)
            let result = try run(line)
            #expect(!result.timedOut && (result.exitCode < 128 || result.exitCode == 130), "\(line): \(result.errors)")
            #expect(!result.output.contains(Victim.secret) && !result.errors.contains(Victim.secret), "\(line)")
            #expect(try victim.state() == before, "\(line)")
            #expect(try !writtenFilesHoldTheSecret(), "\(line)")
        }
    }

    /// What goes on for ever is interrupted before long.
    private func run(_ line: [String]) throws -> Program.Result {
        guard line[0] == "serve" || line.contains("--follow") else { return try Program.run(line) }
        let program = try RunningProgram(line)
        usleep(50_000)
        program.send(signal: SIGINT)
        return program.finish()
    }

    /// Whether any file beside the victim holds what only the victim's hold, links left as they are.
    private func writtenFilesHoldTheSecret() throws -> Bool {
        let secret = Data(Victim.secret.utf8)
        for name in try FileManager.default.subpathsOfDirectory(atPath: directory.path) where !name.hasPrefix("victim") {
            var facts = stat()
            guard lstat(directory.path + "/" + name, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { continue }
            if try Data(contentsOf: URL(filePath: directory.path + "/" + name)).firstRange(of: secret) != nil { return true }
        }
        return false
    }

    @Test(arguments: Case.all) func documentsAreReadAndSalvagedInSpiteOfThem(_ hostile: Case) throws {
        try prepare(hostile)
        let listing = try Program.run(["cat", "--raw", path, "plain"])
        let checked = try Program.run(["check", path])
        let salvaged = try Program.run(["check", "--salvage", directory.path + "/new.cblite2", path])
        guard hostile.place != .main else {
            #expect(listing.exitCode == 3 && checked.exitCode == 3 && salvaged.exitCode != 0)
            #expect(hostile.intruder == .folder || listing.errors.contains("db.sqlite3 is a"), "\(listing.errors)")
            #expect(!FileManager.default.fileExists(atPath: directory.path + "/new.cblite2"))
            return
        }
        #expect(listing.exitCode == 0 && listing.output.contains(#""a":1"#), "\(listing.errors)")
        #expect(
            try Program.run(["cat", "--raw", directory.path + "/new.cblite2", "plain"]).output.contains(#""a":1"#), "\(salvaged.errors)")
        let isInside = hostile.place.rawValue.hasPrefix("db.cblite2/")
        if [.log, .sharedMemory, .journal, .attachments].contains(hostile.place) { #expect(checked.exitCode == 1) }
        if isInside && hostile.intruder.isForeign {
            let name = hostile.place.rawValue.dropFirst("db.cblite2/".count)
            #expect(checked.exitCode == 1 && checked.output.contains("\(name): it is a"), "\(checked.output)")
        }
    }

    @Test(arguments: Case.all.filter { $0.place != .main && $0.place.rawValue.hasPrefix("db.cblite2/") && $0.intruder.isForeign })
    func aRepairRemovesThemAndThenTheDatabaseCanBeWritten(_ hostile: Case) throws {
        try prepare(hostile)
        let before = try victim.state()
        let repair = try Program.run(["check", "--repair", "--no-backup", path])
        #expect(repair.errors.contains("Removed "), "\(repair.errors)")
        var facts = stat()
        #expect(lstat(directory.path + "/" + hostile.place.rawValue, &facts) != 0 && errno == ENOENT)
        #expect(try Program.run(["put", path, "new", "{}"]).exitCode == 0)
        let blob = try Program.run(["blob", "put", path, "new", "file", "-"], input: "hello blob")
        #expect(blob.exitCode == 0, "\(blob.errors)")
        #expect(try Program.run(["blob", "get", path, HostileFilesTests.digest]).output == "hello blob")
        #expect(try victim.state() == before)
    }

    @Test(arguments: [Place.log, .sharedMemory, .journal, .attachments], Intruder.allCases.filter(\.isForeign))
    func whatKeepsADatabaseFromBeingWrittenIsNamed(_ place: Place, _ intruder: Intruder) throws {
        try prepare(Case(place: place, intruder: intruder))
        let result = try Program.run(["put", path, "new", "{}"])
        #expect(result.exitCode == 3)
        #expect(result.errors.contains("\(place.rawValue.dropFirst("db.cblite2/".count)) is a "), "\(result.errors)")
        #expect(result.errors.contains("check --repair removes it"))
    }

    @Test(arguments: [Intruder.linkToFile, .linkToEndlessDevice, .pipe, .linkToNothing])
    func aBlobThatIsNoFileIsNamed(_ intruder: Intruder) throws {
        try prepare(Case(place: .blob, intruder: intruder))
        let get = try Program.run(["blob", "get", path, "good"])
        #expect(get.exitCode == 1 && get.output.isEmpty)
        #expect(get.errors.contains("\(HostileFilesTests.digest) is a "), "\(get.errors)")
        #expect(try Program.run(["blob", "ls", "--verify", path]).output.contains("foreign"))
        let copy = try Program.run(["cp", path, directory.path + "/copy.cblite2"])
        #expect(copy.exitCode == 1 && copy.errors.contains("the copy goes without it"), "\(copy.errors)")
        #expect(try Program.run(["cat", "--raw", directory.path + "/copy.cblite2", "plain"]).exitCode == 0)
    }

    /// A file with holes may claim to be of any length.
    @Test func sizesThatCannotBeAreNoSums() throws {
        let names = ["AAAAAAAAAAAAAAAAAAAAAAAAAAA=.blob", "BBBBBBBBBBBBBBBBBBBBBBBBBBA=.blob", "c2XTGPrFT86b4bdd8Xo4E_Zpuww=.blob"]
        try FileManager.default.copyItem(atPath: template, toPath: path)
        for name in names {
            let file = path + "/Attachments/" + name
            chmod(file, 0o600)
            let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            defer { close(descriptor) }
            // As long as the file system allows: 2⁶³ - 1 in memory, and less elsewhere.
            var length: off_t = .max
            while ftruncate(descriptor, length) != 0 && length > 1 << 30 { length /= 2 }
        }
        for line in [["info", path], ["tree", path], ["blob", "ls", path], ["compact", path], ["check", "--quick", path]] {
            let result = try Program.run(line)
            #expect(!result.timedOut && result.exitCode < 2, "\(line): \(result.errors)")
        }
        let get = try Program.run(["blob", "get", path, HostileFilesTests.digest], timeout: Patience.seconds)
        #expect(get.exitCode == 1 && get.output.isEmpty && get.errors.contains("is damaged"))
    }
}
