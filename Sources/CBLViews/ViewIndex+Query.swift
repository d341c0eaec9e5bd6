import CBLBase
import CBLFleece
import CBLStore

extension ViewIndex {
    /// Lends the rows of a query, after bringing the index up to date if the query wants that. Rows must not leave `body`.
    ///
    /// If the index turns out to be damaged while `body` reads it, that is an error, and the next query makes a new one.
    package func query<Result>(
        _ view: ViewDefinition, _ query: ViewQuery = ViewQuery(), options: IndexingOptions = IndexingOptions(),
        _ body: (ViewRows) throws -> Result
    ) throws -> Result {
        try run(view, query, options, mayRepeat: false, body)
    }

    /// The rows of a query, kept.
    package func rows(_ view: ViewDefinition, _ query: ViewQuery = ViewQuery(), options: IndexingOptions = IndexingOptions()) throws
        -> ViewRowList
    {
        try run(view, query, options, mayRepeat: true) { try $0.list() }
    }

    private func run<Result>(
        _ view: ViewDefinition, _ query: ViewQuery, _ options: IndexingOptions, mayRepeat: Bool, _ body: (ViewRows) throws -> Result
    ) throws -> Result {
        try query.check(view)
        defer { if query.updateMode == .after { updateLater([view], options) } }
        var hasBegun = false
        return try recovering(unless: { hasBegun && !mayRepeat }) { file in
            func read(mayBeEmpty: Bool) throws -> Result? {
                try file.reading { index in
                    try index.transaction(writing: false) { () -> Result? in
                        let documents = DocumentLookup(database, view.collection)
                        defer { documents.end() }
                        guard try isOfDatabase(index), let state = try index.state(of: view.name, in: view.collection), state.fits(view)
                        else { return mayBeEmpty ? try body(emptyRows(query, documents)) : nil }
                        let rows = try rows(index, view, state, query, documents)
                        hasBegun = true
                        return try body(rows)
                    }
                }
            }
            // Before a second attempt as well: the index is empty then.
            let updates = query.updateMode == .before || hasBegun
            // Another process may have another function for the view, or remove its index, at any time.
            for _ in 0..<ViewIndex.mostAttempts {
                if updates { try update([view], with(query, options)) }
                if let result = try read(mayBeEmpty: !updates) { return result }
            }
            throw ViewError.notIndexed(view.name)
        }
    }

    private static let mostAttempts = 5

    private func with(_ query: ViewQuery, _ options: IndexingOptions) -> IndexingOptions {
        var options = options
        if options.cancellation == nil { options.cancellation = query.cancellation }
        return options
    }

    /// Brings indexes up to date on another thread.
    package func updateLater(_ views: [ViewDefinition], _ options: IndexingOptions = IndexingOptions()) {
        SerialQueue(on: database.changeWorkers).perform { [weak self] in _ = try? self?.update(views, options) }
    }

    private func emptyRows(_ query: ViewQuery, _ documents: DocumentLookup) -> ViewRows {
        let feed = RowFeed()
        return ViewRows(feed, ViewRow(feed, documents), query, database, ViewState(view: 0, version: "", collation: .unicode))
    }

    private func rows(
        _ index: IndexConnection, _ view: ViewDefinition, _ state: ViewState, _ query: ViewQuery, _ documents: DocumentLookup
    ) throws -> ViewRows {
        var feed: RowFeed
        let isGrouped = query.isGrouped(view)
        if let fullText = query.fullText {
            feed = state.languages.isEmpty ? RowFeed() : try FullTextFeed(index, state, fullText)
        } else if let box = query.box {
            feed = state.hasShapes ? try BoxFeed(index, state, box) : RowFeed()
        } else {
            feed = try range(index, state, query)
        }
        if isGrouped {
            if query.skip > 0 || query.limit != nil { feed = FilterFeed(feed, skip: query.skip, limit: query.limit) }
            feed = try GroupFeed(
                feed, ViewRow(feed, documents), query.reduces == false ? nil : view.reduction, groups: query.group || query.groupLevel > 0,
                level: query.groupLevel, state.collation
            ) { [database] in
                if query.cancellation?.isCancelled == true { throw ViewError.cancelled }
                if !database.isOpen { throw ViewError.closed }
            }
        }
        var sorted = feed
        if let filter = query.postFilter {
            let row = ViewRow(feed, documents)
            sorted = FilterFeed(feed, skip: 0, limit: nil) { _ in
                row.forget()
                return try filter(row)
            }
        }
        if !query.sort.isEmpty {
            var list = ViewRowList()
            let row = ViewRow(sorted, documents)
            while try sorted.next() {
                row.forget()
                try list.append(row)
            }
            try list.sort(by: query.sort)
            sorted = ListFeed(list)
        }
        if !isGrouped, query.skip > 0 || query.limit != nil {
            sorted = FilterFeed(sorted, skip: query.skip, limit: query.limit)
        }
        return ViewRows(sorted, ViewRow(sorted, documents), query, database, state)
    }

    private func range(_ index: IndexConnection, _ state: ViewState, _ query: ViewQuery) throws -> RowFeed {
        let ranges = try query.keys.map { try $0.map { try KeyRange($0, state.collation) } } ?? [try KeyRange(query, state.collation)]
        return try RangeFeed(index, state, ranges, descending: query.descending)
    }
}
