internal import CBLBase

/// Which messages go to standard error.
public struct ConsoleLogSink: Sendable {
    /// The least that a message must matter.
    public let level: LogLevel
    /// What messages must be about.
    public let domains: LogDomains

    /// `LogLevel.none` lets nothing through; by default all domains are heard.
    public init(level: LogLevel, domains: LogDomains = .all) {
        self.level = level
        self.domains = domains
    }
}

extension ConsoleLogSink {
    /// One line, whatever a peer put into it.
    static func line(_ message: String, _ level: LogLevel, _ domain: LogDomain, at time: LogTime) -> String {
        "\(time.local) CouchbaseLite \(domain.title) \(level.title): \(TerminalText.escaped(message))\n"
    }
}
