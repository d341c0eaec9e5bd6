import DocumentStore

extension DatabaseStore {
    private static let page = 1000

    /// The documents with changes that the peer is not known to have, in the order of the changes.
    public func pendingDocuments() throws -> [String] {
        try database.read { snapshot in
            let checkpoint = try snapshot.checkpoint(checkpointID).map { Checkpoint(json: $0) } ?? Checkpoint()
            var pending: [String] = []
            var last = checkpoint.local
            while true {
                let documents = try snapshot.changedDocuments(in: collection, since: last, limit: DatabaseStore.page, remote: remote)
                for document in documents where try isToBePushed(document, snapshot) {
                    let isDone = checkpoint.completed.contains(document.sequence) || document.remoteRevision == document.revision
                    if !isDone { pending.append(document.id) }
                }
                guard let next = documents.last?.sequence, documents.count == DatabaseStore.page else { return pending }
                last = next
            }
        }
    }
}
