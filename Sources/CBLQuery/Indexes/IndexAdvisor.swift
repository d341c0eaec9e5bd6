import CBLLanguage
import CBLSQLite
import CBLStore

/// Finds out which indexes would help a query, by letting SQLite plan it with each of those that might.
///
///     let advice = try IndexAdvisor.advise(Select(sqlpp: text), on: snapshot)
package struct IndexAdvice: Sendable {
    /// The steps of the plan as things are.
    package let before: [String]
    package let suggestions: [Suggestion]
    /// What else could be done.
    package let notes: [String]

    /// One index, or several that are of use only together.
    package struct Suggestion: Sendable {
        package let definitions: [IndexDefinition]
        /// The plan with them.
        package let after: [String]
    }
}

package enum IndexAdvisor {
    package static func advise(_ select: Select, on snapshot: Snapshot) throws -> IndexAdvice {
        let candidates = IndexCandidates(select, SnapshotSchema(snapshot))
        var before: [String] = []
        do {
            before = try plan(select, on: snapshot, with: [])
        } catch let error as QueryError where error.kind == .missingIndex {
            let notes = error.diagnostics.map(\.message) + ["MATCH needs a full-text index: --fts with the properties to search"]
            return IndexAdvice(before: [], suggestions: [], notes: notes + candidates.notes)
        }
        var suggestions: [IndexAdvice.Suggestion] = []
        let definitions = try names(for: candidates.all, on: snapshot)
        for definition in definitions where !suggestions.contains(where: { covers($0, definition) }) {
            guard let after = try? plan(select, on: snapshot, with: [definition]), uses(after, definition), differs(after, before) else {
                continue
            }
            suggestions.append(IndexAdvice.Suggestion(definitions: [definition], after: after))
        }
        // Alternatives of an OR, and both sides of a join, may need each other.
        if suggestions.isEmpty, definitions.count > 1, let after = try? plan(select, on: snapshot, with: definitions) {
            let used = definitions.filter { uses(after, $0) }
            if !used.isEmpty, differs(after, before) { suggestions.append(IndexAdvice.Suggestion(definitions: used, after: after)) }
        }
        return IndexAdvice(before: before, suggestions: suggestions, notes: candidates.notes)
    }

    /// Whether an index that was found useful is of the same source already: one for each is enough.
    private static func covers(_ suggestion: IndexAdvice.Suggestion, _ other: IndexDefinition) -> Bool {
        suggestion.definitions.contains { $0.collection == other.collection && $0.path == other.path }
    }

    private static func uses(_ plan: [String], _ definition: IndexDefinition) -> Bool {
        if definition.path != nil, definition.expressions.isEmpty || definition.expressions == "[]" {
            return plan.contains { $0.contains("INDEX \(definition.name)") || $0.contains("sqlite_autoindex") }
        }
        return plan.contains { $0.contains("INDEX \(definition.name)") }
    }

    /// Whether SQLite would do something else than now. The same with another index of the same kind is nothing else.
    private static func differs(_ after: [String], _ before: [String]) -> Bool {
        func withoutNames(_ plan: [String]) -> [String] {
            plan.map { line in
                guard let index = line.firstRange(of: "INDEX ") else { return line }
                return String(line[..<index.upperBound]) + line[index.upperBound...].drop { $0 != "(" }
            }
        }
        return withoutNames(after) != withoutNames(before)
    }

    private static func plan(_ select: Select, on snapshot: Snapshot, with definitions: [IndexDefinition]) throws -> [String] {
        let trial = try SchemaTrial(of: snapshot)
        for definition in definitions { try trial.add(definition.specification(on: snapshot)) }
        let query = try Translator(schema: TrialSchema(base: SnapshotSchema(snapshot), trial: trial)).translate(select)
        for source in query.sources where source.readsDeleted && source.collection.tableWithDeleted != source.collection.table {
            let (live, view) = (source.collection.table, quoted(identifier: source.collection.tableWithDeleted))
            let deleted = quoted(identifier: "kv_del_" + live.dropFirst("kv_".count))
            try trial.connection.execute(
                "CREATE TEMP VIEW IF NOT EXISTS \(view) AS SELECT * FROM \(quoted(identifier: live)) UNION ALL SELECT * FROM \(deleted)")
        }
        return try trial.plan(of: query.sql)
    }

    private static func names(for candidates: [IndexCandidates.Candidate], on snapshot: Snapshot) throws -> [IndexDefinition] {
        var taken = Set(try snapshot.indexes().map { $0.name.lowercased() })
        return candidates.compactMap { candidate in
            let texts = candidate.expressions.map(\.text)
            // An item itself: an array index without expressions.
            let isItem = candidate.path != nil && candidate.expressions.allSatisfy { $0.json == "[\".\"]" }
            let words = (isItem ? [candidate.path] : texts).map { text in
                String((text ?? "expression").split(whereSeparator: { !$0.isASCII || !($0.isLetter || $0.isNumber) }).last ?? "x")
            }
            let base = "by" + words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: "And")
            let name = (1...).lazy.map { $0 == 1 ? base : "\(base)\($0)" }.first { taken.insert($0.lowercased()).inserted } ?? base
            let isSQLPlusPlus = !texts.contains(nil)
            let text =
                isSQLPlusPlus
                ? texts.compactMap { $0 }.joined(separator: ", ") : "[" + candidate.expressions.map(\.json).joined(separator: ",") + "]"
            let kind: IndexDefinition.Kind = candidate.path.map { .array(path: $0) } ?? .value
            return try? IndexDefinition(
                name: name, in: candidate.collection, kind, isItem ? "" : text, language: isSQLPlusPlus || isItem ? .sqlpp : .json)
        }
    }
}

extension IndexDefinition {
    /// The path of an array index.
    package var path: String? {
        if case .array(let path) = kind { path } else { nil }
    }
}

/// The schema of a database with other indexes.
private struct TrialSchema: QuerySchema {
    let base: SnapshotSchema
    let trial: SchemaTrial

    var databaseName: String { base.databaseName }
    var collectionNames: [String] { base.collectionNames }
    func collection(scope: String, name: String) -> QueryCollection? { base.collection(scope: scope, name: name) }
    func fullTextTable(index: String, of collection: QueryCollection) -> String? { base.fullTextTable(index: index, of: collection) }
    func unnestTable(plainName: String) -> String? { trial.unnestTable(plainName: plainName) ?? base.unnestTable(plainName: plainName) }
    func vectorIndexes(of collection: QueryCollection) -> [QueryVectorIndex] { base.vectorIndexes(of: collection) }
    func predictionTable(digest: String, of collection: QueryCollection) -> String? {
        base.predictionTable(digest: digest, of: collection)
    }
    var offersEnterpriseFunctions: Bool { base.offersEnterpriseFunctions }
}
