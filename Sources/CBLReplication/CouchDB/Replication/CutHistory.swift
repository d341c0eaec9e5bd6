import CBLStore

// A server remembers so many ancestors of a revision and no more.
extension ReplicatedDatabase {
    /// A revision whose history ends before anything that is here, joined to what this database had from the server or gave it: if the server has no branch
    /// that ends there, it has gone on from it. As it stands the revision would be a rival of what it was made from.
    func joined(_ received: ReceivedRevision, leaves: [String]) throws -> ReceivedRevision {
        let history = received.message.history.treeIDs
        guard keepsShared, let oldest = history.last, oldest.generation > 1 else { return received }
        let found = try database.read { snapshot -> [RevisionID]? in
            // Who else knows the document may have given it to us.
            guard try snapshot.remotes().count <= 1, let document = try? snapshot.document(received.message.documentID, in: collection),
                let relatives = try? KnownRevisions(document), !history.contains(where: { relatives[$0] != nil })
            else { return nil }
            let shared = relatives.all.filter {
                $0.flags.contains(.keepBody) && $0.id.generation < oldest.generation && !leaves.contains($0.id.name)
            }
            return shared.max { $0.id.generation < $1.id.generation }.flatMap { RevisionTree.connected(history + [$0.id]) }
        }
        guard let found else { return received }
        var joined = received
        joined.message.history = RevisionHistory(treeIDs: found)
        return joined
    }
}
