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
    public let protocolType: ProtocolType
    public let delegate: any MessageEndpointDelegate

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
