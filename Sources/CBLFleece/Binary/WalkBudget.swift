extension Value {
    /// Whether a walk through the value, on all its paths, would use up its budget.
    package var isEndless: Bool {
        var budget = WalkBudget(for: self)
        func walk(_ value: Value, depth: Int) {
            guard budget.visit(), depth <= Limits.depth else { return }
            if let bytes = value.stringBytes ?? value.dataBytes {
                _ = budget.spend(bytes.count)
            } else if let array = value.array {
                for item in array where !budget.isExhausted { walk(item, depth: depth + 1) }
            } else if let dictionary = value.dictionary, budget.enter(dictionary) {
                for (key, member) in dictionary where !budget.isExhausted {
                    _ = budget.spend(key.stringBytes?.count ?? 0)
                    walk(member, depth: depth + 1)
                }
            }
        }
        walk(self, depth: 0)
        return budget.isExhausted
    }
}

/// How much a walk through a value may still look at. What an encoder wrote is a tree, but for short strings that several slots lead to; hostile
/// bytes may lead to the same collection on more paths than there are atoms, or to one long string from everywhere. So every walk that goes
/// wherever slots lead has a budget, which no tree uses up, and says that the value is damaged when it runs out.
///
///     var budget = WalkBudget(for: root)
///     func walk(_ value: Value) {
///         guard budget.visit() else { return }
///         …
///     }
///     if budget.isExhausted { throw FleeceError.endless }
@usableFromInline @frozen package struct WalkBudget: Sendable {
    @usableFromInline var left: Int

    /// For a walk that begins at this value: it can lead to nothing but what lies before its end.
    @inlinable package init(for value: Value) { self.init(byteCount: value.limit) }

    /// For a walk through an encoding of so many bytes.
    @inlinable package init(byteCount: Int) { left = Limits.expansion(byteCount: byteCount) }

    @inlinable package var isExhausted: Bool { left < 0 }

    /// Takes in a value; false if there were too many.
    @inlinable @inline(__always)
    package mutating func visit() -> Bool { spend(WalkBudget.valueCost) }

    /// Takes in a dictionary, before its pairs are gone through: those of its parents, which may be many, are looked for again at each step.
    @inlinable @inline(__always)
    package mutating func enter(_ dictionary: DictionaryView) -> Bool {
        dictionary.inherits ? spend(dictionary.inheritedSteps &* WalkBudget.valueCost) : !isExhausted
    }

    /// Takes in bytes that are copied or compared.
    @inlinable @inline(__always)
    package mutating func spend(_ count: Int) -> Bool {
        left &-= count
        return left >= 0
    }

    /// What a value costs beside its bytes: a slot takes at least two.
    @inlinable static var valueCost: Int { 16 }
}
