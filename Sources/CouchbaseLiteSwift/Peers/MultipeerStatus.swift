internal import CBLBase
import Foundation

/// What identifies a peer: the SHA-256 of its certificate.
public struct PeerID: Hashable, CustomStringConvertible, Sendable {
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
    public let active: Bool
    /// Why it is not.
    public let error: (any Error)?
}

/// A peer has come or gone.
public struct PeerDiscoveryStatus {
    public let peerID: PeerID
    public let online: Bool
}

/// What the replicator for a peer is doing.
public struct PeerReplicatorStatus {
    public let peerID: PeerID
    /// Whether this side has connected to the peer.
    public let outgoing: Bool
    public let transport: MultipeerTransport
    public let status: Replicator.Status
}

/// Documents that were replicated with a peer, or could not be.
public struct PeerDocumentReplication {
    public let peerID: PeerID
    public let isPush: Bool
    public let documents: [ReplicatedDocument]
}

/// What is known of a peer.
public struct PeerInfo {
    public let peerID: PeerID
    public let certificate: SecCertificate?
    /// By which it can be reached.
    public let transports: Set<MultipeerTransport>
    public let online: Bool
    public let replicatorTransport: MultipeerTransport?
    public let replicatorStatus: Replicator.Status
    /// The peers to which it is connected.
    public let neighborPeers: [PeerID]
}
