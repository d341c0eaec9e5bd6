import CBLTestSupport
import FoundationEssentials
import Testing

@Suite struct TransferTests {
    let directory: TemporaryDirectory
    let database: String

    init() throws {
        directory = try TemporaryDirectory()
        database = directory.path + "/db.cblite2"
    }

    private func write(_ text: String, to name: String) throws -> String {
        let path = directory.path + "/" + name
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        return path
    }

    private func exported(_ arguments: String...) throws -> String {
        let result = try Program.run(["export", database, "-"] + arguments)
        #expect(result.exitCode == 0)
        return result.output
    }

    @Test(arguments: [
        ("lines.jsonl", "{\"_id\":\"a\",\"x\":1}\n\n{\"_id\":\"b\",\"x\":2}\n"),
        ("crlf.json", "{\"_id\":\"a\",\"x\":1}\r\n{\"_id\":\"b\",\"x\":2}"),
        ("array.json", "[{\"_id\":\"a\",\"x\":1},\n {\"_id\":\"b\",\"x\":2}\n]\n"),
        ("pretty.json", "{\n  \"_id\": \"a\",\n  \"x\": 1\n}\n{\n  \"_id\": \"b\",\n  \"x\": 2\n}\n"),
        ("mark.json", "\u{FEFF}{\"x\":1,\"_id\":\"a\"}{\"x\":2,\"_id\":\"b\"}"),
        ("five.json5", "// two\n{_id: 'a', x: 1,}\n{_id: 'b', x: +2}"),
        ("table.csv", "_id,x\na,1\r\n\n\"b\",2"),
        ("table.tsv", "x\t_id\n1\ta\n2\tb\n"),
    ])
    func theSameDocumentsComeInManyForms(_ name: String, _ text: String) throws {
        let result = try Program.run(["import", database, try write(text, to: name)])
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try exported() == "{\"_id\":\"a\",\"x\":1}\n{\"_id\":\"b\",\"x\":2}\n")
    }

    @Test func whatCannotBeReadIsLeftOutWithItsPlace() throws {
        let text = "{\"_id\":\"a\"}\n{bad}\n{\"_id\":\"_x\"}\n[1]\n{\"_id\":\"b\",\"_rev\":\"1-a\"}\n{\"_id\":\"c\"}\n{\"_id\":"
        let result = try Program.run(["import", database, try write(text, to: "mixed.jsonl")])
        #expect(result.exitCode == 1)
        #expect(result.errors.contains("mixed.jsonl, line 2, column 2: "))
        #expect(result.errors.contains("\"_x\" cannot be a document ID"))
        #expect(result.errors.contains("mixed.jsonl, line 4: a document must be an object\n"))
        #expect(result.errors.contains("mixed.jsonl, line 5, document \"b\": the property \"_rev\" is reserved"))
        #expect(!result.errors.contains("got"), "a document that was left out got no ID")
        #expect(result.errors.contains("line 7"))
        #expect(try exported() == "{\"_id\":\"a\"}\n{\"_id\":\"c\"}\n")
    }

    @Test func linksAndTheNamesOfStandardOutputStay() throws {
        _ = try Program.run(["--create", "put", database, "a", "{}"])
        let (file, link) = (directory.path + "/file.jsonl", directory.path + "/link.jsonl")
        try "old".write(toFile: file, atomically: false, encoding: .utf8)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "file.jsonl")
        #expect(try Program.run(["export", database, link]).exitCode == 0)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "file.jsonl")
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "{\"_id\":\"a\"}\n")
        #expect(try exported() == Program.run(["export", database, "/dev/stdout"]).output)
        #expect(try Program.run(["export", database, "/dev/null", "--format", "json"]).exitCode == 0)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: "/dev/stdout").hasSuffix("fd/1"))
    }

    @Test func aFileWhereTheDatabaseBelongsIsNamed() throws {
        let path = try write("{}", to: "a.json")
        _ = try Program.run(["--create", "put", database, "before", "{}"])
        let swapped = try Program.run(["import", path, database])
        #expect(swapped.errors.hasPrefix("cblite: import: the database goes before the file\n"))
        let file = try Program.run(["import", path, path])
        #expect(file.errors == "cblite: \(path): not a database: a .cblite2 database is a directory, and this is a file\n")
        let inner = try Program.run(["ls", database + "/db.sqlite3"])
        #expect(inner.output == "before\n", "the bundle is meant")
        #expect([swapped.exitCode, file.exitCode, inner.exitCode] == [2, 3, 0])
        let nowhere = try Program.run(["cp", database, directory.path + "/none/b.cblite2"])
        #expect(nowhere.errors.hasSuffix("/none/b.cblite2: cannot create the directory: No such file or directory\n"))
    }

    @Test(arguments: [["check"], ["compact"], ["reindex"], ["compact", "--purgeDeleted"]])
    func whatWorksOnTheWholeDatabaseTakesNoCollection(command: [String]) throws {
        _ = try Program.run(["--create", "put", database, "before", "{}"])
        #expect(try Program.run(command + [database, "-C", "_default"]).exitCode == 2)
    }

    @Test func aCarefulImportIsAllOrNothing() throws {
        _ = try Program.run(["--create", "put", database, "before", "{}"])
        let path = try write("{\"_id\":\"a\"}\n{bad}\n", to: "bad.jsonl")
        #expect(try Program.run(["import", "--careful", database, path]).exitCode == 1)
        #expect(try exported() == "{\"_id\":\"before\"}\n")
    }

    @Test func documentsThatExistGetANewRevision() throws {
        let first = try write("{\"_id\":\"a\",\"x\":1}\n{\"_id\":\"a\",\"x\":2}\n", to: "one.jsonl")
        #expect(try Program.run(["import", database, first]).exitCode == 0)
        let result = try Program.run(["import", "--json", database, first])
        #expect(result.output == "{\"collection\":\"_default\",\"created\":0,\"updated\":2,\"failed\":0}\n")
        #expect(try Program.run(["cat", "--rev", "--raw", database, "a"]).output.contains("\"_rev\":\"4-"))
    }

    @Test func anotherPropertyCanBeTheID() throws {
        let path = try write("{\"code\":\"a\",\"n\":7}\n{\"code\":9}\n", to: "codes.json")
        #expect(try Program.run(["cp", "--jsonid", "code", "--idprefix", "p_", path, database]).exitCode == 0)
        #expect(try exported() == "{\"_id\":\"p_9\"}\n{\"_id\":\"p_a\",\"n\":7}\n")
        #expect(try exported("--jsonid", "") == "{}\n{\"n\":7}\n")
    }

    @Test func documentsWithoutAnIDGetOne() throws {
        #expect(try Program.run(["import", database, "-"], input: "{\"x\":1}{\"x\":2}").exitCode == 0)
        #expect(try Program.run(["ls", database]).output.contains("~"))
        #expect(try Program.run(["lscoll", "--json", database]).output.contains("\"documents\":2"))
    }

    @Test func valuesSurviveATable() throws {
        let lines = [
            #"{"_id":"a","n":1,"s":"12","t":true,"u":"true","o":{"k":[1,"x"]},"e":"","q":"say \"hi\", twice","l":"two\nlines"}"#,
            #"{"_id":"b","n":1.5,"z":null,"f":false}"#,
        ]
        let text = lines.map { $0 + "\n" }.joined()
        _ = try Program.run(["import", database, try write(text, to: "in.jsonl")])
        let table = directory.path + "/out.csv"
        #expect(try Program.run(["export", database, table]).exitCode == 0)
        let copy = directory.path + "/copy.cblite2"
        #expect(try Program.run(["import", copy, table]).exitCode == 0)
        for id in ["a", "b"] {
            let bodies = try [database, copy].map { try Program.run(["cat", "--raw", $0, id]).output }
            #expect(bodies[0] == bodies[1])
        }
    }

    @Test(arguments: [
        ("a;b;c\n1;\"x;y\";3\n", ";"), ("a\tb\tc\n1\tx;y\t3\n", "\t"), ("a|b|c\n1|x;y|3\n", "|"), ("\"a,1\";b;c\n1;x,y;3\n", ";"),
    ])
    func whatSeparatesCellsIsSeenInTheHeading(text: String, delimiter: String) throws {
        let scratch = try Scratch([:])
        #expect(try scratch.run(["import", "-"], input: text).errors.contains("taken for JSON: --format csv"))
        let result = try scratch.expect(["import", "--format", "csv", "-"], flags: ["--jsonid", "b"], input: text)
        #expect(result.errors.contains("separated by " + (delimiter == "\t" ? "tabs" : "\"\(delimiter)\"")))
        let id = text.contains("x,y") ? "x,y" : "x;y"
        #expect(try scratch.run(["cat", id, "--raw"]).output.contains(#""c":3"#))
        let written = try scratch.expect(["export", "-"], flags: ["--format", "csv", "--delimiter", delimiter])
        #expect(written.lines.first?.contains("b") == false && written.lines.first?.contains(delimiter) == true)
    }

    @Test(arguments: ["||", "§", "<~>", "\u{1F}", "\u{1}", " ", "|,|", "é"])
    func anyTextSeparatesCells(delimiter: String) throws {
        let inside = delimiter.unicodeScalars.allSatisfy { $0.value >= 0x20 } ? delimiter : "\\u00" + (delimiter == "\u{1}" ? "01" : "1F")
        let bodies: KeyValuePairs = [
            "a": #"{"n":1,"t":"plain"}"#, "b": #"{"n":-2.5,"t":"in\#(inside)side\#(inside)"}"#,
            "c": #"{"n":true,"t":"ends with |"}"#, "d": #"{"n":null,"t":"<~ § , \"quoted\" é"}"#,
        ]
        let scratch = try Scratch(bodies)
        let written = try scratch.expect(["export", "-"], flags: ["--format", "csv", "--delimiter", delimiter])
        #expect(written.lines.first == ["_id", "n", "t"].joined(separator: delimiter))
        let copy = try Scratch([:])
        try copy.expect(["import", "--format", "csv", "-"], flags: ["--delimiter", delimiter], input: written.output)
        for id in bodies.map(\.key) {
            #expect(try copy.run(["cat", id, "--raw"]).output == scratch.run(["cat", id, "--raw"]).output)
        }
    }

    /// A table of another program may be in Latin-1.
    @Test func textThatIsNotUTF8IsLeftOut() throws {
        let scratch = try Scratch()
        let path = scratch.directory.path + "/latin.csv"
        try (Data("_id,name\n1,".utf8) + [0xFC] + Data("ml\n2,\u{FC}ml\n3,\"".utf8) + [0xFC] + Data("\"\n".utf8)).write(
            to: URL(filePath: path))
        let result = try scratch.run(["import", path])
        #expect(result.exitCode == 1 && result.errors.contains("line 2: \"name\" is not valid UTF-8"), "\(result.errors)")
        #expect(result.errors.contains("line 4: \"name\" is not valid UTF-8"), "\(result.errors)")
        try scratch.expect(["cat", "--raw", "*"], "{\"_id\":\"2\", \"name\":\"\u{FC}ml\"}\n")
    }

    /// Whoever can write to a folder could have links there.
    @Test func noLinkInsideOfADirectoryIsFollowed() throws {
        let scratch = try withBlob()
        let (target, other) = (scratch.directory.path + "/out", scratch.directory.path + "/other")
        for path in [target, other] { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
        for name in ["my.notes", "_blobs"] {
            try FileManager.default.createSymbolicLink(atPath: target + "/" + name, withDestinationPath: other)
            try scratch.expectFailure(["export", target + "/"], exitCode: 1, "that is a link", flags: ["-C", "*"])
            try FileManager.default.removeItem(atPath: target + "/" + name)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: other) == [])
        // The folder that was named may be one.
        try FileManager.default.createSymbolicLink(atPath: target + "-link", withDestinationPath: target)
        try scratch.expect(["export", target + "-link/"], flags: ["-C", "*"])
        #expect(FileManager.default.fileExists(atPath: target + "/my.notes/note.json"))
    }

    @Test func aTableMayBeWideButNotEndless() throws {
        let scratch = try Scratch()
        let names = (0..<30_000).map { "column\($0)" }.joined(separator: ",")
        let table = "_id,\(names)\na,\(names)\n"
        let start = ContinuousClock.now
        try scratch.expect(["import", "--format", "csv", "-"], input: table)
        #expect(ContinuousClock.now - start < .seconds(20))
        try scratch.expectFailure(
            ["import", "--format", "csv", "-"], "more than 100000 cells", input: String(repeating: ",", count: 200_000))
    }

    /// From a pipe it comes in small pieces.
    @Test func aLongValueIsNotReadAgainAndAgain() throws {
        let scratch = try Scratch()
        let json = "{\"_id\":\"a\",\"list\":[" + String(repeating: "1,", count: 1_000_000) + "1]}\n{\"_id\":\"b\"}\n"
        let start = ContinuousClock.now
        try scratch.expect(["import", "--format", "jsonl", "-"], input: json)
        #expect(ContinuousClock.now - start < .seconds(20))
        try scratch.expect(["ls"], "a\nb\n")
    }

    @Test func postalCodesAreSpokenOf() throws {
        let scratch = try Scratch()
        let table = "_id,zip,year,code\na,07977,1999,007\nb,74606,0,008\nc,,,\n"
        let result = try scratch.expect(["import", "--format", "csv", "-"], input: table)
        #expect(result.errors.contains("\"zip\" has numbers, and texts such as 07977: --types zip:text keeps"), "\(result.errors)")
        #expect(!result.errors.contains("\"year\"") && !result.errors.contains("\"code\""), "\(result.errors)")
        let typed = try scratch.expect(["import", "--format", "csv", "-"], flags: ["--types", "zip:text"], input: table)
        #expect(!typed.errors.contains("has numbers"), "\(typed.errors)")
    }

    @Test func aDatabaseIsNoDirectoryForDocuments() throws {
        let scratch = try Scratch(["doc": "{}"])
        let folder = scratch.directory.path + "/folder"
        try FileManager.default.copyItem(atPath: scratch.path, toPath: folder)
        let before = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        try scratch.expectFailure(["export", folder], exitCode: 1, "that is a database")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == before)
    }

    @Test func cellsBecomeWhatSomebodySays() throws {
        let scratch = try Scratch([:])
        let table = "_id,zip,n,flag,list\na,007,5,yes,\"[1]\"\nb,12,x,no,oops\n"
        let types = "zip:text,n:number,flag:boolean,list:json"
        let result = try scratch.run(["import", "--format", "csv", "-"], flags: ["--types", types], input: table)
        #expect(result.exitCode == 1)
        #expect(result.errors.contains("line 3: \"n\" is to be a number, and is \"x\""))
        try scratch.expect(["cat", "a", "--raw"], #"{"_id":"a", "flag":true,"list":[1],"n":5,"zip":"007"}"# + "\n")
        try scratch.expect(["import", "--format", "csv", "-"], flags: ["--types", "text"], input: "_id,n\nt,5\n")
        try scratch.expect(["cat", "t", "--raw"], #"{"_id":"t", "n":"5"}"# + "\n")
        try scratch.expectFailure(
            ["import", "--format", "csv", "-"], "no column is called \"zap\". Did you mean \"zip\"?", flags: ["--types", "zap:text"],
            input: table)
        for (flag, value) in [("--types", "n:nmber"), ("--delimiter", "ab"), ("--delimiter", "\""), ("--delimiter", "-")] {
            try scratch.expectFailure(["import", "--format", "csv", "-"], exitCode: 2, String(flag), flags: [flag, value], input: table)
        }
        try scratch.expectFailure(
            ["import", "--format", "csv", "-"], "a quoted cell is not closed; nothing was imported", input: "_id,n\nt,\"5\n")
    }

    // Blobs

    /// A database with a document that has a blob, in a collection of a scope.
    private func withBlob() throws -> Scratch {
        let scratch = try Scratch(["plain": "{}"])
        try scratch.expect(["mkcoll", "my.notes"])
        try scratch.expect(["put", "note", "{}"], flags: ["-C", "my.notes"])
        try scratch.expect(["blob", "put", "note", "picture", "-"], flags: ["-C", "my.notes"], input: "content")
        return scratch
    }

    @Test func aDirectoryTakesBlobsAndCollectionsAlong() throws {
        let scratch = try withBlob()
        let directory = scratch.directory.path + "/out/"
        let copy = scratch.directory.path + "/copy.cblite2"
        try scratch.expect(["export", directory], flags: ["-C", "*"])
        try scratch.expect(["export", directory], flags: ["-C", "*"])
        #expect(try Program.run(["import", copy, "-C", "*", directory]).exitCode == 0)
        #expect(try Program.run(["check", copy]).exitCode == 0)
        #expect(try Program.run(["diff", scratch.path, copy]).exitCode == 0)
        #expect(try Program.run(["blob", "get", copy, "-C", "my.notes", "note"]).output == "content")
        try scratch.expectFailure(["export", "-"], exitCode: 2, "only a directory", flags: ["-C", "*"])

        let other = scratch.directory.path + "/other.cblite2"
        let one = try Program.run(["import", other, directory])
        #expect(one.exitCode == 1 && one.output.isEmpty && one.errors.contains("_default\n-C '*' imports"))
        #expect(!FileManager.default.fileExists(atPath: other))
    }

    @Test func noLinkIsACollection() throws {
        let scratch = try Scratch([:])
        let folder = scratch.directory.path + "/"
        try FileManager.default.createDirectory(atPath: folder + "in/notes", withIntermediateDirectories: true)
        try FileManager.default.createDirectory(atPath: folder + "elsewhere", withIntermediateDirectories: true)
        for path in ["in/notes/a.json", "elsewhere/b.json"] { try Data("{}".utf8).write(to: URL(filePath: folder + path)) }
        try FileManager.default.createSymbolicLink(atPath: folder + "in/secrets", withDestinationPath: folder + "elsewhere")
        #expect(try Program.run(["import", folder + "out.cblite2", "-C", "*", folder + "in/"]).exitCode == 0)
        let collections = try Program.run(["lscoll", "--json", folder + "out.cblite2"])
        #expect(collections.lines.count == 2 && !collections.output.contains("secrets"))
    }

    @Test func whatHasNoBlobsInItSaysSo() throws {
        let scratch = try withBlob()
        let file = scratch.directory.path + "/notes.jsonl"
        let told = try scratch.expect(["export", file], flags: ["-C", "my.notes"])
        #expect(told.errors.contains("1 blob of these documents is not in it"))
        let copy = scratch.directory.path + "/copy.cblite2"
        #expect(try Program.run(["import", copy, file]).errors.contains("1 blob of these documents is not here"))
        #expect(try Program.run(["import", copy, "--json", file]).output.contains(#""missingBlobs":1"#))
        #expect(try scratch.expect(["import", file]).errors.contains("not here") == false, "it is there")
    }

    @Test func aBlobThatIsNotWhatItsNameSaysIsNotTaken() throws {
        let scratch = try withBlob()
        let directory = scratch.directory.path + "/out/"
        try scratch.expect(["export", directory], flags: ["-C", "my.notes"])
        let folder = directory + "_blobs/"
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).first)
        try Data("other".utf8).write(to: URL(filePath: folder + name))
        let copy = scratch.directory.path + "/copy.cblite2"
        let result = try Program.run(["import", copy, directory])
        #expect(result.errors.contains("has another digest") && result.errors.contains("1 blob of these documents is not here"))
        #expect(try Program.run(["import", copy, "--careful", directory]).exitCode == 1)
        // A link would lead somewhere.
        try FileManager.default.removeItem(atPath: folder + name)
        try Data("content".utf8).write(to: URL(filePath: scratch.directory.path + "/secret"))
        try FileManager.default.createSymbolicLink(atPath: folder + name, withDestinationPath: scratch.directory.path + "/secret")
        #expect(try Program.run(["import", copy, directory]).errors.contains("1 blob of these documents is not here"))
    }

    @Test func anyDocumentIDCanNameAFile() throws {
        let ids = ["plain", "with/slash", ".hidden", "100%", "ä😀", "..", "a%2Fb"]
        let text = ids.map { "{\"_id\":\"\($0)\"}\n" }.joined()
        _ = try Program.run(["import", database, "-"], input: text)
        let folder = directory.path + "/files/"
        #expect(try Program.run(["export", database, folder]).exitCode == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == ids.count)
        let copy = directory.path + "/copy.cblite2"
        #expect(try Program.run(["import", copy, folder]).exitCode == 0)
        #expect(try Program.run(["export", copy, "-"]).output == exported())
    }

    @Test func aCopiedDatabaseHasAnIdentityOfItsOwn() throws {
        struct Facts: Decodable {
            struct Collection: Decodable, Equatable { let name: String, documents: Int, deleted: Int, lastSequence: Int, bodyBytes: Int }
            let publicUUID: String, privateUUID: String, versioning: String, collections: [Collection]
        }
        func facts(_ path: String) throws -> Facts {
            try JSONDecoder().decode(Facts.self, from: Data(try Program.run(["info", "--json", path]).output.utf8))
        }
        for words in [["put", "a", "{x: 1}"], ["put", "b", "{}"], ["rm", "b"]] {
            #expect(try Program.run(["--create", words[0], database] + words.dropFirst()).exitCode == 0)
        }
        let copy = directory.path + "/copy.cblite2"
        #expect(try Program.run(["cp", database, copy]).exitCode == 0)
        #expect(try Program.run(["export", copy, "-"]).output == exported())
        let (old, new) = (try facts(database), try facts(copy))
        #expect(new.publicUUID != old.publicUUID && new.privateUUID != old.privateUUID)
        #expect(new.versioning == old.versioning && new.collections == old.collections)
        #expect(try Program.run(["cp", database, copy]).exitCode != 0)
        // A copy of the files is the same database, under another path.
        let twin = directory.path + "/twin.cblite2"
        try FileManager.default.copyItem(atPath: database, toPath: twin)
        let same = try facts(twin)
        #expect(same.publicUUID == old.publicUUID && same.privateUUID == old.privateUUID)
    }

    @Test(arguments: [
        (["import", "DB", "/nowhere/x.json"], 1), (["import", "DB", "x.unknown"], 2), (["export", "DB", "/nowhere/x.json"], 3),
        (["cp", "a.json", "b.json"], 2), (["cp", "ws://localhost:1/db", "DB"], 1), (["import", "--existing", "DB", "-"], 3),
        (["cp", "DB"], 2), (["import", "--limit", "-1", "DB", "-"], 2),
    ])
    func mistakesHaveTheirExitCodes(_ arguments: [String], _ code: Int) throws {
        let result = try Program.run(arguments.map { $0 == "DB" ? database : $0 })
        #expect(Int(result.exitCode) == code, "\(result.errors)")
        #expect(result.errors.hasPrefix("cblite: "))
    }

    @Test func aFailedExportLeavesTheOldFile() throws {
        _ = try Program.run(["--create", "put", database, "a", "{x: 1}"])
        let path = try write("old", to: "out.json")
        #expect(try Program.run(["export", "-C", "nowhere", database, path]).exitCode == 1)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "old")
        #expect(!FileManager.default.fileExists(atPath: path + ".partial"))
    }

    @Test func machinesAreToldWhatWasDone() throws {
        _ = try Program.run(["import", database, "-"], input: "{\"_id\":\"a\"}{\"_id\":\"b\"}")
        let file = directory.path + "/out.json"
        #expect(try Program.run(["export", "--json", database, file]).output == "{\"documents\":2}\n")
        #expect(try Program.run(["cp", "--json", database, directory.path + "/copy.cblite2"]).output == "{\"documents\":2}\n")
        #expect(try Program.run(["reindex", "--json", database]).output == "{\"reindexed\":true}\n")
        let dump = try Program.run(["dump", "--json", database, directory.path + "/archive"])
        #expect(dump.output == "{\"collections\":1,\"documents\":2,\"rawDocuments\":0,\"indexes\":0,\"blobs\":0}\n")
        // Documents and facts do not mix.
        #expect(try Program.run(["export", "--json", database, "-"]).output == "{\"_id\":\"a\"}\n{\"_id\":\"b\"}\n")
    }

    @Test(arguments: [
        ["import", "--bidi", "DB", "-"], ["export", "--continuous", "DB", "-"], ["cp", "--bidi", "DB", "copy.cblite2"],
    ])
    func whatIsForReplicationIsRefused(_ arguments: [String]) throws {
        _ = try Program.run(["--create", "put", database, "a", "{}"])
        let result = try Program.run(arguments.map { $0 == "DB" ? database : $0 })
        #expect(result.exitCode == 2)
        #expect(result.errors.contains("is for replication"))
    }

    @Test func nothingIsLeftOfADatabaseThatNothingCameInto() throws {
        let scratch = try Scratch([:])
        let new = scratch.directory.path + "/new.cblite2"
        #expect(try Program.run(["import", new, scratch.directory.path + "/none.json"]).exitCode != 0)
        #expect(try Program.run(["import", new, "--format", "csv", "-"], input: "a,b\n\"1,2\n").exitCode != 0)
        #expect(!FileManager.default.fileExists(atPath: new))
        let slip = try Program.run(["import", new, "--format", "csv", "--jsonid", "cod", "-"], input: "code,n\na,1\n")
        #expect(slip.exitCode == 1 && slip.errors.contains("no column is called \"cod\". Did you mean \"code\"?"))
        #expect(try Program.run(["import", new, "--format", "csv", "--jsonid", "code", "-"], input: "code,n\na,1\n").exitCode == 0)
        #expect(try Program.run(["ls", new]).output == "a\n")
    }

    @Test(arguments: [["cp", "BAD", "NEW"], ["import", "NEW", "BAD"], ["import", "NEW", "BAD", "GOOD"]])
    func aDatabaseAppearsWithItsFirstImport(_ words: [String]) throws {
        let good = try write("{\"_id\":\"a\"}\n", to: "good.jsonl")
        let bad = try write("{\"_id\":\"b\"}\n{bad}\n", to: "bad.jsonl")
        let places = ["BAD": bad, "GOOD": good, "NEW": database]
        #expect(try Program.run(words.map { places[$0] ?? $0 } + ["--careful"]).exitCode == 1)
        let left = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(left.sorted() == ["bad.jsonl", "good.jsonl"])
        // What another file brought before stays.
        #expect(try Program.run(["import", database, "--careful", good, bad]).exitCode == 1)
        #expect(try Program.run(["ls", database]).output == "a\n")
    }

    @Test func aNewDatabaseIsMadeWithItsKey() throws {
        let source = try write("{\"_id\":\"a\",\"x\":\"in clear nowhere\"}\n", to: "lines.jsonl")
        let password = directory.path + "/password"
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        #expect(FileManager.default.createFile(atPath: password, contents: Data("secret\n".utf8), attributes: attributes))
        for words in [["cp", source, database], ["import", database, source]] {
            try? FileManager.default.removeItem(atPath: database)
            #expect(try Program.run(["--password=:@" + password] + words).exitCode == 0)
            #expect(try Program.run(["ls", database], input: "").exitCode != 0)
            #expect(try Program.run(["--password=:@" + password, "ls", database]).output == "a\n")
            let bytes = try Data(contentsOf: URL(fileURLWithPath: database + "/db.sqlite3"))
            #expect(!String(decoding: bytes, as: UTF8.self).contains("in clear") && bytes.count > 4096)
        }
    }

    /// As `--password=:@<(pass show notes)` of a shell has it.
    @Test func aPasswordIsReadOnce() throws {
        let (one, other) = (try write("{\"_id\":\"a\"}\n", to: "a.jsonl"), try write("{\"_id\":\"b\"}\n", to: "b.jsonl"))
        let script = #"mkfifo -m 600 "$1/p"; (echo secret > "$1/p") & "$0" --password=:@"$1/p" import "$1/db.cblite2" "$2" "$3""#
        let result = try #require(try Program.run(tool: "sh", ["-c", script, Program.path, directory.path, one, other]))
        #expect(result.exitCode == 0, "\(result.errors)")
    }
}
