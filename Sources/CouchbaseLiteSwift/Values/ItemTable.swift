/// Items by name, in the order in which they came. Most containers have few, which are found sooner by looking at all than by hashing.
struct ItemTable {
    private(set) var entries: [(name: String, item: Item)] = []
    private var places: [String: Int]?
    private static let manyNames = 16
    private static let usualNames = 8

    var count: Int { entries.count }
    var names: [String] { entries.map(\.name) }

    func place(of name: String) -> Int? {
        if let places { return places[name] }
        return entries.firstIndex { $0.name == name }
    }

    subscript(name: String) -> Item? { place(of: name).map { entries[$0].item } }

    /// Whether the name is new.
    @discardableResult
    mutating func set(_ name: String, _ item: Item) -> Bool {
        if let place = place(of: name) {
            entries[place].item = item
            return false
        }
        if entries.isEmpty { entries.reserveCapacity(ItemTable.usualNames) }
        places?[name] = entries.count
        entries.append((name, item))
        if places == nil, entries.count > ItemTable.manyNames { index() }
        return true
    }

    @discardableResult
    mutating func remove(_ name: String) -> Bool {
        guard let place = place(of: name) else { return false }
        entries.remove(at: place)
        if places != nil { index() }
        return true
    }

    private mutating func index() {
        places = Dictionary(uniqueKeysWithValues: entries.enumerated().map { ($1.name, $0) })
    }
}
