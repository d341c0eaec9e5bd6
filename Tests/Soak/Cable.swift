import CBLBase
import Glibc
import Synchronization

/// What lies between the replicas and the gateway, and can be cut.
final class Cable: Sendable {
    struct NotConnected: Error {}

    let port: UInt16
    private let target: UInt16
    private let listening: Int32
    /// Of connections that are there, both ends.
    private let sockets = Mutex<Set<Int32>>([])

    init(to target: UInt16) throws {
        self.target = target
        listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = Cable.address(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = listening
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, length) == 0 && listen(descriptor, 100) == 0 && getsockname(descriptor, pointer, &length) == 0
            }
        }
        guard isListening else { throw NotConnected() }
        port = UInt16(bigEndian: address.sin_port)
        _ = WorkerThread { [self] in accept() }
    }

    static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        return address
    }

    static func connection(to port: UInt16) -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = Cable.address(port)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        if isConnected { return descriptor }
        close(descriptor)
        return nil
    }

    /// All connections end in the middle of whatever they carry.
    func cut() {
        sockets.withLock { for socket in $0 { shutdown(socket, Int32(SHUT_RDWR)) } }
    }

    private func accept() {
        while true {
            let near = Glibc.accept(listening, nil, nil)
            guard near >= 0 else { continue }
            guard let far = Cable.connection(to: target) else {
                close(near)
                continue
            }
            sockets.withLock { $0.formUnion([near, far]) }
            let ends = Ends()
            for (source, sink) in [(near, far), (far, near)] {
                _ = WorkerThread { [self] in
                    carry(source, sink)
                    if ends.end() {
                        sockets.withLock { $0.subtract([near, far]) }
                        close(near)
                        close(far)
                    }
                }
            }
        }
    }

    private final class Ends: Sendable {
        private let count = Atomic(0)
        /// Whether the other direction has ended, too.
        func end() -> Bool { count.add(1, ordering: .acquiringAndReleasing).newValue == 2 }
    }

    private func carry(_ source: Int32, _ sink: Int32) {
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = read(source, &buffer, buffer.count)
            guard count > 0 else { break }
            var sent = 0
            while sent < count {
                let written = buffer.withUnsafeBytes { write(sink, $0.baseAddress.map { $0 + sent }, count - sent) }
                guard written > 0 else { break }
                sent += written
            }
            guard sent == count else { break }
        }
        shutdown(source, Int32(SHUT_RDWR))
        shutdown(sink, Int32(SHUT_RDWR))
    }
}
