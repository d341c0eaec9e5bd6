import Foundation

/// What is at a place, as each type.
public protocol FragmentProtocol {
    /// What is there: a string, an `NSNumber`, `NSNull`, a blob, an array or a dictionary; nil if nothing is.
    var value: Any? { get }
    /// The string that is there; nil if there is none.
    var string: String? { get }
    /// The number that is there, its fraction cut off; 0 if there is none.
    var int: Int { get }
    /// The number that is there, its fraction cut off; 0 if there is none.
    var int64: Int64 { get }
    /// The number that is there; 0 if there is none.
    var float: Float { get }
    /// The number that is there; 0 if there is none.
    var double: Double { get }
    /// The number or boolean that is there; nil if there is neither.
    var number: NSNumber? { get }
    /// False for false, 0, null and what is missing; true for all else.
    var boolean: Bool { get }
    /// The date that the string says that is there, in ISO 8601; nil if it says none.
    var date: Date? { get }
    /// The blob that is there; nil if there is none.
    var blob: Blob? { get }
    /// The array that is there; nil if there is none.
    var array: ArrayObject? { get }
    /// The dictionary that is there; nil if there is none.
    var dictionary: DictionaryObject? { get }
    /// Whether something is there, be it null.
    var exists: Bool { get }
}

/// A place that can be written to.
public protocol MutableFragmentProtocol: FragmentProtocol {
    /// Takes anything that documents can hold; nil is stored as null. Another type ends the program.
    var value: Any? { get set }
    /// Takes a string; nil is stored as null.
    var string: String? { get set }
    /// Takes a number or a boolean; nil is stored as null.
    var number: NSNumber? { get set }
    /// Takes a number.
    var int: Int { get set }
    /// Takes a number.
    var int64: Int64 { get set }
    /// Takes a number, and keeps it in 32 bits.
    var float: Float { get set }
    /// Takes a number, and keeps it in 64 bits.
    var double: Double { get set }
    /// Takes a boolean.
    var boolean: Bool { get set }
    /// Takes a date, which is stored as a string in ISO 8601 with milliseconds; nil is stored as null.
    var date: Date? { get set }
    /// Takes a blob, whose content is stored with the document; nil is stored as null.
    var blob: Blob? { get set }
    /// Takes an array, which stays shared; nil is stored as null.
    var array: MutableArrayObject? { get set }
    /// Takes a dictionary, which stays shared; nil is stored as null.
    var dictionary: MutableDictionaryObject? { get set }
}
