import CBLTestSupport
import FoundationEssentials
import Testing

@Suite struct BlobPutTests {
    private let scratch: Scratch
    private let file: String

    init() throws {
        scratch = try Scratch(["doc": #"{"name":"x","list":[1],"none":null}"#])
        file = scratch.directory.path + "/note.txt"
        try "hello".write(toFile: file, atomically: false, encoding: .utf8)
    }

    private let blob = #"{"@type":"blob","content_type":"text/plain","digest":"sha1-qvTGHdzF6KLavt4PO0gs2a6pQ00=","length":5}"#

    @Test func aPropertyRefersToTheBlob() throws {
        let result = try scratch.expect(["blob", "put", "doc", "att", file])
        #expect(result.output.hasPrefix("Updated `doc`, new revision 2-"))
        #expect(try scratch.cat("doc") == "{\"_id\":\"doc\", \"att\":\(blob),\"list\":[1],\"name\":\"x\",\"none\":null}")
        #expect(try scratch.documents().first?.contains("\"attachments\":true") == true)
        let stored = scratch.path + "/Attachments/qvTGHdzF6KLavt4PO0gs2a6pQ00=.blob"
        #expect(try String(contentsOfFile: stored, encoding: .utf8) == "hello")
    }

    @Test(arguments: [
        ("list[0]", #""list":[BLOB],"name":"x","none":null"#), ("list[1]", #""list":[1,BLOB],"name":"x","none":null"#),
        ("list[-1]", #""list":[BLOB],"name":"x","none":null"#),
        ("none.deep[0].er", #""list":[1],"name":"x","none":{"deep":[{"er":BLOB}]}"#),
    ])
    func thePathLeadsAnywhere(path: String, expected: String) throws {
        try scratch.expect(["blob", "put", "doc", path, file])
        #expect(try scratch.cat("doc") == "{\"_id\":\"doc\", " + expected.replacing("BLOB", with: blob) + "}")
    }

    @Test func standardInputOfAnySizeIsStored() throws {
        let text = String(repeating: "0123456789abcdef", count: 100_000)
        let result = try scratch.expect(["blob", "put", "doc", "big", "-", "--type", "text/x-hex", "--json"], input: text)
        #expect(result.output.contains(#""length":1600000,"contentType":"text/x-hex""#))
        try scratch.expect(["blob", "get", "doc", "big"], text)
        #expect(try scratch.expect(["blob", "put", "doc", "none", "-"], input: "").exitCode == 0)
    }

    @Test func mistakesChangeNothing() throws {
        try scratch.expectFailure(["blob", "put", "dog", "att", file], "Did you mean \"doc\"?")
        try scratch.expectFailure(["blob", "put", "doc", "name.x", file], "key path \"name\": what is there is not an object")
        try scratch.expectFailure(
            ["blob", "put", "doc", "list[3]", file], "key path \"list\": the array there has 1 items, so [3] is out of range")
        try scratch.expectFailure(["blob", "put", "doc", "a..b", file], exitCode: 2, "expected a property name")
        try scratch.expectFailure(["blob", "put", "doc", "", file], exitCode: 2, "names no property")
        try scratch.expectFailure(["blob", "put", "doc", "att", "/nonexistent"], "No such file")
        try scratch.expectFailure(["blob", "put", "doc", "att", "/usr"], "is a directory")
        try scratch.expectFailure(["blob", "put", "doc", "_id", file], "reserved")
        try scratch.expectFailure(["blob", "put", "doc", "att", file, "--if-rev", "3-33"], exitCode: 4, "is at revision")
    }
}
