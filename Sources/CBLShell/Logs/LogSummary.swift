import CBLBase

/// What happened in a log, in a page: when it begins and ends, who says how much, and what went wrong how often.
struct LogSummary {
    private struct Trouble {
        var level: MessageLevel
        var domain: String
        /// The first of its kind, as it is.
        var example: String
        var count = 0
        var first: UInt64
        var last: UInt64
    }

    private static let mostTroubles = 1000
    private static let mostListed = 50

    private(set) var count = 0
    private var first: UInt64 = .max
    private var last: UInt64 = 0
    private var counts: [String: [Int]] = [:]
    private var troubles: [String: Trouble] = [:]
    private var opened: [(time: UInt64, message: String)] = []
    private var queries = LoggedQueries()
    private var replications = LoggedReplications()
    /// Files that tell of a crash.
    var crashes: [CrashReport] = []

    /// `source` is the log that it stands in, if there are several.
    mutating func add(_ record: LogRecord, from source: String = "") {
        // How a file begins and ends is nothing that happened, and says nothing of its level.
        guard !record.domain.isEmpty || !record.message.hasPrefix("---- ") else { return }
        count += 1
        first = min(first, record.microseconds)
        last = max(last, record.microseconds)
        counts[record.domain, default: [Int](repeating: 0, count: MessageLevel.allCases.count)][Int((record.level ?? .info).rawValue)] += 1
        if let database = LogSummary.database(openedBy: record) { opened.append((record.microseconds, database)) }
        queries.add(record)
        replications.add(record, from: source)
        guard let level = record.level, level >= .warning else { return }
        let key = "\(level.rawValue) \(record.domain) \(LogSummary.kind(of: record.message))"
        guard troubles[key] != nil || troubles.count < LogSummary.mostTroubles else { return }
        var trouble =
            troubles[key]
            ?? Trouble(level: level, domain: record.domain, example: record.message, first: record.microseconds, last: record.microseconds)
        trouble.count += 1
        trouble.last = record.microseconds
        troubles[key] = trouble
    }

    /// What was opened, if a message tells of that: ours name the path, the vendor's the object that stands for it.
    private static func database(openedBy record: LogRecord) -> String? {
        if record.message.hasPrefix("Opened database ") { return record.message }
        guard record.message.hasSuffix("Opening database") else { return nil }
        return record.object.isEmpty ? record.message : "\(record.object) \(record.message)"
    }

    /// The first line of a message without its numbers and names in quotes: what differs between two of one kind.
    private static func kind(of message: String) -> String {
        var kind = ""
        var isInQuotes = false
        for scalar in message.unicodeScalars.prefix(400) {
            if scalar == "\n" { break }
            if scalar == "\"" || scalar == "'" && isInQuotes { isInQuotes.toggle() }
            guard !isInQuotes, !("0"..."9").contains(scalar) else { continue }
            kind.unicodeScalars.append(scalar)
        }
        return kind
    }

    private func time(_ microseconds: UInt64) -> String { LogTime(nanoseconds: microseconds &* 1000).universal }

    func write(_ invocation: Invocation, damaged: Int) throws {
        let sorted = troubles.values.sorted { ($1.level, $0.first) < ($0.level, $1.first) }
        if invocation.wantsJSON { return try writeJSON(sorted, invocation, damaged) }
        let output = invocation.output
        guard count > 0 else {
            try writeCrashes(invocation)
            return try output.writeLine("No messages.")
        }
        try output.writeLine("From:       \(time(first))")
        try output.writeLine("To:         \(time(last))")
        try output.writeLine("Messages:   \(ProgressLine.grouped(count))")
        for (name, counts) in counts.sorted(by: { $0.key < $1.key }) {
            let parts = MessageLevel.allCases.reversed().filter { counts[Int($0.rawValue)] > 0 }.map {
                "\(ProgressLine.grouped(counts[Int($0.rawValue)])) \($0.nameOfFiles)"
            }
            try output.writeLine("  \(name.isEmpty ? "(none)" : name): \(parts.joined(separator: ", "))")
        }
        if !opened.isEmpty {
            try output.writeLine("Databases:")
            for (time, message) in opened.prefix(50) { try output.writeLine("  \(self.time(time))  \(message)") }
        }
        try writeQueries(output)
        try writeReplications(invocation)
        try writeCrashes(invocation)
        guard !sorted.isEmpty else { return try output.writeLine(crashes.isEmpty ? "Nothing went wrong." : "No warnings.") }
        try output.writeLine("What went wrong:")
        for trouble in sorted {
            let often = trouble.count == 1 ? "" : "  \(trouble.count) times until \(time(trouble.last))"
            try invocation.session.write("  \(trouble.level.nameOfFiles)", trouble.level == .error ? .error : .warning)
            try output.write("  ")
            try output.write(report: "\(time(trouble.first))  \(trouble.domain)  \(trouble.example)\(often)")
            try output.write("\n")
        }
    }

