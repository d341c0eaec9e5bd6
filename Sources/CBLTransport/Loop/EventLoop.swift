import CBLBase
import CBLSystemEpoll
import Glibc
import Synchronization

/// One thread that waits for sockets, timers and work of other threads. Everything about a connection happens on its loop.
///
///     EventLoop.shared.perform { … }
///
/// A loop of one's own runs until it is stopped.
package final class EventLoop: @unchecked Sendable {
    // Sendable: `inbox` is guarded by its mutex, the constants do not change, and the rest is only touched by the loop's thread.

    /// For whoever does not need one for itself. Its thread is started when it is first asked for.
    package static let shared = EventLoop()

    private struct Inbox {
        var work: [@Sendable () -> Void] = []
        /// It has to be woken for what comes now.
        var isWaiting = false
        var isStopped = false
    }

    private let clock: LoopClock
    private let inbox = Mutex(Inbox())
    /// Below 0 while the process has no descriptors left.
    private var epoll: Int32 = -1
    private let wakeUp = Atomic<Int32>(-1)
    private let threadID = Atomic<UInt>(0)
    private let hasEnded = Atomic<Bool>(false)
    private let thread = Mutex<WorkerThread?>(nil)

    private var timers = TimerQueue()
    private var events = [epoll_event](repeating: epoll_event(), count: 64)
    /// When it was last known what is ready.
    private var lookedAt: LoopTime
    private var deferred: [() -> Void] = []
    private var watches: [Int32: FileWatch] = [:]
    private var generation: UInt32 = 0
    /// How many of those that are known to have something for it are still to come.
    private var waiting = 0

    package init(clock: LoopClock = .system) {
        self.clock = clock
        lookedAt = clock.now
        open()
        if case .manual(let clock) = clock { clock.onAdvance { [weak self] in self?.perform {} } }
        let started = WorkerThread { self.run() }
        thread.withLock { $0 = started }
    }

    deinit {
        for descriptor in [epoll, wakeUp.load(ordering: .relaxed)] where descriptor >= 0 { Glibc.close(descriptor) }
    }

    /// Gets its descriptors, if there are two. Where there are none it does its work all the same, and looks for them again and again: who needs a
    /// connection meanwhile hears of that from its socket.
    @discardableResult
    private func open() -> Bool {
        guard epoll < 0 else { return true }
        let (epoll, wakeUp) = (cblite_epoll_create(), cblite_eventfd_create())
        guard epoll >= 0, wakeUp >= 0 else {
            for descriptor in [epoll, wakeUp] where descriptor >= 0 { Glibc.close(descriptor) }
            return false
        }
        var event = epoll_event(events: cblite_epoll_in, data: epoll_data_t(u64: UInt64(UInt32.max)))
        epoll_ctl(epoll, EPOLL_CTL_ADD, wakeUp, &event)
        self.epoll = epoll
        self.wakeUp.store(wakeUp, ordering: .releasing)
        for watch in watches.values { update(watch, from: []) }
        return true
    }

    /// How often a loop without descriptors looks for work, in milliseconds.
    private static let pace: Int32 = 10

    package var isCurrent: Bool { threadID.load(ordering: .relaxed) == UInt(pthread_self()) }

    /// Traps on another thread than the loop's. What only this thread may touch asks so wherever others could come in. Once the loop has ended, nobody
    /// can be in the way any more.
    package func preconditionOnLoop(_ caller: StaticString = #function) {
        precondition(isCurrent || hasEnded.load(ordering: .acquiring), "\(caller) was called on another thread than its loop's")
    }

    package var now: LoopTime { clock.now }

    /// Does the work on the loop's thread, soon, in the order in which it was given. It is dropped if the loop has been stopped.
    package func perform(_ work: @escaping @Sendable () -> Void) {
        let needsWakeUp = inbox.withLock { inbox in
            guard !inbox.isStopped else { return false }
            inbox.work.append(work)
            defer { inbox.isWaiting = false }
            return inbox.isWaiting
        }
        if needsWakeUp { wake() }
    }

    /// Ends the loop and waits for its thread. Connections on it are not closed by that: their owners do it before.
    package func stop() {
        inbox.withLock { $0.isStopped = true }
        wake()
        if !isCurrent { thread.withLock { $0 }?.join() }
    }

    private func wake() {
        var one: UInt64 = 1
        let wakeUp = wakeUp.load(ordering: .acquiring)
        if wakeUp >= 0 { _ = write(wakeUp, &one, 8) }
    }

    /// Whether others wait for what is being done just now.
    package var isBusy: Bool {
        preconditionOnLoop()
        return waiting > 0
    }

    /// Does it when everything that is known to be ready has been dealt with.
    func later(_ action: @escaping () -> Void) {
        preconditionOnLoop()
        deferred.append(action)
    }

    /// Does it after a while. On the loop's thread only.
    @discardableResult
    package func timer(after delay: Duration, _ action: @escaping () -> Void) -> LoopTimer {
        preconditionOnLoop()
        return timers.add(now + delay, action)
    }

    /// Watches a file descriptor until the watch is ended; that must be before the descriptor is closed.
    func watch(_ descriptor: Int32, _ onReady: @escaping (FileWatch.Readiness) -> Void) -> FileWatch {
        preconditionOnLoop()
        generation &+= 1
        let watch = FileWatch(descriptor, generation, self, onReady)
        watches[descriptor] = watch
        return watch
    }

    fileprivate func update(_ watch: FileWatch, from old: FileWatch.Readiness) {
        preconditionOnLoop()
        let wanted = watch.interest
        guard wanted != old, epoll >= 0 else { return }
        // Without interest it is not watched at all: errors and hang-ups would be told again and again.
        let operation = wanted.isEmpty ? EPOLL_CTL_DEL : old.isEmpty ? EPOLL_CTL_ADD : EPOLL_CTL_MOD
        let events = (wanted.contains(.reading) ? cblite_epoll_in : 0) | (wanted.contains(.writing) ? cblite_epoll_out : 0)
        let identity = UInt64(watch.generation) << 32 | UInt64(UInt32(bitPattern: watch.descriptor))
        var event = epoll_event(events: events, data: epoll_data_t(u64: identity))
        epoll_ctl(epoll, operation, watch.descriptor, &event)
    }

    fileprivate func forget(_ watch: FileWatch) {
        if watches[watch.descriptor] === watch { watches[watch.descriptor] = nil }
    }

    private func run() {
        threadID.store(UInt(pthread_self()), ordering: .relaxed)
        while doWork() {
            let count = wait(atMost: waitingTime())
            inbox.withLock { $0.isWaiting = false }
            dispatch(count)
        }
        // What waits refers to the loop, and would keep it.
        timers = TimerQueue()
        deferred = []
        watches = [:]
        hasEnded.store(true, ordering: .releasing)
    }

    /// Gives how many of `events` have come.
    private func wait(atMost time: Int32) -> Int {
        if open() {
            let count = epoll_wait(epoll, &events, Int32(events.count), time)
            // Who is stopped and goes on has been interrupted, and knows nothing.
            if count >= 0 { lookedAt = clock.now }
            return Int(max(0, count))
        }
        let rest = time < 0 ? EventLoop.pace : min(time, EventLoop.pace)
        usleep(UInt32(rest) * 1000)
        return 0
    }

    /// The process may have been stopped for minutes: what has come meanwhile counts before the time that has gone by. Else each client that
    /// waited would be told that it had said nothing.
    private func ringTimers() {
        let now = clock.now
        guard let next = timers.next, next <= now else { return }
        if now.since(lookedAt) > EventLoop.longestBlindness {
            for _ in 0...watches.count / events.count {
                let count = wait(atMost: 0)
                dispatch(count)
                if count < events.count { break }
            }
        }
        while let action = timers.popDue(now) { action() }
    }

    private static let longestBlindness = Duration.seconds(1)

    /// What it has done is let go of when this returns, and not while it waits. False if it is to end.
    private func doWork() -> Bool {
        let (work, isStopped) = inbox.withLock { inbox in
            defer { inbox.work.removeAll(keepingCapacity: true) }
            return (inbox.work, inbox.isStopped)
        }
        for (place, item) in work.enumerated() {
            waiting = work.count - 1 - place
            item()
        }
        if isStopped { return false }
        ringTimers()
        let actions = deferred
        deferred.removeAll(keepingCapacity: true)
        for action in actions { action() }
        return true
    }

    private func dispatch(_ count: Int) {
        for place in 0..<count {
            waiting = count - 1 - place
            dispatch(events[place])
        }
    }

    private func dispatch(_ event: epoll_event) {
        let identity = event.data.u64
        guard identity != UInt64(UInt32.max) else {
            var count: UInt64 = 0
            _ = read(wakeUp.load(ordering: .relaxed), &count, 8)
            return
        }
        // A descriptor may have been closed, and its number given to another, since the kernel told of it.
        guard let watch = watches[Int32(bitPattern: UInt32(truncatingIfNeeded: identity))], watch.generation == UInt32(identity >> 32)
        else {
            return
        }
        var ready: FileWatch.Readiness = []
        if event.events & (cblite_epoll_in | cblite_epoll_broken) != 0 { ready.insert(.reading) }
        if event.events & (cblite_epoll_out | cblite_epoll_broken) != 0 { ready.insert(.writing) }
        // Whoever wants to know only of one direction finds the error there.
        ready.formIntersection(watch.interest)
        if !ready.isEmpty { watch.onReady(ready) }
    }

    // In milliseconds, rounded up; -1 for ever.
    private func waitingTime() -> Int32 {
        let isWaiting = inbox.withLock { inbox in
            inbox.isWaiting = inbox.work.isEmpty && !inbox.isStopped && deferred.isEmpty
            return inbox.isWaiting
        }
        guard isWaiting else { return 0 }
        guard let next = timers.next else { return -1 }
        let wait = next.since(clock.now)
        if wait == .zero { return 0 }
        if case .manual = clock { return -1 }
        return Int32(clamping: (wait.nanoseconds - 1) / 1_000_000 + 1)
    }
}

/// A file descriptor that a loop watches.
final class FileWatch {
    struct Readiness: OptionSet {
        let rawValue: UInt8
        static let reading = Readiness(rawValue: 1)
        static let writing = Readiness(rawValue: 2)
    }

    let descriptor: Int32
    fileprivate let generation: UInt32
    fileprivate var onReady: (Readiness) -> Void
    private unowned let loop: EventLoop
    private var isEnded = false

    /// What its owner wants to be told of. It is told for as long as it lasts.
    var interest: Readiness = [] {
        didSet { if !isEnded { loop.update(self, from: oldValue) } }
    }

    fileprivate init(_ descriptor: Int32, _ generation: UInt32, _ loop: EventLoop, _ onReady: @escaping (Readiness) -> Void) {
        self.descriptor = descriptor
        self.generation = generation
        self.loop = loop
        self.onReady = onReady
    }

    func end() {
        guard !isEnded else { return }
        interest = []
        isEnded = true
        onReady = { _ in }
        loop.forget(self)
    }
}
