import CBLLanguage
import CBLSQLite
import CBLStore
import CBLVectors

/// An index as a person or an app describes it, in SQL++ or in JSON.
///
///     try database.write { transaction in
///         try transaction.createIndex(IndexDefinition(name: "byAge", .value, "age WHERE type = 'person'"))
///     }
package struct IndexDefinition: Sendable {
    package enum Kind: Sendable {
        case value
        case fullText(FullTextOptions)
        /// The levels of the path as in `contacts[].phones`.
        case array(path: String)
        case vector(VectorOptions)
        /// The expression is a call of `PREDICTION()`, with any number of outputs behind its input.
        case predictive
    }

    package typealias Language = IndexSpecification.Source.Language

    package var name: String
    package var collection: CollectionName
    package var kind: Kind
    package var language: Language
    /// SQL++: expressions with commas between them. JSON: an array of expressions, or an object with `WHAT` and `WHERE`.
    package var expressions: String
    /// Only documents that meet it are in the index. In the language of the expressions.
    package var condition: String?

    /// Expressions and condition as one text, in SQL++; that is what places in errors refer to.
    package var text: String { condition.map { "\(expressions) WHERE \($0)" } ?? expressions }

    /// Without a language, a text that begins with `[` or `{` is JSON. In SQL++ a condition may follow the expressions, behind `WHERE`.
    package init(
        name: String, in collection: CollectionName = .default, _ kind: Kind, _ text: String, where condition: String? = nil,
        language: Language? = nil
    ) throws(QueryError) {
        self.name = name
        self.collection = collection
        self.kind = kind
        self.language = language ?? (IndexText.isJSON(text) ? .json : .sqlpp)
        expressions = text.trimmed
        self.condition = condition?.trimmed
        if self.language == .sqlpp, let place = IndexText.condition(of: expressions) {
            guard condition == nil else {
                throw QueryError(.meaning, "the condition is given twice")
            }
            let bytes = Array(expressions.utf8)
            self.condition = String(decoding: bytes[place.start...], as: UTF8.self).trimmed
            expressions = String(decoding: bytes[..<place.keyword], as: UTF8.self).trimmed
        }
    }
}

extension IndexDefinition {
    /// An index that keeps what a model makes of an input, which is an expression in SQL++ or JSON, and finds documents by some properties of that.
    package init(
        name: String, in collection: CollectionName = .default, predicting model: String, of input: String, outputs: [String],
        language: Language? = nil
    ) throws(QueryError) {
        try self.init(name: name, in: collection, .predictive, input, language: language)
        let expressions = self.language == .json ? [try QueryExpression(json: input)] : try IndexText(self).expressions
        guard expressions.count == 1, condition == nil, let expression = expressions.first else {
            throw QueryError(.meaning, "a model gets one object, such as {'text': name}")
        }
        let paths = try outputs.map { output throws(QueryError) in
            guard let path = PropertyPath(text: output), !path.components.isEmpty, !path.endsInStar else {
                throw QueryError(.meaning, "\"\(output)\" is not the path of a property")
            }
            return path
        }
        self.language = .json
        self.expressions = "[\(PredictionCall(model: model, input: expression, outputs: paths).jsonForm)]"
    }

    /// The index in SQL, for the generation of a database's file. The collection is not looked for yet.
    package func specification(on snapshot: Snapshot) throws(QueryError) -> IndexSpecification {
        let parsed = try IndexText(self)
        let translator = Translator(schema: SnapshotSchema(snapshot))
        let form = try parsed.withPlacesOfDefinition { () throws(QueryError) -> IndexSpecification.Form in
            try sqlForm(of: parsed, translator)
        }
        return IndexSpecification(name: name, collection: collection, form: form, source: source(parsed, in: snapshot.generation))
    }

