/// Takes messages.
public protocol LogSinkProtocol {
    /// Called on whichever thread has something to say, by several at the same time: it must be quick. What it says through `Log` itself comes to
    /// it again.
    func writeLog(level: LogLevel, domain: LogDomain, message: String)
}

/// What takes messages, and which ones.
public struct CustomLogSink {
    /// The least that a message must matter.
    public let level: LogLevel
    /// What messages must be about.
    public let domains: LogDomains
    /// Who takes them. It is kept alive as long as the sink is in use.
    public let logSink: LogSinkProtocol

    /// Takes those of all domains, from that level on.
    public init(level: LogLevel, logSink: LogSinkProtocol) { self.init(level: level, domains: .all, logSink: logSink) }

    /// Takes those of some domains, from that level on.
    public init(level: LogLevel, domains: LogDomains, logSink: LogSinkProtocol) {
        self.level = level
        self.domains = domains
        self.logSink = logSink
    }
}
