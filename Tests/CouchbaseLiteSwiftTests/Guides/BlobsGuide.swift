// swift-format-ignore-file
// Generated from Sources/CouchbaseLiteSwift/CouchbaseLiteSwift.docc/Guides/Blobs.md by `make docs`: change that one.
import CouchbaseLiteSwift
import Testing

extension GuideTests {
    @Test func runBlobs() async {
        await #expect(processExitsWith: .success) { try await runGuide(guideBlobs) }
    }
}

private func guideBlobs() async throws {
    let database = try Database(name: "travel")
    let hotels = try database.createCollection(name: "hotels")
    let picture = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) })

    let hotel = MutableDocument(id: "hotel-1", data: ["name": "Seaview"])
    hotel.setBlob(Blob(contentType: "image/jpeg", data: picture), forKey: "photo")
    try hotels.save(document: hotel)

    if let photo = try hotels.document(id: "hotel-1")?.blob(forKey: "photo") {
        print(photo.contentType ?? "?", photo.length, photo.digest ?? "")
        let content = photo.content                  // all of it, in memory
        print(content?.count ?? 0)
    }

    let stored = try #require(try hotels.document(id: "hotel-1")?.blob(forKey: "photo"))
    #expect(stored.content == picture)
    #expect(stored.length == 100_000)
    #expect(stored.digest?.hasPrefix("sha1-") == true)

    let file = URL(fileURLWithPath: "film.mp4")
    try picture.write(to: file)
    hotel.setBlob(try Blob(contentType: "video/mp4", fileURL: file), forKey: "film")
    try hotels.save(document: hotel)                 // the file is read here

    if let stream = try hotels.document(id: "hotel-1")?.blob(forKey: "film")?.contentStream {
        stream.open()
        defer { stream.close() }
        var piece = [UInt8](repeating: 0, count: 65536)
        while case let count = stream.read(&piece, maxLength: piece.count), count > 0 { print(count) }
    }

    #expect(try hotels.document(id: "hotel-1")?.blob(forKey: "film")?.content == picture)

    let other = try Database(name: "other")
    let copy = MutableDocument(id: "copy")
    if let content = try hotels.document(id: "hotel-1")?.blob(forKey: "photo")?.content {
        copy.setBlob(Blob(contentType: "image/jpeg", data: content), forKey: "photo")
    }
    try other.defaultCollection().save(document: copy)

    hotel.removeValue(forKey: "film")
    try hotels.save(document: hotel)
    try database.performMaintenance(type: .compact)  // frees the film

    #expect(try other.defaultCollection().document(id: "copy")?.blob(forKey: "photo")?.content == picture)
    let foreign = MutableDocument(id: "foreign")
    foreign.setBlob(stored, forKey: "photo")
    #expect(throws: (any Error).self) { try other.defaultCollection().save(document: foreign) }
    #expect(MutableDocument(data: ["key": Data([1])]).blob(forKey: "key")?.contentType == "application/octet-stream")
}
