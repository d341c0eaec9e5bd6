import CBLBase

/// The nearest entries that were seen so far, at most so many: a heap with the farthest of them on top, which is the one to go.
package struct NearestQueue {
    package struct Entry: Hashable, Sendable {
        /// The smaller, the nearer.
        package var order: Float
        package var id: VectorID

        package init(order: Float, id: VectorID) {
            self.order = order
            self.id = id
        }
    }

    private var heap: [Entry] = []
    private let limit: Int
    /// What is not nearer than this need not be offered.
    package private(set) var threshold = Float.infinity

    package init(limit: Int) {
        self.limit = limit
        if limit <= 0 { threshold = -.infinity }
        heap.reserveCapacity(min(limit, 1 << 14))
    }

    package var count: Int { heap.count }
    package var isFull: Bool { heap.count >= limit }

    @inline(__always)
    package mutating func offer(_ order: Float, _ id: @autoclosure () -> VectorID) {
        // What is not a number is no distance.
        guard order < threshold || (order == .infinity && heap.count < limit) else { return }
        insert(Entry(order: order, id: id()))
    }

    private mutating func insert(_ entry: Entry) {
        guard heap.count >= limit else {
            heap.append(entry)
            rise(heap.count - 1)
            if heap.count == limit { threshold = heap[0].order }
            return
        }
        guard limit > 0 else { return }
        heap[0] = entry
        sink(0)
        threshold = heap[0].order
    }

    /// Nearest first; what is equally near in the order of sequences.
    package func sorted() -> [Entry] {
        heap.sorted { $0.order < $1.order || ($0.order == $1.order && $0.id.sequence < $1.id.sequence) }
    }

    private mutating func rise(_ start: Int) {
        var place = start
        while place > 0 {
            let parent = (place - 1) / 2
            guard heap[parent].order < heap[place].order else { return }
            heap.swapAt(parent, place)
            place = parent
        }
    }

    private mutating func sink(_ start: Int) {
        var place = start
        while true {
            var child = 2 * place + 1
            guard child < heap.count else { return }
            if child + 1 < heap.count, heap[child + 1].order > heap[child].order { child += 1 }
            guard heap[child].order > heap[place].order else { return }
            heap.swapAt(child, place)
            place = child
        }
    }
}

/// Which revision of which document a vector comes from: its sequence, and a few bits of the document's ID in case that a damaged counter
/// gave a sequence twice.
package struct VectorID: Hashable, Sendable {
    package var sequence: UInt64
    package var check: UInt32

    package init(sequence: UInt64, check: UInt32) {
        self.sequence = sequence
        self.check = check
    }

    package init(sequence: UInt64, documentID: UnsafeRawBufferPointer) {
        self.sequence = sequence
        check = FNV1a.hash(documentID)
    }
}
