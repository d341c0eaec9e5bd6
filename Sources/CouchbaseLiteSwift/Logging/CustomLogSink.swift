/// Takes messages.
public protocol LogSinkProtocol {
    func writeLog(level: LogLevel, domain: LogDomain, message: String)
}

/// What takes messages, and which ones.
public struct CustomLogSink {
    public let level: LogLevel
    public let domains: LogDomains
    public let logSink: LogSinkProtocol

    /// Takes those of all domains, from that level on.
    public init(level: LogLevel, logSink: LogSinkProtocol) { self.init(level: level, domains: .all, logSink: logSink) }

    public init(level: LogLevel, domains: LogDomains, logSink: LogSinkProtocol) {
        self.level = level
        self.domains = domains
        self.logSink = logSink
    }
}
