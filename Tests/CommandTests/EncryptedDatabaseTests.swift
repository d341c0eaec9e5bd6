import CBLTestSupport
import FoundationEssentials
import Testing

/// Encrypted 1.x databases, opened as a person opens them.
@Suite(.enabled(if: EncryptedVersion1File.canBeMade, Comment(rawValue: EncryptedVersion1File.absence)))
struct EncryptedDatabaseTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path + "/old.cblite2" }
    /// What the password "password123" stands for.
    private static let key = "ad3470ce03363552b20a4a70a4aec02cb7439f6202e75b231ab57f2d5e716909"

    init() throws {
        directory = try TemporaryDirectory(inMemory: true)
        do { try Version1File(at: directory.path + "/plain.cblite2").add("doc", "1-aa", #"{"n":1}"#) }
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try EncryptedVersion1File.make(of: directory.path + "/plain.cblite2/db.sqlite3", at: path + "/db.sqlite3", key: Self.key)
        for (name, text) in [("password", "password123\n"), ("key", "0x\(Self.key)\n"), ("wrong", "password124\n")] {
            try Data(text.utf8).write(to: URL(filePath: directory.path + "/" + name))
        }
    }

    @Test func secretsAreInFilesOrTheEnvironment() throws {
        let (password, key) = ("--password=:@\(directory.path)/password", "--key=:@\(directory.path)/key")
        for (arguments, environment) in [
            ([password, "ls", path], [:]), (["ls", password, path], [:]), ([key, "ls", path], [:]), (["ls", key, path], [:]),
            (["ls", path], ["CBLITE_DATABASE_PASSWORD": "password123"]), (["ls", path], ["CBLITE_DATABASE_KEY": Self.key]),
        ] {
            let result = try Program.run(arguments, environment: environment)
            #expect(result.exitCode == 0 && result.output == "doc\n", "\(arguments): \(result.errors)")
        }
        // The environment speaks of databases that need it.
        #expect(try Program.run(["ls", directory.path + "/plain.cblite2"], environment: ["CBLITE_DATABASE_KEY": Self.key]).exitCode == 0)
    }

    @Test func whatIsMissingOrWrongIsSaid() throws {
        let missing = try Program.run(["ls", path])
        #expect(missing.exitCode == 3 && missing.errors.contains("encrypted") && missing.errors.contains("--password"))
        let wrong = try Program.run(["ls", "--password=:@\(directory.path)/wrong", path])
        #expect(wrong.exitCode == 3 && wrong.errors.contains("not the key or password of this database"))
        let needless = try Program.run(["ls", "--key=:@\(directory.path)/key", directory.path + "/plain.cblite2"])
        #expect(needless.exitCode == 3 && needless.errors.contains("not encrypted"))
        for arguments in [["--password=password123"], ["--key=\(Self.key)"], ["--key=:@\(directory.path)/password"], ["--password"]] {
            let result = try Program.run(arguments + ["ls", path])
            #expect(result.exitCode == 2 && !result.errors.contains("password123") && !result.errors.contains(Self.key), "\(arguments)")
        }
        let info = try Program.run(["info", "--json", path])
        #expect(info.exitCode == 3 && info.output.contains("\"kind\":\"encrypted\""))
        let salvage = try Program.run(["check", "--salvage", directory.path + "/new.cblite2", "--key=:@\(directory.path)/key", path])
        #expect(salvage.exitCode == 0 && salvage.errors.contains("Salvaged 1 document"), "\(salvage.errors)")
        #expect(try Program.run(["ls", "--key=:@\(directory.path)/key", directory.path + "/new.cblite2"]).output == "doc\n")
    }

    @Test func aCopyAndAnUpgradeKeepTheKey() throws {
        let flag = "--password=:@\(directory.path)/password"
        let copy = directory.path + "/new.cblite2"
        #expect(try Program.run(["cp", flag, path, copy]).exitCode == 0)
        #expect(try Program.run(["ls", copy]).exitCode == 3)
        #expect(try Program.run(["ls", flag, copy]).output == "doc\n")
        let clear = directory.path + "/clear.cblite2"
        let copied = try Program.run(["cp", flag, "--decrypt", path, clear])
        #expect(copied.exitCode == 0 && copied.errors.contains("The copy is not encrypted."), "\(copied.errors)")
        #expect(try Program.run(["ls", clear]).output == "doc\n")
        // A key is for the side that needs one.
        try FileManager.default.removeItem(atPath: directory.path + "/plain.cblite2")
        #expect(try Program.run(["--create", "mkcoll", directory.path + "/plain.cblite2", "other"]).exitCode == 0)
        let collection = try Program.run(["cp", flag, "-C", "_default", path, directory.path + "/plain.cblite2"])
        #expect(collection.exitCode == 0 && collection.errors.contains("1 document"), "\(collection.errors)")
        let upgraded = try Program.run(["put", "--upgrade", flag, path, "other", "{}"])
        #expect(upgraded.exitCode == 0, "\(upgraded.errors)")
        #expect(try Program.run(["ls", path]).exitCode == 3)
        #expect(try Program.run(["cat", "--raw", flag, path, "*"]).lines.count == 2)
    }

    @Test func twoThatAreComparedMayHaveTwoKeys() throws {
        let plain = directory.path + "/plain.cblite2"
        let other = directory.path + "/other.cblite2"
        let otherKey = String(repeating: "5c", count: 32)
        try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: false)
        try EncryptedVersion1File.make(of: plain + "/db.sqlite3", at: other + "/db.sqlite3", key: otherKey)
        try Data(otherKey.utf8).write(to: URL(filePath: directory.path + "/other-key"))
        let (flag, otherFlag) = ("--key=:@\(directory.path)/key", "--other-key=:@\(directory.path)/other-key")
        for arguments in [
            [flag, otherFlag, path, other], [flag, path, path], [flag, path, plain], [otherFlag, plain, other],
            ["--key=:@\(directory.path)/other-key", "--other-password=:@\(directory.path)/password", other, path],
        ] {
            let result = try Program.run(["diff"] + arguments)
            #expect(result.exitCode == 0 && result.errors.contains("No differences"), "\(arguments): \(result.errors)")
        }
        let wrong = try Program.run(["diff", flag, path, other])
        #expect(wrong.exitCode == 3 && wrong.errors.contains("other.cblite2") && wrong.errors.contains("not the key"))
        let needless = try Program.run(["diff", flag, otherFlag, path, plain])
        #expect(needless.exitCode == 3 && needless.errors.contains("not encrypted"))
        let inClear = try Program.run(["diff", flag, "--other-password=password123", path, other])
        #expect(inClear.exitCode == 2 && inClear.errors.contains("--other-password=:@FILE") && !inClear.errors.contains("password123"))
        let both = try Program.run(["diff", flag, otherFlag, "--other-password=:@\(directory.path)/password", path, other])
        #expect(both.exitCode == 2 && both.errors.contains("--other-password and --other-key"))
    }

    @Test func infoNamesTheCipher() throws {
        let flag = "--key=:@\(directory.path)/key"
        let info = try Program.run(["info", flag, path])
        #expect(info.exitCode == 0 && info.lines.contains { $0.hasPrefix("Encryption") && $0.hasSuffix("SQLCipher 3 (AES-256)") })
        #expect(try Program.run(["info", "--json", flag, path]).output.contains(#""encryption":"SQLCipher 3 (AES-256)""#))
        #expect(try !Program.run(["info", directory.path + "/plain.cblite2"]).output.contains("Encryption"))
    }

    /// Its log is read through the index that the other program shares.
    @Test func whatAnotherProgramHasOpenIsRead() throws {
        let other = directory.path + "/open.cblite2"
        try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: false)
        let command = "\(Program.path) ls --key=:@\(directory.path)/key \(other) > \(directory.path)/seen 2>/dev/null"
        try EncryptedVersion1File.make(
            of: directory.path + "/plain.cblite2/db.sqlite3", at: other + "/db.sqlite3", key: Self.key,
            """
            PRAGMA journal_mode=WAL;
            PRAGMA writable_schema=ON;
            UPDATE docs SET docid='renamed';
            .shell \(command)
            """)
        #expect(try String(contentsOfFile: directory.path + "/seen", encoding: .utf8) == "renamed\n")
    }

    @Test func theInteractiveShellOpensItToo() throws {
        let flag = "--password=:@\(directory.path)/password"
        let result = try Program.run([flag, path], input: "ls\nuse \(directory.path)/plain.cblite2\nls\nuse \(path)\ncat --raw doc\n")
        #expect(result.exitCode == 0 && result.lines.prefix(2) == ["doc", "doc"], "\(result.errors)")
    }
}
