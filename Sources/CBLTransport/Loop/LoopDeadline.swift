/// A limit of time that is put off far more often than it is reached. Beginning anew costs nothing: there is one timer, which looks where the
/// limit is now. To be used on its loop only.
final class LoopDeadline {
    private unowned let loop: EventLoop
    private let action: () -> Void
    private var end: LoopTime?
    private var timer: LoopTimer?

    init(on loop: EventLoop, _ action: @escaping () -> Void) {
        self.loop = loop
        self.action = action
    }

    deinit { timer?.cancel() }

    var isSet: Bool { end != nil }

    /// In the place of whatever limit there was.
    func set(after duration: Duration) {
        let end = loop.now + duration
        self.end = end
        if let timer, timer.deadline <= end { return }
        timer?.cancel()
        start(after: duration)
    }

    func clear() { end = nil }

    /// Nothing comes of it any more.
    func cancel() {
        end = nil
        timer?.cancel()
        timer = nil
    }

    private func start(after duration: Duration) { timer = loop.timer(after: duration) { [weak self] in self?.look() } }

    private func look() {
        timer = nil
        guard let end else { return }
        let now = loop.now
        guard end <= now else { return start(after: end.since(now)) }
        self.end = nil
        action()
    }
}
