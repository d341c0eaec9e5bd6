import Glibc

/// What something took: time, the processor's time of all threads, and the most memory that was held.
struct Measurement {
    let seconds: Double
    let processorSeconds: Double
    let peakMiB: Double

    init(of work: () async throws -> Void) async throws {
        Measurement.forgetPeak()
        let start = (Measurement.time(CLOCK_MONOTONIC), Measurement.time(CLOCK_PROCESS_CPUTIME_ID))
        try await work()
        seconds = Measurement.time(CLOCK_MONOTONIC) - start.0
        processorSeconds = Measurement.time(CLOCK_PROCESS_CPUTIME_ID) - start.1
        peakMiB = Measurement.peak()
    }

    private static func time(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// The kernel remembers the peak of the whole life of the process, unless it is told to begin anew.
    private static func forgetPeak() {
        guard let file = fopen("/proc/self/clear_refs", "w") else { return }
        fputs("5", file)
        fclose(file)
    }

    private static func peak() -> Double {
        guard let file = fopen("/proc/self/status", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            guard text.hasPrefix("VmHWM:") else { continue }
            return (text.split { !$0.isNumber }.first.flatMap { Double($0) } ?? 0) / 1024
        }
        return 0
    }
}
