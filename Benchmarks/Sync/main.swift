import FoundationEssentials
import Glibc

// cblite-bench-sync [--folder DIR] [--documents N] [--blobs N] [--blob-bytes N] [--runs N] [WORKLOAD…]
//
// Two databases in one process replicate with each other: over a socket of this machine, as two programs would, or through memory. Both ends are
// measured together. A table of medians; behind it, how long a single change takes to the other side. What was measured: ../README.md.

var folder = ".build/bench/sync"
var runs = 3
var size = Workload.Size()
var chosen: [String] = []

var words = CommandLine.arguments.dropFirst()
while let word = words.popFirst() {
    func number(_ usual: Int) -> Int { words.popFirst().flatMap { Int($0) } ?? usual }
    switch word {
    case "--folder": folder = words.popFirst() ?? folder
    case "--documents": size.documents = number(size.documents)
    case "--blobs": size.blobs = number(size.blobs)
    case "--blob-bytes": size.blobBytes = number(size.blobBytes)
    case "--runs": runs = max(1, number(runs))
    default: chosen.append(word)
    }
}

func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
}

do {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    print("| workload | documents/s | MB/s | CPU µs a document | peak MiB |")
    print("|---|---:|---:|---:|---:|")
    for workload in Workload.all where chosen.isEmpty || chosen.contains(workload.name) {
        var measured: [Measurement] = []
        for _ in 0..<runs { measured.append(try await workload.run(in: folder, size)) }
        let count = Double(workload.documents(size))
        let rate = median(measured.map { count / $0.seconds })
        let bytes = median(measured.map { Double(workload.bytes(size)) / $0.seconds / 1e6 })
        let effort = median(measured.map { $0.processorSeconds / count * 1e6 })
        let peak = median(measured.map(\.peakMiB))
        print("| \(workload.name) | \(Int(rate)) | \(Int(bytes)) | \(Int(effort.rounded())) | \(Int(peak.rounded())) |")
        fflush(nil)
    }
    let singles = SingleChanges.all.filter { chosen.isEmpty || chosen.contains($0.name) }
    if !singles.isEmpty { print("\n| | ms | nine of ten | CPU µs |\n|---|---:|---:|---:|") }
    for single in singles {
        var results: [SingleChanges.Result] = []
        for _ in 0..<runs { results.append(try await single.run(in: folder)) }
        func text(_ value: Double) -> String {
            let hundredths = Int((value * 100).rounded())
            return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
        }
        let (usual, ninth) = (text(median(results.map(\.median))), text(median(results.map(\.ninth))))
        print("| \(single.name) | \(usual) | \(ninth) | \(Int(median(results.map(\.processorMicroseconds)).rounded())) |")
    }
} catch {
    print("cblite-bench-sync: \(error)")
    exit(1)
}
