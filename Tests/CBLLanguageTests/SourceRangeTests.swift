import CBLLanguage
import Testing

/// Where things stand in the text: marks below mistakes rely on it.
struct SourceRangeTests {
    @Test func rangesCoverWhatWasWritten() throws {
        let text =
            "SELECT  lower( a.b )  + ( c * -2 ) , 'é' AS x FROM s . c AS  d JOIN e ON d.x = e.y UNNEST  d.l  l WHERE NOT  f IS NOT NULL "
        let select = try Select(sqlpp: text.replacing("s . c", with: "s .c"))
        #expect(select.sources.count == 3)
        let bytes = Array(text.replacing("s . c", with: "s .c").utf8)
        func written(_ range: SourceRange) -> String { String(decoding: bytes[range.start..<range.end], as: UTF8.self) }
        #expect(select.results.map { written($0.expression.range) } == ["lower( a.b )  + ( c * -2 )", "'é'"])
        #expect(select.sources.map { written($0.range) } == ["s .c AS  d", "JOIN e ON d.x = e.y", "UNNEST  d.l  l"])
        #expect(select.condition.map { written($0.range) } == "NOT  f IS NOT NULL")
        #expect(written(select.range) == String(decoding: bytes.dropLast(), as: UTF8.self))
        guard case .operation(.add, let operands) = select.results[0].expression.node, case .function(_, let arguments) = operands[0].node
        else {
            Issue.record("not a sum")
            return
        }
        #expect(written(arguments[0].range) == "a.b" && written(operands[1].range) == "c * -2")
    }

    /// Whatever part of a query an expression covers means the same by itself.
    @Test(arguments: ParsingVectorTests.vectors.filter { $0.json != nil }) func partsMeanTheSameAlone(_ vector: ParsingVectorTests.Vector)
        throws
    {
        let select = try Select(sqlpp: vector.query)
        let bytes = Array(vector.query.utf8)
        var expressions = select.results.map(\.expression) + select.groupBy + select.orderBy.map(\.expression)
        expressions += [select.condition, select.having, select.limit, select.offset].compactMap { $0 } + select.sources.compactMap(\.on)
        while let expression = expressions.popLast() {
            let range = expression.range
            try #require(range.start >= 0 && range.start < range.end && range.end <= bytes.count)
            let text = String(decoding: bytes[range.start..<range.end], as: UTF8.self)
            // The list of an IN is not one without it.
            if case .array = expression.node, text.hasPrefix("(") { continue }
            #expect(try Select(sqlpp: text).results.map(\.expression) == [expression], "\(text)")
            guard case .operation(let operation, var operands) = expression.node else { continue }
            // NOT LIKE and its kin are two nodes of one text.
            if operation == .not, expression.spelling == nil, case .operation(_, let inner) = operands[0].node { operands = inner }
            for operand in operands { #expect(operand.range.start >= range.start && operand.range.end <= range.end) }
            expressions += operands
        }
    }
}
