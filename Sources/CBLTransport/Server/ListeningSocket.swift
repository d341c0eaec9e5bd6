import Glibc

/// A socket at which connections arrive.
final class ListeningSocket {
    let port: UInt16
    private let descriptor: Int32
    private var watch: FileWatch?
    private let loop: EventLoop
    private var isClosed = false

    /// Those of a server, at least one. `localhost` is this machine in both versions of the protocol, as clients try either first, and is there in one
    /// where the other is not.
    static func all(address: String?, port: UInt16, on loop: EventLoop) throws(TransportError) -> [ListeningSocket] {
        guard address == "localhost" else { return [try ListeningSocket(address: address, port: port, on: loop)] }
        let first = try ListeningSocket(address: "127.0.0.1", port: port, on: loop)
        do { return [first, try ListeningSocket(address: "::1", port: first.port, on: loop)] } catch {
            // Whom clients would find there is somebody else.
            if port != 0, error.code == .posix(EADDRINUSE) { throw error }
            return [first]
        }
    }

    /// `address` is an address or the name of an interface; nil is all of them. Port 0 is any that is free.
    init(address: String?, port: UInt16, on loop: EventLoop) throws(TransportError) {
        self.loop = loop
        let (found, name) = try ListeningSocket.resolve(address, port)
        defer { freeaddrinfo(found) }
        let what = "cannot listen on \(name)"
        var failure = TransportError.posix(EADDRNOTAVAIL, what)
        var opened: Int32 = -1
        var candidate = found
        while let info = candidate?.pointee, opened < 0 {
            candidate = info.ai_next
            let descriptor = socket(info.ai_family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            guard descriptor >= 0 else { continue }
            var one: Int32 = 1
            var zero: Int32 = 0
            let size = socklen_t(MemoryLayout<Int32>.size)
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, size)
            // One socket for both versions of the protocol, where there are both.
            if info.ai_family == AF_INET6 { setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &zero, size) }
            if bind(descriptor, info.ai_addr, info.ai_addrlen) == 0, listen(descriptor, 128) == 0 {
                opened = descriptor
            } else {
                failure = .posix(errno, what)
                Glibc.close(descriptor)
            }
        }
        guard opened >= 0 else { throw failure }
        _ = fcntl(opened, F_SETFL, O_NONBLOCK)
        descriptor = opened
        self.port = ListeningSocket.port(of: opened)
    }

    deinit { if !isClosed { Glibc.close(descriptor) } }

    private static func resolve(_ address: String?, _ port: UInt16) throws(TransportError) -> (UnsafeMutablePointer<addrinfo>?, String) {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        var found: UnsafeMutablePointer<addrinfo>?
        guard let address else {
            // IPv6 first, as its socket takes connections of both kinds.
            for family in [AF_INET6, AF_INET] where found == nil {
                hints.ai_family = family
                getaddrinfo(nil, String(port), &hints, &found)
            }
            return (found, "port \(port)")
        }
        let numeric = NetworkAddresses.address(ofInterface: address) ?? address
        guard getaddrinfo(numeric, String(port), &hints, &found) == 0 else {
            throw TransportError(.network(.unknownInterface), "this machine has no network interface or address \"\(address)\"")
        }
        return (found, "\(address), port \(port)")
    }

    /// The address as numbers, for people.
    static func text(of address: UnsafePointer<sockaddr>, _ length: socklen_t) -> String {
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        guard getnameinfo(address, length, &host, socklen_t(host.count), nil, 0, NI_NUMERICHOST) == 0 else { return "somebody" }
        return String(decoding: host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func port(of descriptor: Int32) -> UInt16 {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(descriptor, $0, &length) }
            // The port stands at the same place for both versions.
            return storage.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { UInt16(bigEndian: $0.pointee.sin_port) }
        }
    }

    /// Hands out each connection that arrives: a descriptor, which is the receiver's from then on, and whose it is.
    func accept(_ arrived: @escaping (Int32, String) -> Void) {
        let watch = loop.watch(descriptor) { [weak self] _ in self?.acceptAll(arrived) }
        watch.interest = .reading
        self.watch = watch
    }

    private func acceptAll(_ arrived: (Int32, String) -> Void) {
        // Not for ever: those who are here already have something to say as well.
        for _ in 0..<64 {
            var storage = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let (accepted, peer) = withUnsafeMutablePointer(to: &storage) { storage in
                storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    let accepted = Glibc.accept(descriptor, address, &length)
                    return (accepted, accepted >= 0 ? ListeningSocket.text(of: address, length) : "")
                }
            }
            guard accepted < 0 else {
                arrived(accepted, peer)
                continue
            }
            switch errno {
            case EINTR, ECONNABORTED: continue
            case EMFILE, ENFILE, ENOBUFS, ENOMEM:
                // Until some are closed the socket would tell of the same connection again and again.
                watch?.interest = []
                _ = loop.timer(after: .seconds(1)) { [weak self] in self?.watch?.interest = .reading }
                return
            default: return
            }
        }
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        watch?.end()
        Glibc.close(descriptor)
    }
}
