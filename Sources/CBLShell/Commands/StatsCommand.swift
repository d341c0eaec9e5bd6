import CBLLanguage
import CBLQuery
import CBLStore

/// `cblite stats DATABASE PATH`
enum StatsCommand {
    static let declaration = CommandDeclaration(
        "stats", group: .looking,
        summary: "Show how the values of a property are distributed",
        discussion: """
            PATH is a property of the documents of the collection, as in contact.address.city, or any expression of SQL++, as in \
            length(name) or price * 1.2. As in what schema prints, [] stands for the items of an array: reviews[].stars is what all items of all \
            documents have there.

            Of numbers it prints the range, the mean, the deviation, percentiles and a histogram; of texts and booleans the most frequent \
            values; of dates a histogram by the unit of the calendar that suits them; of arrays how long they are and what is in them most \
            often. Where values are of several types, each is shown by itself.
            """,
        database: .reads,
        flags: [
            Flag("where", short: "w", value: "CONDITION", .expression, "Only documents that meet a condition in SQL++"),
            Flag("top", value: "N", .integer(1...10_000), "Show the N most frequent values; 10 if not given"),
            Flag("bins", value: "N", .integer(1...1000), "Divide histograms into at most N bins; up to 16 if not given"),
        ],
        arguments: [Argument("PATH", .expression, .rest, "A property, or an expression of SQL++")],
        examples: [
            .init("cblite stats -C inventory.hotel travel.cblite2 price", "From where to where do prices go?"),
            .init(
                "cblite stats --where \"country = 'Austria'\" --top 5 -C inventory.airline travel.cblite2 'hubs[0]'",
                "Where are their hubs?"),
        ],
        run: run)

    @Sendable private static func run(_ invocation: Invocation) throws -> ExitCode {
        let path = QueryInput(invocation.argument("PATH"))
        let condition = invocation.string("where").map { QueryInput($0) }
        if path.text.contains("[]"), condition != nil { throw invocation.usageError("--where cannot go with a path that has []") }
        let ofItems = try selectOfItems(path.text, invocation)
        let expression = try ofItems?.results.first?.expression ?? StatsCommand.expression(path, "PATH", invocation)
        let test = try condition.map { try StatsCommand.expression($0, "--where", invocation) }
        return try invocation.read { snapshot, collection in
            var select = ofItems ?? Select()
            if ofItems == nil {
                select.results = [Select.Result(expression)]
                select.sources = [Select.Source(.collection(scope: collection.scope, name: collection.name))]
            } else {
                select.sources[0].origin = .collection(scope: collection.scope, name: collection.name)
            }
            // By themselves first, so that a mistake is shown in the text that it is in.
            var query = try path.compiling { try Query(select, on: snapshot) }
            if let test, let condition {
                select.condition = test
                query = try condition.compiling { try Query(select, on: snapshot) }
            }
            let options = QueryOptions(cancellation: QueryCancellation(polling: { Interruption.isRequested }))
            let rows = try query.run(on: snapshot, options: options)
            var statistics = ValueStatistics()
            let progress = invocation.session.progress("Looking", unit: "documents")
            while try rows.next() {
                statistics.add(rows[0])
                progress.advance()
            }
            progress.finish()
            let page = StatsPage(
                title: path.text, counted: ofItems == nil ? "document" : "item", collection: collection, statistics: statistics,
                top: invocation.int("top") ?? 10,
                bins: invocation.int("bins") ?? defaultBins(statistics.count))
            if invocation.wantsJSON { try page.writeFacts(to: invocation.session) } else { try page.write(to: invocation.session) }
            UnknownProperties(invocation.session, snapshot)?.tell(of: query)
            return .success
        }
    }

    /// For a path such as `reviews[].stars`: each array is a source of its own, which joins with its items. Nil for other texts.
    private static func selectOfItems(_ text: String, _ invocation: Invocation) throws(CommandError) -> Select? {
        var parts = text.split(separator: "[]", omittingEmptySubsequences: false)
        guard parts.count > 1, let last = parts.popLast() else { return nil }
        var query = "FROM _ AS doc_"
        var source = "doc_."
        for (number, part) in parts.enumerated() {
            query += " UNNEST \(source)\(part) AS item\(number)_"
            source = "item\(number)_"
        }
        guard let select = try? Select(sqlpp: "SELECT \(source)\(last) \(query)"), select.sources.count == parts.count + 1,
            select.results.count == 1, select.condition == nil
        else { throw invocation.usageError("\"\(text)\" is no path: names with dots between them, and [] behind that of an array") }
        return select
    }

    /// A few values are not strewn over many bins.
    private static func defaultBins(_ count: Int) -> Int { max(5, min(16, Int(Double(count).squareRoot()) + 1)) }

    /// A text that is one expression.
    private static func expression(_ input: QueryInput, _ name: String, _ invocation: Invocation) throws(CommandError) -> QueryExpression {
        let select = try input.describingErrors { () throws(QueryError) in try Select(sqlpp: input.text) }
        guard let expression = select.onlyExpression else {
            throw invocation.usageError("\(name) is a property or one expression, not \"\(input.text)\"")
        }
        return expression
    }
}

extension QueryInput {
    /// The same as `describingErrors` for work that fails in other ways, too.
    fileprivate func compiling<Result>(_ work: () throws -> Result) throws -> Result {
        do { return try work() } catch let error as QueryError { throw commandError(error) }
    }
}
