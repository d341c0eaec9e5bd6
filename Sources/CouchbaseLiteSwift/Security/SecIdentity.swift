internal import CBLTransport
import Foundation

/// A certificate and the private key that belongs to it. It stands for the type of the same name that Apple's systems have.
public final class SecIdentity: Sendable {
    let core: CBLTransport.TLSIdentity

    /// Takes a key in PEM that is not encrypted. Throws `crypto` if it is none, or belongs to another certificate.
    public init(certificate: SecCertificate, privateKeyPEM: String) throws {
        core = try translatingCrypto {
            try CBLTransport.TLSIdentity(
                certificates: certificate.core.der, certificateName: "certificate", key: Array(privateKeyPEM.utf8), keyName: "private key")
        }
    }

    /// The certificate that belongs to the key.
    public var certificate: SecCertificate { SecCertificate(core.certificates[0]) }
}

/// Does something with keys or certificates: whatever goes wrong there is `crypto`.
func translatingCrypto<Result>(_ work: () throws -> Result) throws -> Result {
    do {
        return try work()
    } catch let error as TransportError {
        throw libraryError(CBLError.crypto, error.description)
    }
}
