import Foundation

/// A connection that the program makes: this library asks it to connect and to send, and the program passes on what comes.
public protocol MessageEndpointConnection: AnyObject {
    /// Connects, keeps `connection` for what comes, and tells how it went. All calls come on a background thread, one at a time.
    func open(connection: any ReplicatorConnection, completion: @escaping (_ success: Bool, _ error: MessagingError?) -> Void)
    /// Hangs up. The error says why; nil that all is done.
    func close(error: (any Error)?, completion: @escaping () -> Void)
    /// Sends a message behind those before it, and tells when there is room for more.
    func send(message: Message, completion: @escaping (_ success: Bool, _ error: MessagingError?) -> Void)
}

/// To what the program passes on what comes over its connection. It may be used on any thread.
public protocol ReplicatorConnection: AnyObject {
    /// The peer has hung up, or is lost. In return the connection is asked to close.
    func close(error: MessagingError?)
    /// What has come, in the order in which it was sent.
    func receive(message: Message)
}

/// Bytes on their way.
public class Message: @unchecked Sendable {
    // Sendable: nothing of it changes.
    private let data: Data

    private init(_ data: Data) { self.data = data }

    /// What has come, to be handed to `ReplicatorConnection.receive(message:)`.
    public class func fromData(_ data: Data) -> Message { Message(data) }
    /// What is to be sent to the other side as it is.
    public func toData() -> Data { data }
}

/// Why a connection of the program does not work.
public class MessagingError: @unchecked Sendable {
    // Sendable: nothing of it changes.
    /// What went wrong, as the program knows it.
    public let error: any Error
    /// Whether it is worth another attempt.
    public let isRecoverable: Bool

    /// An error that is recoverable has a replicator connect again after a pause; another one ends it.
    public init(error: any Error, isRecoverable: Bool) {
        self.error = error
        self.isRecoverable = isRecoverable
    }
}
