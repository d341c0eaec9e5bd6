import CBLFleece
import CBLQuery

/// Prints how a query is run: what the vendor's program prints, and behind it what that means and what a run took.
struct QueryExplanation {
    let session: Session
    let asJSON: Bool

    func write(_ plan: QueryPlan) throws {
        if asJSON { return try session.writeJSON { plan.append(to: &$0) } }
        try session.output.write(lines: plan.text)
        if !plan.reading.isEmpty { try session.output.write("\n") }
        for line in plan.reading {
            try session.output.write(repeating: UInt8(ascii: " "), count: 2 * line.depth)
            try session.output.write(line.text)
            try session.output.write("\n")
        }
        guard let analysis = plan.analysis else { return }
        try session.output.write("\n")
        var table = Table([.left("Step"), .right("Took")])
        table.add(["compiling", QueryExplanation.milliseconds(analysis.compile)])
        table.add(["finding the first row", QueryExplanation.milliseconds(analysis.firstRow)])
        table.add(["finding the others", QueryExplanation.milliseconds(analysis.rest)])
        table.add(["rows found", ProgressLine.grouped(analysis.rows)])
        table.add(["steps from row to row in scans", ProgressLine.grouped(analysis.scannedRows)])
        if analysis.sorts > 0 { table.add(["sorts", ProgressLine.grouped(analysis.sorts)]) }
        if analysis.automaticIndexRows > 0 {
            table.add(["rows put into indexes for this run", ProgressLine.grouped(analysis.automaticIndexRows)])
        }
        table.add(["instructions of SQLite's machine", ProgressLine.grouped(analysis.machineSteps)])
        try table.write(to: session)
    }

    private static func milliseconds(_ duration: Duration) -> String {
        let hundredths = Int((duration / .microseconds(10)).rounded())
        return "\(ProgressLine.grouped(hundredths / 100)).\(String(hundredths % 100 + 100).dropFirst()) ms"
    }
}
