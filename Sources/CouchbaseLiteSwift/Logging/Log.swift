/// The older interface to the log, in ``Database/log``, and what passes on the program's own messages. Its loggers are another face of
/// ``LogSinks``: a program uses the one or the other, and ends with an error if it sets something in both.
public final class Log: Sendable {
    /// Passes on a message as it is: a `%` in it means nothing.
    public static func log(domain: LogDomain, level: LogLevel, message: String) { CouchbaseLiteSwift.log(domain, level, message) }

    /// Standard error. At the beginning it has warnings and errors of all domains.
    public let console: ConsoleLogger
    /// Files, once they have a configuration and a level.
    public let file: FileLogger
    private let dispatch: LogDispatch

    init(_ dispatch: LogDispatch) {
        self.dispatch = dispatch
        console = ConsoleLogger(dispatch)
        file = FileLogger(dispatch)
    }

    /// The program's own. It is called by whichever thread has something to say, and waited for. A logger that wants more than when it was set has
    /// to be set again; one that wants less is asked each time.
    public var custom: (any Logger)? {
        get { (dispatch.custom?.logSink as? LoggerSink)?.logger }
        set {
            dispatch.claim(for: .loggers)
            dispatch.custom = newValue.map { CustomLogSink(level: $0.level, logSink: LoggerSink(logger: $0)) }
        }
    }
}

extension Database {
    /// The older interface to the log: see ``LogSinks`` for the newer one.
    public static let log = Log(.shared)
}

/// Takes messages: the older form of ``LogSinkProtocol``.
public protocol Logger {
    /// What it wants: this level and those above.
    var level: LogLevel { get }
    /// Takes a message, on whichever thread it comes from; that waits for it.
    func log(level: LogLevel, domain: LogDomain, message: String)
}

/// A logger as a sink.
private struct LoggerSink: LogSinkProtocol {
    let logger: any Logger

    func writeLog(level: LogLevel, domain: LogDomain, message: String) {
        if logger.level.admits(level) { logger.log(level: level, domain: domain, message: message) }
    }
}

/// Says something to those who listen. The text is made only if somebody does. There is no password in it, nor a token or a key.
/// In files `object` says which of its kind it is about: `/Repl#1/`.
@inline(__always)
package func log(_ domain: LogDomain, _ level: LogLevel, _ message: @autoclosure () -> String, about object: String = "") {
    guard LogDispatch.shared.isWanted(level, of: domain) else { return }
    LogDispatch.shared.write(message(), level, of: domain, about: object)
}
