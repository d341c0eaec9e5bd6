// The order of a dictionary's pairs: shared keys by number, then strings by bytes.

extension FleeceEncoder {
    /// Sorts pairs by key. The result is a key that occurs twice, if any does.
    @inline(__always)
    func sortByKey(_ members: UnsafeMutableBufferPointer<PendingSlot>) -> UInt32? {
        // Documents mostly name their properties in the order in which the table got to know them: then there is nothing to do.
        var previous: UInt32 = 0
        var isSorted = true
        for (index, member) in members.enumerated() {
            let key = member.key
            if key >= FleeceEncoder.firstStringSlot || (index > 0 && key <= previous) {
                isSorted = false
                break
            }
            previous = key
        }
        return isSorted ? nil : sort(members)
    }

    /// Inline strings are `40 00` and `41 xx`, pointers have the top bit set: all larger than any integer key.
    private static var firstStringSlot: UInt32 { 0x4000 }

    @inline(never)
    private func sort(_ members: UnsafeMutableBufferPointer<PendingSlot>) -> UInt32? {
        if members.count <= 24 {
            for index in 1..<max(members.count, 1) {
                let member = members[index]
                var place = index
                while place > 0, compare(members[place &- 1].key, member.key) > 0 {
                    members[place] = members[place &- 1]
                    place &-= 1
                }
                members[place] = member
            }
        } else {
            var members = members
            members.sort { compare($0.key, $1.key) < 0 }
        }
        for index in 1..<max(members.count, 1) where compare(members[index &- 1].key, members[index].key) == 0 { return members[index].key }
        return nil
    }

    @inline(__always)
    private func compare(_ a: UInt32, _ b: UInt32) -> Int {
        if a < PendingSlot.outOfLine, b < PendingSlot.outOfLine {
            // Integers, and strings of at most one byte: `40 00` is the empty one, the others follow in order of their byte.
            return Int(a) &- Int(b)
        }
        if a == b { return 0 }
        if a < FleeceEncoder.firstStringSlot { return -1 }
        if b < FleeceEncoder.firstStringSlot { return 1 }
        return compareStrings(a, b)
    }

    private func compareStrings(_ a: UInt32, _ b: UInt32) -> Int {
        withStringBytes(a) { first in withStringBytes(b) { second in compareBytes(first, second) } }
    }

    /// The bytes of a key that is a string, inline or in the output.
    @inline(__always)
    private func withStringBytes<Result>(_ slot: UInt32, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        if slot & PendingSlot.outOfLine == 0 {
            return withUnsafeBytes(of: slot.bigEndian) { body(UnsafeRawBufferPointer(rebasing: $0[3..<3 + Int(slot >> 8 & 1)])) }
        }
        let value = Value(
            base: UnsafeRawPointer(output.memory), bound: UInt32(truncatingIfNeeded: output.used), offset: slot & ~PendingSlot.outOfLine)
        return body(value.stringBytes ?? UnsafeRawBufferPointer(start: nil, count: 0))
    }

    func name(ofKey slot: UInt32) -> String {
        if slot < FleeceEncoder.firstStringSlot { return sharedKeys?.state.string(at: Int(slot)) ?? "\(slot)" }
        return withStringBytes(slot) { String(decoding: $0, as: UTF8.self) }
    }
}
