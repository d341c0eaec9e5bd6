internal import CBLFleece
import CouchbaseLiteSwift

import class CouchbaseLiteSwift.Database

/// A value that a map or reduce function is lent, or the place where there is none: `document["contact"]["phones"][0].string` is nil if any part of the
/// way is missing. It is read where it lies, and there is nothing in it any more once the function has returned.
public struct MapValue {
    let loan: MapLoan
    private let lent: Value
    private let number: Int

    init(_ value: Value, _ loan: MapLoan) {
        lent = value
        self.loan = loan
        number = loan.number
    }

    /// Undefined if the loan is over.
    var current: Value { loan.number == number ? lent : .undefined }

    /// Whether there is something, be it null.
    public var exists: Bool { !current.isUndefined }

    /// The string that is there; nil if there is none.
    public var string: String? { current.string }

    /// The number that is there, its fraction cut off; 1 for true; 0 if there is none.
    public var int: Int { Int(int64) }

    /// The number that is there, its fraction cut off; 1 for true; 0 if there is none.
    public var int64: Int64 {
        let value = current
        if let whole = value.integer { return whole }
        if value.boolean == true { return 1 }
        guard let number = value.double, !number.isNaN else { return 0 }
        return Int64(exactly: number.rounded(.towardZero)) ?? (number < 0 ? .min : .max)
    }

    /// The number that is there; 1 for true; 0 if there is none.
    public var double: Double { current.double ?? (current.boolean == true ? 1 : 0) }

    /// The number that is there, in 32 bits; 1 for true; 0 if there is none.
    public var float: Float { Float(double) }

    /// False for false, 0, null and what is missing; true for all else.
    public var boolean: Bool {
        let value = current
        return switch value.kind {
        case .undefined, .null: false
        case .boolean: value.boolean ?? false
        case .integer: value.integerBits != 0
        case .double: value.double != 0
        case .string, .data, .array, .dictionary: true
        }
    }

    /// The date that the string there says, in ISO 8601; nil if it says none.
    public var date: Date? { string.flatMap(ISO8601.date) }

    /// A copy of what is there: a string, an `NSNumber`, `NSNull`, a blob, an array or a dictionary; nil if nothing is.
    public var value: Any? { copy.value }

    /// The blob that is there; nil if there is none.
    public var blob: Blob? { copy.blob }

    /// The items of the array that is there; nil if there is none.
    public var array: [MapValue]? { current.array.map { array in array.map { MapValue($0, loan) } } }

    /// The names in the dictionary that is there; none if there is none.
    public var keys: [String] { current.dictionary.map { pairs in pairs.compactMap { $0.key.keyString(loan.keys) } } ?? [] }

    /// How many items or properties the array or dictionary has; 0 for anything else.
    public var count: Int { current.array?.count ?? current.dictionary?.count ?? 0 }

    /// The place of an item of the array.
    public subscript(index: Int) -> MapValue {
        guard let array = current.array, array.indices.contains(index) else { return MapValue(.undefined, loan) }
        return MapValue(array[index], loan)
    }

    /// The place of a property of the dictionary.
    public subscript(key: String) -> MapValue {
        MapValue(current.dictionary?.value(forKey: key, among: loan.names) ?? .undefined, loan)
    }

    private var copy: Fragment { loan.copy(current) }
}

/// What lends values to a function for the time of one call.
final class MapLoan {
    /// Each call has its own.
    @exclusivity(unchecked) private(set) var number = 0
    @exclusivity(unchecked) private(set) var keys: SharedKeys?
    @exclusivity(unchecked) private(set) var names: SharedKeys.Names?
    private let database: WeakDatabase

    init(_ database: WeakDatabase) { self.database = database }

    func begin(keys: SharedKeys? = nil, names: SharedKeys.Names? = nil) {
        number &+= 1
        self.keys = keys
        self.names = names
    }

    func end() { number &+= 1 }

    func copy(_ value: Value) -> Fragment {
        let encoder = FleeceEncoder()
        encoder.beginArray()
        if !value.isUndefined { encoder.write(value, keys: keys) }
        encoder.endArray()
        return Fragment(wrapped: (try? encoder.finish()) ?? .emptyArray, database: database.database)
    }
}

/// A database that whoever is kept by it knows.
final class WeakDatabase: @unchecked Sendable {
    // Sendable: references that are weak are safe to read from anywhere.
    private(set) weak var database: Database?

    init(_ database: Database) { self.database = database }
}
