internal import CBLViews
import CouchbaseLiteSwift

/// What is asked of a view.
///
///     let query = view.createQuery()
///     query.startKey = ["FR"]
///     query.endKey = ["FR"]
///     query.prefixMatchLevel = 1
///     for row in try query.run() { print(row.key[1].string ?? "") }
///
/// It is for one thread; what it gives is for any.
public final class ViewQuery {
    /// Whether the index is brought up to date.
    public enum IndexUpdateMode: Sendable {
        /// Before the query.
        case before
        /// Not at all: rows are those of the last time.
        case never
        /// Behind the query, while the program goes on.
        case after
    }

    /// The view that is asked.
    public let view: View

    /// The first key; in a descending query that is the greatest one.
    public var startKey: ViewKey?
    /// The last key.
    public var endKey: ViewKey?
    /// Among the rows with the first key, the document to begin at.
    public var startKeyDocumentID: String?
    /// Among the rows with the last key, the document to end at.
    public var endKeyDocumentID: String?
    /// Whether rows with the first key belong to the result.
    public var inclusiveStart = true
    /// Whether rows with the last key belong to the result.
    public var inclusiveEnd = true
    /// Only rows with these keys, in this order.
    public var keys: [ViewKey]?
    /// More than 0 lets the range end behind all keys that begin as its upper end does: 1 for a text, or an array that it begins with, 2 for a text at the
    /// end of an array, and so on.
    public var prefixMatchLevel = 0
    /// From the greatest key to the least.
    public var descending = false
    /// How many rows to leave out.
    public var skip = 0
    /// How many rows there may be at most; nil for any number.
    public var limit: Int?
    /// Gives the rows themselves, though the view can reduce them.
    public var mapOnly = false
    /// Reduces the rows of each key.
    public var group = false
    /// More than 0 reduces rows whose keys are arrays with the same so many first items.
    public var groupLevel = 0
    /// Reads the documents of the rows together with these.
    public var prefetch = false
    /// Whether the index is brought up to date before or after.
    public var indexUpdateMode = IndexUpdateMode.before
    /// Rows for which it is false are left out, before `skip` and `limit` count.
    public var postFilter: (@Sendable (ViewQueryRow) throws -> Bool)?
    /// Another order than that of keys.
    public var sortDescriptors: [ViewSort] = []
    /// Words to look for in the texts that the map function emits, in SQLite's syntax for full-text queries.
    public var fullTextQuery: String?
    /// Looks in texts that were emitted with this language only.
    public var fullTextLanguage: String?
    /// Gives the best matches first; otherwise the order is that of sequences.
    public var fullTextRanking = true
    /// Whether rows can show a part of the text with the matches.
    public var fullTextSnippets = false
    /// Only rows whose shapes share more than an edge with it.
    public var boundingBox: ViewBox?

    init(_ view: View) { self.view = view }

    /// The rows, as they are now.
    public func run() throws -> ViewResult { try prepared().run(nil) }

    /// A query of the same kind that runs again when the collection changes. Later changes of this object do not reach it.
    public func live() throws -> LiveViewQuery { LiveViewQuery(try prepared()) }

    /// What may take long, for code that must not wait.
    public var async: Async { Async(query: Swift.Result { try prepared() }) }

    /// What can be awaited of a query, with the options that it had when this was asked for.
    public struct Async: Sendable {
        let query: Swift.Result<PreparedViewQuery, any Error>

        /// The rows, as they are now. When the task is cancelled, the query ends.
        public func run() async throws -> ViewResult {
            let query = try query.get()
            let cancellation = ViewCancellation()
            return try await query.view.collection.database.asyncWork.read(interruptedBy: { cancellation.cancel() }) {
                try query.run(cancellation)
            }
        }
    }

    private func prepared() throws -> PreparedViewQuery {
        let (store, definition) = try view.defined()
        return PreparedViewQuery(view: view, store: store, definition: definition, core: try core(), prefetches: prefetch)
    }

    private func core() throws -> CBLViews.ViewQuery {
        var core = CBLViews.ViewQuery(startKey: try startKey?.core, endKey: try endKey?.core, keys: try keys?.map { try $0.core ?? .null })
        core.startKeyDocumentID = startKeyDocumentID
        core.endKeyDocumentID = endKeyDocumentID
        core.inclusiveStart = inclusiveStart
        core.inclusiveEnd = inclusiveEnd
        core.prefixMatchLevel = prefixMatchLevel
        core.descending = descending
        core.skip = skip
        core.limit = limit
        core.reduces = mapOnly ? false : nil
        core.group = group
        core.groupLevel = groupLevel
        core.sort = sortDescriptors.map { CBLViews.ViewSort($0.path, descending: !$0.ascending) }
        core.updateMode =
            switch indexUpdateMode {
            case .before: .before
            case .never: .never
            case .after: .after
            }
        if let fullTextQuery {
            core.fullText = FullTextRequest(fullTextQuery, language: fullTextLanguage)
            core.fullText?.ranks = fullTextRanking
            core.fullText?.snippets = fullTextSnippets
        }
        core.box = boundingBox?.core
        if let postFilter {
            core.postFilter = { [collection = view.collection] row in
                var rows = RowMemory(collection)
                try rows.append(row)
                return try postFilter(ViewResult(rows)[0])
            }
        }
        return core
    }
}

/// An order for rows, by a part of them.
///
///     query.sortDescriptors = [ViewSort("value.population", ascending: false), ViewSort("key[1]")]
public struct ViewSort: Sendable {
    /// `key`, `value` or `id`, and perhaps where in it: `value.name`, `key[1]`.
    public var path: String
    /// Whether the least comes first.
    public var ascending: Bool

    /// By a path, the least first unless that is to be otherwise.
    public init(_ path: String, ascending: Bool = true) {
        self.path = path
        self.ascending = ascending
    }
}
