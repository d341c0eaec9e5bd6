import Glibc

/// How this process stands at a moment: the time, what it has used so far, and what it holds.
package struct ProcessFacts {
    package let milliseconds = Run.now()
    package let processorMilliseconds: Double
    /// How often a thread gave up the processor because it had to wait.
    package let switches: Int
    package let threads: Int
    package let residentMiB: Double

    package init() {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        processorMilliseconds = Run.milliseconds(usage.ru_utime) + Run.milliseconds(usage.ru_stime)
        switches = Int(usage.ru_nvcsw)
        let status = ProcessFacts.status(of: "self")
        threads = Int(status["Threads"] ?? 0)
        residentMiB = (status["VmRSS"] ?? 0) / 1024
    }

    /// The numbers that the kernel tells of a process, by their names.
    package static func status(of process: String) -> [String: Double] {
        guard let file = fopen("/proc/\(process)/status", "r") else { return [:] }
        defer { fclose(file) }
        var numbers: [String: Double] = [:]
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            let words = text.split { $0 == ":" || $0.isWhitespace }
            if words.count > 1, let number = Double(words[1]) { numbers[String(words[0])] = number }
        }
        return numbers
    }
}
