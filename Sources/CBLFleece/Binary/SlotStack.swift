/// One member of a collection being written. An array item has no key. Keys and items are 32 bits each: an inline value (two bytes), or with
/// the top bit set the output offset of a value that was written out of line.
typealias PendingSlot = UInt64

extension PendingSlot {
    static let outOfLine: UInt32 = 0x8000_0000

    @inline(__always) init(key: UInt32, value: UInt32) { self = UInt64(key) &<< 32 | UInt64(value) }
    @inline(__always) var key: UInt32 { UInt32(truncatingIfNeeded: self &>> 32) }
    @inline(__always) var value: UInt32 { UInt32(truncatingIfNeeded: self) }
}

/// A growing stack of plain values. Popping keeps the memory.
struct FlatStack<Element: BitwiseCopyable>: ~Copyable {
    private(set) var elements: UnsafeMutablePointer<Element>
    private(set) var count = 0
    private var capacity = 64

    init() { elements = .allocate(capacity: capacity) }

    deinit { elements.deallocate() }

    @inline(__always)
    mutating func push(_ element: Element) {
        if count == capacity { grow() }
        (elements + count).initialize(to: element)
        count &+= 1
    }

    /// Drops what was pushed since the stack had `newCount` elements.
    @inline(__always)
    mutating func truncate(to newCount: Int) {
        if newCount < count { count = newCount }
    }

    @inline(__always)
    mutating func pop() -> Element? {
        guard count > 0 else { return nil }
        count &-= 1
        return elements[count]
    }

    /// The elements from `start` on. Valid until the next push.
    @inline(__always)
    func suffix(from start: Int) -> UnsafeMutableBufferPointer<Element> {
        UnsafeMutableBufferPointer(start: elements + start, count: count &- start)
    }

    @inline(never)
    private mutating func grow() {
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: elements, count: count)
        elements.deallocate()
        elements = larger
        capacity *= 2
    }
}
