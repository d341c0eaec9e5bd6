internal import CBLFleece
internal import CBLQuery
import Foundation
import Synchronization

/// Values for the `$names` of a query.
///
///     query.parameters = Parameters().setString("Berlin", forName: "city").setInt(3, forName: "stars")
public class Parameters: @unchecked Sendable {
    // Sendable: everything is guarded by the lock.

    private let items: Mutex<[String: Item]>
    /// Whether a query has it: its values are what the query runs with.
    private let isReadOnly: Bool

    private init(_ items: [String: Item], isReadOnly: Bool) {
        self.items = Mutex(items)
        self.isReadOnly = isReadOnly
    }

    /// Without values.
    public convenience init() { self.init([:], isReadOnly: false) }

    /// A copy that can be changed.
    public convenience init(parameters: Parameters?) { self.init(parameters?.copiedItems ?? [:], isReadOnly: false) }

    /// A copy that cannot be changed.
    func frozen() -> Parameters { Parameters(copiedItems, isReadOnly: true) }

    private var copiedItems: [String: Item] { items.withLock { $0 }.mapValues(\.independent) }

    /// The value of a name; nil if it has none. Dates are text.
    public func value(forName name: String) -> Any? { items.withLock { $0[name] }?.object }

    private func set(_ item: Item?, _ name: String) -> Parameters {
        programmerErrorUnless(
            !isReadOnly, .internalInconsistency, "The parameters of a query cannot be changed: change a copy, and give that to the query.")
        items.withLock { $0[name] = item }
        return self
    }

    /// Sets an array; nil takes the value away.
    @discardableResult
    public func setArray(_ value: ArrayObject?, forName name: String) -> Parameters { set(value.map { Item($0) }, name) }

    /// Sets a blob, with its content; nil takes the value away.
    @discardableResult
    public func setBlob(_ value: Blob?, forName name: String) -> Parameters { set(value.map { .blob($0) }, name) }

    /// Sets a boolean.
    @discardableResult
    public func setBoolean(_ value: Bool, forName name: String) -> Parameters { set(.boolean(value), name) }

    /// Sets a date, as text in ISO 8601; nil takes the value away.
    @discardableResult
    public func setDate(_ value: Date?, forName name: String) -> Parameters { set(value.map { Item($0) }, name) }

    /// Sets a dictionary; nil takes the value away.
    @discardableResult
    public func setDictionary(_ value: DictionaryObject?, forName name: String) -> Parameters { set(value.map { Item($0) }, name) }

    /// Sets a number.
    @discardableResult
    public func setDouble(_ value: Double, forName name: String) -> Parameters { set(.double(value), name) }

    /// Sets a number.
    @discardableResult
    public func setFloat(_ value: Float, forName name: String) -> Parameters { set(.float(value), name) }

    /// Sets a number.
    @discardableResult
    public func setInt(_ value: Int, forName name: String) -> Parameters { set(.integer(Int64(value)), name) }

    /// Sets a number.
    @discardableResult
    public func setInt64(_ value: Int64, forName name: String) -> Parameters { set(.integer(value), name) }

    /// Sets a string; nil takes the value away.
    @discardableResult
    public func setString(_ value: String?, forName name: String) -> Parameters { set(value.map { .string($0) }, name) }

    /// Sets a value of any type that documents can hold; nil takes the value away.
    @discardableResult
    public func setValue(_ value: Any?, forName name: String) -> Parameters { set(value.map { Item($0) }, name) }

    /// As the engine takes them.
    func encoded() throws -> QueryParameters {
        var parameters = QueryParameters()
        let encoder = FleeceEncoder()
        let writer = PropertyWriter(encoder: encoder, database: nil)
        for (name, item) in items.withLock({ $0 }) {
            encoder.reset()
            try writer.write(item)
            parameters[name] = try encoder.finish()
        }
        return parameters
    }
}
