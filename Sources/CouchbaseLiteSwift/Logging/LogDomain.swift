/// What a message is about.
public enum LogDomain: UInt, Sendable {
    case database = 1
    case query = 2
    case replicator = 4
    case network = 8
    case listener = 16
    case peerDiscovery = 32
    case mdns = 64
    case multipeer = 512
}

/// How much a message matters. As the level of a sink, `none` lets nothing through.
public enum LogLevel: UInt8, Sendable {
    case debug = 0
    case verbose
    case info
    case warning
    case error
    case none
}

/// Several domains.
public struct LogDomains: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) { self.rawValue = rawValue }

    init(_ domain: LogDomain) { self.init(rawValue: domain.rawValue) }

    public static let database = LogDomains(.database)
    public static let query = LogDomains(.query)
    public static let replicator = LogDomains(.replicator)
    public static let network = LogDomains(.network)
    public static let listener = LogDomains(.listener)
    public static let peerDiscovery = LogDomains(.peerDiscovery)
    public static let mdns = LogDomains(.mdns)
    public static let multipeer = LogDomains(.multipeer)
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

    /// What stands before a message.
    var title: String {
        switch self {
        case .debug: "Debug"
        case .verbose: "Verbose"
        case .info: "Info"
        case .warning: "WARNING"
        case .error: "ERROR"
        case .none: "None"
        }
    }

    /// Its part of a file's name.
    var nameOfFiles: String { title.lowercased() }
}
