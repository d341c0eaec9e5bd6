import CBLReplication

/// The line that tells how a replication goes on, as a value: what it knows in, text out.
struct SyncLine {
    enum Phase: Equatable {
        case connecting
        case working
        /// All is done, for now.
        case watching
        /// Until then, in seconds since the beginning.
        case waiting(until: Double, reason: String)
        case ending
    }

    /// `Pulling`
    let title: String
    let peer: String
    var phase = Phase.connecting
    var tally = SyncTally()
    var status = SyncStatus()

    /// Whether it says something else as time goes by.
    var movesByItself: Bool {
        switch phase {
        case .working, .waiting: true
        case .connecting, .watching, .ending: false
        }
    }

    /// `Pulling: 12,345 documents, 8,200/s, 34.0 MB of 60.0 MB, 2 failed`
    func text(seconds: Double) -> String {
        switch phase {
        case .connecting: return "Connecting to \(peer)…"
        case .working: return title + ": " + counts(seconds)
        case .watching: return "Up to date; Ctrl-C ends: " + counts(nil)
        case .waiting(let end, let reason):
            return "Trying again in \(ProgressLine.duration(max(1, end - seconds))), \(counts(nil)): \(reason)"
        case .ending: return "Ending at a checkpoint; Ctrl-C again ends at once: " + counts(nil)
        }
    }

    private func counts(_ seconds: Double?) -> String {
        var text = "\(ProgressLine.grouped(tally.done)) \(tally.done == 1 ? "document" : "documents")"
        if let seconds, seconds > 0, tally.done > 0 { text += ", \(ProgressLine.grouped(Int(Double(tally.done) / seconds)))/s" }
        if status.total > 0 {
            let (completed, total) = (Int(clamping: status.completed), Int(clamping: status.total))
            text += completed >= total ? ", \(SizeText.text(total))" : ", \(SizeText.text(completed)) of \(SizeText.text(total))"
        }
        if tally.failed > 0 { text += ", \(tally.failed) failed" }
        if tally.conflicts > 0 { text += ", \(tally.conflicts) in conflict" }
        return text
    }
}
