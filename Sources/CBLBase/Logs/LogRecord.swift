/// A message of a log that was read.
package struct LogRecord: Sendable {
    /// In microseconds since 1970.
    package var microseconds: UInt64
    /// Nil for a level that nobody knows.
    package var level: MessageLevel?
    /// As the file has it.
    package var levelNumber: UInt8
    package var domain: String
    /// What it is about: `/JRepl#1/Puller#5/`; empty for none.
    package var object: String
    package var message: String

    package init(
        microseconds: UInt64, level: MessageLevel?, levelNumber: UInt8? = nil, domain: String, object: String = "", message: String
    ) {
        self.microseconds = microseconds
        self.level = level
        self.levelNumber = levelNumber ?? level?.rawValue ?? MessageLevel.info.rawValue
        self.domain = domain
        self.object = object
        self.message = message
    }

    package var time: LogTime { LogTime(nanoseconds: microseconds.multipliedReportingOverflow(by: 1000).partialValue) }
}

/// Why the rest of a log cannot be read. What was read before is sound.
package enum LogDamage: Error, Equatable, CustomStringConvertible {
    case notALog
    case version(UInt8)
    case pointerSize(UInt8)
    /// At a place in the file.
    case nonsense(String, offset: Int)
    case cutOff(offset: Int)

    package var description: String {
        switch self {
        case .notALog: "this is no log of Couchbase Lite"
        case .version(let version): "a log of version \(version), which is not known"
        case .pointerSize(let size): "the log is damaged: its addresses have \(size) bytes"
        case .nonsense(let what, let offset): "the log is damaged: \(what) at \(offset)"
        case .cutOff(let offset): "the log ends inside a message at \(offset)"
        }
    }
}
