import CBLBase
import Glibc

/// Points in time in plain words, by the calendar of this place: `tomorrow`, `monday 18:00`, `in 3 days`, `an hour and 30 minutes`, `2 weeks ago`.
/// A day begins at midnight; what is counted keeps the time of day.
struct TimeWords {
    private var rest: ArraySlice<String>
    private var fields = tm()
    private let now: Int64

    /// In milliseconds since 1970, as is `now`; nil if the text is none.
    static func time(_ text: String, now: Int64) -> Int64? {
        var words = TimeWords(text, now)
        return words.time()
    }

    private init(_ text: String, _ now: Int64) {
        // In English, and in ASCII.
        let text = String(decoding: text.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
        rest = text.split { $0 == " " || $0 == "," }.map { String($0) }[...]
        self.now = now
        var seconds = time_t(now / 1000)
        localtime_r(&seconds, &fields)
    }

    private mutating func time() -> Int64? {
        guard let first = rest.first, rest.count <= 12 else { return nil }
        guard let day = dayFromToday(first) else { return counted() }
        rest.removeFirst()
        fields.tm_mday += Int32(day)
        (fields.tm_hour, fields.tm_min, fields.tm_sec) = (0, 0, 0)
        if !rest.isEmpty, !timeOfDay() { return nil }
        return rest.isEmpty ? made() : nil
    }

    private mutating func made() -> Int64? {
        fields.tm_isdst = -1
        var normal = fields
        let seconds = mktime(&normal)
        return seconds == -1 && normal.tm_year != 69 ? nil : Int64(seconds) * 1000
    }

    // Days

    private static let weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]

    /// How many days from today on that is: of a weekday the next one, today never. It may have `next` or `on` in front, which then goes.
    private mutating func dayFromToday(_ first: String) -> Int? {
        switch first {
        case "today": return 0
        case "tomorrow": return 1
        case "yesterday": return -1
        case "next", "on":
            guard let second = rest.dropFirst().first, let day = weekday(second) else { return nil }
            rest.removeFirst()
            return day
        default: return weekday(first)
        }
    }

    private func weekday(_ word: String) -> Int? {
        guard let place = TimeWords.weekdays.firstIndex(where: { $0 == word || $0.prefix(3) == word }) else { return nil }
        return (place - Int(fields.tm_wday) + 6) % 7 + 1
    }

    /// `18:00`, `at 9:30`, `noon`
    private mutating func timeOfDay() -> Bool {
        if rest.first == "at" { rest.removeFirst() }
        guard let word = rest.popFirst() else { return false }
        switch word {
        case "noon": fields.tm_hour = 12
        case "midnight": fields.tm_hour = 0
        default:
            let parts = word.split(separator: ":", omittingEmptySubsequences: false)
            let numbers = parts.compactMap { part in
                part.utf8.allSatisfy { (48...57).contains($0) } && part.utf8.count <= 2 ? Int32(part) : nil
            }
            guard (2...3).contains(parts.count), numbers.count == parts.count, numbers[0] < 24, numbers[1...].allSatisfy({ $0 < 60 }) else {
                return false
            }
            (fields.tm_hour, fields.tm_min, fields.tm_sec) = (numbers[0], numbers[1], numbers.count > 2 ? numbers[2] : 0)
        }
        return true
    }

    // What is counted

    private enum Unit {
        case seconds(Int64)
        case days(Int32)
        case months(Int32)
    }

    private static let units: [String: Unit] = [
        "second": .seconds(1), "sec": .seconds(1), "minute": .seconds(60), "min": .seconds(60), "hour": .seconds(3600), "day": .days(1),
        "week": .days(7), "month": .months(1), "year": .months(12),
    ]
    /// Nobody counts further, and it is far from where numbers end.
    private static let largest: Int64 = 100_000

    private mutating func counted() -> Int64? {
        let isAgo = rest.last == "ago"
        if isAgo { rest.removeLast() }
        let isNext = rest.first == "next"
        if !isAgo, isNext || rest.first == "in" { rest.removeFirst() }
        if isNext { return rest.count == 1 && add(1, rest.removeFirst()) ? result(0) : nil }
        guard !rest.isEmpty else { return nil }
        var seconds: Int64 = 0
        repeat {
            guard let word = rest.popFirst(), let number = ["a": 1, "an": 1][word] ?? Int64(word), (0...TimeWords.largest).contains(number),
                let unit = rest.popFirst()
            else { return nil }
            guard add(isAgo ? -number : number, unit, &seconds) else { return nil }
            if rest.count > 1, rest.first == "and" { rest.removeFirst() }
        } while !rest.isEmpty
        return result(seconds)
    }

    private mutating func add(_ number: Int64, _ word: String) -> Bool {
        var seconds: Int64 = 0
        guard add(number, word, &seconds) else { return false }
        // The next hour is none of the clock's: nobody knows when it begins.
        return seconds == 0
    }

    private mutating func add(_ number: Int64, _ word: String, _ seconds: inout Int64) -> Bool {
        guard let unit = TimeWords.units[word.hasSuffix("s") ? String(word.dropLast()) : word] else { return false }
        switch unit {
        case .seconds(let size): seconds += number * size
        case .days(let size): fields.tm_mday += Int32(number) * size
        case .months(let size):
            let month = Int32(number) * size + fields.tm_mon
            let day = fields.tm_mday
            fields.tm_mon = month
            // A month after the 31st is the last day of the next one.
            var probe = fields
            (probe.tm_mon, probe.tm_mday, probe.tm_hour, probe.tm_isdst) = (month + 1, 0, 12, -1)
            _ = mktime(&probe)
            fields.tm_mday = min(day, probe.tm_mday)
        }
        return true
    }

    private mutating func result(_ seconds: Int64) -> Int64? { made().map { $0 + seconds * 1000 + now % 1000 } }
}
