/// The parts of something that a request wants: `Range: bytes=0-499,-500`.
package struct ByteRanges: Hashable, Sendable {
    package enum Item: Hashable, Sendable {
        case from(Int, through: Int?)
        case last(Int)
    }

    package enum Choice: Hashable, Sendable {
        /// The answer is 200, with everything.
        case whole
        /// The answer is 206.
        case part(Range<Int>)
        case parts([Range<Int>])
        /// The answer is 416.
        case nothing
    }

    package enum Rules: Sendable {
        /// One range, and none that is everything.
        case couchbaseLite1
        /// RFC 9110, with so many ranges at the most.
        case standard(mostParts: Int)
    }

    package let items: [Item]

    /// Nil for what is no range of bytes, and is treated as if it were not there.
    package init?(_ header: some StringProtocol) {
        let halves = split(header, at: UInt8(ascii: "="), most: 2)
        guard halves.count == 2, isSameASCII(trimmed(halves[0]), "bytes") else { return nil }
        var items: [Item] = []
        for piece in split(halves[1], at: UInt8(ascii: ",")).map({ trimmed($0) }) where !piece.isEmpty {
            guard let item = ByteRanges.item(piece) else { return nil }
            items.append(item)
        }
        guard !items.isEmpty else { return nil }
        self.items = items
    }

    private static func item(_ text: String) -> Item? {
        let ends = split(text, at: UInt8(ascii: "-"))
        guard ends.count == 2 else { return nil }
        guard !ends[0].isEmpty else { return number(ends[1]).map(Item.last) }
        guard let first = number(ends[0]) else { return nil }
        guard !ends[1].isEmpty else { return .from(first, through: nil) }
        guard let last = number(ends[1]), last >= first else { return nil }
        return .from(first, through: last)
    }

    // What is too large for a number is behind the end in any case.
    private static func number(_ digits: Substring) -> Int? {
        guard !digits.isEmpty, digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
        return Int(digits) ?? .max
    }

    /// What is to be sent of so many bytes.
    package func choice(of length: Int, by rules: Rules) -> Choice {
        guard length > 0 else { return .whole }
        switch rules {
        case .couchbaseLite1:
            guard items.count == 1, let item = items.first else { return .whole }
            guard let range = ByteRanges.range(item, of: length) else { return .nothing }
            return range == 0..<length ? .whole : .part(range)
        case .standard(let mostParts):
            let ranges = items.compactMap { ByteRanges.range($0, of: length) }
            guard let first = ranges.first else { return .nothing }
            if ranges.count == 1 { return .part(first) }
            // Whoever wants the same many times over wants to keep somebody busy.
            guard ranges.count <= mostParts, !ByteRanges.overlap(ranges) else { return .whole }
            return .parts(ranges)
        }
    }

    private static func range(_ item: Item, of length: Int) -> Range<Int>? {
        switch item {
        case .from(let first, let last):
            guard first < length else { return nil }
            return first..<(min(last ?? .max, length - 1) + 1)
        case .last(let count): return count > 0 ? length - min(count, length)..<length : nil
        }
    }

    private static func overlap(_ ranges: [Range<Int>]) -> Bool {
        let sorted = ranges.sorted { $0.lowerBound < $1.lowerBound }
        return zip(sorted, sorted.dropFirst()).contains { $0.upperBound > $1.lowerBound }
    }
}

/// Which part of something an answer is: `bytes 5-15/27`, or `bytes */27` if there is no such part.
package struct ContentRange: Hashable, Sendable, CustomStringConvertible {
    package let range: Range<Int>?
    /// Nil if it is not known.
    package let length: Int?

    package init(_ range: Range<Int>?, of length: Int?) {
        self.range = range
        self.length = length
    }

    package init?(_ header: some StringProtocol) {
        let words = split(trimmed(header), at: 0x20, most: 2)
        guard words.count == 2, isSameASCII(words[0], "bytes") else { return nil }
        let parts = split(words[1], at: UInt8(ascii: "/"))
        guard parts.count == 2 else { return nil }
        length = parts[1] == "*" ? nil : ContentRange.number(parts[1])
        guard length != nil || parts[1] == "*" else { return nil }
        guard parts[0] != "*" else {
            range = nil
            return
        }
        let ends = split(parts[0], at: UInt8(ascii: "-"))
        guard ends.count == 2, let first = ContentRange.number(ends[0]), let last = ContentRange.number(ends[1]), first <= last,
            last < length ?? .max
        else { return nil }
        range = first..<last + 1
    }

    private static func number(_ text: Substring) -> Int? { text.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } ? Int(text) : nil }

    package var description: String {
        "bytes " + (range.map { "\($0.lowerBound)-\($0.upperBound - 1)" } ?? "*") + "/" + (length.map(String.init) ?? "*")
    }
}
