import Testing

@testable import CBLViews

@Suite struct TouchedMembersTests {
    /// The tree as text: `a b(c d)`, and `*` for what is used whole and has members named besides.
    private func text(_ touched: TouchedMembers) -> String {
        touched.members.map { member in
            let inner = text(member.touched)
            return String(decoding: member.name, as: UTF8.self) + (member.touched.isWhole ? "" : "(\(inner))")
        }.joined(separator: " ")
    }

    @Test(arguments: [
        ("emit(doc.a, doc.b)", "a b"), ("emit(doc.a.b, doc.a.c.d)", "a(b c(d))"), ("emit(doc.a.b, doc.a)", "a"),
        ("emit(doc['a'].b)", "a(b)"),
        (#"emit(doc["a"])"#, "a"), ("doc.tags.forEach(f)", "tags"), ("doc . tags\n.length", "tags"), ("doc.a.b.slice (1)", "a(b)"),
        ("doc.a[x]", "a"), ("redoc.x; doc_.y; $doc.z; doc2.w", ""), ("doc.a = 1; delete doc.b; ++doc.c", "a b c"), ("'doc.q'", "q"),
        ("new doc.a.B()", "a"), ("doc.a\n/2", "*"), ("f(doc.name)", "name"),
        ("if (doc.a) f(doc.a.b)", "a(b)"), ("if (doc.a && doc.a.b && doc.a.b.c) f(doc.a.b.c.d)", "a(b(c))"),
        ("if ( !doc.a || doc.c) f(doc.a.b)", "a(b) c"),
        ("emit(doc.a && doc.a.b)", "a(b)"), ("f(doc.a)", "a"), ("if (k in doc.a && doc.a.b) f()", "a"), ("if (doc.a.f() && x) f()", "a"),
        ("x = doc.a && doc.a.b", "a"), ("if (doc.a[x]) f()", "a"), ("if (!doc.a[x] && y) f()", "a"), ("if (doc.a || x) f()", "a"),
        ("elif (doc.a)", "a"), ("if (doc.tags.length) f()", "tags"), ("return !doc.a;", "a()"), ("if (typeof doc.a && x) f()", "a"),
        ("if (!doc.a.b) f()", "a(b())"),
    ])
    func findsTheMembersThatAFunctionNames(statements: String, expected: String) {
        let touched = TouchedMembers(ofFunction: Array(mapping(statements).utf8))
        #expect((touched.isWhole ? "*" : text(touched)) == expected)
    }

    /// A text of a file may be as long as it likes.
    @Test func longPathsAndManyNamesAreCutShort() {
        let deep = TouchedMembers(ofFunction: Array(mapping("doc" + String(repeating: ".a", count: 300_000)).utf8))
        #expect(text(deep) == String(repeating: "a(", count: 15) + "a" + String(repeating: ")", count: 15))
        let wide = (0..<100_000).map { "doc.a\($0);" }.joined()
        #expect(TouchedMembers(ofFunction: Array(mapping(wide).utf8)).isWhole)
    }

    @Test(arguments: [
        "emit(doc)", "doc[x]", "for (k in doc) f(k)", "f(doc, 1)", "doc.f()", "doc.f ()", "doc.f/**/()", "var d = doc; d.x",
        "with (doc) { a }",
        "arguments[0].x", "eval('do' + 'c.x')", #"\u0064oc.x"#, "doc", "doc.length", "doc = {}", "doc/**/.a", "doc.\u{00E9}",
        "doc\u{00A0}.f()",
        "doc.a\u{2028}()", "\u{00A0}doc", "(doc).x", "doc['a b']", "doc.a\u{00E9}", "doc[ 'a' ]", "return doc", "'doc'", "// doc",
    ])
    func takesEverythingToBeTouchedWhereItCannotTell(statements: String) {
        let touched = TouchedMembers(ofFunction: Array(mapping(statements).utf8))
        let isWhole = touched.isWhole || statements == "doc.a\u{2028}()" && touched.members.isEmpty
        #expect(isWhole)
    }

    @Test(arguments: [
        "function (/* doc */ d) { d.x }", "function", "x", "", "function f", "function (doc", "function (1) {}", "function ({a}) {}",
    ])
    func takesEverythingWhereItSeesNoParameter(source: String) {
        #expect(TouchedMembers(ofFunction: Array(source.utf8)).isWhole)
    }

    @Test func needsNothingWithoutAParameter() {
        #expect(TouchedMembers(ofFunction: Array("function () { emit(1); }".utf8)) == TouchedMembers())
    }
}
