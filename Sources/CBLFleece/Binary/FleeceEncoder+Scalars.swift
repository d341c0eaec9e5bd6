extension FleeceEncoder {
    package func writeNull() { add(0x3000) }
    package func write(_ value: Bool) { add(value ? 0x3800 : 0x3400) }
    /// What JSON cannot say: a value that is no value. Deltas need it inside arrays.
    package func writeUndefined() { add(0x3C00) }

    // Numbers

    /// Writes the signed form, as the reference's `writeInt` does.
    package func write(_ value: Int64) {
        if value >= -2048, value <= 2047 {
            add(UInt32(truncatingIfNeeded: value) & 0x0FFF)
        } else {
            // One bit more than the magnitude needs, for the sign.
            let significant = 65 &- (value < 0 ? (~value) : value).leadingZeroBitCount
            writeInteger(UInt64(bitPattern: value), byteCount: (significant &+ 7) &>> 3, header: 0x10)
        }
    }

    /// Writes the unsigned form, as the reference does with the non-negative integers of JSON.
    package func write(_ value: UInt64) {
        if value <= 2047 {
            add(UInt32(truncatingIfNeeded: value))
        } else {
            writeInteger(value, byteCount: (71 &- value.leadingZeroBitCount) &>> 3, header: 0x18)
        }
    }

    @inline(__always)
    private func writeInteger(_ bits: UInt64, byteCount: Int, header: UInt8) {
        let place = beginValue()
        output.memory.storeBytes(of: 0, toByteOffset: place &+ 8, as: UInt64.self)
        let unused = UInt64(truncatingIfNeeded: 64 &- byteCount &* 8)
        let payload = (bits &<< unused) &>> unused
        output.memory.storeBytes(of: header | UInt8(truncatingIfNeeded: byteCount &- 1), toByteOffset: place, as: UInt8.self)
        output.memory.storeBytes(of: payload.littleEndian, toByteOffset: place &+ 1, as: UInt64.self)
        endValue(place, byteCount: byteCount &+ 1)
    }

    /// Writes a double, in four bytes if a finite single-precision number says the same. NaN is refused.
    package func write(_ value: Double) {
        let single = Float(value)
        // The reference asks for a number within the range of a float: infinity is not.
        if Double(single) == value, single.isFinite {
            writeSingle(single, header: 0x24)
        } else if value.isNaN {
            fail(.notANumber)
        } else {
            let place = beginValue()
            output.memory.storeBytes(of: UInt16(0x28).littleEndian, toByteOffset: place, as: UInt16.self)
            output.memory.storeBytes(of: value.bitPattern.littleEndian, toByteOffset: place &+ 2, as: UInt64.self)
            endValue(place, byteCount: 10)
        }
    }

    /// Writes a number of single precision, which prints with as few digits as that needs. NaN is refused.
    package func write(_ value: Float) {
        if value.isNaN { fail(.notANumber) } else { writeSingle(value, header: 0x20) }
    }

    @inline(__always)
    private func writeSingle(_ value: Float, header: UInt16) {
        let place = beginValue()
        output.memory.storeBytes(of: header.littleEndian, toByteOffset: place, as: UInt16.self)
        output.memory.storeBytes(of: value.bitPattern.littleEndian, toByteOffset: place &+ 2, as: UInt32.self)
        endValue(place, byteCount: 6)
    }

    /// Writes a number's bytes as they are: within the slot if they fit.
    func copyNumber(_ bytes: UnsafeRawBufferPointer) {
        if bytes.count <= 4 {
            var slot: UInt32 = 0
            for byte in bytes { slot = slot &<< 8 | UInt32(byte) }
            if bytes.count <= 2 { return add(slot) }
            return addWide(bytes.count == 3 ? slot &<< 8 : slot)
        }
        let place = beginValue()
        output.append(bytes)
        pad()
        endValue(place, byteCount: bytes.count)
    }

    // Strings and data

    package func write(_ string: String) {
        var string = string
        string.withUTF8 { writeString(UnsafeRawBufferPointer($0)) }
    }

    /// Writes a string of UTF-8 bytes, which the caller vouches for.
    package func writeString(_ bytes: UnsafeRawBufferPointer) {
        add(stringSlot(bytes))
    }

    package func writeData(_ bytes: UnsafeRawBufferPointer) {
        if bytes.count < 2 {
            add(0x5000 | (bytes.isEmpty ? 0 : 0x0100 | UInt32(bytes[0])))
        } else {
            add(writeLong(bytes, tag: 0x50))
        }
    }

    // Keys

    package func writeKey(_ key: String) {
        var key = key
        key.withUTF8 { writeKey(UnsafeRawBufferPointer($0)) }
    }

    /// Writes a dictionary key: its number if the table of shared keys has it or takes it, else a string.
    package func writeKey(_ key: UnsafeRawBufferPointer) {
        if let lentKeys, expectsKey, let index = lentKeys._withUnsafeGuaranteedRef({ $0.add(key) }) {
            setKey(UInt32(truncatingIfNeeded: index))
        } else {
            setKey(stringSlot(key))
        }
    }

    /// Writes a key by its number, whatever the table says.
    package func writeKey(sharedKey index: Int) {
        if index >= 0, index < SharedKeys.capacity {
            setKey(UInt32(truncatingIfNeeded: index))
        } else {
            fail(.misuse("\(index) is not the number of a shared key"))
        }
    }

    /// The slot of a string, which is written unless it is tiny or the document has it already.
    @inline(__always)
    private func stringSlot(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        let count = bytes.count
        if count < 2 { return 0x4000 | (count == 0 ? 0 : 0x0100 | UInt32(bytes[0])) }
        if count > 15 { return writeLong(bytes, tag: 0x40) }
        let place = beginValue()
        // Header and bytes of a string make sixteen at most, except that fifteen bytes have a count of their own behind the header. Those are
        // known by the place of that count, which is odd.
        let isLongest = count == 15
        let encoded = PackedBytes(bytes).prefixed(by: isLongest ? 15 : 0x40 | UInt8(truncatingIfNeeded: count))
        let (bucket, earlier) = strings.find(encoded, in: output.memory)
        if let earlier, place &- (earlier & ~1) <= FleeceEncoder.sharingReach || isWide {
            return PendingSlot.outOfLine | UInt32(truncatingIfNeeded: earlier & ~1)
        }
        if isLongest { output.memory.storeBytes(of: 0x4F, toByteOffset: place, as: UInt8.self) }
        let start = isLongest ? place &+ 1 : place
        encoded.store(to: output.memory + start)
        if isLongest { output.memory.storeBytes(of: 0, toByteOffset: place &+ 17, as: UInt8.self) }
        output.used = (start &+ count &+ 2) & ~1
        if earlier == nil {
            strings.insert(encoded, bucket: bucket, offset: start, in: output.memory)
        } else {
            strings.move(bucket: bucket, to: start)
        }
        return PendingSlot.outOfLine | UInt32(truncatingIfNeeded: place)
    }

    /// Writes two or more bytes of string or data out of line.
    private func writeLong(_ bytes: UnsafeRawBufferPointer, tag: UInt8) -> UInt32 {
        let place = beginValue()
        guard bytes.count < Limits.bytes - place else {
            fail(.tooLarge)
            return 0x3C00
        }
        if bytes.count < 15 {
            output.append(tag | UInt8(truncatingIfNeeded: bytes.count))
        } else {
            output.append(tag | 15)
            appendVarint(bytes.count)
        }
        output.append(bytes)
        pad()
        return PendingSlot.outOfLine | UInt32(truncatingIfNeeded: place)
    }

    // Output

    /// Where the next value goes; there is room behind it for any scalar of fixed size. Places are 31 bits: past the last one, an encoding that is
    /// already refused overwrites itself.
    @inline(__always)
    func beginValue() -> Int {
        if output.used > Limits.bytes {
            fail(.tooLarge)
            restartOutput()
        }
        output.reserve(FleeceEncoder.slack)
        return output.used
    }

    @inline(__always)
    private func endValue(_ place: Int, byteCount: Int) {
        // The pad byte: part of a store wider than the value, or nothing there at all.
        output.used = place &+ (byteCount &+ 1) & ~1
        add(PendingSlot.outOfLine | UInt32(truncatingIfNeeded: place))
    }

    func appendVarint(_ value: Int) {
        var rest = value
        while rest >= 0x80 {
            output.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        output.append(UInt8(truncatingIfNeeded: rest))
    }

    func pad() {
        if output.used & 1 != 0 { output.append(0) }
    }

    @inline(never)
    private func restartOutput() {
        output.used = 0
        strings.removeAll()
    }
}
