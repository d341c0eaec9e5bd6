/// A database as text: one JSON object per line, from a header to a trailer that tells whether anything is missing. `docs/archive-format.md`
/// describes the lines.
package enum Archive {
    static let format = "cblite"
    static let version: Int64 = 1

    /// What of a database goes into an archive.
    package struct DumpOptions: Sendable {
        /// nil for all collections.
        package var collections: [CollectionName]?
        package var includesRawDocuments = true
        package var includesBlobs = true
        package var includesIndexes = true
        /// Whether the UUIDs go along, by which other databases know this one.
        package var includesIdentity = false

        package init() {}
    }

    package struct RestoreOptions: Sendable {
        /// nil for all collections of the archive.
        package var collections: [CollectionName]?
        /// Whether the database may hold documents already.
        package var merges = false
        /// Whether the database becomes the one that was archived, instead of a new one.
        package var takesIdentity = false

        package init() {}
    }

    /// Something that could not be archived.
    package enum Omission: Sendable, CustomStringConvertible {
        case document(String, collection: CollectionName, reason: String)
        /// A blob that documents refer to.
        case blob(reason: String)

        package var description: String {
            switch self {
            case .document(let id, let collection, let reason): "\(collection): document \"\(id)\" was left out: \(reason)"
            case .blob(let reason): "\(reason); the archive goes without it"
            }
        }
    }

    /// What an archive holds, as its last line says.
    package struct Counts: Hashable, Sendable {
        package var collections = 0
        package var documents = 0
        package var rawDocuments = 0
        package var indexes = 0
        package var blobs = 0

        package init() {}
    }
}

/// What is wrong with an archive, and in which line.
package struct ArchiveError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Its number, from 1; 0 if the error is not in a line.
    package let line: Int
    package let message: String

    package var description: String { line == 0 ? message : "line \(line): \(message)" }
}
