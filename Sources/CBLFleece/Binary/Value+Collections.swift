extension Value {
    /// Calls `visit` with every dictionary in this value, itself included, each once however many slots lead to it, until that says false. It
    /// takes no longer than there are bytes, whatever they say, and meets all there is: for those who collect, to whom it does not matter
    /// where a dictionary stands.
    package func forEachDictionary(_ visit: (DictionaryView) throws -> Bool) rethrows {
        var walk = CollectionWalk(from: self)
        while let collection = walk.next() {
            if let dictionary = collection.dictionary, try !visit(dictionary) { return }
        }
    }
}

/// All collections inside a value, in the order of a tree's text, each where it is met first.
private struct CollectionWalk {
    private let base: UnsafeRawPointer
    /// A bit for each place where a value can begin.
    private var places: [UInt64]
    private var waiting: [Value] = []

    init(from root: Value) {
        base = root.base
        // Most documents have some hundreds of bytes: this is one small allocation.
        places = [UInt64](repeating: 0, count: root.limit >> 7 + 1)
        add(root)
    }

    mutating func next() -> Value? {
        guard let value = waiting.popLast() else { return nil }
        let isDictionary = value.kind == .dictionary
        guard let slots = Slots(of: value, perMember: isDictionary ? 2 : 1) else { return value }
        let (step, count) = isDictionary ? (2, Int(slots.count) * 2) : (1, Int(slots.count))
        // A parent of a dictionary is the value of its first pair.
        var index = count - 1
        while index >= 0 {
            add(slots[index])
            index -= step
        }
        return value
    }

    private mutating func add(_ value: Value) {
        let isDictionary = value.kind == .dictionary
        // The extent depends on the slot that leads here, so a place is taken only by one that can be read.
        guard isDictionary || value.kind == .array, value.base == base, Slots(of: value, perMember: isDictionary ? 2 : 1) != nil else {
            return
        }
        let place = value.start >> 1
        guard places[place >> 6] & 1 << UInt64(place & 63) == 0 else { return }
        places[place >> 6] |= 1 << UInt64(place & 63)
        waiting.append(value)
    }
}
