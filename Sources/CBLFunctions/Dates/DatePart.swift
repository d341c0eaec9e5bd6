/// The parts that dates are moved by and compared in.
enum DatePart: String {
    case millennium, century, decade, year, quarter, month, week, day, hour, minute, second, millisecond

    init?(_ text: UnsafeRawBufferPointer) { self.init(rawValue: String(decoding: text, as: UTF8.self).lowercased()) }

    /// How many milliseconds, for the parts that always are as long.
    private var milliseconds: Int64? {
        switch self {
        case .millisecond: 1
        case .second: 1000
        case .minute: 60_000
        case .hour: 3_600_000
        case .day: CalendarDate.millisecondsPerDay
        case .week: 7 * CalendarDate.millisecondsPerDay
        default: nil
        }
    }

    private var months: Int? {
        switch self {
        case .month: 1
        case .quarter: 3
        case .year: 12
        case .decade: 120
        case .century: 1200
        case .millennium: 12_000
        default: nil
        }
    }

    /// The instant that is `amount` parts later than another. A day that its new month does not have spills into the next. Nil if that is
    /// beyond all calendars.
    func add(_ amount: Int64, to milliseconds: Int64) -> Int64? {
        if let unit = self.milliseconds {
            let (span, overflow) = amount.multipliedReportingOverflow(by: unit)
            let (sum, overflow2) = milliseconds.addingReportingOverflow(span)
            return overflow || overflow2 ? nil : sum
        }
        guard let months, amount.magnitude < 1 << 40, let date = CalendarDate(milliseconds: milliseconds, offset: 0) else { return nil }
        let day = CalendarDate.days(year: date.year, month: date.month + Int(amount) * months, day: date.day)
        let (start, overflow) = Int64(day).multipliedReportingOverflow(by: CalendarDate.millisecondsPerDay)
        let (instant, overflow2) = start.addingReportingOverflow(date.millisecondsOfDay)
        return overflow || overflow2 ? nil : instant
    }

    /// How much later the first date is, by the fields that were written.
    func difference(_ first: CalendarDate, _ second: CalendarDate) -> Int64 {
        first.milliseconds < second.milliseconds ? -magnitude(second, first) : magnitude(first, second)
    }

    private func magnitude(_ later: CalendarDate, _ earlier: CalendarDate) -> Int64 {
        let years = Int64(later.year - earlier.year)
        let days = Int64(later.dayNumber - earlier.dayNumber)
        let hours = days * 24 + Int64(later.hour - earlier.hour)
        let minutes = hours * 60 + Int64(later.minute - earlier.minute)
        let seconds = minutes * 60 + Int64(later.second - earlier.second)
        switch self {
        case .year: return years
        case .decade: return years / 10
        case .century: return years / 100
        case .millennium: return years / 1000
        case .quarter: return 4 * years + Int64((later.month + 2) / 3 - (earlier.month + 2) / 3)
        case .month: return abs(12 * years + Int64(later.month - earlier.month))
        case .week: return days / 7
        case .day: return days
        case .hour: return hours
        case .minute: return minutes
        case .second: return seconds
        case .millisecond: return seconds * 1000 + Int64((later.fraction - earlier.fraction) * 1000)
        }
    }
}
