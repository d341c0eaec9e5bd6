internal import CBLFleece
internal import CBLQuery
internal import CBLStore
import Foundation
import Synchronization

/// What makes queries of SQL++.
public protocol QueryFactory {
    /// A query in SQL++. Throws `invalidQuery` if it cannot be understood.
    func createQuery(_ query: String) throws -> Query
}

extension Database: QueryFactory {
    /// A query in SQL++. It is checked at once, against the collections and indexes that there are.
    public func createQuery(_ query: String) throws -> Query {
        let query = Query(self, .text(query))
        _ = try query.compiled()
        return query
    }
}

/// A query, to be run once or often, or to be kept alive.
///
///     let query = try database.createQuery("SELECT name FROM hotels WHERE city = $city")
///     query.parameters = Parameters().setString("Berlin", forName: "city")
///     for row in try query.execute() { print(row.string(at: 0) ?? "") }
public class Query: @unchecked Sendable {
    // Sendable: what changes is guarded by the lock.

    enum Source: Sendable {
        case text(String)
        case json(String)
        /// Of the query builder: mistakes are the program's.
        case clauses(QueryClauses)
    }

    private struct State {
        var compiled: CBLQuery.Query?
        var parameters: Parameters?
        var encoded = QueryParameters.none
        var observer: QueryObserver?
    }

    let source: Source
    private let givenDatabase: Database?
    private let state = Mutex(State())

    init(_ database: Database?, _ source: Source) {
        givenDatabase = database
        self.source = source
    }

    /// A query in the JSON that the query builder writes.
    convenience init(database: Database, JSONRepresentation json: Data) {
        self.init(database, .json(String(decoding: json, as: UTF8.self)))
    }

    var database: Database {
        if let givenDatabase { return givenDatabase }
        if case .clauses(let clauses) = source, let database = clauses.database { return database }
        preconditionFailure("A query must say what it reads: from(…) is missing.")
    }

    /// What the query builder has made.
    var json: Data {
        switch source {
        case .clauses(let clauses): Data(clauses.json.text.utf8)
        case .json(let text): Data(text.utf8)
        case .text: Data(((try? compiled())?.json ?? "").utf8)
        }
    }

    // MARK: Compiling

    func compiled() throws -> CBLQuery.Query {
        if let compiled = state.withLock({ $0.compiled }) { return compiled }
        let core = try database.openCore()
        let compiled = try translatingErrors {
            do { return try core.glance { try compile(on: $0) } } catch {
                guard case .clauses = source, let message = QueryErrorText.ofMistake(error) else { throw error }
                programmerError(.invalidArgument, "The query cannot be compiled: \(message)")
            }
        }
        state.withLock { $0.compiled = compiled }
        return compiled
    }

    private func compile(on snapshot: Snapshot) throws -> CBLQuery.Query {
        switch source {
        case .text(let text): try CBLQuery.Query(text, on: snapshot)
        case .json(let text): try CBLQuery.Query(text, .json, on: snapshot)
        case .clauses(let clauses): try CBLQuery.Query(clauses.json.text, .json, on: snapshot)
        }
    }

    // MARK: Running

    /// The values of the query's `$names`. It keeps a copy that cannot be changed. A live query is run again when they are set.
    public var parameters: Parameters? {
        get { state.withLock { $0.parameters } }
        set {
            let frozen = newValue?.frozen()
            let encoded: QueryParameters
            do { encoded = try frozen?.encoded() ?? .none } catch {
                programmerError(.invalidArgument, "The parameters of a query cannot be encoded: \(error)")
            }
            let observer = state.withLock { state in
                state.parameters = frozen
                state.encoded = encoded
                return state.observer
            }
            observer?.setParameters(encoded)
        }
    }

    /// What the engine is given.
    var encodedParameters: QueryParameters { state.withLock { $0.encoded } }

    /// Runs the query. Its rows are those of this moment, whatever is changed while they are read.
    public func execute() throws -> ResultSet {
        // What this transaction has changed only its own connection can see, and that goes on changing it.
        if try database.openCore().isInTransaction { return try allRows(encodedParameters) }
        return ResultSet(try openRows(encodedParameters), database)
    }

    /// Rows that are read as they are asked for.
    func openRows(_ parameters: QueryParameters, _ options: QueryOptions = QueryOptions()) throws -> OpenRows {
        let core = try database.openCore()
        let query = try compiled()
        return try database.whileOpen {
            let rows = try OpenRows(query, on: core, parameters: parameters, options: options)
            if !rows.isRead { database.openResults.add(rows) }
            return rows
        }
    }

    /// Rows that are all read.
    func allRows(_ parameters: QueryParameters, _ options: QueryOptions = QueryOptions()) throws -> ResultSet {
        let core = try database.openCore()
        let query = try compiled()
        return try database.whileOpen {
            ResultSet(try core.glance { try KeptRows(query.run(on: $0, parameters: parameters, options: options)) }, database)
        }
    }

    /// How the query will be run: what SQLite is given, and its plan, line by line. `USING INDEX` tells of an index that is used, `SCAN` of a
    /// whole collection that is gone through.
    public func explain() throws -> String {
        let core = try database.openCore()
        let query = try compiled()
        return try translatingErrors { try core.read { try query.explain(on: $0).text } }
    }

    // MARK: Listening

    /// Has the listener called on the main queue with the rows that there are, soon, and whenever they are different.
    @discardableResult
    public func addChangeListener(_ listener: @escaping (QueryChange) -> Void) -> ListenerToken {
        addChangeListener(withQueue: nil, listener)
    }

    /// Has the listener called on a queue, by default the main one, with the rows that there are, soon, and whenever they are different.
    @discardableResult
    public func addChangeListener(withQueue queue: DispatchQueue?, _ listener: @escaping (QueryChange) -> Void) -> ListenerToken {
        while true {
            let (observer, isNew) = state.withLock { state in
                if let observer = state.observer { return (observer, false) }
                let observer = QueryObserver(self)
                state.observer = observer
                return (observer, true)
            }
            // Another thread may just have removed its last listener.
            if let token = observer.add(Listener(queue, listener), startingWith: isNew ? encodedParameters : nil) { return token }
            forget(observer)
        }
    }

    func forget(_ observer: QueryObserver) {
        state.withLock { if $0.observer === observer { $0.observer = nil } }
    }
}

extension Query: CustomStringConvertible {
    /// For people who debug.
    public var description: String {
        switch source {
        case .text(let text): "\(type(of: self))[n1ql=\(text)]"
        case .json(let text): "\(type(of: self))[json=\(text)]"
        case .clauses(let clauses): "\(type(of: self))[json=\(clauses.json.text)]"
        }
    }
}

/// What a listener of a query is told.
public struct QueryChange {
    /// The object that the listener was added to.
    public let query: Query
    /// All rows that there are now, to be gone through once; nil if the query has failed.
    public let results: ResultSet?
    /// Why there are none; nil as long as the query works.
    public let error: Error?
}
