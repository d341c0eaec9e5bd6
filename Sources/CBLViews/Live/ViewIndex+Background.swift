import CBLBase

/// A query that runs on another thread.
package final class BackgroundViewQuery: Sendable {
    private let cancellation: ViewCancellation
    private let queue: SerialQueue

    fileprivate init(_ cancellation: ViewCancellation, _ queue: SerialQueue) {
        self.cancellation = cancellation
        self.queue = queue
    }

    /// When this returns, the handler is not called any more, and not running either; unless it is the handler that has called this.
    package func cancel() {
        cancellation.cancel()
        queue.cancel()
    }
}

extension ViewIndex {
    /// Runs a query on one of the threads that the file has for such work, and tells the handler of its rows, or why there are none.
    @discardableResult
    package func queryInBackground(
        _ view: ViewDefinition, _ query: ViewQuery = ViewQuery(), options: IndexingOptions = IndexingOptions(),
        handler: @escaping @Sendable (Result<ViewRowList, any Error>) -> Void
    ) throws -> BackgroundViewQuery {
        try query.check(view)
        let outer = query.cancellation
        let cancellation = ViewCancellation(after: outer)
        var (inner, options) = (query, options)
        inner.cancellation = cancellation
        options.cancellation = cancellation
        let queue = SerialQueue(on: database.changeWorkers)
        queue.perform { [inner, options] in
            let result = Result<ViewRowList, any Error> { try self.rows(view, inner, options: options) }
            handler(result)
        }
        return BackgroundViewQuery(cancellation, queue)
    }
}
