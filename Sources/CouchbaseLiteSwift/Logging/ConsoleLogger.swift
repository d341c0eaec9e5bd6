import Synchronization

/// Which messages go to standard error: the older form of ``ConsoleLogSink``.
public final class ConsoleLogger: Sendable {
    private let dispatch: LogDispatch
    /// Two threads that set different things must not undo each other's.
    private let control = Mutex(())

    init(_ dispatch: LogDispatch) { self.dispatch = dispatch }

    /// From which level on; `none` for nothing.
    public var level: LogLevel {
        get { dispatch.console?.level ?? .none }
        set { change { ConsoleLogSink(level: newValue, domains: $0.domains) } }
    }

    /// Of which domains.
    public var domains: LogDomains {
        get { dispatch.console?.domains ?? .all }
        set { change { ConsoleLogSink(level: $0.level, domains: newValue) } }
    }

    private func change(_ body: (ConsoleLogSink) -> ConsoleLogSink) {
        dispatch.claim(for: .loggers)
        control.withLock { _ in dispatch.console = body(dispatch.console ?? ConsoleLogSink(level: .none)) }
    }
}
