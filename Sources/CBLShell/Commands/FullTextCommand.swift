import CBLFleece
import CBLQuery
import CBLStore

/// `cblite fts DATABASE INDEX QUERY`
enum FullTextCommand {
    static let declaration = CommandDeclaration(
        "fts", group: .looking,
        summary: "Search the texts of a full-text index",
        discussion: """
            Prints the documents that match, the best ones first: the rank, the ID, and the places where the words were found, which are \
            marked. With --json, an object for each document; offsets and lengths are bytes of UTF-8.

            QUERY are words that must all be in a document. Also: "a phrase", prefix*, AND, OR and NOT in capitals, parentheses, NEAR/5, \
            ^first for the first word of a property, and property:word.
            """,
        database: .reads,
        flags: [Flag("limit", short: "n", value: "N", .count, "Stop after N documents")],
        arguments: [
            Argument("INDEX", .index, .required, "The full-text index, also as COLLECTION.INDEX"),
            Argument("QUERY", .text, .rest, "The words to look for"),
        ],
        examples: [
            .init("cblite fts travel.cblite2 descriptions 'beach NOT pebbl*'", "Sand."),
            .init("cblite fts travel.cblite2 descriptions '\"sea view\"' --limit 5", "The five best hits of a phrase."),
        ],
        run: run)

    @Sendable private static func run(_ invocation: Invocation) throws -> ExitCode {
        try invocation.database().read { snapshot in
            let index = try InfoIndexes.find(invocation.argument("INDEX"), snapshot)
            guard index.kind == .fullText else {
                throw CommandError.failed(
                    "index \"\(index.name)\" is not a full-text index",
                    hint: "'cblite mkindex --fts' makes one; 'cblite info indexes' lists them.")
            }
            let query = invocation.argument("QUERY")
            snapshot.connection.setProgressCheck { _ in Interruption.isRequested ? 1 : 0 }
            defer { snapshot.connection.setProgressCheck(nil) }
            do {
                let search = try FullTextSearch(query, in: index, limit: invocation.int("limit"), on: snapshot)
                var count = 0
                while let hit = try search.next() {
                    try Interruption.check()
                    count += 1
                    if invocation.wantsJSON { try writeFacts(hit, search, invocation) } else { try write(hit, search, invocation) }
                }
                if count == 0, !invocation.wantsJSON { invocation.session.notice("(No documents match)") }
            } catch QueryFailure.evaluation(let message, _) where message.hasPrefix("malformed MATCH") {
                throw CommandError.failed(
                    "not a full-text query: \(query)",
                    hint: "Words, \"phrases\", prefix*, AND, OR, NOT and parentheses. A stop word is none beside OR and NOT.")
            }
            return .success
        }
    }

    private static func write(_ hit: FullTextSearch.Hit, _ search: FullTextSearch, _ invocation: Invocation) throws {
        let (session, output) = (invocation.session, invocation.output)
        try output.write(RankText.text(hit.rank) + "  ")
        try session.write(hit.id, .id)
        try output.write("\n")
        let width = session.terminal.outputIsTerminal ? max(30, session.terminal.width) : 80
        for (place, text) in hit.texts.enumerated() {
            let ranges = hit.matches.filter { $0.property == place }.map { $0.offset..<($0.offset + $0.length) }
            guard let text, !ranges.isEmpty else { continue }
            let title = search.properties.count > 1 ? search.properties[place] + ": " : ""
            try output.write("        ")
            if !title.isEmpty { try session.write(title, .dim) }
            for piece in FullTextSnippet(text, matches: ranges, width: max(20, width - 12 - title.count)).pieces {
                if !piece.isMatch {
                    try output.write(piece.text)
                } else if session.terminal.usesColor {
                    try session.write(piece.text, .strong)
                } else {
                    try output.write("[\(piece.text)]")
                }
            }
            try output.write("\n")
        }
    }

    private static func writeFacts(_ hit: FullTextSearch.Hit, _ search: FullTextSearch, _ invocation: Invocation) throws {
        try invocation.session.writeFacts { line in
            line.add("id", hit.id)
            line.key("rank")
            JSONWriter.write(double: hit.rank, to: &line.buffer)
            line.key("matches")
            line.buffer.append("[")
            for (place, match) in hit.matches.enumerated() {
                if place > 0 { line.buffer.append(",") }
                line.begin()
                line.add("property", search.properties[match.property])
                line.add("term", match.term)
                line.add("offset", match.offset)
                line.add("length", match.length)
                let bytes = hit.texts[match.property]?.utf8.dropFirst(match.offset).prefix(match.length)
                if let bytes { line.add("text", String(decoding: bytes, as: UTF8.self)) }
                line.end()
            }
            line.buffer.append("]")
        }
    }
}

/// A rank with three digits: they only compare documents.
enum RankText {
    static func text(_ rank: Double) -> String {
        let thousandths = Int((min(max(rank, 0), 1e9) * 1000).rounded())
        let digits = String(thousandths % 1000)
        return "\(thousandths / 1000)." + String(repeating: "0", count: 3 - digits.count) + digits
    }
}
