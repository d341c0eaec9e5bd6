import CBLFleece
import CBLStore

/// The revisions that a document remembers, for who asks about several of them.
package struct KnownRevisions {
    package let document: Document
    /// The current one first.
    package let all: [StoredRevision]
    private let places: [RevisionID: Int]

    package init(_ document: Document) throws {
        self.document = document
        all = try document.storedRevisions()
        places = Dictionary(all.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    package subscript(id: RevisionID) -> StoredRevision? { places[id].map { all[$0] } }

    /// The ends of all branches, the current one first; also those that end with a deletion.
    package var leaves: [StoredRevision] { all.filter { $0.flags.contains(.leaf) } }

    /// A revision and those it was made from, the nearest first, as far as they are remembered.
    package func history(of id: RevisionID) -> [StoredRevision] {
        var history: [StoredRevision] = []
        var next = self[id]
        while let revision = next, history.count < all.count {
            history.append(revision)
            next = revision.parent.flatMap { self[$0] }
        }
        return history
    }

    /// Those that it was made from which are left below a gap in its history.
    package func farAncestors(of id: RevisionID) -> [RevisionID] {
        // With every generation there, there is no gap.
        guard !id.isVersion, all.count < Int(id.generation) else { return [] }
        let history = history(of: id).map(\.id)
        guard let gap = zip(history, history.dropFirst()).enumerated().first(where: { $1.0.generation != $1.1.generation + 1 }) else {
            return []
        }
        return Array(history[(gap.offset + 1)...])
    }

    /// The leaves that were made from a revision, or that revision itself if it is one.
    package func leaves(below id: RevisionID) -> [StoredRevision] {
        leaves.filter { leaf in history(of: leaf.id).contains { $0.id == id } }
    }
}

extension StoredRevision {
    package var isDeleted: Bool { flags.contains(.deleted) }

    /// What it says; nil if that is not kept. A deletion need not say anything.
    package var shownBody: FleeceData? { body ?? (isDeleted && isCurrent ? .emptyDictionary : nil) }
}

extension Snapshot {
    /// What a client calls a revision; nil if nothing can be called so. A whole version vector stands for the version in front.
    package func revision(named text: String) -> RevisionID? {
        if let id = try? RevisionID(name: text) { return local(id) }
        guard text.contains("@") else { return nil }
        return (try? RevisionHistory(parsing: text))?.revision.map(local)
    }
}
