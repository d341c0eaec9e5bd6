import CBLFleece
import CBLStore

/// A revision as a filter sees it, on its way out or in.
package struct SyncRevision {
    package let documentID: String
    package let collection: CollectionName
    package let revision: RevisionID?
    package let isDeleted: Bool
    /// The user has lost access to the document, which is to go from here. It comes without properties.
    package let losesAccess: Bool
    /// Empty for most tombstones.
    package let properties: FleeceData
    /// Those that the names in the properties refer to.
    package let keys: SharedKeys?
    /// Whether the receiver has the document: as far as is known of a server, or in this database.
    package let isKnownToReceiver: Bool

    package init(
        documentID: String, collection: CollectionName, revision: RevisionID?, isDeleted: Bool, losesAccess: Bool, properties: FleeceData,
        keys: SharedKeys?, isKnownToReceiver: Bool
    ) {
        self.documentID = documentID
        self.collection = collection
        self.revision = revision
        self.isDeleted = isDeleted
        self.losesAccess = losesAccess
        self.properties = properties
        self.keys = keys
        self.isKnownToReceiver = isKnownToReceiver
    }
}

/// Whether a revision is to be sent, or taken. It is asked outside of transactions, and may be asked again about the same revision.
package typealias SyncFilter = @Sendable (SyncRevision) throws -> Bool

extension SyncError {
    /// What becomes of a revision that the pull filter does not take. It counts as done.
    package static let filteredOut = SyncError(.webSocket, 403, "rejected by validation function")
}

extension ReplicatedDatabase {
    /// Whether the filter takes a revision that has come.
    func accepts(_ message: RevisionMessage, _ properties: FleeceData) throws -> Bool {
        guard let pullFilter else { return true }
        let isKnown = message.isDeleted ? try isHere(message.documentID) : false
        return try ReplicatedDatabase.asking {
            try pullFilter(
                SyncRevision(
                    documentID: message.documentID, collection: collection, revision: message.revision, isDeleted: message.isDeleted,
                    losesAccess: false, properties: properties, keys: nil, isKnownToReceiver: isKnown))
        }
    }

    /// Of the documents that the user lost access to, those that the filter lets go.
    func toBePurged(_ ids: [String]) throws -> [String] {
        guard let pullFilter else { return ids }
        return try ids.filter { id in
            let isKnown = try isHere(id)
            return try ReplicatedDatabase.asking {
                try pullFilter(
                    SyncRevision(
                        documentID: id, collection: collection, revision: nil, isDeleted: false, losesAccess: true,
                        properties: .emptyDictionary, keys: nil, isKnownToReceiver: isKnown))
            }
        }
    }

    /// Whether a change is any of the peer's business.
    func isToBePushed(_ document: ChangedDocument, _ snapshot: Snapshot) throws -> Bool {
        guard document.isPushable else { return false }
        return try isWanted(document, snapshot)
    }

    /// Whether the settings, and the filter, want it pushed.
    func isWanted(_ document: ChangedDocument, _ snapshot: Snapshot) throws -> Bool {
        guard documentIDs?.contains(document.id) ?? true else { return false }
        guard let pushFilter else { return true }
        guard let stored = try snapshot.document(document.id, in: collection) else { return false }
        return try ReplicatedDatabase.asking {
            try pushFilter(
                SyncRevision(
                    documentID: document.id, collection: collection, revision: document.revision, isDeleted: document.isDeleted,
                    losesAccess: false, properties: stored.body, keys: snapshot.sharedKeys,
                    isKnownToReceiver: document.remoteRevision != nil))
        }
    }

    private func isHere(_ id: String) throws -> Bool {
        try database.read { try $0.document(id, in: collection).map { !$0.isDeleted } ?? false }
    }

    /// What a filter throws has no place in the protocol but its words, unless it says what it is to be there.
    private static func asking(_ filter: () throws -> Bool) throws -> Bool {
        do { return try filter() } catch let error as SyncError { throw error } catch {
            throw SyncError(.other, 0, "the filter failed: \(error)")
        }
    }
}
