import CBLBase
import CBLStore
import CBLTransport

/// Tells of changes of a database, by whichever program, until it is stopped.
final class ChangeFeed: Sendable {
    private let cancel: @Sendable () -> Void

    /// `onChange` is called on the loop.
    init(_ database: Database, on loop: EventLoop, onChange: @escaping @Sendable (CollectionName) -> Void) throws {
        let watch = Watch(watcher: try database.watch())
        cancel = watch.watcher.canceller
        _ = WorkerThread {
            // What cannot be watched is looked at again when the next session begins.
            while (try? watch.watcher.wait()) ?? false {
                let names = Array(watch.watcher.changes.keys)
                loop.perform { for name in names { onChange(name) } }
            }
        }
    }

    private struct Watch: @unchecked Sendable {
        // Sendable: handed over to the thread, which alone uses it; others hold what cancels it.
        let watcher: Watcher
    }

    func stop() { cancel() }
}
