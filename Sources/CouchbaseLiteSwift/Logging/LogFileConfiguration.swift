import Synchronization

/// Where a ``FileLogger`` has its files, and how large they become.
public final class LogFileConfiguration: Sendable {
    private struct Values {
        var usePlainText = LogFileConfiguration.defaultUsePlaintext
        var maxSize = LogFileConfiguration.defaultMaxSize
        var maxRotateCount = LogFileConfiguration.defaultMaxRotateCount
    }

    /// The form that the vendor's tools decode.
    public static let defaultUsePlaintext = false
    /// 512 KiB.
    public static let defaultMaxSize: UInt64 = 524_288
    /// Two files of each level in all.
    public static let defaultMaxRotateCount = 1

    /// Made if it is not there.
    public let directory: String
    private let values: Mutex<Values>
    private let isFrozen: Bool

    /// The defaults, for files in this directory.
    public init(directory: String) {
        self.directory = directory
        values = Mutex(Values())
        isFrozen = false
    }

    /// A copy that cannot be changed.
    init(frozen other: LogFileConfiguration) {
        directory = other.directory
        values = Mutex(other.values.withLock { $0 })
        isFrozen = true
    }

    /// Whether people can read the files as they are: see ``FileLogSink/usePlaintext``.
    public var usePlainText: Bool {
        get { values.withLock { $0.usePlainText } }
        set { change { $0.usePlainText = newValue } }
    }

    /// At this size in bytes a file is followed by another. At least 1024.
    public var maxSize: UInt64 {
        get { values.withLock { $0.maxSize } }
        set { change { $0.maxSize = newValue } }
    }

    /// How many files of each level are kept beside the one that is written; the oldest go first.
    public var maxRotateCount: Int {
        get { values.withLock { $0.maxRotateCount } }
        set { change { $0.maxRotateCount = newValue } }
    }

    private func change(_ body: (inout Values) -> Void) {
        programmerErrorUnless(
            !isFrozen, .internalInconsistency, "The configuration that a file logger has cannot be changed: give it another.")
        values.withLock { body(&$0) }
    }

    func sink(_ level: LogLevel) -> FileLogSink {
        let values = values.withLock { $0 }
        let count = values.maxRotateCount == .max ? .max : max(0, values.maxRotateCount) + 1
        return FileLogSink(
            level: level, directory: directory, usePlainText: values.usePlainText, maxKeptFiles: count, maxFileSize: values.maxSize)
    }
}
