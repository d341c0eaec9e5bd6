import CBLFleece

/// The shape of documents in the making: a value that takes in one document after another.
///
///     var tally = ShapeTally()
///     while try cursor.next() { tally.add(cursor.body, byteCount: cursor.bodyBytes.count, keys) }
///     let shape = tally.shape
///
/// Tallies of two parts merge into the tally of the whole, in any order. Its memory is bounded whatever the documents are: an object that has
/// too many different names counts as a map, whose members are one place together. Hot: it sees every value of a collection.
package struct ShapeTally: Sendable {
    /// What bounds it.
    struct Limits: Sendable {
        /// With more different names than this, an object is a map.
        var names = 400
        /// What is nested deeper is not looked into.
        var depth = 24
        /// How many places there can be in all, and how long all their names together.
        var places = 20_000
        var nameBytes = 1 << 26
    }

    package private(set) var documents = 0
    /// How many documents were not objects, or were nested in themselves as only hostile bytes are.
    package private(set) var damaged = 0
    var places: [Place]
    let limits: Limits
    private var index = PlaceIndex()
    /// For the current document.
    private var budget = WalkBudget(byteCount: 0)
    private var nameBytes = 0

    /// A place in documents, and where it stands among the others.
    struct Place: Sendable {
        let name: PlaceName
        let parent: Int
        /// The number that stands for the name in documents; -1 if it is not known.
        var sharedKey = -1
        var facts = PlaceFacts()
        /// The first place inside, and the next one beside; 0 is none, since the root is inside of nothing.
        var firstChild = 0
        var lastChild = 0
        var next = 0
        var childCount = 0
        /// Where the items of arrays are counted.
        var items = 0
        /// Where the members of a map are, and the names it has; it has no other places then.
        var members = 0
        var names: DistinctSketch?
        /// There is more inside than was looked at.
        var isCut = false
    }

    package init() { self.init(limits: Limits()) }

    init(limits: Limits) {
        self.limits = limits
        places = [Place(name: .document, parent: -1)]
    }

    /// Takes in a document; false if it is damaged, and has not been counted.
    @discardableResult
    package mutating func add(_ document: Value, byteCount: Int, _ keys: SharedKeys) -> Bool {
        guard let members = document.dictionary else {
            damaged += 1
            return false
        }
        documents += 1
        budget = WalkBudget(byteCount: byteCount)
        places[0].facts.objects += 1
        add(members: members, to: 0, depth: 0, keys)
        if budget.isExhausted { damaged += 1 }
        return !budget.isExhausted
    }

    private mutating func add(_ value: Value, to place: Int, depth: Int, _ keys: SharedKeys) {
        guard budget.visit() else { return }
        switch value.kind {
        case .dictionary:
            guard let members = value.dictionary else { return places[place].facts.unreadable += 1 }
            if ShapeTally.isBlob(members) { return places[place].facts.add(blob: members, keys) }
            places[place].facts.objects += 1
            add(members: members, to: place, depth: depth, keys)
        case .array:
            guard let array = value.array else { return places[place].facts.unreadable += 1 }
            places[place].facts.arrays += 1
            Extent.extend(&places[place].facts.arrayLengths, by: array.count)
            guard !array.isEmpty else { return }
            guard depth < limits.depth, let items = items(of: place) else { return places[place].isCut = true }
            for item in array {
                if budget.isExhausted { return }
                add(item, to: items, depth: depth + 1, keys)
            }
        default:
            // All of a text is looked at.
            guard budget.spend((value.stringBytes ?? value.dataBytes)?.count ?? 0) else { return }
            places[place].facts.add(scalar: value)
        }
    }

    private mutating func add(members: DictionaryView, to place: Int, depth: Int, _ keys: SharedKeys) {
        guard depth < limits.depth else {
            if !members.isEmpty { places[place].isCut = true }
            return
        }
        // Documents repeat their names in the same order: the next one is usually the next place.
        var guess = places[place].firstChild
        guard budget.enter(members) else { return }
        for (key, value) in members {
            guard budget.spend(key.stringBytes?.count ?? 0) else { return }
            let child: Int
            if guess > 0, places[place].members == 0, isNamed(guess, key) {
                child = guess
            } else {
                guard let found = self.place(in: place, key, keys) else {
                    places[place].isCut = true
                    continue
                }
                child = found
            }
            guess = places[child].next
            add(value, to: child, depth: depth + 1, keys)
        }
    }

    private static func isBlob(_ members: DictionaryView) -> Bool {
        let key: StaticString = "@type"
        let name = UnsafeRawBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount)
        guard let type = members.value(forStringKey: name)?.stringBytes else { return false }
        return type.count == 4 && type.elementsEqual("blob".utf8)
    }

    @inline(__always)
    private func isNamed(_ place: Int, _ key: Value) -> Bool {
        if let number = key.integer { return places[place].sharedKey == Int(number) }
        guard let bytes = key.stringBytes, case .property(let name) = places[place].name else { return false }
        return name.count == bytes.count && bytes.elementsEqual(name)
    }

    private mutating func place(in parent: Int, _ key: Value, _ keys: SharedKeys) -> Int? {
        if let number = key.integer, places[parent].members == 0 {
            if let known = index.place(in: parent, sharedKey: Int(number), places) { return known }
            // A number that stands for no name is damage; it is shown as it is.
            let name = key.keyBytes(keys).map(Array.init) ?? Array("\(number)".utf8)
            guard let place = place(in: parent, name) else { return nil }
            if places[parent].members == 0 {
                places[place].sharedKey = Int(number)
                index.add(place, in: parent, sharedKey: Int(number))
            }
            return place
        }
        guard let bytes = key.keyBytes(keys) else { return place(in: parent, Array("\(key.integer ?? 0)".utf8)) }
        if places[parent].members > 0 {
            places[parent].names?.add(ValueHash.of(bytes)) { SampledValue(bytes) }
            return places[parent].members
        }
        if let known = index.place(in: parent, named: bytes, places) { return known }
        return place(in: parent, Array(bytes))
    }
}

