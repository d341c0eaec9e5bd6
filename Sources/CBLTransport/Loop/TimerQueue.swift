/// Something that is to happen at a time, unless it is cancelled before. To be used on its loop only.
package final class LoopTimer {
    let deadline: LoopTime
    // Nil when it has happened or been cancelled, so that what it refers to does not live on in the queue.
    fileprivate var action: (() -> Void)?

    fileprivate init(_ deadline: LoopTime, _ action: @escaping () -> Void) {
        self.deadline = deadline
        self.action = action
    }

    package func cancel() { action = nil }
}

/// The timers of a loop, the earliest first: a binary heap. Equal deadlines come in any order.
struct TimerQueue {
    private var heap: [LoopTimer] = []

    var next: LoopTime? { heap.first?.deadline }
    var count: Int { heap.count }

    mutating func add(_ deadline: LoopTime, _ action: @escaping () -> Void) -> LoopTimer {
        let timer = LoopTimer(deadline, action)
        heap.append(timer)
        var index = heap.count - 1
        while index > 0, heap[(index - 1) / 2].deadline > deadline {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
        return timer
    }

    /// The next action that is due; nil if none is.
    mutating func popDue(_ now: LoopTime) -> (() -> Void)? {
        while let first = heap.first, first.deadline <= now || first.action == nil {
            removeFirst()
            guard let action = first.action else { continue }
            first.action = nil
            return action
        }
        return nil
    }

    private mutating func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count && heap[child].deadline < heap[least].deadline {
                least = child
            }
            if least == index { return }
            heap.swapAt(index, least)
            index = least
        }
    }
}
