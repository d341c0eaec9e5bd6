import CBLTransport
import Testing

@testable import CouchbaseLiteSwift

/// Which certificates of clients a listener with an authority lets in.
@Suite(.timeLimit(.minutes(5))) struct ClientCertificateTests {
    private static let day: Int64 = 86400
    private static var now: Int64 { Int64(Date().timeIntervalSince1970) }

    let here: TemporaryDatabase
    let there: TemporaryDatabase
    let authority: CBLTransport.TLSIdentity
    let listener: URLEndpointListener

    init() throws {
        here = try TemporaryDatabase()
        there = try TemporaryDatabase()
        try here.save("doc")
        let authority = try Self.authority()
        self.authority = authority
        listener = try there.listen { config in
            config.authenticator = ListenerCertificateAuthenticator(rootCerts: [SecCertificate(authority.certificates[0])])
        }
    }

    private static func authority() throws -> CBLTransport.TLSIdentity {
        var content = NewCertificate(from: now - day, to: now + day)
        content.name = [.commonName("Garden Authority")]
        content.isAuthority = true
        return try CBLTransport.TLSIdentity.make(content, issuer: nil)
    }

    private func client(
        from start: Int64 = -day, to end: Int64 = day, by issuer: CBLTransport.TLSIdentity? = nil
    ) throws -> CouchbaseLiteSwift.TLSIdentity {
        var content = NewCertificate(from: Self.now + start, to: Self.now + end)
        content.name = [.commonName("gardener")]
        content.purposes = [.client]
        return CouchbaseLiteSwift.TLSIdentity(try CBLTransport.TLSIdentity.make(content, issuer: issuer ?? authority))
    }

    private func outcome(_ identity: CouchbaseLiteSwift.TLSIdentity) throws -> Int {
        try here.outcome(with: listener) { $0.authenticator = ClientCertificateAuthenticator(identity: identity) }
    }

    @Test func oneThatTheAuthorityHasSignedIsLetIn() throws {
        #expect(try outcome(client()) == 0)
        #expect(there.collection.count == 1)
    }

    @Test func oneThatHasExpiredIsNot() throws {
        #expect(try outcome(client(from: -2 * Self.day, to: -60)) == CBLError.tlsClientCertRejected)
        #expect(there.collection.count == 0)
    }

    @Test func oneThatIsNotYetValidIsNot() throws {
        #expect(try outcome(client(from: 3600)) == CBLError.tlsClientCertRejected)
        #expect(there.collection.count == 0)
    }

    @Test func oneOfAnotherAuthorityOfTheSameNameIsNot() throws {
        #expect(try outcome(client(by: Self.authority())) == CBLError.tlsClientCertRejected)
        #expect(there.collection.count == 0)
    }

    /// What is itself in the list needs no authority, but its time has to be now.
    @Test func oneThatIsNamedItselfIsLetInAsLongAsItIsValid() throws {
        for (identity, expected) in [
            (try client(), 0), (try client(from: -2 * Self.day, to: -60), CBLError.tlsClientCertRejected),
            (try client(from: 3600), CBLError.tlsClientCertRejected),
        ] {
            let listener = try there.listen { $0.authenticator = ListenerCertificateAuthenticator(rootCerts: [identity.certs[0]]) }
            let result = try here.outcome(with: listener) { $0.authenticator = ClientCertificateAuthenticator(identity: identity) }
            #expect(result == expected)
            listener.stop()
        }
    }

    /// The certificate of one with the key of another, as if the check at its making were not there.
    @Test func aCertificateWithoutItsKeyCannotBeShown() throws {
        let (mine, other) = (try client(), try client())
        let key = try other.core.keyPEM()
        #expect(code { _ = try SecIdentity(certificate: mine.certs[0], privateKeyPEM: key) } == CBLError.crypto)
        #expect(
            code { _ = try CouchbaseLiteSwift.TLSIdentity.createIssuer(withPrivateKey: Data(key.utf8), certificate: mine.certs[0].derData) }
                == CBLError.crypto)
    }
}
