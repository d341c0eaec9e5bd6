/// Growing output: bytes in memory of its own, which is kept when it is emptied. Owned by one holder, so appending copies nothing.
@usableFromInline package struct ByteBuffer: ~Copyable {
    /// The bytes. `capacity` of them are allocated; what lies behind `used` is the encoder's to write ahead in.
    @usableFromInline var memory: UnsafeMutableRawPointer
    @usableFromInline var capacity: Int
    @usableFromInline var used = 0

    package init(capacity: Int = 256) {
        self.capacity = max(capacity, 32)
        memory = .allocate(byteCount: self.capacity, alignment: 16)
    }

    deinit { memory.deallocate() }

    /// How many bytes have been appended.
    @inlinable package var count: Int { used }
    @inlinable package var isEmpty: Bool { used == 0 }

    /// The bytes, valid until the next change.
    @inlinable package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: count) }

    @inlinable package borrowing func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(start: memory, count: count))
    }

    package mutating func removeAll(keepingCapacity: Bool = true) {
        used = 0
        if !keepingCapacity { reallocate(32) }
    }

    /// Shortens the buffer to its first `newCount` bytes.
    @inlinable package mutating func truncate(to newCount: Int) {
        if newCount >= 0, newCount < used { used = newCount }
    }

    @inlinable @inline(__always)
    package mutating func append(_ byte: UInt8) {
        reserve(1)
        memory.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        used &+= 1
    }

    @inlinable package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress, bytes.count > 0 else { return }
        reserve(bytes.count)
        (memory + count).copyMemory(from: source, byteCount: bytes.count)
        used &+= bytes.count
    }

    /// `buffer.append("null")`: a literal goes straight from the program's text.
    @inlinable package mutating func append(_ literal: StaticString) {
        append(UnsafeRawBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }

    @_disfavoredOverload
    @inlinable package mutating func append(_ string: String) {
        var string = string
        string.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    /// Appends a number in decimal.
    @inlinable package mutating func append(decimal value: Int64) {
        if value < 0 { append(UInt8(ascii: "-")) }
        append(decimal: value.magnitude)
    }

    @inlinable package mutating func append(decimal value: UInt64) {
        reserve(20)
        var digits = 1
        var power: UInt64 = 10
        while digits < 20, value >= power {
            digits &+= 1
            power = digits < 20 ? power &* 10 : power
        }
        var rest = value
        var position = count &+ digits
        used = position
        repeat {
            position &-= 1
            memory.storeBytes(of: UInt8(truncatingIfNeeded: rest % 10) &+ 48, toByteOffset: position, as: UInt8.self)
            rest /= 10
        } while rest > 0
    }

    /// Appends a number on the right of a field, with at least one blank before it.
    @inlinable package mutating func append(decimal value: UInt64, width: Int) {
        reserve(max(width, 21))
        let end = memory + used + width
        var place = end
        var rest = value
        repeat {
            guard place > memory + used + 1 else {
                append(UInt8(ascii: " "))
                return append(decimal: value)
            }
            place -= 1
            place.storeBytes(of: UInt8(truncatingIfNeeded: rest % 10) &+ 48, as: UInt8.self)
            rest /= 10
        } while rest > 0
        (memory + used).initializeMemory(as: UInt8.self, repeating: UInt8(ascii: " "), count: place - (memory + used))
        used &+= width
    }

    /// Appends what `write` puts into the memory it is given, which has room for `count` bytes: as many as it says it wrote.
    @inlinable @inline(__always)
    package mutating func append(atMost count: Int, _ write: (UnsafeMutableRawPointer) -> Int) {
        reserve(count)
        let written = write(memory + used)
        precondition(written >= 0 && written <= count, "wrote more than there was room for")
        used &+= written
    }

    @inlinable package mutating func append(repeating byte: UInt8, count: Int) {
        guard count > 0 else { return }
        reserve(count)
        (memory + used).initializeMemory(as: UInt8.self, repeating: byte, count: count)
        used &+= count
    }

    /// Moves what stands behind `position` to make room for `count` times a byte.
    @inlinable package mutating func insert(repeating byte: UInt8, count: Int, at position: Int) {
        precondition(position >= 0 && position <= used, "an insertion outside of the buffer")
        guard count > 0 else { return }
        reserve(count)
        (memory + position + count).copyMemory(from: memory + position, byteCount: used &- position)
        (memory + position).initializeMemory(as: UInt8.self, repeating: byte, count: count)
        used &+= count
    }

    /// Makes room for `more` bytes behind the last one.
    @inlinable @inline(__always)
    package mutating func reserve(_ more: Int) {
        if more > capacity &- count { grow(more) }
    }

    /// The contents as a string; invalid UTF-8 is repaired.
    package var string: String { String(decoding: bytes, as: UTF8.self) }

    @usableFromInline @inline(never)
    mutating func grow(_ more: Int) {
        reallocate(max(count + more, capacity * 2))
    }

    private mutating func reallocate(_ newCapacity: Int) {
        let larger = UnsafeMutableRawPointer.allocate(byteCount: newCapacity, alignment: 16)
        larger.copyMemory(from: memory, byteCount: count)
        memory.deallocate()
        memory = larger
        capacity = newCapacity
    }
}
