import Glibc

/// Addresses of the peers of sockets.
enum SocketAddress {
    /// Whether a connected socket leads to this machine itself: by its loopback, or by a file.
    static func isLocal(peerOf descriptor: Int32) -> Bool {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard getpeername(descriptor, address, &length) == 0 else { return false }
                return isLoopback(UnsafeRawPointer(address))
            }
        }
    }

    static func isLoopback(_ address: UnsafeRawPointer) -> Bool {
        switch Int32(address.load(as: sockaddr.self).sa_family) {
        case AF_UNIX: return true
        case AF_INET: return UInt32(bigEndian: address.load(as: sockaddr_in.self).sin_addr.s_addr) >> 24 == 127
        case AF_INET6:
            let bytes = withUnsafeBytes(of: address.load(as: sockaddr_in6.self).sin6_addr) { Array($0) }
            // ::1, and 127.0.0.0/8 as IPv6 writes it.
            return bytes == [UInt8](repeating: 0, count: 15) + [1]
                || bytes.starts(with: [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 127])
        default: return false
        }
    }
}
