/// Dates and times of RFC 3339, durations of its appendix A.
enum DateFormats {
    static func isDateTime(_ text: Text) -> Bool {
        guard text.count > 11 else { return false }
        let mark = text.startIndex + 10
        return isDate(text[..<mark]) && text[mark] | 0x20 == UInt8(ascii: "t") && isTime(text[(mark + 1)...])
    }

    static func isDate(_ text: Text) -> Bool {
        var rest = text
        guard let year = rest.takeNumber(digits: 4), rest.take("-"), let month = rest.takeNumber(digits: 2), rest.take("-"),
            let day = rest.takeNumber(digits: 2), rest.isEmpty, (1...12).contains(month), day >= 1
        else { return false }
        return day <= days(of: month, year)
    }

    private static func days(of month: Int, _ year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    static func isTime(_ text: Text) -> Bool {
        var rest = text
        guard let hour = rest.takeNumber(digits: 2), rest.take(":"), let minute = rest.takeNumber(digits: 2), rest.take(":"),
            let second = rest.takeNumber(digits: 2), hour < 24, minute < 60, second <= 60
        else { return false }
        if rest.take(".") {
            guard rest.first?.isDigit == true else { return false }
            rest = rest.drop { $0.isDigit }
        }
        guard let offset = zone(rest) else { return false }
        if second < 60 { return true }
        // Leap seconds are the last ones of days in Greenwich.
        let minutes = ((hour * 60 + minute - offset) % 1440 + 1440) % 1440
        return minutes == 1439
    }

    /// The minutes that a zone is before Greenwich; nil if this is none.
    private static func zone(_ text: Text) -> Int? {
        var rest = text
        guard let sign = rest.popFirst() else { return nil }
        if sign | 0x20 == UInt8(ascii: "z") { return rest.isEmpty ? 0 : nil }
        guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), let hours = rest.takeNumber(digits: 2), rest.take(":"),
            let minutes = rest.takeNumber(digits: 2), rest.isEmpty, hours < 24, minutes < 60
        else { return nil }
        return (sign == UInt8(ascii: "-") ? -1 : 1) * (hours * 60 + minutes)
    }

    static func isDuration(_ text: Text) -> Bool {
        var rest = text
        guard rest.take("P"), !rest.isEmpty else { return false }
        if rest.last == UInt8(ascii: "W") { return isNumber(rest.dropLast()) }
        guard takeParts(&rest, "YMD") != nil else { return false }
        if rest.isEmpty { return true }
        guard rest.take("T"), !rest.isEmpty, takeParts(&rest, "HMS") != nil else { return false }
        return rest.isEmpty
    }

    private static func isNumber(_ text: Text) -> Bool { !text.isEmpty && text.allSatisfy(\.isDigit) }

    /// Numbers with these letters, which follow each other without a gap. Nil if there is a number without a letter that is due.
    private static func takeParts(_ rest: inout Text, _ letters: String) -> Bool? {
        var due = letters.utf8[...]
        var isFirst = true
        while let byte = rest.first, byte.isDigit {
            rest = rest.drop { $0.isDigit }
            guard let letter = rest.popFirst() else { return nil }
            guard let place = due.firstIndex(of: letter), isFirst || place == due.startIndex else { return nil }
            due = due[due.index(after: place)...]
            isFirst = false
        }
        return !isFirst
    }
}
