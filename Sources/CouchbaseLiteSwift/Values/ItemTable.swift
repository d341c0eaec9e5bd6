/// Items by name, in the order in which they came. Most containers have few, which are found sooner by looking at all than by hashing.
struct ItemTable {
    private(set) var names: [String] = []
    private(set) var items: [Item] = []
    private var places: [PropertyName: Int]?
    private static let manyNames = 16

    var count: Int { names.count }

    func place(of name: String) -> Int? {
        if let places { return places[PropertyName(name)] }
        for (place, candidate) in names.enumerated() where candidate.hasSameBytes(as: name) { return place }
        return nil
    }

    subscript(name: String) -> Item? { place(of: name).map { items[$0] } }

    /// Whether the name is new.
    @discardableResult
    mutating func set(_ name: String, _ item: Item) -> Bool {
        if let place = place(of: name) {
            items[place] = item
            return false
        }
        places?[PropertyName(name)] = names.count
        names.append(name)
        items.append(item)
        if places == nil, names.count > ItemTable.manyNames {
            places = Dictionary(uniqueKeysWithValues: names.enumerated().map { (PropertyName($1), $0) })
        }
        return true
    }

    @discardableResult
    mutating func remove(_ name: String) -> Bool {
        guard let place = place(of: name) else { return false }
        names.remove(at: place)
        items.remove(at: place)
        if places != nil { places = Dictionary(uniqueKeysWithValues: names.enumerated().map { (PropertyName($1), $0) }) }
        return true
    }

    mutating func removeAll() { self = ItemTable() }
}
