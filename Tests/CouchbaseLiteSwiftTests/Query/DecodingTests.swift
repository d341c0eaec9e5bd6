import CouchbaseLiteSwift
import Foundation
import Testing

/// Rows as types of the program.
@Suite struct DecodingTests {
    let scene: QueryScene

    init() throws { scene = try QueryScene() }

    private struct Hotel: Decodable, Equatable {
        struct Owner: Decodable, Equatable {
            let first: String
            let last: String
        }

        let name: String
        let stars: Int
        let price: Double
        let open: Bool
        let tags: [String]
        let owner: Owner?
    }

    @Test func columnsBecomeProperties() throws {
        let query = try scene.database.createQuery("SELECT name, stars, price, open, tags, owner FROM inventory.hotels ORDER BY name")
        let hotels = try query.execute().data(as: Hotel.self)
        #expect(hotels.map(\.name) == ["Alpina", "Seaview", "station"] && hotels[1].tags == ["sea", "sauna"] && hotels[0].tags.isEmpty)
        #expect(hotels[1].owner == Hotel.Owner(first: "Ada", last: "Berg") && hotels[0].owner == nil && hotels[1].price == 120.5)
        #expect(try query.execute(as: Hotel.self) == hotels)
        let set = try query.execute()
        #expect(try set.next()?.data(as: Hotel.self) == hotels[0])
        #expect(try set.data(as: Hotel.self) == Array(hotels[1...]))
        #expect(try set.data(as: Hotel.self).isEmpty)
    }

    @Test func aColumnCanHoldTheRest() throws {
        struct Row: Decodable {
            let id: String
            let name: String
            let stars: Int16
        }
        let query = try scene.database.createQuery("SELECT META().id, * FROM inventory.hotels ORDER BY name")
        let rows = try query.execute().data(as: Row.self, dataKey: "hotels")
        #expect(rows.map(\.id) == ["alpina", "seaview", "station"] && rows.map(\.stars) == [5, 4, 2])
        #expect(NSError.of { _ = try query.execute().data(as: Row.self, dataKey: "unknown") }?.code == CBLError.invalidQuery)
        #expect(NSError.of { _ = try query.execute().data(as: Row.self, dataKey: "id") }?.code == CBLError.invalidQuery)
    }

    @Test func columnsComeBeforeWhatTheRestHasUnderTheirName() throws {
        struct Row: Decodable {
            let name: String
            let open: Bool
            let aTitleOfMoreThanSixtyThreeCharactersWhichIsLongerThanAnyoneWouldWrite: Int
        }
        let long = "aTitleOfMoreThanSixtyThreeCharactersWhichIsLongerThanAnyoneWouldWrite"
        let query = try scene.database.createQuery(
            "SELECT 'column' AS name, 'same' AS nope, nothing AS open, 7 AS \(long), * FROM inventory.hotels WHERE META().id = 'seaview'")
        let row = try #require(try query.execute(as: Row.self, dataKey: "hotels").first)
        #expect(row.name == "column" && row.aTitleOfMoreThanSixtyThreeCharactersWhichIsLongerThanAnyoneWouldWrite == 7)
        #expect(try query.execute(as: Hotel.self, dataKey: "hotels").first?.open == row.open)
    }

