/// Bytes in the order in which they came: appended behind, consumed in front, contiguous in memory of its own. Owned by one holder.
///
/// What is behind `space` is checked here, once, so that readers and writers of frames need not.
struct ByteQueue: ~Copyable {
    private var memory: UnsafeMutableRawPointer
    private(set) var capacity: Int
    private var start = 0
    private var end = 0

    static let smallestCapacity = 64
    /// One that has given its memory back, or has had none yet, does not grow by small steps.
    private static let firstGrowth = 4096

    init(capacity: Int = smallestCapacity) {
        self.capacity = max(capacity, ByteQueue.smallestCapacity)
        memory = .allocate(byteCount: self.capacity, alignment: 16)
    }

    deinit { memory.deallocate() }

    var count: Int { end - start }
    var isEmpty: Bool { end == start }

    /// Everything that has not been consumed, valid until the next change.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory + start, count: count) }
    var mutableBytes: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(start: memory + start, count: count) }

    mutating func consume(_ count: Int) {
        precondition(count >= 0 && count <= self.count)
        start += count
        if start == end { (start, end) = (0, 0) }
    }

    mutating func removeAll() { (start, end) = (0, 0) }

    /// Room behind the last byte for at least so many more. What is written there counts when it is committed.
    mutating func space(atLeast needed: Int) -> UnsafeMutableRawBufferPointer {
        precondition(needed >= 0)
        if capacity - end < needed { makeRoom(needed) }
        return UnsafeMutableRawBufferPointer(start: memory + end, count: capacity - end)
    }

    mutating func commit(_ count: Int) {
        precondition(count >= 0 && count <= capacity - end)
        end += count
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 0 else { return }
        space(atLeast: bytes.count).copyMemory(from: bytes)
        end += bytes.count
    }

    mutating func append(_ bytes: [UInt8]) { bytes.withUnsafeBytes { append($0) } }

    /// Gives memory back that one large message needed. Only an empty queue is shrunk: its bytes may not move under a reader.
    mutating func shrink(to capacity: Int) {
        guard isEmpty, self.capacity > capacity else { return }
        memory.deallocate()
        self.capacity = max(capacity, ByteQueue.smallestCapacity)
        memory = .allocate(byteCount: self.capacity, alignment: 16)
    }

    private mutating func makeRoom(_ needed: Int) {
        let count = count
        if start >= capacity / 2, capacity - count >= needed {
            memory.copyMemory(from: memory + start, byteCount: count)
        } else {
            let larger = max(capacity * 2, count + needed, ByteQueue.firstGrowth)
            let moved = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
            moved.copyMemory(from: memory + start, byteCount: count)
            memory.deallocate()
            (memory, capacity) = (moved, larger)
        }
        (start, end) = (0, count)
    }
}
