import CBLFleece

/// The revisions that a document remembers, each a child of the one it was made from, several side by side after a conflict.
///
/// Revision 0 is the current one; the order of the others follows § "current revision" of the rules in `RevisionTree+Order.swift`. A tree
/// is a value without I/O: the store decodes it, changes it, asks it for a `SaveOutcome`, and writes that.
package struct RevisionTree: Sendable {
    /// How many generations of a branch are kept unless the database says otherwise.
    package static let defaultDepth = 50
    /// An index of `FFFF` means "no parent" on disk.
    static let maximumCount = 0xFFFF

    /// What a revision is besides its content, as bits of the byte on disk.
    package struct Flags: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let deleted = Flags(rawValue: 0x01)
        /// It has no children.
        package static let leaf = Flags(rawValue: 0x02)
        /// It is not on disk yet.
        package static let new = Flags(rawValue: 0x04)
        /// Its body refers to blobs.
        package static let hasAttachments = Flags(rawValue: 0x08)
        /// Its body stays when it is no leaf any more, as the base of deltas and merges.
        package static let keepBody = Flags(rawValue: 0x10)
        /// It came from a remote and competes with the local branch.
        package static let conflict = Flags(rawValue: 0x20)
        /// A tombstone that ends a losing branch.
        package static let closed = Flags(rawValue: 0x40)
        /// On disk only: a body follows.
        static let hasBody = Flags(rawValue: 0x80)

        /// Whether a branch ends with it that nobody has ended to settle a conflict.
        package var isOpenLeaf: Bool { contains(.leaf) && !contains(.closed) }
    }

    package struct Revision: Sendable {
        package let id: RevisionID
        /// The index of the revision it was made from; nil for a root.
        package internal(set) var parent: Int?
        /// 0 until it is saved.
        package internal(set) var sequence: UInt64
        package internal(set) var flags: Flags
        /// Fleece with the database's shared keys; nil if it is not kept.
        package internal(set) var body: FleeceData?

        package var isDeleted: Bool { flags.contains(.deleted) }
        package var isLeaf: Bool { flags.contains(.leaf) }
        package var isConflict: Bool { flags.contains(.conflict) }
    }

    /// All revisions, the current one first.
    package internal(set) var revisions: [Revision] = []
    /// The index of the latest revision known on each remote, by remote ID, in ascending order.
    var remotes: [(remote: UInt16, index: Int)] = []
    /// Indexes of revisions that a remote refused.
    var rejected: [Int] = []

    /// The sequence of the record that it was read from, or saved to; 0 if there is none.
    var recordSequence: UInt64 = 0

    /// The tree of a document that does not exist yet.
    package init() {}

    package var isEmpty: Bool { revisions.isEmpty }
    package var current: Revision? { revisions.first }

    package func index(of id: RevisionID) -> Int? { revisions.firstIndex { $0.id == id } }
    package subscript(id: RevisionID) -> Revision? { index(of: id).map { revisions[$0] } }

    /// A revision's ID and those of its ancestors, the nearest first.
    package func history(of index: Int) -> [RevisionID] {
        var ids: [RevisionID] = []
        var next: Int? = index
        while let step = next {
            ids.append(revisions[step].id)
            next = revisions[step].parent
        }
        return ids
    }

    /// A revision's history as it is sent: at most `limit` IDs, and none missing between them. Where ancestors were pruned, and only a remote's
    /// latest revision is left below, made-up IDs fill the gap.
    package func history(of index: Int, limit: Int, using random: inout some RandomNumberGenerator) -> [RevisionID] {
        var ids: [RevisionID] = []
        for id in history(of: index) {
            guard RevisionTree.fillGap(before: id, in: &ids, limit: limit, using: &random), ids.count < limit else { break }
            ids.append(id)
        }
        return ids
    }

    /// Appends made-up IDs to a history, until an older one can follow. False if there cannot be such.
    private static func fillGap(
        before id: RevisionID, in ids: inout [RevisionID], limit: Int, using random: inout some RandomNumberGenerator
    ) -> Bool {
        while let last = ids.last, last.generation > id.generation + 1, ids.count < limit {
            // "faded000" and random ones, which nobody would take for a digest.
            let digest: [UInt8] = [0xfa, 0xde, 0xd0, 0x00] + (0..<8).map { _ in UInt8.random(in: 0...255, using: &random) }
            guard let filler = digest.withUnsafeBytes({ RevisionID(generation: last.generation - 1, digest: $0) }) else { return false }
            ids.append(filler)
        }
        return true
    }

    /// A history with none missing in it; nil if that would be longer than any that is sent.
    package static func connected(_ history: [RevisionID]) -> [RevisionID]? {
        var random = SystemRandomNumberGenerator()
        var ids: [RevisionID] = []
        for id in history {
            guard fillGap(before: id, in: &ids, limit: longestConnected, using: &random), ids.count < longestConnected else { return nil }
            ids.append(id)
        }
        return ids
    }

    private static let longestConnected = 2000

    /// The remotes that a revision of this document is known on, in ascending order.
    package var remoteIDs: [UInt16] { remotes.map(\.remote) }

    /// The latest revision known on a remote.
    package func latest(onRemote remote: UInt16) -> Revision? { latestIndex(onRemote: remote).map { revisions[$0] } }

    func latestIndex(onRemote remote: UInt16) -> Int? { remotes.first { $0.remote == remote }?.index }
    func isLatestOnRemote(_ index: Int) -> Bool { remotes.contains { $0.index == index } }

    /// Whether a remote refused a revision.
    package func isRejected(_ id: RevisionID) -> Bool { rejected.contains { revisions[$0].id == id } }

    /// Whether one revision is an ancestor of another, or the same.
    func isAncestor(_ ancestor: Int, of index: Int) -> Bool {
        var next: Int? = index
        while let step = next {
            if step == ancestor { return true }
            next = revisions[step].parent
        }
        return false
    }
}
