/// A database as text: one JSON object per line, from a header to a trailer that tells whether anything is missing. `docs/archive-format.md`
/// describes the lines.
public enum Archive {
    static let format = "cblite"
    static let version: Int64 = 1

    /// What of a database goes into an archive.
    public struct DumpOptions: Sendable {
        /// nil for all collections.
        public var collections: [CollectionName]?
        public var includesRawDocuments = true
        public var includesBlobs = true
        public var includesIndexes = true
        /// Whether the UUIDs go along, by which other databases know this one.
        public var includesIdentity = false

        public init() {}
    }

    public struct RestoreOptions: Sendable {
        /// nil for all collections of the archive.
        public var collections: [CollectionName]?
        /// Whether the database may hold documents already.
        public var merges = false
        /// Whether the database becomes the one that was archived, instead of a new one.
        public var takesIdentity = false

        public init() {}
    }

    /// Something that could not be archived.
    public enum Omission: Sendable, CustomStringConvertible {
        case document(String, collection: CollectionName, reason: String)
        /// A blob that documents refer to.
        case blob(reason: String)

        public var description: String {
            switch self {
            case .document(let id, let collection, let reason): "\(collection): document \"\(id)\" was left out: \(reason)"
            case .blob(let reason): "\(reason); the archive goes without it"
            }
        }
    }

    /// What an archive holds, as its last line says.
    public struct Counts: Hashable, Sendable {
        public var collections = 0
        public var documents = 0
        public var rawDocuments = 0
        public var indexes = 0
        public var blobs = 0

        public init() {}
    }
}

/// What is wrong with an archive, and in which line.
public struct ArchiveError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Its number, from 1; 0 if the error is not in a line.
    public let line: Int
    public let message: String

    public var description: String { line == 0 ? message : "line \(line): \(message)" }
}
