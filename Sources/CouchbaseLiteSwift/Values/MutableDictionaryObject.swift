import Foundation

/// A dictionary that can be changed, by itself or inside a document.
public final class MutableDictionaryObject: DictionaryObject, MutableDictionaryProtocol, @unchecked Sendable {
    /// An empty one.
    public init() { super.init(DictionaryStorage()) }

    /// One with these properties. A value that documents cannot hold ends the program.
    public init(data: [String: Any]) {
        super.init(DictionaryStorage())
        setData(data)
    }

    /// The properties of a JSON object.
    public init(json: String) throws {
        super.init(DictionaryStorage())
        try setJSON(json)
    }

    override init(_ storage: DictionaryStorage) { super.init(storage) }

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
        programmerError(.internalInconsistency, "toJSON() is for what cannot change any more: read the dictionary from the saved document.")
    }
}
