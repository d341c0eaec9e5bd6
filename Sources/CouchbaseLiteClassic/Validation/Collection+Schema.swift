internal import CBLFleece
internal import CBLJSONSchema
internal import CBLStore
import CouchbaseLiteSwift

import class CouchbaseLiteSwift.Collection

/// The drafts of JSON Schema.
public enum SchemaDraft: Sendable, CaseIterable {
    /// What Couchbase Lite 1.x had.
    case draft4
    /// Of 2017.
    case draft6
    /// Of 2018.
    case draft7
    /// 2019-09.
    case draft2019
    /// 2020-12, the newest.
    case draft2020
}

extension Collection {
    /// Has the documents of the collection be as a JSON Schema wants them; deletions are not looked at. The schema says of which draft it is, or
    /// `draft` does. Throws `invalidParameter` for what is no schema, or refers to others: nothing is fetched.
    public func setValidation(_ name: String, schema: String, draft: SchemaDraft? = nil) throws {
        let compiled: JSONSchema
        do {
            compiled = try JSONSchema(parsing: schema, JSONSchema.Options(draft: draft.map { Draft($0) }))
        } catch {
            throw libraryError(CBLError.invalidParameter, "The schema of \"\(name)\" cannot be used: \(error)")
        }
        validations.set(name, self, nil) { revision, _, context in
            guard !revision.isDeleted else { return }
            do {
                let failures = try revision.properties.withRoot { try compiled.failures(of: $0, revision.keys) }
                if !failures.isEmpty { context.reject(failures.map(\.description).joined(separator: "; ")) }
            } catch {
                // What cannot be checked is not let in.
                context.reject("\(error)")
            }
        }
    }
}

extension Draft {
    fileprivate init(_ draft: SchemaDraft) {
        self =
            switch draft {
            case .draft4: .draft4
            case .draft6: .draft6
            case .draft7: .draft7
            case .draft2019: .draft2019
            case .draft2020: .draft2020
            }
    }
}
