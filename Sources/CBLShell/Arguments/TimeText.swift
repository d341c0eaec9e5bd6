import Glibc

/// Points in time as people write them: ISO 8601, or how long from now. Times are milliseconds since 1970.
enum TimeText {
    /// `2027-03-01`, `2027-03-01T09:30`, `2027-03-01T09:30:00.5+01:00`. Without a zone, it is the local time. Nil if the text is none.
    static func time(_ text: String) -> Int64? {
        var scanner = SyntaxScanner(text)
        guard let year = scanner.number(4), scanner.take("-"), let month = scanner.number(2), scanner.take("-"), let day = scanner.number(2)
        else {
            return nil
        }
        var fields = tm()
        (fields.tm_year, fields.tm_mon, fields.tm_mday) = (Int32(year) - 1900, Int32(month) - 1, Int32(day))
        var milliseconds = 0
        var zone: Int?
        if !scanner.isAtEnd {
            guard scanner.take("T") || scanner.take("t") || scanner.take(" ") else { return nil }
            guard let hour = scanner.number(2), scanner.take(":"), let minute = scanner.number(2) else { return nil }
            var second = 0
            if scanner.take(":") {
                guard let number = scanner.number(2) else { return nil }
                second = number
                if scanner.take(".") {
                    guard let fraction = scanner.fraction() else { return nil }
                    milliseconds = fraction
                }
            }
            guard hour < 24, minute < 60, second < 60 else { return nil }
            (fields.tm_hour, fields.tm_min, fields.tm_sec) = (Int32(hour), Int32(minute), Int32(second))
            zone = scanner.zone()
        }
        guard scanner.isAtEnd else { return nil }
        fields.tm_isdst = -1
        var normal = fields
        let seconds = zone == nil ? mktime(&normal) : timegm(&normal)
        // The 31st of February became some other day.
        guard normal.tm_mday == fields.tm_mday, normal.tm_mon == fields.tm_mon else { return nil }
        return (Int64(seconds) - Int64(zone ?? 0)) * 1000 + Int64(milliseconds)
    }

    /// `30d`, `2h`, `90s`, `1w`, also several after another: `1d12h`. In milliseconds; nil if the text is no duration, or much too long a one.
    static func duration(_ text: String) -> Int64? {
        var scanner = SyntaxScanner(text)
        var total: Int64 = 0
        repeat {
            guard let number = scanner.digits(), let unit = scanner.unit() else { return nil }
            let (part, isTooLong) = number.multipliedReportingOverflow(by: unit)
            let (sum, isStillTooLong) = total.addingReportingOverflow(part)
            guard !isTooLong, !isStillTooLong else { return nil }
            total = sum
        } while !scanner.isAtEnd
        // A million years will do, and can be added to any time.
        return total <= 1_000_000 * 366 * 86_400_000 ? total : nil
    }

    /// A point in time that lies in the past: as `time`, or how long ago as `duration`, or in words that say so.
    static func past(_ text: String, now: Int64) -> Int64? {
        duration(text).map { now - $0 } ?? time(text) ?? TimeWords.time(text, now: now).flatMap { $0 <= now ? $0 : nil }
    }

    /// The same for the future: what is past is given as well, for whoever says that it is.
    static func future(_ text: String, now: Int64) -> Int64? {
        duration(text).flatMap { $0 > 0 ? now + $0 : nil } ?? time(text) ?? TimeWords.time(text, now: now)
    }

    /// `2027-03-01T08:30:00Z`, with milliseconds if there are any.
    static func iso8601(_ milliseconds: Int64) -> String {
        var (days, rest) = milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
        if rest < 0 { (days, rest) = (days - 1, rest + 86_400_000) }
        // Years that `gmtime` cannot hold are only in damaged files.
        guard abs(days) < 365_000_000 else { return "\(milliseconds) ms" }
        var seconds = time_t(days * 86400 + rest / 1000)
        var fields = tm()
        gmtime_r(&seconds, &fields)
        func digits(_ number: Int, _ width: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, width - text.count)) + text
        }
        let date = [digits(Int(fields.tm_year) + 1900, 4), digits(Int(fields.tm_mon) + 1, 2), digits(Int(fields.tm_mday), 2)]
        let time = [digits(Int(fields.tm_hour), 2), digits(Int(fields.tm_min), 2), digits(Int(fields.tm_sec), 2)]
        let fraction = rest % 1000 == 0 ? "" : "." + digits(Int(rest % 1000), 3)
        return "\(date.joined(separator: "-"))T\(time.joined(separator: ":"))\(fraction)Z"
    }

    /// How far away a time is, roughly: `in 29 days`, `5 minutes ago`.
    static func distance(_ milliseconds: Int64, from now: Int64) -> String {
        let milliseconds = min(max(milliseconds, -(1 << 60)), 1 << 60)
        let difference = ((milliseconds - now).magnitude + 500) / 1000
        let units: [(UInt64, String)] = [(86400, "day"), (3600, "hour"), (60, "minute")]
        let (size, name) = units.first { difference >= 2 * $0.0 } ?? (1, "second")
        let count = difference / size
        let text = "\(count) \(name)\(count == 1 ? "" : "s")"
        return milliseconds < now ? "\(text) ago" : "in \(text)"
    }

    private struct SyntaxScanner {
        private var rest: Substring.UTF8View

        init(_ text: String) { rest = text[...].utf8 }

        var isAtEnd: Bool { rest.isEmpty }

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard rest.first == UInt8(ascii: character) else { return false }
            rest.removeFirst()
            return true
        }

        private mutating func digit() -> Int? {
            guard let byte = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            rest.removeFirst()
            return Int(byte - UInt8(ascii: "0"))
        }

        /// So many digits.
        mutating func number(_ count: Int) -> Int? {
            var number = 0
            for _ in 0..<count {
                guard let digit = digit() else { return nil }
                number = number * 10 + digit
            }
            return number
        }

        /// As many digits as there are.
        mutating func digits() -> Int64? {
            guard let first = digit() else { return nil }
            var number = Int64(first)
            while let digit = digit() {
                guard number < 1_000_000_000_000_000 else { return nil }
                number = number * 10 + Int64(digit)
            }
            return number
        }

        /// Digits of a second, in milliseconds.
        mutating func fraction() -> Int? {
            guard var result = digit().map({ $0 * 100 }) else { return nil }
            var weight = 10
            while let digit = digit() {
                result += digit * weight
                weight /= 10
            }
            return result
        }

        mutating func unit() -> Int64? {
            for (name, size) in [("w", 604_800_000), ("d", 86_400_000), ("h", 3_600_000), ("ms", 1), ("m", 60_000), ("s", 1000)]
                as [(String, Int64)]
            where rest.starts(with: name.utf8) {
                rest = rest.dropFirst(name.utf8.count)
                return size
            }
            return nil
        }

        /// `Z`, `+01:00`, `+0100` or `+01`, in seconds.
        mutating func zone() -> Int? {
            if take("Z") || take("z") { return 0 }
            let isNegative = rest.first == UInt8(ascii: "-")
            guard take("+") || take("-") else { return nil }
            if let hours = number(2), hours < 24 {
                let hasColon = take(":")
                if !hasColon, isAtEnd { return hours * 3600 * (isNegative ? -1 : 1) }
                if let minutes = number(2), minutes < 60 { return (hours * 3600 + minutes * 60) * (isNegative ? -1 : 1) }
            }
            // A sign that begins no zone: the caller must not take this for the end.
            rest = "?"[...].utf8
            return nil
        }
    }
}
