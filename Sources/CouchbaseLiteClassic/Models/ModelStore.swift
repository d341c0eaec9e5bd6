import CouchbaseLiteSwift
import Foundation

/// The models of a database: those that are in use, and those that have changes.
final class ModelStore: DatabaseService, @unchecked Sendable {
    // Sendable: the lock guards all of it.

    /// Of all models of the database: their properties too. It is taken after the right to write, never before.
    let lock = NSRecursiveLock()
    /// Where the library itself saves and reloads.
    let queue = DispatchQueue(label: "CouchbaseLiteClassic.models")
    private var models: [String: WeakModel] = [:]
    private var watches: [String: WeakWatch] = [:]
    /// Kept alive until they are saved, in the order of their first changes.
    private var unsaved: [Model] = []
    private var types: [String: Model.Type] = [:]

    static func key(_ collection: Collection, _ id: String) -> String { collection.fullName + "\n" + id }

    func register(_ type: Model.Type, _ name: String) { lock.withLock { types[name] = type } }
    func type(named name: String?) -> Model.Type? { lock.withLock { name.flatMap { types[$0] } } }

    func add(_ model: Model) { models[model.key] = WeakModel(model: model) }

    /// A model that has gone. Another one may have taken its place.
    func forget(_ key: String) { lock.withLock { if models[key]?.model == nil { models[key] = nil } } }

    func model(_ key: String) -> Model? { models[key]?.model }

    func noteUnsaved(_ model: Model) { if !unsaved.contains(where: { $0 === model }) { unsaved.append(model) } }
    func noteSaved(_ model: Model) { unsaved.removeAll { $0 === model } }
    func unsavedModels(of collection: Collection) -> [Model] {
        lock.withLock { unsaved.filter { $0.collection?.fullName == collection.fullName } }
    }

    /// What saves itself does so at the last moment. The others cannot be saved any more.
    package func stopForClosing() {
        for model in lock.withLock({ unsaved }) { model.autosave() }
        let given = lock.withLock {
            defer { unsaved = [] }
            return unsaved
        }
        withExtendedLifetime(given) {}
    }

    /// The one watch over a collection, as long as some model has it.
    func watch(_ collection: Collection) -> ModelWatch {
        lock.withLock {
            if let known = watches[collection.fullName]?.watch { return known }
            let new = ModelWatch(collection, self)
            watches[collection.fullName] = WeakWatch(watch: new)
            return new
        }
    }

    func changed(_ collection: String, _ ids: [String]) {
        for id in ids {
            let model = lock.withLock { models[collection + "\n" + id]?.model }
            model?.reload()
        }
    }

    private struct WeakWatch {
        weak var watch: ModelWatch?
    }
}

struct WeakModel {
    weak var model: Model?
}

/// Hears of a collection's changes, for its models. These keep it, and nobody else does: the database goes when they do.
final class ModelWatch {
    let collection: Collection
    let store: ModelStore
    private let token: ListenerToken

    init(_ collection: Collection, _ store: ModelStore) {
        self.collection = collection
        self.store = store
        let name = collection.fullName
        token = collection.addChangeListener(queue: store.queue) { [weak store] change in store?.changed(name, change.documentIDs) }
    }

    deinit { token.remove() }
}

extension Database {
    var modelStore: ModelStore {
        companions.get {
            let store = ModelStore()
            _ = services.add(store)
            return store
        }
    }
}
