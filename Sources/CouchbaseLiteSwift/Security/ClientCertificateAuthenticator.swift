/// A certificate that the server is shown if it asks for one. It needs TLS: with a `ws://` URL nothing is shown.
public class ClientCertificateAuthenticator: Authenticator {
    public let identity: TLSIdentity

    public init(identity: TLSIdentity) { self.identity = identity }
}
