import CBLSystemEpoll
import Glibc

/// A connected socket. It closes the descriptor.
final class SocketStream: ByteStream {
    private let descriptor: Int32
    private let watch: FileWatch
    private let acknowledger: Acknowledger
    private let callback: Callback
    private let peer: String
    let isLocal: Bool
    var tellsAgain: Bool { true }
    private var isClosed = false

    // The watch needs what to call before there is a stream to be called.
    private final class Callback { var onReady: ((FileWatch.Readiness) -> Void)? }

    var onReady: ((FileWatch.Readiness) -> Void)? {
        get { callback.onReady }
        set { callback.onReady = newValue }
    }

    init(_ descriptor: Int32, on loop: EventLoop, peer: String) {
        self.descriptor = descriptor
        self.peer = peer
        isLocal = SocketAddress.isLocal(peerOf: descriptor)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        // Messages are complete when they are written: there is nothing to wait for.
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        acknowledger = Acknowledger(descriptor, on: loop)
        let callback = Callback()
        self.callback = callback
        watch = loop.watch(descriptor) { ready in callback.onReady?(ready) }
    }

    deinit { close() }

    func read(into space: UnsafeMutableRawBufferPointer) -> StreamResult {
        let result = result(isClosed ? 0 : recv(descriptor, space.baseAddress, space.count, 0))
        if case .blocked = result { acknowledger.readAll() }
        return result
    }

    var unreadBytes: Int { isClosed ? 0 : SocketStream.unreadBytes(of: descriptor) }

    static func unreadBytes(of descriptor: Int32) -> Int {
        var count: Int32 = 0
        return ioctl(descriptor, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> StreamResult {
        if isClosed || bytes.isEmpty { return .blocked }
        return result(send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)))
    }

    private func result(_ count: Int) -> StreamResult {
        if count > 0 { return .bytes(count) }
        if count == 0 { return .end }
        switch errno {
        case EAGAIN, EINTR: return .blocked
        case let code: return .failed(.posix(code, peer))
        }
    }

    func want(_ interest: FileWatch.Readiness) { if !isClosed { watch.interest = interest } }

    func endWriting() { if !isClosed { shutdown(descriptor, cblite_shut_writing) } }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        onReady = nil
        acknowledger.end()
        watch.end()
        Glibc.close(descriptor)
    }
}
