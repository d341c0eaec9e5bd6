import CBLLanguage
import CBLQuery
import CBLStore

/// `cblite mkindex --suggest QUERY DATABASE`
enum SuggestIndex {
    static func run(_ query: String, _ invocation: Invocation) throws -> ExitCode {
        var query = query
        if let name = invocation.argumentIfGiven("NAME") {
            // At the prompt nobody puts a query in quotes: its second word was taken for a name, and the rest for expressions.
            guard invocation.session.shell != nil else { throw invocation.usageError("--suggest makes no index, so it takes no NAME") }
            query = [query, name, invocation.argumentIfGiven("EXPRESSIONS") ?? ""].joined(separator: " ")
        }
        let database = try invocation.databaseForReading()
        return try database.read { snapshot in
            let input = QueryInput(query)
            let (select, advice) = try QueryReport.describing(query) {
                let select = try (input.isJSON ? Select(json: query) : Select(sqlpp: input.text))
                    .reading(paths: invocation.search(in: snapshot).path).spellingOutStars()
                return (select, try IndexAdvisor.advise(select, on: snapshot))
            }
            if invocation.wantsJSON { try writeFacts(advice, invocation) } else { try write(advice, database, invocation) }
            if let unknown = UnknownProperties(invocation.session, snapshot), let query = try? Query(select, on: snapshot) {
                unknown.tell(of: query)
            }
            return .success
        }
    }

    private static func write(_ advice: IndexAdvice, _ database: Database, _ invocation: Invocation) throws {
        let (session, output) = (invocation.session, invocation.output)
        func write(_ plan: [String], _ title: String) throws {
            try session.write(title, .strong)
            try output.write("\n")
            for line in plan {
                try output.write("  ")
                try output.write(line)
                try output.write("\n")
            }
        }
        if !advice.before.isEmpty { try write(advice.before, "Now:") }
        for suggestion in advice.suggestions {
            try output.write("\n")
            try write(suggestion.after, "With \(suggestion.definitions.map(\.name).joined(separator: " and ")):")
            for definition in suggestion.definitions {
                try output.write("  ")
                try session.write(command(for: definition, of: database, session), .key)
                try output.write("\n")
            }
        }
        if advice.suggestions.isEmpty { session.notice("No further index would help this query.") }
        for note in advice.notes { session.notice("Note: \(note).") }
    }

    /// The command that makes the index.
    static func command(for definition: IndexDefinition, of database: Database, _ session: Session) -> String {
        // In the interactive shell the line is typed without the program and the database.
        var words = (session.openDatabase == nil ? ["cblite", "mkindex", database.path] : ["mkindex"]) + [definition.name]
        if !definition.collection.isDefault { words += ["--collection", definition.collection.description] }
        if let path = definition.path { words += ["--unnest", path] }
        if !definition.expressions.isEmpty { words.append(definition.expressions) }
        return words.map(quotedForShell).joined(separator: " ")
    }

    private static func quotedForShell(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "/"):
                true
            default: false
            }
        }
        return isPlain && !word.isEmpty ? word : CompletionModel.quoted(word)
    }

    private static func writeFacts(_ advice: IndexAdvice, _ invocation: Invocation) throws {
        for suggestion in advice.suggestions {
            for definition in suggestion.definitions {
                try invocation.session.writeFacts { line in
                    line.add("index", definition.name)
                    line.add("collection", definition.collection.description)
                    line.add("expression", definition.expressions)
                    line.add("language", definition.language == .json ? "json" : "sql++")
                    if let path = definition.path { line.add("unnest", path) }
                    line.add("before", list: advice.before)
                    line.add("after", list: suggestion.after)
                }
            }
        }
    }
}
