/// Reads ISO-8601 text as the vendor's library does:
///
///     date := '-'? YYYY '-' MM '-' DD ( sep* time )?      sep := white space or 'T'
///     time := hh ':' mm ( ':' ss ( '.' d+ )? )? zone?
///     zone := space* ( 'Z' | 'z' | ('+'|'-') hh ':'? mm ) space*
extension CalendarDate {
    /// Nil for text that is no date. A time alone, where allowed, is one of 2000-01-01.
    init?(_ text: UnsafeRawBufferPointer, allowsTimeAlone: Bool) {
        var scanner = DateScanner(text)
        if scanner.date(&self) {
            while scanner.skip(where: { DateScanner.isSpace($0) || $0 == UInt8(ascii: "T") }) {}
            if scanner.isAtEnd { return }
        } else {
            guard allowsTimeAlone else { return nil }
            scanner = DateScanner(text)
            self = CalendarDate()
        }
        guard scanner.time(&self) else { return nil }
    }

    private init() {}
}

private struct DateScanner {
    private let text: UnsafeRawBufferPointer
    private var position = 0

    init(_ text: UnsafeRawBufferPointer) { self.text = text }

    var isAtEnd: Bool { position == text.count }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    mutating func skip(where predicate: (UInt8) -> Bool) -> Bool {
        guard position < text.count, predicate(text[position]) else { return false }
        position += 1
        return true
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool { skip { $0 == UInt8(ascii: character) } }

    private mutating func number(digits: Int, _ range: ClosedRange<Int>) -> Int? {
        guard text.count - position >= digits else { return nil }
        var value = 0
        for byte in text[position..<position + digits] {
            guard (0x30...0x39).contains(byte) else { return nil }
            value = value * 10 + Int(byte - 0x30)
        }
        position += digits
        return range.contains(value) ? value : nil
    }

    mutating func date(_ date: inout CalendarDate) -> Bool {
        let isNegative = skip("-")
        guard let year = number(digits: 4, 0...9999), skip("-"), let month = number(digits: 2, 1...12), skip("-"),
            let day = number(digits: 2, 1...31)
        else { return false }
        date.year = isNegative ? -year : year
        date.month = month
        date.day = day
        return day <= CalendarDate.daysInMonth(month, of: date.year)
    }

    mutating func time(_ date: inout CalendarDate) -> Bool {
        guard let hour = number(digits: 2, 0...24), skip(":"), let minute = number(digits: 2, 0...59) else { return false }
        date.hour = hour
        date.minute = minute
        if skip(":") {
            guard let second = number(digits: 2, 0...59) else { return false }
            date.second = second
            if position + 1 < text.count, text[position] == UInt8(ascii: "."), (0x30...0x39).contains(text[position + 1]) {
                position += 1
                date.fraction = fraction()
            }
        }
        return zone(&date)
    }

    private mutating func fraction() -> Double {
        var value = 0.0
        var scale = 1.0
        while position < text.count, (0x30...0x39).contains(text[position]) {
            // More digits than a double holds change nothing.
            if scale < 1e15 {
                value = value * 10 + Double(text[position] - 0x30)
                scale *= 10
            }
            position += 1
        }
        return value / scale
    }

    private mutating func zone(_ date: inout CalendarDate) -> Bool {
        while skip(where: DateScanner.isSpace) {}
        if isAtEnd { return true }
        if skip("Z") || skip("z") {
            date.offset = 0
        } else {
            let isWest = skip("-")
            guard isWest || skip("+"), let hours = number(digits: 2, 0...14) else { return false }
            _ = skip(":")
            guard let minutes = number(digits: 2, 0...59) else { return false }
            date.offset = (hours * 60 + minutes) * (isWest ? -1 : 1)
        }
        while skip(where: DateScanner.isSpace) {}
        return isAtEnd
    }
}
