internal import CBLFleece
internal import CBLReplication
internal import CBLStore
import Foundation

/// Asks the program about documents on their way.
struct DocumentFilter: @unchecked Sendable {
    // Sendable: the closure is called from several threads, as the program is told.
    let filter: ReplicationFilter
    let collection: Collection

    func accepts(_ revision: SyncRevision) -> Bool {
        var flags: DocumentFlags = []
        if revision.isDeleted { flags.insert(.deleted) }
        if revision.losesAccess { flags.insert(.accessRemoved) }
        let isEmpty = revision.isDeleted || revision.losesAccess
        let properties = isEmpty ? DocumentProperties(.emptyDictionary) : DocumentProperties(revision.properties, keys: revision.keys)
        let place = DocumentPlace(revision: revision.revision, in: collection, isDeleted: revision.isDeleted, isLent: true)
        return AwaitedCallback.run { filter(Document(id: revision.documentID, properties, place, of: collection), flags) }
    }
}

extension DocumentFlags {
    init(_ flags: ChangesMessage.Flags) {
        self = []
        if flags.contains(.deleted) { insert(.deleted) }
        if flags.losesAccess { insert(.accessRemoved) }
    }
}
