internal import CBLStore
import Foundation

/// A document that can be changed, and saved to a collection.
///
///     let document = MutableDocument(id: "hotel-1")
///     document.setString("Seaview", forKey: "name").setInt(42, forKey: "rooms")
///     try collection.save(document: document)
public final class MutableDocument: Document, MutableDictionaryProtocol, @unchecked Sendable {
    /// A new one with a name that no other has.
    public convenience init() { self.init(id: nil) }

    /// A new one. Without an ID it gets one that no other has.
    public convenience init(id: String?) {
        self.init(id: id ?? DocumentRules.newID(), DictionaryStorage(), DocumentPlace())
    }

    /// A new one with these properties, and an ID that no other has. A value that documents cannot hold ends the program.
    public convenience init(data: [String: Any]) { self.init(id: nil, data: data) }

    /// A new one with the properties of a JSON object.
    public convenience init(json: String) throws { try self.init(id: nil, json: json) }

    /// A new one with these properties. Without an ID it gets one that no other has; a value that documents cannot hold ends the program.
    public convenience init(id: String?, data: [String: Any]) {
        self.init(id: id)
        setData(data)
    }

    /// A new one with the properties of a JSON object.
    public convenience init(id: String?, json: String) throws {
        self.init(id: id)
        try setJSON(json)
    }

    override init(id: String, _ storage: DictionaryStorage, _ place: DocumentPlace) { super.init(id: id, storage, place) }

    package convenience init(copying document: Document) {
        self.init(id: document.id, document.storage.mutableCopy(), DocumentPlace(copying: document.place))
    }

    /// The document itself.
    override public func toMutable() -> MutableDocument { self }

    /// Puts any value that documents can hold under the key; nil is null.
    @discardableResult
    public func setValue(_ value: Any?, forKey key: String) -> Self {
        storage.set(key, Item(value))
        return self
    }

    /// Puts a string under the key; nil is null.
    @discardableResult
    public func setString(_ value: String?, forKey key: String) -> Self {
        storage.set(key, Item(value))
        return self
    }

    /// Puts a number under the key; nil is null.
    @discardableResult
    public func setNumber(_ value: NSNumber?, forKey key: String) -> Self {
        storage.set(key, Item(value))
        return self
    }

    /// Puts a number under the key.
    @discardableResult
    public func setInt(_ value: Int, forKey key: String) -> Self {
        storage.set(key, .integer(Int64(value)))
        return self
    }

    /// Puts a number under the key.
    @discardableResult
    public func setInt64(_ value: Int64, forKey key: String) -> Self {
        storage.set(key, .integer(value))
        return self
    }

    /// Puts a number under the key.
    @discardableResult
    public func setFloat(_ value: Float, forKey key: String) -> Self {
        storage.set(key, .float(value))
        return self
    }

    /// Puts a number under the key.
    @discardableResult
    public func setDouble(_ value: Double, forKey key: String) -> Self {
        storage.set(key, .double(value))
        return self
    }

    /// Puts a boolean under the key.
    @discardableResult
    public func setBoolean(_ value: Bool, forKey key: String) -> Self {
        storage.set(key, .boolean(value))
        return self
    }

    /// Puts a date, as a string in ISO 8601, under the key; nil is null.
    @discardableResult
    public func setDate(_ value: Date?, forKey key: String) -> Self {
        storage.set(key, Item(value))
        return self
    }

    /// Puts a blob under the key; nil is null.
    @discardableResult
    public func setBlob(_ value: Blob?, forKey key: String) -> Self {
        storage.set(key, Item(value))
        return self
    }

    /// Puts an array. One that can change stays shared, another is copied.
    @discardableResult
    public func setArray(_ value: ArrayObject?, forKey key: String) -> Self {
        storage.set(key, Item(value))
        return self
    }

    /// Puts a dictionary. One that can change stays shared, another is copied.
    @discardableResult
    public func setDictionary(_ value: DictionaryObject?, forKey key: String) -> Self {
        storage.set(key, Item(value))
        return self
    }

    /// Has these properties instead of all that there were.
    @discardableResult
    public func setData(_ data: [String: Any]) -> Self {
        storage.replaceAll(with: ItemTable(data))
        return self
    }

    /// Has the properties of a JSON object instead of all that there were.
    @discardableResult
    public func setJSON(_ json: String) throws -> Self {
        try storage.replaceAll(withJSON: json)
        return self
    }

    /// Takes out what is under the key.
    @discardableResult
    public func removeValue(forKey key: String) -> Self {
        storage.remove(key)
        return self
    }

    /// The array under the key, which can be changed in place; nil if there is none. The same object each time.
    override public func array(forKey key: String) -> MutableArrayObject? { super.array(forKey: key) as? MutableArrayObject }

    /// The dictionary under the key, which can be changed in place; nil if there is none. The same object each time.
    override public func dictionary(forKey key: String) -> MutableDictionaryObject? {
        super.dictionary(forKey: key) as? MutableDictionaryObject
    }

    /// The place of a key, to be read and written.
    override public subscript(key: String) -> MutableFragment { MutableFragment(self, key) }

    /// Not to be called: what may still change has no JSON. `toDictionary()` has what is there.
    override public func toJSON() -> String {
        programmerError(.internalInconsistency, "toJSON() is for what cannot change any more: read the document after saving it.")
    }
}