extension ShapeTally {
    /// The place of a property, made if there is none; nil if there is no room.
    private mutating func place(in parent: Int, _ name: [UInt8]) -> Int? {
        let hash = name.withUnsafeBytes { ValueHash.of($0) }
        if places[parent].members > 0 {
            places[parent].names?.add(hash) { name.withUnsafeBytes { SampledValue($0) } }
            return places[parent].members
        }
        if let known = name.withUnsafeBytes({ index.place(in: parent, named: $0, places) }) { return known }
        if places[parent].childCount >= limits.names {
            guard turnIntoMap(parent) else { return nil }
            return place(in: parent, name)
        }
        guard let place = append(.property(name), in: parent) else { return nil }
        places[parent].childCount += 1
        if places[parent].firstChild == 0 { places[parent].firstChild = place } else { places[places[parent].lastChild].next = place }
        places[parent].lastChild = place
        index.add(place, in: parent, hash: hash)
        return place
    }

    private mutating func items(of place: Int) -> Int? {
        if places[place].items == 0, let items = append(.items, in: place) { places[place].items = items }
        return places[place].items > 0 ? places[place].items : nil
    }

    private mutating func append(_ name: PlaceName, in parent: Int) -> Int? {
        guard places.count < limits.places else { return nil }
        if case .property(let name) = name {
            guard nameBytes + name.count <= limits.nameBytes else { return nil }
            nameBytes += name.count
        }
        places.append(Place(name: name, parent: parent))
        return places.count - 1
    }

    /// Puts all properties of a place together. What they were takes up its room for good; it happens to a place only once.
    mutating func turnIntoMap(_ place: Int) -> Bool {
        if places[place].members > 0 { return true }
        guard let members = append(.anyName, in: place) else { return false }
        let before = self
        var names = DistinctSketch(capacity: DistinctSketch.many)
        places[place].members = members
        var child = before.places[place].firstChild
        while child > 0 {
            if case .property(let name) = before.places[child].name {
                name.withUnsafeBytes { bytes in
                    names.add(ValueHash.of(bytes), before.places[child].facts.count) { SampledValue(bytes) }
                }
            }
            absorb(before, child, into: members)
            child = before.places[child].next
        }
        (places[place].firstChild, places[place].lastChild, places[place].childCount) = (0, 0, 0)
        places[place].names = names
        return true
    }

    /// Adds what another tally has found out.
    package mutating func merge(_ other: ShapeTally) {
        documents += other.documents
        damaged += other.damaged
        absorb(other, 0, into: 0)
    }

