import CBLStore
import Testing

@testable import CBLListener

/// CouchDB's queries: selectors, fields, orders and indexes.
@Suite struct RESTFindTests {
    private let server: RESTServer

    init() throws {
        server = try RESTServer.withDatabase()
        let docs = [
            #"{"_id":"a","name":"Casa","stars":4,"tags":["bar","pool"],"address":{"city":"Porto"},"a.b":1}"#,
            #"{"_id":"b","name":"Lodge","stars":2,"tags":[],"address":{"city":"Oslo"},"rooms":[{"beds":2},{"beds":3}]}"#,
            #"{"_id":"c","name":"Inn","stars":null,"rooms":[{"beds":2}]}"#, #"{"_id":"d","name":"it's","open":true,"stars":"five"}"#,
        ]
        #expect(try server.send("POST", "/db/_bulk_docs", "{\"docs\":[\(docs.joined(separator: ","))]}").status == 201)
    }

    private func ids(_ body: String) throws -> [String] {
        let answer = try server.send("POST", "/db/_find", body)
        #expect(answer.status == 200, "\(answer.text)")
        return answer.list("docs", "_id")
    }

    private static let selectors: [(String, [String])] = [
        ("{}", ["a", "b", "c", "d"]), (#"{"name":"Casa"}"#, ["a"]), (#"{"name":"it's"}"#, ["d"]), (#"{"stars":{"$eq":4}}"#, ["a"]),
        (#"{"stars":null}"#, ["c"]), (#"{"stars":{"$ne":4}}"#, ["b", "c", "d"]), (#"{"rooms":{"$ne":4}}"#, ["b", "c"]),
        (#"{"stars":{"$gt":null}}"#, ["a", "b", "d"]), (#"{"stars":{"$gte":null}}"#, ["a", "b", "c", "d"]),
        (#"{"stars":{"$lt":null}}"#, []),
        (#"{"stars":{"$gte":2,"$lt":4}}"#, ["b"]), (#"{"stars":{"$lte":2,"$type":"number"}}"#, ["b"]), (#"{"address.city":"Oslo"}"#, ["b"]),
        (#"{"address":{"city":"Porto"}}"#, ["a"]), (#"{"a\\.b":1}"#, ["a"]), (#"{"$or":[{"stars":4},{"open":true}]}"#, ["a", "d"]),
        (#"{"$and":[{"stars":4},{"name":"Casa"}]}"#, ["a"]), (#"{"$nor":[{"stars":4},{"name":"Inn"}]}"#, ["b", "d"]),
        (#"{"$not":{"open":true}}"#, ["a", "b", "c"]), (#"{"open":{"$not":{"$eq":true}}}"#, ["a", "b", "c"]),
        (#"{"open":{"$exists":true}}"#, ["d"]), (#"{"stars":{"$exists":true},"open":{"$exists":false}}"#, ["a", "b", "c"]),
        (#"{"stars":{"$in":[2,4]}}"#, ["a", "b"]), (#"{"stars":{"$in":[null]}}"#, ["c"]), (#"{"stars":{"$in":[]}}"#, []),
        (#"{"stars":{"$nin":[2,4]}}"#, ["c", "d"]), (#"{"rooms":{"$nin":[1]}}"#, ["b", "c"]), (#"{"tags":{"$all":["pool","bar"]}}"#, ["a"]),
        (#"{"tags":{"$all":["pool","x"]}}"#, []), (#"{"tags":{"$all":[]}}"#, []), (#"{"tags":{"$size":0}}"#, ["b"]),
        (#"{"rooms":{"$elemMatch":{"beds":3}}}"#, ["b"]), (#"{"rooms":{"$allMatch":{"beds":2}}}"#, ["c"]),
        (#"{"tags":{"$elemMatch":{"$eq":"bar"}}}"#, ["a"]), (#"{"tags":{"$allMatch":{"$exists":true}}}"#, ["a"]),
        (#"{"stars":{"$lt":3}}"#, ["b", "c"]), (#"{"stars":{"$gt":1,"$lt":3}}"#, ["b"]), (#"{"stars":{"$mod":[3,1]}}"#, ["a"]),
        (#"{"name":{"$regex":"^[CI]"}}"#, ["a", "c"]), (#"{"name":{"$beginsWith":"L"}}"#, ["b"]),
        (#"{"name":{"$beginsWith":"it'"}}"#, ["d"]),
        (#"{"name":{"$beginsWith":"."}}"#, []), (#"{"stars":{"$beginsWith":"4"}}"#, []),
        (#"{"name":{"$beginsWith":""}}"#, ["a", "b", "c", "d"]), (#"{"stars":{"$type":"string"}}"#, ["d"]),
        (#"{"stars":{"$type":"null"}}"#, ["c"]),
        (#"{"_id":{"$gt":"b"}}"#, ["c", "d"]), (#"{"_id":"a"}"#, ["a"]), (#"{"name":"x' OR 1=1 --"}"#, []),
        (#"{"tags":["bar","pool"]}"#, ["a"]),
        (#"{"x') OR 1=1 --":1}"#, []), (#"{"tags":[]}"#, ["b"]),
    ]

    @Test(arguments: selectors) func selects(selector: String, expected: [String]) throws {
        #expect(try ids(#"{"selector":\#(selector),"sort":["_id"]}"#) == expected)
        // A feed of changes selects the same.
        let changes = try server.send("POST", "/db/_changes?filter=_selector", "{\"selector\":\(selector)}")
        #expect(changes.list("results", "id") == expected, "\(changes.text)")
    }

    /// Of every type, in CouchDB's order of types.
    private static let mixed = ["null", "false", "true", "-42", "0", "42.5", #""a""#, "[]", "[1]", #"{"a":1}"#]

    private static let mixedSelectors: [(String, [Int])] = [
        (#"{"v":false}"#, [1]), (#"{"v":true}"#, [2]), (#"{"v":0}"#, [4]), (#"{"v":{"$eq":0}}"#, [4]), (#"{"v":{"$in":[false]}}"#, [1]),
        (#"{"v":{"$in":[0,[1],{"a":1},null]}}"#, [0, 4, 8, 9]), (#"{"v":{"$ne":0}}"#, [0, 1, 2, 3, 5, 6, 7, 8, 9]),
        (#"{"v":{"$nin":[false,0,{"a":1}]}}"#, [0, 2, 3, 5, 6, 7, 8]), (#"{"v":{"$lt":0}}"#, [0, 1, 2, 3]),
        (#"{"v":{"$lte":0}}"#, [0, 1, 2, 3, 4]), (#"{"v":{"$lt":-50}}"#, [0, 1, 2]), (#"{"v":{"$gt":0}}"#, [5, 6, 7, 8, 9]),
        (#"{"v":{"$gte":0}}"#, [4, 5, 6, 7, 8, 9]), (#"{"v":{"$lt":false}}"#, [0]), (#"{"v":{"$lte":false}}"#, [0, 1]),
        (#"{"v":{"$lt":true}}"#, [0, 1]), (#"{"v":{"$gt":false}}"#, [2, 3, 4, 5, 6, 7, 8, 9]),
        (#"{"v":{"$gte":true}}"#, [2, 3, 4, 5, 6, 7, 8, 9]),
        (#"{"v":{"$gt":true}}"#, [3, 4, 5, 6, 7, 8, 9]), (#"{"v":{"$lt":"a"}}"#, [0, 1, 2, 3, 4, 5]), (#"{"v":{"$gt":"a"}}"#, [7, 8, 9]),
        (#"{"v":{"$lt":[]}}"#, [0, 1, 2, 3, 4, 5, 6]), (#"{"v":{"$gt":[]}}"#, [8, 9]), (#"{"v":{"$gte":[]}}"#, [7, 8, 9]),
        (#"{"v":{"$lt":{}}}"#, [0, 1, 2, 3, 4, 5, 6, 7, 8]), (#"{"v":{"$gt":{}}}"#, [9]), (#"{"v":{"$mod":[2,0]}}"#, [3, 4]),
        (#"{"v":{"$gt":null}}"#, [1, 2, 3, 4, 5, 6, 7, 8, 9]), (#"{"$not":{"v":false}}"#, [0, 2, 3, 4, 5, 6, 7, 8, 9]),
        // Items of arrays, of which the document with the number n has its value alone and behind a text.
        (#"{"l":{"$in":[false]}}"#, [1]), (#"{"l":{"$in":[[1],{"a":1}]}}"#, [8, 9]),
        (#"{"l":{"$nin":[{"a":1},0]}}"#, [0, 1, 2, 3, 5, 6, 7, 8]),
        (#"{"l":{"$all":["x",{"a":1}]}}"#, [9]), (#"{"l":{"$all":[[1]]}}"#, [8]), (#"{"l":{"$all":[null,"x"]}}"#, [0]),
        (#"{"l":{"$all":[0]}}"#, [4]), (#"{"l":{"$elemMatch":{"$eq":{"a":1}}}}"#, [9]), (#"{"l":{"$elemMatch":{"$eq":[]}}}"#, [7]),
        (#"{"l":{"$elemMatch":{"$eq":true}}}"#, [2]), (#"{"l":{"$allMatch":{"$in":["x",{"a":1}]}}}"#, [9]),
        (#"{"l":{"$allMatch":{"$in":["x",null]}}}"#, [0]), (#"{"n":{"$allMatch":{"$eq":null}}}"#, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]),
        (#"{"n":{"$allMatch":{"$eq":1}}}"#, []), (#"{"\\$x":1}"#, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]),
        (#"{"o":{"\\$y.z":{"$gte":8}}}"#, [8, 9]),
    ]

    @Test func valuesOfAllTypesAreComparedAsInCouchDB() throws {
        let docs = Self.mixed.enumerated().map { number, value in
            #"{"_id":"\#(number)","v":\#(value),"l":["x",\#(value)],"n":[null,null],"$x":1,"o":{"$y":{"z":\#(number)}}}"#
        }
        for isIndexed in [false, true] {
            let server = try RESTServer.withDatabase()
            #expect(try server.send("POST", "/db/_bulk_docs", "{\"docs\":[\(docs.joined(separator: ","))]}").status == 201)
            if isIndexed { #expect(try server.send("POST", "/db/_index", #"{"index":{"fields":["v"]},"name":"v"}"#).status == 200) }
            for (selector, expected) in Self.mixedSelectors {
                let answer = try server.send("POST", "/db/_find", #"{"selector":\#(selector),"sort":["_id"]}"#)
                #expect(answer.list("docs", "_id") == expected.map { "\($0)" }, "\(selector) \(answer.text)")
            }
        }
    }

    @Test func ordersAreThoseOfCouchDB() throws {
        var docs = Self.mixed.enumerated().map { number, value in #"{"_id":"\#(9 - number)","v":\#(value),"same":7}"# }
        docs.append(#"{"_id":"none","same":7}"#)
        for isIndexed in [false, true] {
            let server = try RESTServer.withDatabase()
            #expect(try server.send("POST", "/db/_bulk_docs", "{\"docs\":[\(docs.joined(separator: ","))]}").status == 201)
            if isIndexed { #expect(try server.send("POST", "/db/_index", #"{"index":{"fields":["v"]},"name":"v"}"#).status == 200) }
            func sorted(_ sort: String, _ selector: String = "{}") throws -> [String] {
                try server.send("POST", "/db/_find", #"{"selector":\#(selector),"sort":\#(sort)}"#).list("docs", "_id")
            }
            let expected = (0...9).map { "\(9 - $0)" }
            #expect(try sorted(#"["v"]"#) == expected)
            #expect(try sorted(#"[{"v":"desc"}]"#) == expected.reversed())
            #expect(try sorted(#"["v"]"#, #"{"v":{"$gt":true,"$lt":"b"}}"#) == ["6", "5", "4", "3"])
            #expect(try sorted(#"["same","v"]"#) == expected)
            // Among equals their IDs decide.
            #expect(try sorted(#"["same"]"#) == expected.reversed() + ["none"])
            #expect(try sorted(#"[{"same":"desc"}]"#) == ["none"] + expected)
        }
    }

    @Test(arguments: [
        "{}", "[]", #"{"selector":1}"#, #"{"selector":{"$eq":1}}"#, #"{"selector":{"a":{"$nothing":1}}}"#, #"{"selector":{"$and":1}}"#,
        #"{"selector":{"a":{"$in":1}}}"#, #"{"selector":{"a":{"$mod":[0,1]}}}"#, #"{"selector":{"a":{"$size":-1}}}"#,
        #"{"selector":{"a":{"$regex":1}}}"#, #"{"selector":{"a..b":1}}"#, #"{"selector":{},"sort":1}"#,
        #"{"selector":{},"sort":[{"a":"up"}]}"#,
        #"{"selector":{},"fields":1}"#, #"{"selector":{},"limit":-1}"#, #"{"selector":{},"limit":"x"}"#, #"{"selector":{},"bookmark":"x"}"#,
        #"{"selector":{"name":{"$regex":"("}}}"#,
    ])
    func whatIsNoSelectorIsRefused(body: String) throws {
        let answer = try server.send("POST", "/db/_find", body)
        #expect(answer.status == 400 && answer["reason"] != nil, "\(answer.text)")
    }

    @Test func aSelectorThatIsDeepIsRefused() throws {
        let deep = String(repeating: #"{"$not":"#, count: 200) + "{}" + String(repeating: "}", count: 200)
        #expect(try server.send("POST", "/db/_find", "{\"selector\":\(deep)}").status == 400)
    }

    @Test func fieldsAndOrders() throws {
        let answer = try server.send(
            "POST", "/db/_find", #"{"selector":{"stars":{"$gt":1}},"fields":["_id","address.city","name"],"sort":[{"name":"desc"}]}"#)
        #expect(answer["docs.0"] == canonical(#"{"_id":"d","name":"it's"}"#))
        #expect(answer["docs.2"] == canonical(#"{"_id":"a","address":{"city":"Porto"},"name":"Casa"}"#))
    }

    @Test func pagesGoOnWhereTheLastOneEnded() throws {
        let first = try server.send("POST", "/db/_find", #"{"selector":{},"sort":["_id"],"limit":3}"#)
        #expect(first.list("docs", "_id") == ["a", "b", "c"])
        let bookmark = try #require(first["bookmark"])
        let second = try server.send("POST", "/db/_find", #"{"selector":{},"sort":["_id"],"limit":3,"bookmark":"\#(bookmark)"}"#)
        #expect(second.list("docs", "_id") == ["d"])
        #expect(try server.send("POST", "/db/_find", #"{"selector":{"name":"none"}}"#)["bookmark"] == "nil")
    }

    @Test func indexesAreMadeAndUsed() throws {
        let find = #"{"selector":{"stars":{"$gte":3}},"sort":["stars"]}"#
        #expect(try server.send("POST", "/db/_find", find)["warning"] != nil)
        let made = try server.send("POST", "/db/_index", #"{"index":{"fields":["stars"]},"name":"byStars","type":"json"}"#)
        #expect(made["result"] == "created" && made["name"] == "byStars")
        #expect(try server.send("POST", "/db/_index", #"{"index":{"fields":["stars"]},"name":"byStars"}"#)["result"] == "exists")
        #expect(try server.send("POST", "/db/_find", find)["warning"] == nil)
        #expect(try server.send("POST", "/db/_explain", find)["scans"] == "[]")
        let list = try server.get("/db/_index")
        #expect(list["total_rows"] == "2" && list["indexes.1.name"] == "byStars", "\(list.text)")
        #expect(list["indexes.1.def.fields"] == #"[{"stars":"asc"}]"#, "\(list.text)")
        #expect(try server.database().read { try $0.indexes() }.map(\.name) == ["byStars"])
        #expect(try server.send("DELETE", "/db/_index/_design/byStars/json/byStars").status == 200)
        #expect(try server.send("DELETE", "/db/_index/_design/byStars/json/byStars").status == 404)
        let automatic = try server.send("POST", "/db/_index", #"{"index":{"fields":[{"address.city":"asc"},"a\\.b"]}}"#)
        #expect(automatic["result"] == "created")
        #expect(try server.send("POST", "/db/_find", #"{"selector":{"address.city":"Oslo"}}"#)["warning"] == nil)
    }

    @Test func indexesHaveDesignDocuments() throws {
        let made = try server.send("POST", "/db/_index", #"{"index":{"fields":["stars"]},"name":"byStars","ddoc":"hotels"}"#)
        #expect(made["id"] == "_design/hotels" && made["name"] == "byStars", "\(made.text)")
        let again = #"{"index":{"fields":["name"]},"name":"byStars","ddoc":"_design/inns"}"#
        #expect(try server.send("POST", "/db/_index", again)["id"] == "_design/inns")
        #expect(try server.send("POST", "/db/_index", #"{"index":{"fields":["open"]},"name":"plain","ddoc":"plain"}"#).status == 200)
        let list = try server.get("/db/_index")
        #expect(list.list("indexes", "ddoc") == ["null", "_design/hotels", "_design/inns", "_design/plain"], "\(list.text)")
        #expect(list.list("indexes", "name") == ["_all_docs", "byStars", "byStars", "plain"])
        let explained = try server.send("POST", "/db/_explain", #"{"selector":{"stars":{"$gt":3}},"sort":["stars"]}"#)
        #expect(explained["index.ddoc"] == "_design/hotels" && explained["index.name"] == "byStars", "\(explained.text)")
        #expect(try server.send("DELETE", "/db/_index/plain/json/byStars").status == 404)
        #expect(try server.send("DELETE", "/db/_index/_design/hotels/json/byStars").status == 200)
        #expect(try server.send("DELETE", "/db/_index/inns/json/byStars").status == 200)
        #expect(try server.get("/db/_index").list("indexes", "name") == ["_all_docs", "plain"])
        for name in ["", "a/b"] {
            let body = #"{"index":{"fields":["x"]},"name":"n","ddoc":"\#(name)"}"#
            #expect(try server.send("POST", "/db/_index", body).status == 400)
        }
    }

    @Test func indexesOfSomeDocuments() throws {
        let definition = #"{"fields":["stars"],"partial_filter_selector":{"open":true}}"#
        let made = try server.send("POST", "/db/_index", #"{"index":\#(definition),"name":"open"}"#)
        #expect(made["result"] == "created", "\(made.text)")
        #expect(try server.get("/db/_index")["indexes.1.def.where"] != nil)
        let used = #"{"selector":{"open":true,"stars":{"$gt":1}}}"#
        #expect(try server.send("POST", "/db/_explain", used)["index.name"] == "open")
        #expect(try ids(used) == ["d"])
        // What may not be in the index is found all the same, unless the index is asked for.
        let other = #"{"selector":{"stars":{"$gt":1}},"sort":["_id"]}"#
        #expect(try server.send("POST", "/db/_explain", other)["index.name"] == "_all_docs")
        #expect(try ids(other) == ["a", "b", "d"])
        for wish in [#""open""#, #""_design/open""#, #"["_design/open","open"]"#] {
            #expect(try ids(#"{"selector":{"stars":{"$gt":1}},"use_index":\#(wish)}"#) == ["d"], "\(wish)")
        }
        for wish in [#""closed""#, #"["open","closed"]"#, "7", "[]", "null"] {
            #expect(try ids(#"{"selector":{"stars":{"$gt":1}},"sort":["_id"],"use_index":\#(wish)}"#) == ["a", "b", "d"], "\(wish)")
        }
        let bad = #"{"index":{"fields":["stars"],"partial_filter_selector":{"a":{"$nothing":1}}},"name":"bad"}"#
        #expect(try server.send("POST", "/db/_index", bad).status == 400)
    }

    private static let explained: [(String, String)] = [
        ("{}", "{}"), (#"{"a":1}"#, #"{"a":{"$eq":1}}"#), (#"{"a":1,"b":null}"#, #"{"$and":[{"a":{"$eq":1}},{"b":{"$eq":null}}]}"#),
        (#"{"a":{"$gte":2,"$lt":4}}"#, #"{"$and":[{"a":{"$gte":2}},{"a":{"$lt":4}}]}"#),
        (#"{"a":{"b":{"c":"x"}}}"#, #"{"a.b.c":{"$eq":"x"}}"#),
        (#"{"$or":[{"a":1},{"$not":{"b":2}}]}"#, #"{"$or":[{"a":{"$eq":1}},{"$not":{"b":{"$eq":2}}}]}"#),
        (#"{"a":{"$not":{"$eq":2}}}"#, #"{"$not":{"a":{"$eq":2}}}"#), (#"{"a":{}}"#, #"{"a":{"$eq":{}}}"#),
        (#"{"a":{"$elemMatch":{"$eq":"bar"}}}"#, #"{"a":{"$elemMatch":{"$eq":"bar"}}}"#),
    ]

    @Test(arguments: explained) func explainsInFullWords(selector: String, full: String) throws {
        let answer = try server.send("POST", "/db/_explain", #"{"selector":\#(selector)}"#)
        #expect(answer["selector"] == canonical(full), "\(answer.text)")
    }

    @Test func explainsWhatClientsExpect() throws {
        let body =
            #"{"selector":{"name":"Casa"},"fields":["name","_id"],"sort":[{"name":"desc"}],"limit":7,"skip":2,"use_index":["d","n"]}"#
        let answer = try server.send("POST", "/db/_explain", body)
        #expect(answer["dbname"] == "db" && answer["limit"] == "7" && answer["skip"] == "2" && answer["partitioned"] == "false")
        #expect(answer["fields"] == #"["name","_id"]"# && answer["opts.fields"] == #"["name","_id"]"#)
        #expect(answer["index"] == canonical(#"{"ddoc":null,"name":"_all_docs","type":"special","def":{"fields":[{"_id":"asc"}]}}"#))
        #expect(answer["opts.use_index"] == #"["d","n"]"# && answer["opts.sort"] == #"{"name":"desc"}"# && answer["opts.limit"] == "7")
        #expect(answer["opts.bookmark"] == "nil" && answer["query.sql"] != nil)
        #expect(try server.send("POST", "/db/_explain", #"{"selector":{}}"#)["fields"] == "all_fields")
        let refused = try server.send("POST", "/db/_explain", #"{"selector":{"a":{"$keyMapMatch":{"$eq":"b"}}}}"#)
        #expect(refused.status == 400 && refused["reason"]?.contains("$keyMapMatch") == true)
    }

    @Test(arguments: [
        "{}", #"{"index":{}}"#, #"{"index":{"fields":[]}}"#, #"{"index":{"fields":[1]}}"#, #"{"index":{"fields":["a"]},"type":"text"}"#,
        #"{"index":{"fields":[""]}}"#,
    ])
    func whatIsNoIndexIsRefused(body: String) throws { #expect(try server.send("POST", "/db/_index", body).status == 400) }
}
