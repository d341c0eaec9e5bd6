/// How much a message of a log matters.
package enum MessageLevel: UInt8, CaseIterable, Comparable, Sendable {
    case debug, verbose, info, warning, error

    package static func < (one: MessageLevel, other: MessageLevel) -> Bool { one.rawValue < other.rawValue }

    /// What stands before a message.
    package var title: String {
        switch self {
        case .debug: "Debug"
        case .verbose: "Verbose"
        case .info: "Info"
        case .warning: "WARNING"
        case .error: "ERROR"
        }
    }

    /// Its part of a file's name.
    package var nameOfFiles: String { title.lowercased() }
}
