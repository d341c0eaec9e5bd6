internal import CBLTransport
import Foundation

/// A private key and the certificates for it: what one end of TLS shows to the other.
///
///     let identity = try TLSIdentity.createIdentity(
///         for: .serverAuth, attributes: [certAttrCommonName: "kitchen"], label: "kitchen")
///
/// Identities are kept by their labels in a folder that only their owner can read; see `storageDirectory`.
public class TLSIdentity: @unchecked Sendable {
    // Sendable: nothing of it changes.

    let core: CBLTransport.TLSIdentity

    init(_ core: CBLTransport.TLSIdentity) { self.core = core }

    /// The own certificate first, then those of the authorities that signed it.
    public var certs: [SecCertificate] { core.certificates.map { SecCertificate($0) } }

    /// When the own certificate ceases to be valid.
    public var expiration: Date { SecCertificate(core.certificates[0]).notValidAfter }

    // MARK: Those that are kept

    /// The folder in which identities are kept, one folder for each. Nil, the default, is `$CBLITE_IDENTITIES`, or `identities` in the default
    /// folder of databases.
    public static var storageDirectory: String? {
        get { IdentityStore.chosenDirectory }
        set { IdentityStore.chosenDirectory = newValue }
    }

    /// The identity that is kept under a label; nil if there is none.
    public static func identity(withLabel label: String) throws -> TLSIdentity? {
        try translatingCrypto { try IdentityStore.current.identity(label).map { TLSIdentity($0) } }
    }

    /// Deletes what is kept under a label. If there is nothing, nothing happens.
    public static func deleteIdentity(withLabel label: String) throws { try IdentityStore.current.delete(label) }

    /// Deletes it from where it is kept, under whatever label.
    func deleteFromKeyChain() throws { try IdentityStore.current.delete(where: { $0.certificates.first == core.certificates[0] }) }

    // MARK: New ones

    /// Makes a key and a certificate for it, signed by itself or by the issuer, and keeps them under the label. Without an expiration it is valid
    /// for a year. Throws `crypto` if the label is taken, or the attributes have no common name.
    public static func createIdentity(
        for keyUsages: KeyUsages, attributes: [String: String], expiration: Date? = nil, issuer: TLSIdentity? = nil, label: String
    ) throws -> TLSIdentity {
        let now = Date()
        var content = NewCertificate(
            from: seconds(now) - TLSIdentity.allowedClockDifference, to: seconds(expiration ?? now.addingTimeInterval(TLSIdentity.validity))
        )
        guard content.end > content.start else {
            throw libraryError(CBLError.crypto, "The certificate would have expired before it was valid.")
        }
        content.key = .rsa
        if keyUsages.contains(.serverAuth) { content.purposes.append(.server) }
        if keyUsages.contains(.clientAuth) { content.purposes.append(.client) }
        try content.take(attributes)
        let store = IdentityStore.current
        // To make a key takes a while.
        try store.checkIsFree(label)
        return try translatingCrypto {
            let core = try CBLTransport.TLSIdentity.make(content, issuer: issuer?.core)
            try store.add(core, label)
            return TLSIdentity(core)
        }
    }

    /// The older form, for a server or a client.
    @available(*, deprecated, renamed: "createIdentity(for:attributes:expiration:issuer:label:)")
    public static func createIdentity(
        forServer server: Bool, attributes: [String: String], expiration: Date?, label: String
    ) throws -> TLSIdentity {
        try createIdentity(for: server ? .serverAuth : .clientAuth, attributes: attributes, expiration: expiration, label: label)
    }

    /// Takes the key and the certificates of a PKCS #12 package, and keeps them under the label. Throws `crypto` if it cannot be read with this
    /// password, or the label is taken.
    public static func importIdentity(withData data: Data, password: String?, label: String) throws -> TLSIdentity {
        try translatingCrypto {
            let core = try CBLTransport.TLSIdentity.read(pkcs12: [UInt8](data), password: password, name: "the imported data")
            try IdentityStore.current.add(core, label)
            return TLSIdentity(core)
        }
    }

    /// An identity that is not kept, with the certificates of the authorities behind its own.
    public static func identity(withIdentity identity: SecIdentity, certs: [SecCertificate]?) throws -> TLSIdentity {
        let authorities = (certs ?? []).map(\.core).filter { $0 != identity.core.certificates[0] }
        return TLSIdentity(identity.core.appending(authorities))
    }

    /// An authority that can sign new identities and is not kept. Both are in DER or PEM, the key not encrypted.
    public static func createIssuer(withPrivateKey privateKey: Data, certificate: Data) throws -> TLSIdentity {
        try translatingCrypto {
            TLSIdentity(
                try CBLTransport.TLSIdentity(
                    certificates: [UInt8](certificate), certificateName: "the issuer's certificate", key: [UInt8](privateKey),
                    keyName: "the issuer's key"))
        }
    }

    private static let validity: TimeInterval = 365 * 86400
    /// The clock of whoever looks at it may be slow.
    private static let allowedClockDifference: Int64 = 60

    private static func seconds(_ date: Date) -> Int64 {
        let seconds = date.timeIntervalSince1970
        // What no certificate can say: the year 9999 is the last.
        return Int64(min(max(seconds.isNaN ? 0 : seconds, 0), 253_402_300_799))
    }
}
