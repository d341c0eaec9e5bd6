/// The date functions of SQL++. Dates are ISO-8601 text or milliseconds since 1970.
enum DateFunctions {
    static let rows = [
        FunctionRow("str_to_millis", 1) { Call($0, $1, $2).stringToMilliseconds() },
        FunctionRow("str_to_utc", 1) { Call($0, $1, $2).stringToUTC() },
        FunctionRow("str_to_utc", 2) { Call($0, $1, $2).stringToUTC() },
        FunctionRow("str_to_tz", 2) { Call($0, $1, $2).stringToZone() },
        FunctionRow("str_to_tz", 3) { Call($0, $1, $2).stringToZone() },
        FunctionRow("millis_to_utc", 1) { Call($0, $1, $2).millisecondsToUTC() },
        FunctionRow("millis_to_utc", 2) { Call($0, $1, $2).millisecondsToUTC() },
        FunctionRow("millis_to_str", 1) { Call($0, $1, $2).millisecondsToLocal() },
        FunctionRow("millis_to_str", 2) { Call($0, $1, $2).millisecondsToLocal() },
        FunctionRow("millis_to_tz", 2) { Call($0, $1, $2).millisecondsToZone() },
        FunctionRow("millis_to_tz", 3) { Call($0, $1, $2).millisecondsToZone() },
        FunctionRow("date_add_str", 3) { Call($0, $1, $2).addToString() },
        FunctionRow("date_add_str", 4) { Call($0, $1, $2).addToString() },
        FunctionRow("date_add_millis", 3) { Call($0, $1, $2).addToMilliseconds() },
        FunctionRow("date_diff_str", 3) { Call($0, $1, $2).differenceOfStrings() },
        FunctionRow("date_diff_millis", 3) { Call($0, $1, $2).differenceOfMilliseconds() },
    ]
}

extension Argument {
    /// Milliseconds since 1970 in a number.
    fileprivate var milliseconds: Int64? { isNumber ? int64 : nil }

    fileprivate func date(allowsTimeAlone: Bool = true) -> CalendarDate? {
        text.flatMap { CalendarDate($0, allowsTimeAlone: allowsTimeAlone) }
    }

    /// Minutes east of UTC; nil for what no clock shows.
    fileprivate var zone: Int? {
        guard isNumber, int64.magnitude <= 100 * 24 * 60 else { return nil }
        return Int(int64)
    }
}

extension Call {
    private func format(_ index: Int) -> DateFormat {
        guard index < count, let text = self[index].text else { return .standard }
        return DateFormat(text)
    }

    private func set(instant milliseconds: Int64, offset: Int, format: DateFormat) {
        guard let date = CalendarDate(milliseconds: milliseconds, offset: offset) else { return setNull() }
        set(format.text(date))
    }

    fileprivate func stringToMilliseconds() {
        guard let date = self[0].date(allowsTimeAlone: false) else { return setNull() }
        set(date.milliseconds)
    }

    fileprivate func stringToUTC() {
        guard let date = self[0].date() else { return setNull() }
        set(instant: date.milliseconds, offset: 0, format: format(1))
    }

    fileprivate func stringToZone() {
        guard let date = self[0].date(), let offset = self[1].zone else { return setNull() }
        set(instant: date.milliseconds, offset: offset, format: format(2))
    }

    fileprivate func millisecondsToUTC() {
        guard let milliseconds = self[0].milliseconds else { return setNull() }
        set(instant: milliseconds, offset: 0, format: format(1))
    }

    fileprivate func millisecondsToLocal() {
        guard let milliseconds = self[0].milliseconds else { return setNull() }
        set(instant: milliseconds, offset: CalendarDate.localOffset(at: milliseconds), format: format(1))
    }

    fileprivate func millisecondsToZone() {
        guard let milliseconds = self[0].milliseconds, let offset = self[1].zone else { return setNull() }
        set(instant: milliseconds, offset: offset, format: format(2))
    }

    fileprivate func addToString() {
        guard var date = self[0].date(), self[1].isNumber else { return }
        let offset = date.offset ?? 0
        // What is added moves the fields that were written.
        date.offset = 0
        guard let part = self[2].text.flatMap(DatePart.init) else { return set(instant: -1, offset: offset, format: format(3)) }
        guard let sum = part.add(self[1].int64, to: date.milliseconds) else { return }
        let (instant, isTooLarge) = sum.subtractingReportingOverflow(Int64(offset) * 60_000)
        if !isTooLarge { set(instant: instant, offset: offset, format: format(3)) }
    }

    fileprivate func addToMilliseconds() {
        guard let milliseconds = self[0].milliseconds, self[1].isNumber else { return }
        // What is no text is no known part either.
        guard let part = self[2].text.flatMap(DatePart.init) else { return set(Int64(-1)) }
        guard let sum = part.add(self[1].int64, to: milliseconds) else { return }
        set(sum)
    }

    fileprivate func differenceOfStrings() {
        guard let first = self[0].date(), let second = self[1].date(), let part = self[2].text.flatMap(DatePart.init) else { return }
        set(part.difference(first, second))
    }

    fileprivate func differenceOfMilliseconds() {
        guard let first = self[0].milliseconds, let second = self[1].milliseconds, let part = self[2].text.flatMap(DatePart.init),
            let firstDate = CalendarDate(milliseconds: first, offset: 0), let secondDate = CalendarDate(milliseconds: second, offset: 0)
        else { return }
        set(part.difference(firstDate, secondDate))
    }
}
