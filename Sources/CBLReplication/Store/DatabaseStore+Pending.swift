import CBLStore

extension DatabaseStore {
    /// The documents with changes that a push would send, in the order of the changes.
    package func pendingDocuments() throws -> [String] {
        try database.read { snapshot in
            let checkpoint = try snapshot.checkpoint(checkpointID).map { Checkpoint(json: $0) } ?? Checkpoint()
            var pending: [String] = []
            try snapshot.forEachChange(in: collection, since: checkpoint.local, remote: remote) { document in
                if document.isPending(checkpoint), try isToBePushed(document, snapshot) { pending.append(document.id) }
            } damaged: { document in
                if document.isPending(checkpoint), documentIDs?.contains(document.id) ?? true { pending.append(document.id) }
            }
            return pending
        }
    }
}

extension ChangedDocument {
    /// Whether a push has to do with it at all: not while the remote's revision competes with it, nor when its time has come.
    var isPushable: Bool { !isConflicted && !isExpired }

    /// Whether a push would send it, filters aside. A pusher decides by the same.
    func isPending(_ checkpoint: Checkpoint) -> Bool {
        isPushable && remoteRevision != revision && !checkpoint.completed.contains(sequence)
    }
}

extension DamagedChange {
    /// A push tries it again each time.
    func isPending(_ checkpoint: Checkpoint) -> Bool { !checkpoint.completed.contains(sequence) }
}

extension Snapshot {
    private static var page: Int { 1000 }

    /// All documents that changed after a sequence, a page at a time; of each page those that are damaged come last.
    func forEachChange(
        in collection: CollectionName, since: UInt64, remote: UInt16, _ body: (ChangedDocument) throws -> Void,
        damaged: (DamagedChange) throws -> Void
    ) throws {
        var last = since
        while true {
            let documents = try changes(in: collection, since: last, limit: Snapshot.page, remote: remote)
            for document in documents.readable { try body(document) }
            for document in documents.damaged { try damaged(document) }
            guard let next = documents.lastSequence, documents.count == Snapshot.page else { return }
            last = next
        }
    }
}
