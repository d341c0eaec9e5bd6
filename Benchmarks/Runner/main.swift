import CBLBenchProcesses
import FoundationEssentials
import Glibc

// cblite-bench [--program PATH] [--vendor PATH] [--data FILE] [--folder DIR] [--runs N] [WORKLOAD…]
// cblite-bench … --encrypted
// cblite-bench … --gateway URL [--documents N]
// cblite-bench opens|live [--folder DIR]
// cblite-bench [--program PATH] [--data FILE] [--folder DIR] [--runs N] http
//
// Times whole processes after a warm-up, the two programs in turn so that a machine that slows down slows both,
// and prints a table of medians. What the workloads are: Workload.swift; with a gateway, whose database has to be empty, it is
// GatewayComparison.swift, and over HTTP HTTPComparison.swift. `opens` and `live` measure what an app does in its own process; without a
// choice of workloads, each is done in a process of its own at the end. What was measured: ../README.md.

var program = ".build/release/cblite"
var vendor: String?
var folder = ".build/bench"
var data: String?
var runs = 7
var gateway: String?
var documents = 10_000
var isEncrypted = false
var chosen: [String] = []

var words = CommandLine.arguments.dropFirst()
while let word = words.popFirst() {
    switch word {
    case "--program": program = words.popFirst() ?? program
    case "--vendor": vendor = words.popFirst()
    case "--folder": folder = words.popFirst() ?? folder
    case "--encrypted": isEncrypted = true
    case "--data": data = words.popFirst()
    case "--gateway": gateway = words.popFirst()
    case "--documents": documents = words.popFirst().flatMap { Int($0) } ?? documents
    case "--runs": runs = words.popFirst().flatMap { Int($0) } ?? runs
    default: chosen.append(word)
    }
}

do {
    let overHTTP = "http"
    let known = [overHTTP] + Workload.all.map(\.name) + ProcessMeasurement.allCases.map(\.rawValue)
    if let unknown = chosen.first(where: { !known.contains($0) }) {
        throw Failure(text: "no workload \"\(unknown)\"; there are \(known.joined(separator: ", "))")
    }
    let data = data ?? folder + "/users.json"
    let workloads = Workload.all.filter { chosen.isEmpty || chosen.contains($0.name) }
    if let gateway {
        let comparison = GatewayComparison(
            url: gateway, program: program, vendor: vendor, folder: folder + "/gateway", data: data, documents: documents, runs: runs)
        try comparison.run()
    } else if chosen == [overHTTP] {
        try HTTPComparison(program: program, folder: folder + "/http", data: data, runs: runs).run()
    } else if let only = ProcessMeasurement(rawValue: chosen.first ?? ""), chosen.count == 1 {
        try only.run(in: folder + "/process")
    } else {
        let ours = Contestant(program: program, isOurs: true, folder: folder + "/ours", data: data)
        let theirs = vendor.map { Contestant(program: $0, isOurs: false, folder: folder + "/theirs", data: data) }
        if isEncrypted {
            let key = folder + "/key"
            guard
                FileManager.default.createFile(
                    atPath: key, contents: Data(repeating: 0x5A, count: 32), attributes: [.posixPermissions: 0o600])
            else { throw Failure(text: "\(key) cannot be written") }
            let encrypted = Contestant(program: program, isOurs: true, folder: folder + "/encrypted", data: data, flags: ["--key=:@" + key])
            try Comparison(ours: encrypted, theirs: ours, runs: runs, names: ("encrypted", "plain")).run(workloads)
        }
        if !workloads.isEmpty, !isEncrypted { try Comparison(ours: ours, theirs: theirs, runs: runs).run(workloads) }
        for measurement in ProcessMeasurement.allCases where !isEncrypted && (chosen.isEmpty || chosen.contains(measurement.rawValue)) {
            print("")
            fflush(nil)
            let words = [measurement.rawValue, "--folder", folder]
            guard try Run(of: "/proc/self/exe", words, output: nil).hasSucceeded else { throw Failure(text: measurement.rawValue) }
        }
    }
} catch {
    print("cblite-bench: \((error as? Failure)?.text ?? String(describing: error))")
    exit(1)
}
