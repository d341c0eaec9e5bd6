import CBLBase
import Glibc

/// The addresses under which others reach this machine.
package enum NetworkAddresses {
    /// Those of its interfaces that are up, without loopback and without those that are only good for one wire; IPv4 first.
    package static func ofThisMachine() -> [String] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }
        var found: [(family: Int32, text: String)] = []
        var entry = list
        while let interface = entry?.pointee {
            entry = interface.ifa_next
            let flags = interface.ifa_flags
            guard flags & UInt32(IFF_UP) != 0, flags & UInt32(IFF_LOOPBACK) == 0, let address = interface.ifa_addr
            else { continue }
            let family = Int32(address.pointee.sa_family)
            guard let length = length(of: family) else { continue }
            let text = ListeningSocket.text(of: address, length)
            // Such an address means something only together with the name of an interface.
            if !text.hasPrefix("fe80:"), !found.contains(where: { $0.text == text }) { found.append((family, text)) }
        }
        return found.filter { $0.family == AF_INET }.map(\.text) + found.filter { $0.family == AF_INET6 }.map(\.text)
    }

    /// The address of the network interface of that name; nil if there is none.
    package static func address(ofInterface name: String) -> String? {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return nil }
        defer { freeifaddrs(list) }
        var entry = list
        while let interface = entry?.pointee {
            entry = interface.ifa_next
            guard String(cString: interface.ifa_name) == name, let address = interface.ifa_addr, address.pointee.sa_family == AF_INET
            else { continue }
            return ListeningSocket.text(of: address, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
        return nil
    }

    /// Whether only this machine reaches that address, or interface.
    package static func isLoopback(_ address: String) -> Bool {
        if address == "localhost" || address == "lo" || address == "::1" { return true }
        var bytes = in_addr()
        return inet_pton(AF_INET, address, &bytes) == 1 && UInt32(bigEndian: bytes.s_addr) >> 24 == 127
    }

    /// The name that this machine has among others; nil if it has none.
    package static var hostName: String? {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0, name[0] != 0 else { return nil }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The names by which this machine knows itself. Nobody else is asked: the answer could come from whoever wants to be taken for it.
    package static func namesOfThisMachine() -> Set<String> {
        var names: Set<String> = ["localhost"]
        if let name = hostName.map(lowerCased) {
            let first = String(split(name, at: UInt8(ascii: "."), most: 2)[0])
            // What it is called where there is no server for names.
            names.formUnion([name, first, first + ".local"])
        }
        guard let file = fopen("/etc/hosts", "re") else { return names }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: longestHostsFile)
        let count = fread(&bytes, 1, bytes.count, file)
        return names.union(self.names(inHosts: String(decoding: bytes[..<count], as: UTF8.self), of: Set(ofThisMachine())))
    }

    private static let longestHostsFile = 1 << 20

    /// The names that the lines of a hosts file give to loopback and to these addresses.
    static func names(inHosts text: String, of addresses: Set<String>) -> Set<String> {
        var names: Set<String> = []
        for line in split(text, at: UInt8(ascii: "\n")) {
            let words = split(line, at: UInt8(ascii: "#"), most: 2)[0].split { $0 == " " || $0 == "\t" || $0 == "\r" }
            guard let address = words.first.map(String.init), isLoopback(address) || addresses.contains(address) else { continue }
            for name in words.dropFirst() { if let host = RequestHost(name), !host.isAddress { names.insert(host.name) } }
        }
        return names
    }

    /// What one person's addresses have in common: with IPv6 each has as many as they like.
    package static func network(of address: String) -> String {
        var bytes = in6_addr()
        let plain = String(split(address, at: UInt8(ascii: "%"), most: 2)[0])
        guard plain.utf8.contains(UInt8(ascii: ":")), inet_pton(AF_INET6, plain, &bytes) == 1 else { return address }
        let all = withUnsafeBytes(of: &bytes) { Array($0) }
        // An IPv4 address in the clothes of the other.
        if all.prefix(10).allSatisfy({ $0 == 0 }), all[10] == 0xFF, all[11] == 0xFF {
            return all[12...].map { String($0) }.joined(separator: ".")
        }
        return all.prefix(8).withUnsafeBytes { Hex.text(of: $0) }
    }

    private static func length(of family: Int32) -> socklen_t? {
        switch family {
        case AF_INET: socklen_t(MemoryLayout<sockaddr_in>.size)
        case AF_INET6: socklen_t(MemoryLayout<sockaddr_in6>.size)
        default: nil
        }
    }
}
