import CBLBase
import CBLFleece
import CBLLanguage
import CBLQuery
import CBLStore

/// Runs the statements that `query` and `select` were given.
struct QueryRun {
    enum Mode { case rows, explain, analyze, watch }

    let invocation: Invocation
    let mode: Mode
    let printer: ResultPrinter
    let parameters: QueryParameters
    /// Those of them that the command line gives.
    private let given: QueryParameters
    let options: QueryOptions

    private var session: Session { invocation.session }

    init(_ invocation: Invocation) throws {
        self.invocation = invocation
        let modes = ["explain", "analyze", "watch"].filter { invocation.flag($0) }
        if modes.count > 1 { throw invocation.usageError("--\(modes[0]) and --\(modes[1]) exclude each other") }
        mode = modes.first == "explain" ? .explain : modes.first == "analyze" ? .analyze : modes.first == "watch" ? .watch : .rows
        let asked = invocation.string("format").flatMap(ResultFormat.init(rawValue:))
        let isRaw = invocation.flag("raw") || invocation.flag("json5")
        if isRaw, let asked, asked != .json, asked != .jsonl {
            throw invocation.usageError("--raw is --format json, and not \(asked.rawValue)")
        }
        let named = invocation.string("output").flatMap(ResultFormat.init(ofFile:))
        let format =
            asked ?? (invocation.flag("json5") ? nil : named) ?? (invocation.flag("raw") ? .json : invocation.wantsJSON ? .jsonl : .table)
        let guardsFormulas = invocation.flag("guard-formulas")
        if guardsFormulas, format != .csv, format != .tsv { throw invocation.usageError("--guard-formulas is for CSV and TSV") }
        printer = ResultPrinter(
            session: invocation.session, format: format, usesJSON5: invocation.flag("json5"), guardsFormulas: guardsFormulas,
            offset: invocation.int("offset") ?? 0,
            limit: invocation.int("limit") ?? Int.max,
            screenLimit: mode == .rows && invocation.int("limit") == nil && !invocation.wantsJSON ? invocation.session.look.rowLimit : nil)
        given = try ParameterInput.given(invocation)
        parameters = ParameterInput.parameters(invocation.session.parameters, given)
        options = QueryOptions(
            timeLimit: try QueryRun.timeLimit(invocation), cancellation: QueryCancellation(polling: { Interruption.isRequested }))
    }

    private static func timeLimit(_ invocation: Invocation) throws(CommandError) -> Duration? {
        guard let text = invocation.string("time-limit") else { return nil }
        guard let seconds = Double(text), seconds > 0, seconds < 1e9 else {
            throw invocation.usageError("--time-limit needs a number of seconds above zero, not \"\(text)\"")
        }
        return .milliseconds(Int64((seconds * 1000).rounded(.up)))
    }

    /// Reads all statements before it runs the first: a slip in the last one should not leave the work half done.
    func run(_ inputs: [QueryInput]) throws -> ExitCode {
        guard !inputs.isEmpty else { throw invocation.usageError("there is no statement") }
        try inputs.last?.checkComments()
        let statements = try inputs.map { input in
            do throws(CommandError) { return (input, try input.statement()) } catch { throw hinting(error, input) }
        }
        try checkParameters(statements.map(\.0))
        if mode == .watch, inputs.count > 1 { throw invocation.usageError("--watch watches one query") }
        let changes = statements.filter { if case .select = $0.1 { false } else { true } }
        if let change = changes.first {
            if mode != .rows { throw change.0.commandError("only a SELECT can be explained, analyzed or watched") }
            if !invocation.flag("dry-run") { try checkWriteAccess(change.0) }
        }
        let database = try changes.isEmpty ? invocation.database() : invocation.databaseForChanging()
        for (input, statement) in statements {
            try Interruption.check()
            try describingErrors(of: input) {
                if case .select(let select) = statement {
                    try run(select, input, database)
                } else {
                    try change(statement, database)
                }
            }
        }
        return .success
    }

    /// A value that no statement asks for is a slip. In a script each may ask for some of them.
    private func checkParameters(_ inputs: [QueryInput]) throws {
        guard !invocation.strings("param").isEmpty || invocation.flag("params"), !inputs.contains(where: \.isJSON) else { return }
        let known = Set(inputs.flatMap { ParameterInput.names(in: $0.text) })
        for name in given.names where !known.contains(name) {
            let suggestion = Suggestion.sentence(for: name, in: known.sorted(), quoted: true)
            let subject = inputs.count == 1 ? "the query has no parameter" : "no statement has a parameter"
            throw CommandError.failed("\(subject) $\(name).\(suggestion)")
        }
    }

