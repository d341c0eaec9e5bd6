import CBLBase
import CBLFleece
import CBLQuery
import CBLStore
import CBLViews

/// `cblite view query DATABASE VIEW`
enum ViewQueryCommand {
    static let declaration = CommandDeclaration(
        "query", group: .looking,
        summary: "Print rows of a view",
        discussion: """
            VIEW is a stored view, or a file of JavaScript whose name ends in .js; _all_docs is a view of the IDs of all documents. The index \
            is brought up to date first, unless --stale says otherwise. Keys are JSON: '"Paris"', 42, '["FR","Paris"]'; a text that is no JSON is \
            a string.

            A view that has a reduce function gives one row for all, with --group one for each key, and with --group-level N one for each \
            beginning of N items of keys that are arrays. --no-reduce gives the rows themselves.

            --prefix N lets a range end behind all keys that begin as --end does: 1 for texts and arrays that begin so, 2 for a text \
            that is the last item of an array, and so on.

            A document for which the map function fails, or takes more than five seconds, is left out, and named.
            """,
        database: .reads,
        flags: [
            Flag("key", value: "KEY", .text, repeatable: true, "Only rows with this key; more than one in the order given"),
            Flag("start", value: "KEY", .text, "From this key on; with --desc from there backwards"),
            Flag("end", value: "KEY", .text, "Up to this key"),
            Flag("start-doc", value: "ID", .document, "Of the first key, from this document on"),
            Flag("end-doc", value: "ID", .document, "Of the last key, up to this document"),
            Flag("exclusive-start", "Without the rows with the first key"),
            Flag("exclusive-end", "Without the rows with the last key"),
            Flag("prefix", value: "N", .count, "Up to all keys that begin as --end does, at this level"),
            Flag("desc", "Go backwards"),
            Flag("offset", aliases: ["skip"], value: "N", .count, "Leave out the first N rows"),
            Flag("limit", value: "N", .count, "Stop after N rows"),
            Flag("group", "Reduce the rows of each key"),
            Flag("group-level", value: "N", .count, "Reduce the rows whose keys have the same first N items"),
            Flag("no-reduce", "Give the rows themselves"),
            Flag("docs", "With the documents"),
            Flag("search", value: "WORDS", .text, "Rows whose texts match, the best first: for views that emit texts"),
            Flag("box", value: "X0,Y0,X1,Y1", .text, "Rows whose shapes are in this box: for views that emit shapes"),
            Flag(
                "sort", value: "PLACE", .text, repeatable: true,
                "Sort by key, value or id, or a place in them as value.name; - in front for backwards"),
            Flag("reduce", value: "NAME", .text, "Reduce with this built-in function instead: _count, _sum, …"),
            Flag("type", value: "TYPE", .text, "Of a file: map only documents whose property type is this"),
            Flag("collation", value: "KIND", .choice(["unicode", "ascii", "raw"]), "Of a file: how to compare the texts of keys"),
            Flag("stale", value: "WHEN", .choice(["ok", "update-after"]), "Do not bring the index up to date first"),
            Flag("conflicts", "Of _all_docs: only documents in conflict, with what competes"),
            Flag("deleted", "Of _all_docs: deleted documents too"),
            Flag(
                "format", short: "F", value: "FORMAT", .choice(ResultFormat.names),
                "How to print rows: \(ResultFormat.list)"),
            Flag("raw", "The same as --format json"), Flag("json5", "Leave out the quotes of keys in JSON"), Transfer.guardFlag,
            Flag("output", short: "o", value: "FILE", .file, "Write to a file, which appears when it is complete"),
        ],
        arguments: [Argument("VIEW", .viewOrFile, .required, "The view, or a file of JavaScript")],
        examples: [
            .init("cblite view query travel.cblite2 by_city --start '\"Paris\"' --limit 5", "Five rows."),
            .init("cblite view query travel.cblite2 by_place.js --group-level 1 --format csv", "One row for each country."),
            .init("cblite view query travel.cblite2 by_place --start '[\"FR\"]' --end '[\"FR\"]' --prefix 1 --docs", "All of France."),
            .init("cblite view query old.cblite2 _all_docs --conflicts", "What is in conflict."),
        ],
        run: { invocation in
            guard let path = invocation.string("output") else { return try ViewQueryRun(invocation).run() }
            return try invocation.session.writing(to: path) { try ViewQueryRun(invocation).run() }
        })
}

/// One run of `view query`.
private struct ViewQueryRun {
    private let invocation: Invocation
    private let format: ResultFormat
    private var session: Session { invocation.session }
    private static let allDocuments = "_all_docs"

