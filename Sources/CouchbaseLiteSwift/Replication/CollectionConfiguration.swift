import Foundation

/// In which directions a replicator goes.
public enum ReplicatorType: UInt8, Sendable {
    /// Both: what is here goes there, and what is there comes here.
    case pushAndPull
    /// What is here goes there, and nothing comes.
    case push
    /// What is there comes here, and nothing goes.
    case pull
}

/// What is special about a document that is replicated.
public struct DocumentFlags: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// It was deleted.
    public static let deleted = DocumentFlags(rawValue: 1)
    /// The user has lost access to it.
    public static let accessRemoved = DocumentFlags(rawValue: 2)
}

/// Whether a document is to be replicated. It is called on background threads; the document cannot be changed.
public typealias ReplicationFilter = (Document, DocumentFlags) -> Bool

/// What of a collection is replicated, and how its conflicts end.
public struct CollectionConfiguration {
    /// Whose documents are replicated.
    public let collection: Collection
    /// Nil for the default: a deletion wins, then the later change.
    public var conflictResolver: (any ConflictResolverProtocol)?
    /// What it does not let through is not sent until it changes again.
    public var pushFilter: ReplicationFilter?
    /// What it does not let through is not stored. The blobs of the document have not come when it is asked.
    public var pullFilter: ReplicationFilter?
    /// Pull what is in these channels only. Sync Gateway has such.
    public var channels: [String]?
    /// Replicate these documents only.
    public var documentIDs: [String]?

    /// All documents, with the default resolver.
    public init(collection: Collection) { self.collection = collection }

    /// A configuration for each, as `init` makes it.
    public static func fromCollections(_ collections: [Collection]) -> [CollectionConfiguration] {
        programmerErrorUnless(!collections.isEmpty, .invalidArgument, "There is no collection to replicate.")
        return collections.map { CollectionConfiguration(collection: $0) }
    }
}
