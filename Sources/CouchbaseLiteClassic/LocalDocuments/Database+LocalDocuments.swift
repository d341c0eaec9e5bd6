internal import CBLStore
import CouchbaseLiteSwift
import Foundation

import class CouchbaseLiteSwift.Database

extension Database {
    /// A local document by its ID, which is without `_local/`; nil if there is none.
    public func localDocument(id: String) throws -> LocalDocument? {
        let core = try openCore()
        return try translatingErrors {
            try core.read { try $0.rawDocument(id, in: LocalDocuments.keyStore) }.map { stored in
                LocalDocument(
                    id: id, revisionID: String(decoding: stored.meta ?? [], as: UTF8.self),
                    json: stored.body.isEmpty ? "{}" : String(decoding: stored.body, as: UTF8.self))
            }
        }
    }

    /// The IDs of all local documents, sorted.
    public func localDocumentIDs() throws -> [String] {
        let core = try openCore()
        return try translatingErrors { try core.read { try $0.rawDocumentKeys(in: LocalDocuments.keyStore) } }
    }

    /// Saves a local document, whatever was there before. Throws `invalidJSON` for values that JSON does not have. Gives what is there now.
    @discardableResult
    public func saveLocalDocument(id: String, _ properties: [String: Any]) throws -> LocalDocument {
        try put(id, properties) { transaction in
            try transaction.rawDocument(id, in: LocalDocuments.keyStore).map { String(decoding: $0.meta ?? [], as: UTF8.self) }
        }
    }

    /// Saves a local document if its revision is the one that is named, or, for nil, if there is none yet. Otherwise throws `conflict`.
    @discardableResult
    public func saveLocalDocument(id: String, _ properties: [String: Any], revisionID: String?) throws -> LocalDocument {
        try put(id, properties) { _ in revisionID }
    }

    private func put(
        _ id: String, _ properties: [String: Any], replacing revision: (Transaction) throws -> String?
    ) throws -> LocalDocument {
        guard !id.isEmpty else { throw libraryError(CBLError.badDocID, "A local document must have an ID.") }
        guard JSONSerialization.isValidJSONObject(properties) else {
            throw libraryError(CBLError.invalidJSON, "The properties of the local document \"\(id)\" are not JSON.")
        }
        let json = try JSONSerialization.data(withJSONObject: properties, options: [.sortedKeys, .withoutEscapingSlashes])
        let core = try openCore()
        return try translatingErrors {
            let saved = try core.write { try $0.putLocal(id, json: Array(json), replacing: revision($0)) }
            return LocalDocument(id: id, revisionID: saved, json: String(decoding: json, as: UTF8.self))
        }
    }

    /// Deletes a local document, whatever it says. False if there was none.
    @discardableResult
    public func deleteLocalDocument(id: String) throws -> Bool {
        let core = try openCore()
        return try translatingErrors { try core.write { try $0.deleteRaw(id, in: LocalDocuments.keyStore) } }
    }

    /// Deletes a local document if its revision is the one that is named. Otherwise throws `conflict`, or `notFound` if there is none.
    public func deleteLocalDocument(id: String, revisionID: String) throws {
        let core = try openCore()
        try translatingErrors { try core.write { try $0.deleteLocal(id, revision: revisionID) } }
    }
}
