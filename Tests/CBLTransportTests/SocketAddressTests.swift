import Glibc
import Testing

@testable import CBLTransport

@Suite struct SocketAddressTests {
    @Test(arguments: [
        ("127.0.0.1", true), ("127.9.9.9", true), ("128.0.0.1", false), ("10.0.0.127", false), ("::1", true), ("::2", false),
        ("::ffff:127.0.0.1", true), ("::ffff:10.0.0.1", false), ("fe80::1", false),
    ])
    func whatLeadsToThisMachineIsKnown(_ text: String, _ isLocal: Bool) {
        if text.contains(":") {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            #expect(inet_pton(AF_INET6, text, &address.sin6_addr) == 1)
            #expect(withUnsafeBytes(of: address) { SocketAddress.isLoopback($0.baseAddress!) } == isLocal)
        } else {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            #expect(inet_pton(AF_INET, text, &address.sin_addr) == 1)
            #expect(withUnsafeBytes(of: address) { SocketAddress.isLoopback($0.baseAddress!) } == isLocal)
        }
    }

    @Test func whatIsNoConnectedSocketLeadsNowhere() {
        #expect(!SocketAddress.isLocal(peerOf: -1))
        var ends: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        #expect(SocketAddress.isLocal(peerOf: ends[0]))
        for end in ends { close(end) }
    }
}
