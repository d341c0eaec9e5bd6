import CBLTransport

// A peer that is there, as it answers pings, and never says what it owes us.
extension SyncConnection {
    struct Patience {
        let duration: Duration
        /// One that is to come to an end has nothing else to wait for than the peer. Otherwise only an answer can be due.
        let isOnce: Bool
    }

    /// Ends the session when the peer owes something, and nothing has gone over the connection for so long.
    func expectAnswers(within duration: Duration, isOnce: Bool) {
        patience = Patience(duration: duration, isOnce: isOnce)
        look(after: duration)
    }

    private func look(after delay: Duration) {
        loop.timer(after: delay) { [weak self] in self?.lookForProgress() }
    }

    private func lookForProgress() {
        guard let patience, !hasSessionEnded else { return }
        guard isPeerInDebt(patience) else { return look(after: patience.duration) }
        let silence = loop.now.since(lastProgress)
        guard silence >= patience.duration else { return look(after: patience.duration - silence) }
        let seconds = patience.duration.components.seconds
        let message = "the other side is there, but has sent nothing for \(seconds) seconds, and is to"
        // Who is to be done some day is told; who goes on for ever tries again.
        dismiss(
            patience.isOnce
                ? SyncError.liteCore(SyncError.LiteCoreCode.remoteError, message) : SyncError(NetworkFailure.timeout, message))
    }

    /// Whether nothing has gone over the connection for so long, nor been done for it here.
    func isSilent(for limit: Duration, since start: LoopTime) -> Bool {
        guard storesUnderWay == 0, unwrittenBytes == 0 else { return false }
        return loop.now.since(start) >= limit && loop.now.since(lastProgress) >= limit
    }

    private func isPeerInDebt(_ patience: Patience) -> Bool {
        guard hasOpened, storesUnderWay == 0, unwrittenBytes == 0, !isHeldUp else { return false }
        return patience.isOnce || !awaited.isEmpty || !fetches.isEmpty
    }
}
