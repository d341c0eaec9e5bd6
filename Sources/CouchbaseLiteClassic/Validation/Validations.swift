internal import CBLStore
import CouchbaseLiteSwift
import Foundation
import Synchronization

import class CouchbaseLiteSwift.Collection
import class CouchbaseLiteSwift.Database
import class CouchbaseLiteSwift.Document

/// The validations of a database, of each collection in the order in which they were set.
final class Validations: Sendable {
    private struct Entry: Sendable {
        let collection: CollectionName
        let name: String
        /// What the program gave; nil for a rule of this module.
        let validation: Validation?
        let rule: Rule
    }

    /// Looks at a revision where it lies.
    typealias Rule = @Sendable (ProposedRevision, Document, ValidationContext) throws -> Void

    private let entries = Mutex<[Entry]>([])

    func set(_ name: String, _ collection: Collection, _ validation: Validation?) {
        guard let validation else { return set(name, collection, nil, nil) }
        set(name, collection, validation) { _, document, context in try validation(document, context) }
    }

    func set(_ name: String, _ collection: Collection, _ validation: Validation?, _ rule: Rule?) {
        let core = collection.database.core
        let key = collection.coreName
        entries.withLock { entries in
            let place = entries.firstIndex { $0.collection == key && $0.name == name }
            let entry = rule.map { Entry(collection: key, name: name, validation: validation, rule: $0) }
            switch (place, entry) {
            case (let place?, let entry?): entries[place] = entry
            case (let place?, nil): entries.remove(at: place)
            case (nil, let entry?): entries.append(entry)
            case (nil, nil): break
            }
            guard !entries.isEmpty else { return core.setRevisionGuard(nil) }
            core.setRevisionGuard { [weak self, weak database = collection.database] revision in
                guard let self, let database else { return }
                try check(revision, database)
            }
        }
    }

    subscript(name: String, collection: CollectionName) -> Validation? {
        entries.withLock { $0.first { $0.collection == collection && $0.name == name }?.validation }
    }

    private func check(_ revision: ProposedRevision, _ database: Database) throws {
        let entries = entries.withLock { $0 }.filter { $0.collection == revision.collection }
        guard !entries.isEmpty,
            let collection = try database.collection(name: revision.collection.name, scope: revision.collection.scope)
        else { return }
        let place = DocumentPlace(revision: revision.revision, in: collection, isDeleted: revision.isDeleted, isLent: true)
        let proposed = Document(
            id: revision.documentID, DocumentProperties(revision.properties, keys: revision.keys), place, of: collection)
        for entry in entries {
            let context = ValidationContext(revision, proposed, in: collection)
            do { try entry.rule(revision, proposed, context) } catch { context.reject(error.localizedDescription) }
            guard let reason = context.rejection else { continue }
            throw StoreError(.refused, "document \"\(revision.documentID)\" is refused by \"\(entry.name)\": \(reason)")
        }
    }
}
