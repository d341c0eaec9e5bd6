import Foundation

/// An array that can be changed, by itself or inside a document.
public final class MutableArrayObject: ArrayObject, MutableArrayProtocol, @unchecked Sendable {
    /// An empty one.
    public init() { super.init(ArrayStorage()) }

    /// One with these items. A value that documents cannot hold ends the program.
    public init(data: [Any]) { super.init(ArrayStorage(data.map { Item($0) })) }

    /// The values of a JSON array.
    public init(json: String) throws {
        super.init(ArrayStorage())
        try setJSON(json)
    }

    init(strings: [String]) { super.init(ArrayStorage(strings.map { .string($0) })) }

    override init(_ storage: ArrayStorage) { super.init(storage) }

    /// Puts any value that documents can hold in the place of what is at the index; nil is null.
    @discardableResult
    public func setValue(_ value: Any?, at index: Int) -> Self {
        storage.set(index, Item(value))
        return self
    }

    /// Puts any value that documents can hold at the end; nil is null.
    @discardableResult
    public func addValue(_ value: Any?) -> Self {
        storage.append(Item(value))
        return self
    }

    /// Puts any value that documents can hold before what is at the index; nil is null.
    @discardableResult
    public func insertValue(_ value: Any?, at index: Int) -> Self {
        storage.insert(Item(value), at: index)
        return self
    }

    /// Puts a string in the place of what is at the index; nil is null.
    @discardableResult
    public func setString(_ value: String?, at index: Int) -> Self {
        storage.set(index, Item(value))
        return self
    }

    /// Puts a string at the end; nil is null.
    @discardableResult
    public func addString(_ value: String?) -> Self {
        storage.append(Item(value))
        return self
    }

    /// Puts a string before what is at the index; nil is null.
    @discardableResult
    public func insertString(_ value: String?, at index: Int) -> Self {
        storage.insert(Item(value), at: index)
        return self
    }

    /// Puts a number in the place of what is at the index; nil is null.
    @discardableResult
    public func setNumber(_ value: NSNumber?, at index: Int) -> Self {
        storage.set(index, Item(value))
        return self
    }

    /// Puts a number at the end; nil is null.
    @discardableResult
    public func addNumber(_ value: NSNumber?) -> Self {
        storage.append(Item(value))
        return self
    }

    /// Puts a number before what is at the index; nil is null.
    @discardableResult
    public func insertNumber(_ value: NSNumber?, at index: Int) -> Self {
        storage.insert(Item(value), at: index)
        return self
    }

    /// Puts a number in the place of what is at the index.
    @discardableResult
    public func setInt(_ value: Int, at index: Int) -> Self {
        storage.set(index, .integer(Int64(value)))
        return self
    }

    /// Puts a number at the end.
    @discardableResult
    public func addInt(_ value: Int) -> Self {
        storage.append(.integer(Int64(value)))
        return self
    }

    /// Puts a number before what is at the index.
    @discardableResult
    public func insertInt(_ value: Int, at index: Int) -> Self {
        storage.insert(.integer(Int64(value)), at: index)
        return self
    }

    /// Puts a number in the place of what is at the index.
    @discardableResult
    public func setInt64(_ value: Int64, at index: Int) -> Self {
        storage.set(index, .integer(value))
        return self
    }

    /// Puts a number at the end.
    @discardableResult
    public func addInt64(_ value: Int64) -> Self {
        storage.append(.integer(value))
        return self
    }

    /// Puts a number before what is at the index.
    @discardableResult
    public func insertInt64(_ value: Int64, at index: Int) -> Self {
        storage.insert(.integer(value), at: index)
        return self
    }

    /// Puts a number in the place of what is at the index.
    @discardableResult
    public func setFloat(_ value: Float, at index: Int) -> Self {
        storage.set(index, .float(value))
        return self
    }

    /// Puts a number at the end.
    @discardableResult
    public func addFloat(_ value: Float) -> Self {
        storage.append(.float(value))
        return self
    }

    /// Puts a number before what is at the index.
    @discardableResult
    public func insertFloat(_ value: Float, at index: Int) -> Self {
        storage.insert(.float(value), at: index)
        return self
    }

    /// Puts a number in the place of what is at the index.
    @discardableResult
    public func setDouble(_ value: Double, at index: Int) -> Self {
        storage.set(index, .double(value))
        return self
    }

    /// Puts a number at the end.
    @discardableResult
    public func addDouble(_ value: Double) -> Self {
        storage.append(.double(value))
        return self
    }