    private func writeQueries(_ output: Output) throws {
        guard queries.count > 0 else { return }
        try output.writeLine("Queries:    \(ProgressLine.grouped(queries.count)), the slowest:")
        for run in queries.slowest {
            let rows = run.rows == 1 ? "1 row" : "\(ProgressLine.grouped(run.rows)) rows"
            let text = run.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            try output.write(
                report: "  \(time(run.microseconds))  \(ShellSettings.milliseconds(run.seconds))  \(rows)  \(text.prefix(300))")
            try output.write("\n")
        }
    }

    private func writeReplications(_ invocation: Invocation) throws {
        guard !replications.all.isEmpty else { return }
        let output = invocation.output
        try output.writeLine("Replications:")
        for replication in replications.all.prefix(LogSummary.mostListed) {
            var facts = ["\(ProgressLine.grouped(replication.documents)) \(replication.documents == 1 ? "document" : "documents")"]
            if replication.failedDocuments > 0 { facts.append("\(ProgressLine.grouped(replication.failedDocuments)) failed") }
            if replication.connections > 1 { facts.append("connected \(replication.connections) times") }
            facts.append(replication.hasEnded ? "ended \(time(replication.last))" : "last heard of \(time(replication.last))")
            try output.write(report: "  \(time(replication.first))  \(replication.title): \(facts.joined(separator: ", "))")
            try output.write("\n")
            for error in replication.errors {
                try output.write("    ")
                try invocation.session.write(error, .error)
                try output.write("\n")
            }
        }
        let left = replications.all.count - LogSummary.mostListed
        if left > 0 { try output.writeLine("  … and \(ProgressLine.grouped(left)) more") }
    }

    private func writeCrashes(_ invocation: Invocation) throws {
        for crash in crashes {
            try invocation.session.write("Crash:", .error)
            try invocation.output.write(report: "      \(crash.path)")
            try invocation.output.write("\n")
            for line in crash.lines {
                try invocation.output.write(report: "  \(line)")
                try invocation.output.write("\n")
            }
        }
    }

    private func writeJSON(_ sorted: [Trouble], _ invocation: Invocation, _ damaged: Int) throws {
        try invocation.session.writeFacts { line in
            if count > 0 {
                line.add("from", time(first))
                line.add("to", time(last))
            }
            line.add("messages", count)
            line.add("damagedFiles", damaged)
        }
        for (time, message) in opened.prefix(LogSummary.mostListed) {
            try invocation.session.writeFacts { line in
                line.add("database", message)
                line.add("time", self.time(time))
            }
        }
        for run in queries.slowest {
            try invocation.session.writeFacts { line in
                line.add("query", run.text)
                line.add("time", time(run.microseconds))
                line.add("microseconds", Int(run.seconds * 1_000_000))
                line.add("rows", run.rows)
            }
        }
        for replication in replications.all {
            try invocation.session.writeFacts { line in
                line.add("replication", replication.title)
                line.add("from", time(replication.first))
                line.add("to", time(replication.last))
                line.add("documents", replication.documents)
                line.add("failed", replication.failedDocuments)
                line.add("connections", replication.connections)
                line.add("ended", replication.hasEnded)
                line.add("errors", list: replication.errors)
            }
        }
        for crash in crashes {
            try invocation.session.writeFacts { line in
                line.add("crash", crash.path)
                line.add("lines", list: crash.lines)
            }
        }
        for trouble in sorted {
            try invocation.session.writeFacts { line in
                line.add("level", trouble.level.nameOfFiles)
                line.add("domain", trouble.domain)
                line.add("count", trouble.count)
                line.add("first", time(trouble.first))
                line.add("last", time(trouble.last))
                line.add("message", trouble.example)
            }
        }
    }
}
