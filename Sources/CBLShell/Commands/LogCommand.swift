import CBLBase
import Glibc

/// `cblite logcat FILE|DIRECTORY…`
enum LogCommand {
    static let declaration = CommandDeclaration(
        "logcat", group: .looking,
        summary: "Print log files of Couchbase Lite",
        discussion: """
            Reads the logs of apps, of the vendor's programs and of this one, binary or text, and prints their messages in the order of their times. Of a \
            directory all .cbllog files are read.

            --level takes a name or its beginning: warn; or that of one domain: Sync:verbose. --since and --until take an ISO 8601 time, today, \
            yesterday, or how long ago: 2h, 30d. --grep takes a text, or a regular expression between slashes. --report says in a page what happened: \
            databases that were opened, the slowest queries, replications with their documents and errors, crashes, and what went wrong how often.

            A damaged file is printed as far as it goes. The exit code is then 1.
            """,
        flags: [
            Flag("level", value: "[DOMAIN:]LEVEL[,…]", .text, repeatable: true, "Only messages of this level or above: debug to error"),
            Flag("domain", value: "NAME[,…]", .text, repeatable: true, "Only messages of these domains: DB, Query, Sync, WS…"),
            Flag("object", value: "TEXT", .text, "Only messages about an object with this in its name"),
            Flag("grep", value: "TEXT|/REGEX/", .text, "Only messages with this in them"),
            Flag("since", value: "TIME", .text, "Not what is older"),
            Flag("until", value: "TIME", .text, "Not what is newer"),
            Flag("limit", short: "n", value: "N", .count, "Stop after N messages"),
            Flag("csv", "Print a table as CSV"),
            Flag("report", "Say what happened instead"),
            Flag("follow", short: "f", "Go on with what is written, also to new files"),
        ],
        arguments: [Argument("FILE", .file, .repeating, "A log file, or a directory of them")],
        examples: [
            .init("cblite logcat --level warn logs/", "What went wrong, from all files of a directory."),
            .init("cblite logcat --domain Sync,WS --since 2h logs/", "The last two hours of a replication."),
            .init("cblite logcat --report logs/", "A page about all of it."),
            .init("cblite logcat -f --json logs/ | jq .message", "What is being written, for a program."),
        ],
        run: run)

    private static let pause: UInt32 = 200_000

    @Sendable private static func run(_ invocation: Invocation) throws -> ExitCode {
        let filter = try LogFilter(invocation)
        if invocation.flag("report"), invocation.flag("follow") || invocation.flag("csv") {
            throw invocation.usageError("--report goes with neither --follow nor --csv")
        }
        if invocation.flag("csv"), invocation.wantsJSON { throw invocation.usageError("--csv and --json exclude each other") }
        var paths = try files(invocation, isFirst: true)
        let log = MergedLog(try paths.map { try LogInput($0) })
        let printer = LogPrinter(invocation)
        var summary = LogSummary()
        let follows = invocation.flag("follow")
        let limit = invocation.int("limit") ?? .max
        var count = 0
        if !invocation.flag("report") { try printer.begin() }
        while count < limit {
            try Interruption.check()
            guard let record = try log.next(isFinal: !follows) else {
                guard follows else { break }
                try invocation.output.flush()
                usleep(pause)
                log.settle()
                let known = Set(paths)
                let new = try files(invocation, isFirst: false).filter { !known.contains($0) }
                for path in new { log.add(try LogInput(path)) }
                paths += new
                continue
            }
            guard filter.accepts(record) else { continue }
            count += 1
            if invocation.flag("report") { summary.add(record, from: log.source) } else { try printer.write(record) }
        }
        let damaged = log.inputs.filter { $0.damage != nil }
        if invocation.flag("report") {
            summary.crashes = invocation.arguments("FILE").filter { Endpoint.isDirectory($0) }.compactMap { CrashReport(in: $0) }
            try summary.write(invocation, damaged: damaged.count)
        }
        for input in damaged { invocation.session.warn("\(input.path): \(input.damage?.description ?? "")") }
        return damaged.isEmpty ? .success : .failure
    }

    /// The files that are meant, each once.
    private static func files(_ invocation: Invocation, isFirst: Bool) throws -> [String] {
        var files: [String] = []
        for path in invocation.arguments("FILE") {
            guard Endpoint.isDirectory(path) else {
                if !files.contains(path) { files.append(path) }
                continue
            }
            let names = try FolderTree.names(in: path).filter { $0.hasSuffix(LogInput.suffix) }.sorted()
            // Who follows may have begun before the program that writes.
            if names.isEmpty, isFirst, !invocation.flag("follow") {
                throw CommandError.failed("\(path): there is no \(LogInput.suffix) file in it")
            }
            for name in names where !files.contains(path + "/" + name) { files.append(path + "/" + name) }
        }
        return files
    }
}

/// Writes messages in one of three forms.
private struct LogPrinter {
    private let invocation: Invocation
    private let isCSV: Bool

    init(_ invocation: Invocation) {
        self.invocation = invocation
        isCSV = invocation.flag("csv")
    }

    func begin() throws {
        if isCSV { try invocation.output.write("Time,Level,Domain,Object,Message\r\n") }
    }

    private static let letters: [MessageLevel: String] = [.debug: "d", .verbose: "v", .info: "I", .warning: "W", .error: "E"]
    private static let domainWidth = 6

    func write(_ record: LogRecord) throws {
        let output = invocation.output
        let level = record.level?.nameOfFiles ?? "\(record.levelNumber)"
        if isCSV {
            let cells = [record.time.universal, level, record.domain, record.object, record.message].map(LogPrinter.cell)
            let line = cells.joined(separator: ",")
            try output.write(lines: line)
            return try output.write("\r\n")
        }
        if invocation.wantsJSON {
            return try invocation.session.writeFacts { line in
                line.add("time", record.time.universal)
                line.add("level", level)
                line.add("domain", record.domain)
                if !record.object.isEmpty { line.add("object", record.object) }
                line.add("message", record.message)
            }
        }
        let session = invocation.session
        let style: Style =
            switch record.level {
            case .error?: .error
            case .warning?: .warning
            case .debug?, .verbose?: .dim
            case .info?, nil: .strong
            }
        try session.write(record.time.universal, .dim)
        try output.write(" ")
        try session.write(record.level.flatMap { LogPrinter.letters[$0] } ?? level, style)
        try output.write(" ")
        try session.write(record.domain, .key)
        try output.write(repeating: UInt8(ascii: " "), count: max(1, LogPrinter.domainWidth + 1 - record.domain.utf8.count))
        if !record.object.isEmpty {
            try session.write(record.object, .id)
            try output.write(" ")
        }
        // Lines of one message stay together, and none of them looks like another message.
        let lines = record.message.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            if index > 0 { try output.write("    ") }
            try output.writeLine(String(line))
        }
    }

    private static func cell(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: ",") || $0 < 0x20 }) else { return text }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
}
