// Deep comparison. Numbers are compared as numbers: 1, unsigned 1 and 1.0 are equal, whatever bytes they are stored in.

extension Value {
    /// Whether two values say the same. Each side's dictionaries may use a table of shared keys of its own.
    package func isEqual(to other: Value, _ keys: SharedKeys? = nil, _ otherKeys: SharedKeys? = nil) -> Bool {
        var comparison = Comparison(
            keys: keys, otherKeys: otherKeys, budget: WalkBudget(byteCount: max(limit, other.limit)),
            haveSameKeys: keys?.identity == otherKeys?.identity)
        return comparison.areEqual(self, other, depth: 0)
    }

    private struct Comparison {
        let keys: SharedKeys?
        let otherKeys: SharedKeys?
        var budget: WalkBudget
        let haveSameKeys: Bool

        mutating func areEqual(_ a: Value, _ b: Value, depth: Int) -> Bool {
            guard budget.visit(), depth <= Limits.depth else { return false }
            if haveSameKeys, a.base == b.base, a.offset == b.offset, a.bound == b.bound { return true }
            switch (a.kind, b.kind) {
            case (.integer, .integer), (.integer, .double), (.double, .integer), (.double, .double): return areEqualNumbers(a, b)
            case (let kind, let otherKind) where kind != otherKind: return false
            case (.undefined, _), (.null, _): return true
            case (.boolean, _): return a.boolean == b.boolean
            case (.string, _): return areEqualBytes(a.stringBytes, b.stringBytes)
            case (.data, _): return areEqualBytes(a.dataBytes, b.dataBytes)
            case (.array, _): return areEqualArrays(a, b, depth: depth)
            default: return areEqualDictionaries(a, b, depth: depth)
            }
        }

        private mutating func areEqualArrays(_ a: Value, _ b: Value, depth: Int) -> Bool {
            guard let first = a.array, let second = b.array, first.count == second.count else { return false }
            for index in 0..<first.count where !areEqual(first[index], second[index], depth: depth + 1) { return false }
            return true
        }

        private mutating func areEqualDictionaries(_ a: Value, _ b: Value, depth: Int) -> Bool {
            guard let first = a.dictionary, let second = b.dictionary, budget.enter(first), budget.enter(second),
                first.count == second.count
            else { return false }
            for (key, value) in first {
                let found: Value?
                if let name = key.keyBytes(keys) {
                    guard budget.spend(name.count) else { return false }
                    found = second.value(forKey: name, otherKeys)
                } else if haveSameKeys, let number = key.integer {
                    // A number that no table knows can only be compared as such.
                    found = second.value(forSharedKey: Int(number))
                } else {
                    return false
                }
                guard let found, areEqual(value, found, depth: depth + 1) else { return false }
            }
            return true
        }

        private mutating func areEqualBytes(_ a: UnsafeRawBufferPointer?, _ b: UnsafeRawBufferPointer?) -> Bool {
            guard let a, let b, a.count == b.count, budget.spend(a.count) else { return false }
            return compareBytes(a, b) == 0
        }

        private func areEqualNumbers(_ a: Value, _ b: Value) -> Bool {
            compareNumbers(a, b) == 0
        }
    }
}

/// Negative, zero or positive as the number `a` is less than, equal to or greater than `b`, exactly; nil if either is damaged or not a number.
package func compareNumbers(_ a: Value, _ b: Value) -> Int? {
    if let first = a.integerBits {
        if let second = b.integerBits {
            let firstIsNegative = !a.isUnsigned && Int64(bitPattern: first) < 0
            let secondIsNegative = !b.isUnsigned && Int64(bitPattern: second) < 0
            if firstIsNegative != secondIsNegative { return firstIsNegative ? -1 : 1 }
            return first < second ? -1 : first > second ? 1 : 0
        }
        guard let second = b.double, let order = compare(second, to: a) else { return nil }
        return -order
    }
    guard let first = a.double else { return nil }
    if b.integerBits != nil { return compare(first, to: b) }
    guard let second = b.double, !first.isNaN, !second.isNaN else { return nil }
    return first < second ? -1 : first > second ? 1 : 0
}

/// Compares without rounding the integer to a double: beyond 2^53 that would make different numbers equal.
private func compare(_ double: Double, to integer: Value) -> Int? {
    guard let bits = integer.integerBits, !double.isNaN else { return nil }
    let isNegative = !integer.isUnsigned && Int64(bitPattern: bits) < 0
    let whole = double.rounded(.towardZero)
    if whole >= 0x1p64 { return 1 }
    if whole < -0x1p63 { return -1 }
    if whole < 0 || double < 0 {
        guard isNegative else { return -1 }
        let value = Int64(bitPattern: bits)
        let other = Int64(whole)
        if other != value { return other < value ? -1 : 1 }
    } else {
        if isNegative { return 1 }
        let other = UInt64(whole)
        if other != bits { return other < bits ? -1 : 1 }
    }
    return double < whole ? -1 : double > whole ? 1 : 0
}
