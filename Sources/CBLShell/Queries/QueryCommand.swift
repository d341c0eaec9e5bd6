import CBLLanguage
import CBLQuery
import CBLStore

/// `cblite query DATABASE [QUERY]`
enum QueryCommand {
    static let declaration = CommandDeclaration(
        "query", group: .looking,
        summary: "Run a query in SQL++",
        discussion: """
            Prints the rows that a query finds, as a table or in another --format. A query that begins with { or [ is one in the form of \
            JSON, a whole query or a WHERE condition. Without a query the statements are read from standard input.

            _ is the collection that --collection names. Comments, -- to the end of the line and /* … */, are passed over; a SELECT without \
            FROM calculates, if it is about no document. On a terminal the documents of * are spread over columns. A file that --output \
            names with an ending such as .csv or .json gets that form.

            A column that is missing in a row is blank in a table and left out in JSON; null is null. A table with only one column has no \
            heading. --offset and --limit count rows of the result, after those of the query's own OFFSET and LIMIT.

            INSERT, UPSERT, UPDATE, DELETE, CREATE and DROP change the database, if --writeable is given: each statement wholly or not at \
            all. It prints how many documents it changed. --dry-run undoes the change again.

            Statements in a script, which -f names, are separated by semicolons. The first that fails ends it, and is named with its line \
            and column; what those before it changed stays.

            --watch runs the query again whenever the database has changed, by any process, until it is interrupted. On a terminal the \
            table is drawn anew; elsewhere the rows that went and came are printed as JSON behind - and +, and with --json as objects \
            {"removed":…} and {"added":…}.
            """,
        database: .reads,
        flags: flags + [Flag("file", short: "f", value: "FILE", .file, "Run the statements of a file; - is standard input"), .dryRun],
        arguments: [Argument("QUERY", .text, .optionalRest, "SQL++ or JSON; - for standard input")],
        examples: [
            .init("cblite query travel.cblite2 'SELECT name, country FROM airline ORDER BY name LIMIT 5'", "A table."),
            .init("cblite query --json -p country=France travel.cblite2 'SELECT * FROM airline WHERE country = $country'", "For programs."),
            .init("cblite query --explain travel.cblite2 \"SELECT name FROM airline WHERE iata = 'AF'\"", "Is there an index for it?"),
            .init("cblite query --writeable travel.cblite2 \"UPDATE hotel SET stars = 5 WHERE name = 'Ritz'\"", "A change."),
            .init("cblite query --format csv -o hotels.csv travel.cblite2 'SELECT name, city FROM hotel'", "Into a file."),
        ],
        run: run)

    static let flags =
        [
            Flag(
                "format", short: "F", value: "FORMAT", .choice(ResultFormat.names),
                "How to print rows: \(ResultFormat.list)"),
            Flag("raw", "The same as --format json: an array of objects, one a line"),
            Flag("json5", "Leave out the quotes of keys in JSON"),
            Transfer.guardFlag,
            Flag("offset", value: "N", .count, "Leave out the first N rows"),
            Flag("limit", value: "N", .count, "Stop after N rows"),
        ] + ParameterInput.flags + [
            Flag("output", short: "o", value: "FILE", .file, "Write to a file, which appears when it is complete"),
            Flag("time-limit", short: "t", value: "SECONDS", .text, "Give up after so many seconds"),
            Flag("explain", "Do not run the query: show its SQL, the plan, its JSON form, and what they mean"),
            Flag("analyze", "Run the query and print, instead of its rows, what that took"),
            Flag("watch", short: "w", "Go on with the changes of the result, until interrupted"),
        ]

    @Sendable private static func run(_ invocation: Invocation) throws -> ExitCode {
        try run(try statements(invocation), invocation)
    }

    static func run(_ inputs: [QueryInput], _ invocation: Invocation) throws -> ExitCode {
        let run = try QueryRun(invocation)
        guard let path = invocation.string("output") else { return try run.run(inputs) }
        return try invocation.session.writing(to: path) { try run.run(inputs) }
    }

    private static func statements(_ invocation: Invocation) throws -> [QueryInput] {
        let text = invocation.argumentIfGiven("QUERY")
        if let file = invocation.string("file") {
            guard text == nil else { throw invocation.usageError("the statements are in a file, or they are the argument, but not both") }
            return try QueryInput.statements(inFile: file)
        }
        if let text { return try text == "-" ? QueryInput.statements(inFile: "-") : statements(ofArgument: text) }
        guard !invocation.terminal.inputIsTerminal else { throw invocation.usageError("QUERY is missing") }
        return try QueryInput.statements(inFile: "-")
    }

    private static func statements(ofArgument text: String) -> [QueryInput] {
        let whole = QueryInput(text)
        return whole.isJSON || !text.utf8.contains(UInt8(ascii: ";")) ? [whole] : QueryInput.statements(of: text)
    }
}

/// `cblite select DATABASE …`
enum SelectCommand {
    static let declaration = CommandDeclaration(
        "select", group: .looking,
        summary: "Run a SELECT, without the word itself",
        discussion: "Puts SELECT in front of its argument. Everything else is as with query.",
        database: .reads,
        flags: QueryCommand.flags,
        arguments: [Argument("QUERY", .text, .rest, "What follows SELECT")],
        examples: [.init("cblite select travel.cblite2 'name, country FROM airline LIMIT 5'", "A table.")],
        run: { try QueryCommand.run([QueryInput("SELECT " + $0.argument("QUERY"))], $0) })
}

extension Session {
    /// Has everything that is printed meanwhile go to a file, which appears under its name when it is complete.
    func writing<Result>(to path: String, _ work: () throws -> Result) throws -> Result {
        try TargetFile.write(path, self) { file in
            guard file !== output else { return try work() }
            let (before, screen) = (output, terminal)
            defer { (output, terminal) = (before, screen) }
            output = file
            terminal = screen.withFileAsOutput(usesColor: options.color == .always)
            return try work()
        }
    }
}
