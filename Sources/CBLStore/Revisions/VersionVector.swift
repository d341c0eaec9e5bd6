/// What a document's current revision knows of: a version for each database that ever changed it, the current one first.
///
/// After a merge the versions that were merged follow the current one; they and the current one are the first `currentCount`. No source
/// occurs twice, except that the current one's may be among the merged, with an older time.
package struct VersionVector: Hashable, Sendable {
    package private(set) var versions: [Version]
    /// How many versions at the front are the current one and those it merged: 1 unless the vector is a merge.
    package private(set) var currentCount: Int

    /// A vector without versions, as a document that is named by a tree ID alone has it.
    package init() {
        versions = []
        currentCount = 0
    }

    package init(_ version: Version) {
        versions = [version]
        currentCount = 1
    }

    package init(_ versions: [Version], currentCount: Int = 1) throws(RevisionError) {
        self.init(unchecked: versions, currentCount: currentCount)
        if let reason = invalidity { throw .badID(description, reason: reason) }
    }

    init(unchecked versions: [Version], currentCount: Int) {
        self.versions = versions
        self.currentCount = currentCount
    }

    package var isEmpty: Bool { versions.isEmpty }
    package var current: Version? { versions.first }
    package var isMerge: Bool { currentCount > 1 }
    package var merged: ArraySlice<Version> { versions[..<currentCount].dropFirst() }

    /// The time of a source's newest version; nil if it made none.
    package subscript(source: SourceID) -> UInt64? { versions.first { $0.source == source }?.time }

    /// Why these versions are no vector; nil if they are.
    var invalidity: String? {
        guard let current else { return currentCount == 0 ? nil : "it is empty" }
        guard (1...versions.count).contains(currentCount) else { return "it has no current version" }
        var sources: Set<SourceID> = []
        var isCurrentRepeated = false
        for (place, version) in versions.enumerated() where !sources.insert(version.source).inserted {
            let isOlderSelf = version.source == current.source && place < currentCount && version.time < current.time
            guard isOlderSelf, !isCurrentRepeated else { return "the source \(version.source) occurs twice" }
            isCurrentRepeated = true
        }
        return nil
    }
}
