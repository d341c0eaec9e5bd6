import CouchbaseLiteSwift

/// A property of a model that is another model, or a list of models: the document has their IDs. The same ID always gives the same object. IDs without
/// a document give none, and are gone when a list is written.
///
///     @Relation var list: TaskList?
///     @Relation var blockedBy: [Task]
///     @Relation(collection: "people") var owner: Person?
@propertyWrapper public final class Relation<Value: RelationValue>: StoredField {
    var key: String
    private let collection: String?

    /// The collection, of the same scope, that has the other models' documents; nil for that of the model itself.
    public init(_ key: String = "", collection: String? = nil) {
        self.key = key
        self.collection = collection
    }

    func setInitial(in document: MutableDocument) {}

    /// Not to be used: it is the model that has the value.
    @available(*, unavailable, message: "only properties of models are relations")
    public var wrappedValue: Value {
        get { Value(related: []) }
        set {}
    }

    /// What is read and written of a model.
    public static subscript<Owner: Model>(
        _enclosingInstance owner: Owner, wrapped property: ReferenceWritableKeyPath<Owner, Value>,
        storage relation: ReferenceWritableKeyPath<Owner, Relation<Value>>
    ) -> Value {
        get {
            let relation = owner[keyPath: relation]
            let ids = owner.read(property, relation.key).map { Value.relatedIDs(in: $0) } ?? []
            return Value(related: ids.compactMap { owner.related(Value.Related.self, $0, relation.collection) })
        }
        set {
            let relation = owner[keyPath: relation]
            for model in newValue.related { owner.adopt(model, relation.collection) }
            owner.write(property, relation.key, newValue.storedIDs)
        }
    }
}

/// What a ``Relation`` can be: a model that may be missing, or an array of models.
public protocol RelationValue {
    /// What class the other models are of.
    associatedtype Related: Model
    /// With those that were found.
    init(related: [Related])
    /// All of them.
    var related: [Related] { get }
    /// What a document is to have; nil for nothing.
    var storedIDs: Any? { get }
    /// The IDs in what a document has; none if it has something else.
    static func relatedIDs(in stored: Any) -> [String]
}

extension Optional: RelationValue where Wrapped: Model {
    /// The model, if it was found.
    public init(related: [Wrapped]) { self = related.first }
    /// The model, if there is one.
    public var related: [Wrapped] { map { [$0] } ?? [] }
    /// The ID itself.
    public var storedIDs: Any? { self?.id }
    /// The ID itself.
    public static func relatedIDs(in stored: Any) -> [String] { (stored as? String).map { [$0] } ?? [] }
}

extension Array: RelationValue where Element: Model {
    /// The models.
    public init(related: [Element]) { self = related }
    /// The models.
    public var related: [Element] { self }
    /// An array of the IDs.
    public var storedIDs: Any? { map(\.id) }
    /// The strings of an array.
    public static func relatedIDs(in stored: Any) -> [String] { [String].fromStored(stored) ?? [] }
}
