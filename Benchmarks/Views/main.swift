import FoundationEssentials
import Glibc

// cblite-bench-views FILE [--folder DIR] [--runs N] [--many N]
// cblite-bench-views scripts FILE
//
// Views over the documents of FILE, JSON Lines with the member "_id", against the query engine on the same documents, in one run of one process; and
// over many small documents, of which one changes, or half. What was measured: ../README.md.

var folder = ".build/bench/views"
var runs = 5
var many = 1_000_000
var file: String?

var words = CommandLine.arguments.dropFirst()
while let word = words.popFirst() {
    func number(_ usual: Int) -> Int { words.popFirst().flatMap { Int($0) } ?? usual }
    switch word {
    case "--folder": folder = words.popFirst() ?? folder
    case "--runs": runs = max(1, number(runs))
    case "--many": many = max(1, number(many))
    default: file = file ?? word
    }
}

do {
    if file == "scripts" {
        try ScriptWorkloads.run(Array(CommandLine.arguments.dropFirst(2)))
        exit(0)
    }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    print("| what | ms | ms of the processor | documents a second of it |")
    print("|---|---:|---:|---:|")
    let workloads = Workloads(folder: folder, runs: runs)
    if let file { try workloads.measureUsers(file) }
    try workloads.measureMany(many)
    try workloads.measureHalves(of: many / 10)
} catch {
    print(error)
    exit(1)
}
