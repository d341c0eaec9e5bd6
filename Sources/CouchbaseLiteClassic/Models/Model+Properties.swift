import CouchbaseLiteSwift
import Foundation
import Observation

// What fields and relations do.
extension Model {
    func read<Owner: Model, Value>(_ property: KeyPath<Owner, Value>, _ key: String) -> Any? {
        if let owner = self as? Owner { registrar.access(owner, keyPath: property) }
        registrar.access(self, keyPath: \.contents)
        return locked { document.value(forKey: key) }
    }

    func write<Owner: Model, Value>(_ property: KeyPath<Owner, Value>, _ key: String, _ stored: Any?) {
        guard let owner = self as? Owner else { return }
        let isNew = locked {
            let old = document.value(forKey: key)
            if old == nil, stored == nil { return false }
            // Containers are the document's own, and may have been changed in place.
            if let old = old as? AnyHashable, let new = stored as? AnyHashable, !(old is ArrayObject), !(old is DictionaryObject),
                old == new
            {
                return false
            }
            return true
        }
        guard isNew else { return }
        registrar.withMutation(of: owner, keyPath: property) {
            locked {
                if let stored { document.setValue(stored, forKey: key) } else { document.removeValue(forKey: key) }
                changed.insert(key)
                watch?.store.noteUnsaved(self)
                if savesByItself { scheduleAutosave() }
            }
        }
        listeners.tell(ModelChange(keys: [key], isExternal: false))
    }

    func related<Target: Model>(_ type: Target.Type, _ id: String, _ name: String?) -> Target? {
        guard let collection = relatedCollection(name) else { return nil }
        return try? collection.model(type, id: id)
    }

    /// Has a new model that belongs nowhere belong to where the relation looks for it. A new one stays until it is saved: the relation has but its ID.
    func adopt(_ target: Model, _ name: String?) {
        if target.watch == nil, let collection = relatedCollection(name) { target.attach(to: collection) }
        target.locked { if target.document.revisionID == nil { target.watch?.store.noteUnsaved(target) } }
    }

    private func relatedCollection(_ name: String?) -> Collection? {
        guard let collection, let name, name != collection.name else { return collection }
        return try? collection.database.collection(name: name, scope: collection.scope.name)
    }

    func attach(to collection: Collection) {
        let store = collection.database.modelStore
        watch = store.watch(collection)
        store.lock.withLock {
            store.add(self)
            if !changed.isEmpty { store.noteUnsaved(self) }
        }
    }
}

// Attachments as 1.x had them: blobs with names.
extension Model {
    private static let attachments = "attachments"

    /// The names of its attachments, sorted.
    public var attachmentNames: [String] { (self[Model.attachments] as? DictionaryObject)?.keys.sorted() ?? [] }

    /// The attachment of a name.
    public func attachment(named name: String) -> Blob? { (self[Model.attachments] as? DictionaryObject)?.blob(forKey: name) }

    /// Attaches a blob, in place of one of the same name; nil takes that away.
    public func setAttachment(_ blob: Blob?, named name: String) {
        var all: [String: Any] = [:]
        for name in attachmentNames { all[name] = attachment(named: name) }
        all[name] = blob
        self[Model.attachments] = all
    }
}

// Who wants to hear of changes besides observers.
extension Model {
    /// Has the listener called on a queue, by default the main one, when a property has changed.
    @discardableResult
    public func addChangeListener(queue: DispatchQueue? = nil, listener: @escaping (ModelChange) -> Void) -> ListenerToken {
        listeners.add(queue, listener)
    }

    /// The same for asynchronous code.
    public func changes() -> AsyncStream<ModelChange> {
        let listeners = listeners
        return AsyncStream { continuation in
            let token = listeners.add(DispatchQueue(label: "CouchbaseLiteClassic.changes")) { continuation.yield($0) }
            continuation.onTermination = { _ in token.remove() }
        }
    }
}
