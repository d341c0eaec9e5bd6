import CBLFleece

/// How far a peer's changes were received: a JSON value that means something to the peer alone. It is kept as its text and given back as it came.
package struct RemoteSequence: Hashable, Sendable, CustomStringConvertible {
    /// The JSON text, as `since` and the property `sequence` have it; a string keeps its quotes.
    package let json: String
    /// In bytes. It is kept in checkpoints, and in memory for each document that is on its way; gateways need some dozens.
    static let longest = 4096

    /// Nil unless the text is JSON: anything else would break the messages it is put into.
    package init?(json: String) {
        // Nearly all are numbers.
        if RemoteSequence.isNumber(json) {
            self.json = json
            return
        }
        guard json.utf8.count <= RemoteSequence.longest else { return nil }
        let encoder = FleeceEncoder()
        guard (try? JSONParser.parse(json, into: encoder)) != nil, let parsed = try? encoder.finish() else { return nil }
        let isNull = parsed.withRoot { $0.isNull }
        guard !isNull else { return nil }
        self.json = json
    }

    /// As JSON writes one that needs no second look: neither a sign, nor a leading zero, nor more digits than fit.
    private static func isNumber(_ text: String) -> Bool {
        guard let first = text.utf8.first, text.utf8.count < 19, first != UInt8(ascii: "0") else { return false }
        return text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// A number, as databases of this kind count.
    package init(_ number: UInt64) { json = String(number) }

    /// A value inside a message; nil for null, which is no sequence.
    init?(_ value: Value) {
        guard !value.isNull, !value.isUndefined else { return nil }
        if value.isUnsigned || (value.integer ?? -1) >= 0, let bits = value.integerBits {
            json = String(bits)
        } else {
            json = value.json()
            guard json.utf8.count <= RemoteSequence.longest else { return nil }
        }
    }

    package var description: String { json }
}

// Which of two sequences comes first, as far as their form is one that Sync Gateway uses.
extension RemoteSequence {
    /// `5`; `"3:5"`, sequence 5 sent on account of change 3 of the user's rights; `"2:3:5"` and `"2::5"`, with all up to 2 complete.
    enum Form: Hashable {
        case plain(UInt64)
        case triggered(by: UInt64, UInt64)
        indirect case late(low: UInt64, Form)

        init?(_ json: String) {
            var text = Substring(json)
            if text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") { text = text.dropFirst().dropLast() }
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            func number(_ index: Int) -> UInt64? {
                parts[index].utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? UInt64(parts[index]) : nil
            }
            switch parts.count {
            case 1:
                guard let sequence = number(0) else { return nil }
                self = .plain(sequence)
            case 2:
                guard let trigger = number(0), let sequence = number(1) else { return nil }
                self = .triggered(by: trigger, sequence)
            case 3:
                guard let low = number(0), let sequence = number(2) else { return nil }
                if parts[1].isEmpty {
                    self = .late(low: low, .plain(sequence))
                } else {
                    guard let trigger = number(1) else { return nil }
                    self = .late(low: low, .triggered(by: trigger, sequence))
                }
            default: return nil
            }
        }

        func isBefore(_ other: Form) -> Bool {
            switch (self, other) {
            case (.plain(let a), .plain(let b)): a < b
            case (.plain(let a), .triggered(let trigger, _)): a < trigger
            case (.plain(let a), .late(let low, _)): a <= low
            case (.triggered(let trigger, _), .plain(let b)): trigger <= b
            case (.triggered(let first, let a), .triggered(let second, let b)): first == second ? a < b : first < second
            case (.triggered(let trigger, _), .late(let low, _)): trigger <= low
            case (.late(let low, _), .plain(let b)): low < b
            case (.late(let low, _), .triggered(let trigger, _)): low < trigger
            case (.late(let first, let a), .late(let second, let b)): first == second ? a.isBefore(b) : first < second
            }
        }
    }

    /// Nil if one of the two is of a form that only its peer understands.
    package func isBefore(_ other: RemoteSequence) -> Bool? {
        guard let mine = Form(json), let theirs = Form(other.json) else { return nil }
        return mine.isBefore(theirs)
    }
}
