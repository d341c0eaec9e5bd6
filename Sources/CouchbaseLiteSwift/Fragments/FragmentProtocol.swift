import Foundation

/// What is at a place, as each type.
public protocol FragmentProtocol {
    var value: Any? { get }
    var string: String? { get }
    var int: Int { get }
    var int64: Int64 { get }
    var float: Float { get }
    var double: Double { get }
    var number: NSNumber? { get }
    var boolean: Bool { get }
    var date: Date? { get }
    var blob: Blob? { get }
    var array: ArrayObject? { get }
    var dictionary: DictionaryObject? { get }
    var exists: Bool { get }
}

/// A place that can be written to.
public protocol MutableFragmentProtocol: FragmentProtocol {
    var value: Any? { get set }
    var string: String? { get set }
    var number: NSNumber? { get set }
    var int: Int { get set }
    var int64: Int64 { get set }
    var float: Float { get set }
    var double: Double { get set }
    var boolean: Bool { get set }
    var date: Date? { get set }
    var blob: Blob? { get set }
    var array: MutableArrayObject? { get set }
    var dictionary: MutableDictionaryObject? { get set }
}
