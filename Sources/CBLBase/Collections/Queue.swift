/// First in, first out, in an array. What is taken leaves a gap at the front, which is closed when it is half of the array.
@usableFromInline package struct Queue<Element> {
    // What was taken is nil, and kept alive by nobody.
    @usableFromInline var slots: [Element?] = []
    @usableFromInline var head = 0

    @inlinable package init() {}

    @inlinable package var count: Int { slots.count - head }
    @inlinable package var isEmpty: Bool { slots.count == head }
    @inlinable package var first: Element? { head < slots.count ? slots[head] : nil }

    @inlinable package mutating func append(_ element: Element) { slots.append(element) }

    @inlinable
    package mutating func popFirst() -> Element? {
        guard head < slots.count else { return nil }
        let element = slots[head]
        slots[head] = nil
        head += 1
        if head == slots.count {
            slots.removeAll(keepingCapacity: slots.capacity <= 1024)
            head = 0
        } else if head >= 64, head * 2 >= slots.count {
            slots.removeFirst(head)
            head = 0
        }
        return element
    }
}

extension Queue: Sendable where Element: Sendable {}
