import CBLStore
import CBLViews
import CBLWorkbench
import Synchronization

/// `cblite view ls|query|define|show|rm|update`: map/reduce views.
enum ViewCommand {
    static let declaration = CommandDeclaration(
        "view", group: .looking,
        summary: "Ask and define map/reduce views",
        discussion: """
            A view is an index that a function of yours fills: it is given each document, and emits rows with a key and a value. The rows are in \
            the order of their keys, and can be asked for by ranges, and reduced by groups. Couchbase Lite 1.x had nothing else; here views \
            work over databases of every version.

            \(languageText)

            Views are stored in design documents, as _design/NAME/… of 1.x: by_city is the view views/by_city. Those of a 1.x database can be \
            asked by their names. Other programs do not see them. The index is in a file of its own beside the database, NAME.cblviews, and \
            follows what changes; it can be deleted at any time. Of a 1.x database, and of a view that is in a file only, it is made anew \
            each time, in memory.
            """,
        database: .reads,
        examples: [
            .init("cblite view define travel.cblite2 by_city by_city.js", "Store a view."),
            .init("cblite view query travel.cblite2 by_city --group", "How many of each city?"),
            .init("cblite view query travel.cblite2 by_city.js --key '\"Paris\"'", "Without storing it."),
        ],
        subcommands: [list, ViewQueryCommand.declaration, define, show, remove, update],
        run: nil)

    static let languageText = """
        A file of JavaScript has the function map(doc, meta), which calls emit(key, value), and perhaps reduce(keys, values, rereduce), or \
        for reduce the name of a built-in one: "_count", "_sum", "_min", "_max", "_average", "_median", "_stddev", "_stats". Beside emit there \
        are log(text), sum, toJSON and isArray. doc has _id, _rev, _local_seq, and _conflicts if there are some.
        """

    private static let list = CommandDeclaration(
        "ls", group: .looking,
        summary: "List the views",
        discussion:
            "Prints each view, whether it reduces, its collection, and how many rows its index has. With --json, an object for each.",
        database: .reads,
        examples: [.init("cblite view ls travel.cblite2", "All of them.")],
        run: { invocation in
            let session = invocation.session
            let database = try invocation.database()
            let views = try database.read { try $0.scriptedViews { session.warn($0) } }
            let index = ViewIndex(database, .besideAnyway)
            defer { index.close() }
            let entries = index.path == nil ? [] : try describingViewErrors { try index.entries() }
            func rows(_ view: ScriptedView) -> Int? {
                entries.first { $0.name == view.name && $0.collection == view.collection.description && $0.version == view.version }?.rows
            }
            if invocation.wantsJSON {
                for view in views {
                    try session.writeFacts { line in
                        line.add("view", view.shortName)
                        line.add("collection", view.collection.description)
                        line.add("reduces", view.reduce != nil)
                        if let rows = rows(view) { line.add("rows", rows) }
                    }
                }
                return .success
            }
            guard !views.isEmpty else {
                session.notice("(No views)")
                return .success
            }
            var table = Table([.left("View"), .left("Collection"), .left("Reduce"), .right("Rows")])
            for view in views {
                let reduce = view.reduce.map { $0.hasPrefix("_") ? $0 : "function" } ?? ""
                table.add([view.shortName, "\(view.collection)", reduce, rows(view).map(ProgressLine.grouped) ?? "not indexed"])
            }
            try table.write(to: session)
            return .success
        })

    private static let define = CommandDeclaration(
        "define", group: .changing,
        summary: "Store a view",
        discussion: """
            Stores the functions of FILE as the view NAME, in the place of one that is there. Mistakes are found now.

            \(languageText)
            """,
        database: .writes,
        flags: [
            Flag("reduce", value: "NAME", .text, "The built-in reduce function to use: _count, _sum, …"),
            Flag("type", value: "TYPE", .text, "Map only documents whose property type is this"),
            Flag("collation", value: "KIND", .choice(["unicode", "ascii", "raw"]), "How to compare the texts of keys"),
        ],
        arguments: [
            Argument("NAME", .view, .required, "What to call it: VIEW, or DESIGN/VIEW"),
            Argument("FILE", .file, .required, "The file of JavaScript; - for standard input"),
        ],
        examples: [.init("cblite view define travel.cblite2 by_city by_city.js --reduce _count", "Count by city.")],
        run: { invocation in
            let name = invocation.argument("NAME")
            var view = try ViewSource.read(invocation.argument("FILE"), named: ScriptedView.full(name))
            try ViewSource.apply(invocation, to: &view)
            view.collection = try invocation.collectionName()
            _ = try describingViewErrors { try view.definition() }
            let database = try invocation.database()
            try database.read { snapshot in _ = try invocation.existing(view.collection, in: snapshot) }
            let isNew = try database.write { transaction in
                let isNew = try transaction.scriptedView(name) == nil
                try transaction.define(view)
                return isNew
            }
            invocation.session.notice("\(isNew ? "Defined" : "Redefined") the view \(view.shortName).")
            return .success
        })

