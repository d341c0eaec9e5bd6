/// What names a revision in a vector database: a version vector, or still a tree ID if the revision comes from before, or from a server
/// that knows trees alone.
package enum StoredVersion: Hashable, Sendable {
    case vector(VersionVector)
    case tree(RevisionID)

    /// Reads the column `version`.
    package init(column bytes: UnsafeRawBufferPointer) throws(RevisionError) {
        self = bytes.first == 0 ? .vector(try VersionVector(binary: bytes)) : .tree(try RevisionID(binary: bytes))
    }

    package init(column bytes: [UInt8]) throws(RevisionError) {
        let result = bytes.withUnsafeBytes { bytes in Result { () throws(RevisionError) in try StoredVersion(column: bytes) } }
        self = try result.get()
    }

    package var binary: [UInt8] {
        switch self {
        case .vector(let vector): vector.binary
        case .tree(let id): id.binary
        }
    }

    /// The revision; nil for an empty vector, which nothing is named by.
    package var id: RevisionID? {
        switch self {
        case .vector(let vector): vector.current.map { RevisionID($0) }
        case .tree(let id): id
        }
    }

    package var treeID: RevisionID? {
        if case .tree(let id) = self { id } else { nil }
    }

    /// The vector, empty for a tree ID.
    package var vector: VersionVector {
        if case .vector(let vector) = self { vector } else { VersionVector() }
    }

    /// The vector, or for a tree ID the version that stands for it.
    var converted: VersionVector {
        switch self {
        case .vector(let vector): vector
        case .tree(let id): VersionVector(Version(legacy: id))
        }
    }
}
