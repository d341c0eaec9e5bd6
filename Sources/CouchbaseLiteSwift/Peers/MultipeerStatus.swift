internal import CBLBase
import Foundation

/// What identifies a peer: the SHA-256 of its certificate.
public struct PeerID: Hashable, CustomStringConvertible, Sendable {
    /// The 32 bytes of the hash.
    public let bytes: Data

    init(_ certificate: SecCertificate) { bytes = Data(certificate.core.digest) }

    /// The bytes as hexadecimal digits.
    public var description: String { bytes.withUnsafeBytes { Hex.text(of: $0) } }

    public static func == (a: PeerID, b: PeerID) -> Bool { a.bytes == b.bytes }
    public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}

/// Whether a multipeer replicator is at work.
public struct MultipeerReplicatorStatus {
    /// Nil for all of them together.
    public let transport: MultipeerTransport?
    /// Whether peers are looked for. Always false in this version.
    public let active: Bool
    /// Why it is not.
    public let error: (any Error)?
}

/// A peer has come or gone.
public struct PeerDiscoveryStatus {
    /// Whose status it is.
    public let peerID: PeerID
    /// Whether it can be reached now.
    public let online: Bool
}

/// What the replicator for a peer is doing.
public struct PeerReplicatorStatus {
    /// With whom it replicates.
    public let peerID: PeerID
    /// Whether this side has connected to the peer.
    public let outgoing: Bool
    /// By which it is connected.
    public let transport: MultipeerTransport
    /// What a `Replicator` would say of itself.
    public let status: Replicator.Status
}

/// Documents that were replicated with a peer, or could not be.
public struct PeerDocumentReplication {
    /// With whom it was.
    public let peerID: PeerID
    /// True for what was sent, false for what has come.
    public let isPush: Bool
    /// Each with the error it has met, if any.
    public let documents: [ReplicatedDocument]
}

/// What is known of a peer.
public struct PeerInfo {
    /// Whose it is.
    public let peerID: PeerID
    /// What it has shown; nil before it was connected.
    public let certificate: SecCertificate?
    /// By which it can be reached.
    public let transports: Set<MultipeerTransport>
    /// Whether it can be reached now.
    public let online: Bool
    /// By which it is connected; nil if it is not.
    public let replicatorTransport: MultipeerTransport?
    /// What the replicator for it is doing.
    public let replicatorStatus: Replicator.Status
    /// The peers to which it is connected.
    public let neighborPeers: [PeerID]
}
