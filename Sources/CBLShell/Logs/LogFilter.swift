import CBLBase

/// Which messages of a log are wanted.
struct LogFilter {
    var since: UInt64 = 0
    var until: UInt64 = .max
    var level: MessageLevel?
    /// Of the level for some domains alone, in small letters.
    var levels: [String: MessageLevel] = [:]
    /// In small letters; empty for all.
    var domains: Set<String> = []
    var object: String?
    var text: String?
    var pattern: Regex<AnyRegexOutput>?

    init(_ invocation: Invocation) throws {
        func time(_ flag: String) throws -> UInt64? {
            guard let text = invocation.string(flag) else { return nil }
            guard let milliseconds = TimeText.past(text, now: WallClock.milliseconds) else {
                throw invocation.usageError("--\(flag) needs a time such as 2027-03-01, 2027-03-01T09:30, yesterday or 2h, not \"\(text)\"")
            }
            let (microseconds, isTooLate) = UInt64(clamping: milliseconds).multipliedReportingOverflow(by: 1000)
            return isTooLate ? .max : microseconds
        }
        since = try time("since") ?? 0
        until = try time("until") ?? .max
        for text in invocation.strings("level").flatMap({ $0.split(separator: ",") }) {
            let parts = text.split(separator: ":", maxSplits: 1)
            let level = try LogFilter.level(String(parts.last ?? ""), invocation)
            if parts.count == 2 { levels[parts[0].lowercased()] = level } else { self.level = level }
        }
        domains = Set(invocation.strings("domain").flatMap { $0.split(separator: ",") }.map { $0.lowercased() })
        object = invocation.string("object")
        guard let wanted = invocation.string("grep") else { return }
        guard wanted.hasPrefix("/"), wanted.hasSuffix("/"), wanted.utf8.count > 2 else {
            text = wanted.lowercased()
            return
        }
        do { pattern = try Regex(String(wanted.dropFirst().dropLast())) } catch {
            throw invocation.usageError("--grep: \(wanted) is no regular expression")
        }
    }

    /// A level by its name, or by the beginning of it.
    private static func level(_ text: String, _ invocation: Invocation) throws -> MessageLevel {
        let found = text.isEmpty ? [] : MessageLevel.allCases.filter { $0.nameOfFiles.hasPrefix(text.lowercased()) }
        guard found.count == 1 else {
            throw invocation.usageError(
                "--level: \"\(text)\" is none of \(MessageLevel.allCases.map(\.nameOfFiles).joined(separator: ", "))")
        }
        return found[0]
    }

    func accepts(_ record: LogRecord) -> Bool {
        guard record.microseconds >= since, record.microseconds <= until else { return false }
        let domain = record.domain.lowercased()
        if let least = levels[domain] ?? level, (record.level ?? .error) < least { return false }
        if !domains.isEmpty, !domains.contains(domain) { return false }
        if let object, !record.object.contains(object) { return false }
        if let text, !record.message.lowercased().contains(text) { return false }
        if let pattern, (try? pattern.firstMatch(in: record.message)) ?? nil == nil { return false }
        return true
    }
}