    private func checkWriteAccess(_ input: QueryInput) throws {
        let mayWrite = session.options.isWriteable || session.openDatabase.map { !$0.isReadOnly } ?? false
        guard !mayWrite else { return }
        throw input.commandError(
            "this statement changes the database, which is opened for reading only",
            hint: (session.shell?.databases.current.map { "\"use --writeable \($0.name)\" opens it for changes" }
                ?? "--writeable allows changes")
                + "; --dry-run shows what would be changed.")
    }

    /// What goes wrong in a statement is told with its place.
    private func describingErrors(of input: QueryInput, _ work: () throws -> Void) throws {
        do {
            try work()
        } catch let error as QueryError {
            throw hinting(input.commandError(error), input)
        } catch let failure as QueryFailure where failure != .cancelled {
            throw input.commandError(failure.description, hint: ErrorReport.hint(onModelIn: failure.description))
        } catch let error as StoreError where error.code != .interrupted {
            let report = ErrorReport.commandError(error)
            throw input.commandError(
                report?.message ?? error.description, hint: report?.hint, exitCode: ErrorReport.exitCode(error.code))
        }
    }

    /// `LIMIT 2 > file` compares; somebody at the prompt hardly meant that.
    private func hinting(_ error: CommandError, _ input: QueryInput) -> CommandError {
        guard session.shell != nil, let path = QueryRun.redirection(in: input.text) else { return error }
        return error.hinting("\";\" ends the query: with \"; > \(path)\" behind it, its rows go to that file.")
    }

    /// What looks like the name of a file behind a `>` at the end of a query.
    static func redirection(in text: String) -> String? {
        guard let mark = text.lastIndex(of: ">") else { return nil }
        let path = String(text[text.index(after: mark)...].drop { $0.isWhitespace })
        guard !path.isEmpty, !path.contains(where: { $0.isWhitespace || "'\"`()$".contains($0) }) else { return nil }
        if path.contains("/") || path.hasSuffix(".txt") || ResultFormat(ofFile: path) != nil { return path }
        let before = text[..<mark].split(whereSeparator: \.isWhitespace).suffix(2)
        return before.count == 2 && ["LIMIT", "OFFSET"].contains(before[before.startIndex].uppercased())
            && before.last.flatMap { Int($0) } != nil
            ? path : nil
    }

    private func run(_ select: Select, _ input: QueryInput, _ database: Database) throws {
        if mode == .watch {
            try session.tellOfUnknownProperties(of: database) { try meant(select, on: $0) }
            return try QueryWatching(run: self, input: input, select: select).watch(database)
        }
        try database.read { snapshot in
            var printer = printer
            if mode == .rows, !input.isJSON, let row = try select.calculated(on: snapshot, parameters: parameters) {
                warn(ofUnbound: parameters.unbound(in: select))
                return try printer.print(row)
            }
            let meant = try meant(select, on: snapshot)
            let query = try compile(select, meant, input, on: snapshot, &printer)
            switch mode {
            case .explain:
                try explanation.write(query.explain(on: snapshot))
                UnknownProperties(session, snapshot)?.tell(of: query)
                if session.terminal.errorIsTerminal, let advice = try advice(meant, on: snapshot, database) {
                    session.remark("(\(advice))")
                }
            case .analyze:
                let plan = try query.analyze(on: snapshot, parameters: parameters, options: options)
                try explanation.write(plan)
                UnknownProperties(session, snapshot)?.tell(of: query)
            case .rows, .watch:
                let watch = Stopwatch()
                let rows = try query.run(on: snapshot, parameters: parameters, options: options)
                warn(ofUnbound: rows.unboundParameters)
                try tell(printer.print(rows), watch)
                UnknownProperties(session, snapshot)?.tell(of: query)
                try adviseIfSlow(watch.seconds, meant, query, snapshot, database)
            }
        }
    }

    /// Says what there is to say below the rows: how many they are, and whether some were left out.
    private func tell(_ outcome: ResultPrinter.Outcome, _ watch: Stopwatch) throws {
        if outcome.count == 0, printer.format == .table { return session.notice("(No results)") }
        guard session.look.tellsRows || outcome.isCut else { return }
        let count = "\(ProgressLine.grouped(outcome.count)) \(outcome.count == 1 ? "row" : "rows")"
        if outcome.isCut {
            session.remark("(The first \(count): .limit \(outcome.count). '.limit off' and 'again' show all)")
        } else if session.pager?.hasRun ?? false {
            // Most of the time somebody was reading.
            session.remark("(\(count))")
        } else if session.terminal.outputIsTerminal {
            session.remark("(\(count), \(ShellSettings.milliseconds(watch.seconds)))")
            session.hasToldTime = true
        }
    }

