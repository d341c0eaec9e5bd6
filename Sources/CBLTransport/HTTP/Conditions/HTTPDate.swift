import CBLBase

/// A time in a header, in whole seconds: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
package struct HTTPDate: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// Since the beginning of 1970.
    package let seconds: Int64

    // The years that can be written with four digits.
    private static let possible = Calendar.days(0, 3, 1) * 86400...Calendar.days(9999, 12, 31) * 86400 + 86399

    package init(seconds: Int64) {
        self.seconds = min(max(seconds, HTTPDate.possible.lowerBound), HTTPDate.possible.upperBound)
    }

    /// Reads the form that is written today, and the two of earlier days: `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`.
    /// A year of two digits is one that is not more than fifty years ahead of `now`.
    package init?(_ text: some StringProtocol, now: Int64 = WallClock.milliseconds / 1000) {
        guard text.utf8.count <= 40 else { return nil }
        let words = Substring(text).utf8.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "-") }
        guard words.count == 5 || words.count == 6 && words[5].elementsEqual("GMT".utf8), HTTPDate.isWeekday(words[0]) else { return nil }
        let parts = words.count == 6 ? (words[1], words[2], words[3], words[4]) : (words[2], words[1], words[4], words[3])
        guard let day = HTTPDate.number(parts.0, digits: words.count == 6 ? 2...2 : 1...2), let month = Calendar.month(parts.1),
            parts.1.count == 3, var year = HTTPDate.number(parts.2, digits: words.count == 6 ? 2...4 : 4...4), parts.2.count != 3,
            let time = HTTPDate.time(parts.3)
        else { return nil }
        if parts.2.count == 2 { year = HTTPDate.fullYear(year, now) }
        let days = Calendar.days(year, month, day)
        guard year > 0, day > 0, Calendar.date(days) == (year, month, day) else { return nil }
        seconds = days * 86400 + time
    }

    private static func isWeekday(_ word: Substring.UTF8View) -> Bool {
        let name = String(decoding: word.prefix(3), as: UTF8.self)
        return Calendar.weekdays.contains(name) && (word.count == 3 || Substring(word).hasSuffix("day"))
    }

    private static func number(_ word: Substring.UTF8View, digits: ClosedRange<Int>) -> Int? {
        guard digits.contains(word.count), word.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
        return word.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    // A leap second is the last of its minute.
    private static func time(_ word: Substring.UTF8View) -> Int64? {
        let parts = word.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map { number($0, digits: 2...2) }
        guard parts.count == 3, let hour = parts[0], let minute = parts[1], let second = parts[2], hour < 24, minute < 60, second <= 60
        else { return nil }
        return Int64(hour * 3600 + minute * 60 + min(second, 59))
    }

    private static func fullYear(_ digits: Int, _ now: Int64) -> Int {
        let current = Calendar.date(HTTPDate(seconds: now).seconds / 86400).year
        let year = current - current % 100 + digits
        return year > current + 50 ? year - 100 : year
    }

    package static func < (a: HTTPDate, b: HTTPDate) -> Bool { a.seconds < b.seconds }

    package var description: String {
        let days = seconds >= 0 ? seconds / 86400 : (seconds - 86399) / 86400
        let (year, month, day) = Calendar.date(days)
        let time = Int(seconds - days * 86400)
        let weekday = Calendar.weekdays[Int((days % 7 + 7) % 7)]
        func digits(_ number: Int, _ count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
        }
        return "\(weekday), \(digits(day, 2)) \(Calendar.months[month - 1]) \(digits(year, 4))"
            + " \(digits(time / 3600, 2)):\(digits(time / 60 % 60, 2)):\(digits(time % 60, 2)) GMT"
    }
}