    private mutating func absorb(_ other: ShapeTally, _ source: Int, into place: Int) {
        let from = other.places[source]
        places[place].facts.merge(from.facts)
        if from.isCut { places[place].isCut = true }
        if from.items > 0 {
            if let items = items(of: place) { absorb(other, from.items, into: items) } else { places[place].isCut = true }
        }
        if from.members > 0 {
            guard turnIntoMap(place) else { return places[place].isCut = true }
            if let names = from.names { places[place].names?.merge(names) }
            return absorb(other, from.members, into: places[place].members)
        }
        var child = from.firstChild
        while child > 0 {
            if case .property(let name) = other.places[child].name {
                if places[place].members > 0 {
                    name.withUnsafeBytes { bytes in
                        places[place].names?.add(ValueHash.of(bytes), other.places[child].facts.count) { SampledValue(bytes) }
                    }
                    absorb(other, child, into: places[place].members)
                } else {
                    absorb(other, child, named: name, into: place)
                }
            }
            child = other.places[child].next
        }
    }

    private mutating func absorb(_ other: ShapeTally, _ child: Int, named name: [UInt8], into parent: Int) {
        guard let target = place(in: parent, name) else { return places[parent].isCut = true }
        // The one that made it a map was counted once, as a member; here it stands for all that have the name.
        if places[parent].members > 0, other.places[child].facts.count > 1 {
            name.withUnsafeBytes { bytes in
                places[parent].names?.add(ValueHash.of(bytes), other.places[child].facts.count - 1) { SampledValue(bytes) }
            }
        }
        absorb(other, child, into: target)
    }
}

/// What a place is called.
package enum PlaceName: Hashable, Sendable {
    case document
    case property([UInt8])
    /// All items of an array.
    case items
    /// All members of a map.
    case anyName
}

/// Finds places by what they are called in their parent: open addressing over their numbers.
struct PlaceIndex: Sendable {
    private var buckets = [Int32](repeating: 0, count: 256)
    private var tags = [UInt64](repeating: 0, count: 256)
    private var used = 0

    private static func tag(_ parent: Int, _ hash: UInt64) -> UInt64 {
        ValueHash.mix(UInt64(truncatingIfNeeded: parent) ^ 0x2D35_8DCC_AA6C_78A5, hash ^ 0x9E37_79B9_7F4A_7C15)
    }

    // Apart from the hashes of names, so far as 64 bits go.
    private static func tag(_ parent: Int, sharedKey: Int) -> UInt64 { tag(parent, ~UInt64(truncatingIfNeeded: sharedKey)) }

    func place(in parent: Int, sharedKey: Int, _ places: [ShapeTally.Place]) -> Int? {
        find(PlaceIndex.tag(parent, sharedKey: sharedKey)) { places[$0].parent == parent && places[$0].sharedKey == sharedKey }
    }

    func place(in parent: Int, named name: UnsafeRawBufferPointer, _ places: [ShapeTally.Place]) -> Int? {
        find(PlaceIndex.tag(parent, ValueHash.of(name))) {
            guard places[$0].parent == parent, case .property(let known) = places[$0].name else { return false }
            return known.count == name.count && name.elementsEqual(known)
        }
    }

    private func find(_ tag: UInt64, _ isIt: (Int) -> Bool) -> Int? {
        var bucket = Int(truncatingIfNeeded: tag) & (buckets.count - 1)
        while buckets[bucket] != 0 {
            if tags[bucket] == tag, isIt(Int(buckets[bucket])) { return Int(buckets[bucket]) }
            bucket = (bucket + 1) & (buckets.count - 1)
        }
        return nil
    }

    mutating func add(_ place: Int, in parent: Int, hash: UInt64) { add(place, PlaceIndex.tag(parent, hash)) }
    mutating func add(_ place: Int, in parent: Int, sharedKey: Int) { add(place, PlaceIndex.tag(parent, sharedKey: sharedKey)) }

    private mutating func add(_ place: Int, _ tag: UInt64) {
        used += 1
        if used * 2 > buckets.count { grow() }
        insert(place, tag)
    }

    private mutating func insert(_ place: Int, _ tag: UInt64) {
        var bucket = Int(truncatingIfNeeded: tag) & (buckets.count - 1)
        while buckets[bucket] != 0 { bucket = (bucket + 1) & (buckets.count - 1) }
        (buckets[bucket], tags[bucket]) = (Int32(truncatingIfNeeded: place), tag)
    }

    private mutating func grow() {
        let (places, known) = (buckets, tags)
        buckets = [Int32](repeating: 0, count: places.count * 2)
        tags = [UInt64](repeating: 0, count: places.count * 2)
        for (bucket, place) in places.enumerated() where place != 0 { insert(Int(place), known[bucket]) }
    }
}
