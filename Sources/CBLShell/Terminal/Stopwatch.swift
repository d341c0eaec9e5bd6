import CBLBase

/// Measures how long a command took, for the line it ends with.
struct Stopwatch {
    private let started = MonotonicClock.seconds

    var seconds: Double { MonotonicClock.seconds - started }

    /// `Completed 100000 docs in 0.61 secs; 163934 docs/sec`
    func summary(_ count: Int) -> String {
        let seconds = max(self.seconds, 1e-6)
        let hundredths = Int((seconds * 1000).rounded())
        let fraction = String(hundredths % 1000 + 1000).dropFirst()
        return
            "Completed \(count) \(count == 1 ? "doc" : "docs") in \(hundredths / 1000).\(fraction) secs; \(Int(Double(count) / seconds)) docs/sec"
    }
}
