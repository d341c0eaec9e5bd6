internal import CBLFleece
internal import CBLViews
import CouchbaseLiteSwift

/// What can be a key or a value of a row, or a part of one: texts, numbers, booleans, dates, `NSNull`, arrays and dictionaries of these, what a map
/// function is lent, and what is read from rows. Of an array or dictionary that has something else in it, nothing can be made: that is an error of the
/// query, or of the document that a map function looks at.
public protocol ViewValue {
    /// The same as a key.
    var viewKey: ViewKey { get }
}

/// A key of rows: a text, a number, or several parts of any kinds.
///
///     query.startKey = ["FR", city, 1789]
///     query.endKey = ["FR", ViewKey.last]
public struct ViewKey: ViewValue, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    let item: EmitItem

    init(item: EmitItem) { self.item = item }

    /// The key that a value is.
    public init(_ value: any ViewValue) { self = value.viewKey }

    /// Null, which comes before all other keys.
    public static var null: ViewKey { ViewKey(item: .null) }

    /// An empty dictionary: it comes behind all texts, numbers and arrays, except in the raw order.
    public static var last: ViewKey { ViewKey(item: .dictionary([])) }

    public var viewKey: ViewKey { self }

    public init(stringLiteral value: String) { self.init(item: .string(value)) }
    public init(integerLiteral value: Int64) { self.init(item: .integer(value)) }
    public init(floatLiteral value: Double) { self.init(item: .number(value)) }
    public init(booleanLiteral value: Bool) { self.init(item: .boolean(value)) }
    public init(arrayLiteral parts: (any ViewValue)?...) { self.init(item: .array(parts.map { $0?.viewKey.item ?? .null })) }
    public init(dictionaryLiteral members: (String, (any ViewValue)?)...) {
        self.init(item: .dictionary(members.map { ($0, $1?.viewKey.item ?? .null) }))
    }

    /// For a query. What is no value at all is nil.
    var core: QueryKey? {
        get throws {
            if case .missing = item { return nil }
            let encoder = FleeceEncoder()
            item.write(to: encoder)
            do { return try encoder.withFinished { try QueryKey(CBLFleece.Value(root: $0) ?? .undefined) } } catch {
                throw libraryError(CBLError.invalidParameter, "What the query was given as a key cannot be one.")
            }
        }
    }

    /// What Foundation's containers have in them.
    init(untyped value: Any) {
        self = (value as? any ViewValue)?.viewKey ?? .impossible
    }

    /// Nothing can store that, and says so.
    private static var impossible: ViewKey { ViewKey(item: .number(.nan)) }
}
