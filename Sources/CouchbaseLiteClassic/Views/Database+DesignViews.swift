internal import CBLStore
internal import CBLViews
import CouchbaseLiteSwift

import class CouchbaseLiteSwift.Collection
import class CouchbaseLiteSwift.Database

extension Database {
    /// The views of the design documents that are stored in the database, in JavaScript, defined and ready to be asked. Their names are `DESIGN/VIEW`. One
    /// whose functions are no JavaScript, or whose collection is gone, is left out and logged.
    public func designViews() throws -> [View] {
        let core = try openCore()
        let scripts = try translatingViewErrors {
            try core.read { try $0.scriptedViews { CouchbaseLiteSwift.log(.query, .warning, $0) } }
        }
        return scripts.compactMap { script in
            do { return try view(script) } catch {
                CouchbaseLiteSwift.log(
                    .query, .warning, "The view \"\(script.name)\" of a design document is left out: \(error.localizedDescription)")
                return nil
            }
        }
    }

    /// A view of a design document by its name, `DESIGN/VIEW`; a lone word is a view of the design document `views`. Nil if there is none.
    public func designView(named name: String) throws -> View? {
        let core = try openCore()
        let script = try translatingViewErrors { try core.read { try $0.scriptedView(name) } }
        return try script.flatMap { try view($0) }
    }

    /// Stores a view in its design document, in the place of one that is there, for all programs that open the database. Throws `invalidQuery` for what
    /// is no function.
    @discardableResult
    public func saveDesignView(
        named name: String, javaScript map: String, reduce: String? = nil, in collection: Collection? = nil, documentType: String? = nil,
        collation: ViewCollation = .unicode
    ) throws -> View {
        let core = try openCore()
        var script = ScriptedView(ScriptedView.full(name), map: map, reduce: reduce)
        script.collection = collection?.coreName ?? .default
        script.documentType = documentType
        script.collation = collation.core
        let stored = script
        return try translatingViewErrors {
            _ = try stored.definition()
            try core.write { try $0.define(stored) }
            guard let view = try view(stored) else { throw ViewError.badRequest("The collection of the view \"\(name)\" is gone.") }
            return view
        }
    }

    /// Deletes a view from its design document. False if there is none.
    @discardableResult
    public func deleteDesignView(named name: String) throws -> Bool {
        let core = try openCore()
        return try translatingViewErrors { try core.write { try $0.removeView(name) } }
    }

    private func view(_ script: ScriptedView) throws -> View? {
        guard let collection = try collection(name: script.collection.name, scope: script.collection.scope) else { return nil }
        let view = View(script.name, collection)
        try view.define(script)
        return view
    }

    /// Deletes the index of all views, with the file that it is in. Queries make new ones.
    public func deleteViewIndexes() throws {
        _ = try openCore()
        views.index.removeAll()
    }
}
