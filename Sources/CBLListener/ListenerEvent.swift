import CBLBase
import CBLReplication
import CBLStore
import CBLTransport
import Synchronization

/// Somebody who is connected.
package struct ListenerClient: Sendable {
    /// In the order in which they came, from 1.
    package let number: Int
    package let address: String
    /// The name that came with the right password.
    package let user: String?
    /// Whom the client's certificate names.
    package let certificate: String?
    /// The program, as it calls itself.
    package let agent: String?
    /// The name of the database, as it is in the URL.
    package let database: String
    /// How far it is open to them.
    package let access: Share.Access
    package let subprotocol: String

    /// For people: `ada at 192.0.2.7`
    package var description: String {
        (user ?? certificate).map { "\($0) at \(address)" } ?? address
    }
}

/// What went over a connection, or over all.
package struct ListenerTraffic: Hashable, Sendable {
    package var documentsIn = 0
    package var documentsOut = 0
    /// Documents that were refused, by this side or the other.
    package var failures = 0
    /// Answers of the REST API.
    package var requests = 0

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

/// What is counted on several threads.
final class SharedTraffic: Sendable {
    private let traffic = Mutex(ListenerTraffic())

    func withLock<Result>(_ body: (inout ListenerTraffic) -> Result) -> Result { traffic.withLock { body(&$0) } }
}

/// A request of the REST API, and what it was answered with.
package struct AnsweredRequest: Sendable {
    package let address: String
    package let user: String?
    package let method: String
    /// Without parameters, which may be long, and secret.
    package let path: String
    package let status: Int

    init(_ request: HTTPRequest, _ visitor: Visitor, status: Int) {
        address = request.address
        user = visitor.name
        method = request.method
        path = request.plainPath
        self.status = status
    }
}

extension HTTPRequest {
    /// The path without parameters, which may be long, and secret.
    var plainPath: String { "/" + path.map { PercentEncoding.component($0) }.joined(separator: "/") }
}

/// What a listener has to tell, on the loop's thread.
package enum ListenerEvent: Sendable {
    case connected(ListenerClient)
    /// Nil if the client left as it should.
    case ended(ListenerClient, ListenerTraffic, SyncFailure?)
    /// Only if the settings say so.
    case document(ListenerClient, DocumentEvent, CollectionName)
    /// Only if the settings say so; on the thread that answers.
    case answered(AnsweredRequest)
    /// Somebody was not let in.
    case refused(address: String, reason: String)
}

extension ListenerEvent {
    /// Whether it may be left out when there are too many.
    package var isOneOfMany: Bool {
        switch self {
        case .document, .answered: true
        case .connected, .ended, .refused: false
        }
    }
}
