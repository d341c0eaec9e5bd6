import CBLTestSupport
import CouchbaseLiteSwift
import Testing

/// An app whose predecessor used Couchbase Lite 1.x.
@Suite struct LibraryVersion1Tests {
    @Test func openingAnOldDatabaseUpgradesIt() throws {
        let folder = try TemporaryFolder()
        do {
            let file = try Version1File(at: folder.path + "/db.cblite2")
            let root = try file.add("doc", "1-aa", #"{"n":1}"#, isCurrent: false)
            try file.add("doc", "2-bb", #"{"n":2,"list":["a"]}"#, after: root)
            let attachments =
                #"{"_attachments":{"a":{"content_type":"text/plain","digest":"sha1-P1i5kI/sosq745/9BDR7kEghKps=","length":7,"revpos":1,"stub":true}}}"#
            try file.add("with attachment", "1-cc", attachments)
            try file.addAttachment("3F58B9908FECA2CABBE39FFD04347B9048212A9B.blob", Array("attach1".utf8))
        }
        let database = try folder.open()
        defer { try? database.close() }
        let collection = try database.defaultCollection()
        #expect(collection.count == 2)
        let document = try #require(try collection.document(id: "doc"))
        #expect(document.int(forKey: "n") == 2 && document.array(forKey: "list")?.string(at: 0) == "a")
        let change = document.toMutable()
        change.setInt(3, forKey: "n")
        try collection.save(document: change)
        #expect(try collection.document(id: "doc")?.int(forKey: "n") == 3)
        let attachment = try collection.document(id: "with attachment")?.dictionary(forKey: "_attachments")
        #expect(attachment?.keys == ["a"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["db.cblite2"])
    }
}
