import Foundation
import Testing

@testable import CouchbaseLiteSwift

private typealias Expression = CouchbaseLiteSwift.Expression

/// What the query builder denotes in JSON, and that the engine makes of it what was meant.
@Suite struct BuilderTests {
    let scene: QueryScene

    init() throws { scene = try QueryScene() }

    private func json(_ expression: any ExpressionProtocol) -> String { expression.json.text }

    private var name: any PropertyExpressionProtocol { Expression.property("name") }
    private var one: any ExpressionProtocol { Expression.int(1) }

    @Test func operatorsAreWrittenByTheirNames() {
        let a = Expression.property("a.b")
        let expected: [(any ExpressionProtocol, String)] = [
            (a.add(one), #"["+",[".a.b"],1]"#), (a.subtract(one), #"["-",[".a.b"],1]"#), (a.multiply(one), #"["*",[".a.b"],1]"#),
            (a.divide(one), #"["/",[".a.b"],1]"#), (a.modulo(one), #"["%",[".a.b"],1]"#), (a.lessThan(one), #"["<",[".a.b"],1]"#),
            (a.lessThanOrEqualTo(one), #"["<=",[".a.b"],1]"#), (a.greaterThan(one), #"[">",[".a.b"],1]"#),
            (a.greaterThanOrEqualTo(one), #"[">=",[".a.b"],1]"#), (a.equalTo(one), #"["=",[".a.b"],1]"#),
            (a.notEqualTo(one), #"["!=",[".a.b"],1]"#), (a.like(one), #"["LIKE",[".a.b"],1]"#),
            (a.regex(one), #"["regexp_like()",[".a.b"],1]"#),
            (a.is(one), #"["IS",[".a.b"],1]"#), (a.isNot(one), #"["IS NOT",[".a.b"],1]"#), (a.isValued(), #"["IS VALUED",[".a.b"]]"#),
            (a.isNotValued(), #"["NOT",["IS VALUED",[".a.b"]]]"#), (a.and(one), #"["AND",[".a.b"],1]"#), (a.or(one), #"["OR",[".a.b"],1]"#),
            (a.between(one, and: Expression.int(2)), #"["BETWEEN",[".a.b"],1,2]"#),
            (a.in([one, Expression.string("x")]), #"["IN",[".a.b"],["[]",1,"x"]]"#), (Expression.not(a), #"["NOT",[".a.b"]]"#),
            (Expression.negated(a), #"["NOT",[".a.b"]]"#), (a.from("x"), #"[".x.a.b"]"#), (Expression.all(), #"["."]"#),
            (Expression.all().from("x"), #"[".x."]"#), (Expression.parameter("p"), #"["$p"]"#),
        ]
        for (expression, text) in expected { #expect(json(expression) == text) }
    }

    @Test func valuesAreWrittenAsTheyAre() {
        let expected: [(any ExpressionProtocol, String)] = [
            (Expression.value("x"), #""x""#), (Expression.value(nil), "null"), (Expression.value(NSNull()), "null"),
            (Expression.value(NSNumber(value: true)), "true"), (Expression.boolean(false), "false"),
            (Expression.int64(.max), "9223372036854775807"),
            (Expression.float(0.5), "0.5"), (Expression.double(1.25), "1.25"), (Expression.number(nil), "null"),
            (Expression.string(nil), "null"),
            (Expression.date(Date(timeIntervalSince1970: 0)), #""1970-01-01T00:00:00.000Z""#), (Expression.date(nil), "null"),
            (Expression.array([1, "two", [true]]), #"["[]",1,"two",["[]",true]]"#),
            (Expression.array([name]), #"["[]",[".name"]]"#), (Expression.dictionary(["a": name, "b": 1]), #"{"a":[".name"],"b":1}"#),
            (Expression.string("a\"b"), #""a\"b""#),
        ]
        for (expression, text) in expected { #expect(json(expression) == text) }
    }

    @Test func metadataVariablesAndCollations() {
        #expect(json(Meta.id) == #"["._id"]"# && json(Meta.revisionID) == #"["._revisionID"]"# && json(Meta.sequence) == #"["._sequence"]"#)
        #expect(json(Meta.isDeleted.from("x")) == #"[".x._deleted"]"# && json(Meta.expiration) == #"["._expiration"]"#)
        let variable = ArrayExpression.variable("v")
        let any = ArrayExpression.any(variable).in(name).satisfies(ArrayExpression.variable("v.k").equalTo(one))
        #expect(json(any) == #"["ANY","v",[".name"],["=",["?v.k"],1]]"#)
        #expect(json(ArrayExpression.every(variable).in(name).satisfies(variable)) == #"["EVERY","v",[".name"],["?v"]]"#)
        #expect(json(ArrayExpression.anyAndEvery(variable).in(name).satisfies(variable)).hasPrefix(#"["ANY AND EVERY","v""#))
        #expect(
            json(name.collate(Collation.ascii().ignoreCase(true)))
                == #"["COLLATE",{"UNICODE":false,"LOCALE":null,"CASE":false,"DIAC":true},[".name"]]"#)
        #expect(
            json(name.collate(Collation.unicode().ignoreAccents(true).ignoreCase(true).locale("se")))
                == #"["COLLATE",{"UNICODE":true,"LOCALE":"se","CASE":false,"DIAC":false},[".name"]]"#)
    }

    @Test func functionsAreWrittenByTheirNames() {
        #expect(json(Function.count()) == #"["COUNT()",["."]]"# && json(Function.count(one)) == #"["COUNT()",1]"#)
        #expect(json(Function.atan2(y: one, x: name)) == #"["ATAN2()",1,[".name"]]"# && json(Function.e()) == #"["E()"]"#)
        #expect(json(Function.round(name, digits: one)) == #"["ROUND()",[".name"],1]"#)
        #expect(json(Function.power(base: name, exponent: one)) == #"["POWER()",[".name"],1]"#)
        #expect(json(ArrayFunction.contains(name, value: one)) == #"["ARRAY_CONTAINS()",[".name"],1]"#)
        #expect(json(FullTextFunction.match(Expression.fullTextIndex("i").from("x"), query: "q")) == #"["MATCH()","x.i","q"]"#)
        #expect(json(FullTextFunction.rank(Expression.fullTextIndex("i"))) == #"["RANK()","i"]"#)
        #expect(json(Function.squaredEuclideanDistance(between: name, and: one)) == #"["EUCLIDEAN_DISTANCE()",[".name"],1,2]"#)
        #expect(json(Function.prediction(model: "m", input: one)) == #"["PREDICTION()","m",1]"#)
        #expect(json(Function.prediction(model: "m", input: one).property("p")) == #"["PREDICTION()","m",1,".p"]"#)
    }

    @Test func clausesMakeADocument() {
        let query =
            QueryBuilder
            .selectDistinct(SelectResult.property("city"), SelectResult.expression(Function.count()).as("n"))
            .from(DataSource.collection(scene.hotels).as("h"))
            .join(Join.leftJoin(DataSource.collection(scene.hotels).as("o")).on(one), Join.crossJoin(DataSource.collection(scene.hotels)))
            .where(one).orderBy(Ordering.property("city").descending()).limit(one, offset: Expression.int(2))
        #expect(
            String(decoding: query.json, as: UTF8.self)
                == #"{"WHAT":[[".city"],["AS",["COUNT()",["."]],"n"]],"DISTINCT":true,"FROM":[{"COLLECTION":"inventory.hotels","AS":"h"},"#
                + #"{"JOIN":"LEFT OUTER","ON":1,"COLLECTION":"inventory.hotels","AS":"o"},{"JOIN":"CROSS","COLLECTION":"inventory.hotels"}],"#
                + #""WHERE":1,"ORDER_BY":[["DESC",[".city"]]],"LIMIT":1,"OFFSET":2}"#)
        #expect(query.description.hasPrefix("Limit[json={"))
        let all = QueryBuilder.select().from(DataSource.collection(scene.hotels).as("h"))
        #expect(String(decoding: all.json, as: UTF8.self).hasPrefix(#"{"WHAT":[[".h."]],"#))
    }

    private func names(_ query: Query) throws -> [String?] { try query.execute().map { $0.string(at: 0) } }

    private var hotels: any DataSourceProtocol { DataSource.collection(scene.hotels) }
    private var selectName: Select { QueryBuilder.select(SelectResult.property("name")) }

    @Test func queriesFindWhatIsMeant() throws {
        let stars = Expression.property("stars")
        let byName = Ordering.property("name")
        let from = selectName.from(hotels)
        #expect(try names(from.orderBy(byName)) == ["Alpina", "Seaview", "station"])
        #expect(try names(from.where(stars.greaterThan(Expression.int(2))).orderBy(byName.descending())) == ["Seaview", "Alpina"])
        #expect(try names(from.where(name.like(Expression.string("Sea%"))).orderBy(byName)) == ["Seaview"])
        #expect(try names(from.where(name.regex(Expression.string("^[A-Z]"))).orderBy(byName)) == ["Alpina", "Seaview"])
        #expect(try names(from.where(stars.between(Expression.int(4), and: Expression.int(5))).orderBy(byName)) == ["Alpina", "Seaview"])
        #expect(try names(from.where(stars.in([Expression.int(2), Expression.int(9)]))) == ["station"])
        #expect(try names(from.where(Expression.property("note").isNotValued()).orderBy(byName)) == ["Alpina", "Seaview", "station"])
        #expect(try names(from.where(Expression.property("owner").isValued())) == ["Seaview"])
        #expect(try names(from.orderBy(Ordering.expression(name.collate(Collation.unicode().ignoreCase(true))))).last == "station")
        #expect(try names(from.orderBy(byName).limit(one, offset: one)) == ["Seaview"])
        // A step can be gone on with in several ways.
        let kiel = from.where(Expression.property("city").equalTo(Expression.parameter("city")))
        kiel.parameters = Parameters().setString("Kiel", forName: "city")
        #expect(try kiel.execute().allResults().count == 2)
        let ordered = kiel.orderBy(byName)
        #expect(ordered.parameters == nil)
        ordered.parameters = kiel.parameters
        #expect(try names(ordered) == ["Seaview", "station"])
    }

    @Test func arraysAreLookedInto() throws {
        let tag = ArrayExpression.variable("tag")
        let phone = ArrayExpression.variable("phone.type")
        let tags = Expression.property("tags")
        let from = selectName.from(hotels)
        #expect(try names(from.where(ArrayExpression.any(tag).in(tags).satisfies(tag.equalTo(Expression.string("sea"))))) == ["Seaview"])
        let work = ArrayExpression.any(ArrayExpression.variable("phone")).in(Expression.property("phones"))
        #expect(try names(from.where(work.satisfies(phone.equalTo(Expression.string("home"))))) == ["Seaview"])
        let every = ArrayExpression.every(tag).in(tags).satisfies(tag.equalTo(Expression.string("trains")))
        #expect(try names(from.where(every).orderBy(Ordering.property("name"))) == ["Alpina", "station"])
        let both = ArrayExpression.anyAndEvery(tag).in(tags).satisfies(tag.equalTo(Expression.string("trains")))
        #expect(try names(from.where(both)) == ["station"])
        #expect(try names(from.where(ArrayFunction.contains(tags, value: Expression.string("sauna")))) == ["Seaview"])
        #expect(try names(from.where(ArrayFunction.length(tags).equalTo(Expression.int(0)))) == ["Alpina"])
    }

    @Test func groupsAreCounted() throws {
        let city = Expression.property("city")
        let query =
            QueryBuilder.select(
                SelectResult.expression(city), SelectResult.expression(Function.count()),
                SelectResult.expression(Function.max(Expression.property("stars"))).as("best")
            )
            .from(hotels).groupBy(city).having(Function.count().greaterThan(one)).orderBy(Ordering.expression(city))
        let rows = try query.execute().map { $0.toJSON() }
        #expect(rows == [#"{"city":"Kiel","$1":2,"best":4}"#])
    }

    @Test func collectionsAreJoined() throws {
        let cities = try scene.database.createCollection(name: "cities")
        try cities.save(document: MutableDocument(id: "Kiel", data: ["land": "SH"]))
        let query =
            QueryBuilder.select(
                SelectResult.expression(Expression.property("name").from("h")),
                SelectResult.expression(Expression.property("land").from("c"))
            )
            .from(DataSource.collection(scene.hotels).as("h"))
            .join(Join.leftJoin(DataSource.collection(cities).as("c")).on(Meta.id.from("c").equalTo(Expression.property("city").from("h"))))
            .orderBy(Ordering.expression(Expression.property("name").from("h")))
        #expect(
            try query.execute().map { $0.toJSON() } == [
                #"{"name":"Alpina"}"#, #"{"name":"Seaview","land":"SH"}"#, #"{"name":"station","land":"SH"}"#,
            ])
    }

    @Test func metadataCanBeSelected() throws {
        try scene.hotels.setDocumentExpiration(id: "alpina", expiration: Date(timeIntervalSinceNow: 1000))
        let query =
            QueryBuilder.select(
                SelectResult.expression(Meta.id), SelectResult.expression(Meta.sequence), SelectResult.expression(Meta.revisionID),
                SelectResult.expression(Meta.expiration)
            )
            .from(hotels).orderBy(Ordering.expression(Meta.id))
        let rows = try query.execute().allResults()
        #expect(rows.first?.keys == ["id", "sequence", "revisionID", "expiration"])
        #expect(rows.map { $0.string(forKey: "id") } == ["alpina", "seaview", "station"])
        #expect(rows[0].int64(forKey: "expiration") > 1_000_000_000_000 && !rows[1].contains(key: "expiration"))
        #expect(try rows[1].string(forKey: "revisionID") == scene.hotels.document(id: "seaview")?.revisionID)
        let document = try #require(try scene.hotels.document(id: "alpina"))
        try scene.hotels.delete(document: document)
        let deleted = QueryBuilder.select(SelectResult.expression(Meta.id)).from(hotels).where(Meta.isDeleted)
        #expect(try names(deleted) == ["alpina"])
    }

    @Test func allOfThemCanBeComputed() throws {
        let four = Expression.property("stars")
        let expected: [(any ExpressionProtocol, Double)] = [
            (Function.abs(Expression.int(-4)), 4), (Function.ceil(Expression.double(1.2)), 2), (Function.floor(Expression.double(1.8)), 1),
            (Function.round(Expression.double(1.5)), 2), (Function.round(Expression.double(1.25), digits: one), 1.3),
            (Function.trunc(Expression.double(1.9)), 1), (Function.trunc(Expression.double(1.29), digits: one), 1.2),
            (Function.sqrt(four), 2),
            (Function.power(base: four, exponent: Expression.int(2)), 16), (Function.sign(four), 1), (Function.pi(), Double.pi),
            (Function.e(), M_E),
            (Function.exp(one), M_E), (Function.ln(Function.e()), 1), (Function.log(Expression.int(100)), 2),
            (Function.sin(Expression.int(0)), 0),
            (Function.cos(Expression.int(0)), 1), (Function.tan(Expression.int(0)), 0), (Function.asin(Expression.int(0)), 0),
            (Function.acos(one), 0), (Function.atan(Expression.int(0)), 0), (Function.atan2(y: Expression.int(0), x: one), 0),
            (Function.degrees(Function.pi()), 180), (Function.radians(Expression.int(180)), Double.pi), (Function.length(name), 7),
            (four.divide(Expression.int(3)), 1), (four.modulo(Expression.int(3)), 1),
        ]
        let query = QueryBuilder.select(expected.map { SelectResult.expression($0.0) }).from(hotels)
            .where(Meta.id.equalTo(Expression.string("seaview")))
        let row = try #require(try query.execute().next())
        for (column, (expression, value)) in expected.enumerated() {
            #expect(abs(row.double(at: column) - value) < 1e-9, "\(expression.json.text)")
        }
    }

    @Test func textsAndDatesCanBeComputed() throws {
        let text = Expression.string("  Ab ")
        let date = Expression.string("1985-10-26T01:21:30.500Z")
        let expected: [(any ExpressionProtocol, String)] = [
            (Function.lower(text), "  ab "), (Function.upper(text), "  AB "), (Function.trim(text), "Ab"), (Function.ltrim(text), "Ab "),
            (Function.rtrim(text), "  Ab"), (Function.stringToUTC(date), "1985-10-26T01:21:30.500Z"),
            (Function.millisToUTC(Function.stringToMillis(date)), "1985-10-26T01:21:30.500Z"),
        ]
        let query = QueryBuilder.select(
            expected.map { SelectResult.expression($0.0) } + [
                SelectResult.expression(Function.contains(name, substring: Expression.string("view")))
            ]
        ).from(hotels)
            .where(Meta.id.equalTo(Expression.string("seaview")))
        let row = try #require(try query.execute().next())
        for (column, (_, value)) in expected.enumerated() { #expect(row.string(at: column) == value) }
        #expect(row.boolean(at: expected.count))
    }

    @Test func aQueryOfJSONIsTheSame() throws {
        let built = selectName.from(hotels).orderBy(Ordering.property("name"))
        let query = Query(database: scene.database, JSONRepresentation: built.json)
        #expect(try query.execute().map { $0.toJSON() } == built.execute().map { $0.toJSON() })
    }

    @Test func allPropertiesHaveTheNameOfTheSource() throws {
        let query = QueryBuilder.select(SelectResult.all()).from(hotels)
        #expect(try query.execute().next()?.keys == ["hotels"])
        let named = QueryBuilder.select(SelectResult.all().from("h")).from(DataSource.collection(scene.hotels).as("h"))
        #expect(try named.execute().next()?.keys == ["h"])
        #expect(try QueryBuilder.select().from(hotels).execute().next()?.dictionary(at: 0)?.contains(key: "name") == true)
        let renamed = QueryBuilder.select(SelectResult.property("name").as("n")).from(hotels)
        #expect(try renamed.execute().next()?.keys == ["n"])
    }
}
