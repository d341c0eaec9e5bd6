import CBLBase
import Glibc

/// A thread that inserts batches in the order in which they are submitted.
///
/// Sendable without check because its state is touched only under its lock.
final class BatchPipeline: @unchecked Sendable {
    private let inserter: BulkInserter
    private let lock = WaitCondition()
    private var waiting: [BulkBatch] = []
    private var done: [BulkBatch] = []
    private var isInserting = false
    private var isStopped = false
    private var thread = pthread_t()
    private var isRunning = false

    init(_ inserter: BulkInserter) throws(StoreError) {
        self.inserter = inserter
        let code = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<BatchPipeline>.fromOpaque(argument).takeUnretainedValue().run()
                return nil
            }, Unmanaged.passUnretained(self).toOpaque())
        guard code == 0 else { throw StoreError(.inputOutput, "cannot start a thread: \(FileStatus.reason(code))") }
        isRunning = true
    }

    // `stop` has been called, and has waited for the thread.
    deinit { stop() }

    /// Batches that were submitted and not taken back.
    var count: Int { lock.locked { waiting.count + done.count + (isInserting ? 1 : 0) } }

    func submit(_ batch: BulkBatch) {
        lock.locked { waiting.append(batch) }
        lock.signal()
    }

    /// The next batch that is in the database; nil if there is none, and none on its way.
    func takeDone(isWaiting: Bool) -> BulkBatch? {
        lock.locked {
            while isWaiting && done.isEmpty && (isInserting || !waiting.isEmpty) { lock.wait() }
            return done.isEmpty ? nil : done.removeFirst()
        }
    }

    /// Waits until the thread has nothing to do.
    func drain() {
        lock.locked { while isInserting || !waiting.isEmpty { lock.wait() } }
    }

    func stop() {
        guard isRunning else { return }
        isRunning = false
        lock.locked {
            isStopped = true
            waiting.removeAll()
        }
        lock.signal()
        pthread_join(thread, nil)
    }

    private func run() {
        while let batch = next() {
            inserter.insert(batch)
            lock.locked {
                isInserting = false
                done.append(batch)
            }
            lock.signal()
        }
    }

    private func next() -> BulkBatch? {
        lock.locked {
            while waiting.isEmpty && !isStopped { lock.wait() }
            guard !waiting.isEmpty else { return nil }
            isInserting = true
            return waiting.removeFirst()
        }
    }
}
