import Foundation

/// By what peers find and reach each other.
public enum MultipeerTransport: Int, Sendable {
    /// The local network.
    case wifi
    /// Not to be had on this system.
    case bluetooth
}

/// Whether a document is replicated with a peer.
public typealias MultipeerReplicationFilter = (PeerID, Document, DocumentFlags) -> Bool

/// Decides how conflicts with peers end.
public protocol MultipeerConflictResolver {
    /// As `ConflictResolverProtocol` has it, with the peer whose document has come.
    func resolve(peerID: PeerID, conflict: Conflict) -> Document?
}

/// Decides with which peers to replicate. Types of the program cannot be authenticators.
public protocol MultipeerAuthenticator {
}

/// Decides by the certificates of peers.
public class MultipeerCertificateAuthenticator: MultipeerAuthenticator {
    enum Judge: Sendable {
        case program(Unchecked<(PeerID, [SecCertificate]) -> Bool>)
        case roots([SecCertificate])
    }

    let judge: Judge

    /// Whether to replicate with the peer that has shown these certificates, its own first.
    public init(authenticator: @escaping (PeerID, [SecCertificate]) -> Bool) { judge = .program(Unchecked(authenticator)) }

    /// Replicates with those whose certificate one of these has signed, or is one of these.
    public init(rootCerts: [SecCertificate]) { judge = .roots(rootCerts) }
}

/// What of a collection is replicated with peers, and how its conflicts end.
public struct MultipeerCollectionConfiguration {
    /// Whose documents are replicated.
    public let collection: Collection
    /// Replicate these documents only.
    public var documentIDs: [String]?
    /// Called with each document that would be sent; nil lets all through.
    public var pushFilter: MultipeerReplicationFilter?
    /// Called with each document that has come; nil lets all through.
    public var pullFilter: MultipeerReplicationFilter?
    /// Nil for the default: a deletion wins, then the later change.
    public var conflictResolver: (any MultipeerConflictResolver)?

    /// All documents, in both directions, with the default resolver.
    public init(collection: Collection) { self.collection = collection }

    /// A configuration for each, as `init` makes it.
    public static func fromCollections(_ collections: [Collection]) -> [MultipeerCollectionConfiguration] {
        programmerErrorUnless(!collections.isEmpty, .invalidArgument, "There is no collection to replicate.")
        return collections.map { MultipeerCollectionConfiguration(collection: $0) }
    }
}

/// What a multipeer replicator replicates, and with whom.
public struct MultipeerReplicatorConfiguration {
    /// Peers with the same text find each other.
    public let peerGroupID: String
    /// What peers are shown. It has to be for servers and for clients.
    public let identity: TLSIdentity
    /// Whom to replicate with.
    public let authenticator: any MultipeerAuthenticator
    /// What is replicated: of one database.
    public let collections: [MultipeerCollectionConfiguration]
    /// By default Wi-Fi alone.
    public var transports: Set<MultipeerTransport> = [.wifi]

    /// The group must have a name, and there must be collections, all of one database.
    public init(
        peerGroupID: String, identity: TLSIdentity, authenticator: any MultipeerAuthenticator,
        collections: [MultipeerCollectionConfiguration]
    ) {
        programmerErrorUnless(!peerGroupID.isEmpty, .invalidArgument, "A group of peers must have a name.")
        programmerErrorUnless(!collections.isEmpty, .invalidArgument, "There is no collection to replicate.")
        programmerErrorUnless(
            collections.allSatisfy { $0.collection.database === collections[0].collection.database }, .invalidArgument,
            "The collections of a replicator belong to one database.")
        self.peerGroupID = peerGroupID
        self.identity = identity
        self.authenticator = authenticator
        self.collections = collections
    }

    var database: Database { collections[0].collection.database }
}
