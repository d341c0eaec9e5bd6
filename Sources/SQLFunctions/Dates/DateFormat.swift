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

    // The digits of an example do not matter. It is read from its end.
    private init?(example text: UnsafeRawBufferPointer) {
        var rest = text[...]
        zone = .none
        if rest.last == UInt8(ascii: "Z") {
            zone = .plain
            rest = rest.dropLast()
        } else if let sign = rest.dropLast(5).last, isSign(sign), rest.suffix(5).matches("dd:dd") {
            zone = .withColon
            rest = rest.dropLast(6)
        } else if let sign = rest.dropLast(4).last, isSign(sign), rest.suffix(4).matches("dddd") {
            zone = .plain
            rest = rest.dropLast(5)
        }
        hasMilliseconds = rest.suffix(12).matches("..:..:..p...")
        hasTime = hasMilliseconds || rest.suffix(8).matches("..:..:..")
        separator = nil
        if hasTime {
            rest = rest.dropLast(hasMilliseconds ? 12 : 8)
            if let last = rest.last {
                guard last == UInt8(ascii: "T") || last == 0x20 else { return nil }
                separator = last
                rest = rest.dropLast()
            }
        }
        hasDate = rest.count >= 10 && (rest.suffix(6).matches("-..-..") || rest.suffix(6).matches("/../.."))
        guard hasDate == (separator != nil) || !hasTime, hasDate || hasTime, hasTime || zone == .none else { return nil }
    }

    // Every stage but the first is given up when no more than one token is left, with one exception: that is how the vendor's works.
    private init?(tokens text: UnsafeRawBufferPointer) {
        var rest = text[...]
        func skip(_ tokens: StaticString...) -> Bool {
            for token in tokens {
                let bytes = UnsafeRawBufferPointer(start: token.utf8Start, count: token.utf8CodeUnitCount)
                if rest.starts(with: bytes) {
                    rest = rest.dropFirst(bytes.count)
                    return true
                }
            }
            return false
        }
        hasTime = false
        hasMilliseconds = false
        zone = .none
        separator = nil
        hasDate = skip("%F", "%Y-%m-%d", "%Y/%m/%d")
        if hasDate {
            guard let next = rest.first, next == UInt8(ascii: "T") || next == 0x20, rest.count > 3 else { return }
            separator = next
            rest = rest.dropFirst()
        }
        guard rest.count > 2 else { return nil }
        if skip("%T") {
            hasTime = true
            hasMilliseconds = true
        } else if skip("%H:%M:%S") {
            hasTime = true
        }
        guard hasTime else {
            separator = nil
            if hasDate { return }
            return nil
        }
        guard rest.count > 2 else { return }
        if skip("%s", "%.s") { hasMilliseconds = true }
        if skip("%Ez") {
            zone = .withColon
        } else if skip("%z") {
            zone = .plain
        }
    }

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

private func isSign(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") }

extension Slice<UnsafeRawBufferPointer> {
    /// Whether these bytes have a shape: `d` stands for a digit, `p` for a full stop, a full stop for anything.
    fileprivate func matches(_ shape: StaticString) -> Bool {
        guard count == shape.utf8CodeUnitCount else { return false }
        for (byte, wanted) in zip(self, UnsafeBufferPointer(start: shape.utf8Start, count: shape.utf8CodeUnitCount)) {
            let fits =
                switch wanted {
                case UInt8(ascii: "d"): (0x30...0x39).contains(byte)
                case UInt8(ascii: "p"): byte == UInt8(ascii: ".")
                case UInt8(ascii: "."): true
                default: byte == wanted
                }
            if !fits { return false }
        }
        return true
    }
}
