import Foundation

/// Decides whom a listener lets in. Types of the program cannot be authenticators.
public protocol ListenerAuthenticator {
}

/// Lets in those who know a name and its password. Without TLS everybody on the way can read them.
public class ListenerPasswordAuthenticator: ListenerAuthenticator {
    let isRight: Unchecked<(String, String) -> Bool>

    /// Whether somebody with this name and this password comes in. It is called on background threads, for several clients at the same time, and may
    /// take its time. After twenty wrong passwords for one name, a client has to wait for three seconds before each further one.
    public init(authenticator: @escaping (String, String) -> Bool) { isRight = Unchecked(authenticator) }
}

/// Lets in those who show the right certificate. It needs TLS.
public class ListenerCertificateAuthenticator: ListenerAuthenticator {
    enum Judge: Sendable {
        case program(Unchecked<([SecCertificate]) -> Bool>)
        case roots([SecCertificate])
    }

    let judge: Judge

    /// Whether somebody with these certificates comes in: their own first, then those of the authorities that they name. That one has signed the
    /// other, and when they expire, is not looked at before. It is called on background threads, for several clients at the same time, and may take
    /// its time.
    public init(authenticator: @escaping ([SecCertificate]) -> Bool) { judge = .program(Unchecked(authenticator)) }

    /// Lets in those whose certificate one of these has signed, or is one of these.
    public init(rootCerts: [SecCertificate]) { judge = .roots(rootCerts) }
}
