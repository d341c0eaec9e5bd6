import CBLBase
import CBLStore

/// Notices revisions that a peer is told of and was told of before: they have given way to others and are back. A tree has no say in which of two
/// branches stays, so in a ring of replicas, each of which follows the next, two revisions can go round one behind the other for ever. Who waits before
/// it tells of such changes passes on what is there in the end, and not each of them: one catches up with the other.
struct Restlessness {
    private struct Item: Hashable {
        let documentID: String
        let revision: RevisionID
    }

    /// How many revisions are remembered: those that go round are few, or come back soon.
    static let memory = 256
    static let shortestPause = 50
    /// How often a pause is doubled at most: 50 ms become 26 s.
    static let mostDoublings = 9

    private var known: Set<Item> = []
    private var order = Queue<Item>()
    private var level = 0

    /// The peer is told of these. Gives for how many milliseconds to wait before it is told of more, if some of them were back. They are longer by what
    /// the sequence adds, which is another one in each database, so that not all wait for equally long.
    mutating func note(_ changes: [LocalChange]) -> Int? {
        guard let last = changes.last?.sequence else { return nil }
        var isBack = false
        for change in changes.suffix(Restlessness.memory) where remember(Item(documentID: change.documentID, revision: change.revision)) {
            isBack = true
        }
        guard isBack else {
            level /= 2
            return nil
        }
        let pause = Restlessness.shortestPause << level
        level = min(level + 1, Restlessness.mostDoublings)
        return pause + pause * Int(last % 8) / 8
    }

    /// Whether it was known.
    private mutating func remember(_ item: Item) -> Bool {
        guard known.insert(item).inserted else { return true }
        order.append(item)
        if known.count > Restlessness.memory, let oldest = order.popFirst() { known.remove(oldest) }
        return false
    }
}
