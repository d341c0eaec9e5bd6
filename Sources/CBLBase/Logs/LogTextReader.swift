import Glibc

/// Reads the text form of a log, of this release's kind and of that before 3.2, in which times have no day.
///
///     2025-12-09T06:47:55.507699Z WS Verbose Obj=/JRepl#1/ Received 58-byte message
///     06:47:55.507699| [Sync] WARNING: {Repl#2} no answer
package struct LogTextReader {
    private var bytes: [UInt8] = []
    /// Of the next line in `bytes`.
    private var position = 0
    private var pending: LogRecord?
    /// For times without a day: midnight of the day in which the file was begun, in local time, and the last time of day.
    private var midnight: UInt64
    private var lastTimeOfDay: UInt64 = 0
    private static let day: UInt64 = 86_400_000_000
    private static let longestLine = 1 << 24

    /// `start` is when the file was begun, in microseconds since 1970, as far as its name tells.
    package init(start: UInt64) {
        var seconds = time_t(start / 1_000_000)
        var parts = tm()
        localtime_r(&seconds, &parts)
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (0, 0, 0)
        midnight = UInt64(max(0, mktime(&parts))) * 1_000_000
    }

    /// Whether a file begins as one of this form does.
    package static func isText(_ bytes: some Collection<UInt8>) -> Bool { time(of: Array(bytes.prefix(28))[...]) != nil }

    package mutating func append(_ more: UnsafeRawBufferPointer) {
        bytes.removeFirst(position)
        position = 0
        bytes.append(contentsOf: more)
    }

    /// The next message; nil if its end has not come. What follows a line and is none of its own belongs to it.
    package mutating func next() -> LogRecord? {
        while let end = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) {
            let line = bytes[position..<end]
            let record = parse(line)
            if record == nil, pending != nil, (pending?.message.utf8.count ?? 0) < LogTextReader.longestLine {
                pending?.message += "\n" + String(decoding: line, as: UTF8.self)
            }
            position = end + 1
            guard let record else { continue }
            defer { pending = record }
            if let pending { return pending }
        }
        return nil
    }

    /// What has come is all there is: a line without an end is one.
    package mutating func end() { if position < bytes.count { bytes.append(UInt8(ascii: "\n")) } }

    /// The last message, when nothing more will come, or not soon.
    package mutating func last() -> LogRecord? {
        defer { pending = nil }
        return pending
    }

    private enum Time {
        case whole(UInt64)
        case ofDay(UInt64)
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64? {
        bytes.reduce(0 as UInt64?) { sum, byte in
            guard let sum, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            return sum * 10 + UInt64(byte - UInt8(ascii: "0"))
        }
    }

    /// The time that a line begins with, and how long it is.
    private static func time(of line: ArraySlice<UInt8>) -> (Time, count: Int)? {
        func number(_ range: Range<Int>) -> UInt64? {
            range.upperBound <= line.count ? LogTextReader.number(line.dropFirst(range.lowerBound).prefix(range.count)) : nil
        }
        func has(_ character: UInt8, at place: Int) -> Bool { place < line.count && line[line.startIndex + place] == character }
        func ofDay(_ start: Int) -> UInt64? {
            guard let hour = number(start..<start + 2), let minute = number(start + 3..<start + 5),
                let second = number(start + 6..<start + 8),
                let part = number(start + 9..<start + 15), has(UInt8(ascii: ":"), at: start + 2), has(UInt8(ascii: "."), at: start + 8)
            else { return nil }
            return ((hour * 60 + minute) * 60 + second) * 1_000_000 + part
        }
        if has(UInt8(ascii: "T"), at: 10), has(UInt8(ascii: "Z"), at: 26), let time = ofDay(11), let year = number(0..<4),
            let month = number(5..<7), let dayOfMonth = number(8..<10)
        {
            var parts = tm()
            (parts.tm_year, parts.tm_mon, parts.tm_mday) = (Int32(year) - 1900, Int32(month) - 1, Int32(dayOfMonth))
            let seconds = timegm(&parts)
            return seconds < 0 ? nil : (.whole(UInt64(seconds) * 1_000_000 + time), 27)
        }
        if has(UInt8(ascii: "|"), at: 15), let time = ofDay(0) { return (.ofDay(time), 16) }
        return nil
    }

    private mutating func parse(_ line: ArraySlice<UInt8>) -> LogRecord? {
        guard let (time, count) = LogTextReader.time(of: line) else { return nil }
        let text = String(decoding: line.dropFirst(count).drop { $0 == UInt8(ascii: " ") && count == 16 }, as: UTF8.self)
        switch time {
        case .whole(let microseconds): return LogTextReader.record(microseconds, text)
        case .ofDay(let microseconds):
            // Past midnight.
            if microseconds + LogTextReader.day / 2 < lastTimeOfDay { midnight += LogTextReader.day }
            lastTimeOfDay = microseconds
            return LogTextReader.olderRecord(midnight + microseconds, text)
        }
    }

    /// ` Domain Level Obj=/…/ message`: the domain may be empty.
    private static func record(_ time: UInt64, _ text: String) -> LogRecord {
        let words = text.dropFirst().split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count == 3, let level = MessageLevel.allCases.first(where: { $0.title == words[1] }) else {
            return LogRecord(microseconds: time, level: .info, domain: "", message: String(text.drop { $0 == " " }))
        }
        var (object, message) = ("", words[2])
        if message.hasPrefix("Obj="), let end = message.firstIndex(of: " ") {
            object = String(message[..<end].dropFirst(4))
            message = message[end...].dropFirst()
        }
        return LogRecord(microseconds: time, level: level, domain: String(words[0]), object: object, message: String(message))
    }

    /// `[Domain] LEVEL: {Class#2} message`: each of the first three may be missing.
    private static func olderRecord(_ time: UInt64, _ text: String) -> LogRecord {
        var rest = text[...]
        var (domain, object, level) = ("", "", MessageLevel.info)
        if rest.first == "[", let end = rest.firstIndex(of: "]") {
            domain = String(rest[rest.startIndex..<end].dropFirst())
            rest = rest[end...].dropFirst().drop { $0 == " " }
        }
        for (word, meant) in [("WARNING:", MessageLevel.warning), ("ERROR:", .error), ("***:", .debug), (":", .info)]
        where rest.hasPrefix(word) {
            level = meant
            rest = rest.dropFirst(word.count).drop { $0 == " " }
            break
        }
        if rest.first == "{", let end = rest.firstIndex(of: "}") {
            object = String(rest[rest.startIndex..<end].dropFirst())
            rest = rest[end...].dropFirst().drop { $0 == " " }
        }
        return LogRecord(microseconds: time, level: level, domain: domain, object: object, message: String(rest))
    }
}
