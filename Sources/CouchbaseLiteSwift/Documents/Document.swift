internal import CBLFleece
package import CBLStore
import Foundation

/// A document as it was when it was read. What happens in the database afterwards does not change it.
public class Document: DictionaryProtocol, Equatable, Hashable, Sequence, @unchecked Sendable {
    public typealias Element = String
    public typealias Iterator = IndexingIterator<[String]>

    /// The document's name in its collection.
    public let id: String
    let storage: DictionaryStorage
    /// Where it stands in the database; others are told after it was saved.
    package let place: DocumentPlace

    init(id: String, _ storage: DictionaryStorage, _ place: DocumentPlace) {
        self.id = id
        self.storage = storage
        self.place = place
    }

    /// The revision that was read or saved last; nil until the first save.
    public var revisionID: String? { place.revision?.text }

    /// When this revision was made, in nanoseconds since 1970; 0 until the first save.
    public var timestamp: UInt64 { place.timestamp }

    /// The number of the last change in the order of its collection; 0 until the first save.
    public var sequence: UInt64 { place.sequence }

    /// Where it is stored; nil until the first save.
    public var collection: Collection? { place.collection }

    /// All revisions that are known of it, as text, for tests.
    public func _getRevisionHistory() -> String? { place.history(of: id) }

    /// A copy that can be changed and saved.
    public func toMutable() -> MutableDocument {
        programmerErrorUnless(!place.isLent, .internalInconsistency, "A document that a filter looks at cannot be changed.")
        return MutableDocument(copying: self)
    }

    /// How many properties there are, nulls among them.
    public var count: Int { storage.count }

    /// The names of all properties.
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

    /// Whether there is such a property, be it null.
    public func contains(key: String) -> Bool { storage.entry(key).exists }

    /// A copy made of Swift's dictionaries and arrays. Numbers are `NSNumber`, null is `NSNull`, blobs stay blobs.
    public func toDictionary() -> [String: Any] { storage.plainDictionary() }

    /// Goes through the names of the properties.
    public func makeIterator() -> IndexingIterator<[String]> { keys.makeIterator() }

    /// The place of a property, whether there is one or not.
    public subscript(key: String) -> Fragment { Fragment(self, key) }

    /// Whether they are of the same name and collection, and have equal properties.
    public static func == (doc1: Document, doc2: Document) -> Bool {
        doc1 === doc2 || (doc1.id == doc2.id && doc1.collection == doc2.collection && doc1.storage.isEqual(to: doc2.storage))
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
        storage.hash(into: &hasher)
    }

    /// The properties as compact JSON, their names as they are stored.
    public func toJSON() -> String { storage.json }
}

extension Document {
    /// Properties as a collection has them, read where they lie.
    package convenience init(id: String, _ properties: DocumentProperties, _ place: DocumentPlace, of collection: Collection) {
        let stored = StoredValues(properties.data, keys: properties.keys, database: collection.database)
        self.init(id: id, DictionaryStorage(stored.root, in: stored, isMutable: false), place)
    }
}
