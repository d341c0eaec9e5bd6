internal import CBLStore
import CouchbaseLiteSwift

import class CouchbaseLiteSwift.Collection
import class CouchbaseLiteSwift.Database

extension Database {
    /// Has documents of a `type`, by default the class's own, be models of this class where nobody says which class they are of.
    public func registerModel(_ model: Model.Type, forType type: String? = nil) {
        guard let name = type ?? model.documentType else { return }
        modelStore.register(model, name)
    }
}

extension Collection {
    /// The model of a document; nil if there is no such document, or its model is of another class. The same object each time, as long as anybody has it.
    /// It is of a subclass if one is registered for what the document says of its `type`.
    public func model<M: Model>(_ type: M.Type, id: String) throws -> M? {
        try anyModel(id) { registered in registered as? M.Type ?? type } as? M
    }

    /// The model of a document, of the class that is registered for what it says of its `type`; nil if none is, or there is no such document.
    public func model(id: String) throws -> Model? { try anyModel(id) { $0 } }

    private func anyModel(_ id: String, _ choose: (Model.Type?) -> Model.Type?) throws -> Model? {
        let store = database.modelStore
        let watch = store.watch(self)
        var isNew = false
        let model: Model? = try store.lock.withLock {
            if let known = store.model(ModelStore.key(self, id)) { return known.isDeleted ? nil : known }
            guard let document = try document(id: id), let type = choose(store.type(named: document.string(forKey: "type"))) else {
                return nil
            }
            let model = type.init()
            model.document = document.toMutable()
            model.watch = watch
            store.add(model)
            isNew = true
            return model
        }
        if isNew { model?.didLoad() }
        return model
    }

    /// The models with changes that are not saved, in the order of their first changes.
    public var unsavedModels: [Model] { database.modelStore.unsavedModels(of: self) }

    /// Saves all models that have changes: all of them, or none.
    public func saveAllModels() throws { try saveModels(unsavedModels) }

    /// Saves models, all or none. If one cannot be saved, all are as they were before.
    public func saveModels(_ models: [Model]) throws {
        let store = database.modelStore
        let former = store.lock.withLock { models.map { ($0, MutableDocument(copying: $0.document), $0.changed) } }
        do {
            try write { _ in
                try store.lock.withLock {
                    for model in models {
                        guard let collection = model.collection, collection.database === database else {
                            throw libraryError(CBLError.invalidParameter, "The model belongs to no collection of this database object.")
                        }
                        _ = try model.saveLocked(collection)
                    }
                }
            }
        } catch {
            store.lock.withLock { for (model, document, changed) in former { model.restore(document, changed) } }
            throw error
        }
    }
}
