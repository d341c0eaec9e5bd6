/// Days of the calendar in numbers, as dates in headers need them.
enum Calendar {
    static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    /// Beginning with the day of the week on which 1970 began.
    static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]

    /// From 1 to 12, by the first three letters of a name.
    static func month(_ name: some Collection<UInt8>) -> Int? {
        let name = name.prefix(3).map(lowerCase)
        return months.firstIndex { $0.utf8.map(lowerCase) == name }.map { $0 + 1 }
    }

    /// Days since 1970. Years begin in March here, so that the day that some have more is the last of them.
    static func days(_ year: Int, _ month: Int, _ day: Int) -> Int64 {
        let shifted = month > 2 ? year : year - 1
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return Int64(era * 146097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719468)
    }

    /// The date so many days after the beginning of 1970.
    static func date(_ days: Int64) -> (year: Int, month: Int, day: Int) {
        let shifted = Int(days) + 719468
        let era = shifted / 146097
        let dayOfEra = shifted - era * 146097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let year = yearOfEra + era * 400
        return (month < 10 ? year : year + 1, month < 10 ? month + 3 : month - 9, dayOfYear - (153 * month + 2) / 5 + 1)
    }
}
