import CBLBase
import Glibc

/// A service on the local network that others may replicate with. All of it is what somebody there says.
package struct FoundPeer: Hashable, Sendable {
    /// By what it is known.
    package struct Service: Hashable, Sendable {
        /// For people; at most 63 bytes.
        package var name: String
        /// `_cbl._tcp`
        package var type: String
        package var domain: String

        package init(name: String, type: String = FoundPeer.ownType, domain: String = "local") {
            self.name = name
            self.type = type
            self.domain = domain
        }
    }

    package enum Kind: String, Sendable {
        /// `cblite serve`
        case cblite
        /// A listener of Couchbase Lite 1.x.
        case listener = "1.x"
        /// The vendor's replicators that find each other, from 3.3 on. Nobody else is let in there.
        case multipeer
    }

    package static let ownType = "_cbl._tcp"
    static let multipeerType = "_couchbaseP2P._tcp"
    /// What 1.x listeners of .NET are of, among everything else that speaks HTTP.
    static let webType = "_http._tcp"
    private static let webPrefix = "CouchbaseLite_"
    package static let types = [ownType, multipeerType, webType]

    package let service: Service
    package let host: String
    package let port: UInt16
    /// Those that can be connected to, the best first.
    package let addresses: [String]
    package let text: ServiceText
    /// Nil if it is none of ours.
    package let announcement: PeerAnnouncement?

    package init(_ service: Service, host: String, port: UInt16, addresses: [String], text: ServiceText = ServiceText()) {
        self.service = service
        self.host = host
        self.port = port
        self.addresses = FoundPeer.sorted(addresses)
        self.text = text
        announcement = service.type == FoundPeer.ownType ? PeerAnnouncement(text) : nil
    }

    package var name: String { service.name }
    package var databases: [String] { announcement?.databases.map(\.name) ?? [] }
    package var isSecure: Bool { announcement?.isSecure ?? false }

    package var kind: Kind {
        if announcement != nil { return .cblite }
        return service.type == FoundPeer.multipeerType ? .multipeer : .listener
    }

    /// Whether a service is of interest. Of those that speak HTTP only the name tells.
    static func isOne(_ service: Service) -> Bool { service.type != webType || service.name.hasPrefix(webPrefix) }

    /// Where its database of that name would be, by each of its addresses.
    package func urls(of database: String) -> [PeerURL] {
        let hosts = addresses.isEmpty ? [host.hasSuffix(".") ? String(host.dropLast()) : host] : addresses
        return hosts.compactMap { host in
            let text = "\(isSecure ? "wss" : "ws")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
            // What pretends to be a host could be more of a URL than that.
            guard let url = try? PeerURL(text), url == PeerURL(isSecure: isSecure, host: host, port: port) else { return nil }
            return url.appending(database)
        }
    }

    /// IPv4 before IPv6, and what only this machine reaches at the end. An address that is good for one wire alone means nothing without that.
    private static func sorted(_ addresses: [String]) -> [String] {
        func rank(_ address: String) -> Int? {
            var four = in_addr()
            if inet_pton(AF_INET, address, &four) == 1 { return NetworkAddresses.isLoopback(address) ? 2 : 0 }
            var six = in6_addr()
            guard inet_pton(AF_INET6, address, &six) == 1 else { return nil }
            let first = withUnsafeBytes(of: &six) { ($0[0], $0[1]) }
            if first.0 == 0xFE, first.1 & 0xC0 == 0x80 { return nil }
            return NetworkAddresses.isLoopback(address) ? 2 : 1
        }
        let ranked = Set(addresses).compactMap { address in rank(address).map { ($0, address) } }
        return ranked.sorted { $0 < $1 }.map(\.1)
    }
}