    @Test func errorsSayWhereTheValueIs() throws {
        struct Part: Decodable {
            let numbers: [Int]
            let texts: [String]?
            let date: Date?
            let blob: Blob?
        }
        struct Row: Decodable { let part: [String: Part] }
        func message(_ part: String) -> String? {
            NSError.of {
                _ = try scene.database.createQuery("SELECT {'a': \(part)} AS part FROM inventory.hotels LIMIT 1").execute(as: Row.self)
            }?.localizedDescription
        }
        #expect(message("{'numbers': [1, 2]}") == nil)
        #expect(message("{'numbers': [1, 'two']}") == #"The value of "part.a.numbers.1" cannot be decoded as Int."#)
        #expect(message("{'numbers': [null]}") == #"There is no value for "part.a.numbers.0"."#)
        #expect(message("{'numbers': 1}") == #"The value of "part.a.numbers" is not an array."#)
        #expect(message("{'texts': ['a']}") == #"There is no value for "part.a.numbers"."#)
        #expect(message("{'numbers': [], 'texts': ['a', 2]}") == #"The value of "part.a.texts.1" cannot be decoded as String."#)
        #expect(message("{'numbers': [], 'date': 'x'}") == #"The value of "part.a.date" cannot be decoded as Date."#)
        #expect(message("{'numbers': [], 'blob': 'x'}") == #"The value of "part.a.blob" cannot be decoded as Blob."#)
        #expect(message("'text'") == #"The value of "part.a" is not a dictionary."#)
    }

    @Test func whatIsNotThereOrOfAnotherTypeIsAnError() throws {
        struct Row<Value: Decodable>: Decodable { let value: Value }
        func error<Value: Decodable>(_ expression: String, _ type: Value.Type) -> Int? {
            NSError.of {
                _ = try scene.database.createQuery("SELECT \(expression) AS value FROM inventory.hotels LIMIT 1").execute(
                    as: Row<Value>.self)
            }?.code
        }
        #expect(error("nothing", Int.self) == CBLError.invalidQuery)
        #expect(error("'text'", Int.self) == CBLError.decodingError)
        #expect(error("300", UInt8.self) == CBLError.decodingError && error("-1", UInt.self) == CBLError.decodingError)
        #expect(error("1.5", Int.self) == CBLError.decodingError && error("1", Bool.self) == CBLError.decodingError)
        #expect(error("'no date'", Date.self) == CBLError.decodingError && error("1", String.self) == CBLError.decodingError)
        #expect(error("1", [Int].self) == CBLError.invalidQuery && error("1", [String: Int].self) == CBLError.invalidQuery)
        #expect(error("[1, 'two']", [Int].self) == CBLError.decodingError)
        #expect(error("1", Int.self) == nil)
        struct Optionals: Decodable {
            let missing: Int?
            let none: Int?
        }
        let rows = try scene.database.createQuery("SELECT missing, NULL AS none FROM inventory.hotels LIMIT 1").execute(as: Optionals.self)
        #expect(rows.count == 1 && rows[0].missing == nil && rows[0].none == nil)
    }

    @Test func specialTypesAreReadAsTheyAreStored() throws {
        enum Kind: String, Decodable { case city, land }
        struct Row: Decodable {
            let date: Date
            let day: Date
            let url: URL
            let decimal: Decimal
            let identifier: UUID
            let kind: Kind
            let numbers: [String: [Int?]]
            let float: Float
        }
        let id = UUID()
        try scene.put(
            "special",
            [
                "date": "2026-11-23T08:00:00Z", "day": "2026-11-23T08:00:00.250Z", "url": "https://example.com/a", "decimal": 0.1,
                "identifier": id.uuidString, "kind": "land", "numbers": ["a": [1, NSNull(), 3]], "float": 0.5,
            ])
        let query = try scene.database.createQuery("SELECT * FROM inventory.hotels AS h WHERE kind IS VALUED")
        let row = try #require(try query.execute(as: Row.self, dataKey: "h").first)
        #expect(row.date == Date(timeIntervalSince1970: 1_795_420_800) && row.day.timeIntervalSince(row.date) == 0.25)
        #expect(row.url.host == "example.com" && row.decimal == Decimal(string: "0.1") && row.identifier == id && row.kind == .land)
        #expect(row.numbers == ["a": [1, nil, 3]] && row.float == 0.5)
    }

    @Test func aSingleColumnStandsForItself() throws {
        let query = try scene.database.createQuery("SELECT stars FROM inventory.hotels ORDER BY stars")
        #expect(try query.execute(as: Int.self) == [2, 4, 5])
        #expect(NSError.of { _ = try query.execute(as: String.self) }?.code == CBLError.decodingError)
    }
}
