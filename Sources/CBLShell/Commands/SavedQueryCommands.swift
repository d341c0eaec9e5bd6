import CBLLanguage

/// `save`, `saved` and `run`
enum SavedQueryCommands {
    static let save = CommandDeclaration(
        "save", group: .general,
        summary: "Keep a query under a name",
        discussion: """
            In the interactive shell without QUERY: the last one. "run NAME" runs it, with whatever values its $parameters get then. It is a file \
            of SQL++ in ~/.config/cblite/queries ($XDG_CONFIG_HOME), which any editor changes.
            """,
        flags: [Flag("force", short: "f", "Replace one of this name")],
        arguments: [
            Argument("NAME", .savedQuery, .required, "Letters, digits, - and _"),
            Argument("QUERY", .text, .optionalRest, "SQL++; $name stands for what --param name=VALUE gives"),
        ],
        examples: [
            .init("cblite save in-city 'SELECT name FROM hotel WHERE city = $city'", "For all databases."),
            .init("save top", "The query that was just run."),
        ],
        run: save)

    static let list = CommandDeclaration(
        "saved", group: .general,
        summary: "List the queries that are kept, show one, or forget it",
        flags: [Flag("rm", "Forget it")],
        arguments: [Argument("NAME", .savedQuery, .optional, "Show this one, whole")],
        examples: [.init("cblite saved", "What is there?"), .init("cblite saved --rm top", "Not needed any more.")],
        run: list)

    static let run = CommandDeclaration(
        "run", group: .looking,
        summary: "Run a query that was kept under a name",
        discussion: "Everything else is as with query.",
        database: .reads,
        flags: QueryCommand.flags + [.dryRun],
        arguments: [Argument("NAME", .savedQuery, .required, "See saved")],
        examples: [.init("cblite run travel.cblite2 in-city -p city=Porto", "With a value.")],
        run: { invocation in
            try QueryCommand.run(SavedQueries().statements(of: invocation.argument("NAME")), invocation)
        })

    @Sendable private static func save(_ invocation: Invocation) throws -> ExitCode {
        let queries = try SavedQueries()
        let name = invocation.argument("NAME")
        if try queries.exists(name), !invocation.flag("force") {
            throw CommandError.failed("there is a saved query \"\(name)\" already", hint: "--force replaces it.")
        }
        guard let text = invocation.argumentIfGiven("QUERY") ?? invocation.session.shell?.lastQuery else {
            let isInShell = invocation.session.shell != nil
            throw invocation.usageError(isInShell ? "no query was run yet, and QUERY is missing" : "QUERY is missing")
        }
        let inputs = QueryInput.statements(of: text)
        guard !inputs.isEmpty else { throw invocation.usageError("QUERY is empty") }
        for input in inputs { _ = try input.statement() }
        try queries.save(text, as: name)
        invocation.session.notice("Saved. \"run \(name)\" runs it.")
        return .success
    }

    @Sendable private static func list(_ invocation: Invocation) throws -> ExitCode {
        let queries = try SavedQueries()
        if let name = invocation.argumentIfGiven("NAME") {
            if invocation.flag("rm") {
                try queries.remove(name)
            } else {
                try invocation.output.write(lines: queries.text(of: name))
                try invocation.output.write("\n")
            }
            return .success
        }
        guard !invocation.flag("rm") else { throw invocation.usageError("NAME is missing") }
        let names = queries.names
        if invocation.wantsJSON {
            for name in names {
                try invocation.session.writeFacts { line in
                    line.add("name", name)
                    if let text = try? queries.text(of: name) { line.add("query", text) }
                }
            }
            return .success
        }
        guard !names.isEmpty else {
            invocation.session.notice("(No saved queries; \"save NAME\" keeps one)")
            return .success
        }
        let width = names.map(\.utf8.count).max() ?? 0
        for name in names {
            let text = (try? queries.text(of: name)) ?? ""
            let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            try invocation.session.write(name.padded(to: width), .strong)
            try invocation.output.write(report: "  \(line.prefix(200))\(line.count > 200 ? "…" : "")")
            try invocation.output.write("\n")
        }
        return .success
    }
}
