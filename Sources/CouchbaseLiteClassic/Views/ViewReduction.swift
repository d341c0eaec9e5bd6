internal import CBLFleece
internal import CBLViews
import CouchbaseLiteSwift

/// What becomes of the values of many rows: one of the functions that are there, or one of the program's. What is no number counts as 0, `true` as 1.
public struct ViewReduction: Sendable {
    private enum Kind: Sendable {
        case builtIn(BuiltInReduction)
        case function(@Sendable (ReducedRows) throws -> (any ViewValue)?)
    }

    private let kind: Kind

    /// How many rows there are.
    public static let count = ViewReduction(kind: .builtIn(.count))
    /// The sum of the values, whole as long as all of them are and it fits.
    public static let sum = ViewReduction(kind: .builtIn(.sum))
    /// The least value.
    public static let min = ViewReduction(kind: .builtIn(.min))
    /// The greatest value.
    public static let max = ViewReduction(kind: .builtIn(.max))
    /// The mean of the values.
    public static let average = ViewReduction(kind: .builtIn(.average))
    /// The value in the middle.
    public static let median = ViewReduction(kind: .builtIn(.median))
    /// The standard deviation of a sample; null for a single value.
    public static let stddev = ViewReduction(kind: .builtIn(.stddev))
    /// A dictionary with `count`, `sum`, `sumsqr`, `min` and `max`.
    public static let stats = ViewReduction(kind: .builtIn(.stats))

    /// A function that makes one value of the rows of a group. If it throws, the value is null.
    ///
    ///     .function { rows in rows.values.compactMap(\.string).joined(separator: ", ") }
    public static func function(_ reduce: @escaping @Sendable (ReducedRows) throws -> (any ViewValue)?) -> ViewReduction {
        ViewReduction(kind: .function(reduce))
    }

    func core(_ database: WeakDatabase) -> Reduction {
        switch kind {
        case .builtIn(let function): .builtIn(function)
        case .function(let reduce): .custom { ClosureReducer(database, reduce) }
        }
    }
}

/// The keys and values of the rows that are to become one, for the time of the call.
public struct ReducedRows {
    /// Their keys.
    public let keys: [MapValue]
    /// Their values, in the same order.
    public let values: [MapValue]
    /// How many rows there are.
    public var count: Int { values.count }
}

private final class ClosureReducer: Reducer {
    private let loan: MapLoan
    private let function: @Sendable (ReducedRows) throws -> (any ViewValue)?

    init(_ database: WeakDatabase, _ function: @escaping @Sendable (ReducedRows) throws -> (any ViewValue)?) {
        loan = MapLoan(database)
        self.function = function
    }

    func reduce(_ rows: CBLViews.ReducedRows, rereduce: Bool, into encoder: FleeceEncoder) throws {
        loan.begin()
        defer { loan.end() }
        let numbers = 0..<rows.count
        let lent = ReducedRows(keys: numbers.map { MapValue(rows.key($0), loan) }, values: numbers.map { MapValue(rows.value($0), loan) })
        (try function(lent)?.viewKey.item ?? .null).write(to: encoder)
    }
}
