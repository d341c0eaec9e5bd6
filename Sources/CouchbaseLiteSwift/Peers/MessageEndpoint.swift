internal import CBLReplication
internal import CBLTransport
import Foundation

/// What a program's own transport carries.
public enum ProtocolType: UInt8, Sendable {
    /// Messages, each of which arrives whole.
    case messageStream
    /// Bytes, of which any number may arrive together.
    case byteStream

    var framing: MessageFraming { self == .messageStream ? .messages : .bytes }
}

/// Makes the connections of a message endpoint.
public protocol MessageEndpointDelegate: AnyObject {
    /// Gives a connection that has not been opened. It is called on a background thread, for each attempt anew.
    func createConnection(endpoint: MessageEndpoint) -> any MessageEndpointConnection
}

/// A database that is reached over a transport of the program.
public class MessageEndpoint: Endpoint, @unchecked Sendable {
    // Sendable: nothing of it changes.

    /// By what the peer is known: another one under the same name is taken for it.
    public let uid: String
    /// Whatever the program needs to find the peer.
    public let target: Any?
    /// Whether what is carried arrives in whole messages or as a stream of bytes. Both sides must say the same.
    public let protocolType: ProtocolType
    /// Who makes the connections. It is kept alive by the endpoint.
    public let delegate: any MessageEndpointDelegate

    /// The `uid` should be the same each time for the same peer: a replication goes on where one with this `uid` has ended.
    public init(uid: String, target: Any?, protocolType: ProtocolType, delegate: any MessageEndpointDelegate) {
        self.uid = uid
        self.target = target
        self.protocolType = protocolType
        self.delegate = delegate
    }
}

extension MessageEndpoint: TransportEndpoint {
    var peerID: String { "x-msg-endpt:///" + uid }
    func makeTransport() -> any PeerTransport { MessageTransport(endpoint: self) }
}

private struct MessageTransport: PeerTransport {
    let endpoint: MessageEndpoint

    func connect(protocols: [String], on loop: EventLoop, delegate: any WebSocketDelegate & Sendable) {
        // What the program does may take a while.
        CarriedMessages.callbacks.async {
            let connection = endpoint.delegate.createConnection(endpoint: endpoint)
            let carrier = CarriedMessages(connection)
            carrier.start(
                endpoint.protocolType, .client, peer: endpoint.uid, protocols: protocols, on: loop, delegate: delegate)
        }
    }
}
