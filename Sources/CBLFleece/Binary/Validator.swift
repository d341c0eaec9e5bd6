import CBLBase

/// Checks every byte that reading an encoding could depend on: pointers, extents, varints, key types and their order, UTF-8, nesting.
///
/// Reading a value is safe without it; it says whether an encoding is right. Work and depth are bounded: a collection is checked once however
/// many pointers lead to it, and collections wait on a stack of ours instead of the thread's.
package struct Validator {
    /// What may be wrong with an encoding and readers may nevertheless live with.
    package struct Options: OptionSet, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Accept the long narrow pointers of writers before 2019.
        package static let legacyPointers = Options(rawValue: 1)
        /// Accept an undefined root, which is no document.
        package static let undefinedRoot = Options(rawValue: 2)
    }

    private let bytes: UnsafeRawBufferPointer
    private let base: UnsafeRawPointer
    /// Where the data proper begin, behind the external data.
    private let dataStart: Int
    private let keyCount: Int?
    private let options: Options

    /// Collections found and not yet looked into.
    private var pending: [Collection] = []
    /// For each offset where a collection was found: the greatest depth it has been checked for.
    private var checked: [UInt32: Int] = [:]
    private var budget: WalkBudget
    /// Whether some collection was found at the end of two pointers.
    private var hasSharedCollection = false

    private struct Collection {
        let slots: Slots
        let isDictionary: Bool
        let depth: Int
    }

    /// Throws a ``FleeceError`` that says what is wrong and where. With `keyCount`, numbers of shared keys must be less than it. `externalCount`
    /// bytes at the start of `bytes` are external data; they are checked as far as pointers lead into them.
    package static func validate(
        _ bytes: UnsafeRawBufferPointer, externalCount: Int = 0, keyCount: Int? = nil, options: Options = []
    ) throws(FleeceError) {
        let dataCount = bytes.count - externalCount
        guard externalCount >= 0, externalCount & 1 == 0, dataCount >= 2, dataCount & 1 == 0, let base = bytes.baseAddress else {
            throw .damaged(reason: "the length of an encoding is even and at least two", offset: max(0, bytes.count))
        }
        guard bytes.count <= Limits.bytes else { throw .tooLarge }
        var validator = Validator(bytes, base, dataStart: externalCount, keyCount: keyCount, options: options)
        try validator.run()
    }

    /// As above, for `data` with external pointers into `base`.
    package static func validate(_ data: FleeceData, keyCount: Int? = nil, options: Options = []) throws(FleeceError) {
        try data.withBytesAndBase { (bytes) throws(FleeceError) in
            try validate(bytes, externalCount: data.baseCount, keyCount: keyCount, options: options)
        }
    }

    private init(_ bytes: UnsafeRawBufferPointer, _ base: UnsafeRawPointer, dataStart: Int, keyCount: Int?, options: Options) {
        self.bytes = bytes
        self.base = base
        self.dataStart = dataStart
        self.keyCount = keyCount
        self.options = options
        budget = WalkBudget(byteCount: bytes.count)
    }

    private var external: UInt32 { dataStart > 0 ? Value.externalFlag : 0 }

    private mutating func run() throws(FleeceError) {
        let end = bytes.count
        let place = end - 2
        let root: Value
        if bytes[place] < 0x80 {
            guard end - dataStart == 2 else { throw .damaged(reason: "the root is neither two bytes long nor a pointer", offset: place) }
            root = Value(base: base, bound: UInt32(end) | external, offset: UInt32(place))
        } else {
            root = try follow(place, isWide: false, mayChain: true)
        }
        if root.kind == .undefined, !options.contains(.undefinedRoot) {
            throw .damaged(reason: "the root is undefined", offset: root.start)
        }
        try check(root, depth: 1)
        while let collection = pending.popLast() {
            if collection.isDictionary { try checkPairs(collection) } else { try checkItems(collection) }
        }
        // Each collection was checked once, but it can be there more often than can be counted.
        if hasSharedCollection, root.isEndless { throw .endless }
    }

    /// The value that the pointer at `place` leads to.
    private func follow(_ place: Int, isWide: Bool, mayChain: Bool) throws(FleeceError) -> Value {
        var place = place
        var isWide = isWide
        var hops = 0
        while true {
            let target = try self.target(of: place, isWide: isWide)
            let limit = place
            if bytes[target] < 0x80 {
                return Value(base: base, bound: UInt32(limit) | external, offset: UInt32(target))
            }
            hops += 1
            guard mayChain, hops < 4, limit - target >= 4 else { throw .damaged(reason: "a pointer leads to a pointer", offset: place) }
            place = target
            isWide = true
        }
    }

    private func target(of place: Int, isWide: Bool) throws(FleeceError) -> Int {
        var distance: Int
        var isExternal: Bool
        if isWide {
            let pointer = Value.bigEndian32(base, place)
            distance = Int(pointer & 0x3FFF_FFFF) * 2
            isExternal = pointer & 0x4000_0000 != 0
        } else {
            let pointer = Value.bigEndian16(base, place)
            distance = Int(pointer & 0x3FFF) * 2
            isExternal = pointer & 0x4000 != 0
            if isExternal, dataStart == 0, options.contains(.legacyPointers) {
                distance = Int(pointer & 0x7FFF) * 2
                isExternal = false
            }
        }
        if isExternal, dataStart == 0 { throw .damaged(reason: "a pointer leads to external data, and there are none", offset: place) }
        guard distance > 0 else { throw .damaged(reason: "a pointer leads to itself", offset: place) }
        guard distance <= place else { throw .damaged(reason: "a pointer leads out of the bytes", offset: place) }
        let target = place - distance
        // A pointer of the data proper says whether it leaves them; one inside the external data stays there.
        let crosses = place >= dataStart && target < dataStart
        guard isExternal == crosses else { throw .damaged(reason: "a pointer leads to the wrong side of the external data", offset: place) }
        return target
    }

    // Values

    private mutating func check(_ value: Value, depth: Int) throws(FleeceError) {
        guard budget.visit() else { throw .endless }
        switch value.byte0 >> 4 {
        case 0: return
        case 1:
            if value.integerBits == nil { throw tooLong(value) }
        case 2:
            // The second byte means nothing, and the vendor's library leaves in it what was there before.
            guard value.byte0 & 3 == 0, value.byte0 != 0x2C else {
                throw .damaged(reason: "there is no such kind of number", offset: value.start)
            }
            guard let double = value.double else { throw tooLong(value) }
            if double.isNaN { throw .damaged(reason: "a number is not a number", offset: value.start) }
        case 3:
            guard value.byte0 & 3 == 0, value.byte1 == 0 else {
                throw .damaged(reason: "there is no such special value", offset: value.start)
            }
        case 4:
            guard let string = value.stringBytes else { throw tooLong(value) }
            guard budget.spend(string.count) else { throw .endless }
            if !isUTF8(string) { throw .damaged(reason: "a string is not UTF-8", offset: value.start) }
        case 5:
            guard let data = value.dataBytes else { throw tooLong(value) }
            guard budget.spend(data.count) else { throw .endless }
        default:
            try enter(value, depth: depth)
        }
    }

    private func tooLong(_ value: Value) -> FleeceError {
        .damaged(reason: "a value reaches past its end", offset: value.start)
    }

    /// Puts a collection on the list, unless it is there already or has been.
    private mutating func enter(_ value: Value, depth: Int) throws(FleeceError) {
        guard depth <= Limits.depth else { throw .tooDeep }
        let isDictionary = value.byte0 & 0xF0 == 0x70
        guard let slots = Slots(of: value, perMember: isDictionary ? 2 : 1) else { throw tooLong(value) }
        guard slots.count > 0 else { return }
        // Another pointer to the same collection adds nothing, unless the collection lies deeper now. Its extent was just checked.
        if let before = checked[value.offset] {
            hasSharedCollection = true
            if before >= depth { return }
        }
        checked[value.offset] = depth
        pending.append(Collection(slots: slots, isDictionary: isDictionary, depth: depth))
    }

    private func slot(_ slots: Slots, _ index: Int) throws(FleeceError) -> Value {
        let place = slots.position(index)
        if bytes[place] >= 0x80 { return try follow(place, isWide: slots.isWide, mayChain: false) }
        return slots[index]
    }

    private mutating func checkItems(_ collection: Collection) throws(FleeceError) {
        for index in 0..<Int(collection.slots.count) {
            try check(slot(collection.slots, index), depth: collection.depth + 1)
        }
    }

    private mutating func checkPairs(_ collection: Collection) throws(FleeceError) {
        let slots = collection.slots
        var previous: Value?
        for index in 0..<Int(slots.count) {
            let key = try slot(slots, index * 2)
            let value = try slot(slots, index * 2 + 1)
            try check(key, depth: collection.depth + 1)
            try checkKey(key, value, isFirst: index == 0)
            if let previous {
                let order = compareKeys(previous, key)
                if order == 0 { throw .damaged(reason: "a dictionary has a key twice", offset: key.start) }
                if order > 0 { throw .damaged(reason: "the keys of a dictionary are not in order", offset: key.start) }
            }
            previous = key
            try check(value, depth: collection.depth + 1)
        }
    }

    private func checkKey(_ key: Value, _ value: Value, isFirst: Bool) throws(FleeceError) {
        switch key.byte0 >> 4 {
        case 4: return
        case 0:
            guard let number = key.integer else { break }
            if number == -2048, isFirst {
                guard value.kind == .dictionary else { throw .damaged(reason: "a dictionary's parent is no dictionary", offset: key.start) }
                return
            }
            if number >= 0, number < keyCount ?? SharedKeys.capacity { return }
            throw .damaged(reason: "there is no shared key number \(number)", offset: key.start)
        default: break
        }
        throw .damaged(reason: "a dictionary key is neither a string nor the number of a shared key", offset: key.start)
    }
}
