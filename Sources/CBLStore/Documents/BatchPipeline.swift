import CBLBase

/// A thread that does its work on batches, in the order in which they are submitted.
///
/// Sendable without check because its state is touched only under its lock.
final class BatchPipeline<Batch: AnyObject & Sendable>: @unchecked Sendable {
    private let work: (Batch) -> Void
    private let lock = WaitCondition()
    private var waiting: [Batch] = []
    private var done: [Batch] = []
    private var isWorking = false
    private var isStopped = false
    private var thread: WorkerThread?

    /// `work` is done on the thread, on one batch at a time.
    init(_ name: String, _ work: @escaping (Batch) -> Void) {
        self.work = work
        // Whoever lets go of it waits for the thread.
        let pipeline = Unmanaged.passUnretained(self)
        thread = WorkerThread(name: name) { pipeline.takeUnretainedValue().run() }
    }

    deinit { stop() }

    /// Batches that were submitted and not taken back.
    var count: Int { lock.locked { waiting.count + done.count + (isWorking ? 1 : 0) } }

    func submit(_ batch: Batch) {
        lock.locked { waiting.append(batch) }
        lock.signal()
    }

    /// The next batch that is done; nil if there is none, and none on its way.
    func takeDone(isWaiting: Bool) -> Batch? {
        lock.locked {
            while isWaiting && done.isEmpty && (isWorking || !waiting.isEmpty) { lock.wait() }
            return done.isEmpty ? nil : done.removeFirst()
        }
    }

    /// Waits until the thread has nothing to do.
    func drain() {
        lock.locked { while isWorking || !waiting.isEmpty { lock.wait() } }
    }

    /// Drops what waits, and waits for the rest. Nothing is done afterwards.
    func stop() {
        lock.locked {
            isStopped = true
            waiting.removeAll()
        }
        lock.signal()
        thread?.join()
    }

    private func run() {
        while let batch = next() {
            work(batch)
            lock.locked {
                isWorking = false
                done.append(batch)
            }
            lock.signal()
        }
    }

    private func next() -> Batch? {
        lock.locked {
            while waiting.isEmpty && !isStopped { lock.wait() }
            guard !waiting.isEmpty else { return nil }
            isWorking = true
            return waiting.removeFirst()
        }
    }
}
