import CBLBase
import CBLLanguage
import CBLQuery
import CBLStore

/// `cblite grep DATABASE TEXT`
enum GrepCommand {
    static let declaration = CommandDeclaration(
        "grep", group: .looking,
        summary: "Search all values of documents for a text",
        discussion: """
            Prints a line for each value that has the text in it: the ID of the document, the property as SQL++ writes it, and the value. It \
            searches all collections, or those of --collection, in the order in which documents are stored; where there is more than one, \
            the collection stands before the ID, as in inventory.hotel/hotel_1. Strings are searched, numbers as JSON writes them, and true and \
            false by the whole word; IDs (ls '*text*' finds those), deleted documents and the content of blobs are not.

            Small letters stand for capitals, too, unless there is a capital in the text: then case counts. --ignore-case and \
            --case-sensitive say which it is.

            /REGEX/ is a regular expression of ECMAScript, over characters; it is found anywhere in a value, and ^ and $ are the value's ends. A \
            text that begins and ends with a slash itself needs --literal. One slash, as in /usr/lib, is part of the text.

            At a terminal the text is marked, and a long value is cut around it. Elsewhere tabs stand between the three, and line ends in \
            a value are shown as \\n; with --json, an object for each value has it as it is.

            Exit code 0 means that something was found, 1 that nothing was, as with grep.
            """,
        database: .reads,
        flags: [
            Flag(
                "collection", short: "C", value: "[SCOPE.]NAME[,…]", .collection, repeatable: true,
                "Only these collections; * is all of them, as without it"),
            Flag("key", value: "PATH", .property, "Only what is in this property: address, tags[0], reviews[].author"),
            Flag("names", "Search the names of properties instead of the values"),
            Flag("ignore-case", short: "i", "Capitals and small letters are the same"),
            Flag("case-sensitive", short: "s", "They are not, even if there are no capitals in the text"),
            Flag("literal", short: "F", "The text is no regular expression, even between slashes"),
            Flag("limit", value: "N", .integer(1...Int.max), "Stop after N lines"),
            Flag("ids", short: "l", "Print only the IDs of the documents, each once"),
            Flag("count", short: "c", "Print only how many values there are, and in how many documents"),
        ],
        arguments: [Argument("TEXT", .text, .required, "The text to look for, or a regular expression: /REGEX/")],
        examples: [
            .init("cblite grep travel.cblite2 porto", "Where is that word?"),
            .init(
                "cblite grep -C inventory.hotel --key name travel.cblite2 '/\\b(inn|lodge)\\b/'", "Words in one property of hotels."),
            .init("cblite grep --names travel.cblite2 rating", "Which properties are called so?"),
            .init("cblite grep --ids -C inventory.hotel travel.cblite2 Porto", "The hotels, for another command."),
            .init("cblite grep --literal travel.cblite2 /tmp/", "A text between slashes."),
        ],
        run: run)

    @Sendable private static func run(_ invocation: Invocation) throws -> ExitCode {
        for (one, other) in [("ignore-case", "case-sensitive"), ("count", "ids"), ("count", "limit")]
        where invocation.flag(one) && invocation.flag(other) {
            throw invocation.usageError("--\(one) and --\(other) exclude each other")
        }
        let pattern = try pattern(invocation)
        let path = try invocation.string("key").map { text in
            guard let path = SearchPath(text) else {
                throw invocation.usageError(
                    "--key: \"\(text)\" is no path: names with dots between them, and [3] or [] behind that of an array")
            }
            return path
        }
        return try invocation.database().read { snapshot in
            let collections = try collections(invocation, snapshot)
            let report = GrepReport(invocation, namesCollections: collections.count > 1)
            defer { report.progress.finish() }
            for collection in collections where !report.isComplete {
                var search = ValueSearch(pattern, in: collection)
                search.searchesNames = invocation.flag("names")
                search.path = path
                search.wants = invocation.flag("count") ? .counts : invocation.flag("ids") ? .documents : .hits
                let before = report.progress.count
                do {
                    let summary = try search.run(on: snapshot) { count in
                        try Interruption.check()
                        try report.advance(to: before + count)
                    } found: { document in
                        try report.write(document, in: collection)
                        return !report.isComplete
                    }
                    try report.finish(summary, of: collection)
                } catch let failure as SearchPattern.Failure {
                    try Interruption.check()
                    throw CommandError.failed(failure.message)
                }
            }
            report.finish()
            if report.hits == 0, let key = invocation.string("key") { tellOfUnknown(key, in: collections, snapshot, invocation.session) }
            return report.hits > 0 ? .success : .failure
        }
    }

    /// Nothing was found, perhaps because the property is called otherwise.
    private static func tellOfUnknown(_ key: String, in collections: [CollectionName], _ snapshot: Snapshot, _ session: Session) {
        let parts = QueryContext.parts(of: key).map { $0.replacing("[]", with: "") }
        var paths: [String] = []
        for name in collections { paths += (try? CompletionNames.quickly(snapshot) { try $0.propertyPaths(of: name) }) ?? [] }
        guard !paths.isEmpty, !paths.contains(where: { QueryContext.parts(of: $0).map { $0.replacing("[]", with: "") } == parts }) else {
            return
        }
        session.remark("(No document looked at has \"\(key)\".\(Suggestion.sentence(for: key, in: Set(paths).sorted(), quoted: true)))")
    }

    private static func collections(_ invocation: Invocation, _ snapshot: Snapshot) throws -> [CollectionName] {
        var lists = invocation.strings("collection")
        // One that stands before the command.
        if lists.isEmpty, let list = invocation.session.options.collection { lists = [list] }
        if lists.isEmpty || lists.contains("*") { return snapshot.collections() }
        return try ArchiveTransfer.collections(lists, invocation)?.map { try invocation.existing($0, in: snapshot) } ?? []
    }

    private static func pattern(_ invocation: Invocation) throws -> SearchPattern {
        let text = invocation.argument("TEXT")
        if text.isEmpty { throw invocation.usageError("TEXT is empty") }
        let isExpression = text.hasPrefix("/") && text.hasSuffix("/") && text.utf8.count > 2 && !invocation.flag("literal")
        let form: SearchPattern.Form = isExpression ? .expression(String(text.dropFirst().dropLast())) : .text(text)
        let ignoresCase = invocation.flag("ignore-case") || !invocation.flag("case-sensitive") && !SearchPattern.hasCapitals(form)
        do throws(SearchPattern.Failure) { return try SearchPattern(form, ignoringCase: ignoresCase) } catch {
            guard let place = error.place else { throw CommandError.failed(error.message) }
            let usage = invocation.usageError("")
            let lines = Array(text.utf8).withUnsafeBytes { bytes -> [String] in
                let excerpt = SourceExcerpt(bytes, place + 1..<place + 2)
                return ["\(invocation.parsed.title): \(error.message), \(excerpt.place)"] + excerpt.lines
            }
            throw CommandError(.usage, lines: lines, hints: usage.hintLines)
        }
    }
}
