import CBLBase
import CBLTransport
import Glibc

/// The certificate and the key that `serve` shows to its clients: given, made for this time, or made once and kept.
struct ServerIdentity {
    private static let day: Int64 = 86400
    private static let validity = 5 * 365 * day

    let invocation: Invocation

    init(_ invocation: Invocation) { self.invocation = invocation }

    /// Nil without TLS. `isNeeded` if clients are to show certificates, which only TLS can do.
    func find(isNeeded: Bool) throws -> TLSIdentity? {
        let (certificate, key, kept) = (invocation.string("cert"), invocation.string("key"), invocation.string("identity"))
        if certificate != nil || key != nil {
            guard kept == nil else {
                throw invocation.usageError("--identity keeps a certificate that is made; --cert is one that is given")
            }
            guard let certificate, let key else {
                throw invocation.usageError(certificate == nil ? "--key needs a --cert" : "--cert needs a --key")
            }
            return try read(certificate, key)
        }
        if let kept { return try keep(in: kept) }
        return invocation.flag("tls") || isNeeded ? try make() : nil
    }

    private func read(_ certificate: String, _ key: String) throws -> TLSIdentity {
        let session = invocation.session
        let identity = try TLSIdentity(
            certificates: SecretFile.read(certificate), certificateName: certificate, key: SecretFile.read(key, warningIn: session),
            keyName: key
        ) { () throws(TransportError) in
            try? session.askSecret("Passphrase of \(key): ", orSay: "a terminal, or a key without one")
        }
        try refuseExpired(identity, certificate, "")
        return identity
    }

    private func make() throws -> TLSIdentity {
        let now = Int64(time(nil))
        let names = [NetworkAddresses.hostName, "localhost"].compactMap { $0 }
        let hosts = names + ["127.0.0.1", "::1"] + NetworkAddresses.ofThisMachine()
        // The clock of whoever looks at it may be slow.
        return try TLSIdentity.make(.server, hosts: hosts, from: now - ServerIdentity.day, to: now + ServerIdentity.validity)
    }

    private func keep(in path: String) throws -> TLSIdentity {
        if Endpoint.exists(path) {
            let content = try SecretFile.read(path, warningIn: invocation.session)
            let identity = try TLSIdentity(certificates: content, certificateName: path, key: content, keyName: path)
            try refuseExpired(identity, path, ". Remove the file, and another one is made")
            return identity
        }
        let identity = try make()
        let certificate = ServerIdentity.publicPath(path)
        try ServerIdentity.write(try identity.keyPEM() + identity.certificatePEM, to: path, mode: 0o600)
        try ServerIdentity.write(identity.certificatePEM, to: certificate, mode: 0o644)
        invocation.session.notice(
            "Made \(path), which nobody else should have, and \(certificate), the certificate alone: clients can trust it.")
        return identity
    }

    /// Where the certificate is written without its key: `server.pem`, `server.crt`
    static func publicPath(_ path: String) -> String { (path.hasSuffix(".pem") ? String(path.dropLast(4)) : path) + ".crt" }

    private func refuseExpired(_ identity: TLSIdentity, _ path: String, _ advice: String) throws {
        guard let expires = identity.certificates.first?.expires, expires < Int64(time(nil)) else { return }
        throw CommandError.failed("\(path): the certificate has expired\(advice)")
    }

    /// A new file that nobody had open before it had its mode.
    static func write(_ text: String, to path: String, mode: mode_t) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw CommandError.system(path, errno: errno) }
        defer { close(descriptor) }
        do {
            try Array(text.utf8).withUnsafeBytes { try Output.send($0, to: descriptor) }
            guard DurableFile.synchronize(descriptor, named: path) else { throw CommandError.system(path, errno: errno) }
        } catch {
            unlink(path)
            throw error
        }
    }
}
