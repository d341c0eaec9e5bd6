import CBLBase

/// What an Edge Server's configuration says of what is told of its doings.
package struct EdgeLogging: Sendable {
    /// Logs in a directory that is there.
    package struct Files: Hashable, Sendable {
        package var directory: String
        /// Otherwise they are in the binary form that the vendor's tools read.
        package var isPlainText: Bool
        /// Of one file, in bytes, before another is begun.
        package var longest: Int64
        /// How many are kept beside the one that is written.
        package var kept: Int64

        package init(directory: String, isPlainText: Bool, longest: Int64, kept: Int64) {
            (self.directory, self.isPlainText, self.longest, self.kept) = (directory, isPlainText, longest, kept)
        }
    }

    package private(set) var console = true
    package private(set) var files: Files?
    package private(set) var auditPath: String?
    package private(set) var audited = AuditEvent.usual
    package private(set) var describesEvents = true
    private var levels: [String: MessageLevel] = [:]
    /// Of domains that nobody speaks of.
    private var least: MessageLevel?

    static let names = ["console", "domains", "file", "audit"]

    init() {}

    /// Into files alone, of all domains what matters so much.
    package init(files: Files, level: MessageLevel) {
        (console, self.files, least) = (false, files, level)
    }

    init(_ object: ConfigurationObject) throws(ConfigurationError) {
        console = try object.flag("console") ?? true
        for (name, value) in try object.object("domains", knows: nil)?.all ?? [] {
            guard let level = value.string.flatMap(EdgeLogging.level) else {
                throw ConfigurationError("logging.domains.\(name)", "it has to be \"verbose\", \"info\", \"warning\" or \"error\"")
            }
            levels[name] = level
        }
        if let file = try object.object("file", knows: ["dir", "format", "maxSize", "rotateCount"]) { files = try EdgeLogging.files(file) }
        guard let audit = try object.object("audit", knows: ["file", "enable", "disable", "omit_description"]) else { return }
        auditPath = try audit.neededText("file")
        describesEvents = try audit.flag("omit_description") != true
        let disabled = try EdgeLogging.events(audit, "disable")
        let enabled = try EdgeLogging.events(audit, "enable")
        audited = AuditEvent.usual.subtracting(disabled).union(enabled)
    }

    private static func level(_ name: String) -> MessageLevel? {
        MessageLevel.allCases.first { $0.nameOfFiles == name && $0 != .debug }
    }

    private static func files(_ object: ConfigurationObject) throws(ConfigurationError) -> Files {
        let form = try object.text("format") ?? "binary"
        guard form == "text" || form == "binary" else {
            throw ConfigurationError(object.path(of: "format"), "it has to be \"binary\" or \"text\"")
        }
        return Files(
            directory: try object.neededText("dir"), isPlainText: form == "text",
            longest: try object.number("maxSize", in: 1024...1 << 40) ?? 1_000_000,
            kept: try object.number("rotateCount", in: 0...10_000) ?? 0)
    }

    private static func events(_ object: ConfigurationObject, _ name: String) throws(ConfigurationError) -> Set<AuditEvent> {
        guard let value = object[name] else { return [] }
        if value.string == "*" { return Set(AuditEvent.allCases) }
        guard let array = value.array else { throw ConfigurationError(object.path(of: name), "it has to be \"*\", or a list of numbers") }
        var events: Set<AuditEvent> = []
        for item in array {
            guard let event = item.integer.flatMap({ AuditEvent(rawValue: Int(clamping: $0)) }) else {
                throw ConfigurationError(object.path(of: name), "there is no event of the number \(item.json())")
            }
            events.insert(event)
        }
        return events
    }

    /// What is told of a domain from that level on.
    package func level(of domain: String) -> MessageLevel { levels[domain] ?? least ?? (domain == "REST" ? .info : .warning) }
}
