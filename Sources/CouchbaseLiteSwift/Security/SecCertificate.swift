internal import CBLTransport
import Foundation

/// An X.509 certificate. It stands for the type of the same name that Apple's systems have; two are equal if all of their bytes are.
public final class SecCertificate: Hashable, Sendable {
    let core: Certificate

    init(_ core: Certificate) { self.core = core }

    /// Nil if the bytes are not one certificate in DER.
    public convenience init?(derData: Data) {
        let bytes = [UInt8](derData)
        // What comes behind it would be lost, and the data not equal to what it was made from.
        guard let list = try? Certificate.read(bytes, name: "certificate"), list.count == 1, list[0].der == bytes else { return nil }
        self.init(list[0])
    }

    /// The first certificate of a text in PEM; nil if there is none in it.
    public convenience init?(pem: String) {
        guard pem.contains("-----BEGIN"), let first = try? Certificate.read(Array(pem.utf8), name: "certificate").first else { return nil }
        self.init(first)
    }

    /// All of it, in DER.
    public var derData: Data { Data(core.der) }
    /// All of it, in PEM.
    public var pem: String { core.pem }
    /// What its owner is commonly called; nil if it does not say that.
    public var commonName: String? { core.commonName }
    /// When it ceases to be valid.
    public var notValidAfter: Date { Date(timeIntervalSince1970: TimeInterval(core.expires)) }

    public static func == (a: SecCertificate, b: SecCertificate) -> Bool { a.core == b.core }
    public func hash(into hasher: inout Hasher) { hasher.combine(core) }
}

extension SecCertificate: CustomStringConvertible {
    public var description: String { core.subject }
}
