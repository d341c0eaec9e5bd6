import Foundation

/// What has places by index.
public protocol ArrayFragment {
    /// The place of an item. Beyond the end there is a place with nothing in it.
    subscript(index: Int) -> Fragment { get }
}

/// What has places by key.
public protocol DictionaryFragment {
    /// The place of a key, whether there is something or not.
    subscript(key: String) -> Fragment { get }
}

/// Reading values by key: documents, dictionaries and rows.
public protocol DictionaryProtocol: DictionaryFragment {
    /// How many properties there are, nulls among them.
    var count: Int { get }
    /// The names of all properties, in no particular order.
    var keys: [String] { get }
    /// What is under the key: a string, an `NSNumber`, `NSNull`, a blob, an array or a dictionary; nil if there is nothing.
    func value(forKey key: String) -> Any?
    /// The string under the key; nil if there is none, or another type.
    func string(forKey key: String) -> String?
    /// The number or boolean under the key; nil if there is neither.
    func number(forKey key: String) -> NSNumber?
    /// The number under the key, its fraction cut off; 1 for true; 0 if there is none.
    func int(forKey key: String) -> Int
    /// The number under the key, its fraction cut off; 1 for true; 0 if there is none.
    func int64(forKey key: String) -> Int64
    /// The number under the key; 1 for true; 0 if there is none.
    func float(forKey key: String) -> Float
    /// The number under the key; 1 for true; 0 if there is none.
    func double(forKey key: String) -> Double
    /// False for false, 0, null and what is missing; true for all else.
    func boolean(forKey key: String) -> Bool
    /// The date that the string under the key says, in ISO 8601; nil if it says none. Without a time zone it is local.
    func date(forKey key: String) -> Date?
    /// The blob under the key; nil if there is none, or another type.
    func blob(forKey key: String) -> Blob?
    /// The array under the key; nil if there is none, or another type.
    func array(forKey key: String) -> ArrayObject?
    /// The dictionary under the key; nil if there is none, or another type.
    func dictionary(forKey key: String) -> DictionaryObject?
    /// Whether there is such a property, be it null.
    func contains(key: String) -> Bool
    /// A copy made of Swift's dictionaries and arrays. Numbers are `NSNumber`, null is `NSNull`, blobs stay blobs.
    func toDictionary() -> [String: Any]
}

/// Reading values by index: arrays and rows.
public protocol ArrayProtocol: ArrayFragment {
    /// How many items there are.
    var count: Int { get }
    /// What is at the index: a string, an `NSNumber`, `NSNull`, a blob, an array or a dictionary. Beyond the end of an array the program ends.
    func value(at index: Int) -> Any?
    /// The string at the index; nil if there is none, or another type.
    func string(at index: Int) -> String?
    /// The number at the index, its fraction cut off; 1 for true; 0 if there is none.
    func int(at index: Int) -> Int
    /// The number at the index, its fraction cut off; 1 for true; 0 if there is none.
    func int64(at index: Int) -> Int64
    /// The number at the index; 1 for true; 0 if there is none.
    func float(at index: Int) -> Float
    /// The number at the index; 1 for true; 0 if there is none.
    func double(at index: Int) -> Double
    /// The number or boolean at the index; nil if there is neither.
    func number(at index: Int) -> NSNumber?
    /// False for false, 0, null and what is missing; true for all else.
    func boolean(at index: Int) -> Bool
    /// The blob at the index; nil if there is none, or another type.
    func blob(at index: Int) -> Blob?
    /// The date that the string at the index says, in ISO 8601; nil if it says none. Without a time zone it is local.
    func date(at index: Int) -> Date?
    /// The array at the index; nil if there is none, or another type.
    func array(at index: Int) -> ArrayObject?
    /// The dictionary at the index; nil if there is none, or another type.
    func dictionary(at index: Int) -> DictionaryObject?
    /// A copy made of Swift's arrays and dictionaries. Numbers are `NSNumber`, null is `NSNull`, blobs stay blobs.
    func toArray() -> [Any]
    /// The items as compact JSON. What can still change has none: it ends the program.
    func toJSON() -> String
}

/// What has places by index, to be written to.
public protocol MutableArrayFragment {
    /// The place of an item, to be read and written. What is written beyond the end goes nowhere.
    subscript(index: Int) -> MutableFragment { get }
}

