import CBLBase
import CBLFleece
import CBLQuery
import CBLStore

/// Prints what `grep` finds, as it finds it.
final class GrepReport {
    private let invocation: Invocation
    private let session: Session
    private let namesCollections: Bool
    private let limit: Int
    let progress: ProgressLine
    /// How many values and documents were found.
    private(set) var hits = 0
    private(set) var documents = 0
    private var lineCount = 0
    // Whether something was written that nobody has seen yet, and since when.
    private var isUnseen = false
    private var lastLook = MonotonicClock.coarseNanoseconds

    /// No more lines are wanted.
    var isComplete: Bool { lineCount >= limit }

    init(_ invocation: Invocation, namesCollections: Bool) {
        self.invocation = invocation
        self.namesCollections = namesCollections
        session = invocation.session
        limit = invocation.int("limit") ?? .max
        progress = session.progress("Searching", unit: "documents")
    }

    func write(_ document: FoundDocument, in collection: CollectionName) throws {
        if session.output.isTerminal { progress.clear() }
        isUnseen = true
        guard !invocation.flag("ids") else {
            lineCount += 1
            if invocation.wantsJSON {
                return try session.writeFacts { line in
                    line.add("collection", collection.description)
                    line.add("id", document.id)
                }
            }
            return try session.output.writeLine(name(document, collection))
        }
        for hit in document.hits.prefix(limit - lineCount) {
            lineCount += 1
            if invocation.wantsJSON {
                try writeFacts(hit, document, collection)
            } else {
                try write(hit, document, collection)
            }
        }
    }

    private func name(_ document: FoundDocument, _ collection: CollectionName) -> String {
        namesCollections && !collection.isDefault ? "\(collection)/\(document.id)" : document.id
    }

    private func write(_ hit: SearchHit, _ document: FoundDocument, _ collection: CollectionName) throws {
        let name = name(document, collection)
        try write(name, style: .id)
        try writeGap()
        let isName = invocation.flag("names")
        try write(hit.path, isName ? hit.matches : [], .key)
        try writeGap()
        let matches = isName ? [] : hit.matches
        switch hit.content {
        case .text(let text) where session.output.isTerminal:
            let width = session.terminal.width - DisplayWidth.of(name) - DisplayWidth.of(hit.path) - 4
            let snippet = FullTextSnippet(text, matches: matches, width: max(GrepReport.narrowest, width - GrepReport.ellipses))
            try write(snippet.pieces)
        case .text(let text), .json(let text): try write(text, matches)
        case .object: try session.write("{…}", .dim)
        case .array: try session.write("[…]", .dim)
        }
        try session.output.write("\n")
    }

    // So much of a value is shown however long the ID and the path are; and what an ellipsis at each end takes.
    private static let narrowest = 30
    private static let ellipses = 4

    /// Programs that cut lines into fields do so at tabs.
    private func writeGap() throws {
        if session.output.isTerminal { try session.output.write("  ") } else { try session.output.write("\t") }
    }

    private func write(_ text: String, _ matches: [Range<Int>], _ style: Style? = nil) throws {
        let bytes = Array(text.utf8)
        try write(FullTextSnippet.pieces(of: bytes, 0..<bytes.count, matches: matches), style)
    }

    private func write(_ pieces: [FullTextSnippet.Piece], _ style: Style? = nil) throws {
        for piece in pieces { try write(piece.text, style: piece.isMatch ? .match : style) }
    }

    /// Each value has one line, whatever is in it.
    private func write(_ text: String, style: Style?) throws {
        let style = session.terminal.usesColor ? style : nil
        if let style { try session.output.write(session.theme.code(style)) }
        try session.output.write(report: text)
        if style != nil { try session.output.write(Style.off) }
    }

    private func writeFacts(_ hit: SearchHit, _ document: FoundDocument, _ collection: CollectionName) throws {
        try session.writeFacts { line in
            line.add("collection", collection.description)
            line.add("id", document.id)
            line.add("path", hit.path)
            switch hit.content {
            case .text(let text): line.add("value", text)
            case .json(let json):
                line.key("value")
                line.buffer.append(json)
            case .object: line.add("type", "object")
            case .array: line.add("type", "array")
            }
        }
    }

    /// What was found so far is to be seen before the search is over.
    func advance(to examined: Int) throws {
        progress.advance(by: examined - progress.count)
        guard isUnseen, session.output.isTerminal, session.pager == nil else { return }
        let now = MonotonicClock.coarseNanoseconds
        guard now - lastLook > GrepReport.patience else { return }
        lastLook = now
        isUnseen = false
        progress.clear()
        try session.output.flush()
    }

    // Nanoseconds.
    private static let patience: UInt64 = 200_000_000

    /// A collection has been searched, up to its end or to the limit.
    func finish(_ summary: ValueSearch.Summary, of collection: CollectionName) throws {
        hits += summary.hits
        documents += summary.documents
        progress.clear()
        session.reportDamage(summary.damaged, count: summary.damagedCount)
        guard invocation.flag("count") else { return }
        if invocation.wantsJSON {
            return try session.writeFacts { line in
                line.add("collection", collection.description)
                line.add(invocation.flag("names") ? "names" : "values", summary.hits)
                line.add("documents", summary.documents)
            }
        }
        guard namesCollections else { return try session.output.writeLine(counted(summary.hits, summary.documents)) }
        if summary.hits > 0 { try session.output.writeLine("\(collection): \(counted(summary.hits, summary.documents))") }
    }

    func finish() {
        progress.finish()
        if hits == 0 {
            session.notice("(Nothing found)")
        } else if isComplete {
            session.notice("(Stopping after \(lineCount) \(lineCount == 1 ? "line" : "lines"))")
        } else if session.output.isTerminal, !invocation.flag("count"), !invocation.flag("ids") {
            session.remark("(\(counted(hits, documents)))")
        }
    }

    private func counted(_ hits: Int, _ documents: Int) -> String {
        let unit = invocation.flag("names") ? (hits == 1 ? "name" : "names") : hits == 1 ? "value" : "values"
        return "\(hits) \(unit) in \(documents) \(documents == 1 ? "document" : "documents")"
    }
}
