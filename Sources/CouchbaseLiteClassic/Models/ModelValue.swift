import CouchbaseLiteSwift
import Foundation

/// What a ``Field`` can hold: a type that a property of a document can be read as, and written from. Enumerations with such raw values need only say
/// that they are one.
///
///     enum Priority: String, ModelValue { case low, high }
public protocol ModelValue {
    /// What a stored value says; nil if it says none of these.
    static func fromStored(_ stored: Any) -> Self?
    /// What is to be stored; nil for nothing.
    var stored: Any? { get }
}

extension RawRepresentable where Self: ModelValue, RawValue: ModelValue {
    /// What has the stored raw value.
    public static func fromStored(_ stored: Any) -> Self? { RawValue.fromStored(stored).flatMap { Self(rawValue: $0) } }
    /// The raw value.
    public var stored: Any? { rawValue.stored }
}

extension String: ModelValue {
    /// The string.
    public static func fromStored(_ stored: Any) -> String? { stored as? String }
    /// The string itself.
    public var stored: Any? { self }
}

extension Bool: ModelValue {
    /// False for 0.
    public static func fromStored(_ stored: Any) -> Bool? { (stored as? NSNumber)?.boolValue }
    /// The boolean itself.
    public var stored: Any? { self }
}

extension Int: ModelValue {
    /// The number without its fraction.
    public static func fromStored(_ stored: Any) -> Int? { (stored as? NSNumber)?.intValue }
    /// The number itself.
    public var stored: Any? { self }
}

extension Int64: ModelValue {
    /// The number without its fraction.
    public static func fromStored(_ stored: Any) -> Int64? { (stored as? NSNumber)?.int64Value }
    /// The number itself.
    public var stored: Any? { self }
}

extension Double: ModelValue {
    /// The number.
    public static func fromStored(_ stored: Any) -> Double? { (stored as? NSNumber)?.doubleValue }
    /// The number itself.
    public var stored: Any? { self }
}

extension Float: ModelValue {
    /// The number.
    public static func fromStored(_ stored: Any) -> Float? { (stored as? NSNumber)?.floatValue }
    /// The number itself.
    public var stored: Any? { self }
}

extension Date: ModelValue {
    /// The date that a string says in ISO 8601.
    public static func fromStored(_ stored: Any) -> Date? {
        (stored as? String).flatMap { MutableDictionaryObject().setString($0, forKey: "date").date(forKey: "date") }
    }
    /// The date, which is stored as a string.
    public var stored: Any? { self }
}

extension URL: ModelValue {
    /// The URL that a string says.
    public static func fromStored(_ stored: Any) -> URL? { (stored as? String).flatMap { URL(string: $0) } }
    /// As a string.
    public var stored: Any? { absoluteString }
}

extension Blob: ModelValue {
    /// The blob.
    public static func fromStored(_ stored: Any) -> Blob? { stored as? Blob }
    /// The blob itself.
    public var stored: Any? { self }
}

extension Optional: ModelValue where Wrapped: ModelValue {
    /// What the stored value says; nil where it says something else.
    public static func fromStored(_ stored: Any) -> Wrapped?? { .some(Wrapped.fromStored(stored)) }
    /// Nothing for nil.
    public var stored: Any? { flatMap(\.stored) }
}

extension Array: ModelValue where Element: ModelValue {
    /// Those elements of an array that can be read.
    public static func fromStored(_ stored: Any) -> [Element]? {
        (stored as? ArrayObject)?.toArray(of: Element.self)
    }
    /// An array of what is stored for each.
    public var stored: Any? { compactMap(\.stored) }
}

extension Dictionary: ModelValue where Key == String, Value: ModelValue {
    /// Those values of a dictionary that can be read.
    public static func fromStored(_ stored: Any) -> [String: Value]? {
        guard let dictionary = stored as? DictionaryObject else { return nil }
        var result: [String: Value] = [:]
        for key in dictionary.keys { result[key] = dictionary.value(forKey: key).flatMap { Value.fromStored($0) } }
        return result
    }
    /// A dictionary of what is stored for each.
    public var stored: Any? { compactMapValues(\.stored) }
}

extension ArrayObject {
    fileprivate func toArray<Element: ModelValue>(of type: Element.Type) -> [Element] {
        (0..<count).compactMap { value(at: $0).flatMap { Element.fromStored($0) } }
    }
}
