/// A certificate that the server is shown if it asks for one. It needs TLS: with a `ws://` URL nothing is shown.
public class ClientCertificateAuthenticator: Authenticator {
    /// The key and the certificates that the server is shown.
    public let identity: TLSIdentity

    /// It should have been made for clients: `KeyUsages.clientAuth`.
    public init(identity: TLSIdentity) { self.identity = identity }
}