/// What has places by key, to be written to.
public protocol MutableDictionaryFragment {
    /// The place of a key, to be read and written.
    subscript(key: String) -> MutableFragment { get }
}

/// Writing values by key: documents and dictionaries.
public protocol MutableDictionaryProtocol: DictionaryProtocol, MutableDictionaryFragment {
    /// Puts any value that documents can hold under the key; nil is null, another type ends the program.
    @discardableResult func setValue(_ value: Any?, forKey key: String) -> Self
    /// Puts a string under the key; nil is null.
    @discardableResult func setString(_ value: String?, forKey key: String) -> Self
    /// Puts a number or a boolean under the key; nil is null.
    @discardableResult func setNumber(_ value: NSNumber?, forKey key: String) -> Self
    /// Puts a number under the key.
    @discardableResult func setInt(_ value: Int, forKey key: String) -> Self
    /// Puts a number under the key.
    @discardableResult func setInt64(_ value: Int64, forKey key: String) -> Self
    /// Puts a number of 32 bits under the key.
    @discardableResult func setFloat(_ value: Float, forKey key: String) -> Self
    /// Puts a number of 64 bits under the key.
    @discardableResult func setDouble(_ value: Double, forKey key: String) -> Self
    /// Puts a boolean under the key.
    @discardableResult func setBoolean(_ value: Bool, forKey key: String) -> Self
    /// Puts a date under the key, as a string in ISO 8601 with milliseconds; nil is null.
    @discardableResult func setDate(_ value: Date?, forKey key: String) -> Self
    /// Puts a blob under the key, whose content is stored with the document; nil is null.
    @discardableResult func setBlob(_ value: Blob?, forKey key: String) -> Self
    /// Puts an array under the key; one that can change stays shared, another is copied.
    @discardableResult func setArray(_ value: ArrayObject?, forKey key: String) -> Self
    /// Puts a dictionary under the key; one that can change stays shared, another is copied.
    @discardableResult func setDictionary(_ value: DictionaryObject?, forKey key: String) -> Self
    /// Has these properties instead of all that there were.
    @discardableResult func setData(_ data: [String: Any]) -> Self
    /// Has the properties of a JSON object instead of all that there were. Throws `invalidJSON` if it is none.
    @discardableResult func setJSON(_ json: String) throws -> Self
    /// Takes out what is under the key. If there is nothing, nothing happens.
    @discardableResult func removeValue(forKey key: String) -> Self
    /// The array under the key, which can be changed in place; nil if there is none.
    func array(forKey key: String) -> MutableArrayObject?
    /// The dictionary under the key, which can be changed in place; nil if there is none.
    func dictionary(forKey key: String) -> MutableDictionaryObject?
}