    // Who waits longer than this wonders why.
    private static let longestWait = 1.0

    /// A word to somebody who waited for a query that looks at every document, or who measures what queries take.
    private func adviseIfSlow(_ seconds: Double, _ select: Select, _ query: Query, _ snapshot: Snapshot, _ database: Database) throws {
        guard session.terminal.errorIsTerminal, select.condition != nil else { return }
        // With a pager most of the time was somebody's reading.
        let hasWaited = seconds > QueryRun.longestWait && !(session.pager?.hasRun ?? false)
        guard hasWaited || session.shell?.settings.timing == .on else { return }
        guard let collection = try query.explain(on: snapshot).scannedCollections.first else { return }
        let advice = try advice(select, on: snapshot, database) ?? "EXPLAIN tells how it is run."
        session.remark("(It looked at every document of \(collection). \(advice))")
    }

    /// The command that makes the index which would help most, if one would.
    private func advice(_ select: Select, on snapshot: Snapshot, _ database: Database) throws -> String? {
        let suggestion = try IndexAdvisor.advise(select, on: snapshot).suggestions.first
        guard let suggestion else { return nil }
        let commands = suggestion.definitions.map { SuggestIndex.command(for: $0, of: database, session) }
        return "This would help: \(commands.joined(separator: "; "))"
    }

    private var explanation: QueryExplanation {
        QueryExplanation(session: session, asJSON: printer.format == .json || printer.format == .jsonl)
    }

    /// The query over the collections that its names mean.
    func meant(_ select: Select, on snapshot: Snapshot) throws -> Select {
        try select.reading(paths: invocation.search(in: snapshot).path)
    }

    /// The query that is meant, over the collection that was chosen if it names none, and cut to the rows that are wanted.
    func compile(
        _ asGiven: Select, _ meant: Select, _ input: QueryInput, on snapshot: Snapshot, _ printer: inout ResultPrinter
    ) throws -> Query {
        var select = meant.spellingOutStars()
        if select.sources.isEmpty {
            let name = try invocation.collectionName()
            if !name.isDefault {
                select.sources = [Select.Source(.collection(scope: name.scope, name: name.name))]
            } else if !input.isJSON {
                let others = snapshot.collections().filter { !$0.isDefault }.map(\.description)
                let list = others.isEmpty ? "" : ", others are \(others.prefix(10).joined(separator: ", "))"
                throw QueryError(.meaning, "the FROM clause is missing; FROM _ is the default collection\(list)", range: select.range)
            }
        }
        printer.stars = Set(select.results.indices.filter { select.results[$0].isWholeDocument })
        printer.idColumns = Set(select.results.indices.filter { select.results[$0].isDocumentID })
        // SQLite need not sort more rows than are wanted. If the query has limits of its own, those come first, and rows are counted here.
        if select.limit == nil, select.offset == nil, printer.limit < Int.max || printer.offset > 0 {
            if printer.limit < Int.max { select.limit = QueryExpression(.integer(Int64(printer.limit))) }
            if printer.offset > 0 { select.offset = QueryExpression(.integer(Int64(printer.offset))) }
            (printer.offset, printer.limit) = (0, Int.max)
        }
        // One more than the screen shows, to know that there are more.
        if let limit = printer.screenLimit, select.limit == nil, printer.limit == Int.max, printer.offset == 0, limit < Int.max - 1 {
            select.limit = QueryExpression(.integer(Int64(limit) + 1))
        }
        guard select == asGiven else { return try Query(select, on: snapshot) }
        return try input.isJSON
            ? Query(select, text: input.strictJSON(), .json, on: snapshot) : Query(select, text: input.text, on: snapshot)
    }

    func warn(ofUnbound names: [String]) {
        guard !names.isEmpty else { return }
        let list = names.map { "$" + $0 }.joined(separator: ", ")
        session.notice(
            "\(list) \(names.count == 1 ? "has" : "have") no value, and \(names.count == 1 ? "is" : "are") MISSING; "
                + (session.shell == nil ? "--param gives one." : "'.set $\(names[0]) VALUE' gives one."))
    }
}
