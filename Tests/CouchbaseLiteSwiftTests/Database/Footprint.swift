import CouchbaseLiteSwift
import Testing

/// What a process takes of the machine, to be compared with what it took before. For tests in a process of their own: others would be counted too.
struct Footprint: CustomStringConvertible {
    let kilobytes: Int
    let descriptors: Int
    let threads: Int

    init() {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        func number(_ name: String) -> Int {
            let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") } ?? ""
            return line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0
        }
        kilobytes = number("VmRSS")
        threads = number("Threads")
        descriptors = ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []).count
    }

    /// When what was let go of a moment ago is gone: threads end soon, but nobody knows when.
    static func settled() -> Footprint {
        usleep(300_000)
        return Footprint()
    }

    /// The same, as soon as nothing is left, or when it seems that something stays.
    static func settled(since before: Footprint) -> Footprint {
        var after = settled()
        for _ in 0..<60 where !before.isFlat(after: after) { after = settled() }
        return after
    }

    var description: String { "\(kilobytes) KiB, \(descriptors) descriptors, \(threads) threads" }

    /// Whether what was done in between has left nothing. Memory is never quite the same, and a few connections for readers come and go.
    func isFlat(after: Footprint) -> Bool {
        after.kilobytes <= kilobytes + 8192 && after.descriptors <= descriptors + 12 && after.threads <= threads + 1
    }

    /// For whoever reads what the test prints.
    static func report(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }
}
