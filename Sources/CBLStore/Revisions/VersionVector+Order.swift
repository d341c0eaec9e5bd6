/// How one revision stands to another.
package enum RevisionOrder: Hashable, Sendable {
    case same
    case older
    case newer
    case conflict
}

extension VersionVector {
    /// How this vector stands to a single version: newer if it knows of it.
    package func order(relativeTo version: Version) -> RevisionOrder {
        guard let time = self[version.source], time >= version.time else { return .older }
        return version == current ? .same : .newer
    }

    /// How this vector stands to another. Only the current versions matter.
    package func order(relativeTo other: VersionVector) -> RevisionOrder {
        guard let theirs = other.current else { return isEmpty ? .same : .newer }
        guard let ours = current else { return .older }
        let order = order(relativeTo: theirs)
        if order == .same { return .same }
        return order == other.order(relativeTo: ours) ? .conflict : order
    }

    /// Whether some version is in both.
    package func sharesVersion(with other: VersionVector) -> Bool {
        versions.contains { version in other.versions.contains(version) }
    }
}
