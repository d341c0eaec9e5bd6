import CBLBase
import CBLFleece
import CBLLanguage
import CBLSQLite

/// What a query's `$names` stand for.
///
///     let parameters = try QueryParameters(json: #"{"city": "Berlin", "limit": 10}"#)
package struct QueryParameters: Sendable {
    /// A value: what is given most as it is, everything else as an encoding of its own.
    package enum Value: Sendable {
        case boolean(Bool)
        case integer(Int64)
        case double(Double)
        case text(String)
        case encoded(FleeceData)
    }

    private struct Entry {
        let value: Value
        /// Whether it is for queries that have such a parameter, and no mistake if one has not.
        var isOffered = false
    }

    private var entries: [String: Entry] = [:]

    package static let none = QueryParameters()

    package init() {}

    /// The members of a JSON object.
    package init(json text: String, _ dialect: JSONDialect = .json) throws {
        let encoder = FleeceEncoder()
        try JSONParser.parse(text, dialect, into: encoder)
        let object = try encoder.finish()
        try object.withRoot { root in
            guard let members = root.dictionary else { throw QueryFailure.refused("the parameters of a query must be a JSON object") }
            for (key, value) in members {
                guard let name = key.string else { continue }
                encoder.write(value, keys: nil)
                set(.encoded(try encoder.finish()), name)
            }
        }
    }

    package var names: [String] { entries.keys.sorted() }

    /// A parameter's value as its encoding. Text that a command line gives is JSON for whoever wants it to be.
    package subscript(name: String) -> FleeceData? {
        get { entries[name]?.value.encoding }
        set { entries[name] = newValue.map { Entry(value: .encoded($0)) } }
    }

    package mutating func set(_ value: Value, _ name: String) { entries[name] = Entry(value: value) }

    /// A value for queries that have such a parameter; it is no mistake if one has not.
    package mutating func offer(_ value: FleeceData, as name: String) {
        entries[name] = Entry(value: .encoded(value), isOffered: true)
    }

    /// Refuses values for names that the query does not have.
    func check(against known: [String]) throws(QueryError) {
        let isUnknown = { (name: String, entry: Entry) in !entry.isOffered && !known.contains(name) }
        guard entries.contains(where: isUnknown) else { return }
        if let name = entries.filter(isUnknown).keys.min() {
            let hint = Suggestion.closest(to: name, in: known).map { ". Did you mean '\($0)'?" } ?? ""
            throw QueryError(.unknownParameter, "Unknown query property '\(name)'\(hint)")
        }
    }

    /// A parameter as a constant of SQL, as it would be bound; nil for what is encoded then.
    func constant(_ name: String) -> RowProgram.Constant? {
        switch entries[name]?.value {
        case nil: .missing
        case .boolean(let boolean): .real(boolean ? 1 : 0)
        case .integer(let integer): .integer(integer)
        case .double(let double): double.isNaN ? .missing : .real(double)
        case .text(let text): .text(text)
        case .encoded(let data):
            data.withRoot { root in
                switch QueryValue(root) {
                case .missing, .null: .missing
                case .boolean(let boolean): .real(boolean ? 1 : 0)
                case .integer(let integer): .integer(integer)
                case .unsigned(let integer): .real(Double(integer))
                case .double(let double): double.isNaN ? .missing : .real(double)
                case .text(let bytes): .text(String(decoding: bytes, as: UTF8.self))
                case .data, .collection: nil
                }
            }
        }
    }

    /// Gives the statement its values. Gives the query's names that have none, and so are MISSING; without those that say `opt_` themselves.
    func bind(to statement: CBLSQLite.Statement, of query: TranslatedQuery) throws -> [String] {
        try check(against: query.parameters)
        var unbound: [String] = []
        for name in query.parameters {
            if let entry = entries[name] {
                if let index = statement.parameter("$_" + name) { try entry.value.bind(to: statement, index) }
            } else if !name.hasPrefix("opt_") {
                unbound.append(name)
            }
        }
        return unbound
    }
}

extension QueryParameters.Value {
    fileprivate var encoding: FleeceData? {
        let encoder = FleeceEncoder()
        switch self {
        case .boolean(let boolean): encoder.write(boolean)
        case .integer(let integer): encoder.write(integer)
        case .double(let double): encoder.write(double)
        case .text(let text): encoder.write(text)
        case .encoded(let data): return data
        }
        return try? encoder.finish()
    }

    fileprivate func bind(to statement: CBLSQLite.Statement, _ index: Int32) throws(SQLiteError) {
        switch self {
        case .boolean(let boolean): try bind(boolean, to: statement, index)
        case .integer(let integer): try statement.bind(integer, index)
        case .double(let double): try statement.bind(double, index)
        case .text(let text): try statement.bind(text, index)
        case .encoded(let data): try data.withRoot { root throws(SQLiteError) in try bind(root, data, to: statement, index) }
        }
    }

    private func bind(_ value: CBLFleece.Value, _ data: FleeceData, to statement: CBLSQLite.Statement, _ index: Int32) throws(SQLiteError) {
        switch QueryValue(value) {
        case .missing, .null: try statement.bindNull(index)
        case .boolean(let boolean): try bind(boolean, to: statement, index)
        case .integer(let integer): try statement.bind(integer, index)
        case .unsigned(let integer): try statement.bind(Double(integer), index)
        case .double(let double): try statement.bind(double, index)
        case .text(let bytes): try statement.bind(text: bytes, index)
        case .data, .collection: try statement.bind(blob: data.bytes, index)
        }
    }

    // The vendor's library binds booleans as floating-point numbers, and results show it.
    private func bind(_ boolean: Bool, to statement: CBLSQLite.Statement, _ index: Int32) throws(SQLiteError) {
        try statement.bind(boolean ? 1.0 : 0.0, index)
    }
}
