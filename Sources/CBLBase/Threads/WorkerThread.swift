import CBLSystemFiles
import Glibc
import Synchronization

/// A thread for one piece of work. The toolchain's own are in a library that takes longer to load than most queries take to run.
package final class WorkerThread: Sendable {
    private struct Handle: @unchecked Sendable {
        // Sendable: a number or a pointer that only `pthread_join` looks at.
        var thread: pthread_t
        var isJoined = false
    }

    private final class Work: Sendable {
        let name: String?
        let body: @Sendable () -> Void

        init(_ name: String?, _ body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }

        func run() {
            if let name { cblite_name_thread(name) }
            body()
        }
    }

    private let handle: Mutex<Handle>

    private static func start(_ work: Work) -> pthread_t? {
        var thread = pthread_t()
        let work = Unmanaged.passRetained(work)
        let code = pthread_create(
            &thread, nil,
            { argument in
                if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run() }
                return nil
            }, work.toOpaque())
        if code == 0 { return thread }
        work.release()
        return nil
    }

    /// The name, of fifteen bytes at most, is what others see of it in lists of threads.
    package init(name: String? = nil, _ body: @escaping @Sendable () -> Void) {
        // Without a thread there is no way to go on, and no state to go back to.
        guard let thread = WorkerThread.start(Work(name, body)) else { preconditionFailure("cannot start a thread") }
        handle = Mutex(Handle(thread: thread))
    }

    /// Has work done that nobody waits for, unless the process ends before. Where no thread can be started, the caller does it.
    package static func aside(after milliseconds: UInt32, _ body: @escaping @Sendable () -> Void) {
        let work = Work(nil) {
            usleep(milliseconds * 1000)
            body()
        }
        if let thread = start(work) { pthread_detach(thread) } else { body() }
    }

    deinit {
        handle.withLock { handle in
            if !handle.isJoined { pthread_detach(handle.thread) }
        }
    }

    /// Whether the caller runs on it.
    package var isCurrent: Bool { handle.withLock { pthread_equal($0.thread, pthread_self()) != 0 } }

    /// Waits until the work is done.
    package func join() {
        let thread: pthread_t? = handle.withLock { handle in
            if handle.isJoined { return nil }
            handle.isJoined = true
            return handle.thread
        }
        if let thread { pthread_join(thread, nil) }
    }
}
