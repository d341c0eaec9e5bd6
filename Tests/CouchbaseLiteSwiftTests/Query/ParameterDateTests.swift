import CouchbaseLiteSwift
import Testing

@Suite struct ParameterDateTests {
    private let date = Date(timeIntervalSince1970: 1_483_228_800)

    @Test func aDateComesBackAsADate() {
        let parameters = Parameters().setDate(date, forName: "set").setValue(date, forName: "any").setString("2017", forName: "text")
        for copy in [parameters, Parameters(parameters: parameters)] {
            #expect(copy.value(forName: "set") as? Date == date)
            #expect(copy.value(forName: "any") as? Date == date)
            #expect(copy.value(forName: "text") as? String == "2017")
        }
        #expect(parameters.setString("later", forName: "set").value(forName: "set") as? String == "later")
        #expect(parameters.setDate(nil, forName: "any").value(forName: "any") == nil)
    }

    @Test func aQueryTakesItAsText() throws {
        let test = try TemporaryDatabase()
        try test.save("doc", ["date": date])
        let query = try test.database.createQuery("SELECT $day AS day FROM _ WHERE date = $day")
        query.parameters = Parameters().setDate(date, forName: "day")
        #expect(query.parameters?.value(forName: "day") as? Date == date)
        let row = try #require(try query.execute().next())
        #expect(row.string(forKey: "day") == "2017-01-01T00:00:00.000Z")
        #expect(row.date(forKey: "day") == date)
    }
}
