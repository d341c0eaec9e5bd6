/// Dates written as text, for those who look at data instead of calling the functions of SQL++.
package enum DateText {
    private static let shortest = 10
    private static let longest = 40

    /// The instant that an ISO-8601 text names, in milliseconds since 1970. Without an offset it is taken as UTC, so that an answer does not
    /// depend on where it is asked. Nil for text that is no date, which shows at the first bytes.
    @inline(__always)
    package static func instant(_ text: UnsafeRawBufferPointer) -> Int64? {
        guard text.count >= shortest, text.count <= longest, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-") else { return nil }
        return parsed(text)
    }

    private static func parsed(_ text: UnsafeRawBufferPointer) -> Int64? {
        guard var date = CalendarDate(text, allowsTimeAlone: false) else { return nil }
        date.offset = date.offset ?? 0
        return date.milliseconds
    }

    /// The same as functions and documents read it: without an offset it is a time of the local zone.
    package static func localInstant(_ text: UnsafeRawBufferPointer) -> Int64? {
        CalendarDate(text, allowsTimeAlone: false)?.milliseconds
    }

    /// An instant in UTC as documents hold it: `2026-11-21T14:05:00.000Z`.
    package static func preciseText(_ milliseconds: Int64) -> String {
        guard let date = CalendarDate(milliseconds: milliseconds, offset: 0) else { return "\(milliseconds)" }
        let year = date.year < 0 ? "-" + padded(-date.year, 4) : padded(date.year, 4)
        let fraction = padded(Int(CalendarDate.floorModulo(Int(milliseconds % 1000), 1000)), 3)
        return "\(year)-\(padded(date.month, 2))-\(padded(date.day, 2))T"
            + "\(padded(date.hour, 2)):\(padded(date.minute, 2)):\(padded(date.second, 2)).\(fraction)Z"
    }

    /// An instant in UTC: `2026-11-21`, with `T14:05:00Z` behind it unless it is midnight.
    package static func text(_ milliseconds: Int64) -> String {
        guard let date = CalendarDate(milliseconds: milliseconds, offset: 0) else { return "\(milliseconds)" }
        let day = "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))"
        if date.hour == 0, date.minute == 0, date.second == 0 { return day }
        return "\(day)T\(padded(date.hour, 2)):\(padded(date.minute, 2)):\(padded(date.second, 2))Z"
    }

    /// Parts of the calendar, in UTC.
    package enum Unit: CaseIterable, Sendable {
        case minute, hour, day, month, year
    }

    /// How many whole units lie between 1970 and an instant.
    package static func number(of unit: Unit, at milliseconds: Int64) -> Int {
        let instant = Int(milliseconds)
        switch unit {
        case .minute: return CalendarDate.floorDivide(instant, 60_000)
        case .hour: return CalendarDate.floorDivide(instant, 3_600_000)
        case .day: return CalendarDate.floorDivide(instant, 86_400_000)
        case .month:
            guard let date = CalendarDate(milliseconds: milliseconds, offset: 0) else { return 0 }
            return (date.year - 1970) * 12 + date.month - 1
        case .year: return CalendarDate(milliseconds: milliseconds, offset: 0).map { $0.year - 1970 } ?? 0
        }
    }

    /// The name of the unit with this number: `2026-11-21 14:00`, `2026-11-21`, `2026-11`, `2026`.
    package static func name(of unit: Unit, number: Int) -> String {
        switch unit {
        case .minute, .hour:
            let minutes = unit == .hour ? number * 60 : number
            guard let date = CalendarDate(milliseconds: Int64(minutes) * 60_000, offset: 0) else { return "\(number)" }
            let day = "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))"
            return "\(day) \(padded(date.hour, 2)):\(padded(date.minute, 2))"
        case .day: return text(Int64(number) * CalendarDate.millisecondsPerDay)
        case .month:
            let year = CalendarDate.floorDivide(number, 12)
            return "\(padded(1970 + year, 4))-\(padded(number - year * 12 + 1, 2))"
        case .year: return padded(1970 + number, 4)
        }
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = "\(number.magnitude)"
        return (number < 0 ? "-" : "") + String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
