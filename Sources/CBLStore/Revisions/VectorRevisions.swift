import CBLFleece

/// The revisions that a document of a vector database remembers: the current one, and the one that each remote is known to have.
///
/// A value without I/O, as `RevisionTree` is: the store reads it from a record's columns, changes it, and writes the `SaveOutcome`.
package struct VectorRevisions: Sendable {
    package struct Revision: Sendable {
        package internal(set) var version: StoredVersion
        /// Fleece with the database's shared keys; nil if they are not stored.
        package internal(set) var properties: FleeceData?
        /// `deleted`, `hasAttachments`, and for a remote's revision that competes with the current one `conflicted`.
        package internal(set) var flags: DocumentFlags

        package var id: RevisionID? { version.id }
        package var isDeleted: Bool { flags.contains(.deleted) }
        package var isConflicted: Bool { flags.contains(.conflicted) }
    }

    /// nil if the document does not exist yet.
    package internal(set) var current: Revision?
    /// The last tree ID that this document had, before it was named by a vector.
    package internal(set) var legacyParent: RevisionID?
    /// The current revision's ancestors, as long as they are still to be found in a revision tree.
    var treeHistory: [RevisionID] = []
    var remotes: [UInt16: Revision] = [:]
    /// Who `*` is to others: between versions of the same time, their sources decide.
    var source = SourceID.local
    /// What the record as it is stored calls the current revision, and says that it knows of; nil if there is none.
    var savedVersion: StoredVersion?

    /// The revisions of a document that does not exist yet.
    package init() {}

    /// Which of two versions is to stay where nothing else decides, as all databases see it.
    func isLater(_ version: Version, than other: Version) -> Bool { global(version).isLater(than: global(other)) }

    private func global(_ version: Version) -> Version {
        version.source.isLocal ? Version(time: version.time, source: source) : version
    }

    /// The remotes of which a revision is known, in ascending order.
    package var remoteIDs: [UInt16] { remotes.keys.sorted() }
    package func latest(onRemote remote: UInt16) -> Revision? { remotes[remote] }

    /// The remotes' revisions that compete with the current one, in the order of their remotes.
    package var conflicts: [Revision] { remoteIDs.compactMap { remotes[$0] }.filter(\.isConflicted) }
    package var isConflicted: Bool { remotes.values.contains(where: \.isConflicted) }

    /// The current revision with what it descends from.
    package var history: RevisionHistory {
        guard let current else { return RevisionHistory() }
        switch current.version {
        case .vector(let vector): return RevisionHistory(vector: vector, treeIDs: legacyParent.map { [$0] } ?? [])
        case .tree(let id): return RevisionHistory(treeIDs: treeHistory.first == id ? treeHistory : [id])
        }
    }

    /// What the current revision and the remotes' say of the document.
    var documentFlags: DocumentFlags {
        guard let current else { return [] }
        return remotes.values.reduce(current.flags.intersection([.deleted, .hasAttachments])) {
            $0.union($1.flags.intersection([.conflicted, .hasAttachments]))
        }
    }
}
