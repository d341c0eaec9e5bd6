import CBLLanguage
import Testing

struct SyntaxTreeTests {
    @Test func equalityLeavesOutWhereThingsStand() {
        let here = QueryExpression(.integer(1), range: SourceRange(0, 1))
        #expect(here == QueryExpression(.integer(1)))
        #expect(here != QueryExpression(.float(1)))
        #expect(here != QueryExpression(.integer(1), spelling: "1"))
    }
}
