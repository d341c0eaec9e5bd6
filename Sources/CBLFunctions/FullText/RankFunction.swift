/// `rank(matchinfo(…))`: how well a row matches a full-text query. For every phrase and column, the row's share of all matches.
enum RankFunction {
    static let rows = [FunctionRow("rank", 1) { Call($0, $1, $2).rank() }]
}

extension Call {
    fileprivate func rank() {
        guard let bytes = self[0].blob, bytes.count >= 8, bytes.count.isMultiple(of: 4) else {
            return fail("rank() needs the result of matchinfo()")
        }
        func number(_ index: Int) -> Int { Int(bytes.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self)) }
        let (cells, overflow) = number(0).multipliedReportingOverflow(by: number(1))
        guard !overflow, cells <= bytes.count, bytes.count == (2 + cells * 3) * 4 else {
            return fail("rank() needs the result of matchinfo()")
        }
        var score = 0.0
        for cell in 0..<cells {
            let hits = number(2 + cell * 3)
            if hits > 0 { score += Double(hits) / Double(number(3 + cell * 3)) }
        }
        set(score)
    }
}
