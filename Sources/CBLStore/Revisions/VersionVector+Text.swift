// `current; other, other`, or after a merge `current, merged, merged; other, other`. Without a semicolon all are current or merged, so a
// merge of nothing but these ends in one.
extension VersionVector: CustomStringConvertible {
    package init(parsing text: String) throws(RevisionError) {
        let history = try RevisionHistory(parsing: text)
        guard history.treeIDs.isEmpty else { throw .badID(text, reason: "a vector cannot contain a tree ID") }
        self = history.vector
    }

    package var description: String {
        var text = ""
        for (place, version) in versions.enumerated() {
            if place > 0 { text += place == currentCount ? "; " : ", " }
            text += version.description
        }
        return isMerge && currentCount == versions.count ? text + ";" : text
    }

    /// The text with every `*` replaced by what other databases call this one.
    package func text(local: SourceID) -> String { replacing(.local, by: local).description }

    /// The vector with one source's name replaced: `*` by the real one before it is sent, and back when it is received.
    package func replacing(_ source: SourceID, by replacement: SourceID) -> VersionVector {
        VersionVector(
            unchecked: versions.map { $0.source == source ? Version(time: $0.time, source: replacement) : $0 }, currentCount: currentCount)
    }
}
