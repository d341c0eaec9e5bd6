import CouchbaseLiteSwift
import Testing

@Suite struct ModelTests {
    final class Hotel: Codable {
        enum Kind: String, Codable { case small, large }
        struct Room: Codable, Equatable {
            var number: Int
            var price: Double?
        }

        @DocumentID var id: String?
        var name = "Seaview"
        var stars: Int8 = 4
        var rating: Float = 4.5
        var guests: UInt64 = .max
        var isOpen = true
        var kind = Kind.large
        var opened = Date(timeIntervalSince1970: 1_000_000_000.5)
        var rooms = [Room(number: 1, price: 99.5), Room(number: 2)]
        var tags: [String: [Int]] = ["a": [1, 2], "b": []]
        var note: String?
        var photo: Blob?

        init(id: String? = nil) { self.id = id }
    }

    let test: TemporaryDatabase

    init() throws { test = try TemporaryDatabase() }

    @Test func anObjectIsSavedReadAndSavedAgain() throws {
        let hotel = Hotel()
        hotel.photo = Blob(contentType: "text/plain", data: Data("photo".utf8))
        try test.collection.save(from: hotel)
        let id = try #require(hotel.id)
        let document = try test.document(id)
        #expect(Set(document.keys) == ["name", "stars", "rating", "guests", "isOpen", "kind", "opened", "rooms", "tags", "note", "photo"])
        #expect(document.value(forKey: "note") is NSNull && document.string(forKey: "opened") == "2001-09-09T01:46:40.500Z")
        #expect(document["rooms"][1]["price"].value is NSNull)
        let read = try #require(try test.collection.document(id: id, as: Hotel.self))
        #expect(read.id == id && read.name == "Seaview" && read.stars == 4 && read.rating == 4.5 && read.guests == .max && read.isOpen)
        #expect(read.kind == .large && read.opened == hotel.opened && read.rooms == hotel.rooms && read.tags == hotel.tags)
        #expect(read.note == nil && read.photo?.content == Data("photo".utf8))
        read.note = "new"
        try test.collection.save(from: read)
        #expect(try test.document(id).string(forKey: "note") == "new")
        #expect(try test.collection.document(id: "nobody", as: Hotel.self) == nil)
        try test.collection.delete(for: read)
        #expect(try test.collection.document(id: id) == nil)
        try test.collection.save(from: read)
        try test.collection.purge(for: read)
        #expect(test.collection.count == 0)
        #expect(code { try test.collection.purge(for: Hotel()) } == CBLError.notFound)
    }

    @Test func conflictsAreNoticedAndHandled() throws {
        let hotel = Hotel(id: "hotel")
        try test.collection.save(from: hotel)
        let (one, two) = (try #require(try test.collection.document(id: "hotel", as: Hotel.self)), hotel)
        one.name = "One"
        try test.collection.save(from: one)
        two.name = "Two"
        #expect(try !test.collection.save(from: two, concurrencyControl: .failOnConflict))
        #expect(try !test.collection.delete(for: two, concurrencyControl: .failOnConflict))
        let isSaved = try test.collection.save(from: two) { mine, theirs in
            #expect(mine === two && theirs?.name == "One" && theirs?.id == "hotel")
            mine.name += " and " + (theirs?.name ?? "")
            return true
        }
        #expect(isSaved)
        #expect(try test.document("hotel").string(forKey: "name") == "Two and One")
        // Without a revision, what is there now is what it follows.
        #expect(try test.collection.save(from: Hotel(id: "hotel"), concurrencyControl: .failOnConflict))
    }

    @Test func whatDoesNotFitIsRefused() throws {
        final class NoID: Codable { var name = "" }
        final class Bytes: Codable {
            @DocumentID var id: String?
            var bytes = Data()
            init() {}
        }
        #expect(code { try test.collection.save(from: NoID()) } == CBLError.invalidParameter)
        #expect(code { try test.collection.save(from: Bytes()) } == CBLError.encodingError)
        for (key, value) in [("name", 5), ("stars", 400), ("isOpen", 1), ("kind", "huge"), ("rooms", [1]), ("opened", "today")]
            as [(String, Any)]
        {
            try test.collection.save(from: Hotel(id: "hotel"))
            try test.collection.save(document: try test.document("hotel").toMutable().setValue(value, forKey: key))
            #expect(throws: (any Error).self, "\(key)") { try test.collection.document(id: "hotel", as: Hotel.self) }
        }
        try test.save("hotel", ["name": "only"])
        #expect(code { _ = try test.collection.document(id: "hotel", as: Hotel.self) } == CBLError.decodingError)
        #expect(code { _ = try test.collection.document(id: "hotel", as: NoID.self) } == CBLError.invalidParameter)
    }

    class Base: Codable { var base = 1 }
    final class Derived: Base {
        @DocumentID var id: String?
        var own = 2
        private enum Keys: CodingKey { case id, own }
        override init() { super.init() }
        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            _id = try container.decode(DocumentID.self, forKey: .id)
            own = try container.decode(Int.self, forKey: .own)
            try super.init(from: container.superDecoder())
        }
        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(_id, forKey: .id)
            try container.encode(own, forKey: .own)
            try super.encode(to: container.superEncoder())
        }
    }

    @Test func whatIsInheritedHasAPlaceOfItsOwn() throws {
        let object = Derived()
        object.base = 10
        try test.collection.save(from: object)
        let id = try #require(object.id)
        #expect(try test.document(id)["super"]["base"].int == 10)
        let read = try #require(try test.collection.document(id: id, as: Derived.self))
        #expect(read.base == 10 && read.own == 2 && read.id == id)
    }

    @Test func forOtherCodersAnIDIsAString() throws {
        let data = try JSONEncoder().encode(Hotel(id: "hotel"))
        #expect(String(decoding: data, as: UTF8.self).contains(#""id":"hotel""#))
        #expect(try JSONDecoder().decode(Hotel.self, from: data).id == "hotel")
        let hotel = Hotel()
        hotel.photo = Blob(contentType: "text/plain", data: Data())
        #expect(code { _ = try JSONEncoder().encode(hotel) } == CBLError.encodingError)
    }

    @Test func theIDOfASavedObjectStays() async {
        await #expect(processExitsWith: .failure) {
            let test = try TemporaryDatabase()
            let hotel = Hotel()
            try test.collection.save(from: hotel)
            hotel.id = "other"
        }
    }
}