    private static let show = CommandDeclaration(
        "show", group: .looking,
        summary: "Print the functions of a view",
        database: .reads,
        arguments: [Argument("NAME", .view, .required, "The view")],
        examples: [.init("cblite view show travel.cblite2 by_city > by_city.js", "Into a file, which define reads.")],
        run: { invocation in
            let view = try ViewSource.stored(invocation.argument("NAME"), invocation.database())
            if invocation.wantsJSON {
                try invocation.session.writeFacts { line in
                    line.add("view", view.shortName)
                    line.add("collection", view.collection.description)
                    line.add("map", view.map)
                    if let reduce = view.reduce { line.add("reduce", reduce) }
                }
                return .success
            }
            try write("map = \(view.map);", invocation)
            if let reduce = view.reduce { try write("reduce = \(reduce.hasPrefix("_") ? "\"\(reduce)\"" : reduce);", invocation) }
            return .success
        })

    private static func write(_ text: String, _ invocation: Invocation) throws {
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            try invocation.output.write(report: String(line))
            try invocation.output.write("\n")
        }
    }

    private static let remove = CommandDeclaration(
        "rm", group: .changing,
        summary: "Remove a view and its index",
        database: .writes,
        arguments: [Argument("NAME", .view, .required, "The view")],
        examples: [.init("cblite view rm travel.cblite2 by_city", "It is gone, and its index.")],
        run: { invocation in
            let database = try invocation.database()
            let view = try ViewSource.stored(invocation.argument("NAME"), database)
            try database.write { _ = try $0.removeView(view.name) }
            let index = ViewIndex(database)
            defer { index.close() }
            if index.path != nil { try describingViewErrors { _ = try index.remove(view.name, in: view.collection) } }
            invocation.session.notice("Removed the view \(view.shortName).")
            return .success
        })

    private static let update = CommandDeclaration(
        "update", group: .maintaining,
        summary: "Bring the indexes of views up to date",
        discussion: "A query does so by itself. Without NAME all stored views are brought up to date, those of a collection in one pass.",
        database: .writes,
        arguments: [Argument("NAME", .view, .optional, "The view")],
        examples: [.init("cblite view update travel.cblite2", "All of them.")],
        run: { invocation in
            let database = try invocation.database()
            let session = invocation.session
            let views =
                try invocation.argumentIfGiven("NAME").map { [try ViewSource.stored($0, database)] }
                ?? database.read { try $0.scriptedViews { session.warn($0) } }
            let index = ViewIndex(database)
            defer { index.close() }
            let work = ViewWork(session)
            let report = try describingViewErrors {
                try index.update(views.map { try $0.definition(onLog: work.onLog) }, work.options)
            }
            work.finish()
            session.notice("Looked at \(ProgressLine.grouped(report.documents)) \(report.documents == 1 ? "document" : "documents").")
            return .success
        })
}

/// Runs `work`, and tells errors of views and scripts as a person is to read them.
func describingViewErrors<Result>(_ work: () throws -> Result) throws -> Result {
    do { return try work() } catch let error as ScriptError { throw CommandError.failed("\(error)") } catch let error as ViewError {
        if case .cancelled = error { throw CommandError.interrupted }
        throw CommandError.failed("\(error)")
    }
}

/// Where the functions of a view come from.
enum ViewSource {
    static func stored(_ name: String, _ database: Database) throws -> ScriptedView {
        try describingViewErrors {
            try database.read { snapshot in
                if let view = try snapshot.scriptedView(name) { return view }
                let names = try snapshot.scriptedViews().map(\.shortName)
                let hint = names.isEmpty ? "'view define' stores one." : "There are \(names.prefix(10).joined(separator: ", "))."
                throw CommandError.failed("there is no view \"\(name)\"", hint: hint)
            }
        }
    }

    static func read(_ path: String, named name: String) throws -> ScriptedView {
        let source = try InputSource(path)
        let text = try source.withAll { String(decoding: $0, as: UTF8.self) }
        let file: ScriptFile
        do { file = try ScriptFile(text) } catch { throw CommandError.failed("\(source.name): \(error)") }
        return ScriptedView(name, map: file.map ?? "", reduce: file.reduce)
    }

    static func apply(_ invocation: Invocation, to view: inout ScriptedView) throws {
        if let reduce = invocation.string("reduce") { view.reduce = reduce.hasPrefix("_") ? reduce : "_" + reduce }
        if let type = invocation.string("type") { view.documentType = type }
        switch invocation.string("collation") {
        case "ascii": view.collation = .ascii
        case "raw": view.collation = .raw
        default: break
        }
    }
}

/// What two threads have to say, for the one of the command to tell: the first few, and how many more there were.
private final class Messages: Sendable {
    private struct State {
        var first: [String] = []
        var count = 0
    }

    private static let most = 10
    private let state = Mutex(State())

    func add(_ message: String) {
        state.withLock { state in
            state.count += 1
            if state.first.count < Messages.most { state.first.append(message) }
        }
    }

    func take() -> (first: [String], more: Int) {
        state.withLock { state in
            defer { state = State() }
            return (state.first, state.count - state.first.count)
        }
    }
}

/// What is told while views are indexed: progress, what functions log, and documents that they failed for.
final class ViewWork {
    private let session: Session
    private let messages = Messages()
    private let progress: ProgressLine

    init(_ session: Session) {
        self.session = session
        progress = session.progress("Indexing", unit: "documents")
    }

    var onLog: @Sendable (String, String) -> Void { { [messages] _, text in messages.add("log: \(text)") } }

    var options: IndexingOptions {
        IndexingOptions(
            cancellation: ViewCancellation(polling: { Interruption.isRequested }),
            onFailure: { [messages] failure in messages.add("document \"\(failure.documentID)\" is left out: \(failure.error)") })
    }

    /// Tells what there is to tell. On the thread of the command: indexing has two of its own.
    func finish() {
        progress.finish()
        let (first, more) = messages.take()
        for message in first { session.warn(message) }
        if more > 0 { session.warn("… and \(ProgressLine.grouped(more)) more") }
    }
}
