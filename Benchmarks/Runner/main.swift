import Glibc

// bench [--program PATH] [--vendor PATH] [--data FILE] [--folder DIR] [--runs N] [WORKLOAD…]
// bench … --gateway URL [--documents N]
//
// Times whole processes after a warm-up, the two programs in turn so that a machine that slows down slows both,
// and prints a table of medians. What the workloads are: Workload.swift; with a gateway, whose database has to be empty, it is
// GatewayComparison.swift. What was measured: ../README.md.

var program = ".build/release/cblite"
var vendor: String?
var folder = ".build/bench"
var data: String?
var runs = 7
var gateway: String?
var documents = 10_000
var chosen: [String] = []

var words = CommandLine.arguments.dropFirst()
while let word = words.popFirst() {
    switch word {
    case "--program": program = words.popFirst() ?? program
    case "--vendor": vendor = words.popFirst()
    case "--folder": folder = words.popFirst() ?? folder
    case "--data": data = words.popFirst()
    case "--gateway": gateway = words.popFirst()
    case "--documents": documents = words.popFirst().flatMap { Int($0) } ?? documents
    case "--runs": runs = words.popFirst().flatMap { Int($0) } ?? runs
    default: chosen.append(word)
    }
}

func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
}

/// A number with so many digits behind the point, right-aligned.
func cell(_ value: Double, _ digits: Int, width: Int) -> String {
    var scale = 1
    for _ in 0..<digits { scale *= 10 }
    let whole = Int((value * Double(scale)).rounded())
    var text = String(whole / scale)
    if digits > 0 { text += "." + String(whole % scale + scale).dropFirst() }
    return String(repeating: " ", count: max(0, width - text.count)) + text
}

do {
    let data = data ?? folder + "/users.json"
    if let gateway {
        let comparison = GatewayComparison(
            url: gateway, program: program, vendor: vendor, folder: folder + "/gateway", data: data, documents: documents, runs: runs)
        try comparison.run()
        exit(0)
    }
    let ours = Contestant(program: program, folder: folder + "/ours", data: data)
    let theirs = vendor.map { Contestant(program: $0, folder: folder + "/theirs", data: data) }
    try ours.prepare()
    try theirs?.prepare()

    print("| workload | ours ms | vendor ms | ratio | target | ours MiB | vendor MiB |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for workload in Workload.all where chosen.isEmpty || chosen.contains(workload.name) {
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
        let time = median(mine.map(\.milliseconds))
        let memory = cell(median(mine.map(\.peakMiB)), 0, width: 4)
        let target = cell(workload.target, 2, width: 4)
        if other.isEmpty {
            print("| \(workload.name) | \(cell(time, 1, width: 6)) | | | \(target) | \(memory) | |")
        } else {
            let ratio = median(zip(mine, other).map { $0.milliseconds / $1.milliseconds })
            let otherTime = cell(median(other.map(\.milliseconds)), 1, width: 6)
            let otherMemory = cell(median(other.map(\.peakMiB)), 0, width: 4)
            print(
                "| \(workload.name) | \(cell(time, 1, width: 6)) | \(otherTime) | \(cell(ratio, 2, width: 4)) | \(target) | \(memory) | \(otherMemory) |"
            )
        }
        fflush(nil)
    }
} catch {
    print("bench: \((error as? Failure)?.text ?? String(describing: error))")
    exit(1)
}
