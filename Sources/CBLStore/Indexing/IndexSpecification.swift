import CBLFleece
import CBLSQLite
import CBLVectors

/// An index to be made: where its entries come from, as SQL, and what its row in the table `indexes` says of it.
package struct IndexSpecification: Hashable, Sendable {
    package enum Form: Hashable, Sendable {
        /// SQL expressions over the columns of documents; only those that meet the condition are in the index.
        case value(expressions: [String], condition: String?)
        /// Paths of properties, each a column; the tokenizer as `FullTextOptions` writes it; a condition on the row `new`.
        case fullText(properties: [String], tokenizer: String, condition: String?)
        /// The path of an array, a level for each array within an array; SQL expressions over its items, or none for the items themselves.
        case array(levels: [String], expressions: [String])
        /// What the expression in `source` gives is a vector, or for a lazy index what a program makes one of.
        case vector(VectorOptions)
        /// The digest of what a model is asked, which names the table; the call as an SQL expression over the row `new`; SQL expressions over
        /// the answers, or none to keep them only.
        case predictive(digest: String, call: String, outputs: [String])
    }

    package var name: String
    package var collection: CollectionName
    package var form: Form
    /// What the app wrote, in the form that this generation of the file keeps it in.
    package var source: Source

    package init(name: String, collection: CollectionName, form: Form, source: Source) {
        self.name = name
        self.collection = collection
        self.form = form
        self.source = source
    }

    package var kind: StoredIndex.Kind {
        switch form {
        case .value: .value
        case .fullText: .fullText
        case .array: .array
        case .vector: .vector
        case .predictive: .predictive
        }
    }

    /// The SQL that the index evaluates.
    var evaluated: [String] {
        switch form {
        case .value(let expressions, let condition): expressions + [condition].compactMap { $0 }
        case .fullText(_, _, let condition): [condition].compactMap { $0 }
        case .array(_, let expressions): expressions
        case .vector: []
        case .predictive(_, let call, let outputs): [call] + outputs
        }
    }

    /// The columns `expression` and `whereClause` of the table of indexes.
    package struct Source: Hashable, Sendable {
        package enum Language: String, Sendable {
            case json, sqlpp
        }

        package var expression: String?
        package var condition: String?

        init(expression: String?, condition: String?) {
            self.expression = expression
            self.condition = condition
        }

        /// For a file of this generation. Until 3.2 there was no mark of the language, until 3.2.2 no column for the condition, and the path
        /// of an array stood before its expressions.
        package init(_ language: Language, _ expression: String, condition: String?, unnest path: String?, in generation: SchemaGeneration)
        {
            var text = expression
            if let path, !generation.hashesUnnestTables { text = Source.prefixing(path, to: text, language) }
            self.condition = generation.keepsConditions ? condition : nil
            if let condition, !generation.keepsConditions {
                text = language == .json ? "{\"WHAT\":\(text),\"WHERE\":\(condition)}" : "SELECT \(text) WHERE \(condition)"
            }
            let mark = language == .json ? "=j" : "=n"
            self.expression = generation.readsSeparators ? mark + text : text
        }

        /// The language of what a row says, and the text without the mark. Where there is none, JSON is told by its first sign.
        package static func parts(of stored: String) -> (language: Language, text: String) {
            if stored.hasPrefix("=j") { return (.json, String(stored.dropFirst(2))) }
            if stored.hasPrefix("=n") { return (.sqlpp, String(stored.dropFirst(2))) }
            return (stored.hasPrefix("[") || stored.hasPrefix("{") ? .json : .sqlpp, stored)
        }

        private static func prefixing(_ path: String, to expressions: String, _ language: Language) -> String {
            guard language == .json else { return expressions.isEmpty ? path : "\(path), \(expressions)" }
            let rest = expressions.drop { $0 != "[" }.dropFirst()
            return "[[\(JSONWriter.quoted("." + path))]" + (rest.first == "]" ? "" : ",") + rest
        }
    }
}

/// The SQL of an index in a file: its tables, if it has any, and the SQL index.
struct IndexStatements {
    let tables: [IndexSQL.Table]
    let index: String?
    /// What the column `indexTableName` says.
    let tableName: String?

    init(_ specification: IndexSpecification, on live: String, in generation: SchemaGeneration) {
        let sql = IndexSQL(generation: generation)
        switch specification.form {
        case .value(let expressions, let condition):
            tables = []
            index = sql.valueIndex(specification.name, on: live, expressions, condition)
            tableName = nil
        case .fullText(let properties, let tokenizer, let condition):
            let name = sql.fullTextTableName(specification.name, of: live)
            let module = IndexSQL.fullTextModule(properties, tokenizer: tokenizer)
            tables = [sql.fullTextTable(name, of: live, properties, module: module, condition)]
            index = nil
            tableName = name
        case .array(let levels, let expressions):
            tables = sql.unnestTables(levels, of: live)
            let columns = expressions.isEmpty ? ["fl_unnested_value(body)"] : expressions
            index = tables.last.map { sql.valueIndex(specification.name, on: $0.name, columns) }
            tableName = sql.unnestTableName(levels, of: live)
        case .vector:
            tables = []
            index = nil
            tableName = VectorIndex.tableName(specification.name, of: live)
        case .predictive(let digest, let call, let outputs):
            let table = sql.predictionTable(sql.predictionTableName(digest, of: live), of: live, call)
            tables = [table]
            index = outputs.isEmpty ? nil : sql.valueIndex(specification.name, on: table.name, outputs)
            tableName = table.name
        }
    }

    /// What an index is told by: its own table with the triggers, and the SQL index.
    var definition: Set<String> { Set((tables.last?.definition ?? []) + (index.map { [$0] } ?? [])) }
}
