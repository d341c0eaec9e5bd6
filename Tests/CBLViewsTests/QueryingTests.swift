import CBLFleece
import CBLFunctions
import CBLStore
import CBLTestSupport
import Testing

@testable import CBLViews

@Suite struct QueryingTests {
    /// Documents `a` to `j` with numbers from 0.
    private func numbers() throws -> ViewDatabase {
        let test = try ViewDatabase()
        for (number, letter) in "abcdefghij".enumerated() { try test.put(String(letter), #"{"n":\#(number / 2),"v":\#(number)}"#) }
        return test
    }

    private func ids(_ test: ViewDatabase, _ view: ViewDefinition = .of("n"), _ change: (inout ViewQuery) -> Void) throws -> String {
        var query = ViewQuery()
        change(&query)
        let list = try test.index.rows(view, query)
        return (0..<list.count).map { list.documentID($0) }.joined()
    }

    @Test func rangesAndTheirEnds() throws {
        let test = try numbers()
        #expect(try ids(test) { $0.startKey = 1 } == "cdefghij")
        #expect(try ids(test) { ($0.startKey, $0.endKey) = (1, 2) } == "cdef")
        #expect(try ids(test) { ($0.startKey, $0.endKey, $0.inclusiveStart) = (1, 2, false) } == "ef")
        #expect(try ids(test) { ($0.startKey, $0.endKey, $0.inclusiveEnd) = (1, 2, false) } == "cd")
        #expect(try ids(test) { ($0.startKey, $0.startKeyDocumentID) = (1, "d") } == "defghij")
        #expect(try ids(test) { ($0.endKey, $0.endKeyDocumentID) = (1, "c") } == "abc")
        #expect(try ids(test) { ($0.startKey, $0.endKey, $0.inclusiveEnd, $0.endKeyDocumentID) = (0, 1, false, "d") } == "ab")
    }

    @Test func descendingRangesBeginAtTheUpperEnd() throws {
        let test = try numbers()
        #expect(try ids(test) { $0.descending = true } == "jihgfedcba")
        #expect(try ids(test) { ($0.startKey, $0.endKey, $0.descending) = (2, 1, true) } == "fedc")
        #expect(try ids(test) { ($0.startKey, $0.inclusiveStart, $0.descending) = (2, false, true) } == "dcba")
        #expect(try ids(test) { ($0.startKey, $0.startKeyDocumentID, $0.descending) = (2, "e", true) } == "edcba")
        #expect(try ids(test) { ($0.startKey, $0.descending) = (1, true) } == "dcba")
    }

    @Test func keysGiveTheirRowsInTheirOrder() throws {
        let test = try numbers()
        #expect(try ids(test) { $0.keys = [3, 99, 0, 3] } == "ghabgh")
        #expect(try ids(test) { ($0.keys, $0.skip, $0.limit) = ([3, 0], 1, 2) } == "ha")
        #expect(try ids(test) { ($0.keys, $0.descending) = ([3, 0], true) } == "hgba")
        #expect(try ids(test) { $0.keys = [] } == "")
    }

    @Test func skipAndLimitCountAfterFilteringAndSorting() throws {
        let test = try numbers()
        #expect(try ids(test) { ($0.skip, $0.limit) = (2, 3) } == "cde")
        #expect(try ids(test) { $0.limit = 0 } == "")
        #expect(
            try ids(test, .of("n", "v")) { query in
                query.postFilter = { try $0.withValue { $0.integer.map { $0 % 2 == 1 } ?? false } }
                (query.skip, query.limit) = (1, 2)
            } == "df")
        #expect(try ids(test, .of("n", "v")) { ($0.sort, $0.skip, $0.limit) = ([ViewSort("value", descending: true)], 1, 2) } == "ih")
        #expect(try ids(test) { $0.sort = [ViewSort("key", descending: true), ViewSort("id")] } == "ijghefcdab")
        #expect(throws: ViewError.self) { try ids(test) { $0.sort = [ViewSort("size")] } }
    }

    static let prefixes: [(QueryKey, Int, String)] = [
        ("ab", 1, "cd"), ("a", 1, "abcd"), (["x"], 1, "fgh"), (["x", "a"], 1, "g"), (["x", "a"], 2, "gh"), (5, 1, "e"),
    ]

    @Test(arguments: JSONCollation.allCases, prefixes) func prefixesMatch(_ collation: JSONCollation, _ item: (QueryKey, Int, String))
        throws
    {
        let test = try ViewDatabase()
        let keys = [#""a""#, #""aa""#, #""ab""#, #""abc""#, "5", #"["x"]"#, #"["x","a"]"#, #"["x","ab"]"#, #"["y"]"#, #""b""#]
        for (letter, key) in zip("abcdefghij", keys) { try test.put(String(letter), #"{"k":\#(key)}"#) }
        let view = ViewDefinition("k", version: "1", collation: collation) { $1.emit($0["k"]) }
        var query = ViewQuery(startKey: item.0, endKey: item.0)
        query.prefixMatchLevel = item.1
        let list = try test.index.rows(view, query)
        #expect((0..<list.count).map { list.documentID($0) }.joined() == item.2)
        if item.0.data.withRoot({ $0.stringBytes != nil }) {
            query.descending = true
            #expect(try test.index.rows(view, query).count == item.2.count)
        }
    }

    private func sales() throws -> ViewDatabase {
        let test = try ViewDatabase()
        let rows = [
            ("DE", "Berlin", "3"), ("DE", "Bonn", "4"), ("de", "Ulm", "1.5"), ("FR", "Paris", "5"), ("FR", "Paris", "null"),
            ("FR", "Lyon", "2"),
        ]
        for (number, row) in rows.enumerated() { try test.put("d\(number)", #"{"c":"\#(row.0)","t":"\#(row.1)","v":\#(row.2)}"#) }
        return test
    }

    private func byPlace(_ reduce: Reduction?) -> ViewDefinition {
        ViewDefinition("place", version: "1", reduction: reduce) { $1.emit([$0["c"].item, $0["t"].item], $0["v"].item) }
    }

    @Test func groupsAreReduced() throws {
        let test = try sales()
        var query = ViewQuery()
        #expect(try test.rows(byPlace(.builtIn(.sum)), query) == ["null 15.5"])
        query.groupLevel = 1
        #expect(try test.rows(byPlace(.builtIn(.sum)), query) == [#"["de"] 1.5"#, #"["DE"] 7"#, #"["FR"] 7"#])
        #expect(try test.rows(byPlace(.builtIn(.count)), query) == [#"["de"] 1"#, #"["DE"] 2"#, #"["FR"] 3"#])
        query.groupLevel = 2
        #expect(try test.rows(byPlace(.builtIn(.count)), query).last == #"["FR","Paris"] 2"#)
        #expect(try test.rows(byPlace(nil), query).last == #"["FR","Paris"] null"#)
        query.groupLevel = 0
        query.group = true
        #expect(try test.rows(byPlace(.builtIn(.max)), query).first == #"["de","Ulm"] 1.5"#)
        // Of the underlying rows, as in 1.x.
        (query.group, query.limit) = (false, 2)
        #expect(try test.rows(byPlace(.builtIn(.sum)), query) == ["null 4.5"])
        query = ViewQuery(startKey: ["XX"])
        #expect(try test.rows(byPlace(.builtIn(.sum)), query) == [])
    }

    static let reductions: [(BuiltInReduction, String)] = [
        (.count, "3"), (.sum, "-52.8584"), (.min, "-75"), (.max, "19"), (.median, "3.1416"), (.average, "-17.619466666666668"),
        (.stats, #"{"count":3,"sum":-52.8584,"sumsqr":5995.86965056,"min":-75,"max":19}"#),
    ]

    @Test(arguments: reductions) func builtInReductions(_ reduction: BuiltInReduction, _ expected: String) throws {
        var tally = ReductionTally(reduction)
        for json in ["19", "-75", "3.1416"] { try QueryKey(json: json).data.withRoot { tally.add($0) } }
        let encoder = FleeceEncoder()
        tally.write(to: encoder)
        let result = try encoder.finish()
        let wanted = try QueryKey(json: expected)
        #expect(result.withRoot { value in wanted.data.withRoot { value.isEqual(to: $0) } }, "\(result.root.json())")
    }

    @Test func anOwnFunctionReducesToo() throws {
        final class Joiner: Reducer {
            func reduce(_ rows: ReducedRows, rereduce: Bool, into encoder: FleeceEncoder) throws {
                #expect(!rereduce)
                encoder.write((0..<rows.count).map { rows.key($0).json() + "=" + rows.value($0).json() }.joined(separator: " "))
            }
        }
        let test = try sales()
        var query = ViewQuery(startKey: ["FR"])
        query.groupLevel = 1
        #expect(
            try test.rows(byPlace(.custom { Joiner() }), query)
                == [#"["FR"] "[\"FR\",\"Lyon\"]=2 [\"FR\",\"Paris\"]=5 [\"FR\",\"Paris\"]=null""#])
    }

    @Test func otherOrdersAreGroupedInTheUnicodeOne() throws {
        let test = try sales()
        let view = ViewDefinition("raw", version: "1", collation: .raw, reduction: .builtIn(.count)) {
            $1.emit([$0["c"].item, $0["t"].item])
        }
        var query = ViewQuery()
        query.groupLevel = 1
        #expect(try test.rows(view, query) == [#"["DE"] 2"#, #"["FR"] 3"#, #"["de"] 1"#])
    }

    static let refused: [@Sendable (inout ViewQuery) -> Void] = [
        { $0.reduces = true }, { $0.skip = -1 }, { $0.limit = -1 }, { ($0.keys, $0.startKey) = ([1], 1) },
        { ($0.fullText, $0.box) = (FullTextRequest("x"), ViewRectangle(x: 1, y: 1)) },
        { ($0.fullText, $0.startKey) = (FullTextRequest("x"), 1) },
        { ($0.reduces, $0.group) = (false, true) },
    ]

    @Test(arguments: refused.indices) func whatDoesNotGoTogetherIsRefused(_ number: Int) throws {
        let test = try numbers()
        var query = ViewQuery()
        QueryingTests.refused[number](&query)
        #expect(throws: ViewError.self) { try test.rows(.of("n"), query) }
    }

    @Test func documentsComeWithRows() throws {
        let test = try ViewDatabase()
        try test.put("a", #"{"n":1,"friend":"b"}"#)
        try test.put("b", #"{"n":2,"name":"Bo"}"#)
        let view = ViewDefinition("friends", version: "1") { document, emitter in
            let friend = document["friend"]
            emitter.emit(document["n"], friend.isUndefined ? .document : .dictionary([("_id", friend.item)]))
        }
        var query = ViewQuery()
        query.includesDocuments = true
        let found = try test.index.query(view, query) { rows in
            var found: [String] = []
            while try rows.next() { found.append(try rows.row.document()?.properties.json() ?? "none") }
            return found
        }
        #expect(found == [#"{"n":2,"name":"Bo"}"#, #"{"n":2,"name":"Bo"}"#])
        try test.delete("b")
        query.updateMode = .never
        try test.index.query(view, query) { rows in
            while try rows.next() { #expect(try rows.row.document() == nil) }
        }
    }

    @Test func theIndexIsUpdatedWhenTheQuerySays() throws {
        let test = try numbers()
        var query = ViewQuery()
        query.updateMode = .never
        #expect(try test.rows(.of("n"), query) == [])
        #expect(try test.rows(.of("n")).count == 10)
        try test.put("z", #"{"n":77}"#)
        #expect(try test.rows(.of("n"), query).count == 10)
        query.updateMode = .after
        #expect(try test.rows(.of("n"), query).count == 10)
        let end = ContinuousClock.now + Patience.duration
        query.updateMode = .never
        while try test.rows(.of("n"), query).count == 10, .now < end {}
        #expect(try test.rows(.of("n"), query).count == 11)
    }

    @Test func textsAreFound() throws {
        let test = try ViewDatabase()
        try test.put("a", #"{"t":"The quick brown fox, running"}"#)
        try test.put("b", #"{"t":"fox fox fox runs"}"#)
        try test.put("c", #"{"t":"A lazy dog"}"#)
        let view = ViewDefinition("texts", version: "1") { document, emitter in
            emitter.emit(text: document["t"], language: "en", .string("value of " + document.id))
        }
        var query = ViewQuery()
        query.fullText = FullTextRequest("fox")
        #expect(try test.rows(view, query) == [#"null "value of b" @b"#, #"null "value of a" @a"#])
        query.fullText?.ranks = false
        #expect(try test.rows(view, query).first == #"null "value of a" @a"#)
        query.fullText = FullTextRequest("run")
        #expect(try test.rows(view, query).count == 2)
        query.fullText = FullTextRequest("lazy")
        query.fullText?.snippets = true
        try test.index.query(view, query) { rows in
            #expect(try rows.next())
            let match = try #require(rows.row.match)
            #expect(match.snippet(before: "[", after: "]") == "A [lazy] dog")
            #expect(match.places == [FullTextMatch.Place(term: 0, range: 2..<6)])
            #expect(match.text == "A lazy dog")
        }
        try test.delete("c")
        #expect(try test.rows(view, query) == [])
        // Where no text was ever emitted.
        #expect(try test.rows(ViewDefinition("keys", version: "1") { $1.emit($0["t"]) }, query) == [])
        try test.put("a", #"{"t":"lazy"}"#)
        #expect(try test.rows(view, query) == [#"null "value of a" @a"#])
        query.fullText = FullTextRequest("\"unfinished")
        #expect(throws: ViewError.self) { try test.rows(view, query) }
        // Texts stay where they are when the file is opened again.
        try test.reopen()
        query.fullText = FullTextRequest("fox")
        #expect(try test.rows(view, query) == [#"null "value of b" @b"#])
        #expect(try test.index.update([view]) == IndexingReport())
    }

    @Test func shapesAreFoundInABox() throws {
        let test = try ViewDatabase()
        try test.put("a", #"{"g":{"type":"Point","coordinates":[1,5]}}"#)
        try test.put("b", #"{"g":{"type":"Polygon","coordinates":[[[2,2],[4,2],[4,4],[2,2]]]}}"#)
        try test.put("c", #"{"g":{"type":"Point","coordinates":[10,1]}}"#)
        let view = ViewDefinition("shapes", version: "1") { $1.emit(geoJSON: $0["g"]) }
        func found(_ box: ViewRectangle) throws -> String {
            var query = ViewQuery()
            query.box = box
            let list = try test.index.rows(view, query)
            return (0..<list.count).map { list.documentID($0) }.joined()
        }
        #expect(try found(ViewRectangle(x0: 0, y0: 0, x1: 20, y1: 20)) == "cba")
        #expect(try found(ViewRectangle(x0: 3, y0: 3, x1: 5, y1: 5)) == "b")
        // An edge in common is not enough.
        #expect(try found(ViewRectangle(x0: 4, y0: 2, x1: 5, y1: 5)) == "")
        #expect(try found(ViewRectangle(x0: 0, y0: 0, x1: 1, y1: 9)) == "")
        try test.delete("b")
        #expect(try found(ViewRectangle(x0: 0, y0: 0, x1: 20, y1: 20)) == "ca")
        try test.reopen()
        #expect(try found(ViewRectangle(x0: 0, y0: 4, x1: 20, y1: 20)) == "a")
    }
}
