import CBLSystemCurl
import CBLSystemEpoll
import Glibc

/// Opens a way to a host for bytes: looks its name up, tries its addresses (IPv6 and IPv4 in a race), and goes through a proxy if there is
/// one. libcurl does it, without a thread waiting for it; TLS with the host is no part of it.
final class CurlConnector {
    struct Target {
        var host: String
        var port: UInt16
        var proxy: Proxy?
        /// The interface or the address to connect from.
        var interface: String?
        /// Whether a proxy that is spoken to with TLS must prove who it is, and to whom it must be known, if not to this machine.
        var trustsAnyProxy = false
        var proxyAuthorities: String?

        /// Who is asked first.
        fileprivate var nextHop: String { proxy.map(\.description) ?? name }
        fileprivate var name: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
    }

    typealias Completion = (Result<any ByteStream, TransportError>) -> Void

    private let target: Target
    private let loop: EventLoop
    private let handle: CurlHandle
    private var completion: Completion?
    private var watches: [Int32: FileWatch] = [:]
    private var timer: LoopTimer?

    init(_ target: Target, on loop: EventLoop, _ completion: @escaping Completion) throws(TransportError) {
        self.target = target
        self.loop = loop
        self.completion = completion
        handle = try CurlHandle()
        configure()
        let owner = Unmanaged.passUnretained(self).toOpaque()
        withUnsafePointer(to: handle.curl) {
            cblite_curl_observe(
                $0, handle.multi,
                { _, socket, what, owner, _ in
                    if let owner { Unmanaged<CurlConnector>.fromOpaque(owner).takeUnretainedValue().watch(socket, what) }
                    return 0
                },
                { _, milliseconds, owner in
                    if let owner { Unmanaged<CurlConnector>.fromOpaque(owner).takeUnretainedValue().setTimer(milliseconds) }
                    return 0
                }, owner)
        }
        _ = handle.curl.multi_add(handle.multi, handle.easy)
    }

    deinit { cancel() }

    /// Nothing is told afterwards.
    func cancel() {
        completion = nil
        withUnsafePointer(to: handle.curl) { cblite_curl_observe($0, handle.multi, nil, nil, nil) }
        timer?.cancel()
        for watch in watches.values { watch.end() }
        watches = [:]
    }

    private func configure() {
        let name = target.host.contains(":") ? "[\(target.host)]" : target.host
        handle.set(CURLOPT_URL, "http://\(name):\(target.port)/")
        handle.set(CURLOPT_CONNECT_ONLY, 1)
        handle.set(CURLOPT_NOSIGNAL, 1)
        // A name that is being looked up when the connection is given up is not waited for.
        handle.set(CURLOPT_QUICK_EXIT, 1)
        handle.set(CURLOPT_CONNECTTIMEOUT_MS, 3_600_000)
        handle.set(CURLOPT_FRESH_CONNECT, 1)
        if let interface = target.interface { handle.set(CURLOPT_INTERFACE, interface) }
        withUnsafePointer(to: handle.curl) { curl in
            _ = cblite_curl_set_socket_callback(curl, handle.easy) { _, socket, _ in
                _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
                return CURL_SOCKOPT_OK
            }
        }
        // Empty, so that the environment is not asked: which of its variables counts depends on a scheme that libcurl does not see.
        handle.set(CURLOPT_PROXY, target.proxy?.description ?? "")
        guard let proxy = target.proxy else { return }
        handle.set(CURLOPT_HTTPPROXYTUNNEL, 1)
        if let credentials = proxy.credentials {
            handle.set(CURLOPT_PROXYAUTH, 1)
            handle.set(CURLOPT_PROXYUSERNAME, credentials.user)
            handle.set(CURLOPT_PROXYPASSWORD, credentials.password)
        }
        if target.trustsAnyProxy {
            handle.set(CURLOPT_PROXY_SSL_VERIFYPEER, 0)
            handle.set(CURLOPT_PROXY_SSL_VERIFYHOST, 0)
        }
        if let authorities = target.proxyAuthorities { handle.set(CURLOPT_PROXY_CAINFO, authorities) }
    }

    private func watch(_ socket: Int32, _ what: Int32) {
        guard what != CURL_POLL_REMOVE else {
            watches.removeValue(forKey: socket)?.end()
            return
        }
        let watch =
            watches[socket]
            ?? loop.watch(socket) { [weak self] ready in
                let events = (ready.contains(.reading) ? CURL_CSELECT_IN : 0) | (ready.contains(.writing) ? CURL_CSELECT_OUT : 0)
                self?.act(socket, events)
            }
        watches[socket] = watch
        watch.interest = what == CURL_POLL_IN ? .reading : what == CURL_POLL_OUT ? .writing : [.reading, .writing]
    }

    private func setTimer(_ milliseconds: Int) {
        timer?.cancel()
        guard milliseconds >= 0 else { return }
        // Called from within libcurl, which must not be called back before it returns.
        if milliseconds == 0 {
            loop.later { [weak self] in self?.act(CURL_SOCKET_TIMEOUT, 0) }
        } else {
            timer = loop.timer(after: .milliseconds(milliseconds)) { [weak self] in self?.act(CURL_SOCKET_TIMEOUT, 0) }
        }
    }

