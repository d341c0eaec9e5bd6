import CBLBase
import CBLFleece
import CBLLanguage
import CBLQuery
import CBLStore

/// `query --watch`: runs a query again whenever what it reads has changed, and shows how its rows differ. They are kept in memory.
struct QueryWatching {
    let run: QueryRun
    let input: QueryInput
    let select: Select

    private var session: Session { run.invocation.session }
    private var isDrawn: Bool { session.output.isTerminal && run.printer.format == .table }

    func watch(_ database: Database) throws {
        guard [.table, .json, .jsonl].contains(run.printer.format) else {
            throw run.invocation.usageError("--watch prints tables or JSON, not \(run.printer.format.rawValue)")
        }
        try session.refuseInTransaction("nothing else can change, so there is nothing to watch")
        var printer = run.printer
        let query = try database.read { try run.compile(select, run.meant(select, on: $0), input, on: $0, &printer) }
        if printer.offset > 0 || printer.limit < Int.max {
            throw run.invocation.usageError("with --watch, --offset and --limit cannot be added to those of the query")
        }
        let mailbox = try Mailbox<LiveQuery.Event>()
        let screen = printer
        let live = try LiveQuery(query, on: database, parameters: run.parameters) { mailbox.put($0) }
        defer { live.stop() }
        var isFirst = true
        while true {
            let events = mailbox.take()
            try Interruption.check()
            for event in events {
                switch event {
                case .failure(let error): throw error
                case .result(let result):
                    if isFirst { run.warn(ofUnbound: result.unboundParameters) }
                    isFirst = false
                    if isDrawn { try draw(result.rows, screen) } else { try writeDifference(result) }
                    try session.output.flush()
                }
            }
        }
    }

    private func draw(_ rows: RecordedRows, _ printer: ResultPrinter) throws {
        try session.output.write("\u{1B}[H\u{1B}[2J")
        try printer.print(rows)
        try session.write("(\(rows.count) \(rows.count == 1 ? "row" : "rows"); Ctrl-C ends)", .dim)
        try session.output.write("\n")
    }

    private func writeDifference(_ result: LiveQuery.Result) throws {
        let difference = result.difference
        for row in difference.removed {
            try write("removed", "- ", .removed) { result.previous.appendObject(row, style: .canonical, to: &$0) }
        }
        for change in difference.changed {
            if run.printer.format == .table {
                try write("was", "- ", .removed) { result.previous.appendObject(change.old, style: .canonical, to: &$0) }
                try write("changed", "+ ", .added) { result.rows.appendObject(change.new, style: .canonical, to: &$0) }
            } else {
                try session.writeJSON { buffer in
                    buffer.append("{\"changed\":")
                    result.rows.appendObject(change.new, style: .canonical, to: &buffer)
                    buffer.append(",\"was\":")
                    result.previous.appendObject(change.old, style: .canonical, to: &buffer)
                    buffer.append("}")
                }
            }
        }
        for row in difference.added { try write("added", "+ ", .added) { result.rows.appendObject(row, style: .canonical, to: &$0) } }
    }

    private func write(_ key: StaticString, _ mark: String, _ style: Style, _ row: (inout ByteBuffer) -> Void) throws {
        guard run.printer.format == .table else {
            return try session.writeJSON { buffer in
                buffer.append("{\"")
                buffer.append(key)
                buffer.append("\":")
                row(&buffer)
                buffer.append("}")
            }
        }
        try session.write(mark, style)
        try session.writeJSON(row)
    }
}
