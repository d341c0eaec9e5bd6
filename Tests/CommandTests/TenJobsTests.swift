import CBLTestSupport
import FoundationEssentials
import Testing

/// What somebody with a file from a phone wants to do, as far as README's consoles do not show it.
@Suite struct TenJobsTests {
    private let folder: SampleFolder

    init() throws { folder = try SampleFolder() }

    private func run(_ words: String..., input: String = "") throws -> Program.Result {
        try Program.run(words, input: input, environment: folder.environment, directory: folder.directory.path)
    }

    @Test func aPartOfAnIDIsNotAPattern() throws {
        let result = try run("ls", "travel.cblite2", "sapporo")
        #expect(result.output == "")
        #expect(result.errors == "(No documents with IDs matching \"sapporo\"; ls '*sapporo*' finds \"trip-sapporo\")\n")
        // It may be in another collection, too.
        #expect(
            try run("ls", "travel.cblite2", "tel_003").errors
                == "(No documents with IDs matching \"tel_003\"; ls -C inventory.hotel '*tel_003*' finds \"hotel_003\")\n")
        #expect(try run("ls", "travel.cblite2", "zzz").errors == "(No documents with IDs matching \"zzz\")\n")
    }

    @Test func deletedDocumentsAreListedAlone() throws {
        #expect(try run("ls", "--deleted", "--json", "travel.cblite2").lines.allSatisfy { $0.contains(#""deleted":true"#) })
        #expect(try run("ls", "--deleted", "travel.cblite2").output == "cancelled-trip\nweekend-in-porto\n")
        #expect(try run("undelete", "travel.cblite2").errors.contains("ls --deleted"))
    }

    @Test(arguments: [
        (["--where", "rating > 4.4"], ["hotel_001", "hotel_006", "hotel_008"]),
        (["--where", "rating > 4.4", "--limit", "2"], ["hotel_001", "hotel_006"]),
        (["--where", "rating IS MISSING"], ["hotel_009", "hotel_011"]), (["hotel_00*", "--where", "rating IS MISSING"], ["hotel_009"]),
        (["--where", "rating > 9"], []),
    ])
    func exportsWhatMeetsACondition(words: [String], ids: [String]) throws {
        for format in ["json", "array", "csv"] {
            let all = ["export", "-C", "inventory.hotel", "--format", format, "travel.cblite2", "-"] + words
            let result = try Program.run(all, environment: folder.environment, directory: folder.directory.path)
            #expect(result.exitCode == 0)
            #expect(result.output.matches(of: #/hotel_0\d\d/#).map { String($0.0) } == ids, "\(format)")
        }
    }

    @Test func aConditionThatIsWrongIsShown() throws {
        let result = try run("export", "travel.cblite2", "-", "--where", "rating >> 4")
        #expect(result.errors.contains("    rating >> 4\n") && result.errors.contains("^"))
        #expect(result.exitCode == 1)
        #expect(try run("export", "travel.cblite2", "x.csv", "where", "rating", ">", "4").errors.contains("--where 'rating > 4'"))
    }

    @Test func versionVectorsKnowWhenADocumentChanged() throws {
        #expect(try run("changes", "--since", "yesterday", "travel.cblite2").errors.contains("revision trees do not know when"))
        #expect(try run("--upgrade=vv", "put", "travel.cblite2", "new", "{}").exitCode == 0)
        for since in ["yesterday", "today", "1h", "2001-01-01"] {
            let lines = try run("changes", "--since", since, "travel.cblite2").lines
            #expect(lines.count == 2 && lines[1].hasPrefix("new "), "\(since)")
        }
        #expect(try run("changes", "--since", "2999-01-01", "travel.cblite2").errors == "(No changes)\n")
        #expect(try run("changes", "--since", "soon", "travel.cblite2").exitCode == 2)
    }

    @Test func aConflictIsNotedWhereItIsRead() throws {
        #expect(try run("cat", "travel.cblite2", "trip-sapporo").errors.contains("\"trip-sapporo\" is in conflict"))
        #expect(try run("cat", "--quiet", "travel.cblite2", "trip-sapporo").errors == "")
    }

    @Test(arguments: [("tables", "lscoll"), (".schema", "schema"), ("find", "ls '*part*'"), ("compare", "diff"), ("count", "count(*)")])
    func wordsOfOtherProgramsAreExplained(word: String, text: String) throws {
        let result = try run(word, "travel.cblite2")
        #expect(result.errors.contains(text))
        #expect(result.exitCode == 2)
    }

    @Test func wordsOfOtherShellsAreRun() throws {
        let result = try run("travel.cblite2", input: ".tables\n\\d booking\nshow welcome\n\\q\nls\n")
        for text in ["inventory.airline", "guest", "boarding_pass"] { #expect(result.output.contains(text), "\(text)") }
        #expect(result.errors.contains("(.tables is \"lscoll\" here.)"))
        #expect(!result.output.contains("packing-list ") && result.exitCode == 0)
    }

    @Test func theSampleIsAlwaysTheSame() throws {
        let other = try SampleFolder()
        let result = try run("diff", "--revs", "travel.cblite2", other.directory.path + "/travel.cblite2")
        #expect(result.exitCode == 0, "\(result.output)")
        #expect(try run("check", "travel.cblite2").exitCode == 0)
    }
}
