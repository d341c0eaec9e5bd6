import SQLPlusPlus
import Testing

struct SyntaxTreeTests {
    @Test func equalityLeavesOutWhereThingsStand() {
        let here = Expression(.integer(1), range: SourceRange(0, 1))
        #expect(here == Expression(.integer(1)))
        #expect(here != Expression(.float(1)))
        #expect(here != Expression(.integer(1), spelling: "1"))
    }
}
