// swift-format-ignore-file
// Generated from Sources/CouchbaseLiteSwift/CouchbaseLiteSwift.docc/Guides/Documents.md by `make docs`: change that one.
import CouchbaseLiteSwift
import Testing

extension GuideTests {
    @Test func runDocuments() async {
        await #expect(processExitsWith: .success) { try await runGuide(guideDocuments) }
    }
}

private func guideDocuments() async throws {
    let database = try Database(name: "travel")
    let hotels = try database.createCollection(name: "hotels")

    let draft = MutableDocument(id: "hotel-1", data: [
        "name": "Seaview", "rooms": 42, "open": true, "tags": ["sea", "quiet"], "address": ["city": "Kiel", "zip": "24103"],
    ])
    draft.setDate(Date(), forKey: "visited")
    try hotels.save(document: draft)

    if let hotel = try hotels.document(id: "hotel-1")?.toMutable() {
        hotel.setInt(hotel.int(forKey: "rooms") + 1, forKey: "rooms")
        hotel.array(forKey: "tags")?.addString("pets")
        hotel["address"]["zip"].string = "24105"
        hotel.removeValue(forKey: "open")
        try hotels.save(document: hotel)
    }

    let saved = try #require(try hotels.document(id: "hotel-1"))
    #expect(saved.int(forKey: "rooms") == 43)
    #expect(saved.array(forKey: "tags")?.toArray() as? [String] == ["sea", "quiet", "pets"])
    #expect(saved["address"]["zip"].string == "24105")
    #expect(!saved.contains(key: "open"))
    #expect(saved.date(forKey: "visited") != nil)

    let imported = try MutableDocument(id: "hotel-2", json: #"{"name": "Harbour", "rooms": 7}"#)
    try hotels.save(document: imported)
    print(try hotels.document(id: "hotel-2")?.toJSON() ?? "none")

    #expect(try hotels.document(id: "hotel-2")?.toJSON() == #"{"name":"Harbour","rooms":7}"#)

    final class Hotel: Codable {
        @DocumentID var id: String?
        var name: String
        var rooms: Int
        var rating: Double?

        init(name: String, rooms: Int) { (self.name, self.rooms) = (name, rooms) }
    }

    let alpine = Hotel(name: "Alpine", rooms: 12)
    try hotels.save(from: alpine)                    // alpine.id is known from here on

    if let id = alpine.id, let again = try hotels.document(id: id, as: Hotel.self) {
        again.rating = 4.5
        try hotels.save(from: again)
    }

    #expect(try hotels.document(id: alpine.id ?? "", as: Hotel.self)?.rating == 4.5)

    if let hotel = try hotels.document(id: "hotel-2") { try hotels.delete(document: hotel) }      // others hear of it by sync
    try hotels.purge(id: "hotel-1")                                                               // gone from here, and nowhere else

    let offer = MutableDocument(id: "offer", data: ["percent": 20])
    try hotels.save(document: offer)
    try hotels.setDocumentExpiration(id: "offer", expiration: Date(timeIntervalSinceNow: 3600))

    #expect(try hotels.document(id: "hotel-2") == nil)
    #expect(try hotels.document(id: "hotel-1") == nil)
    #expect(try hotels.getDocumentExpiration(id: "offer") != nil)
}
