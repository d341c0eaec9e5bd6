import Synchronization

/// A revision that was stored.
package struct RevisionChange: Sendable {
    package let documentID: String
    package let collection: CollectionName
    package let revision: RevisionID
    package let isDeleted: Bool
    /// Whether it is what the document says now.
    package let isCurrent: Bool
    /// Whether the document is in conflict now.
    package let isConflict: Bool
    /// Nil if it was made here.
    package let origin: RevisionOrigin?
}

/// Those who want to hear of every revision that this process stores in a file, with what only the transaction knows of it. They hear of it before
/// the next transaction can begin, and only pass it on.
final class RevisionWitnesses: Sendable {
    typealias Witness = @Sendable ([RevisionChange]) -> Void

    private struct State {
        var witnesses: [(number: Int, witness: Witness)] = []
        var next = 0
    }

    private let state = Mutex(State())
    private let isWatched = Atomic<Bool>(false)

    /// Asked for with each transaction.
    var isEmpty: Bool { !isWatched.load(ordering: .acquiring) }

    func add(_ witness: @escaping Witness) -> Int {
        state.withLock { state in
            state.next += 1
            state.witnesses.append((state.next, witness))
            isWatched.store(true, ordering: .releasing)
            return state.next
        }
    }

    func remove(_ number: Int) {
        state.withLock { state in
            state.witnesses.removeAll { $0.number == number }
            if state.witnesses.isEmpty { isWatched.store(false, ordering: .releasing) }
        }
    }

    func tell(_ changes: [RevisionChange]) {
        for (_, witness) in state.withLock({ $0.witnesses }) { witness(changes) }
    }
}

extension Database {
    /// Calls `witness` after each commit of this process that stores revisions in the file, through whichever object, until what it gives is called.
    package func witnessRevisions(_ witness: @escaping @Sendable ([RevisionChange]) -> Void) -> @Sendable () -> Void {
        let number = file.witnesses.add(witness)
        return { [file] in file.witnesses.remove(number) }
    }
}
