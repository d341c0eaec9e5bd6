import Synchronization

/// What the documents were like before a person's last statements changed them, so that these can be taken back. It is kept in memory, and only so
/// much of it: the oldest steps go first, and of a step that is too large by itself nothing remains.
///
///     let journal = ChangeJournal()
///     database.setJournal(journal)
///     journal.begin("UPDATE _ SET done = true")
///     try database.write { … }
///     let steps = journal.steps.suffix(1)
///     journal.finish(steps, try database.write { try $0.takeBack(steps) })
package final class ChangeJournal: Sendable {
    /// What one statement did.
    package struct Step: Sendable {
        package let number: Int
        package let title: String
        var changes: [Change] = []
        fileprivate var byteCount = 0
        /// There was more than can be kept: nothing of it is.
        package fileprivate(set) var isTooLarge = false

        package var documentCount: Int { changes.count }
    }

    struct Change: Sendable {
        enum Kind {
            case saved, purged, expiration
            /// To another collection, or another ID.
            case moved(to: CollectionName, String)
        }

        let kind: Kind
        let collection: CollectionName
        let id: String
        /// The row that was there.
        let old: Record?
        /// What the change left; nil for nothing.
        var sequence: UInt64?

        /// Where it left that.
        var place: (collection: CollectionName, id: String) {
            if case .moved(let collection, let id) = kind { (collection, id) } else { (collection, id) }
        }

        fileprivate var byteCount: Int { 64 + id.utf8.count + (old?.byteCount ?? 0) }
    }

    /// How far the journal was at some moment.
    struct Mark {
        fileprivate let step: Int
        fileprivate let count: Int
    }

    fileprivate struct State {
        var steps: [Step] = []
        var next = 1
        var byteCount = 0
    }

    private let state = Mutex(State())
    private let mostBytes: Int
    let mostChanges: Int

    /// Hears that the step that is under way is more than is kept, before it is done.
    private let onTooLarge: @Sendable () -> Void

    package init(mostBytes: Int = 64 << 20, mostChanges: Int = 100_000, onTooLarge: @escaping @Sendable () -> Void = {}) {
        self.mostBytes = mostBytes
        self.mostChanges = mostChanges
        self.onTooLarge = onTooLarge
    }

    /// Those that changed something, the oldest first.
    package var steps: [Step] { state.withLock { $0.steps.filter { !$0.changes.isEmpty || $0.isTooLarge } } }

    /// What comes now is another statement's work.
    package func begin(_ title: String) {
        state.withLock { state in
            state.steps.removeAll { $0.changes.isEmpty && !$0.isTooLarge }
            state.steps.append(Step(number: state.next, title: title))
            state.next += 1
        }
    }

    /// That of the statement that is under way, or was last.
    package var lastNumber: Int { state.withLock { $0.next - 1 } }

    package func removeAll() {
        state.withLock { state in
            state.steps = []
            state.byteCount = 0
        }
    }

    var mark: Mark { state.withLock { Mark(step: $0.steps.last?.number ?? 0, count: $0.steps.last?.changes.count ?? 0) } }

    /// Whether the step that is under way still keeps what it changes.
    var isKeeping: Bool { state.withLock { $0.steps.last.map { !$0.isTooLarge } ?? false } }

    func append(_ change: Change) {
        let isTooMuch = state.withLock { state in
            guard let last = state.steps.indices.last, !state.steps[last].isTooLarge else { return false }
            state.steps[last].changes.append(change)
            state.steps[last].byteCount += change.byteCount
            state.byteCount += change.byteCount
            if state.steps[last].byteCount > mostBytes || state.steps[last].changes.count > mostChanges { return true }
            while state.byteCount > mostBytes, state.steps.count > 1 { state.byteCount -= state.steps.removeFirst().byteCount }
            return false
        }
        if isTooMuch { giveUp() }
    }

    /// There is more than is worth looking at.
    func giveUp() {
        let isNew = state.withLock { state in
            guard let last = state.steps.indices.last, !state.steps[last].isTooLarge else { return false }
            state.giveUp(last)
            return true
        }
        if isNew { onTooLarge() }
    }

    /// What came since is not to be.
    func rollBack(to mark: Mark) {
        state.withLock { state in
            while let last = state.steps.last, last.number > mark.step { state.byteCount -= state.steps.removeLast().byteCount }
            guard let last = state.steps.indices.last, state.steps[last].number == mark.step else { return }
            while state.steps[last].changes.count > mark.count { state.removeLastChange() }
        }
    }

    /// Steps were taken back, the newest first.
    package func finish(_ steps: [Step], _ results: [TakenBack]) {
        state.withLock { state in
            for step in steps {
                guard let place = state.steps.firstIndex(where: { $0.number == step.number }) else { continue }
                state.byteCount -= state.steps.remove(at: place).byteCount
            }
            var sequences = NewSequences()
            for taken in results { sequences.note(taken) }
            for step in state.steps.indices {
                for change in state.steps[step].changes.indices { sequences.apply(to: &state.steps[step].changes[change]) }
            }
        }
    }
}

/// The sequences of documents that are again what they were: an earlier change left them with other ones.
struct NewSequences {
    private struct Former: Hashable {
        let collection: CollectionName
        let id: String
        let sequence: UInt64
    }

    private var known: [Former: UInt64?] = [:]

    mutating func note(_ taken: TakenBack) {
        guard let before = taken.sequenceBefore else { return }
        known[Former(collection: taken.collection, id: taken.id, sequence: before)] = .some(taken.sequence)
    }

    func apply(to change: inout ChangeJournal.Change) {
        guard let sequence = change.sequence else { return }
        let (collection, id) = change.place
        guard let new = known[Former(collection: collection, id: id, sequence: sequence)] else { return }
        change.sequence = new
    }
}

extension ChangeJournal.State {
    fileprivate mutating func giveUp(_ place: Int) {
        byteCount -= steps[place].byteCount
        steps[place].changes = []
        steps[place].byteCount = 0
        steps[place].isTooLarge = true
    }

    fileprivate mutating func removeLastChange() {
        let last = steps.count - 1
        let change = steps[last].changes.removeLast()
        steps[last].byteCount -= change.byteCount
        byteCount -= change.byteCount
    }
}
