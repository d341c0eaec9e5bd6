import CBLTestSupport
import CouchbaseLiteClassic
import Testing

@Suite struct ReplacingTests {
    let folder: TemporaryFolder
    var path: String { folder.path + "/prebuilt.cblite2" }

    init() throws {
        folder = try TemporaryFolder()
        let prebuilt = try folder.open("prebuilt")
        let photo = Blob(contentType: "text/plain", data: Data("content".utf8))
        try prebuilt.defaultCollection().save(document: MutableDocument(id: "new", data: ["photo": photo]))
        try prebuilt.close()
    }

    @Test(arguments: [false, true]) func aPrebuiltDatabaseTakesThePlace(_ isThere: Bool) throws {
        if isThere {
            let old = try folder.open()
            try old.defaultCollection().save(document: MutableDocument(id: "old"))
            try old.close()
        }
        try Database.replace(name: "db", withDatabaseAt: path, config: folder.configuration)
        let database = try folder.open()
        defer { try? database.close() }
        let collection = try database.defaultCollection()
        #expect(collection.count == 1)
        #expect(try collection.document(id: "new")?.blob(forKey: "photo")?.content == Data("content".utf8))
        #expect(FileManager.default.fileExists(atPath: path))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["db.cblite2", "prebuilt.cblite2"])
    }

    @Test(arguments: [Version1File.Layout.bundle, .file]) func oneOf1xIsConverted(_ layout: Version1File.Layout) throws {
        let file = try Version1File(at: folder.path + "/old.cblite" + (layout == .bundle ? "2" : ""), layout)
        let first = try file.add("doc", "1-aa", #"{"n":1}"#, isCurrent: false)
        try file.add("doc", "2-bb", #"{"n":2}"#, after: first)
        try file.add("doc", "2-cc", #"{"n":3}"#, after: first)
        try Database.replace(name: "db", withDatabaseAt: file.path, config: folder.configuration)
        let database = try folder.open(keepingFormat: true)
        defer { try? database.close() }
        let collection = try database.defaultCollection()
        #expect(try collection.document(id: "doc")?.int(forKey: "n") == 3)
        #expect(try collection.conflictingRevisions(ofDocument: "doc").compactMap { $0.document?.int(forKey: "n") } == [3, 2])
    }

    @Test func anOpenDatabaseIsNotReplaced() throws {
        let database = try folder.open()
        defer { try? database.close() }
        try database.defaultCollection().save(document: MutableDocument(id: "old"))
        #expect(code { try Database.replace(name: "db", withDatabaseAt: path, config: folder.configuration) } == CBLError.busy)
        #expect(try database.defaultCollection().count == 1)
    }

    @Test func whatIsNoDatabaseReplacesNothing() throws {
        let old = try folder.open()
        try old.close()
        for path in [folder.path, folder.path + "/nothing.cblite2"] {
            #expect(throws: (any Error).self) {
                try Database.replace(name: "db", withDatabaseAt: path, config: folder.configuration)
            }
        }
        #expect(code { try Database.replace(name: "prebuilt", withDatabaseAt: path, config: folder.configuration) } != nil)
        try folder.open().close()
    }
}
