import Glibc

/// Why a log cannot be written.
package struct LogFileError: Error, CustomStringConvertible {
    let action: String
    let path: String
    let code: Int32

    package var description: String { "cannot \(action) \(path): \(SystemCall.message(code))" }
}

/// Where the files of a log are, in which form, and how many of which size are kept.
package struct LogFileSettings: Hashable, Sendable {
    /// The least that a message must matter; nil lets nothing through.
    package var level: MessageLevel?
    package var directory: String
    /// Whether people can read them as they are; otherwise they are in the binary form.
    package var isPlainText = false
    /// At this size, in bytes, a file is followed by another.
    package var longest: UInt64 = 1_000_000
    /// How many there are of each level, with the one that is written.
    package var kept = 1
    /// Who writes, for the first lines.
    package var agent: String

    package init(level: MessageLevel?, directory: String, agent: String) {
        self.level = level
        self.directory = directory
        self.agent = agent
    }
}

/// The file of one level, and its successors.
///
/// It is changed by one thread at a time (see `LogFiles`).
package struct LogFile {
    package static let minimumSize: UInt64 = 1024
    static let fileExtension = ".cbllog"

    private let level: MessageLevel
    private let directory: String
    private let isPlainText: Bool
    private var encoder: LogEncoder?
    private var descriptor: Int32 = -1
    private var size: UInt64 = 0
    /// How many there were, with this one.
    private var serialNumber = 1
    /// What the name says of the time.
    private var milliseconds: Int64 = 0

    init(_ level: MessageLevel, _ settings: LogFileSettings) throws(LogFileError) {
        self.level = level
        directory = settings.directory
        isPlainText = settings.isPlainText
        try open(settings)
    }

    /// Adds a message. If the file is too large then, the next message goes to another one.
    mutating func write(_ message: String, domain: String, object: String, _ settings: LogFileSettings) throws(LogFileError) {
        guard descriptor >= 0 else { return }
        try append("%s", message, domain: domain, object: object)
        guard size > max(LogFile.minimumSize, settings.longest) else { return }
        shut()
        removeOldest(butFor: settings.kept - 1)
        serialNumber += 1
        try open(settings)
    }

    /// Ends the file as somebody does who has nothing more to say.
    mutating func close() {
        guard descriptor >= 0 else { return }
        // What cannot be written now would not be missed.
        try? append("---- END ----", nil, domain: "")
        shut()
    }

    private mutating func shut() {
        if descriptor >= 0 { _ = Glibc.close(descriptor) }
        descriptor = -1
        encoder = nil
    }

    private mutating func open(_ settings: LogFileSettings) throws(LogFileError) {
        var path: String
        // Two in one millisecond are two files, and the later one has the later name, even if the former one is gone.
        milliseconds = max(milliseconds, WallClock.milliseconds - 1)
        repeat {
            milliseconds += 1
            path = "\(directory)/cbl_\(level.nameOfFiles)_\(milliseconds)\(LogFile.fileExtension)"
            descriptor = SystemCall.retrying { Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
        } while descriptor < 0 && errno == EEXIST
        guard descriptor >= 0 else { throw LogFileError(action: "open", path: path, code: errno) }
        size = 0
        if !isPlainText {
            let encoder = LogEncoder(at: .now)
            self.encoder = encoder
            try put(encoder.header)
        }
        let number = "serialNo=\(serialNumber),logDirectory=\(directory),fileLogLevel=\(level.rawValue)"
        let limits = "fileMaxSize=\(max(LogFile.minimumSize, settings.longest)),fileMaxCount=\(max(0, settings.kept - 1))"
        try append("---- %s ----", "\(number),\(limits)", domain: "")
        try append("---- %s ----", settings.agent, domain: "")
    }

    private mutating func append(_ format: String, _ text: String?, domain: String, object: String = "") throws(LogFileError) {
        let time = LogTime.now
        if isPlainText {
            let message = text.map { format == "%s" ? $0 : "---- \($0) ----" } ?? format
            let about = object.isEmpty ? "" : "Obj=\(object) "
            try put(Array("\(time.universal) \(domain) \(level.title) \(about)\(message)\n".utf8))
        } else if let bytes = encoder?.message(format, text, level, domain: domain, object: object, at: time) {
            try put(bytes)
        }
    }

    /// Writes all of it, so that whoever looks at the file, and a crash, finds whole messages.
    private mutating func put(_ bytes: [UInt8]) throws(LogFileError) {
        guard bytes.withUnsafeBytes({ SystemCall.writeAll($0, to: descriptor) }) else {
            let code = errno
            shut()
            throw LogFileError(action: "write to", path: directory, code: code)
        }
        size += UInt64(bytes.count)
    }

    private func removeOldest(butFor count: Int) {
        let files = LogFile.names(of: level, in: directory)
        for name in files.dropLast(max(0, count)) { unlink("\(directory)/\(name)") }
    }

    /// The files of a level, the oldest first. Their names say when they were made, more exactly than their dates.
    package static func names(of level: MessageLevel, in directory: String) -> [String] {
        let prefix = "cbl_\(level.nameOfFiles)_"
        let names = (try? FolderTree.names(in: directory)) ?? []
        let dated = names.compactMap { name -> (time: UInt64, name: String)? in
            guard name.hasPrefix(prefix), name.hasSuffix(fileExtension) else { return nil }
            return UInt64(name.dropFirst(prefix.count).dropLast(fileExtension.count)).map { ($0, name) }
        }
        return dated.sorted { $0.time < $1.time }.map(\.name)
    }
}
