import FoundationEssentials
import Glibc

/// Figures over time, and whether they grow.
struct Samples {
    private var names: [String] = []
    private var pending: [String: [Double]] = [:]
    private var rows: [(time: Double, values: [String: Double])] = []

    mutating func add(_ name: String, _ value: Double) {
        if !names.contains(name) { names.append(name) }
        pending[name, default: []].append(value)
    }

    mutating func add(process name: String, _ processID: pid_t) {
        let status = (try? String(contentsOfFile: "/proc/\(processID)/status", encoding: .utf8)) ?? ""
        func number(_ key: String) -> Double? {
            status.split(separator: "\n").first { $0.hasPrefix(key + ":") }?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap
            { Double($0) }
        }
        if let memory = number("VmRSS") { add("\(name) KiB", memory) }
        if let threads = number("Threads") { add("\(name) threads", threads) }
        if let files = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(processID)/fd") {
            add("\(name) files", Double(files.count))
        }
    }

    /// What the files of a folder take on the disk.
    static func kibibytes(below folder: String) -> Double {
        var total = 0.0
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            let path = "\(folder)/\(name)"
            var facts = stat()
            guard stat(path, &facts) == 0 else { continue }
            total += facts.st_mode & S_IFMT == S_IFDIR ? kibibytes(below: path) : Double(facts.st_blocks) / 2
        }
        return total
    }

    /// All rows are written each time, as a run may be stopped.
    mutating func endRow(_ time: Double, file path: String) throws {
        rows.append((time, pending.mapValues(Self.median)))
        pending = [:]
        try write(to: path)
    }

    private static func median(_ values: [Double]) -> Double { values.isEmpty ? 0 : values.sorted()[values.count / 2] }

    private func write(to path: String) throws {
        var text = (["seconds"] + names).joined(separator: ",") + "\n"
        for row in rows {
            text +=
                (["\(Int(row.time))"] + names.map { row.values[$0].map { "\(($0 * 10).rounded() / 10)" } ?? "" }).joined(separator: ",")
                + "\n"
        }
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }

    /// The last quarter beside the second one: the first is for what is made once.
    func growth() -> [String] {
        let quarter = rows.count / 4
        guard quarter > 4 else { return ["too few samples to say what grows"] }
        var problems: [String] = []
        for name in names {
            func typical(_ range: Range<Int>) -> Double { Self.median(rows[range].compactMap { $0.values[name] }) }
            let (before, after) = (typical(quarter..<2 * quarter), typical(rows.count - quarter..<rows.count))
            // A margin for what a page, a file or a busy moment is.
            let margin = name.hasSuffix("KiB") ? 4096.0 : name.hasSuffix("ms") ? max(20, before / 2) : 1
            let grows = after > before * 1.1 + margin
            print("\(name): \(Int(before)), then \(Int(after))\(grows ? "  <- grows" : "")")
            if grows { problems.append("\(name) grew from \(Int(before)) to \(Int(after))") }
        }
        return problems
    }
}
