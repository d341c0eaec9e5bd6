internal import CBLFleece

/// The containers that were handed out of a dictionary which cannot change, by where they lie. Mostly there is one, which needs no memory of its own.
struct HandedOut {
    private var first: (place: UnsafeRawPointer, item: Item)?
    private var others: [UnsafeRawPointer: Item] = [:]

    subscript(value: Value) -> Item? {
        guard let first else { return nil }
        return first.place == value.place ? first.item : others[value.place]
    }

    /// Keeps one that is not there yet.
    mutating func add(_ item: Item, at value: Value) {
        if first == nil { first = (value.place, item) } else { others[value.place] = item }
    }
}
