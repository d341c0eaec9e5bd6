import CBLFleece
import CBLLanguage
import CBLStore

/// What `SET` and `UNSET` do to a document.
struct DocumentEdit {
    private let assignments: [KeyPath]
    private let removals: [KeyPath]

    init(_ update: CBLLanguage.Statement.Update) throws(QueryError) {
        let names = [update.alias ?? update.collection.name]
        assignments = try update.assignments.map { assignment throws(QueryError) in
            try DocumentEdit.path(assignment.path, names, assignment.range)
        }
        removals = try update.removals.map { path throws(QueryError) in try DocumentEdit.path(path, names, .none) }
    }

    /// Whether it leaves documents as they are.
    var isEmpty: Bool { assignments.isEmpty && removals.isEmpty }

    /// The path within the document: it may begin with the document's own name.
    private static func path(_ path: PropertyPath, _ names: [String], _ range: SourceRange) throws(QueryError) -> KeyPath {
        var components = path.components[...]
        if components.count > 1, case .name(let first) = components.first, names.contains(first) { components = components.dropFirst() }
        let steps = components.map { component -> KeyPath.Step in
            switch component {
            case .name(let name): .name(name)
            case .index(let index): .index(index)
            }
        }
        guard !steps.isEmpty, !path.endsInStar, let path = KeyPath(steps) else {
            throw QueryError(.meaning, "only a property of the document can be set or unset", range: range)
        }
        return path
    }

    /// The document's body as it is to be. The values are the columns behind the first of a row; one that is MISSING removes the property.
    func apply(to document: Document, _ rows: RecordedRows, _ row: Int, _ transaction: Transaction) throws -> FleeceData {
        var body = document.body
        for (place, path) in assignments.enumerated() {
            body = try rows.withColumn(place + 1, ofRow: row) { value in
                if value.isMissing { return try removing(path, from: body, transaction) }
                do {
                    return try edit(body, transaction) { root, encoder in
                        try path.replace(in: root, keys: transaction.sharedKeys, into: encoder) { value.write(to: $0, keys: nil) }
                    }
                } catch let error as KeyPathError {
                    throw QueryFailure.refused("document \"\(document.id)\" cannot be changed so: \(error)")
                }
            }
        }
        for path in removals { body = try removing(path, from: body, transaction) }
        return body
    }

    private func removing(_ path: KeyPath, from body: FleeceData, _ transaction: Transaction) throws -> FleeceData {
        try edit(body, transaction) { root, encoder in _ = path.remove(from: root, keys: transaction.sharedKeys, into: encoder) }
    }

    private func edit(
        _ body: FleeceData, _ transaction: Transaction, _ write: (Value, FleeceEncoder) throws -> Void
    ) throws -> FleeceData {
        let encoder = transaction.encoder
        encoder.reset()
        try body.withRoot { try write($0, encoder) }
        return try encoder.finish()
    }
}
