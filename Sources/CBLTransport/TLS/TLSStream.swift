import CBLSystemGnuTLS
import Glibc

/// TLS over another stream.
final class TLSStream: ByteStream {
    /// What is different between sessions.
    struct Parameters {
        let role: WebSocketRole
        let credentials: TLSCredentials
        /// Who is spoken to: a host for a client, anything to show in errors for a server.
        let peer: String
        /// What there is to say against the peer's certificates; GnuTLS's own opinion can be asked for. A server that does not want to
        /// see any has nil here.
        let objection: (([Certificate], () -> UInt32) -> TransportError?)?
        /// Somebody who is asked about certificates to which there is no objection, and answers later, on the stream's loop.
        var inquiry: (([Certificate], @escaping (TransportError?) -> Void) -> Void)?
    }

    private enum Verdict {
        case none
        case awaited
        case given
    }

    private let lower: any ByteStream
    private let parameters: Parameters
    private let gnutls: cblite_gnutls
    private var session: gnutls_session_t?
    private var completion: ((TransportError?) -> Void)?
    private var interest: FileWatch.Readiness = []
    // A record that GnuTLS has taken, and not got rid of yet.
    private var isSendPending = false
    private var needsWritingToRead = false
    // What went wrong within a callback, where there is nobody to throw it to.
    private var cause: TransportError?
    private var verdict = Verdict.none
    private(set) var peerCertificates: [Certificate] = []
    var onReady: ((FileWatch.Readiness) -> Void)?
    var isLocal: Bool { lower.isLocal }

    init(_ parameters: Parameters, over lower: any ByteStream) throws(TransportError) {
        self.lower = lower
        self.parameters = parameters
        gnutls = try GnuTLS.functions()
        let isClient = parameters.role == .client
        try GnuTLS.check(gnutls.`init`(&session, isClient ? cblite_gnutls_client : cblite_gnutls_server), "TLS")
        do {
            // Older versions have weaknesses that are used.
            try GnuTLS.check(gnutls.set_priority(session, "NORMAL:-VERS-TLS1.0:-VERS-TLS1.1", nil), "TLS")
            try GnuTLS.check(
                gnutls.set_credentials(session, GNUTLS_CRD_CERTIFICATE, UnsafeMutableRawPointer(parameters.credentials.handle)), "TLS")
            // Addresses have no place in the name that tells a server which of its hosts is meant.
            if isClient, !TLSStream.isAddress(parameters.peer) {
                let name = parameters.peer
                try GnuTLS.check(gnutls.set_server_name(session, GNUTLS_NAME_DNS, name, name.utf8.count), "TLS")
            }
        } catch {
            gnutls.deinit(session)
            session = nil
            throw error
        }
        let owner = Unmanaged.passUnretained(self).toOpaque()
        gnutls.set_owner(session, owner)
        gnutls.set_transport(session, owner)
        gnutls.set_pull(session) { owner, bytes, count in TLSStream.of(owner)?.pull(bytes, count) ?? -1 }
        gnutls.set_push(session) { owner, bytes, count in TLSStream.of(owner)?.push(bytes, count) ?? -1 }
        // It is only asked for what is there: nobody waits within the library.
        gnutls.set_pull_timeout(session) { _, _ in 1 }
        if parameters.objection != nil {
            if !isClient { gnutls.request_certificate(session, GNUTLS_CERT_REQUIRE) }
            gnutls.set_verify(session) { session in
                guard let session, let stream = TLSStream.of(stream: session) else { return -1 }
                return stream.checkPeer()
            }
        }
        lower.onReady = { [weak self] ready in self?.lowerIsReady(ready) }
    }

    // No farewell from here: it would be sent by way of an object that is gone.
    deinit {
        if let session { gnutls.deinit(session) }
        lower.close()
    }

