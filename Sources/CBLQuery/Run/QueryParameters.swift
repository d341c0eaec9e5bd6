import CBLBase
import CBLFleece
import CBLLanguage
import CBLSQLite

/// What a query's `$names` stand for.
///
///     let parameters = try QueryParameters(json: #"{"city": "Berlin", "limit": 10}"#)
package struct QueryParameters: Sendable {
    /// The value of each as an encoding of its own.
    private var values: [String: FleeceData] = [:]
    /// Names that a query need not have.
    private var offered: Set<String> = []

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
                values[name] = try encoder.finish()
            }
        }
    }

    package var names: [String] { values.keys.sorted() }

    /// A parameter's value as its encoding. Text that a command line gives is JSON for whoever wants it to be.
    package subscript(name: String) -> FleeceData? {
        get { values[name] }
        set {
            values[name] = newValue
            offered.remove(name)
        }
    }

    /// A value for queries that have such a parameter; it is no mistake if one has not.
    package mutating func offer(_ value: FleeceData, as name: String) {
        values[name] = value
        offered.insert(name)
    }

    /// The query's names that have no value, or null, and so are MISSING; without those that say `opt_` themselves.
    func unbound(in names: [String]) -> [String] { names.filter { values[$0] == nil && !$0.hasPrefix("opt_") } }

    /// Refuses values for names that the query does not have.
    func check(against known: [String]) throws(QueryError) {
        if let name = values.keys.filter({ !known.contains($0) && !offered.contains($0) }).min() {
            let hint = Suggestion.closest(to: name, in: known).map { ". Did you mean '\($0)'?" } ?? ""
            throw QueryError(.unknownParameter, "Unknown query property '\(name)'\(hint)")
        }
    }

    /// Gives the statement its values.
    func bind(to statement: CBLSQLite.Statement, of query: TranslatedQuery) throws {
        try check(against: query.parameters)
        for name in query.parameters {
            guard let value = values[name], let index = statement.parameter("$_" + name) else { continue }
            try value.withRoot { try QueryParameters.bind($0, value, to: statement, index) }
        }
    }

    private static func bind(_ value: Value, _ data: FleeceData, to statement: CBLSQLite.Statement, _ index: Int32) throws(SQLiteError) {
        switch QueryValue(value) {
        case .missing, .null: try statement.bindNull(index)
        // The vendor's library binds booleans as floating-point numbers, and results show it.
        case .boolean(let boolean): try statement.bind(boolean ? 1.0 : 0.0, index)
        case .integer(let integer): try statement.bind(integer, index)
        case .unsigned(let integer): try statement.bind(Double(integer), index)
        case .double(let double): try statement.bind(double, index)
        case .text(let bytes): try statement.bind(text: bytes, index)
        case .data, .collection: try statement.bind(blob: data.bytes, index)
        }
    }
}
