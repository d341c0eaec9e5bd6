import Glibc

/// Tells a TCP peer soon what has come from it.
///
/// The system waits up to 40 ms for something to send an acknowledgement along with. A peer that holds small pieces back until the last one is
/// acknowledged, as Sync Gateway does, would say nothing for that long after each batch. An acknowledgement for each piece, on the other hand, makes
/// it send them one by one, which costs both sides more than it gains. So there is one now and then, for all that came.
final class Acknowledger {
    static let delay = Duration.milliseconds(3)

    private let descriptor: Int32
    private let loop: EventLoop
    private var timer: LoopTimer?

    init(_ descriptor: Int32, on loop: EventLoop) {
        self.descriptor = descriptor
        self.loop = loop
    }

    /// Everything that came has been read.
    func readAll() {
        guard timer == nil else { return }
        timer = loop.timer(after: Acknowledger.delay) { [weak self] in
            self?.timer = nil
            self?.acknowledge()
        }
    }

    /// The descriptor is about to be closed.
    func end() { timer?.cancel() }

    private func acknowledge() {
        // It is sent when the option is set. Without being unset, it would hold for what comes next.
        for value: Int32 in [1, 0] {
            var value = value
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_QUICKACK, &value, socklen_t(MemoryLayout<Int32>.size))
        }
    }
}
