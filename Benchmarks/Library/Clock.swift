import Foundation

/// Counts time by the clock and by the processor, between `start` and `stop`, as often as these are called.
final class Clock {
    private var begun: (wall: UInt64, processor: UInt64)?
    private(set) var wall: UInt64 = 0
    private(set) var processor: UInt64 = 0
    private(set) var memoryBefore = 0

    private static var now: (wall: UInt64, processor: UInt64) {
        func nanoseconds(_ id: clockid_t) -> UInt64 {
            var time = timespec()
            clock_gettime(id, &time)
            return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
        }
        return (nanoseconds(CLOCK_MONOTONIC), nanoseconds(CLOCK_PROCESS_CPUTIME_ID))
    }

    /// The first time, the memory that was needed before is forgotten.
    func start() {
        if wall == 0 {
            memoryBefore = Clock.peakMemory
            if let file = fopen("/proc/self/clear_refs", "w") {
                fputs("5", file)
                fclose(file)
            }
        }
        begun = Clock.now
    }

    func stop() {
        guard let begun else { return }
        let now = Clock.now
        wall += now.wall - begun.wall
        processor += now.processor - begun.processor
        self.begun = nil
    }

    func measure(_ work: () throws -> Void) rethrows {
        start()
        try work()
        stop()
    }

    /// In KiB.
    static var peakMemory: Int {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") })
        else { return 0 }
        return Int(line.split(separator: " ").dropFirst().first ?? "") ?? 0
    }

    /// Milliseconds by the clock and of the processor, KiB at the most and before, and what shows that the work was done.
    func report(check: String) {
        print(
            String(
                format: "%.3f %.3f %d %d %@", Double(wall) / 1e6, Double(processor) / 1e6, Clock.peakMemory, memoryBefore, check as NSString
            ))
    }
}
