import CBLTestSupport
import FoundationEssentials
import Testing

/// `encrypt`, `rekey`, `decrypt`, and keys for what is made.
@Suite struct EncryptionCommandTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path + "/notes.cblite2" }

    init() throws {
        directory = try TemporaryDirectory()
        for (name, text) in [("a", "first\n"), ("b", "second\n"), ("key", String(repeating: "c4", count: 32))] {
            let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
            #expect(FileManager.default.createFile(atPath: directory.path + "/" + name, contents: Data(text.utf8), attributes: attributes))
        }
    }

    private func flag(_ name: String, _ file: String) -> String { "--\(name)=:@\(directory.path)/\(file)" }

    private func isHidden(_ path: String) throws -> Bool {
        try FileManager.default.subpathsOfDirectory(atPath: path).allSatisfy { name in
            guard let bytes = try? Data(contentsOf: URL(filePath: path + "/" + name)) else { return true }
            return bytes.firstRange(of: Data("MARKER".utf8)) == nil
        }
    }

    @Test func theKeyOfADatabaseIsChangedInItsPlace() throws {
        #expect(try Program.run(["--create", "put", path, "doc", #"{"text":"MARKER"}"#]).exitCode == 0)
        #expect(try Program.run(["blob", "put", path, "doc", "file", "-"], input: "MARKER in a blob").exitCode == 0)
        let uuid = try Program.run(["info", "-v", "--json", path]).output
        #expect(try !isHidden(path))
        let encrypted = try Program.run(["encrypt", flag("new-password", "a"), path])
        #expect(encrypted.exitCode == 0 && encrypted.errors == "Encrypted with AES-256.\n", "\(encrypted.errors)")
        #expect(try isHidden(path))
        let again = try Program.run(["encrypt", flag("password", "a"), flag("new-password", "b"), path])
        #expect(again.exitCode == 1 && again.errors.contains("encrypted already") && again.errors.contains("rekey"))
        let rekeyed = try Program.run(["rekey", "--json", flag("password", "a"), flag("new-key", "key"), path])
        #expect(rekeyed.output == "{\"encrypted\":true,\"encryption\":\"AES-256\"}\n", "\(rekeyed.errors)")
        let old = try Program.run(["ls", flag("password", "a"), path])
        #expect(old.exitCode == 3 && old.errors.contains("not the key or password"))
        #expect(try Program.run([flag("key", "key"), "cat", "--raw", path, "doc"]).output.contains("MARKER"))
        #expect(try Program.run(["blob", "get", flag("key", "key"), path, "doc", "file"]).output == "MARKER in a blob")
        let decrypted = try Program.run(["decrypt", flag("key", "key"), path])
        #expect(decrypted.exitCode == 0 && decrypted.errors == "Decrypted.\n", "\(decrypted.errors)")
        let plain = try Program.run(["rekey", flag("new-password", "b"), path])
        #expect(plain.exitCode == 1 && plain.errors.contains("not encrypted"))
        #expect(try Program.run(["decrypt", path]).exitCode == 1)
        // It is the same database as before.
        func uuids(_ text: String) -> [Substring] { text.split(separator: ",").filter { $0.contains("UUID") } }
        #expect(try uuids(Program.run(["info", "-v", "--json", path]).output) == uuids(uuid) && !uuids(uuid).isEmpty)
    }

    @Test func aNewKeyIsNotTakenFromTheCommandLine() throws {
        #expect(try Program.run(["--create", "put", path, "doc", "{}"]).exitCode == 0)
        let digits = String(repeating: "c4", count: 32)
        let flagsThatAreRefused = [
            ["--new-password=sesame"], ["--new-key=\(digits)"], [flag("new-password", "a"), flag("new-key", "key")], [],
        ]
        for flags in flagsThatAreRefused {
            let result = try Program.run(["encrypt"] + flags + [path])
            #expect(result.exitCode == 2, "\(flags): \(result.errors)")
            #expect(!result.errors.contains("sesame") && !result.errors.contains(digits), "\(flags): \(result.errors)")
        }
        #expect(try Program.run(["ls", path]).exitCode == 0)
    }

    @Test(arguments: ["", "\n", "\r\nsecond line\n"]) func aNewPasswordIsNotEmpty(text: String) throws {
        #expect(try Program.run(["--create", "put", path, "doc", "{}"]).exitCode == 0)
        try Data(text.utf8).write(to: URL(filePath: directory.path + "/nothing"))
        let copy = directory.path + "/copy.cblite2"
        for words in [["encrypt", path], ["cp", path, copy]] {
            let result = try Program.run(words + ["--new-password=:@\(directory.path)/nothing"])
            #expect(result.exitCode == 1 && result.errors.contains("a password is never empty"), "\(result.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: copy))
        #expect(try Program.run(["ls", path]).output == "doc\n")
    }

    @Test func theFlagOfANewPasswordIsNamed() throws {
        #expect(try Program.run(["--create", "put", path, "doc", "{}"]).exitCode == 0)
        let result = try Program.run(["encrypt", flag("password", "a"), path])
        #expect(result.exitCode == 2 && result.errors.contains("--new-password"), "\(result.errors)")
    }

    @Test func whatIsMadeMayHaveAKey() throws {
        #expect(try Program.run(["--create", flag("password", "a"), "put", path, "doc", #"{"text":"MARKER"}"#]).exitCode == 0)
        #expect(try isHidden(path))
        let imported = directory.path + "/imported.cblite2"
        let document = #"{"_id":"x","text":"MARKER"}"# + "\n"
        #expect(try Program.run([flag("key", "key"), "import", imported, "-"], input: document).exitCode == 0)
        #expect(try isHidden(imported) && Program.run(["ls", flag("key", "key"), imported]).output == "x\n")
        // A copy has the same key, another, or none.
        let copies = [([String](), "password", "a"), ([flag("new-key", "key")], "key", "key"), (["--decrypt"], "", "")]
        for (number, (flags, name, file)) in copies.enumerated() {
            let copy = directory.path + "/copy\(number).cblite2"
            let copied = try Program.run(["cp", flag("password", "a")] + flags + [path, copy])
            #expect(copied.exitCode == 0, "\(copied.errors)")
            #expect(try Program.run((name.isEmpty ? [] : [flag(name, file)]) + ["cat", "--raw", copy, "doc"]).output.contains("MARKER"))
            #expect(try isHidden(copy) == !name.isEmpty)
        }
        let both = try Program.run(["cp", flag("password", "a"), "--decrypt", flag("new-key", "key"), path, directory.path + "/x.cblite2"])
        #expect(both.exitCode == 2 && both.errors.contains("--decrypt and --new-key"))
        // What is damaged keeps its key, too.
        let saved = directory.path + "/saved.cblite2"
        #expect(try Program.run(["check", "--salvage", saved, flag("password", "a"), path]).exitCode == 0)
        #expect(try isHidden(saved) && Program.run(["ls", flag("password", "a"), saved]).output == "doc\n")
    }

    @Test func archivesAreSealed() throws {
        let documents = (0..<3000).map { "{\"_id\":\"doc\($0)\",\"text\":\"MARKER \($0)\"}\n" }.joined()
        #expect(try Program.run(["import", path, "-"], input: documents).exitCode == 0)
        let (archive, other) = (directory.path + "/archive", directory.path + "/other.cblite2")
        let dumped = try Program.run(["dump", flag("archive-password", "a"), path, archive])
        #expect(dumped.exitCode == 0, "\(dumped.errors)")
        let bytes = try Data(contentsOf: URL(filePath: archive))
        #expect(bytes.starts(with: Data("cblite sealed archive 1\n".utf8)) && bytes.firstRange(of: Data("MARKER".utf8)) == nil)
        let restored = try Program.run(["restore", flag("archive-password", "a"), other, archive])
        #expect(restored.exitCode == 0 && restored.errors.contains("3,000 documents"), "\(restored.errors)")
        #expect(try Program.run(["diff", path, other]).exitCode == 0)
        try FileManager.default.removeItem(atPath: other)
        func failure(_ bytes: Data, _ file: String = "a") throws -> String {
            try bytes.write(to: URL(filePath: archive))
            let result = try Program.run(["restore", flag("archive-password", file), other, archive])
            #expect(result.exitCode == 1 && !FileManager.default.fileExists(atPath: other))
            return result.errors
        }
        #expect(try failure(bytes, "b").contains("not the key"))
        for cut in [40, 60, 70_000, bytes.count - 1] {
            #expect(try failure(bytes.prefix(cut)).contains(cut < 56 ? "not" : "cut off"), "\(cut)")
        }
        for place in [30, 100] {
            var changed = bytes
            changed[place] ^= 1
            #expect(try failure(changed).contains("not the key"), "\(place)")
        }
        for place in [70_000, bytes.count - 1] {
            var changed = bytes
            changed[place] ^= 1
            #expect(try failure(changed).contains("changed"), "\(place)")
        }
        #expect(try failure(bytes + Data([0])).contains("changed"))
        // Two pieces that have changed places.
        let piece = 4 + 65_536 + 16
        let swapped = bytes[..<56] + bytes[(56 + piece)..<(56 + 2 * piece)] + bytes[56..<(56 + piece)] + bytes[(56 + 2 * piece)...]
        #expect(try failure(Data(swapped)).contains("not the key"))
        let withoutKey = try Program.run(["restore", other, archive])
        #expect(withoutKey.exitCode == 1 && withoutKey.errors.contains("sealed") && withoutKey.errors.contains("--archive-password"))
    }

    /// Whatever is made of an encrypted database in another way.
    @Test func whatIsMadeOfItKeepsTheKey() throws {
        let password = flag("password", "a")
        #expect(try Program.run(["--create", password, "put", path, "doc", #"{"text":"MARKER"}"#]).exitCode == 0)
        let (collection, replica, restored) = (directory.path + "/c.cblite2", directory.path + "/r.cblite2", directory.path + "/d.cblite2")
        let archive = directory.path + "/archive"
        #expect(try Program.run(["dump", password, path, archive]).exitCode == 0)
        for words in [
            ["cp", password, "-C", "_default", path, collection], [password, "cp", "--replicate", path, replica],
            ["restore", password, restored, archive],
        ] {
            let result = try Program.run(words)
            #expect(result.exitCode == 0, "\(words): \(result.errors)")
        }
        for made in [collection, replica, restored] {
            #expect(try isHidden(made) && Program.run(["ls", password, made]).output == "doc\n", "\(made)")
        }
        let clear = directory.path + "/clear.cblite2"
        #expect(try Program.run(["cp", password, "-C", "_default", "--decrypt", path, clear]).exitCode == 0)
        #expect(try Program.run(["ls", clear]).output == "doc\n")
    }

    @Test func theShellAsksForWhatIsMissing() throws {
        #expect(try Program.run(["--create", flag("password", "a"), "put", path, "doc", "{}"]).exitCode == 0)
        let terminal = try PseudoTerminal(["--writeable", path])
        try terminal.waitForText("Password or key")
        terminal.type("first\n")
        try terminal.waitForText("in 1 collection")
        terminal.type("rekey\n")
        try terminal.waitForText("New password")
        terminal.type("third\n")
        try terminal.waitForText("same again")
        terminal.type("third\n")
        try terminal.waitForText("Encrypted with")
        #expect(!terminal.text.contains("third") && !terminal.text.contains("first"))
        terminal.type("quit\n")
        _ = try terminal.finish()
        #expect(try Program.run(["ls", flag("password", "a"), path]).exitCode == 3)
        try Data("third\n".utf8).write(to: URL(filePath: directory.path + "/b"))
        #expect(try Program.run(["ls", flag("password", "b"), path]).output == "doc\n")
    }
}
