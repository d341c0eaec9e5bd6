import Glibc

/// Bytes on their way into a file, kept back until what follows them can go with them: many small writes become one.
struct KeptBytes {
    private(set) var count = 0
    private let capacity: Int
    private var memory: UnsafeMutableRawPointer?
    private var start: Int64 = 0

    typealias Write = (UnsafeRawPointer, Int, Int64) -> Int32

    init(capacity: Int) { self.capacity = capacity }

    /// Whether these would follow what is here, and fit.
    func canTake(_ amount: Int, at offset: Int64) -> Bool {
        count == 0 ? amount <= capacity : offset == start + Int64(count) && count + amount <= capacity
    }

    /// What `canTake` has to say yes to.
    mutating func append(_ bytes: UnsafeRawPointer, _ amount: Int, at offset: Int64) {
        let memory = self.memory ?? .allocate(byteCount: capacity, alignment: 16)
        self.memory = memory
        if count == 0 { start = offset }
        memcpy(memory + count, bytes, amount)
        count += amount
    }

    /// Writes what is here, of which nothing is left then, whatever comes of it. Gives SQLite's code.
    mutating func flush(_ write: Write) -> Int32 {
        guard count > 0, let memory else { return 0 }
        defer { count = 0 }
        return write(memory, count, start)
    }

    /// Copies what is asked for, if it is here; nil if only a part of it is.
    func take(_ target: UnsafeMutableRawPointer, _ amount: Int, at offset: Int64) -> Bool? {
        guard overlaps(amount, at: offset), let memory else { return false }
        guard offset >= start, offset + Int64(amount) <= start + Int64(count) else { return nil }
        memcpy(target, memory + Int(offset - start), amount)
        return true
    }

    func overlaps(_ amount: Int, at offset: Int64) -> Bool {
        count > 0 && offset < start + Int64(count) && offset + Int64(amount) > start
    }

    mutating func discard() { count = 0 }

    mutating func free() {
        memory?.deallocate()
        (memory, count) = (nil, 0)
    }
}
