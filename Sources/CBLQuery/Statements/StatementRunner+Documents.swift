import CBLBase
import CBLFleece
import CBLLanguage
import CBLSQLite
import CBLStore

// All documents that a statement is about are found before the first is written: what it writes must not be found again.
extension StatementRunner {
    func run(_ update: CBLLanguage.Statement.Update) throws -> StatementOutcome {
        let collection = try existingCollection(update.collection)
        let edit = try DocumentEdit(update)
        let values = update.assignments.map(\.value) + (update.expiration.map { [$0] } ?? [])
        let rows = try find(in: update.collection, alias: update.alias, values, where: update.condition, limit: update.limit)
        var count = 0
        for row in 0..<rows.count {
            guard let document = try document(ofRow: row, rows, in: collection) else { continue }
            if let expiration = update.expiration {
                let time = try rows.withColumn(values.count, ofRow: row) { try StatementRunner.time($0, at: expiration.range) }
                try transaction.setExpiration(document.id, in: collection, time)
            }
            // The time of expiration is no part of a revision.
            guard !edit.isEmpty else {
                count += 1
                try tell(.updated, document.id, collection, document.revision, document.body)
                continue
            }
            let body = try edit.apply(to: document, rows, row, transaction)
            // Nobody wants a revision that changes nothing.
            let isSame = body.withRoot { new in
                document.body.withRoot { $0.isEqual(to: new, transaction.sharedKeys, transaction.sharedKeys) }
            }
            if isSame, update.expiration == nil { continue }
            count += 1
            let saved = try transaction.save(document, body: body)
            try tell(.updated, document.id, collection, saved.id, body)
        }
        return .documents(inserted: 0, updated: count, deleted: 0)
    }

    /// Milliseconds since 1970; nil for null and MISSING, which mean that a document does not expire.
    private static func time(_ value: QueryValue, at range: SourceRange) throws(QueryError) -> Int64? {
        switch value {
        case .missing, .null: return nil
        case .integer(let time): return time
        case .double(let time):
            guard let time = Int64(exactly: time.rounded()) else { break }
            return time
        default: break
        }
        throw QueryError(.meaning, "an expiration is a number, of milliseconds since 1970, or null", range: range)
    }

    private func tell(
        _ action: DocumentChange.Action, _ id: String, _ collection: CollectionName, _ revision: RevisionID, _ body: FleeceData?
    ) throws {
        try onChange?(DocumentChange(action: action, collection: collection, id: id, revision: revision, body: body))
    }

    func run(_ delete: CBLLanguage.Statement.Delete) throws -> StatementOutcome {
        let collection = try existingCollection(delete.collection)
        let rows = try find(in: delete.collection, alias: delete.alias, [], where: delete.condition, limit: delete.limit)
        var count = 0
        for row in 0..<rows.count {
            guard let document = try document(ofRow: row, rows, in: collection) else { continue }
            let saved = try transaction.delete(document)
            count += 1
            try tell(.deleted, document.id, collection, saved.id, nil)
        }
        return .documents(inserted: 0, updated: 0, deleted: count)
    }

    /// The IDs of the documents that meet the condition, each with the values of some expressions.
    private func find(
        in collection: CBLLanguage.Statement.CollectionPath, alias: String?, _ values: [QueryExpression], where condition: QueryExpression?,
        limit: QueryExpression?
    ) throws -> RecordedRows {
        var select = Select()
        select.sources = [
            Select.Source(.collection(scope: collection.scope, name: collection.name), alias: alias, range: collection.range)
        ]
        let id = QueryExpression.meta("id")
        // Each has a title that no property can be mistaken for. Without one, a text would be taken for the name of a property.
        select.results = [Select.Result(id, alias: "= id")]
        for (number, value) in values.enumerated() { select.results.append(Select.Result(value, alias: "= \(number)")) }
        select.condition = condition
        select.limit = limit
        return try record(select)
    }

    private func record(_ select: Select) throws -> RecordedRows {
        try RecordedRows(Query(select, on: transaction).run(on: transaction, parameters: parameters, options: options))
    }

    /// The document that a row is about, unless it is a deleted one: a condition that speaks of deletion finds these too.
    private func document(ofRow row: Int, _ rows: RecordedRows, in collection: CollectionName) throws -> Document? {
        try checkCancellation()
        guard let id = rows.withColumn(0, ofRow: row, { $0.string }), let document = try transaction.document(id, in: collection) else {
            return nil
        }
        return document.isDeleted ? nil : document
    }

    private func checkCancellation() throws {
        if options.cancellation?.isCancelled == true { throw QueryFailure.cancelled }
    }
}

