import Foundation

/// Which messages go to files, and to which: the older form of ``FileLogSink``.
public final class FileLogger: @unchecked Sendable {
    // Sendable: what changes is guarded by the lock.

    private let dispatch: LogDispatch
    /// A logger of the program that is told of files which cannot be written may come back here.
    private let lock = NSRecursiveLock()
    private var wantedLevel = LogLevel.none
    private var copy: LogFileConfiguration?

    init(_ dispatch: LogDispatch) { self.dispatch = dispatch }

    /// From which level on; `none`, as at the beginning, for no files.
    public var level: LogLevel {
        get { lock.withLock { wantedLevel } }
        set { change { wantedLevel = newValue } }
    }

    /// Where the files are, and how large they become; nil, as at the beginning, for no files. It keeps a copy that cannot be changed.
    public var config: LogFileConfiguration? {
        get { lock.withLock { copy } }
        set { change { copy = newValue.map { LogFileConfiguration(frozen: $0) } } }
    }

    private func change(_ body: () -> Void) {
        dispatch.claim(for: .loggers)
        lock.withLock {
            body()
            dispatch.file = wantedLevel == .none ? nil : copy?.sink(wantedLevel)
        }
    }
}
