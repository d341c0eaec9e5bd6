import CouchbaseLiteSwift
import Foundation
import Observation

/// An object over a document: its properties are the document's, and it knows which of them were changed. Of one document there is one object.
///
///     final class Task: Model {
///         override class var documentType: String? { "task" }
///         @Field var title = ""
///         @Field var isDone = false
///         @Relation var list: TaskList?
///     }
///
///     let task = Task(in: collection)
///     task.title = "Water the plants"
///     try task.save()
///
/// A model belongs to the thread, actor or task that uses it, as Swift sees to. What the library does on its own, to save after a while and to take in
/// what others have changed, it does on a thread of its own, one property at a time: a lock keeps both apart. Reading a property twice can give two values.
open class Model: Observable {
    let registrar = ObservationRegistrar()
    let listeners = Listeners<ModelChange>()
    /// Stands for all properties at once, for observers.
    var contents = 0
    var fields: [any StoredField] = []
    /// Keeps the collection under watch; nil until the model belongs to one.
    var watch: ModelWatch?
    var document: MutableDocument
    var changed: Set<String> = []
    var isAutosavePending = false
    var wasDeleted = false
    var savesByItself = false

    /// A new one, which belongs to no collection yet: `init(in:id:)` is what programs call. Subclasses with initialisers of their own need this one.
    public required init() {
        document = MutableDocument()
        findFields()
    }

    /// A new one, to be saved to a collection. Without an ID it gets one that no other has; with one of a document that is there already, it cannot
    /// be saved.
    public convenience init(in collection: Collection, id: String? = nil) {
        self.init()
        document = MutableDocument(id: id)
        attach(to: collection)
    }

    deinit { watch?.store.forget(key) }

    /// What the property `type` of its documents says; nil for none. A subclass that has one can be registered: see
    /// `registerModel(_:forType:)` of the database.
    open class var documentType: String? { nil }

    /// How long a change waits to be saved by itself, in seconds.
    open class var autosaveDelay: Double { 5 }

    /// Called before the document is saved, with the names of the properties that were changed.
    open func willSave(_ changedKeys: Set<String>) {}

    /// Called after the properties have come from the database: first, and when somebody else has changed them.
    open func didLoad() {}

    /// Called if the model could not be saved by itself. It is tried again after the next change.
    open func autosaveFailed(_ error: any Error) {}

    /// The document's ID.
    public var id: String { document.id }

    /// Where its document is; nil for one that belongs to no collection yet.
    public var collection: Collection? { watch?.collection }

    /// Whether it was never saved.
    public var isNew: Bool { locked { document.revisionID == nil } }

    /// Whether its document was deleted, by whomever.
    public var isDeleted: Bool { locked { wasDeleted } }

    /// Whether it has changes that are not saved.
    public var needsSave: Bool { locked { !changed.isEmpty } }

    /// The names of the properties that have changes.
    public var changedKeys: Set<String> { locked { changed } }

    /// The revision that it was read or saved as; nil for a new one.
    public var revisionID: String? { locked { document.revisionID } }

    /// Whether changes are saved by themselves, `autosaveDelay` after the first of them.
    public var autosaves: Bool {
        get { locked { savesByItself } }
        set {
            locked {
                savesByItself = newValue
                if newValue, !changed.isEmpty { scheduleAutosave() }
            }
        }
    }

    /// A property of the document by its name, whether there is a field for it or not.
    public subscript(key: String) -> Any? {
        get { read(\Model.contents, key) }
        set { write(\Model.contents, key, newValue) }
    }

    /// What is under this model in the table of all.
    var key: String { watch.map { ModelStore.key($0.collection, document.id) } ?? "" }

    func locked<Result>(_ body: () throws -> Result) rethrows -> Result {
        guard let store = watch?.store else { return try body() }
        return try store.lock.withLock { try body() }
    }

    private func findFields() {
        var mirror: Mirror? = Mirror(reflecting: self)
        while let part = mirror, part.subjectType != Model.self {
            for child in part.children {
                guard let field = child.value as? any StoredField, let label = child.label else { continue }
                if field.key.isEmpty { field.key = String(label.drop { $0 == "_" }) }
                fields.append(field)
            }
            mirror = part.superclassMirror
        }
    }
}

/// What has changed in a model.
public struct ModelChange: Sendable, Hashable {
    /// The names of the properties.
    public let keys: Set<String>
    /// Whether somebody else has changed the document.
    public let isExternal: Bool
}
