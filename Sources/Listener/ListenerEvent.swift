import DocumentStore
import Replication
import Transport

/// Somebody who is connected.
public struct ListenerClient: Sendable {
    /// In the order in which they came, from 1.
    public let number: Int
    public let address: String
    /// The name that came with the right password.
    public let user: String?
    /// Whom the client's certificate names.
    public let certificate: String?
    /// The program, as it calls itself.
    public let agent: String?
    /// The name of the database, as it is in the URL.
    public let database: String
    /// How far it is open to them.
    public let access: Share.Access
    public let subprotocol: String

    /// For people: `ada at 192.0.2.7`
    public var description: String {
        (user ?? certificate).map { "\($0) at \(address)" } ?? address
    }
}

/// What went over a connection, or over all.
public struct ListenerTraffic: Hashable, Sendable {
    public var documentsIn = 0
    public var documentsOut = 0
    /// Documents that were refused, by this side or the other.
    public var failures = 0

    mutating func add(_ event: DocumentEvent) {
        if event.error != nil {
            failures += 1
        } else if event.direction == .pull {
            documentsIn += 1
        } else {
            documentsOut += 1
        }
    }
}

/// What a listener has to tell, on the loop's thread.
public enum ListenerEvent: Sendable {
    case connected(ListenerClient)
    /// Nil if the client left as it should.
    case ended(ListenerClient, ListenerTraffic, SyncFailure?)
    /// Only if the settings say so.
    case document(ListenerClient, DocumentEvent, CollectionName)
    /// Somebody was not let in.
    case refused(address: String, reason: String)
}
