/// The peer's sequences in the order in which it announced them, and which of them are done. A checkpoint can stand before the first that is not.
struct AnnouncedSequences {
    private var items: [(sequence: RemoteSequence, isDone: Bool)] = []
    private var start = 0
    /// The place of `items[0]` among all that were ever announced.
    private var base = 0
    /// The one announced before the first that is not done.
    private(set) var reached: RemoteSequence?

    init(since: RemoteSequence?) { reached = since }

    /// Gives the place by which it will be done.
    mutating func announce(_ sequence: RemoteSequence) -> Int {
        items.append((sequence, false))
        return base + items.count - 1
    }

    /// Whether the checkpoint can move on.
    mutating func finish(_ place: Int) -> Bool {
        let index = place - base
        guard index >= start, index < items.count, !items[index].isDone else { return false }
        items[index].isDone = true
        guard index == start else { return false }
        while start < items.count, items[start].isDone {
            reached = items[start].sequence
            start += 1
        }
        if start > 256, start * 2 > items.count {
            items.removeFirst(start)
            base += start
            start = 0
        }
        return true
    }
}
