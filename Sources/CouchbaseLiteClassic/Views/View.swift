internal import CBLStore
internal import CBLViews
import CouchbaseLiteSwift

import class CouchbaseLiteSwift.Collection

/// A map/reduce view of a collection: an index that a function of the program fills with rows, each a key and perhaps a value, for every document.
///
///     let view = collection.view("byCity")
///     view.setMap(version: "1") { document, emit in
///         emit(document["city"], document["population"])
///     }
///     for row in try view.createQuery().run() { print(row.key.string ?? "", row.documentID) }
///
/// What it is defined as holds for this database object, and has to be defined each time that the program runs; the index stays, in a file beside
/// the database. Any thread may use it. All objects for a name stand for the same view.
public final class View: Sendable {
    /// What it was called by.
    public let name: String
    /// Where the documents are that it looks at.
    public let collection: Collection

    init(_ name: String, _ collection: Collection) {
        self.name = name
        self.collection = collection
    }

    var store: ViewStore { collection.database.views }
    var key: ViewStore.Name { ViewStore.Name(collection: collection.coreName, view: name) }

    /// The store if the database is open and the collection there, and what the view is defined as.
    func defined() throws -> (ViewStore, ViewDefinition) {
        _ = try collection.openCore()
        let store = store
        guard let definition = store[key] else {
            throw libraryError(CBLError.notFound, "The view \"\(name)\" has no map function.")
        }
        return (store, definition)
    }

    /// Whether it has a map function in this program.
    public var isDefined: Bool { store[key] != nil }

    /// What the map function was given as its version; nil without one.
    public var version: String? { store[key]?.version }

    /// A query for the rows, all of them until it is told otherwise.
    public func createQuery() -> ViewQuery { ViewQuery(self) }

    /// Forgets the functions, and deletes the index.
    public func delete() throws {
        try deleteIndex()
        store[key] = nil
    }
}

extension Collection {
    /// The view of a name, to be defined or asked.
    public func view(_ name: String) -> View { View(name, self) }

    /// The view of a name, if it is defined in this program or has an index; nil otherwise.
    public func existingView(named name: String) throws -> View? { try allViews().first { $0.name == name } }

    /// The views that are defined in this program or have an index, by name.
    public func allViews() throws -> [View] {
        _ = try openCore()
        let store = database.views
        let indexed = try translatingViewErrors { try store.index.entries() }.filter { $0.collection == coreName.description }.map(\.name)
        return Set(indexed + store.all(in: coreName).map(\.name)).sorted().map { View($0, self) }
    }

    /// Brings the indexes of all views that are defined up to date, looking at each changed document once.
    public func updateViews() throws {
        _ = try openCore()
        let store = database.views
        try translatingViewErrors { _ = try store.index.update(store.all(in: coreName), ViewStore.options()) }
    }
}
