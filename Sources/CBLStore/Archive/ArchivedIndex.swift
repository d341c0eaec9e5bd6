import CBLSQLite
import CBLVectors

/// An index as an archive has it: the row of the table of indexes, and the SQL that made it.
///
/// An archive may come from anywhere, and triggers would run for whoever writes to the database later. So no SQL of an archive is run: it is
/// only read, for expressions that are made of known functions and columns alone, and the index is made from these as any other.
struct ArchivedIndex {
    /// Why an index is left out. Nothing else is lost by that: an index can be made again at any time.
    struct Refusal: Error {
        let reason: String
    }

    let index: StoredIndex
    let sql: [String]

    /// False if there is an index of that name already.
    func build(in transaction: Transaction) throws -> Bool {
        guard transaction.generation >= .newest else {
            throw Refusal(reason: "the database has an old format, whose indexes are made differently")
        }
        if try transaction.indexes().contains(where: { $0.name == index.name }) { return false }
        guard let collection = index.collection else { throw Refusal(reason: "its collection is not there") }
        let form = try form(on: try transaction.tables(collection).live.name)
        let source = IndexSpecification.Source(expression: index.expression, condition: index.condition)
        do {
            _ = try transaction.createIndex(IndexSpecification(name: index.name, collection: collection, form: form, source: source))
        } catch let error as SQLiteError where !error.isInterrupted && !error.isDiskFull && !error.isCorrupt {
            throw Refusal(reason: "SQLite refuses it: \(error.message)")
        } catch let error as StoreError where error.code == .invalidName || error.code == .exists {
            throw Refusal(reason: error.message)
        }
        return true
    }

    private func form(on live: String) throws(Refusal) -> IndexSpecification.Form {
        switch index.kind {
        case .value: try valueForm(live)
        case .fullText: try fullTextForm(live)
        case .array: try arrayForm(live)
        case .predictive: try predictiveForm(live)
        case .vector: try vectorForm()
        case nil: throw Refusal(reason: "its kind is not known")
        }
    }

    private static let unknownShape = Refusal(reason: "it was made by rules that this program does not know")
    private static let unsafeExpression = Refusal(reason: "its expressions have something in them that no index has")

    private func valueForm(_ live: String) throws(Refusal) -> IndexSpecification.Form {
        guard sql.count == 1, let text = sql.first, index.tableName == nil else { throw ArchivedIndex.unknownShape }
        let parts = try expressions(of: text, on: live)
        return .value(expressions: [parts.expressions], condition: parts.condition)
    }

    /// Takes `CREATE INDEX name ON table (expressions) WHERE condition` apart.
    private func expressions(of text: String, on table: String) throws(Refusal) -> (expressions: String, condition: String?) {
        guard let parts = SchemaIndex(text) else { throw ArchivedIndex.unsafeExpression }
        guard parts.name == index.name, parts.table == table, !parts.isUnique else { throw ArchivedIndex.unknownShape }
        return (parts.expressions, parts.condition)
    }

    private func fullTextForm(_ live: String) throws(Refusal) -> IndexSpecification.Form {
        let writer = IndexSQL(generation: .newest)
        let table = writer.fullTextTableName(index.name, of: live)
        guard index.tableName == table, let creation = sql.first,
            case .fullText(let columns, let tokenizer)? = SchemaTable(name: table, sql: creation)
        else { throw ArchivedIndex.unknownShape }
        let condition = try fullTextCondition(table)
        let module = IndexSQL.fullTextModule(columns, tokenizer: tokenizer)
        let definition = writer.fullTextTable(table, of: live, columns, module: module, condition)
        guard Set(sql) == Set(definition.definition) else { throw ArchivedIndex.unknownShape }
        return .fullText(properties: columns, tokenizer: tokenizer, condition: condition)
    }

    /// The condition in SQL stands in the triggers alone.
    private func fullTextCondition(_ table: String) throws(Refusal) -> String? {
        let triggers = sql.compactMap { SchemaTrigger(name: table + "::ins", $0) }
        guard let insertion = triggers.first else { throw ArchivedIndex.unsafeExpression }
        return insertion.condition
    }

    private func vectorForm() throws(Refusal) -> IndexSpecification.Form {
        // A text of names and numbers, which is only read.
        guard let text = sql.first, let start = text.firstRange(of: "vectorsearch(")?.upperBound,
            let end = text[start...].firstIndex(of: ")"),
            let options = VectorOptions(text: String(text[start..<end]))
        else { throw ArchivedIndex.unknownShape }
        return .vector(options)
    }

    private func predictiveForm(_ live: String) throws(Refusal) -> IndexSpecification.Form {
        let writer = IndexSQL(generation: .newest)
        let start = writer.predictionTableName("", of: live)
        guard let table = index.tableName, table.hasPrefix(start) else { throw ArchivedIndex.unknownShape }
        // What the model is asked stands in the triggers.
        guard let call = sql.lazy.compactMap({ SchemaTrigger(name: table + "::ins", $0) }).first?.inserted else {
            throw ArchivedIndex.unsafeExpression
        }
        let rest = Set(sql).subtracting(writer.predictionTable(table, of: live, call).definition)
        guard sql.count == rest.count + 5, rest.count <= 1 else { throw ArchivedIndex.unknownShape }
        let outputs = try rest.map { text throws(Refusal) in try expressions(of: text, on: table).expressions }
        return .predictive(digest: IndexSQL.unescaped(table.dropFirst(start.count)), call: call, outputs: outputs)
    }

    private func arrayForm(_ live: String) throws(Refusal) -> IndexSpecification.Form {
        let writer = IndexSQL(generation: .newest)
        guard let plain = index.tableName, let levels = writer.levels(ofUnnestTable: plain, of: live), let text = sql.last,
            let table = writer.unnestTables(levels, of: live).last, Set(sql.dropLast()) == Set(table.definition)
        else { throw ArchivedIndex.unknownShape }
        return .array(levels: levels, expressions: [try expressions(of: text, on: table.name).expressions])
    }
}
