import Foundation

/// A dictionary inside a document or a row, which cannot be changed.
public class DictionaryObject: DictionaryProtocol, Equatable, Hashable, Sequence, @unchecked Sendable {
    public typealias Element = String
    public typealias Iterator = IndexingIterator<[String]>

    let storage: DictionaryStorage

    init(_ storage: DictionaryStorage) { self.storage = storage }

    /// How many keys there are, those of nulls among them.
    public var count: Int { storage.count }

    /// All keys.
    public var keys: [String] { storage.names }

    /// What is there under the key: a string, an `NSNumber`, `NSNull`, a blob, an array or a dictionary; nil if there is nothing.
    public func value(forKey key: String) -> Any? {
        storage.item(key)?.object
    }

    /// The string of the key; nil if there is none, or another type.
    public func string(forKey key: String) -> String? { withExtendedLifetime(storage) { storage.entry(key).string } }

    /// The number or boolean of the key; nil if there is neither.
    public func number(forKey key: String) -> NSNumber? { withExtendedLifetime(storage) { storage.entry(key).number } }

    /// The number of the key, its fraction cut off; 1 for true; 0 if there is none.
    public func int(forKey key: String) -> Int { Int(int64(forKey: key)) }

    /// The number of the key, its fraction cut off; 1 for true; 0 if there is none.
    public func int64(forKey key: String) -> Int64 { withExtendedLifetime(storage) { storage.entry(key).int64 } }

    /// The number of the key; 1 for true; 0 if there is none.
    public func float(forKey key: String) -> Float { withExtendedLifetime(storage) { storage.entry(key).float } }

    /// The number of the key; 1 for true; 0 if there is none.
    public func double(forKey key: String) -> Double { withExtendedLifetime(storage) { storage.entry(key).double } }

    /// False for false, 0, null and what is missing; true for all else.
    public func boolean(forKey key: String) -> Bool { withExtendedLifetime(storage) { storage.entry(key).boolean } }

    /// The date that the string of the key says, in ISO 8601; nil if it says none. Without a time zone it is local.
    public func date(forKey key: String) -> Date? { withExtendedLifetime(storage) { storage.entry(key).date } }

    /// The blob of the key; nil if there is none, or another type. The same object each time.
    public func blob(forKey key: String) -> Blob? {
        if case .blob(let blob)? = storage.item(key) { return blob }
        return nil
    }

    /// The array of the key; nil if there is none, or another type. The same object each time.
    public func array(forKey key: String) -> ArrayObject? {
        if case .array(let array)? = storage.item(key) { return array }
        return nil
    }

    /// The dictionary of the key; nil if there is none, or another type. The same object each time.
    public func dictionary(forKey key: String) -> DictionaryObject? {
        if case .dictionary(let dictionary)? = storage.item(key) { return dictionary }
        return nil
    }

    /// Whether there is something under the key, be it null.
    public func contains(key: String) -> Bool { storage.entry(key).exists }

    /// A copy made of Swift's dictionaries and arrays. Numbers are `NSNumber`, null is `NSNull`, blobs stay blobs.
    public func toDictionary() -> [String: Any] { storage.plainDictionary() }

    /// A copy that can be changed.
    public func toMutable() -> MutableDictionaryObject { MutableDictionaryObject(storage.mutableCopy()) }

    /// Goes through the keys.
    public func makeIterator() -> IndexingIterator<[String]> { keys.makeIterator() }

    /// The place of a key, whether there is something or not.
    public subscript(key: String) -> Fragment { Fragment(self, key) }

    /// Whether both have equal values under the same keys.
    public static func == (dict1: DictionaryObject, dict2: DictionaryObject) -> Bool { dict1.storage.isEqual(to: dict2.storage) }

    public func hash(into hasher: inout Hasher) { storage.hash(into: &hasher) }

    /// Compact JSON, its keys as they are stored.
    public func toJSON() -> String { storage.json }
}
