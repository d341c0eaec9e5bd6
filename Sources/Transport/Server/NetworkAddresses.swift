import Glibc

/// The addresses under which others reach this machine.
public enum NetworkAddresses {
    /// Those of its interfaces that are up, without loopback and without those that are only good for one wire; IPv4 first.
    public static func ofThisMachine() -> [String] {
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
    public static func address(ofInterface name: String) -> String? {
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
    public static func isLoopback(_ address: String) -> Bool {
        if address == "localhost" || address == "lo" || address == "::1" { return true }
        var bytes = in_addr()
        return inet_pton(AF_INET, address, &bytes) == 1 && UInt32(bigEndian: bytes.s_addr) >> 24 == 127
    }

    /// The name that this machine has among others; nil if it has none.
    public static var hostName: String? {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0, name[0] != 0 else { return nil }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func length(of family: Int32) -> socklen_t? {
        switch family {
        case AF_INET: socklen_t(MemoryLayout<sockaddr_in>.size)
        case AF_INET6: socklen_t(MemoryLayout<sockaddr_in6>.size)
        default: nil
        }
    }
}
