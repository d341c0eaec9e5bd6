internal import CBLStore
import CouchbaseLiteSwift
import Foundation

import class CouchbaseLiteSwift.Collection
import class CouchbaseLiteSwift.Document

extension Model {
    /// Saves what was changed. If somebody else has changed other properties of the document meanwhile, both are kept; of the same property, this change.
    /// Throws `conflict` if the document was deleted, or, of a new model, if there is one of its ID. False if there was nothing to save.
    @discardableResult
    public func save() throws -> Bool {
        let collection = try home()
        let former = locked { (document: MutableDocument(copying: document), changed: changed) }
        // First the right to write, then the lock: whoever saves in a batch has them in this order as well.
        do { return try collection.write { _ in try locked { try saveLocked(collection) } } } catch {
            locked { restore(former.document, former.changed) }
            throw error
        }
    }

    /// After something that was not committed.
    func restore(_ document: MutableDocument, _ changed: Set<String>) {
        self.document = document
        self.changed = changed
        if !changed.isEmpty || document.revisionID == nil { watch?.store.noteUnsaved(self) }
    }

    /// Deletes the document. A new model is forgotten.
    public func delete() throws {
        let collection = try home()
        try collection.write { _ in
            try locked {
                if document.revisionID != nil { try collection.delete(document: document) }
                wasDeleted = true
                changed = []
                watch?.store.noteSaved(self)
            }
        }
        told(Set(document.keys), isExternal: false)
    }

    /// Gives up what was changed: the model is what the database says.
    public func revert() throws {
        let collection = try home()
        let keys = try locked {
            let keys = changed
            let stored = try collection.document(id: document.id)
            document = stored?.toMutable() ?? MutableDocument(id: document.id)
            changed = []
            watch?.store.noteSaved(self)
            return keys
        }
        told(keys, isExternal: false)
        didLoad()
    }

    private func home() throws -> Collection {
        if let collection { return collection }
        throw libraryError(CBLError.invalidParameter, "The model belongs to no collection: make it with init(in:id:).")
    }

    func saveLocked(_ collection: Collection) throws -> Bool {
        let isNew = document.revisionID == nil
        guard isNew || !changed.isEmpty else { return false }
        willSave(changed)
        if isNew {
            if let type = Swift.type(of: self).documentType { document.setString(type, forKey: "type") }
            for field in fields { field.setInitial(in: document) }
        }
        let kept = changed
        let isSaved = try collection.save(document: document) { mine, stored in
            guard let stored, !isNew else { return false }
            for key in Set(mine.keys).union(stored.keys) where !kept.contains(key) { mine.take(key, from: stored) }
            return true
        }
        guard isSaved else {
            throw libraryError(CBLError.conflict, "The document \"\(document.id)\" was \(isNew ? "there already" : "deleted meanwhile").")
        }
        changed = []
        wasDeleted = false
        watch?.store.noteSaved(self)
        return true
    }

    func scheduleAutosave() {
        guard !isAutosavePending, let store = watch?.store else { return }
        isAutosavePending = true
        let model = Unchecked(WeakModel(model: self))
        store.queue.asyncAfter(deadline: .now() + Swift.type(of: self).autosaveDelay) { model.value.model?.autosave() }
    }

    func autosave() {
        locked { isAutosavePending = false }
        do { if autosaves, needsSave { try save() } } catch { autosaveFailed(error) }
    }

    /// Somebody has changed the document: what is changed here stays.
    func reload() {
        guard let collection else { return }
        let keys: Set<String>? = locked {
            let found: Document?
            // What cannot be read was not deleted.
            do { found = try collection.document(id: document.id) } catch {
                log(.database, .warning, "The model of \"\(document.id)\" is not brought up to date: \(error.localizedDescription)")
                return nil
            }
            guard let stored = found else {
                guard document.revisionID != nil, !wasDeleted else { return nil }
                wasDeleted = true
                return Set(document.keys)
            }
            guard stored.revisionID != document.revisionID, document.revisionID != nil else { return nil }
            // What was saved here is committed when the lock has been given back: until then the database says what was before.
            guard stored.sequence >= document.sequence else { return nil }
            let fresh = stored.toMutable()
            for key in changed { fresh.take(key, from: document) }
            let keys = Set(document.keys).union(fresh.keys)
            document = fresh
            wasDeleted = false
            return keys
        }
        guard let keys else { return }
        told(keys, isExternal: true)
        didLoad()
    }

    private func told(_ keys: Set<String>, isExternal: Bool) {
        registrar.withMutation(of: self, keyPath: \.contents) { locked { contents &+= 1 } }
        listeners.tell(ModelChange(keys: keys, isExternal: isExternal))
    }
}

extension MutableDocument {
    fileprivate func take(_ key: String, from other: Document) {
        if let value = other.value(forKey: key) { setValue(value, forKey: key) } else { removeValue(forKey: key) }
    }
}
