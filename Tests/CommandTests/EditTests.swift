import CBLTestSupport
import FoundationEssentials
import Testing

@Suite struct EditTests {
    @Test func whatTheEditorChangedIsSaved() throws {
        let scratch = try Scratch(["doc": #"{"name":"Ada","n":1}"#])
        let result = try scratch.expect(["edit", "doc", "--with", "sed -i s/Ada/Eve/"])
        #expect(result.output.hasPrefix("Updated `doc`, new revision 2-"))
        #expect(try scratch.cat("doc") == #"{"_id":"doc", "n":1,"name":"Eve"}"#)
    }

    @Test(arguments: [["EDITOR": "sed -i s/1/2/", "VISUAL": ""], ["EDITOR": "false", "VISUAL": "sed -i s/1/2/"]])
    func theEnvironmentNamesTheEditor(environment: [String: String]) throws {
        let scratch = try Scratch(["doc": #"{"n":1}"#])
        try scratch.expect(["edit", "doc"], environment: environment)
        #expect(try scratch.cat("doc") == #"{"_id":"doc", "n":2}"#)
    }

    @Test func nothingChangesIfTheTextSaysTheSame() throws {
        let scratch = try Scratch(["doc": #"{"a":1,"b":[1.5,{}]}"#])
        for editor in ["true", "sed -i 's/^  *//'", "touch"] {
            let result = try scratch.expect(["edit", "doc", "--with", editor], "")
            #expect(result.errors == "Nothing was changed.\n")
        }
        #expect(try scratch.documents().first?.contains(#""sequence":1,"#) == true)
        try scratch.expect(["edit", "new", "--with", "true"], "")
        #expect(try scratch.documents().count == 1)
    }

    @Test func absentAndDeletedDocumentsAreCreated() throws {
        let scratch = try Scratch(["gone": "{}"])
        try scratch.expect(["rm", "gone"])
        for id in ["new", "gone"] {
            let result = try scratch.expect(["edit", id, "--with", "echo '{a: 1}' >"])
            #expect(result.output.hasPrefix("Created `\(id)`"))
            #expect(try scratch.cat(id) == "{\"_id\":\"\(id)\", \"a\":1}")
        }
        try scratch.expect(["edit", "x", "--with", "echo '{}' >", "-C", "new.collection"])
        #expect(try scratch.collections() == ["_default", "new.collection"])
    }

    @Test func theTextIsLaidOutAsWanted() throws {
        let scratch = try Scratch(["doc": #"{"b":1,"a":[2]}"#])
        let copy = scratch.directory.path + "/copy"
        for (flags, text) in [
            ([], "{\n  \"a\": [\n    2\n  ],\n  \"b\": 1\n}\n"), (["--raw"], "{\"a\":[2],\"b\":1}\n"),
            (["--raw", "--json5"], "{a:[2],b:1}\n"),
        ] {
            try scratch.expect(["edit", "doc", "--with", "f() { cp \"$1\" \(copy); }; f"] + flags)
            #expect(try String(contentsOfFile: copy, encoding: .utf8) == text)
        }
    }

    @Test func workIsNeverLost() throws {
        let scratch = try Scratch(["doc": #"{"x":1}"#])
        let temporary = scratch.directory.path
        func expectKept(_ editor: String, _ exitCode: Int32, _ message: String, _ text: String) throws {
            let result = try scratch.run(["edit", "doc", "--with", editor], environment: ["TMPDIR": temporary])
            #expect(result.exitCode == exitCode)
            #expect(result.errors.contains(message), "\(result.errors)")
            let kept = try #require(result.errors.firstRange(of: "Your text is in "))
            let path = String(result.errors[kept.upperBound...].dropLast(2))
            #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
        }
        try expectKept("echo '{bad' >", 1, "JSON error at line 2", "{bad\n")
        try expectKept("echo '[]' >", 1, "must be an object", "[]\n")
        try expectKept("echo '{_id:1}' >", 1, "reserved", "{_id:1}\n")
        // Somebody else saves it while it is edited.
        let other = "f() { echo '{mine:1}' > \"$1\"; '\(Program.path)' put '\(scratch.path)' doc '{theirs:1}' >/dev/null; }; f"
        try expectKept(other, 4, "was changed by somebody else while you edited it", "{mine:1}\n")
        #expect(try scratch.cat("doc") == #"{"_id":"doc", "theirs":1}"#)
    }

    @Test func anEditorThatFailsChangesNothing() throws {
        let scratch = try Scratch(["doc": "{}"])
        try scratch.expectFailure(["edit", "doc", "--with", "false"], "ended with exit code 1")
        try scratch.expectFailure(["edit", "doc", "--with", "/nonexistent/editor"], "there is no editor")
        try scratch.expectFailure(["edit", "doc", "--with", "kill -9 $$;"], "ended by signal 9")
        try scratch.expectFailure(["edit", "doc", "--if-rev", "7-00"], exitCode: 4, "is at revision")
    }
}