extension StatementRunner {
    func run(_ insert: CBLLanguage.Statement.Insert) throws -> StatementOutcome {
        let collection = try existingCollection(insert.collection)
        var counts = (inserted: 0, updated: 0)
        switch insert.rows {
        case .values(let rows):
            try parameters.check(against: rows.flatMap { $0.key.parameterNames + $0.value.parameterNames })
            let evaluator = ExpressionEvaluator(transaction, parameters)
            for row in rows {
                let (key, value) = (row.key.generatingIDs(), row.value.generatingIDs())
                if let id = evaluator.constantText(key), let body = try evaluator.constantObject(value, by: transaction.encoder) {
                    try checkCancellation()
                    try put(body, as: id, collection, insert, &counts)
                } else {
                    try put(try evaluator.evaluate([key, value]), 0, keyRange: row.key.range, collection, insert, &counts)
                }
            }
        case .select(let key, let value, let select):
            let source = try InsertedRows(key, value, select, transaction)
            let rows = try record(source.select)
            for row in 0..<rows.count { try put(rows, row, keyRange: key.range, collection, insert, &counts) }
        }
        return .documents(inserted: counts.inserted, updated: counts.updated, deleted: 0)
    }

    /// Saves a row of a key and a value.
    private func put(
        _ rows: RecordedRows, _ row: Int, keyRange: SourceRange, _ collection: CollectionName, _ insert: CBLLanguage.Statement.Insert,
        _ counts: inout (inserted: Int, updated: Int)
    ) throws {
        try checkCancellation()
        guard let key = rows.withColumn(0, ofRow: row, { $0.string }) else {
            throw QueryError(.meaning, "the key of a document must be a string, not \(rows.json(0, row))", range: keyRange)
        }
        let id = InsertedRows.fillingIn(key)
        let encoder = transaction.encoder
        encoder.reset()
        try rows.withColumn(1, ofRow: row) { value in
            guard case .collection(let body) = value, body.dictionary != nil else {
                throw QueryFailure.refused("document \"\(id)\": its value must be an object, not \(rows.json(1, row))")
            }
            value.write(to: encoder, keys: nil)
        }
        try put(try encoder.finish(), as: id, collection, insert, &counts)
    }

    private func put(
        _ body: FleeceData, as id: String, _ collection: CollectionName, _ insert: CBLLanguage.Statement.Insert,
        _ counts: inout (inserted: Int, updated: Int)
    ) throws {
        func present() -> StoreError {
            StoreError(.conflict, "collection \"\(collection)\" has a document \"\(id)\" already; UPSERT would replace it")
        }
        let saved: SavedRevision
        do {
            saved = try transaction.save(id, in: collection, body: body, parent: insert.replaces ? .current : .none)
        } catch let error as StoreError where error.code == .conflict && !insert.replaces {
            throw present()
        }
        // The same first revision is no conflict to the store.
        if !insert.replaces, !saved.isNew { throw present() }
        if saved.isCreated { counts.inserted += 1 } else { counts.updated += 1 }
        try tell(saved.isCreated ? .inserted : .updated, id, collection, saved.id, body)
    }
}

/// `INSERT … SELECT` as one select, whose columns are the key and the value of each document.
struct InsertedRows {
    private(set) var select: Select

    /// The key and the value may name the columns of the select; without a value, the row as a whole is the document.
    init(_ key: QueryExpression, _ value: QueryExpression?, _ select: Select, _ snapshot: Snapshot) throws {
        let titles = try Translator(schema: SnapshotSchema(snapshot)).translate(select).titles
        let columns = Dictionary(zip(titles, select.results.map(\.expression))) { first, _ in first }
        let body: QueryExpression
        if let value {
            body = value.naming(columns)
        } else if select.results.count == 1, let only = select.results.first, only.alias == nil, only.expression.isWholeDocument {
            body = only.expression
        } else {
            body = QueryExpression(.dictionary(zip(titles, select.results).map { QueryExpression.Member($0, $1.expression) }))
        }
        self.select = select
        self.select.results = [
            Select.Result(key.markingIDs().naming(columns), alias: "= key"), Select.Result(body, alias: "= value"),
        ]
    }

    /// What stands in keys where each row gets an ID of its own: no query can type it, being no character.
    static let idMark = "\u{FFFF}id\u{FFFF}"

    static func newID() -> String { UniqueID().description }

    static func fillingIn(_ key: String) -> String {
        guard key.unicodeScalars.contains("\u{FFFF}") else { return key }
        var parts = key.unicodeScalars.split(separator: "\u{FFFF}", omittingEmptySubsequences: false).map { String($0) }
        for place in parts.indices where place % 2 == 1 { parts[place] = newID() }
        return parts.joined()
    }
}

extension RecordedRows {
    /// A value as it is shown in messages.
    func json(_ column: Int, _ row: Int) -> String {
        withColumn(column, ofRow: row) { value in
            var buffer = ByteBuffer()
            value.append(to: &buffer, keys: nil, missing: "MISSING")
            return buffer.string
        }
    }
}
