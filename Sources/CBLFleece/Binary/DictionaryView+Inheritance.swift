// A dictionary whose first key is -2048 shows the pairs of a parent through its own; an own value `undefined` hides the parent's. Databases do
// not contain such dictionaries, so this is written to be small and safe, not fast: parents are found again at each step.

extension DictionaryView {
    /// More ancestors than anyone would write; a chain in hostile bytes could have one per six bytes.
    fileprivate static let ancestorLimit = 32

    fileprivate var parent: DictionaryView? {
        inherits ? slots[1].dictionary : nil
    }

    /// The value that `find` locates in this dictionary or its nearest ancestor.
    @usableFromInline
    func inheritedValue(_ find: (DictionaryView) -> Int) -> Value? {
        var dictionary = self
        for _ in 0..<DictionaryView.ancestorLimit {
            let index = find(dictionary)
            if index >= 0 {
                let value = dictionary.slots[index &* 2 &+ 1]
                return value.isUndefined ? nil : value
            }
            guard let next = dictionary.parent else { return nil }
            dictionary = next
        }
        return nil
    }

    @usableFromInline
    var hasPairs: Bool {
        var iterator = makeIterator()
        return iterator.next() != nil
    }

    /// How many pairs are looked at when all are gone through: each step looks for the next one in the dictionary and in all its ancestors.
    @usableFromInline
    var inheritedSteps: Int {
        var (pairs, ancestors) = (0, 0)
        var dictionary: DictionaryView? = self
        while let current = dictionary, ancestors < DictionaryView.ancestorLimit {
            pairs &+= Int(current.slots.count)
            ancestors &+= 1
            dictionary = current.parent
        }
        return pairs &* ancestors
    }

    @usableFromInline
    var mergedCount: Int {
        var iterator = makeIterator()
        var count = 0
        while iterator.next() != nil { count &+= 1 }
        return count
    }

    /// The first own pair whose key sorts after `key`, or `slots.count`.
    fileprivate func ownIndex(after key: Value?) -> Int {
        var low = inherits ? 1 : 0
        guard let key else { return low }
        var high = Int(slots.count)
        while low < high {
            let middle = (low &+ high) &>> 1
            if compareKeys(slots[middle &* 2], key) <= 0 { low = middle &+ 1 } else { high = middle }
        }
        return low
    }
}

extension DictionaryView.Iterator {
    @usableFromInline
    mutating func nextMerged() -> (key: Value, value: Value)? {
        while true {
            var best: (key: Value, value: Value)?
            var dictionary: DictionaryView? = self.dictionary
            var ancestors = 0
            while let current = dictionary, ancestors < DictionaryView.ancestorLimit {
                let index = current.ownIndex(after: last)
                if index < Int(current.slots.count) {
                    let key = current.slots[index &* 2]
                    if best.map({ compareKeys(key, $0.key) < 0 }) ?? true { best = (key, current.slots[index &* 2 &+ 1]) }
                }
                dictionary = current.parent
                ancestors &+= 1
            }
            guard let best else { return nil }
            // Keys out of order, in damaged bytes, must not lead back to the start.
            if let last, compareKeys(best.key, last) <= 0 { return nil }
            last = best.key
            if !best.value.isUndefined { return best }
        }
    }
}

/// The order of dictionary keys: integers by value, then strings by bytes. Anything else is damage and sorts first.
func compareKeys(_ a: Value, _ b: Value) -> Int {
    switch (a.stringBytes, b.stringBytes) {
    case (let first?, let second?): return compareBytes(first, second)
    case (nil, _?): return -1
    case (_?, nil): return 1
    case (nil, nil):
        let first = a.integer ?? .min
        let second = b.integer ?? .min
        return first < second ? -1 : first > second ? 1 : 0
    }
}
