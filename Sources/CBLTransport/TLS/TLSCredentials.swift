import CBLSystemGnuTLS

/// What a TLS session needs to know of its own identity and of the authorities it trusts. It may serve many sessions.
final class TLSCredentials: @unchecked Sendable {
    // Sendable: it does not change once it is made, and GnuTLS reads it from several threads.
    let handle: gnutls_certificate_credentials_t
    let hasIdentity: Bool
    private let gnutls: cblite_gnutls

    /// This machine's authorities are a hundred and more, and take a while to read.
    private static let system = Result { () throws(TransportError) -> TLSCredentials in
        try TLSCredentials(trust: .system, identity: nil)
    }

    static func shared(trust: TLSTrust, identity: TLSIdentity?) throws(TransportError) -> TLSCredentials {
        if case .system = trust, identity == nil { return try system.get() }
        return try TLSCredentials(trust: trust, identity: identity)
    }

    init(trust: TLSTrust?, identity: TLSIdentity?) throws(TransportError) {
        gnutls = try GnuTLS.functions()
        hasIdentity = identity != nil
        var allocated: gnutls_certificate_credentials_t?
        try GnuTLS.check(gnutls.credentials_allocate(&allocated), "TLS")
        guard let allocated else { throw TransportError(.network(.unknown), "no memory for TLS") }
        handle = allocated
        switch trust {
        case .system: try GnuTLS.check(gnutls.credentials_system_trust(handle), "the authorities of this machine cannot be read")
        case .authorities(let authorities):
            for authority in authorities {
                var certificate: gnutls_x509_crt_t? = try authority.import()
                defer { gnutls.certificate_deinit(certificate) }
                try GnuTLS.check(gnutls.credentials_trust(handle, &certificate, 1), "an authority cannot be used")
            }
        default: break
        }
        guard let identity else { return }
        var chain: [gnutls_x509_crt_t?] = []
        defer { for certificate in chain { gnutls.certificate_deinit(certificate) } }
        for certificate in identity.certificates { chain.append(try certificate.import()) }
        let key = try identity.importKey()
        defer { gnutls.key_deinit(key) }
        try GnuTLS.check(gnutls.credentials_key(handle, &chain, Int32(chain.count), key), "the own certificate and key cannot be used")
    }

    deinit { gnutls.credentials_free(handle) }
}
