internal import CBLStore
internal import CBLViews
import CouchbaseLiteSwift
import Synchronization

import class CouchbaseLiteSwift.Collection
import class CouchbaseLiteSwift.Database

/// The views of a database as this program has defined them, and their index. The database keeps it, so it must not keep the database.
final class ViewStore: DatabaseService {
    struct Name: Hashable {
        let collection: CollectionName
        let view: String
    }

    let index: ViewIndex
    private let definitions = Mutex<[Name: ViewDefinition]>([:])

    init(_ core: CBLStore.Database) { index = ViewIndex(core) }

    package func stopForClosing() { index.close() }

    subscript(name: Name) -> ViewDefinition? {
        get { definitions.withLock { $0[name] } }
        set { definitions.withLock { $0[name] = newValue } }
    }

    func all(in collection: CollectionName) -> [ViewDefinition] {
        definitions.withLock { definitions in definitions.values.filter { $0.collection == collection } }.sorted { $0.name < $1.name }
    }

    /// What is indexed of a view; nil if nothing is, or by another version of it.
    func entry(_ name: Name) throws -> ViewIndex.Entry? {
        let version = self[name]?.version
        return try index.entries().first { entry in
            entry.name == name.view && entry.collection == name.collection.description && (version == nil || entry.version == version)
        }
    }

    /// Documents that a map function fails for are left out; the log names them.
    static func options(_ cancellation: ViewCancellation? = nil) -> IndexingOptions {
        IndexingOptions(cancellation: cancellation) { failure in
            log(.query, .warning, "The view \"\(failure.view)\" leaves out the document \"\(failure.documentID)\": \(failure.error)")
        }
    }

    static func logScript(_ function: String, _ text: String) { log(.query, .info, "\(function): \(text)") }
}

extension Database {
    var views: ViewStore {
        companions.get {
            let store = ViewStore(core)
            _ = services.add(store)
            return store
        }
    }
}
