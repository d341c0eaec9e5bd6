/// For what wants to be among the library's messages.
public final class Log {
    /// Passes on a message as it is: a `%` in it means nothing.
    public static func log(domain: LogDomain, level: LogLevel, message: String) { CouchbaseLiteSwift.log(domain, level, message) }
}

/// Says something to those who listen. The text is made only if somebody does. There is no password in it, nor a token or a key.
@inline(__always)
func log(_ domain: LogDomain, _ level: LogLevel, _ message: @autoclosure () -> String) {
    guard LogDispatch.shared.isWanted(level, of: domain) else { return }
    LogDispatch.shared.write(message(), level, of: domain)
}
