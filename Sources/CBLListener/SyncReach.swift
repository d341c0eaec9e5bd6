import CBLReplication
import CBLStore

/// How far somebody's replicator may go in a database.
struct SyncReach {
    /// In some of its collections at least.
    let access: Share.Access
    let permissions: PassivePeer.Permissions

    /// Nil if it may nothing at all.
    init?(of visitor: Visitor, in share: Share, _ collections: [CollectionName]) {
        var permissions = PassivePeer.Permissions(push: false, pull: false)
        for name in collections {
            let access = visitor.rights.syncAccess(to: share, name)
            if access?.allowsPull == true { permissions.allowsPull = true } else { permissions.unreadable.insert(name) }
            if access?.allowsPush == true { permissions.allowsPush = true } else { permissions.unwritable.insert(name) }
            if access == nil { permissions.hidden.insert(name) }
        }
        guard let access = AccessRules.access(reads: permissions.allowsPull, writes: permissions.allowsPush) else { return nil }
        self.access = access
        self.permissions = permissions
    }
}
