internal import CBLBase

/// Which messages go to files, and to which. Files have the messages of all domains.
public struct FileLogSink: Sendable {
    /// The least that a message must matter.
    public let level: LogLevel
    /// Made if it is not there.
    public let directory: String
    /// Whether people can read the files as they are. Otherwise they have the binary form that the vendor's tools decode, which is smaller.
    public let usePlaintext: Bool
    /// At this size a file is followed by another. At least 1024.
    public let maxFileSize: UInt64
    /// How many files of each level are kept, with the one that is written; the oldest go first.
    public let maxKeptFiles: Int

    /// Nothing is opened before the sink is assigned to `LogSinks.file`. Values that are too small are taken as the least that is possible.
    public init(
        level: LogLevel, directory: String, usePlainText: Bool = defaultUsePlaintext, maxKeptFiles: Int = defaultMaxKeptFiles,
        maxFileSize: UInt64 = defaultMaxSize
    ) {
        self.level = level
        self.directory = directory
        self.usePlaintext = usePlainText
        self.maxFileSize = maxFileSize
        self.maxKeptFiles = maxKeptFiles
    }

    /// False: files are in the binary form.
    public static let defaultUsePlaintext = false
    /// 512 KiB for each file.
    public static let defaultMaxSize: UInt64 = 524_288
    /// 2: the file that is written and the one before.
    public static let defaultMaxKeptFiles = 2
}

extension FileLogSink {
    var settings: LogFileSettings {
        var settings = LogFileSettings(level: level.grade, directory: directory, agent: LibraryIdentity.userAgent)
        settings.isPlainText = usePlaintext
        settings.longest = maxFileSize
        settings.kept = maxKeptFiles
        return settings
    }
}
