import CouchbaseLiteSwift
import Testing

@Suite struct BlobTests {
    let test: TemporaryDatabase
    let text = Data("I'm a blob".utf8)

    init() throws { test = try TemporaryDatabase() }

    @Test func aBlobIsStoredWithItsDocument() throws {
        let blob = Blob(contentType: "text/plain", data: text)
        #expect(blob.digest == nil && blob.length == 10 && blob.content == text)
        try test.save("doc", ["blob": blob, "data": text, "list": [blob]])
        #expect(blob.digest == "sha1-h+QtWLHg3zaNZcb3kFmpeFGaXkk=" || blob.digest?.hasPrefix("sha1-") == true)
        let document = try test.document("doc")
        let read = try #require(document.blob(forKey: "blob"))
        #expect(read == blob && read.content == text && read.contentType == "text/plain" && read.length == 10)
        #expect(document.dictionary(forKey: "blob") == nil && document.value(forKey: "blob") is Blob)
        #expect(document.blob(forKey: "data")?.contentType == "application/octet-stream")
        #expect(document.array(forKey: "list")?.blob(at: 0)?.content == text)
        #expect(document.blob(forKey: "list") == nil)
        let json = read.toJSON()
        let properties = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        #expect(Blob.isBlob(properties: properties))
        #expect(try test.database.getBlob(properties: properties)?.content == text)
    }

    @Test func contentComesFromStreamsAndFiles() throws {
        let long = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
        let path = test.folder.path + "/content"
        try long.write(to: URL(fileURLWithPath: path))
        let stream = Blob(contentType: "x/y", contentStream: InputStream(data: long))
        let file = try Blob(contentType: "x/y", fileURL: URL(fileURLWithPath: path))
        #expect(stream.contentStream == nil && stream.content == long && stream.length == 1_000_000)
        try test.save("doc", ["stream": stream, "file": file])
        try FileManager.default.removeItem(atPath: path)
        for key in ["stream", "file"] {
            let blob = try #require(try test.document("doc").blob(forKey: key))
            #expect(blob.content == long && blob.length == 1_000_000)
            let reader = try #require(blob.contentStream)
            reader.open()
            defer { reader.close() }
            var read = Data()
            var buffer = [UInt8](repeating: 0, count: 70_000)
            while reader.hasBytesAvailable {
                let count = reader.read(&buffer, maxLength: buffer.count)
                read.append(contentsOf: buffer[0..<max(0, count)])
                if count <= 0 { break }
            }
            #expect(read == long)
        }
        do {
            _ = try Blob(contentType: "x/y", fileURL: URL(fileURLWithPath: path))
            Issue.record("a file that is gone was taken")
        } catch let error as NSError { #expect(error.domain == NSURLErrorDomain && error.code == NSURLErrorFileDoesNotExist) }
    }

    @Test func contentThatWasReadIsTheReadersOwn() throws {
        for length in [0, 1, 10, 100, 100_000] {
            let bytes = Data(repeating: 7, count: length)
            try test.collection.save(document: MutableDocument(id: "doc").setBlob(Blob(contentType: "x/y", data: bytes), forKey: "blob"))
            let blob = try #require(try test.document("doc").blob(forKey: "blob"))
            var content = try #require(blob.content)
            #expect(content == bytes)
            content.append(8)
            content[0] = 9
            #expect(content.count == length + 1 && content.first == 9 && content.last == (length == 0 ? 9 : 8))
            #expect(blob.content == bytes)
        }
    }

    @Test func aBlobOfAnotherDatabaseIsRefused() throws {
        let other = try test.folder.open("other")
        defer { try? other.close() }
        let blob = Blob(contentType: "text/plain", data: text)
        try test.save("doc", ["blob": blob])
        for value in [blob, try test.document("doc").blob(forKey: "blob")] {
            do {
                try other.defaultCollection().save(document: MutableDocument(data: ["blob": value as Any]))
                Issue.record("the blob was taken")
            } catch let error as NSError {
                #expect(error.code == CBLError.unexpectedError)
                #expect(
                    error.localizedDescription
                        == "A document contains a blob that was saved to a different database. The save operation cannot complete.")
            }
        }
        let nested = try test.save("nested", ["inner": ["blob": blob]]).toMutable()
        _ = nested
        let inner = try test.document("nested").dictionary(forKey: "inner")
        #expect(throws: NSError.self) {
            try other.defaultCollection().save(document: MutableDocument().setDictionary(inner, forKey: "inner"))
        }
        #expect(try other.defaultCollection().count == 0)
    }

    @Test func compactionRemovesWhatNoDocumentRefersTo() throws {
        let (kept, lost, unused) = (
            Blob(contentType: "x", data: Data("kept".utf8)), Blob(contentType: "x", data: text), Blob(contentType: "x", data: Data())
        )
        try test.save("kept", ["blob": kept])
        let document = try test.save("lost", ["blob": lost])
        try test.database.saveBlob(blob: unused)
        try test.collection.purge(document: document)
        try test.database.performMaintenance(type: .compact)
        #expect(kept.content == Data("kept".utf8) && lost.content == nil && unused.content == nil)
        let files = try FileManager.default.contentsOfDirectory(atPath: test.database.path! + "Attachments")
        #expect(files.count == 1)
        // What the last compaction left, the next one takes when its time has come.
        try test.collection.purge(id: "kept")
        try test.database.performMaintenance(type: .compact)
        #expect(try FileManager.default.contentsOfDirectory(atPath: test.database.path! + "Attachments") == [])
    }

    /// The file of a deleted database may give its place to a blob of the next one.
    @Test func aDatabaseThatIsClosedDoesNotStandInTheWayOfTheNext() throws {
        var closed: [Database] = []
        for number in 0..<20 {
            let database = try test.folder.open("short-lived")
            let blobs = (0..<4).map { Blob(contentType: "x", data: Data("\(number) \($0)".utf8)) }
            let document = MutableDocument(id: "doc").setValue(blobs, forKey: "blobs")
            try database.defaultCollection().save(document: document)
            for blob in blobs { #expect(blob.content != nil) }
            try database.delete()
            closed.append(database)
        }
        withExtendedLifetime(closed) {}
    }

    @Test func whatOnlySaysThatItIsABlobKeepsItsProperties() throws {
        let json = #"{"blob":{"@type":"blob","content_type":"a/b","data":"x","more":[1]}}"#
        try test.collection.save(document: MutableDocument(id: "doc", json: json))
        let read = try test.document("doc")
        #expect(read.toJSON() == json && read.blob(forKey: "blob") == nil)
        #expect(read.dictionary(forKey: "blob")?.string(forKey: "data") == "x")
    }

    @Test func savedBlobsAreFoundByWhatStandsForThem() throws {
        let blob = Blob(contentType: "text/plain", data: text)
        try test.database.saveBlob(blob: blob)
        #expect(blob.digest != nil)
        var properties = blob.properties
        #expect(properties.count == 3)
        properties[Blob.typeProperty] = Blob.blobType
        #expect(try test.database.getBlob(properties: properties)?.content == text)
        let document = try test.save("doc", ["blob": properties])
        #expect(document.blob(forKey: "blob")?.content == text)
        properties[Blob.blobDigestProperty] = "sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA="
        #expect(try test.database.getBlob(properties: properties) == nil)
        properties[Blob.blobDigestProperty] = "../../secret"
        #expect(try test.database.getBlob(properties: properties) == nil)
        for wrong in [["@type": "blob"], ["@type": "x", "digest": "d"], ["@type": "blob", "digest": "d", "length": "7"]] {
            #expect(!Blob.isBlob(properties: wrong))
        }
    }
}
