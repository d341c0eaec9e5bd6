import CBLFleece
import CBLJSONSchema
import CBLReplication
import CBLStore

/// A JSON Schema that a person wants documents to follow. What it speaks of are a document's properties, without its ID and revision.
package struct DocumentSchema: Sendable {
    /// What it is called: the name of its file.
    package let name: String
    private let schema: JSONSchema
    // So many reasons are told of one document.
    private static let mostReasons = 3

    package init(file path: String) throws {
        let source = try InputSource(path: path)
        name = source.name
        let text = try source.withAll { [UInt8]($0) }
        do { schema = try JSONSchema(parsing: text) } catch { throw FileError("\(source.name): \(error)") }
    }

    /// Why a document does not follow it; none if it does.
    package func failures(of body: Value, _ keys: SharedKeys?, limit: Int = 20) throws(JSONSchemaError) -> [JSONSchema.Failure] {
        try schema.failures(of: body, keys, limit: limit)
    }

    /// The same as one line; nil if it follows it.
    package func problem(of body: Value, _ keys: SharedKeys?) -> String? {
        do throws(JSONSchemaError) {
            if try schema.isValid(body, keys) { return nil }
            let failures = try failures(of: body, keys, limit: DocumentSchema.mostReasons + 1)
            let reasons = failures.prefix(DocumentSchema.mostReasons).map(\.description).joined(separator: "; ")
            return "it does not follow \(name): \(reasons)\(failures.count > DocumentSchema.mostReasons ? "; and more" : "")"
        } catch {
            return "it cannot be compared with \(name): \(error)"
        }
    }

    /// Lets through what another filter does. What then does not follow the schema is an error of that document; what is gone need not.
    package func filter(after other: SyncFilter?) -> SyncFilter {
        { revision in
            if let other, try !other(revision) { return false }
            guard !revision.isDeleted, !revision.losesAccess else { return true }
            if let problem = revision.properties.withRoot({ problem(of: $0, revision.keys) }) { throw SyncError(.webSocket, 403, problem) }
            return true
        }
    }
}

/// Goes through the documents of a collection for those that do not follow a schema.
package struct SchemaCheck {
    package struct Summary: Equatable {
        package var documents = 0
        package var invalid = 0

        package init() {}
    }

    private let schema: DocumentSchema
    private static let pause = 64

    package init(_ schema: DocumentSchema) { self.schema = schema }

    /// `found` is told of each, with the reasons; `advance` is called now and then, and may throw to stop.
    package func run(
        _ collection: CollectionName, of snapshot: Snapshot, advance: (Int) throws -> Void,
        found: (_ id: String, [JSONSchema.Failure]) throws -> Void
    ) throws -> Summary {
        var summary = Summary()
        let keys = snapshot.sharedKeys
        let cursor = try snapshot.scan(collection, ScanOptions(content: .body))
        while try cursor.next() {
            summary.documents += 1
            if summary.documents.isMultiple(of: SchemaCheck.pause) { try advance(SchemaCheck.pause) }
            let failures = try schema.failures(of: cursor.body, keys)
            guard !failures.isEmpty else { continue }
            summary.invalid += 1
            try found(cursor.id, failures)
        }
        return summary
    }
}
