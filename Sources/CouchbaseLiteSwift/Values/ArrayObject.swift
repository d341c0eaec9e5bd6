import Foundation

/// An array inside a document or a row, which cannot be changed.
public class ArrayObject: ArrayProtocol, Equatable, Hashable, Sequence, @unchecked Sendable {
    public typealias Element = Any
    public typealias Iterator = AnyIterator<Any>

    let storage: ArrayStorage

    init(_ storage: ArrayStorage) { self.storage = storage }

    /// How many values there are.
    public var count: Int { storage.count }

    private func check(_ index: Int) {
        programmerErrorUnless((0..<count).contains(index), .range, "The index \(index) is outside of the array.")
    }

    /// What is at the index: a string, an `NSNumber`, `NSNull`, a blob, an array or a dictionary.
    public func value(at index: Int) -> Any? {
        check(index)
        return storage.item(index)?.object
    }

    /// The string at the index; nil if there is none, or another type.
    public func string(at index: Int) -> String? {
        check(index)
        return withExtendedLifetime(storage) { storage.entry(index).string }
    }

    /// The number or boolean at the index; nil if there is neither.
    public func number(at index: Int) -> NSNumber? {
        check(index)
        return withExtendedLifetime(storage) { storage.entry(index).number }
    }

    /// The number at the index, its fraction cut off; 1 for true; 0 if there is none.
    public func int(at index: Int) -> Int { Int(int64(at: index)) }

    /// The number at the index, its fraction cut off; 1 for true; 0 if there is none.
    public func int64(at index: Int) -> Int64 {
        check(index)
        return withExtendedLifetime(storage) { storage.entry(index).int64 }
    }

    /// The number at the index; 1 for true; 0 if there is none.
    public func float(at index: Int) -> Float {
        check(index)
        return withExtendedLifetime(storage) { storage.entry(index).float }
    }

    /// The number at the index; 1 for true; 0 if there is none.
    public func double(at index: Int) -> Double {
        check(index)
        return withExtendedLifetime(storage) { storage.entry(index).double }
    }

    /// False for false, 0, null and what is missing; true for all else.
    public func boolean(at index: Int) -> Bool {
        check(index)
        return withExtendedLifetime(storage) { storage.entry(index).boolean }
    }

    /// The date that the string at the index says, in ISO 8601; nil if it says none. Without a time zone it is local.
    public func date(at index: Int) -> Date? {
        check(index)
        return withExtendedLifetime(storage) { storage.entry(index).date }
    }

    /// The blob at the index; nil if there is none, or another type. The same object each time.
    public func blob(at index: Int) -> Blob? {
        check(index)
        if case .blob(let blob)? = storage.item(index) { return blob }
        return nil
    }

    /// The array at the index; nil if there is none, or another type. The same object each time.
    public func array(at index: Int) -> ArrayObject? {
        check(index)
        if case .array(let array)? = storage.item(index) { return array }
        return nil
    }

    /// The dictionary at the index; nil if there is none, or another type. The same object each time.
    public func dictionary(at index: Int) -> DictionaryObject? {
        check(index)
        if case .dictionary(let dictionary)? = storage.item(index) { return dictionary }
        return nil
    }

    /// A copy made of Swift's arrays and dictionaries. Numbers are `NSNumber`, null is `NSNull`, blobs stay blobs.
    public func toArray() -> [Any] { storage.plainArray() }

    /// A copy that can be changed.
    public func toMutable() -> MutableArrayObject { MutableArrayObject(storage.mutableCopy()) }

    /// Goes through the values.
    public func makeIterator() -> AnyIterator<Any> {
        var index = 0
        return AnyIterator { [storage] in
            defer { index += 1 }
            return storage.item(index)?.object
        }
    }

    /// The place at an index, whether there is something or not.
    public subscript(index: Int) -> Fragment { Fragment(self, index) }

    /// Whether both have equal values in the same order.
    public static func == (array1: ArrayObject, array2: ArrayObject) -> Bool { array1.storage.isEqual(to: array2.storage) }

    public func hash(into hasher: inout Hasher) { storage.hash(into: &hasher) }

    /// Compact JSON.
    public func toJSON() -> String { storage.json }
}
