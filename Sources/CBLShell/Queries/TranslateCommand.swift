import CBLLanguage
import CBLQuery

/// `cblite translate QUERY`
enum TranslateCommand {
    static let declaration = CommandDeclaration(
        "translate", group: .looking,
        summary: "Show how a query is understood",
        discussion: """
            Translates a query, given in SQL++ or in the form of JSON, without a database: prints its JSON form, and behind an empty line \
            the SQL that SQLite would be given. Whether the collections and properties exist is not looked at, and full-text indexes are \
            taken for granted. Of statements that change something, --tree shows the syntax tree.

            A query with mistakes is exit code 1, with a report of all that are independent of one another.
            """,
        flags: [
            Flag("json", "Only the JSON form"),
            Flag("sql", "Only the SQL"),
            Flag("tree", "Only the syntax tree, as indented lines"),
        ],
        arguments: [Argument("QUERY", .text, .rest, "SQL++ or JSON; - for standard input")],
        examples: [
            .init("cblite translate 'SELECT name FROM hotels WHERE stars > 3'", "The JSON form and the SQL."),
            .init("cblite translate --json - < query.sqlpp", "A query from a file, as JSON."),
        ],
        run: run)

    @Sendable private static func run(_ invocation: Invocation) throws -> ExitCode {
        let argument = invocation.argument("QUERY")
        let inputs = try argument == "-" ? QueryInput.statements(inFile: "-") : [QueryInput(argument)]
        guard !inputs.isEmpty else { throw invocation.usageError("there is no query") }
        let session = invocation.session
        let forms = ["json", "sql", "tree"].filter { invocation.flag($0) }
        let shows = Set(forms.isEmpty ? ["json", "sql"] : forms)
        for (index, input) in inputs.enumerated() {
            let sections = try sections(of: input, shows)
            if index > 0 { try session.output.write("\n") }
            try session.output.write(lines: sections.map { $0 + "\n" }.joined(separator: "\n"))
        }
        return .success
    }

    private static func sections(of input: QueryInput, _ shows: Set<String>) throws(CommandError) -> [String] {
        let statement = try input.statement()
        guard case .select(let asGiven) = statement else {
            // What changes something has a tree, and nothing else.
            if shows == ["tree"] { return [statement.treeDescription()] }
            throw input.commandError("only a SELECT can be translated: other statements have neither a JSON form nor SQL of their own")
        }
        let select = asGiven.spellingOutStars()
        // Translated in any case: that is what finds the mistakes.
        let sql = try input.describingErrors { () throws(QueryError) in
            try Translator(schema: AssumedSchema()).translate(select).sql
        }
        var sections: [String] = []
        if shows.contains("json") { sections.append(select.jsonForm()) }
        if shows.contains("sql") { sections.append(sql) }
        if shows.contains("tree") { sections.append(select.treeDescription()) }
        return sections
    }
}
