import CBLBenchProcesses
import Glibc

/// The table of workloads: ours beside the vendor's, time by the clock and of the processor, and memory.
struct Comparison {
    let ours: Contestant
    let theirs: Contestant?
    let runs: Int
    var names = ("ours", "vendor")

    func run(_ workloads: [Workload]) throws {
        try ours.prepare()
        try theirs?.prepare()
        let (one, two) = names
        print("| workload | \(one) ms | \(two) ms | ratio | target | \(one) CPU ms | \(two) CPU ms | ratio | \(one) MiB | \(two) MiB |")
        print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
        for workload in workloads {
            try compare(workload)
            fflush(nil)
        }
    }

    private func compare(_ workload: Workload) throws {
        let theirs = workload.isOurs ? nil : theirs
        var mine: [Run] = []
        var other: [Run] = []
        try ours.prepare(for: workload)
        try theirs?.prepare(for: workload)
        for round in 0...runs {
            let own = try ours.run(workload)
            let foreign = try theirs?.run(workload)
            if round == 0 { continue }
            mine.append(own)
            if let foreign { other.append(foreign) }
        }
        func value(_ runs: [Run], _ digits: Int, _ of: (Run) -> Double) -> String {
            runs.isEmpty ? "" : cell(median(runs.map(of)), digits, width: digits == 0 ? 4 : 6)
        }
        func ratio(_ of: (Run) -> Double) -> String {
            other.isEmpty ? "" : cell(median(zip(mine, other).map { of($0) / of($1) }), 2, width: 4)
        }
        let cells = [
            workload.name, value(mine, 1, \.milliseconds), value(other, 1, \.milliseconds), ratio(\.milliseconds),
            workload.target.map { cell($0, 2, width: 4) } ?? "",
            value(mine, 1, \.processorMilliseconds), value(other, 1, \.processorMilliseconds), ratio(\.processorMilliseconds),
            value(mine, 0, \.peakMiB), value(other, 0, \.peakMiB),
        ]
        print("| " + cells.joined(separator: " | ") + " |")
    }
}
