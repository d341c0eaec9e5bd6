/// The members of one dictionary in the order of their names, where all of these are plain and shared: most dictionaries have a few such.
struct PlainOrder {
    private struct Member: BitwiseCopyable {
        /// The first eight bytes of the name, as a number that sorts as they do.
        var prefix: UInt64
        var head: Int32
        var index: Int32
    }

    private static let most = 16
    private var members = InlineArray<16, Member>(repeating: Member(prefix: 0, head: 0, index: 0))
    let count: Int

    /// Nil if there are too many, or the first names of the table up to `plainCount` do not have all of them.
    @inline(__always)
    init?(_ slots: Slots, _ names: SharedKeys.Names, _ plainCount: Int) {
        count = Int(slots.count)
        guard count <= PlainOrder.most, plainCount > 0 else { return nil }
        for index in 0..<count {
            let head = Int(slots.head(index &* 2))
            guard head < plainCount else { return nil }
            let member = Member(
                prefix: names.packed(head).low.byteSwapped, head: Int32(truncatingIfNeeded: head), index: Int32(truncatingIfNeeded: index))
            var place = index
            while place > 0, PlainOrder.precedes(member, members[place &- 1], names) {
                members[place] = members[place &- 1]
                place &-= 1
            }
            members[place] = member
        }
    }

    @inline(__always)
    private static func precedes(_ one: Member, _ two: Member, _ names: SharedKeys.Names) -> Bool {
        if one.prefix != two.prefix { return one.prefix < two.prefix }
        // Padded with zeros, which no plain name has.
        return names.packed(Int(one.head)).high.byteSwapped < names.packed(Int(two.head)).high.byteSwapped
    }

    /// Which pair of the dictionary comes at a place.
    @inline(__always)
    subscript(place: Int) -> Int { Int(members[place].index) }
}

/// Members of the dictionaries that are being written, innermost last, each dictionary's sorted by name.
///
/// One growing block of memory serves all of them; there is none until the first member comes.
struct KeySorting: ~Copyable {
    struct Member {
        let key: Value
        /// Nil for a shared key that the table does not have. These come first, in their stored order.
        let name: UnsafeRawBufferPointer?
        let value: Value
        /// The first eight bytes of the name, as a number that sorts as they do: it mostly decides.
        let prefix: UInt64

        @inline(__always)
        static func precedes(_ a: Member, _ b: Member) -> Bool {
            if a.prefix != b.prefix { return a.prefix < b.prefix }
            guard let first = a.name, let second = b.name else { return a.name == nil && b.name != nil }
            return compareBytes(first, second) < 0
        }
    }

    private var members = UnsafeMutableBufferPointer<Member>(start: nil, count: 0)
    private(set) var count = 0

    deinit { members.deallocate() }

    subscript(index: Int) -> Member { members[index] }

    @inline(__always)
    mutating func append(_ name: UnsafeRawBufferPointer?, _ key: Value, _ value: Value) {
        if count == members.count { grow() }
        var prefix: UInt64 = 0
        if let name { prefix = PackedBytes(UnsafeRawBufferPointer(rebasing: name.prefix(8))).low.byteSwapped }
        members.initializeElement(at: count, to: Member(key: key, name: name, value: value, prefix: prefix))
        count &+= 1
    }

    /// Members are plain values: forgetting them is enough.
    mutating func truncate(to newCount: Int) { count = newCount }

    @inline(never)
    private mutating func grow() {
        let larger = UnsafeMutableBufferPointer<Member>.allocate(capacity: max(32, members.count * 2))
        _ = larger.moveInitialize(fromContentsOf: members)
        members.deallocate()
        members = larger
    }

    func sort(from first: Int) {
        guard count - first > 1 else { return }
        if count - first > 24 {
            members[first..<count].sort(by: Member.precedes)
            return
        }
        // Insertion beats all else on the few keys that most dictionaries have, above all when they are nearly in order.
        for index in first + 1..<count {
            let member = members[index]
            var place = index
            while place > first, Member.precedes(member, members[place - 1]) {
                members[place] = members[place - 1]
                place -= 1
            }
            members[place] = member
        }
    }
}
