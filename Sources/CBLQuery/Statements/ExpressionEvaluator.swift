import CBLFleece
import CBLLanguage
import CBLSQLite
import CBLStore

/// Finds the values of expressions that are about no document.
struct ExpressionEvaluator {
    private let snapshot: Snapshot
    private let parameters: QueryParameters

    init(_ snapshot: Snapshot, _ parameters: QueryParameters) {
        self.snapshot = snapshot
        self.parameters = parameters
    }

    /// The values, as the columns of a single row.
    func evaluate(_ expressions: [QueryExpression]) throws -> RecordedRows {
        try evaluate(expressions, titles: expressions.indices.map { "= \($0)" })
    }

    /// The same with titles.
    func evaluate(_ expressions: [QueryExpression], titles: [String]) throws -> RecordedRows {
        if let row = try constants(expressions, titles) { return row }
        for expression in expressions {
            guard let property = expression.firstProperty else { continue }
            throw QueryError(.meaning, "there is no document here whose property this could be", range: property.range)
        }
        // A view of one row that has nothing in it stands for the collection.
        try snapshot.connection.execute(
            """
            CREATE TEMP VIEW IF NOT EXISTS \(OneRowSchema.view) AS SELECT NULL AS key, 0 AS sequence, 0 AS flags, NULL AS version, \
            NULL AS body, NULL AS expiration, NULL AS extra, NULL AS rowid
            """)
        var select = Select()
        select.sources = [Select.Source(.collection(scope: nil, name: "_"), alias: "= row")]
        // A text without a title would be taken for the name of a property.
        select.results = zip(expressions, titles).map { Select.Result($0, alias: $1) }
        let translated = try Translator(schema: OneRowSchema(SnapshotSchema(snapshot))).translate(select)
        var used = QueryParameters()
        for name in translated.parameters { used[name] = parameters[name] }
        return try RecordedRows(Query(translated, on: snapshot).run(on: snapshot, parameters: used))
    }

    /// The same without SQLite, for literals and parameters alone; nil if there is something else among the expressions.
    private func constants(_ expressions: [QueryExpression], _ titles: [String]) throws -> RecordedRows? {
        let encoder = FleeceEncoder()
        encoder.beginArray()
        for expression in expressions {
            guard write(expression, to: encoder) else { return nil }
        }
        encoder.endArray()
        return RecordedRows(titles: titles, row: try encoder.finish())
    }

    /// The text that an expression is, if it takes no SQLite to know it.
    func constantText(_ expression: QueryExpression) -> String? {
        switch expression.node {
        case .string(let text): text
        case .parameter(let name): parameters[name]?.withRoot(\.string)
        default: nil
        }
    }

    /// The object that an expression is, as this encoder writes it; nil if it takes SQLite to know it, or it is none.
    func constantObject(_ expression: QueryExpression, by encoder: FleeceEncoder) throws -> FleeceData? {
        encoder.reset()
        guard write(expression, to: encoder) else {
            encoder.reset()
            return nil
        }
        let object = try encoder.finish()
        return object.withRoot(\.kind) == .dictionary ? object : nil
    }

    private func write(_ expression: QueryExpression, to encoder: FleeceEncoder) -> Bool {
        switch expression.node {
        case .null: encoder.writeNull()
        case .boolean(let boolean): encoder.write(boolean)
        case .integer(let integer): encoder.write(integer)
        case .unsigned(let integer): encoder.write(integer)
        case .float(let double): encoder.write(double)
        case .string(let string): encoder.write(string)
        case .operation(.subtract, let operands):
            guard operands.count == 1, case .integer(let integer) = operands[0].node else { return false }
            encoder.write(0 &- integer)
        // What is not given is MISSING, and belongs into no collection.
        case .parameter(let name):
            guard let value = parameters[name] else { return false }
            value.withRoot { encoder.write($0, keys: nil) }
        case .array(let items):
            encoder.beginArray()
            for item in items {
                guard write(item, to: encoder) else { return false }
            }
            encoder.endArray()
        case .dictionary(let members):
            encoder.beginDictionary()
            for member in members {
                encoder.writeKey(member.key)
                guard write(member.value, to: encoder) else { return false }
            }
            encoder.endDictionary()
        default: return false
        }
        return true
    }
}

/// A schema in which the default collection is a row of nothing.
private struct OneRowSchema: QuerySchema {
    static let view = "cblite_one_row"
    private let schema: SnapshotSchema

    init(_ schema: SnapshotSchema) { self.schema = schema }

    var databaseName: String { schema.databaseName }
    var collectionNames: [String] { schema.collectionNames }

    func collection(scope: String, name: String) -> QueryCollection? {
        guard scope == "_default", name == "_default" else { return schema.collection(scope: scope, name: name) }
        return QueryCollection(
            scope: scope, name: name, table: OneRowSchema.view, tableWithDeleted: OneRowSchema.view, mayHoldDeleted: false)
    }

    func fullTextTable(index: String, of collection: QueryCollection) -> String? { nil }
    func unnestTable(plainName: String) -> String? { nil }
    func vectorIndexes(of collection: QueryCollection) -> [QueryVectorIndex] { schema.vectorIndexes(of: collection) }
    var offersEnterpriseFunctions: Bool { schema.offersEnterpriseFunctions }
}