    private static func of(_ owner: UnsafeMutableRawPointer?) -> TLSStream? {
        owner.map { Unmanaged<TLSStream>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func of(stream session: gnutls_session_t) -> TLSStream? {
        guard let gnutls = try? GnuTLS.functions() else { return nil }
        return of(gnutls.owner(session))
    }

    private static func isAddress(_ host: String) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 16)
        return inet_pton(AF_INET, host, &bytes) == 1 || inet_pton(AF_INET6, host, &bytes) == 1
    }

    /// Agrees with the peer on keys, and looks at its certificate. Tells when that is done, or why it cannot be.
    func handshake(_ completion: @escaping (TransportError?) -> Void) {
        self.completion = completion
        continueHandshake()
    }

    private func continueHandshake() {
        while let session {
            let code = gnutls.handshake(session)
            if code == 0 { return finishHandshake(nil) }
            if code == GNUTLS_E_AGAIN || code == GNUTLS_E_INTERRUPTED {
                // What the peer sends meanwhile would be told of again and again.
                if verdict == .awaited { return lower.want([]) }
                return lower.want(gnutls.direction(session) == 1 ? .writing : .reading)
            }
            guard gnutls.error_is_fatal(code) != 0 else { continue }
            let error = cause ?? failure(code)
            // So that the peer can say why, too. It is not waited for.
            _ = gnutls.alert_send(session, code)
            return finishHandshake(error)
        }
    }

    private func finishHandshake(_ error: TransportError?) {
        lower.want(interest)
        let completion = completion
        self.completion = nil
        completion?(error)
    }

    // 0 to go on, -1 for no, and otherwise an error of the handshake, which is called again after some.
    private func checkPeer() -> Int32 {
        switch verdict {
        case .awaited: return GNUTLS_E_AGAIN
        case .given: return cause == nil ? 0 : -1
        case .none: break
        }
        readPeerCertificates()
        cause = parameters.objection?(peerCertificates) { [self] in
            var status: UInt32 = 0
            return gnutls.verify_peers(session, parameters.peer, &status) == 0 ? status : GNUTLS_CERT_INVALID.rawValue
        }
        guard cause == nil, let inquiry = parameters.inquiry else { return cause == nil ? 0 : -1 }
        verdict = .awaited
        inquiry(peerCertificates) { [weak self] objection in self?.judge(objection) }
        return GNUTLS_E_AGAIN
    }

    private func judge(_ objection: TransportError?) {
        guard verdict == .awaited else { return }
        verdict = .given
        cause = objection
        if completion != nil { continueHandshake() }
    }

    private func readPeerCertificates() {
        var count: UInt32 = 0
        peerCertificates = []
        if let list = gnutls.peers(session, &count) {
            for index in 0..<Int(count) {
                peerCertificates.append(Certificate(der: Array(UnsafeBufferPointer(start: list[index].data, count: Int(list[index].size)))))
            }
        }
    }

    private func lowerIsReady(_ ready: FileWatch.Readiness) {
        if completion != nil { return continueHandshake() }
        var ready = ready
        if needsWritingToRead, ready.contains(.writing) {
            needsWritingToRead = false
            ready.insert(.reading)
            lower.want(interest)
        }
        onReady?(ready)
    }

    var unreadBytes: Int { lower.unreadBytes }

