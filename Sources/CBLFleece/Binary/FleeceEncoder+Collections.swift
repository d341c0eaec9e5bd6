// Headers and slots of finished collections, and the root pointer.

extension FleeceEncoder {
    /// The slot of an array with these items.
    func writeArray(_ members: UnsafeMutableBufferPointer<PendingSlot>, isWide: Bool) -> UInt32 {
        if members.isEmpty { return 0x6000 }
        let place = beginHeader(count: members.count, bytes: members.count &* 4)
        let first = output.used
        if isWide { return writeWide(members, place: place, first: first, perMember: 1) }
        var position = first
        for member in members {
            let slot = member.value
            if slot & PendingSlot.outOfLine == 0 {
                store16(UInt16(truncatingIfNeeded: slot), position)
            } else {
                let distance = position &- Int(slot & ~PendingSlot.outOfLine)
                if distance > FleeceEncoder.narrowReach { return writeWide(members, place: place, first: first, perMember: 1) }
                store16(0x8000 | UInt16(truncatingIfNeeded: distance &>> 1), position)
            }
            position &+= 2
        }
        return endHeader(place, end: position, bits: 0x6000, count: members.count)
    }

    /// The slot of a dictionary with these pairs, which are in order.
    func writeDictionary(_ members: UnsafeMutableBufferPointer<PendingSlot>, isWide: Bool) -> UInt32 {
        if members.isEmpty { return 0x7000 }
        let place = beginHeader(count: members.count, bytes: members.count &* 8)
        let first = output.used
        if isWide { return writeWide(members, place: place, first: first, perMember: 2) }
        var position = first
        for member in members {
            var key = member.key
            if key & PendingSlot.outOfLine != 0 {
                let distance = position &- Int(key & ~PendingSlot.outOfLine)
                if distance > FleeceEncoder.narrowReach { return writeWide(members, place: place, first: first, perMember: 2) }
                key = 0x8000 | UInt32(truncatingIfNeeded: distance &>> 1)
            }
            var value = member.value
            if value & PendingSlot.outOfLine != 0 {
                let distance = position &+ 2 &- Int(value & ~PendingSlot.outOfLine)
                if distance > FleeceEncoder.narrowReach { return writeWide(members, place: place, first: first, perMember: 2) }
                value = 0x8000 | UInt32(truncatingIfNeeded: distance &>> 1)
            }
            output.memory.storeBytes(of: (key &<< 16 | value & 0xFFFF).bigEndian, toByteOffset: position, as: UInt32.self)
            position &+= 4
        }
        return endHeader(place, end: position, bits: 0x7000, count: members.count)
    }

    /// Writes the slots four bytes each, starting over where the narrow ones began. A wide pointer reaches everything.
    private func writeWide(_ members: UnsafeMutableBufferPointer<PendingSlot>, place: Int, first: Int, perMember: Int) -> UInt32 {
        var position = first
        for member in members {
            if perMember == 2 {
                storeWide(member.key, position)
                position &+= 4
            }
            storeWide(member.value, position)
            position &+= 4
        }
        return endHeader(place, end: position, bits: perMember == 2 ? 0x7800 : 0x6800, count: members.count)
    }

    @inline(__always)
    private func storeWide(_ slot: UInt32, _ position: Int) {
        if slot & PendingSlot.outOfLine == 0 {
            // A number that fills more than two bytes shows by its first one.
            let bits = slot > 0xFFFF ? slot : slot &<< 16
            output.memory.storeBytes(of: bits.bigEndian, toByteOffset: position, as: UInt32.self)
        } else {
            let distance = position &- Int(slot & ~PendingSlot.outOfLine)
            output.memory.storeBytes(
                of: (0x8000_0000 | UInt32(truncatingIfNeeded: distance &>> 1)).bigEndian, toByteOffset: position, as: UInt32.self)
        }
    }

    @inline(__always)
    private func store16(_ bits: UInt16, _ position: Int) {
        output.memory.storeBytes(of: bits.bigEndian, toByteOffset: position, as: UInt16.self)
    }

    /// Leaves room for the header, writes the rest of a large count, and makes room for `bytes` of slots.
    @inline(__always)
    private func beginHeader(count: Int, bytes: Int) -> Int {
        let place = beginValue()
        output.used = place &+ 2
        if count >= 0x7FF {
            appendVarint(count &- 0x7FF)
            pad()
        }
        output.reserve(bytes &+ FleeceEncoder.slack)
        return place
    }

    @inline(__always)
    private func endHeader(_ place: Int, end: Int, bits: UInt32, count: Int) -> UInt32 {
        store16(UInt16(truncatingIfNeeded: bits) | UInt16(truncatingIfNeeded: count < 0x7FF ? count : 0x7FF), place)
        output.used = end
        return PendingSlot.outOfLine | UInt32(truncatingIfNeeded: place)
    }

    /// Appends the root: the value itself if it is two bytes long, else a pointer to it.
    func writeRoot(_ slot: UInt32) {
        let place = beginValue()
        if slot & PendingSlot.outOfLine == 0 {
            store16(UInt16(truncatingIfNeeded: slot), place)
            output.used = place &+ 2
            return
        }
        let distance = place &- Int(slot & ~PendingSlot.outOfLine)
        if distance <= FleeceEncoder.narrowReach {
            store16(0x8000 | UInt16(truncatingIfNeeded: distance &>> 1), place)
            output.used = place &+ 2
        } else {
            storeWide(slot, place)
            store16(0x8002, place &+ 4)
            output.used = place &+ 6
        }
    }
}
