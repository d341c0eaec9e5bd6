internal import CBLTransport
import Foundation

/// An X.509 certificate. It stands for the type of the same name that Apple's systems have; two are equal if all of their bytes are.
public final class SecCertificate: Hashable, Sendable {
    let core: Certificate

    init(_ core: Certificate) { self.core = core }

    /// Nil if the bytes are not one certificate in DER.
    public convenience init?(derData: Data) {
        let bytes = [UInt8](derData)
        guard let list = try? Certificate.read(bytes, name: "certificate"), list.count == 1, list[0].der == bytes else { return nil }
        self.init(list[0])
    }

    public var derData: Data { Data(core.der) }

    public static func == (a: SecCertificate, b: SecCertificate) -> Bool { a.core == b.core }
    public func hash(into hasher: inout Hasher) { hasher.combine(core) }
}
