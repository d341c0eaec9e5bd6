import Glibc

/// The moment of a message, in the two forms in which logs write it.
package struct LogTime {
    package let nanoseconds: UInt64

    package init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

    package static var now: LogTime { LogTime(nanoseconds: WallClock.nanoseconds) }

    /// As in files: `2025-12-09T06:47:55.507699Z`.
    package var universal: String { text(gmtime_r) + "Z" }

    /// As on consoles: the same by the process's time zone, without a letter.
    package var local: String { text(localtime_r) }

    private func text(_ calendar: (UnsafePointer<time_t>, UnsafeMutablePointer<tm>) -> UnsafeMutablePointer<tm>?) -> String {
        var seconds = time_t(nanoseconds / 1_000_000_000)
        var parts = tm()
        _ = calendar(&seconds, &parts)
        var text = ""
        text.reserveCapacity(27)
        append(Int(parts.tm_year) + 1900, digits: 4, to: &text)
        for (separator, part) in [
            ("-", parts.tm_mon + 1), ("-", parts.tm_mday), ("T", parts.tm_hour), (":", parts.tm_min), (":", parts.tm_sec),
        ] {
            text += separator
            append(Int(part), digits: 2, to: &text)
        }
        text += "."
        append(Int(nanoseconds / 1000 % 1_000_000), digits: 6, to: &text)
        return text
    }

    private func append(_ number: Int, digits: Int, to text: inout String) {
        let written = String(number)
        for _ in 0..<max(0, digits - written.utf8.count) { text += "0" }
        text += written
    }
}
