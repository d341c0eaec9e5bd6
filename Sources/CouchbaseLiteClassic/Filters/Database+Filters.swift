import CouchbaseLiteSwift
import Synchronization

import class CouchbaseLiteSwift.Database

/// Whether a document is to be replicated, by rules that have a name, and parameters that whoever uses it gives.
public typealias NamedFilter = @Sendable (Document, DocumentFlags, _ parameters: [String: String]) -> Bool

extension Database {
    /// Gives a filter a name, for configurations of replicators; nil takes it away. Replicators that run use the new one from then on.
    public func setFilter(_ name: String, _ filter: NamedFilter?) { filters.set(name, filter) }

    /// The filter of a name.
    public func filter(named name: String) -> NamedFilter? { filters[name] }

    var filters: NamedFilters { companions.get { NamedFilters() } }
}

extension CollectionConfiguration {
    /// Pushes what a filter of the database lets through. Throws `notFound` if there is none of that name.
    public mutating func setPushFilter(named name: String, parameters: [String: String] = [:]) throws {
        pushFilter = try namedFilter(name, parameters)
    }

    /// Takes what a filter of the database lets through. Throws `notFound` if there is none of that name.
    public mutating func setPullFilter(named name: String, parameters: [String: String] = [:]) throws {
        pullFilter = try namedFilter(name, parameters)
    }

    private func namedFilter(_ name: String, _ parameters: [String: String]) throws -> ReplicationFilter {
        let filters = collection.database.filters
        guard filters[name] != nil else { throw libraryError(CBLError.notFound, "There is no filter \"\(name)\".") }
        // One that was taken away lets nothing through: what it was to keep here is not to leave.
        return { document, flags in filters[name]?(document, flags, parameters) ?? false }
    }
}

/// The filters of a database by their names.
final class NamedFilters: Sendable {
    private let all = Mutex<[String: NamedFilter]>([:])

    subscript(name: String) -> NamedFilter? { all.withLock { $0[name] } }

    func set(_ name: String, _ filter: NamedFilter?) { all.withLock { $0[name] = filter } }
}