    func read(into space: UnsafeMutableRawBufferPointer) -> StreamResult {
        while let session {
            let code = gnutls.receive(session, space.baseAddress, space.count)
            if code > 0 { return .bytes(code) }
            switch Int32(code) {
            // An end that was not announced is one as well: WebSocket has its own farewell.
            case 0, GNUTLS_E_PREMATURE_TERMINATION: return .end
            case GNUTLS_E_AGAIN, GNUTLS_E_INTERRUPTED:
                if gnutls.direction(session) == 1 {
                    needsWritingToRead = true
                    lower.want(interest.union(.writing))
                }
                return .blocked
            // A request to begin anew, which is not followed; and warnings.
            case let code where gnutls.error_is_fatal(code) == 0: continue
            case let code: return .failed(cause ?? failure(code))
            }
        }
        return .end
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> StreamResult {
        guard let session, bytes.count > 0 else { return .blocked }
        let code = isSendPending ? gnutls.send(session, nil, 0) : gnutls.send(session, bytes.baseAddress, bytes.count)
        isSendPending = code == Int(GNUTLS_E_AGAIN) || code == Int(GNUTLS_E_INTERRUPTED)
        if isSendPending { return .blocked }
        return code > 0 ? .bytes(code) : .failed(cause ?? failure(Int32(code)))
    }

    func want(_ interest: FileWatch.Readiness) {
        self.interest = interest
        if completion == nil { lower.want(needsWritingToRead ? interest.union(.writing) : interest) }
    }

    func endWriting() {
        if let session { _ = gnutls.bye(session, GNUTLS_SHUT_WR) }
        lower.endWriting()
    }

    func close() {
        guard let session else { return }
        _ = gnutls.bye(session, GNUTLS_SHUT_WR)
        self.session = nil
        onReady = nil
        completion = nil
        gnutls.deinit(session)
        lower.close()
    }

    private func pull(_ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
        result(lower.read(into: UnsafeMutableRawBufferPointer(start: bytes, count: count)))
    }

    private func push(_ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
        result(lower.write(UnsafeRawBufferPointer(start: bytes, count: count)))
    }

    private func result(_ result: StreamResult) -> Int {
        switch result {
        case .bytes(let count): return count
        case .end: return 0
        case .blocked: gnutls.set_errno(session, EAGAIN)
        case .failed(let error):
            cause = error
            gnutls.set_errno(session, ECONNRESET)
        }
        return -1
    }

    private func failure(_ code: Int32) -> TransportError {
        let alert = code == GNUTLS_E_FATAL_ALERT_RECEIVED ? gnutls.alert(session) : nil
        let wantsCertificate = parameters.role == .client && gnutls.client_certificate_requested(session) != 0
        return .tls(
            code, alert: alert.map { Int($0.rawValue) }, peer: parameters.peer, wantsCertificate: wantsCertificate,
            hasIdentity: parameters.credentials.hasIdentity)
    }
}

extension TransportError {
    /// What a session ended with, in words. The numbers of alerts are those of RFC 8446, section 6.
    static func tls(_ code: Int32, alert: Int?, peer: String, wantsCertificate: Bool, hasIdentity: Bool) -> TransportError {
        let missing = TransportError(
            .network(.tlsCertificateRequiredByPeer), "\(peer) asks for a client certificate", advice: "Give a certificate and its key")
        let rejected = TransportError(
            .network(.tlsCertificateRejectedByPeer), "\(peer) does not accept the certificate that it was shown",
            advice: "Check that it is signed by an authority that the other side trusts, and has not expired")
        switch (code, alert) {
        case (GNUTLS_E_UNEXPECTED_PACKET_LENGTH, _), (GNUTLS_E_UNSUPPORTED_VERSION_PACKET, _), (GNUTLS_E_RECORD_OVERFLOW, _),
            (GNUTLS_E_UNEXPECTED_PACKET, _):
            return TransportError(
                .network(.tlsHandshakeFailed), "\(peer) does not answer with TLS",
                advice: "Check the port; if the server has no TLS, write ws:// instead of wss://")
        case (GNUTLS_E_PREMATURE_TERMINATION, _): return .posix(ECONNRESET, "\(peer), while TLS was being agreed on")
        case (GNUTLS_E_NO_CERTIFICATE_FOUND, _), (GNUTLS_E_CERTIFICATE_REQUIRED, _), (_, 116): return missing
        case (_, 40), (_, 42):
            if wantsCertificate, !hasIdentity { return missing }
            return alert == 42
                ? rejected : TransportError(.network(.tlsHandshakeFailed), "\(peer): there is no TLS that both sides can speak")
        case (_, let alert?) where (43...49).contains(alert): return rejected
        case (_, 70):
            return TransportError(.network(.tlsHandshakeFailed), "\(peer) only speaks versions of TLS that are no longer safe")
        default: return TransportError(.network(.tlsHandshakeFailed), "\(peer): TLS failed: \(GnuTLS.text(code))")
        }
    }
}
