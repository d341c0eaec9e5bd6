import CouchbaseLiteSwift
import Testing

@Suite struct DocumentTests {
    let test: TemporaryDatabase

    init() throws { test = try TemporaryDatabase() }

    /// One of every kind, as it comes back.
    @Test func everyKindOfValueComesBack() throws {
        let date = Date(timeIntervalSince1970: 1_700_000_000.123)
        let document = MutableDocument(id: "all")
        document.setString("text", forKey: "string").setInt(-5, forKey: "int").setInt64(.min, forKey: "smallest")
            .setInt64(.max, forKey: "largest").setNumber(NSNumber(value: UInt64.max), forKey: "unsigned").setDouble(1.25, forKey: "double")
            .setFloat(0.1, forKey: "float").setBoolean(true, forKey: "true").setBoolean(false, forKey: "false").setDate(
                date, forKey: "date"
            )
            .setValue(nil, forKey: "null").setValue(["a", 1, ["b": NSNull()]] as [Any], forKey: "array")
            .setValue(["x": ["y": 2.5]] as [String: Any], forKey: "dictionary").setBlob(nil, forKey: "noBlob")
        try test.collection.save(document: document)
        for read in [document, try test.document("all")] as [Document] {
            #expect(read.count == 14)
            #expect(read.string(forKey: "string") == "text")
            #expect(read.int(forKey: "int") == -5)
            #expect(read.int64(forKey: "smallest") == .min)
            #expect(read.int64(forKey: "largest") == .max)
            #expect(read.number(forKey: "unsigned")?.uint64Value == .max)
            #expect(read.double(forKey: "double") == 1.25)
            #expect(read.float(forKey: "float") == 0.1)
            #expect(read.value(forKey: "float") as? Float == 0.1)
            #expect(read.boolean(forKey: "true"))
            #expect(!read.boolean(forKey: "false"))
            #expect(read.value(forKey: "true") as? Bool == true)
            #expect(read.date(forKey: "date") == date)
            #expect(read.string(forKey: "date") == "2023-11-14T22:13:20.123Z")
            #expect(read.value(forKey: "null") is NSNull)
            #expect(read.contains(key: "null") && !read.contains(key: "nothing"))
            #expect(read.array(forKey: "array")?.dictionary(at: 2)?.contains(key: "b") == true)
            #expect(read["dictionary"]["x"]["y"].double == 2.5)
            #expect(!read["dictionary"]["z"]["y"].exists)
            #expect(read["array"][1].int == 1 && !read["array"][3].exists)
            #expect(Set(read.keys) == Set(read.toDictionary().keys))
        }
    }

    /// Unicode writes "é" in two ways, which Swift takes for the same.
    @Test func namesThatLookTheSameAreNot() throws {
        let (one, two) = ("\u{e9}", "e\u{301}")
        let many = (0..<20).map { "\"p\($0)\":\($0)" }.joined(separator: ",")
        for others in ["\"p\":0", many] {
            let document = try MutableDocument(id: "doc", json: "{\"\(one)\":1,\"\(two)\":2,\(others)}")
            #expect(document.int(forKey: one) == 1 && document.int(forKey: two) == 2)
            try test.collection.save(document: document)
            let read = try test.document("doc").toMutable()
            try test.collection.save(document: read.setInt(3, forKey: one))
            #expect(try test.document("doc").int(forKey: one) == 3 && test.document("doc").int(forKey: two) == 2)
            try test.collection.save(document: read.removeValue(forKey: two))
            #expect(try test.document("doc").int(forKey: one) == 3 && !test.document("doc").contains(key: two))
            #expect(read.count == document.count - 1)
        }
    }

    /// The table of conversions, for what is stored and for what is only set.
    @Test func valuesAreConvertedByTheTable() throws {
        let properties: [String: Any] = [
            "text": "17", "false text": "false", "one": 1, "more": 1.99, "less": -1.99, "yes": true, "null": NSNull(), "list": [Any](),
            "object": [String: Any](),
            "large": 1e300,
        ]
        let document = try test.save("doc", properties)
        for read in [document, try test.document("doc")] as [Document] {
            #expect(read.int(forKey: "text") == 0 && read.double(forKey: "text") == 0 && read.number(forKey: "text") == nil)
            #expect(read.boolean(forKey: "text") && read.boolean(forKey: "false text"))
            #expect(read.string(forKey: "one") == nil && read.double(forKey: "one") == 1 && read.boolean(forKey: "one"))
            #expect(read.int(forKey: "more") == 1 && read.int(forKey: "less") == -1)
            #expect(read.int64(forKey: "large") == .max)
            #expect(read.int(forKey: "yes") == 1 && read.double(forKey: "yes") == 1 && read.number(forKey: "yes") == 1)
            #expect(read.number(forKey: "null") == nil && !read.boolean(forKey: "null") && read.string(forKey: "null") == nil)
            #expect(read.boolean(forKey: "list") && read.boolean(forKey: "object") && read.int(forKey: "object") == 0)
            #expect(read.array(forKey: "object") == nil && read.dictionary(forKey: "list") == nil)
            #expect(read.date(forKey: "text") == nil && read.date(forKey: "one") == nil)
        }
    }