/// Writing values by index: arrays.
public protocol MutableArrayProtocol: ArrayProtocol, MutableArrayFragment {
    /// Replaces the item at the index by any value that documents can hold; nil is null, another type ends the program. An index that does not
    /// exist ends the program.
    @discardableResult func setValue(_ value: Any?, at index: Int) -> Self
    /// Replaces the item at the index by a string; nil is null.
    @discardableResult func setString(_ value: String?, at index: Int) -> Self
    /// Replaces the item at the index by a number or a boolean; nil is null.
    @discardableResult func setNumber(_ value: NSNumber?, at index: Int) -> Self
    /// Replaces the item at the index by a number.
    @discardableResult func setInt(_ value: Int, at index: Int) -> Self
    /// Replaces the item at the index by a number.
    @discardableResult func setInt64(_ value: Int64, at index: Int) -> Self
    /// Replaces the item at the index by a number of 32 bits.
    @discardableResult func setFloat(_ value: Float, at index: Int) -> Self
    /// Replaces the item at the index by a number of 64 bits.
    @discardableResult func setDouble(_ value: Double, at index: Int) -> Self
    /// Replaces the item at the index by a boolean.
    @discardableResult func setBoolean(_ value: Bool, at index: Int) -> Self
    /// Replaces the item at the index by a date, as a string in ISO 8601 with milliseconds; nil is null.
    @discardableResult func setDate(_ value: Date?, at index: Int) -> Self
    /// Replaces the item at the index by a blob, whose content is stored with the document; nil is null.
    @discardableResult func setBlob(_ value: Blob?, at index: Int) -> Self
    /// Replaces the item at the index by an array; one that can change stays shared, another is copied.
    @discardableResult func setArray(_ value: ArrayObject?, at index: Int) -> Self
    /// Replaces the item at the index by a dictionary; one that can change stays shared, another is copied.
    @discardableResult func setDictionary(_ value: DictionaryObject?, at index: Int) -> Self
    /// Adds any value that documents can hold at the end; nil is null, another type ends the program.
    @discardableResult func addValue(_ value: Any?) -> Self
    /// Adds a string at the end; nil is null.
    @discardableResult func addString(_ value: String?) -> Self
    /// Adds a number or a boolean at the end; nil is null.
    @discardableResult func addNumber(_ value: NSNumber?) -> Self
    /// Adds a number at the end.
    @discardableResult func addInt(_ value: Int) -> Self
    /// Adds a number at the end.
    @discardableResult func addInt64(_ value: Int64) -> Self
    /// Adds a number of 32 bits at the end.
    @discardableResult func addFloat(_ value: Float) -> Self
    /// Adds a number of 64 bits at the end.
    @discardableResult func addDouble(_ value: Double) -> Self
    /// Adds a blob at the end, whose content is stored with the document; nil is null.
    @discardableResult func addBlob(_ value: Blob?) -> Self
    /// Adds a boolean at the end.
    @discardableResult func addBoolean(_ value: Bool) -> Self
    /// Adds a date at the end, as a string in ISO 8601 with milliseconds; nil is null.
    @discardableResult func addDate(_ value: Date?) -> Self
    /// Adds an array at the end; one that can change stays shared, another is copied.
    @discardableResult func addArray(_ value: ArrayObject?) -> Self
    /// Adds a dictionary at the end; one that can change stays shared, another is copied.
    @discardableResult func addDictionary(_ value: DictionaryObject?) -> Self
    /// Puts any value that documents can hold before the item at the index; nil is null, another type ends the program. The index may be the count.
    @discardableResult func insertValue(_ value: Any?, at index: Int) -> Self
    /// Puts a string before the item at the index; nil is null.
    @discardableResult func insertString(_ value: String?, at index: Int) -> Self
    /// Puts a number or a boolean before the item at the index; nil is null.
    @discardableResult func insertNumber(_ value: NSNumber?, at index: Int) -> Self
    /// Puts a number before the item at the index.
    @discardableResult func insertInt(_ value: Int, at index: Int) -> Self
    /// Puts a number before the item at the index.
    @discardableResult func insertInt64(_ value: Int64, at index: Int) -> Self
    /// Puts a number of 32 bits before the item at the index.
    @discardableResult func insertFloat(_ value: Float, at index: Int) -> Self
    /// Puts a number of 64 bits before the item at the index.
    @discardableResult func insertDouble(_ value: Double, at index: Int) -> Self
    /// Puts a boolean before the item at the index.
    @discardableResult func insertBoolean(_ value: Bool, at index: Int) -> Self
    /// Puts a date before the item at the index, as a string in ISO 8601 with milliseconds; nil is null.
    @discardableResult func insertDate(_ value: Date?, at index: Int) -> Self
    /// Puts a blob before the item at the index, whose content is stored with the document; nil is null.
    @discardableResult func insertBlob(_ value: Blob?, at index: Int) -> Self
    /// Puts an array before the item at the index; one that can change stays shared, another is copied.
    @discardableResult func insertArray(_ value: ArrayObject?, at index: Int) -> Self
    /// Puts a dictionary before the item at the index; one that can change stays shared, another is copied.
    @discardableResult func insertDictionary(_ value: DictionaryObject?, at index: Int) -> Self
    /// Has these items instead of all that there were.
    @discardableResult func setData(_ data: [Any]) -> Self
    /// Has the items of a JSON array instead of all that there were. Throws `invalidJSON` if it is none.
    @discardableResult func setJSON(_ json: String) throws -> Self
    /// Takes out the item at the index. An index that does not exist ends the program.
    @discardableResult func removeValue(at index: Int) -> Self
    /// The array at the index, which can be changed in place; nil if there is another type.
    func array(at index: Int) -> MutableArrayObject?
    /// The dictionary at the index, which can be changed in place; nil if there is another type.
    func dictionary(at index: Int) -> MutableDictionaryObject?
}
