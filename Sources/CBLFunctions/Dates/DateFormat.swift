/// Which parts of a date are written, and how. Chosen by an example (`1111-11-11T11:11:11Z`) or by tokens (`%F %H:%M:%S`).
struct DateFormat: Equatable {
    enum Zone { case none, plain, withColon }

    var hasDate = true
    var separator: UInt8? = UInt8(ascii: "T")
    var hasTime = true
    var hasMilliseconds = true
    var zone = Zone.plain

    static let standard = DateFormat()

    /// The standard format for what is not understood.
    init(_ text: UnsafeRawBufferPointer) {
        self = (text.first == UInt8(ascii: "%") ? DateFormat(tokens: text) : DateFormat(example: text)) ?? .standard
    }

    private init() {}

    // The digits of an example do not matter. It is read from its end, and what comes before a whole date is overlooked.
    private init?(example text: UnsafeRawBufferPointer) {
        var rest = text[...]
        zone = .none
        if rest.last == UInt8(ascii: "Z") {
            zone = .plain
            rest = rest.dropLast()
        } else if rest.suffix(6).matches("s..:..") {
            zone = .withColon
            rest = rest.dropLast(6)
        } else if rest.suffix(5).matches("s....") {
            zone = .plain
            rest = rest.dropLast(5)
        }
        hasMilliseconds = rest.suffix(12).matches("..:..:..p...")
        hasTime = hasMilliseconds || rest.suffix(8).matches("..:..:..")
        separator = nil
        if hasTime {
            rest = rest.dropLast(hasMilliseconds ? 12 : 8)
            if let last = rest.last {
                guard DateFormat.isSeparator(last) else { return nil }
                separator = last
                rest = rest.dropLast()
            }
        }
        hasDate = rest.count >= 10 && (rest.suffix(6).matches("-..-..") || rest.suffix(6).matches("/../.."))
        guard hasDate == (separator != nil) || !hasTime, hasDate || hasTime, hasTime || zone == .none else { return nil }
    }

    // Read as the vendor's library reads it: after a date, a time or a fraction, a rest of a single character is overlooked (and so `%FT%T` is
    // a date alone), and so is what stands between a fraction and the zone.
    private init?(tokens text: UnsafeRawBufferPointer) {
        var rest = text.dropFirst()
        func take(_ token: StaticString) -> Bool {
            guard rest.starts(with: UnsafeBufferPointer(start: token.utf8Start, count: token.utf8CodeUnitCount)) else { return false }
            rest = rest.dropFirst(token.utf8CodeUnitCount)
            return true
        }
        (separator, hasTime, hasMilliseconds, zone) = (nil, false, false, .none)
        hasDate = take("F") || take("Y-%m-%d") || take("Y/%m/%d")
        if hasDate {
            if rest.isEmpty { return }
            if let next = rest.first, DateFormat.isSeparator(next) {
                separator = next
                rest = rest.dropFirst()
            }
            guard take("%") else { return nil }
        }
        if rest.count > 1 {
            hasMilliseconds = take("T")
            hasTime = hasMilliseconds || take("H:%M:%S")
            // Another token is passed over, but not half a date or half a time.
            guard hasTime || rest.first != UInt8(ascii: "H") && (hasDate || rest.first != UInt8(ascii: "Y")) else { return nil }
            if !hasTime { rest = rest.dropFirst() }
        }
        if rest.count > 1 {
            guard take("%") else { return nil }
            if hasTime {
                if take("s") || take(".s") { hasMilliseconds = true } else if rest.first == UInt8(ascii: ".") { rest = rest.dropFirst(2) }
            }
        }
        if rest.count > 1 {
            if let percent = rest.firstIndex(of: UInt8(ascii: "%")) { rest = rest[(percent + 1)...] }
            zone = take("Ez") ? .withColon : .plain
            guard zone == .withColon || rest.elementsEqual("z".utf8) else { return nil }
        }
        guard hasDate || hasTime, !hasDate || !hasTime || separator != nil else { return nil }
        if !hasDate || !hasTime { separator = nil }
    }

    private static func isSeparator(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "T") || byte == UInt8(ascii: " ") }

    /// Writes a date's own fields, and its offset.
    func text(_ date: CalendarDate) -> String {
        var text = ""
        func append(_ value: Int, _ digits: Int) {
            let number = String(value.magnitude)
            if value < 0 { text += "-" }
            text += String(repeating: "0", count: max(0, digits - number.utf8.count)) + number
        }
        if hasDate {
            append(date.year, 4)
            text += "-"
            append(date.month, 2)
            text += "-"
            append(date.day, 2)
        }
        guard hasTime else { return text }
        if let separator { text.unicodeScalars.append(Unicode.Scalar(separator)) }
        append(date.hour, 2)
        text += ":"
        append(date.minute, 2)
        text += ":"
        append(date.second, 2)
        let milliseconds = Int(date.fraction * 1000 + 0.5)
        if hasMilliseconds && milliseconds > 0 {
            text += "."
            append(milliseconds, 3)
        }
        guard zone != .none else { return text }
        let offset = date.offset ?? 0
        if offset == 0 { return text + "Z" }
        text += offset < 0 ? "-" : "+"
        append(Int(offset.magnitude) / 60, 2)
        if zone == .withColon { text += ":" }
        append(Int(offset.magnitude) % 60, 2)
        return text
    }
}

extension Slice<UnsafeRawBufferPointer> {
    /// Whether these bytes have a shape: `s` stands for a sign, `p` for a full stop, a full stop for anything.
    fileprivate func matches(_ shape: StaticString) -> Bool {
        guard count == shape.utf8CodeUnitCount else { return false }
        for (byte, wanted) in zip(self, UnsafeBufferPointer(start: shape.utf8Start, count: shape.utf8CodeUnitCount)) {
            let fits =
                switch wanted {
                case UInt8(ascii: "s"): byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
                case UInt8(ascii: "p"): byte == UInt8(ascii: ".")
                case UInt8(ascii: "."): true
                default: byte == wanted
                }
            if !fits { return false }
        }
        return true
    }
}