    @Test func aNestedContainerIsTheSameObjectEachTime() throws {
        let document = try test.save("doc", ["list": [1, [2]] as [Any], "object": ["deep": ["value": 1]]])
        for read in [document, try test.document("doc")] as [Document] {
            #expect(read.array(forKey: "list") === read.array(forKey: "list"))
            #expect(
                read.dictionary(forKey: "object")?.dictionary(forKey: "deep")
                    === read.dictionary(forKey: "object")?.dictionary(forKey: "deep"))
        }
        let mutable = try test.document("doc").toMutable()
        mutable.dictionary(forKey: "object")?.dictionary(forKey: "deep")?.setInt(2, forKey: "value")
        mutable.array(forKey: "list")?.array(at: 1)?.addString("new")
        mutable["list"][0].string = "first"
        mutable["list"][7].string = "beyond"
        mutable["object"]["new"].int = 3
        mutable["nowhere"]["new"].int = 3
        try test.collection.save(document: mutable)
        let expected: [String: Any] = [
            "list": ["first", [2, "new"]] as [Any], "object": ["deep": ["value": 2], "new": 3] as [String: Any],
        ]
        #expect(NSDictionary(dictionary: try test.document("doc").toDictionary()).isEqual(to: expected))
    }

    @Test func aContainerThatCanChangeIsSharedAndAnotherIsCopied() throws {
        let shared = MutableDictionaryObject().setInt(1, forKey: "value")
        let document = MutableDocument(id: "doc").setDictionary(shared, forKey: "one").setDictionary(shared, forKey: "two")
        shared.setInt(2, forKey: "value")
        try test.collection.save(document: document)
        let stored = try test.document("doc")
        #expect(stored["one"]["value"].int == 2 && stored["two"]["value"].int == 2)
        let copy = MutableDocument(id: "copy").setDictionary(stored.dictionary(forKey: "one"), forKey: "one")
        copy.dictionary(forKey: "one")?.setInt(3, forKey: "value")
        #expect(stored["one"]["value"].int == 2 && copy["one"]["value"].int == 3)
        let independent = try #require(copy.dictionary(forKey: "one")).toMutable()
        independent.setInt(4, forKey: "value")
        #expect(copy["one"]["value"].int == 3)
    }

    @Test func propertiesAreRemovedAndReplaced() throws {
        try test.save("doc", ["a": 1, "b": 2, "c": 3])
        let document = try test.document("doc").toMutable()
        document.removeValue(forKey: "a").removeValue(forKey: "nothing").setInt(5, forKey: "b").setInt(6, forKey: "d")
        #expect(document.count == 3 && Set(document.keys) == ["b", "c", "d"] && !document.contains(key: "a"))
        document.setInt(1, forKey: "a").removeValue(forKey: "d")
        try test.collection.save(document: document)
        #expect(try test.document("doc").toDictionary() as? [String: Int] == ["a": 1, "b": 5, "c": 3])
        document.setData(["z": [1, 2]])
        #expect(document.count == 1 && document.keys == ["z"])
        try test.collection.save(document: document)
        #expect(try test.document("doc").toJSON() == #"{"z":[1,2]}"#)
    }

    @Test func manyPropertiesAreFoundAsFewAre() throws {
        let document = MutableDocument(id: "many")
        for number in 0..<500 { document.setInt(number, forKey: "property \(number)") }
        for number in stride(from: 0, to: 500, by: 3) { document.removeValue(forKey: "property \(number)") }
        try test.collection.save(document: document)
        let stored = try test.document("many")
        #expect(stored.count == 333 && stored == document)
        for number in 0..<500 { #expect(stored.int(forKey: "property \(number)") == (number % 3 == 0 ? 0 : number)) }
    }

    @Test(arguments: ["", "{", "[1]", "17", #"{"a":}"#, "{\"a\":1} x", #"{"a":"\ud800"#])
    func whatIsNoJSONObjectIsRefused(_ json: String) throws {
        #expect(code { _ = try MutableDocument(json: json) } == CBLError.invalidJSON)
        let document = MutableDocument(data: ["kept": 1])
        #expect(code { try document.setJSON(json) } == CBLError.invalidJSON)
        #expect(document.int(forKey: "kept") == 1)
    }

    @Test func jsonKeepsWhatItSays() throws {
        let json = #"{"big":9223372036854775807,"empty":{},"float":12345.0,"list":[null,true,"ü\n"],"small":-9223372036854775808}"#
        let document = try MutableDocument(id: "json", json: json)
        document.array(forKey: "list")?.addInt(5)
        document.array(forKey: "list")?.removeValue(at: 3)
        try test.collection.save(document: document)
        #expect(try test.document("json").toJSON() == json)
        #expect(try MutableArrayObject(json: "[1,[2]]").toMutable().array(at: 1)?.int(at: 0) == 2)
        #expect(try MutableDictionaryObject(json: "{}").count == 0)
    }

    @Test func equalDocumentsAreEqual() throws {
        let one = try test.save("doc", ["number": 1, "list": [1.0, "a"] as [Any], "object": ["a": NSNull()]])
        let two = try test.document("doc")
        #expect(one == two && one.hashValue == two.hashValue)
        let three = two.toMutable().setDouble(1, forKey: "number")
        #expect(three == two && three.hashValue == two.hashValue)
        #expect(three.setBoolean(true, forKey: "number") != two)
        #expect(try test.save("other", two.toDictionary()) != two)
        #expect(two.dictionary(forKey: "object") == one.dictionary(forKey: "object"))
        #expect(two.array(forKey: "list") != MutableArrayObject(data: [1, "b"]))
    }

    @Test func goingThroughGivesKeysAndValues() throws {
        try test.save("doc", ["a": 1, "b": [1, "x", true] as [Any]])
        let document = try test.document("doc")
        #expect(document.map { $0 }.sorted() == ["a", "b"])
        let values = try #require(document.array(forKey: "b")).map { $0 }
        #expect(values.count == 3 && values[0] as? Int == 1 && values[1] as? String == "x" && values[2] as? Bool == true)
    }

    @Test(
        arguments: [
            ("1985-10-26", nil), ("1985-10-26T01:21:30.955Z", 499_137_690.955), ("1985-10-26T01:21:30+04:30", 499_121_490),
            ("1985-10-26 01:21Z", 499_137_660), ("1985-10-26T01:21:30.9550-0500", 499_155_690.955),
        ] as [(String, Double?)])
    func datesAreRead(_ text: String, _ seconds: Double?) throws {
        let date = MutableDocument(data: ["date": text]).date(forKey: "date")
        #expect(date != nil)
        if let seconds { #expect(date?.timeIntervalSince1970 == seconds) }
    }

    @Test(arguments: ["", "today", "1985-13-01", "1985-10-26T25:00Z", "85-10-26", "1985-10-26T01:21:30+4"])
    func whatIsNoDateIsNil(_ text: String) { #expect(MutableDocument(data: ["date": text]).date(forKey: "date") == nil) }

    @Test func valuesThatCannotBeStoredEndTheProgram() async {
        await #expect(processExitsWith: .failure) { MutableDocument().setValue(URL(string: "http://a"), forKey: "url") }
        await #expect(processExitsWith: .failure) { MutableArrayObject().setInt(1, at: 0) }
        await #expect(processExitsWith: .failure) { _ = MutableArrayObject(data: [1]).value(at: 1) }
        await #expect(processExitsWith: .failure) { _ = MutableDocument().toJSON() }
    }

    /// Foundation's formatters round as well: a text of theirs is to be the same.
    @Test(arguments: [(0.8244, "20.824"), (0.8246, "20.825"), (0.9996, "21.000"), (0, "20.000")])
    func datesAreWrittenToTheNearestMillisecond(_ fraction: Double, _ seconds: String) {
        let document = MutableDocument().setDate(Date(timeIntervalSinceReferenceDate: 800_000_000 + fraction), forKey: "date")
        #expect(document.string(forKey: "date") == "2026-05-09T06:13:\(seconds)Z")
    }

    @Test func theKeysOfJSONAreSorted() throws {
        // The database numbers keys as they come: here not by the alphabet.
        for key in ["delta", "charlie", "bravo", "alpha"] { try test.save(key, [key: 0]) }
        try test.save("all", ["alpha": ["delta": 1, "bravo": 2], "delta": 3, "charlie": 4, "bravo": 5])
        let document = try test.document("all")
        #expect(document.toJSON() == #"{"alpha":{"bravo":2,"delta":1},"bravo":5,"charlie":4,"delta":3}"#)
        #expect(document.dictionary(forKey: "alpha")?.toJSON() == #"{"bravo":2,"delta":1}"#)
    }
}
