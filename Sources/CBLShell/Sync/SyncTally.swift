import CBLReplication

/// What a replication has done so far.
struct SyncTally {
    var pushed = 0
    var pulled = 0
    /// Refused by the peer, or not to be stored here.
    var failed = 0
    /// Changed on both sides, and left so.
    var conflicts = 0
    /// Those of them that a push met, and what is in the way did not come.
    var conflictsOfPushes = 0
    /// Left out by the filter of a pull.
    var filtered = 0

    enum Kind {
        case done, failed, conflict, filtered
    }

    static func kind(_ event: DocumentEvent) -> Kind {
        guard let error = event.error else { return .done }
        if event.direction == .pull, error == .filteredOut { return .filtered }
        return error.isConflict ? .conflict : .failed
    }

    mutating func add(_ event: DocumentEvent) {
        switch SyncTally.kind(event) {
        case .done where event.direction == .push: pushed += 1
        case .done: pulled += 1
        case .failed: failed += 1
        case .conflict:
            conflicts += 1
            if event.direction == .push { conflictsOfPushes += 1 }
        case .filtered: filtered += 1
        }
    }

    var done: Int { pushed + pulled }

    var exitCode: ExitCode { failed > 0 ? .failure : conflicts > 0 ? .conflict : .success }

    /// What there is to say beside what was done: `; 2 failed, 1 in conflict`.
    var remainder: String {
        let parts = [(failed, "failed"), (conflicts, "in conflict"), (filtered, "left out by the filter")].filter { $0.0 > 0 }
        return parts.isEmpty ? "" : "; " + parts.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    }
}
