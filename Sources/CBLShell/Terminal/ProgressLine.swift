import CBLBase
import CBLLanguage
import Glibc

/// The line on standard error that tells how far long work has come. It shows only on a terminal, and leaves nothing behind.
///
///     let progress = session.progress("Importing", total: input.size, unit: "documents")
///     defer { progress.finish() }
///     while … { progress.advance(position: input.offset) }
///
/// `advance` is cheap: it may be called for every document.
final class ProgressLine {
    private static let interval: UInt64 = 100_000_000
    // Work that is done at once needs no progress line.
    private static let delay: UInt64 = 300_000_000

    private let title: String
    private let unit: String
    /// What `position` is when the work is done.
    private let total: Int?
    let isShown: Bool
    private let started: UInt64
    private var nextShow: UInt64
    private(set) var count = 0
    private var position = 0
    private var isOnScreen = false
    private var isBehind = true

    /// Milliseconds until it can be shown again.
    static let pause = Int32(interval / 1_000_000)
    /// Whether the last text that was to be shown stands on the screen, or none is ever shown.
    var isUpToDate: Bool { !isShown || isOnScreen && !isBehind }

    init(_ title: String, total: Int?, unit: String, isShown: Bool) {
        self.title = title
        self.unit = unit
        self.total = total
        self.isShown = isShown
        self.started = MonotonicClock.coarseNanoseconds
        self.nextShow = started + ProgressLine.delay
    }

    /// Counts things that are done. `position` is how far the work has come on the way to `total`; if left out, it is the count.
    func advance(by number: Int = 1, position: Int? = nil) {
        count += number
        self.position = position ?? count
        // The coarse clock is a read of memory; even so, not for every document.
        if isShown, count & 15 == 0 || number != 1 { show() }
    }

    /// Seconds since the work began.
    var elapsed: Double { Double(MonotonicClock.coarseNanoseconds - started) / 1e9 }

    /// Takes the line off the screen, so that something else can be said.
    func clear() {
        if isOnScreen { StandardError.write("\r\u{1B}[K") }
        isOnScreen = false
    }

    /// Must be called when the work ends, however it ends.
    func finish() { clear() }

    private func show() {
        show { seconds in
            ProgressLine.line(title: title, unit: unit, count: count, position: position, total: total, seconds: seconds)
        }
    }

    /// Shows a line of somebody else's making, if it is time for one. `line` is given the seconds since the work began.
    func show(_ line: (Double) -> String) {
        let now = MonotonicClock.coarseNanoseconds
        isBehind = now < nextShow
        guard isShown, !isBehind else { return }
        nextShow = now + ProgressLine.interval
        let text = DisplayWidth.cut(TerminalText.escaped(line(elapsed)), to: max(20, Terminal().width - 1))
        StandardError.write("\r\(text)\u{1B}[K")
        isOnScreen = true
    }

    /// `Importing: 120,000 documents, 81,000/s, 42 %, 3 s left`
    static func line(title: String, unit: String, count: Int, position: Int, total: Int?, seconds: Double) -> String {
        var line = "\(title): \(grouped(count)) \(unit)"
        if seconds > 0 {
            let rate = Double(count) / seconds
            line += rate < 10 ? ", \(Int(rate * 10) / 10).\(Int(rate * 10) % 10)/s" : ", \(grouped(Int(rate)))/s"
        }
        if let total, total > 0, position > 0 {
            let part = min(1, Double(position) / Double(total))
            line += ", \(Int(part * 100)) %"
            if seconds > 1 { line += ", \(duration(seconds * (1 - part) / part)) left" }
        }
        return line
    }

    /// `1234567` as `1,234,567`
    static func grouped(_ number: Int) -> String {
        var text = ""
        for (index, digit) in String(number.magnitude).reversed().enumerated() {
            if index > 0, index % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return (number < 0 ? "-" : "") + String(text.reversed())
    }

    /// `49,876,543` as `49,900,000`: no more of it than is known.
    static func groupedEstimate(_ number: Int) -> String {
        var unit = 1
        while number.magnitude / UInt(unit) >= 1000 { unit *= 10 }
        return grouped((number + unit / 2) / unit * unit)
    }

    /// `42 s`, `3 min 5 s`, `2 h 10 min`
    static func duration(_ seconds: Double) -> String {
        let whole = Int(min(max(0, seconds.isFinite ? seconds.rounded(.up) : 0), 1e9))
        if whole < 60 { return "\(whole) s" }
        if whole < 3600 { return "\(whole / 60) min \(whole % 60) s" }
        return "\(whole / 3600) h \(whole % 3600 / 60) min"
    }
}

extension Session {
    /// A progress line for long work. Everything that the session says meanwhile takes it off the screen first.
    func progress(_ title: String, total: Int? = nil, unit: String) -> ProgressLine {
        let isShown = terminal.errorIsTerminal && !options.isQuiet && Terminal.environment("TERM") != "dumb"
        let progress = ProgressLine(title, total: total, unit: unit, isShown: isShown)
        currentProgress = progress
        return progress
    }
}
