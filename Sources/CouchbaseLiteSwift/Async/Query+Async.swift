internal import CBLQuery
import Foundation

extension Query {
    /// The query for async code: the same calls, which let other tasks run while they wait.
    public var async: Async { Async(query: self) }

    /// What can be awaited of a query. It is run with the parameters that it has at the call. When the task is cancelled, a run that is under way
    /// ends, with `CancellationError`.
    public struct Async: Sendable {
        let query: Query

        /// Runs the query, and reads all of its rows, so that nobody has to wait for them. What keeps them from being read is thrown.
        public func execute() async throws -> ResultSet {
            let (query, parameters, cancellation) = (query, query.encodedParameters, QueryCancellation())
            return try await query.database.asyncWork.read(endedBy: cancellation) {
                try query.allRows(parameters, QueryOptions(cancellation: cancellation))
            }
        }

        /// Runs the query, and gives its rows as a type of the program: see ``Query/execute(as:dataKey:)``.
        public func execute<Row: AsyncDecodable>(as type: Row.Type, dataKey: String? = nil) async throws -> sending [Row] {
            let (query, parameters, cancellation) = (query, query.encodedParameters, QueryCancellation())
            return try await query.database.asyncWork.read(endedBy: cancellation) {
                let rows = try query.openRows(parameters, QueryOptions(cancellation: cancellation))
                return try ResultSet(rows, query.shape(rows.titles)).data(as: type, dataKey: dataKey)
            }
        }

        /// The rows of the query, read from the database as they are asked for: for results that need not all be in memory.
        ///
        ///     for try await row in query.async.rows() { print(row.string(at: 0) ?? "") }
        public func rows() -> AsyncRows { AsyncRows(query: query, parameters: query.encodedParameters) }

        /// How the query will be run: see ``Query/explain()``.
        public func explain() async throws -> String {
            let query = query
            return try await query.database.asyncWork.read { try query.explain() }
        }
    }
}

/// The rows of a query, one after another. It is run anew for each iterator, when that is asked for its first row; the rows are those of that moment.
/// What keeps rows from being read is thrown, `CancellationError` when the task is cancelled.
public struct AsyncRows: AsyncSequence, Sendable {
    public typealias Element = Result
    public typealias AsyncIterator = Iterator

    fileprivate let query: Query
    fileprivate let parameters: QueryParameters

    /// Stands before the first row.
    public func makeAsyncIterator() -> Iterator { Iterator(query, parameters) }

    /// Goes through the rows once. A task that is cancelled ends it.
    public struct Iterator: AsyncIteratorProtocol {
        private enum State {
            case new(QueryParameters)
            case open(OpenRows, RowShape)
            case over
        }

        private let query: Query
        private let cancellation = QueryCancellation()
        private var state: State
        private var block: RowBlock?
        private var row = 0

        fileprivate init(_ query: Query, _ parameters: QueryParameters) {
            self.query = query
            state = .new(parameters)
        }

        /// The next row; nil if there is none. Behind an error there is none.
        public mutating func next() async throws -> Result? {
            do {
                try Task.checkCancellation()
                while true {
                    guard case .open(let rows, let shape) = state else {
                        guard case .new(let parameters) = state else { return nil }
                        try await open(parameters)
                        continue
                    }
                    if let block, row < block.count {
                        defer { row += 1 }
                        return Result(block, row, shape)
                    }
                    row = 0
                    let (work, cancellation) = (query.database.asyncWork, cancellation)
                    let database = query.database
                    block = try await work.read(endedBy: cancellation) { try database.whileOpen { try rows.nextBlock() } }
                    if block == nil { state = .over }
                }
            } catch {
                state = .over
                block = nil
                throw error
            }
        }

        private mutating func open(_ parameters: QueryParameters) async throws {
            let (query, cancellation) = (query, cancellation)
            let rows = try await query.database.asyncWork.read(endedBy: cancellation) {
                try query.openRows(parameters, QueryOptions(cancellation: cancellation))
            }
            state = .open(rows, query.shape(rows.titles))
        }
    }
}