    init(_ invocation: Invocation) throws {
        self.invocation = invocation
        let asked = invocation.string("format").flatMap(ResultFormat.init(rawValue:))
        format = asked ?? (invocation.flag("raw") ? .json : invocation.wantsJSON ? .jsonl : .table)
        if invocation.flag("guard-formulas"), format != .csv, format != .tsv {
            throw invocation.usageError("--guard-formulas is for CSV and TSV")
        }
    }

    func run() throws -> ExitCode {
        let name = invocation.argument("VIEW")
        let database = try invocation.database()
        if name == ViewQueryRun.allDocuments { return try writeAllDocuments(of: database) }
        for flag in ["conflicts", "deleted"] where invocation.flag(flag) { throw invocation.usageError("--\(flag) is for _all_docs") }
        let isFile = name.hasSuffix(".js")
        var view = try isFile ? ViewSource.read(name, named: "file/" + PathText.name(name)) : ViewSource.stored(name, database)
        if isFile {
            view.collection = try invocation.collectionName()
            try database.read { _ = try invocation.existing(view.collection, in: $0) }
        } else if let flag = ["type", "collation"].first(where: { invocation.flag($0) }) {
            throw invocation.usageError("--\(flag) is for files: a stored view has its own")
        }
        try ViewSource.apply(invocation, to: &view)
        let query = try query()
        let index = ViewIndex(database, isFile ? .temporary : .besideAnyway)
        defer { index.close() }
        let work = ViewWork(session)
        defer { work.finish() }
        try describingViewErrors {
            let definition = try view.definition(onLog: work.onLog)
            var shown = query
            // Nobody would wait for what a command does in the background.
            if query.updateMode == .after { shown.updateMode = .never }
            try index.query(definition, shown, options: work.options) { rows in
                work.finish()
                try write(rows, isGrouped: query.isGrouped(definition), query)
            }
            if query.updateMode == .after { try index.update([definition], work.options) }
        }
        return .success
    }

    private func query() throws -> ViewQuery {
        var query = ViewQuery()
        let keys = try invocation.strings("key").map(key)
        if !keys.isEmpty { query.keys = keys }
        query.startKey = try invocation.string("start").map(key)
        query.endKey = try invocation.string("end").map(key)
        query.startKeyDocumentID = invocation.string("start-doc")
        query.endKeyDocumentID = invocation.string("end-doc")
        query.inclusiveStart = !invocation.flag("exclusive-start")
        query.inclusiveEnd = !invocation.flag("exclusive-end")
        query.prefixMatchLevel = invocation.int("prefix") ?? 0
        query.descending = invocation.flag("desc")
        query.skip = invocation.int("offset") ?? 0
        query.limit = invocation.int("limit")
        query.group = invocation.flag("group")
        query.groupLevel = invocation.int("group-level") ?? 0
        if invocation.flag("no-reduce") { query.reduces = false }
        query.includesDocuments = invocation.flag("docs")
        query.sort = invocation.strings("sort").map {
            ViewSort($0.hasPrefix("-") ? String($0.dropFirst()) : $0, descending: $0.hasPrefix("-"))
        }
        if let words = invocation.string("search") {
            query.fullText = FullTextRequest(words)
            query.fullText?.snippets = true
        }
        query.box = try invocation.string("box").map(box)
        switch invocation.string("stale") {
        case "ok": query.updateMode = .never
        case "update-after": query.updateMode = .after
        default: break
        }
        query.cancellation = ViewCancellation(polling: { Interruption.isRequested })
        return query
    }

    /// A text that is no JSON stands for itself.
    private func key(_ text: String) throws -> QueryKey { (try? QueryKey(json: text)) ?? QueryKey(text) }

