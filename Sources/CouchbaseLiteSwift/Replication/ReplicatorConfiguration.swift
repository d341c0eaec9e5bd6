import Foundation

/// What a replicator is to do, and with whom.
///
///     var config = ReplicatorConfiguration(
///         collections: CollectionConfiguration.fromCollections([hotels]),
///         target: URLEndpoint(url: URL(string: "wss://example.com:4984/travel")!))
///     config.continuous = true
///     config.authenticator = BasicAuthenticator(username: "ann", password: password)
public struct ReplicatorConfiguration {
    /// Whom to replicate with.
    public let target: any Endpoint
    /// Each collection once, in no particular order.
    public let collections: [CollectionConfiguration]
    /// In which directions. By default both.
    public var replicatorType = ReplicatorConfiguration.defaultType
    /// Whether it goes on with what changes later, until it is stopped.
    public var continuous = ReplicatorConfiguration.defaultContinuous
    /// Who this side is; nil for nobody in particular.
    public var authenticator: (any Authenticator)?
    /// Accept servers that sign for themselves, and no others: nobody vouches for them then. A pinned certificate takes precedence.
    public var acceptOnlySelfSignedServerCertificate = ReplicatorConfiguration.defaultSelfSignedCertificateOnly
    /// The certificate that the server, or who has signed for it, must have.
    public var pinnedServerCertificate: SecCertificate?
    /// Sent with the request that opens the connection. Those that the protocol needs cannot be replaced.
    public var headers: [String: String]?
    /// The interface to connect from, such as `eth0`, or its address.
    public var networkInterface: String?
    /// Whether a server may set cookies for the domain above it.
    public var acceptParentDomainCookie = ReplicatorConfiguration.defaultAcceptParentCookies
    /// Whether documents go from here when the user loses access to them.
    public var enableAutoPurge = ReplicatorConfiguration.defaultEnableAutoPurge
    private var chosenHeartbeat: TimeInterval = 0
    private var chosenAttempts: UInt = 0
    private var chosenWaitTime: TimeInterval = 0

    /// The collections must be of one database. Of two configurations of a collection the last counts.
    public init(collections: [CollectionConfiguration], target: any Endpoint) {
        programmerErrorUnless(!collections.isEmpty, .invalidArgument, "There is no collection to replicate.")
        let database = collections[0].collection.database
        programmerErrorUnless(
            collections.allSatisfy { $0.collection.database === database }, .invalidArgument,
            "The collections of a replicator must be of one database, and of one object that stands for it.")
        var distinct: [CollectionConfiguration] = []
        for configuration in collections {
            distinct.removeAll { $0.collection.coreName == configuration.collection.coreName }
            distinct.append(configuration)
        }
        self.collections = distinct
        self.target = target
    }

    /// A copy.
    public init(config: ReplicatorConfiguration) { self = config }

    var database: Database { collections[0].collection.database }

    /// A server that has been silent for so many seconds is asked whether it is there; 0 is the default.
    public var heartbeat: TimeInterval {
        get { chosenHeartbeat > 0 ? chosenHeartbeat : ReplicatorConfiguration.defaultHeartbeat }
        set { chosenHeartbeat = ReplicatorConfiguration.checked(newValue, "heartbeat") }
    }

    /// How often to try to connect, in a row, before giving up: 1 is without another attempt, 0 the default, which depends on `continuous`.
    public var maxAttempts: UInt {
        get {
            if chosenAttempts > 0 { return chosenAttempts }
            return continuous
                ? ReplicatorConfiguration.defaultMaxAttemptsContinuous : ReplicatorConfiguration.defaultMaxAttemptsSingleShot
        }
        set { chosenAttempts = newValue }
    }

    /// The longest pause between two attempts, in seconds: the first is of 2, and each next one twice as long. 0 is the default.
    public var maxAttemptWaitTime: TimeInterval {
        get { chosenWaitTime > 0 ? chosenWaitTime : ReplicatorConfiguration.defaultMaxAttemptsWaitTime }
        set { chosenWaitTime = ReplicatorConfiguration.checked(newValue, "maxAttemptWaitTime") }
    }

    private static func checked(_ seconds: TimeInterval, _ name: String) -> TimeInterval {
        programmerErrorUnless(seconds >= 0, .invalidArgument, "\(name) cannot be \(seconds) seconds.")
        return seconds
    }

    /// Both directions.
    public static let defaultType = ReplicatorType.pushAndPull
    /// False: it stops when all is replicated.
    public static let defaultContinuous = false
    /// Of no meaning on this system.
    public static let defaultAllowReplicatingInBackground = false
    /// 300 seconds.
    public static let defaultHeartbeat: TimeInterval = 300
    /// 10 attempts.
    public static let defaultMaxAttemptsSingleShot: UInt = 10
    /// It never gives up.
    public static let defaultMaxAttemptsContinuous = UInt.max
    /// 300 seconds.
    public static let defaultMaxAttemptsWaitTime: TimeInterval = 300
    /// True: what the user loses access to is purged here.
    public static let defaultEnableAutoPurge = true
    /// False: servers must be vouched for by somebody who is trusted.
    public static let defaultSelfSignedCertificateOnly = false
    /// False: cookies are for the server's own domain.
    public static let defaultAcceptParentCookies = false
}
