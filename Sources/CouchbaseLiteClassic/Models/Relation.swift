import CouchbaseLiteSwift

/// A property of a model that is another model: the document has its ID. The same ID always gives the same object, and nil if there is no such
/// document.
///
///     @Relation var list: TaskList?
///     @Relation(collection: "people") var owner: Person?
@propertyWrapper public final class Relation<Target: Model>: StoredField {
    var key: String
    private let collection: String?

    /// The collection, of the same scope, that has the other model's document; nil for that of the model itself.
    public init(_ key: String = "", collection: String? = nil) {
        self.key = key
        self.collection = collection
    }

    func setInitial(in document: MutableDocument) {}

    /// Not to be used: it is the model that has the value.
    @available(*, unavailable, message: "only properties of models are relations")
    public var wrappedValue: Target? {
        get { nil }
        set {}
    }

    /// What is read and written of a model.
    public static subscript<Owner: Model>(
        _enclosingInstance owner: Owner, wrapped property: ReferenceWritableKeyPath<Owner, Target?>,
        storage relation: ReferenceWritableKeyPath<Owner, Relation<Target>>
    ) -> Target? {
        get {
            let relation = owner[keyPath: relation]
            return (owner.read(property, relation.key) as? String).flatMap { owner.related(Target.self, $0, relation.collection) }
        }
        set {
            let relation = owner[keyPath: relation]
            if let newValue { owner.adopt(newValue, relation.collection) }
            owner.write(property, relation.key, newValue?.id)
        }
    }
}

/// A property of a model that is a list of other models: the document has an array of their IDs. Those that are not there are left out, and are gone
/// when the list is written.
@propertyWrapper public final class Relations<Target: Model>: StoredField {
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
    public var wrappedValue: [Target] {
        get { [] }
        set {}
    }

    /// What is read and written of a model.
    public static subscript<Owner: Model>(
        _enclosingInstance owner: Owner, wrapped property: ReferenceWritableKeyPath<Owner, [Target]>,
        storage relations: ReferenceWritableKeyPath<Owner, Relations<Target>>
    ) -> [Target] {
        get {
            let relations = owner[keyPath: relations]
            let ids = owner.read(property, relations.key).flatMap { [String].fromStored($0) } ?? []
            return ids.compactMap { owner.related(Target.self, $0, relations.collection) }
        }
        set {
            let relations = owner[keyPath: relations]
            for target in newValue { owner.adopt(target, relations.collection) }
            owner.write(property, relations.key, newValue.map(\.id))
        }
    }
}