    private func box(_ text: String) throws -> ViewRectangle {
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0.filter { $0 != " " }) }
        guard numbers.count == 4, case let (x0?, y0?, x1?, y1?) = (numbers[0], numbers[1], numbers[2], numbers[3]) else {
            throw invocation.usageError("--box has four numbers: X0,Y0,X1,Y1")
        }
        return ViewRectangle(x0: x0, y0: y0, x1: x1, y1: y1)
    }

    // Rows

    private func write(_ rows: ViewRows, isGrouped: Bool, _ query: ViewQuery) throws {
        var titles = isGrouped ? ["key", "value"] : ["id", "key", "value"]
        let showsDocuments = query.includesDocuments && !isGrouped
        if query.fullText != nil { titles = ["id", "rank", "snippet", "value"] }
        if query.box != nil { titles = ["id", "geometry", "value"] }
        if showsDocuments { titles.append("doc") }
        let renderer = format.renderer(for: session, json5: invocation.flag("json5"), guardsFormulas: invocation.flag("guard-formulas"))
        let cells = ResultRow(count: titles.count, keys: nil)
        try renderer.begin(titles)
        var count = 0
        while try rows.next() {
            count += 1
            let row = rows.row
            let document = showsDocuments ? try row.document()?.encodedWhole() : nil
            try row.withValue { value in
                try (document ?? .emptyDictionary).withRoot { root in
                    if isGrouped {
                        cells.cells = [QueryValue(row.key), ViewQueryRun.cell(value)]
                    } else if query.fullText != nil {
                        cells.cells = [.text(row.idBytes), .double(row.match?.rank ?? 0), .missing, ViewQueryRun.cell(value)]
                    } else if query.box != nil {
                        cells.cells = [.text(row.idBytes), ViewQueryRun.cell(row.shape), ViewQueryRun.cell(value)]
                    } else {
                        cells.cells = [.text(row.idBytes), QueryValue(row.key), ViewQueryRun.cell(value)]
                    }
                    if showsDocuments { cells.cells.append(document == nil ? .missing : .collection(root)) }
                    guard var snippet = row.match?.snippet(before: "[", after: "]") else { return try renderer.add(cells) }
                    try snippet.withUTF8 { bytes in
                        cells.cells[2] = .text(UnsafeRawBufferPointer(bytes))
                        try renderer.add(cells)
                    }
                }
            }
        }
        try renderer.finish()
        if count == 0, format == .table { session.notice("(No rows)") }
    }

    private static func cell(_ value: Value) -> QueryValue { value.isUndefined ? .missing : QueryValue(value) }

    private func writeAllDocuments(of database: Database) throws -> ExitCode {
        for flag in [
            "prefix", "group", "group-level", "no-reduce", "search", "box", "sort", "reduce", "type", "collation", "stale", "start-doc",
            "end-doc",
        ]
        where invocation.flag(flag) {
            throw invocation.usageError("--\(flag) is not for _all_docs")
        }
        if invocation.flag("conflicts"), invocation.flag("deleted") {
            throw invocation.usageError("--conflicts and --deleted exclude each other")
        }
        var query = AllDocumentsQuery(
            mode: invocation.flag("conflicts") ? .onlyConflicts : invocation.flag("deleted") ? .includeDeleted : .all)
        if invocation.flag("key") { query.keys = invocation.strings("key").map(ViewQueryRun.plain) }
        query.startKey = invocation.string("start").map(ViewQueryRun.plain)
        query.endKey = invocation.string("end").map(ViewQueryRun.plain)
        query.inclusiveStart = !invocation.flag("exclusive-start")
        query.inclusiveEnd = !invocation.flag("exclusive-end")
        query.descending = invocation.flag("desc")
        query.skip = invocation.int("offset") ?? 0
        query.limit = invocation.int("limit")
        query.cancellation = ViewCancellation(polling: { Interruption.isRequested })
        let titles = invocation.flag("docs") ? ["id", "value", "doc"] : ["id", "value"]
        let renderer = format.renderer(for: session, json5: invocation.flag("json5"), guardsFormulas: invocation.flag("guard-formulas"))
        let encoder = FleeceEncoder()
        try invocation.read { snapshot, collection in
            let cells = ResultRow(count: titles.count, keys: snapshot.sharedKeys)
            try renderer.begin(titles)
            try describingViewErrors {
                try snapshot.forEachDocument(query, in: collection) { row in
                    encoder.reset()
                    row.writeValue(to: encoder)
                    let document = invocation.flag("docs") ? try snapshot.document(row.id, in: collection) : nil
                    var id = row.id
                    try id.withUTF8 { id in
                        try encoder.withFinished { value in
                            try (document?.body ?? .emptyDictionary).withRoot { body in
                                cells.cells[0] = .text(UnsafeRawBufferPointer(id))
                                cells.cells[1] = row.revision == nil ? .missing : .collection(Value(root: value) ?? .undefined)
                                if titles.count > 2 { cells.cells[2] = document == nil || row.isDeleted ? .missing : .collection(body) }
                                try renderer.add(cells)
                            }
                        }
                    }
                    return true
                }
            }
            try renderer.finish()
        }
        return .success
    }

    /// An ID that was given as a JSON string, or as it is.
    private static func plain(_ text: String) -> String {
        guard text.hasPrefix("\""), let key = try? QueryKey(json: text) else { return text }
        return key.data.withRoot(\.string) ?? text
    }
}
