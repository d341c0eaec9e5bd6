import Foundation

/// What one run of a workload took.
struct Measurement {
    var wall: Double
    var processor: Double
    var memory: Double
    var check: String
    /// How long it took to be told of a change, in milliseconds, if that is what the workload is about.
    var delay: Double?

    /// Of what a contestant prints: milliseconds by the clock and of the processor, KiB at the most and before, and a check.
    init?(_ line: String) {
        let words = line.split(separator: " ", maxSplits: 4).map(String.init)
        guard words.count == 5, let wall = Double(words[0]), let processor = Double(words[1]), let memory = Double(words[2]) else {
            return nil
        }
        self.wall = wall
        self.processor = processor
        self.memory = memory / 1024
        let result = words[4].trimmingCharacters(in: .whitespacesAndNewlines).components(separatedBy: "median ms: ")
        check = result[0]
        delay = result.count > 1 ? Double(result[1]) : nil
    }
}

/// A program that does the workloads: `PROGRAM prepare BASE DIRECTORY` and `PROGRAM run NAME DIRECTORY`.
struct Contestant {
    let program: String
    let directory: String

    func call(_ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw POSIXError(.ECHILD) }
        return String(decoding: data, as: UTF8.self)
    }

    private func base(_ base: Workload.Base) throws -> String {
        let path = directory + "/" + base.rawValue
        if !FileManager.default.fileExists(atPath: path) {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            _ = try call(["prepare", base.rawValue, path])
        }
        return path
    }

    /// One run, on files of its own.
    func run(_ workload: Workload, round: Int) throws -> Measurement? {
        let path = directory + "/\(workload.name)-\(round)"
        if workload.base == .none {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } else {
            try FileManager.default.copyItem(atPath: try base(workload.base), toPath: path)
        }
        sync()
        return Measurement(try call(["run", workload.name, path]))
    }
}

enum Contest {
    static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
    }

    /// At once, so that one can watch.
    private static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

    /// Lets both do the same, in turn, and prints a line for each workload.
    static func run(_ contestants: [Contestant], rounds: Int, only names: [String]) throws {
        say("| # | work | wall ms | CPU ms | MiB |" + (contestants.count > 1 ? " other wall | other CPU | other MiB | wall | CPU |" : ""))
        say("|---|---|---:|---:|---:|" + (contestants.count > 1 ? "---:|---:|---:|---:|---:|" : ""))
        for workload in Workload.all where names.isEmpty || names.contains(workload.name) {
            var results = contestants.map { _ in [Measurement]() }
            for round in 0...rounds {
                for (place, contestant) in contestants.enumerated() {
                    // The other program need not be able to do everything.
                    let result = place == 0 ? try contestant.run(workload, round: round) : try? contestant.run(workload, round: round)
                    if round > 0, let result { results[place].append(result) }
                }
            }
            var line = "| \(workload.name) | \(workload.title) |"
            for result in results {
                line += String(
                    format: " %.1f | %.1f | %.0f |", median(result.map(\.wall)), median(result.map(\.processor)),
                    median(result.map(\.memory)))
            }
            if results.count > 1, !results[0].isEmpty, !results[1].isEmpty {
                let pairs = zip(results[0], results[1])
                line += String(
                    format: " %.2f | %.2f |", median(pairs.map { $0.wall / $1.wall }), median(pairs.map { $0.processor / $1.processor }))
                if results[0][0].check != results[1][0].check { line += " checks differ: \(results[0][0].check), \(results[1][0].check)" }
            }
            let delays = results.map { $0.compactMap(\.delay) }.filter { !$0.isEmpty }
            if !delays.isEmpty { line += " told after ms: " + delays.map { String(format: "%.3f", median($0)) }.joined(separator: ", ") }
            say(line)
        }
    }
}
