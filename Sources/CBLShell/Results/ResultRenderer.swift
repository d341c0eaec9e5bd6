import CBLBase

/// Turns rows into text as they come. One value of it renders one result.
protocol ResultRenderer: AnyObject {
    /// What stands before the first row. The titles are all different.
    func begin(_ titles: [String]) throws
    func add(_ row: ResultRow) throws
    /// What stands after the last row.
    func finish() throws
    /// Shows what has been held back so far: nothing more may come for a while.
    func catchUp() throws
}

extension ResultRenderer {
    func catchUp() throws {}
}

/// The forms in which the rows of a query are printed.
enum ResultFormat: String, CaseIterable {
    case table, json, jsonl, csv, tsv, markdown, line, html

    static let names = allCases.map(\.rawValue)
    /// With commas. Every query makes it, for its flags, and String's own function would take a tenth of a millisecond to get ready.
    static let list = names.dropFirst().reduce(names[0]) { $0 + ", " + $1 }

    /// The form that the name of a file asks for.
    init?(ofFile path: String) {
        let forms: [String: ResultFormat] = [
            "csv": .csv, "tsv": .tsv, "json": .json, "jsonl": .jsonl, "ndjson": .jsonl, "md": .markdown, "html": .html, "htm": .html,
        ]
        let name = PathText.name(path)
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), let form = forms[name[name.utf8.index(after: dot)...].lowercased()]
        else {
            return nil
        }
        self = form
    }

    /// A renderer that writes to the session's output, in the session's look.
    func renderer(for session: Session, json5: Bool = false, guardsFormulas: Bool = false) -> any ResultRenderer {
        let (output, look) = (session.output, session.look)
        return switch self {
        case .table: TableRenderer(session: session, json5: json5)
        case .json: JSONRenderer(session: session, layout: .array, json5: json5)
        case .jsonl: JSONRenderer(session: session, layout: .lines, json5: json5)
        case .csv: DelimitedRenderer(output: output, delimiter: .comma, look: look, guardsFormulas: guardsFormulas)
        case .tsv: DelimitedRenderer(output: output, delimiter: .tab, look: look, guardsFormulas: guardsFormulas)
        case .markdown: MarkdownRenderer(output: output, look: look)
        case .line: LineRenderer(session: session)
        case .html: HTMLRenderer(output: output, look: look)
        }
    }
}
