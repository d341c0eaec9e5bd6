import Glibc

/// A date and time of the proleptic Gregorian calendar as somebody wrote it down, with the offset from UTC if they wrote that too.
struct CalendarDate: Equatable {
    var year = 2000
    var month = 1
    var day = 1
    var hour = 0
    var minute = 0
    var second = 0
    /// The fraction of the second, at least 0 and less than 1.
    var fraction = 0.0
    /// Minutes east of UTC; nil if none was written.
    var offset: Int?

    static let millisecondsPerDay: Int64 = 86_400_000

    /// Days since 1970-01-01. Months outside of 1…12 and days outside of their month spill over.
    static func days(year: Int, month: Int, day: Int) -> Int {
        let months = year * 12 + month - 1
        // Years that begin in March have their leap day at the end.
        let shifted = months - 2
        let (y, m) = (floorDivide(shifted, 12), floorModulo(shifted, 12))
        let era = floorDivide(y, 400)
        let yearOfEra = y - era * 400
        let dayOfYear = (153 * m + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    static func floorDivide(_ a: Int, _ b: Int) -> Int { a / b - (a % b < 0 ? 1 : 0) }
    static func floorModulo(_ a: Int, _ b: Int) -> Int { a - floorDivide(a, b) * b }

    static func isLeap(_ year: Int) -> Bool { floorModulo(year, 4) == 0 && (floorModulo(year, 100) != 0 || floorModulo(year, 400) == 0) }

    static func daysInMonth(_ month: Int, of year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    var dayNumber: Int { CalendarDate.days(year: year, month: month, day: day) }

    /// Milliseconds of the time of day; the fraction is rounded to the nearest.
    var millisecondsOfDay: Int64 { Int64((hour * 60 + minute) * 60_000) + Int64((Double(second) + fraction) * 1000 + 0.5) }

    /// The instant, in milliseconds since 1970. Without an offset the time is that of the local zone.
    var milliseconds: Int64 {
        Int64(dayNumber) * CalendarDate.millisecondsPerDay + millisecondsOfDay - Int64(offset ?? localOffset) * 60_000
    }

    // Minutes east of UTC of the local zone, when its clocks showed this.
    private var localOffset: Int {
        var time = tm()
        time.tm_year = Int32(truncatingIfNeeded: year - 1900)
        time.tm_mon = Int32(month - 1)
        time.tm_mday = Int32(day)
        time.tm_hour = Int32(hour)
        time.tm_min = Int32(minute)
        time.tm_sec = Int32(second)
        time.tm_isdst = -1
        let instant = mktime(&time)
        let written = dayNumber * 86_400 + (hour * 60 + minute) * 60 + second
        return CalendarDate.floorDivide(written - instant, 60)
    }

    /// The fields of an instant as clocks at an offset show them. Nil for instants beyond any calendar.
    init?(milliseconds: Int64, offset: Int) {
        let limit: Int64 = 1 << 57
        guard milliseconds.magnitude < UInt64(limit) else { return nil }
        let local = Int(milliseconds) + offset * 60_000
        var days = CalendarDate.floorDivide(local, 86_400_000)
        let time = local - days * 86_400_000
        hour = time / 3_600_000
        minute = time / 60_000 % 60
        second = time / 1000 % 60
        fraction = Double(time % 1000) / 1000
        self.offset = offset
        days += 719_468
        let era = CalendarDate.floorDivide(days, 146_097)
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Minutes east of UTC that local clocks are ahead at an instant.
    static func localOffset(at milliseconds: Int64) -> Int {
        var seconds = time_t(floorDivide(Int(milliseconds), 1000))
        var time = tm()
        return localtime_r(&seconds, &time) == nil ? 0 : time.tm_gmtoff / 60
    }
}
