/// Names and addresses of hosts and of people.
enum NetworkFormats {
    /// RFC 1123: labels of letters, digits and hyphens.
    static func isHostname(_ text: Text, knowsAlphabets: Bool = true) -> Bool {
        guard !text.isEmpty, text.count <= 253 else { return false }
        return text.split(at: ".").allSatisfy { label in
            guard let first = label.first, let last = label.last, label.count <= 63 else { return false }
            guard first != UInt8(ascii: "-"), last != UInt8(ascii: "-") else { return false }
            // Hyphens in the third and fourth place announce a name in another alphabet, of which there is one kind.
            let third = label.dropFirst(2).prefix(2)
            if knowsAlphabets, third.elementsEqual("--".utf8), !label.prefix(2).elementsEqual("xn".utf8) { return false }
            return label.allSatisfy { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "-") }
        }
    }

    static func isIPv4(_ text: Text) -> Bool {
        let parts = text.split(at: ".")
        return parts.count == 4
            && parts.allSatisfy { part in
                guard (1...3).contains(part.count), part.allSatisfy(\.isDigit), part.count == 1 || part.first != UInt8(ascii: "0") else {
                    return false
                }
                return part.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } <= 255
            }
    }

    static func isIPv6(_ text: Text) -> Bool {
        guard let gap = doubleColon(text) else { return groupCount(text) == 8 }
        let before = text[..<gap]
        let after = text[text.index(gap, offsetBy: 2)...]
        guard doubleColon(after) == nil, let first = before.isEmpty ? 0 : groupCount(before, mayEndWithIPv4: false),
            let second = after.isEmpty ? 0 : groupCount(after)
        else { return false }
        return first + second < 8
    }

    private static func doubleColon(_ text: Text) -> Text.Index? {
        var last: UInt8 = 0
        for index in text.indices {
            if last == UInt8(ascii: ":"), text[index] == last { return text.index(before: index) }
            last = text[index]
        }
        return nil
    }

    /// How many groups of sixteen bits; nil if something else is among them. An IPv4 address at the end stands for two.
    private static func groupCount(_ text: Text, mayEndWithIPv4: Bool = true) -> Int? {
        let groups = text.split(at: ":")
        var count = 0
        for (index, group) in groups.enumerated() {
            if group.contains(UInt8(ascii: ".")) {
                guard mayEndWithIPv4, index == groups.count - 1, isIPv4(group) else { return nil }
                count += 2
            } else {
                guard (1...4).contains(group.count), group.allSatisfy(\.isHexDigit) else { return nil }
                count += 1
            }
        }
        return count
    }

    /// One `@` between a local part, which may be in quotes, and a host or an address in brackets.
    static func isEmail(_ text: Text, isInternational: Bool) -> Bool {
        guard let mark = text.lastIndex(of: UInt8(ascii: "@")) else { return false }
        let local = text[..<mark]
        let host = text[text.index(after: mark)...]
        return isLocalPart(local, isInternational) && isMailHost(host, isInternational)
    }

    private static func isLocalPart(_ text: Text, _ isInternational: Bool) -> Bool {
        guard !text.isEmpty, text.count <= 64 else { return false }
        if text.count >= 2, text.first == UInt8(ascii: "\""), text.last == UInt8(ascii: "\"") {
            var rest = text.dropFirst().dropLast()
            while let byte = rest.popFirst() {
                if byte == UInt8(ascii: "\\") { guard rest.popFirst() != nil else { return false } }
                if byte == UInt8(ascii: "\"") || byte < 0x20 || byte >= 0x80 && !isInternational { return false }
            }
            return true
        }
        return text.split(at: ".").allSatisfy { part in
            !part.isEmpty
                && part.allSatisfy { $0.isLetter || $0.isDigit || "!#$%&'*+-/=?^_`{|}~".utf8.contains($0) || $0 >= 0x80 && isInternational }
        }
    }

    private static func isMailHost(_ text: Text, _ isInternational: Bool) -> Bool {
        if text.first == UInt8(ascii: "["), text.last == UInt8(ascii: "]") {
            let inner = text.dropFirst().dropLast()
            return inner.starts(with: "IPv6:".utf8) ? isIPv6(inner.dropFirst(5)) : isIPv4(inner)
        }
        if isInternational, text.contains(where: { $0 >= 0x80 }) { return !text.contains { $0 <= 0x20 } }
        return isHostname(text)
    }
}
