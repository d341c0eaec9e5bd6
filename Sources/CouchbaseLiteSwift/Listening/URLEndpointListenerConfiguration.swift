import Foundation

/// What a listener offers, where, and to whom.
public struct URLEndpointListenerConfiguration {
    /// What others may replicate with: of one database.
    public let collections: [Collection]
    /// 0, the default, and nil are any port that is free.
    public var port: UInt16? = defaultPort
    /// The name of an interface, such as `eth0`, or an address. Nil, the default, is all of them.
    public var networkInterface: String?
    /// Without TLS everybody on the way can read and change what is replicated.
    public var disableTLS = defaultDisableTls
    /// What clients are shown. Nil, the default, is an identity that is made for this program, signed by itself, and kept.
    public var tlsIdentity: TLSIdentity?
    /// Whom to let in; nil, the default, is everybody.
    public var authenticator: (any ListenerAuthenticator)?
    /// Whether of large documents only what has changed is sent.
    public var enableDeltaSync = defaultEnableDeltaSync
    /// Whether others may only pull.
    public var readOnly = defaultReadOnly

    /// There must be at least one collection, and all must be of one database.
    public init(collections: [Collection]) {
        programmerErrorUnless(!collections.isEmpty, .invalidArgument, "A listener needs at least one collection.")
        programmerErrorUnless(
            collections.allSatisfy { $0.database === collections[0].database }, .invalidArgument,
            "The collections of a listener belong to one database.")
        self.collections = collections
    }

    /// A copy.
    public init(config: URLEndpointListenerConfiguration) { self = config }

    var database: Database { collections[0].database }

    /// 0: any port that is free. `URLEndpointListener.port` tells which.
    public static let defaultPort: UInt16 = 0
    /// False: connections are encrypted.
    public static let defaultDisableTls = false
    /// False: others may push.
    public static let defaultReadOnly = false
    /// False: documents are sent whole.
    public static let defaultEnableDeltaSync = false
}