    private func act(_ socket: Int32, _ events: Int32) {
        guard completion != nil else { return }
        var running: Int32 = 0
        _ = handle.curl.multi_act(handle.multi, socket, events, &running)
        var code = CURLE_OK
        guard withUnsafePointer(to: handle.curl, { cblite_curl_is_done($0, handle.multi, &code) }) else { return }
        let completion = completion
        cancel()
        if code == CURLE_OK {
            // Behind a proxy may be anybody.
            let isLocal = target.proxy == nil && SocketAddress.isLocal(peerOf: handle.socket)
            completion?(.success(CurlStream(handle, on: loop, peer: target.name, isLocal: isLocal)))
        } else {
            completion?(.failure(failure(code)))
        }
    }

    private func failure(_ code: CURLcode) -> TransportError {
        let proxyAnswer = target.proxy == nil ? 0 : handle.number(CURLINFO_HTTP_CONNECTCODE)
        if let proxy = target.proxy, proxyAnswer != 0, proxyAnswer != 200 {
            let advice =
                proxyAnswer == 407 ? "Give the right user name and password for it in its URL" : "Check the proxy, or do without it"
            return TransportError(
                .http(proxyAnswer), "the proxy \(proxy) does not open a way to \(target.name) (\(proxyAnswer))", advice: advice)
        }
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST: return .unknownHost(target.host)
        case CURLE_COULDNT_RESOLVE_PROXY: return .unknownHost(target.proxy?.host ?? target.host)
        case CURLE_COULDNT_CONNECT:
            let number = Int32(handle.number(CURLINFO_OS_ERRNO))
            return .posix(number == 0 ? ECONNREFUSED : number, target.nextHop)
        case CURLE_INTERFACE_FAILED:
            return TransportError(
                .network(.unknownInterface), "this machine has no network interface or address \"\(target.interface ?? "")\"")
        case CURLE_OPERATION_TIMEDOUT: return .posix(ETIMEDOUT, target.nextHop)
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT_BADFILE:
            return TransportError(
                .network(.tlsCertificateUntrusted), "the proxy \(target.nextHop) is not trusted: \(text(code))",
                advice: "Check its certificate, or write http:// if it is spoken to without TLS")
        case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING: return .posix(ECONNRESET, target.nextHop)
        default: return TransportError(.network(.unknown), "\(target.nextHop): \(text(code))")
        }
    }

    private func text(_ code: CURLcode) -> String { handle.curl.error_text(code).map { String(cString: $0) } ?? "error \(code.rawValue)" }
}

/// What libcurl has opened, as a stream.
final class CurlStream: ByteStream {
    private var handle: CurlHandle?
    private let watch: FileWatch
    private let acknowledger: Acknowledger
    private let callback: Callback
    private let peer: String
    let isLocal: Bool

    // The watch needs what to call before there is a stream to be called.
    private final class Callback { var onReady: ((FileWatch.Readiness) -> Void)? }

    var onReady: ((FileWatch.Readiness) -> Void)? {
        get { callback.onReady }
        set { callback.onReady = newValue }
    }

    init(_ handle: CurlHandle, on loop: EventLoop, peer: String, isLocal: Bool) {
        self.handle = handle
        self.peer = peer
        self.isLocal = isLocal
        acknowledger = Acknowledger(handle.socket, on: loop)
        let callback = Callback()
        self.callback = callback
        watch = loop.watch(handle.socket) { ready in callback.onReady?(ready) }
    }

    deinit { close() }

    func read(into space: UnsafeMutableRawBufferPointer) -> StreamResult {
        guard let handle else { return .end }
        var count = 0
        let code = handle.curl.receive(handle.easy, space.baseAddress, space.count, &count)
        if code == CURLE_AGAIN { acknowledger.readAll() }
        return code == CURLE_OK && count == 0 ? .end : result(code, count)
    }

    var unreadBytes: Int { handle.map { SocketStream.unreadBytes(of: $0.socket) } ?? 0 }

    func write(_ bytes: UnsafeRawBufferPointer) -> StreamResult {
        guard let handle, bytes.count > 0 else { return .blocked }
        var count = 0
        let code = handle.curl.send(handle.easy, bytes.baseAddress, bytes.count, &count)
        return result(code, count)
    }

    private func result(_ code: CURLcode, _ count: Int) -> StreamResult {
        switch code {
        case CURLE_OK: count > 0 ? .bytes(count) : .blocked
        case CURLE_AGAIN: .blocked
        default: .failed(.posix(ECONNRESET, peer))
        }
    }

    func want(_ interest: FileWatch.Readiness) { if handle != nil { watch.interest = interest } }

    func endWriting() { if let handle { shutdown(handle.socket, cblite_shut_writing) } }

    func close() {
        onReady = nil
        acknowledger.end()
        watch.end()
        handle = nil
    }
}
