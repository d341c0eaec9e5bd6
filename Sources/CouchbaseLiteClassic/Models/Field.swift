import CouchbaseLiteSwift

/// A property of a model that is one of its document's properties, by default of the same name.
///
///     final class Task: Model {
///         @Field var title = ""
///         @Field("due_date") var due: Date?
///         @Field var photo: Blob?
///     }
@propertyWrapper public final class Field<Value: ModelValue>: StoredField {
    private let initial: Value
    var key: String

    /// With what it is as long as the document has nothing of its name.
    public init(wrappedValue: Value, _ key: String = "") {
        initial = wrappedValue
        self.key = key
    }

    /// Nothing to begin with.
    public convenience init(_ key: String = "") where Value: ExpressibleByNilLiteral { self.init(wrappedValue: nil, key) }

    func setInitial(in document: MutableDocument) {
        if !document.contains(key: key), let stored = initial.stored { document.setValue(stored, forKey: key) }
    }

    /// Not to be used: it is the model that has the value.
    @available(*, unavailable, message: "only properties of models are fields")
    public var wrappedValue: Value {
        get { initial }
        set {}
    }

    /// What is read and written of a model.
    public static subscript<Owner: Model>(
        _enclosingInstance owner: Owner, wrapped property: ReferenceWritableKeyPath<Owner, Value>,
        storage field: ReferenceWritableKeyPath<Owner, Field<Value>>
    ) -> Value {
        get {
            let field = owner[keyPath: field]
            return owner.read(property, field.key).flatMap { Value.fromStored($0) } ?? field.initial
        }
        set { owner.write(property, owner[keyPath: field].key, newValue.stored) }
    }
}

/// What a model finds in itself.
protocol StoredField: AnyObject {
    /// Empty until it is known what the property is called.
    var key: String { get set }
    /// Before the document of a new model is saved, so that queries find what was never set.
    func setInitial(in document: MutableDocument)
}