    private func sqlForm(of parsed: IndexText, _ translator: Translator) throws(QueryError) -> IndexSpecification.Form {
        switch kind {
        case .vector(let options):
            if let problem = options.problem { throw QueryError(.meaning, "invalid vector index: \(problem)") }
            _ = try translator.vectorExpression(parsed.vector, dimensions: options.isLazy ? nil : options.dimensions)
            VectorIndexing.prepare()
            return .vector(options)
        case .value:
            let columns = try parsed.expressions.map { column throws(QueryError) in
                try refuse(column, in: try translator.indexExpression(column, column: ""))
            }
            let condition = try parsed.condition.map { condition throws(QueryError) in
                try refuse(condition, in: try translator.indexExpression(condition, column: ""))
            }
            return .value(expressions: columns, condition: condition)
        case .fullText(let options):
            let columns = try parsed.expressions.map { column throws(QueryError) in try translator.fullTextColumn(column) }
            // Its condition stands in triggers.
            let condition = try parsed.condition.map { condition throws(QueryError) in
                try translator.indexExpression(condition, column: "new.")
            }
            return .fullText(properties: columns, tokenizer: options.tokenizer, condition: condition)
        case .array(let path):
            let levels = try IndexText.levels(ofPath: path).map { level throws(QueryError) in try translator.fullTextColumn(level) }
            let columns = try parsed.expressions.map { column throws(QueryError) in
                try refuse(column, in: try translator.arrayIndexExpression(column))
            }
            return .array(levels: levels, expressions: columns)
        case .predictive:
            let call = try parsed.prediction
            // It stands in triggers.
            let sql = try refuse(call.expression, in: try translator.indexExpression(call.expression, column: "new."))
            let outputs = try call.outputs.map { output throws(QueryError) in
                try translator.arrayIndexExpression(QueryExpression(.property(output)))
            }
            return .predictive(digest: call.digest, call: sql, outputs: outputs)
        }
    }

    /// What the row of the index says. Releases before 3.0 know nothing but JSON.
    private func source(_ parsed: IndexText, in generation: SchemaGeneration) -> IndexSpecification.Source {
        let path: String? = if case .array(let path) = kind { path } else { nil }
        guard language == .sqlpp, !generation.readsSQLPlusPlus else {
            return IndexSpecification.Source(language, expressions, condition: condition, unnest: path, in: generation)
        }
        let list = "[" + parsed.expressions.map { $0.jsonForm() }.joined(separator: ",") + "]"
        return IndexSpecification.Source(.json, list, condition: parsed.condition?.jsonForm(), unnest: path, in: generation)
    }

    /// Refuses what SQLite will refuse, but in words of the person's own text.
    private func refuse(_ expression: QueryExpression, in sql: String) throws(QueryError) -> String {
        if !sql.contains("fl_like("), let like = expression.first(where: { if case .operation(.like, _) = $0.node { true } else { false } })
        {
            throw QueryError(
                .meaning,
                [
                    .init(
                        "LIKE cannot be part of an index", range: like.range,
                        hint: "Index the property itself: a LIKE whose pattern begins with letters then uses the index.")
                ])
        }
        let isQuantified: (QueryExpression) -> Bool = { if case .quantified = $0.node { true } else { false } }
        if sql.contains("EXISTS (SELECT "), let quantified = expression.first(where: isQuantified) {
            throw QueryError(
                .meaning,
                [
                    .init(
                        "this use of ANY or EVERY cannot be part of an index", range: quantified.range,
                        hint: "An array index (--unnest) finds documents by the items of an array.")
                ])
        }
        return sql
    }
}

extension Transaction {
    /// Makes an index and fills it, unless there is the same one already. What else has its name is replaced.
    package func createIndex(_ definition: IndexDefinition) throws -> IndexChange {
        let specification = try definition.specification(on: self)
        do {
            return try createIndex(specification)
        } catch let error as SQLiteError where error.code == 1 {
            throw StoreError(.unsupported, "SQLite cannot keep the index \"\(definition.name)\": \(error.message)", cause: error)
        }
    }
}

extension SchemaGeneration {
    /// Definitions of indexes may be in SQL++.
    fileprivate var readsSQLPlusPlus: Bool { rawValue >= 400 }
}

extension String {
    fileprivate var trimmed: String {
        var text = self[...]
        while let first = text.unicodeScalars.first, first.properties.isWhitespace { text.unicodeScalars.removeFirst() }
        while let last = text.unicodeScalars.last, last.properties.isWhitespace { text.unicodeScalars.removeLast() }
        return String(text)
    }
}
