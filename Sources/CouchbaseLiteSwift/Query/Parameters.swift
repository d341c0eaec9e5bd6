internal import CBLFleece
internal import CBLQuery
import Foundation
import Synchronization

/// Values for the `$names` of a query.
///
///     query.parameters = Parameters().setString("Berlin", forName: "city").setInt(3, forName: "stars")
public class Parameters: @unchecked Sendable {
    // Sendable: everything is guarded by the lock.

    /// A value as queries take it; of a date, which they take as text, the date as well.
    private struct Entry {
        let item: Item
        var date: Date?
    }

    private let entries: Mutex<[String: Entry]>
    /// Whether a query has it: its values are what the query runs with.
    private let isReadOnly: Bool

    private init(_ entries: [String: Entry], isReadOnly: Bool) {
        self.entries = Mutex(entries)
        self.isReadOnly = isReadOnly
    }

    /// Without values.
    public convenience init() { self.init([:], isReadOnly: false) }

    /// A copy that can be changed.
    public convenience init(parameters: Parameters?) { self.init(parameters?.copiedEntries ?? [:], isReadOnly: false) }

    /// A copy that cannot be changed.
    func frozen() -> Parameters { Parameters(copiedEntries, isReadOnly: true) }

    private var copiedEntries: [String: Entry] {
        let entries = entries.withLock { $0 }
        if entries.values.allSatisfy(\.item.isIndependent) { return entries }
        return entries.mapValues { Entry(item: $0.item.independent, date: $0.date) }
    }

    /// The value of a name; nil if it has none.
    public func value(forName name: String) -> Any? {
        guard let entry = entries.withLock({ $0[name] }) else { return nil }
        return entry.date ?? entry.item.object
    }

    private func set(_ item: Item?, _ name: String, date: Date? = nil) -> Parameters {
        programmerErrorUnless(
            !isReadOnly, .internalInconsistency, "The parameters of a query cannot be changed: change a copy, and give that to the query.")
        entries.withLock { $0[name] = item.map { Entry(item: $0, date: date) } }
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
    public func setDate(_ value: Date?, forName name: String) -> Parameters { set(value.map { Item($0) }, name, date: value) }

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
    public func setValue(_ value: Any?, forName name: String) -> Parameters { set(value.map { Item($0) }, name, date: value as? Date) }

    /// As the engine takes them. Blobs are stored in the database, if one is given.
    func encoded(for database: Database? = nil) throws -> QueryParameters {
        var parameters = QueryParameters()
        for (name, entry) in entries.withLock({ $0 }) {
            switch entry.item {
            case .boolean(let flag): parameters.set(.boolean(flag), name)
            case .integer(let number): parameters.set(.integer(number), name)
            case .double(let number) where !number.isNaN: parameters.set(.double(number), name)
            case .string(let text): parameters.set(.text(text), name)
            default:
                let encoder = FleeceEncoder()
                try PropertyWriter(encoder: encoder, database: database).write(entry.item)
                parameters[name] = try encoder.finish()
            }
        }
        return parameters
    }
}
