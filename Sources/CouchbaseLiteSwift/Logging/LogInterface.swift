import Synchronization

/// Through what a program sets up its log.
enum LogInterface: UInt8, AtomicRepresentable {
    case none
    /// `LogSinks`.
    case sinks
    /// `Database.log`.
    case loggers
}

extension LogDispatch {
    /// Whoever sets something by one interface and something else by the other would wonder who has undone what.
    func claim(for wanted: LogInterface) {
        guard interface.compareExchange(expected: .none, desired: wanted, ordering: .relaxed).original.admits(wanted) else {
            programmerError(.internalInconsistency, "A program sets up its log with LogSinks or with Database.log, not with both.")
        }
    }
}

extension LogInterface {
    fileprivate func admits(_ other: LogInterface) -> Bool { self == .none || self == other }
}