    /// Puts a number before what is at the index.
    @discardableResult
    public func insertDouble(_ value: Double, at index: Int) -> Self {
        storage.insert(.double(value), at: index)
        return self
    }

    /// Puts a boolean in the place of what is at the index.
    @discardableResult
    public func setBoolean(_ value: Bool, at index: Int) -> Self {
        storage.set(index, .boolean(value))
        return self
    }

    /// Puts a boolean at the end.
    @discardableResult
    public func addBoolean(_ value: Bool) -> Self {
        storage.append(.boolean(value))
        return self
    }

    /// Puts a boolean before what is at the index.
    @discardableResult
    public func insertBoolean(_ value: Bool, at index: Int) -> Self {
        storage.insert(.boolean(value), at: index)
        return self
    }

    /// Puts a date, as a string in ISO 8601 in the place of what is at the index; nil is null.
    @discardableResult
    public func setDate(_ value: Date?, at index: Int) -> Self {
        storage.set(index, Item(value))
        return self
    }

    /// Puts a date, as a string in ISO 8601 at the end; nil is null.
    @discardableResult
    public func addDate(_ value: Date?) -> Self {
        storage.append(Item(value))
        return self
    }

    /// Puts a date, as a string in ISO 8601 before what is at the index; nil is null.
    @discardableResult
    public func insertDate(_ value: Date?, at index: Int) -> Self {
        storage.insert(Item(value), at: index)
        return self
    }

    /// Puts a blob in the place of what is at the index; nil is null.
    @discardableResult
    public func setBlob(_ value: Blob?, at index: Int) -> Self {
        storage.set(index, Item(value))
        return self
    }

    /// Puts a blob at the end; nil is null.
    @discardableResult
    public func addBlob(_ value: Blob?) -> Self {
        storage.append(Item(value))
        return self
    }

    /// Puts a blob before what is at the index; nil is null.
    @discardableResult
    public func insertBlob(_ value: Blob?, at index: Int) -> Self {
        storage.insert(Item(value), at: index)
        return self
    }

    /// Puts an array in the place of what is at the index.
    @discardableResult
    public func setArray(_ value: ArrayObject?, at index: Int) -> Self {
        storage.set(index, Item(value))
        return self
    }

    /// Puts an array at the end.
    @discardableResult
    public func addArray(_ value: ArrayObject?) -> Self {
        storage.append(Item(value))
        return self
    }

    /// Puts an array before what is at the index.
    @discardableResult
    public func insertArray(_ value: ArrayObject?, at index: Int) -> Self {
        storage.insert(Item(value), at: index)
        return self
    }

    /// Puts a dictionary in the place of what is at the index.
    @discardableResult
    public func setDictionary(_ value: DictionaryObject?, at index: Int) -> Self {
        storage.set(index, Item(value))
        return self
    }

    /// Puts a dictionary at the end.
    @discardableResult
    public func addDictionary(_ value: DictionaryObject?) -> Self {
        storage.append(Item(value))
        return self
    }

    /// Puts a dictionary before what is at the index.
    @discardableResult
    public func insertDictionary(_ value: DictionaryObject?, at index: Int) -> Self {
        storage.insert(Item(value), at: index)
        return self
    }

    /// Has these values instead of all that there were.
    @discardableResult
    public func setData(_ data: [Any]) -> Self {
        storage.replaceAll(with: data.map { Item($0) })
        return self
    }

    /// Has the values of a JSON array instead of all that there were.
    @discardableResult
    public func setJSON(_ json: String) throws -> Self {
        storage.replaceAll(with: try [Item](json: json))
        return self
    }

    /// Takes out what is at the index.
    @discardableResult
    public func removeValue(at index: Int) -> Self {
        storage.remove(index)
        return self
    }

    /// The array at the index, which can be changed in place; nil if there is none. The same object each time.
    override public func array(at index: Int) -> MutableArrayObject? { super.array(at: index) as? MutableArrayObject }

    /// The dictionary at the index, which can be changed in place; nil if there is none. The same object each time.
    override public func dictionary(at index: Int) -> MutableDictionaryObject? {
        super.dictionary(at: index) as? MutableDictionaryObject
    }

    /// The place at an index, to be read and written.
    override public subscript(index: Int) -> MutableFragment { MutableFragment(self, index) }

    /// Not to be called: what may still change has no JSON. `toDictionary()` has what is there.
    override public func toJSON() -> String {
        programmerError(.internalInconsistency, "toJSON() is for what cannot change any more: read the array from the saved document.")
    }
}
