internal import CBLBase

/// What a message is about.
public enum LogDomain: UInt, Sendable {
    /// Databases, collections, documents, blobs and indexes.
    case database = 1
    /// Queries, live ones among them.
    case query = 2
    /// What replicators do and why they stop.
    case replicator = 4
    /// Connections: names, TLS and WebSocket.
    case network = 8
    /// Listeners that others connect to.
    case listener = 16
    /// Finding peers.
    case peerDiscovery = 32
    /// The protocol by which peers are found on a local network.
    case mdns = 64
    /// Replication with peers that were found.
    case multipeer = 512
}

/// How much a message matters. As the level of a sink, `none` lets nothing through.
public enum LogLevel: UInt8, Sendable {
    /// Details for those who work on the library.
    case debug = 0
    /// Steps of what is done, such as each message of a replication.
    case verbose
    /// What was begun and ended: databases opened, replicators started.
    case info
    /// Something is not as it should be, and the work goes on.
    case warning
    /// Something was not done.
    case error
    /// No message has it: a sink of this level is silent.
    case none
}

/// Several domains.
public struct LogDomains: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) { self.rawValue = rawValue }

    init(_ domain: LogDomain) { self.init(rawValue: domain.rawValue) }

    /// As `LogDomain.database`.
    public static let database = LogDomains(.database)
    /// As `LogDomain.query`.
    public static let query = LogDomains(.query)
    /// As `LogDomain.replicator`.
    public static let replicator = LogDomains(.replicator)
    /// As `LogDomain.network`.
    public static let network = LogDomains(.network)
    /// As `LogDomain.listener`.
    public static let listener = LogDomains(.listener)
    /// As `LogDomain.peerDiscovery`.
    public static let peerDiscovery = LogDomains(.peerDiscovery)
    /// As `LogDomain.mdns`.
    public static let mdns = LogDomains(.mdns)
    /// As `LogDomain.multipeer`.
    public static let multipeer = LogDomains(.multipeer)
    /// Every domain.
    public static let all: LogDomains = [.database, .query, .replicator, .network, .listener, .peerDiscovery, .mdns, .multipeer]
}

extension LogDomain {
    /// What consoles show.
    var title: String {
        switch self {
        case .database: "Database"
        case .query: "Query"
        case .replicator: "Replicator"
        case .network: "Network"
        case .listener: "Listener"
        case .peerDiscovery: "PeerDiscovery"
        case .mdns: "mDNS"
        case .multipeer: "Multipeer"
        }
    }

    /// What stands in files: the names that the vendor's core has for these subjects, which readers of its logs know.
    var nameInFiles: String {
        switch self {
        case .database: "DB"
        case .query: "Query"
        case .replicator: "Sync"
        case .network: "WS"
        case .listener: "Listener"
        case .peerDiscovery: "Discovery"
        case .mdns: "mDNS"
        case .multipeer: "P2P"
        }
    }
}

extension LogLevel {
    /// The levels that a message can have.
    static let ofMessages: [LogLevel] = [.debug, .verbose, .info, .warning, .error]

    /// Whether a sink of this level takes messages of that one.
    func admits(_ level: LogLevel) -> Bool { level.rawValue >= rawValue && level != .none }

    init(_ grade: MessageLevel) {
        self =
            switch grade {
            case .debug: .debug
            case .verbose: .verbose
            case .info: .info
            case .warning: .warning
            case .error: .error
            }
    }

    /// The same where logs are written; nil for `none`, which no message has.
    var grade: MessageLevel? { MessageLevel(rawValue: rawValue) }

    /// What stands before a message.
    var title: String { grade?.title ?? "None" }
}
