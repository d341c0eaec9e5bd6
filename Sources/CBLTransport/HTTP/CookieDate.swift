/// The dates of cookies, read as leniently as browsers read them (RFC 6265, section 5.1.1).
enum CookieDate {
    /// Seconds since 1970.
    static func seconds(_ text: some StringProtocol) -> Int64? {
        var time: (Int, Int, Int)?
        var day: Int?
        var month: Int?
        var year: Int?
        for token in text.utf8.split(whereSeparator: isDelimiter) {
            if time == nil, let found = readTime(token) {
                time = found
            } else if day == nil, let number = number(token, digits: 1...2) {
                day = number
            } else if month == nil, let found = Calendar.month(token) {
                month = found
            } else if year == nil, let number = number(token, digits: 2...4) {
                year = number < 70 ? number + 2000 : number < 100 ? number + 1900 : number
            }
        }
        guard let time, let day, let month, let year, (1...31).contains(day), year >= 1601, time.0 < 24, time.1 < 60, time.2 < 60 else {
            return nil
        }
        return Calendar.days(year, month, day) * 86400 + Int64(time.0 * 3600 + time.1 * 60 + time.2)
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    // So many digits, and perhaps something behind them that is none.
    private static func number(_ token: some Collection<UInt8>, digits: ClosedRange<Int>) -> Int? {
        let prefix = token.prefix { $0 >= 0x30 && $0 <= 0x39 }
        guard digits.contains(prefix.count) else { return nil }
        return prefix.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private static func readTime(_ token: some Collection<UInt8>) -> (Int, Int, Int)? {
        let parts = token.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), parts[1].allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
            let hour = number(parts[0], digits: 1...2), let minute = number(parts[1], digits: 1...2),
            let second = number(parts[2], digits: 1...2)
        else { return nil }
        return (hour, minute, second)
    }
}
