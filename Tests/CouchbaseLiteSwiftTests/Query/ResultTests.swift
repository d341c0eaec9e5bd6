import CouchbaseLiteSwift
import Foundation
import Testing

/// Rows, and what their columns are as each type.
@Suite struct ResultTests {
    let scene: QueryScene

    init() throws { scene = try QueryScene() }

    private func row(_ columns: String) throws -> Result {
        let query = try scene.database.createQuery("SELECT \(columns) FROM inventory.hotels AS h WHERE META(h).id = 'seaview'")
        return try #require(try query.execute().next())
    }

    @Test func columnsAreReadAsEachType() throws {
        let row = try row("name, stars, price, open, tags, owner, nothing, NULL AS none, '2026-11-23T08:00:00Z' AS date")
        #expect(row.count == 9)
        #expect(row.string(at: 0) == "Seaview" && row.string(forKey: "name") == "Seaview" && row.string(at: 1) == nil)
        #expect(row.int(at: 1) == 4 && row.int64(forKey: "stars") == 4 && row.double(at: 1) == 4 && row.float(forKey: "stars") == 4)
        #expect(row.double(forKey: "price") == 120.5 && row.int(at: 2) == 120 && row.float(at: 2) == 120.5)
        #expect(row.boolean(at: 3) && row.boolean(forKey: "open") && row.number(at: 3) == NSNumber(value: true))
        #expect(row.array(at: 4)?.toArray() as? [String] == ["sea", "sauna"] && row.array(forKey: "tags")?.count == 2)
        #expect(row.dictionary(at: 5)?.string(forKey: "first") == "Ada" && row.dictionary(forKey: "owner")?.count == 2)
        #expect(row.value(at: 6) == nil && row.value(forKey: "nothing") == nil && row.int(at: 6) == 0 && !row.boolean(at: 6))
        #expect(row.value(at: 7) == nil && row.value(forKey: "none") == nil)
        #expect(row.date(at: 8) == Date(timeIntervalSince1970: 1_795_420_800) && row.date(forKey: "name") == nil)
        #expect(row.value(at: 0) as? String == "Seaview" && row.value(at: 1) as? Int == 4 && row.value(forKey: "price") as? Double == 120.5)
        #expect(row.string(forKey: "unknown") == nil && row.int(forKey: "unknown") == 0 && row.array(forKey: "name") == nil)
    }

    @Test func whatIsMissingIsNotThereAndNullIs() throws {
        let row = try row("name, nothing, NULL AS none")
        #expect(row.keys == ["name", "nothing", "none"])
        #expect(row.contains(key: "name") && !row.contains(key: "nothing") && row.contains(key: "none") && !row.contains(key: "unknown"))
        #expect(row.toJSON() == #"{"name":"Seaview","none":null}"#)
        #expect(Set(row.toDictionary().keys) == ["name", "none"] && row.toDictionary()["none"] is NSNull)
        let array = row.toArray()
        #expect(array.count == 3 && array[1] is NSNull && array[2] is NSNull)
    }

    @Test func fragmentsLeadIntoColumns() throws {
        let row = try row("owner, tags, name")
        #expect(row["owner"]["last"].string == "Berg" && row[1][1].string == "sauna" && row[2].string == "Seaview")
        #expect(row[9].value == nil && !row["unknown"].exists && row["owner"]["none"]["deeper"].value == nil)
    }

    @Test func aRowGoesThroughItsColumns() throws {
        let row = try row("name, stars")
        #expect(Array(row) == ["name", "stars"])
    }

    @Test func columnsAreNamedAsTheyAreSelected() throws {
        #expect(try row("name, owner.last, stars + 1, META(h).id, price * 2, stars AS s").keys == ["name", "last", "$1", "id", "$2", "s"])
        #expect(try scene.database.createQuery("SELECT * FROM inventory.hotels").execute().next()?.keys == ["hotels"])
        #expect(try scene.database.createQuery("SELECT * FROM inventory.hotels AS h").execute().next()?.keys == ["h"])
        try scene.putNumbers(1)
        #expect(try scene.database.createQuery("SELECT * FROM _").execute().next()?.keys == ["_"])
        #expect(try scene.database.createQuery("SELECT * FROM _default").execute().next()?.keys == ["_default"])
        #expect(try scene.database.createQuery("SELECT * FROM travel").execute().next()?.keys == ["travel"])
    }

    @Test func allPropertiesAreOneDictionary() throws {
        let row = try row("*")
        #expect(row.dictionary(at: 0)?.string(forKey: "name") == "Seaview")
        #expect(row.dictionary(at: 0)?.array(forKey: "phones")?.dictionary(at: 1)?.string(forKey: "number") == "2")
        #expect(row.toJSON().hasPrefix(#"{"h":{"#))
    }

    @Test func whatARowGaveOutlivesIt() throws {
        var owner: DictionaryObject?
        do { owner = try row("owner").dictionary(at: 0) }
        try scene.hotels.purge(id: "seaview")
        try scene.database.close()
        #expect(owner?.toJSON() == #"{"first":"Ada","last":"Berg"}"#)
    }

    @Test func blobsAreFoundInRows() throws {
        let blob = Blob(contentType: "text/plain", data: Data("content".utf8))
        try scene.put("picture", ["picture": blob])
        let query = try scene.database.createQuery("SELECT picture FROM inventory.hotels WHERE picture IS VALUED")
        let row = try #require(try query.execute().next())
        #expect(row.blob(at: 0)?.content == Data("content".utf8) && row.blob(forKey: "picture")?.contentType == "text/plain")
        #expect(row.value(at: 0) is Blob && row.toDictionary()["picture"] is Blob && row.dictionary(at: 0) == nil)
    }

    @Test func integersOf64BitsStayWhole() throws {
        try scene.put("large", ["large": Int64.max, "small": Int64.min])
        let query = try scene.database.createQuery("SELECT large, small FROM inventory.hotels WHERE large IS VALUED")
        let row = try #require(try query.execute().next())
        #expect(row.int64(at: 0) == .max && row.int64(at: 1) == .min)
        #expect(row.value(at: 0) as? Int64 == .max)
    }
}
