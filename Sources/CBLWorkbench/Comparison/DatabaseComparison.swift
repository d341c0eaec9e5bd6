import CBLFleece
import CBLStore
import Glibc

/// Goes through two databases side by side, by document ID, with one document of each in hand. Memory does not grow with their size.
///
/// Documents are the same if their bodies are.
package struct DatabaseComparison {
    /// What became of a document from the first database to the second.
    package enum Change: String, Sendable { case added, removed, changed }

    /// A document that is not the same in both. Lasts until the next one is looked at.
    package struct Difference {
        package let change: Change
        /// Nil where it is not there.
        package let before: DocumentCursor?
        package let after: DocumentCursor?
        /// The later one, or else the one that is there.
        package let document: DocumentCursor
    }

    package struct Counts: Hashable, Sendable {
        package var added = 0
        package var removed = 0
        package var changed = 0

        package init() {}

        package var isEqual: Bool { added + removed + changed == 0 }

        package mutating func count(_ change: Change) {
            switch change {
            case .added: added += 1
            case .removed: removed += 1
            case .changed: changed += 1
            }
        }
    }

    package let before: Snapshot
    package let after: Snapshot
    /// Whether revision IDs and deletions count too.
    package var comparesRevisions = false
    /// Only documents of these IDs, if it is not nil.
    package var chosen: [CollectionName: DocumentIDs]?
    /// Called for each pair of documents: what it throws ends the comparison.
    package var check: () throws -> Void = {}

    package init(_ before: Snapshot, _ after: Snapshot) {
        self.before = before
        self.after = after
    }

    /// The collections of both.
    package var collections: [CollectionName] { Set(before.collections()).union(after.collections()).sorted() }

    /// Calls `report` with all that differs in these collections, in the order of collections and IDs. One that only one side has is empty in the other.
    package func run(_ collections: [CollectionName], _ report: (Difference) throws -> Void) throws -> Counts {
        var counts = Counts()
        for name in collections {
            try compare(name) { difference in
                counts.count(difference.change)
                try report(difference)
            }
        }
        return counts
    }

    private func scan(_ name: CollectionName, _ snapshot: Snapshot) throws -> DocumentCursor? {
        guard snapshot.hasCollection(name) else { return nil }
        var options = ScanOptions(content: .body)
        options.includesDeleted = comparesRevisions
        return try snapshot.scan(name, options)
    }

    private func compare(_ name: CollectionName, _ report: (Difference) throws -> Void) throws {
        let (first, second) = (try scan(name, before), try scan(name, after))
        var hasFirst = try first?.next() ?? false
        var hasSecond = try second?.next() ?? false
        while hasFirst || hasSecond {
            try check()
            let order = hasFirst && hasSecond ? DatabaseComparison.order(first, second) : hasFirst ? -1 : 1
            let (one, other) = (order <= 0 ? first : nil, order >= 0 ? second : nil)
            if isChosen(one ?? other, of: name), let difference = difference(one, other) { try report(difference) }
            if order <= 0 { hasFirst = try first?.next() ?? false }
            if order >= 0 { hasSecond = try second?.next() ?? false }
        }
    }

    private func isChosen(_ document: DocumentCursor?, of collection: CollectionName) -> Bool {
        guard let chosen, let document else { return true }
        return chosen[collection]?.contains(document.idBytes) ?? false
    }

    private static func order(_ a: DocumentCursor?, _ b: DocumentCursor?) -> Int {
        guard let a = a?.idBytes, let b = b?.idBytes else { return 0 }
        if let first = a.baseAddress, let second = b.baseAddress {
            let order = memcmp(first, second, min(a.count, b.count))
            if order != 0 { return Int(order) }
        }
        return a.count - b.count
    }

    /// How two of the same ID differ, or one that the other side does not have.
    private func difference(_ first: DocumentCursor?, _ second: DocumentCursor?) -> Difference? {
        guard let document = second ?? first, let change = change(first, second) else { return nil }
        return Difference(change: change, before: first, after: second, document: document)
    }

    private func change(_ first: DocumentCursor?, _ second: DocumentCursor?) -> Change? {
        // A deletion that only one side remembers is no document that the other lacks.
        guard let first else { return second?.isDeleted ?? true ? .changed : .added }
        guard let second else { return first.isDeleted ? .changed : .removed }
        if first.isDeleted != second.isDeleted { return first.isDeleted ? .added : .removed }
        if comparesRevisions, !isSameRevision(first, second) { return .changed }
        return first.body.isEqual(to: second.body, before.sharedKeys, after.sharedKeys) ? nil : .changed
    }

    private func isSameRevision(_ first: DocumentCursor, _ second: DocumentCursor) -> Bool {
        if first.versionBytes.elementsEqual(second.versionBytes) { return true }
        // Each database calls itself `*` in its version vectors; a restored one names the source that it was made from.
        guard let one = try? VersionVector(binary: first.versionBytes), let other = try? VersionVector(binary: second.versionBytes) else {
            return false
        }
        return one.replacing(.local, by: before.sourceID) == other.replacing(.local, by: after.sourceID)
    }
}
