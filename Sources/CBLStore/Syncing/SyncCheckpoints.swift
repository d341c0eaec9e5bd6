// How far replications have come: the own checkpoints, and those that are kept for peers.
extension Snapshot {
    static let checkpointStore = "checkpoints"
    static let peerCheckpointStore = "peerCheckpoints"

    /// The body of an own checkpoint.
    package func checkpoint(_ id: String) throws -> [UInt8]? { try rawDocument(id, in: Snapshot.checkpointStore)?.body }

    /// How many own checkpoints there are; no more than so many are counted.
    package func checkpointCount(most: Int) throws -> Int { min(try rawDocumentKeys(in: Snapshot.checkpointStore).count, most) }

    /// What is kept for a peer, and its revision.
    package func peerCheckpoint(_ id: String) throws -> (revision: String, body: [UInt8])? {
        try rawDocument(id, in: Snapshot.peerCheckpointStore).map { (String(decoding: $0.meta ?? [], as: UTF8.self), $0.body) }
    }
}

extension Snapshot {
    /// What is kept for peers, and how many bytes it is, in the order in which it was written; no more than so many of them.
    package func peerCheckpointSizes(most: Int) throws -> [(id: String, bytes: Int)] {
        guard let table = catalog.stores[Snapshot.peerCheckpointStore] else { return [] }
        let sql = "SELECT key, length(body) FROM \(table.quotedName) ORDER BY rowid DESC LIMIT ?"
        return try connection.withStatement(sql) { statement in
            try statement.bind(Int64(most), 1)
            var sizes: [(id: String, bytes: Int)] = []
            while try statement.step() { sizes.append((statement.string(0) ?? "", Int(clamping: statement.int64(1)))) }
            return sizes.reversed()
        }
    }
}

extension Transaction {
    package func deletePeerCheckpoint(_ id: String) throws { try deleteRaw(id, in: Snapshot.peerCheckpointStore) }

    package func setCheckpoint(_ id: String, _ body: [UInt8]) throws {
        try putRaw(RawDocument(key: id, meta: nil, body: body), in: Snapshot.checkpointStore)
    }

    /// Replaces what is kept for a peer, if the revision is the current one (empty if there is none), and gives the new revision.
    package func setPeerCheckpoint(_ id: String, revision: String, _ body: [UInt8]) throws -> String {
        let current = try peerCheckpoint(id)?.revision ?? ""
        guard revision == current else { throw StoreError(.conflict, "the checkpoint \"\(id)\" has another revision") }
        let generation = current.prefix { $0 != "-" }
        let next = "\((UInt32(generation).map(UInt64.init) ?? 0) + 1)-cc"
        try putRaw(RawDocument(key: id, meta: Array(next.utf8), body: body), in: Snapshot.peerCheckpointStore)
        return next
    }
}
