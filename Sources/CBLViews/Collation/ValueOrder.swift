import CBLFleece
import CBLFunctions

/// Compares values as keys of a view, as `JSONTextOrder` compares their texts. Dictionaries are expected in the order of their keys, as
/// `ViewKey` writes them, without shared keys.
///
/// One belongs to one thread at a time.
package final class ValueOrder {
    package let collation: JSONCollation
    private let strings: JSONStringOrder
    private let ranks: [UInt8]
    // What is compared may come from a damaged file, and lead to the same values again and again.
    private var steps = 0

    package init(_ collation: JSONCollation) {
        self.collation = collation
        strings = JSONStringOrder(collation)
        ranks = JSONToken.allCases.map(collation.rank)
    }

    private static let deepest = Limits.depth

    /// Negative, zero or positive, as the first value stands before, with or after the second. Arrays whose first `arrayLimit` items are equal are
    /// equal themselves.
    package func compare(_ first: Value, _ second: Value, arrayLimit: Int = .max) -> Int {
        steps = 1 << 24
        return compare(first, second, arrayLimit, depth: 0)
    }

    package func compare(strings first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Int { strings.compare(first, second) }

    private func compare(_ first: Value, _ second: Value, _ arrayLimit: Int, depth: Int) -> Int {
        let (token, other) = (ValueOrder.token(first), ValueOrder.token(second))
        guard token == other else { return Int(ranks[token.rawValue]) - Int(ranks[other.rawValue]) }
        steps -= 1
        guard depth < ValueOrder.deepest, steps > 0 else { return 0 }
        switch token {
        case .number:
            let (x, y) = (first.double ?? 0, second.double ?? 0)
            return x < y ? -1 : x > y ? 1 : 0
        case .string:
            guard let x = first.stringBytes, let y = second.stringBytes else { return 0 }
            steps -= min(x.count, y.count) / 16
            return strings.compare(x, y)
        case .array:
            guard let x = first.array, let y = second.array else { return 0 }
            return compare(x, y, arrayLimit, depth: depth)
        case .object:
            guard let x = first.dictionary, let y = second.dictionary else { return 0 }
            return compare(x, y, depth: depth)
        default: return 0
        }
    }

    private func compare(_ first: ArrayView, _ second: ArrayView, _ arrayLimit: Int, depth: Int) -> Int {
        let common = min(first.count, second.count)
        for index in 0..<min(common, arrayLimit) {
            let order = compare(first[index], second[index], .max, depth: depth + 1)
            if order != 0 { return order }
        }
        return common >= arrayLimit ? 0 : first.count - second.count
    }

    private func compare(_ first: DictionaryView, _ second: DictionaryView, depth: Int) -> Int {
        var (left, right) = (first.makeIterator(), second.makeIterator())
        while true {
            switch (left.next(), right.next()) {
            case (nil, nil): return 0
            case (nil, _?): return -1
            case (_?, nil): return 1
            case (let x?, let y?):
                var order = compare(x.key, y.key, .max, depth: depth + 1)
                if order == 0 { order = compare(x.value, y.value, .max, depth: depth + 1) }
                if order != 0 { return order }
            }
            guard steps > 0 else { return 0 }
        }
    }

    static func token(_ value: Value) -> JSONToken {
        switch value.kind {
        case .undefined, .null, .data: .null
        case .boolean: value.boolean == true ? .true : .false
        case .integer, .double: .number
        case .string: .string
        case .array: .array
        case .dictionary: .object
        }
    }
}
