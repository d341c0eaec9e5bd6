import CBLBase
import Synchronization

/// Has a feed say what there is to say, whenever there is something: on a thread that it gives back in between.
final class FeedRun: Sendable {
    private struct State {
        var isWoken = false
        var isStopped = false
    }

    private let feed: any HTTPFeed
    private let exchange: ServerExchange
    private let queue: SerialQueue
    private let answering: AnswerCount
    private let wait: @Sendable (Duration?) -> Void
    private let state = Mutex(State())

    /// `wait` is to have it woken after so long, and not at the time that was asked for before.
    init(
        _ feed: any HTTPFeed, _ exchange: ServerExchange, on queue: SerialQueue, _ answering: AnswerCount,
        wait: @escaping @Sendable (Duration?) -> Void
    ) {
        self.answering = answering
        self.feed = feed
        self.exchange = exchange
        self.queue = queue
        self.wait = wait
    }

    /// On the queue.
    func start() {
        feed.start(wake: { [weak self] in self?.wake() })
        proceed()
    }

    /// Also if the client is gone: then it stops.
    func wake() {
        let isFirst = state.withLock { state in
            guard !state.isWoken, !state.isStopped else { return false }
            state.isWoken = true
            return true
        }
        if isFirst { queue.perform { self.proceed() } }
    }

    private func proceed() {
        let isStopped = state.withLock { state in
            state.isWoken = false
            return state.isStopped
        }
        guard !isStopped else { return }
        guard !exchange.isGone else { return stop() }
        // No thread waits for a client that is slow. When it has caught up, this is called again.
        if exchange.holdsFeedBack() { return }
        do throws(HTTPInterruption) {
            switch try feed.proceed(exchange) {
            case .complete: stop()
            case .waiting(let duration):
                try exchange.flush()
                wait(duration)
            }
        } catch {
            stop()
        }
    }

    private func stop() {
        state.withLock { $0.isStopped = true }
        feed.stop()
        answering.ended()
        exchange.end()
    }
}
