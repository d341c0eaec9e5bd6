internal import CBLQuery
import Synchronization

/// The results of a database that are still being read from it. Each has a connection: of more than a few, those that have waited longest are
/// copied.
final class OpenResults: Sendable {
    private struct Weak {
        weak var rows: OpenRows?
    }

    private static let most = 8
    private let open = Mutex<[Weak]>([])

    func add(_ rows: OpenRows) {
        let surplus = open.withLock { open in
            open.removeAll { $0.rows?.isRead ?? true }
            open.append(Weak(rows: rows))
            return open.count > OpenResults.most ? open.removeFirst().rows : nil
        }
        surplus?.keepRest()
    }

    /// Copies all of them: for what needs the file for itself.
    func keepAll() {
        let all = open.withLock { open in
            defer { open = [] }
            return open
        }
        for rows in all { rows.rows?.keepRest() }
    }
}
