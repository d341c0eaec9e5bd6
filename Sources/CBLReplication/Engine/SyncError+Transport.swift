import CBLBLIP
import CBLTransport

extension SyncError {
    /// What became of a connection, in the terms of the protocol.
    package init(_ error: TransportError) {
        switch error.code {
        case .http(let status): self.init(.http, status, error.message)
        case .closed(let code): self.init(.webSocket, Int(code.rawValue), error.message)
        case .posix(let code): self.init(.posix, Int(code), error.message)
        case .network(let code): self.init(.network, code.rawValue, error.message)
        }
    }

    init(_ error: BLIPError) { self.init(.webSocket, Int(error.closeCode), "the peer does not keep to the protocol: \(error)") }
}

/// Why a replicator ended, or lost its connection.
package struct SyncFailure: Error, Sendable, CustomStringConvertible {
    package let error: SyncError
    /// What the transport has to say: advice, and the certificate where it is about one.
    package let cause: TransportError?
    /// What the server has shown with TLS, its own certificate first, whether it was trusted or not.
    package let certificates: [Certificate]

    package init(_ error: SyncError, cause: TransportError? = nil, certificates: [Certificate] = []) {
        self.error = error
        self.cause = cause
        self.certificates = certificates
    }

    package var description: String { cause?.description ?? error.description }
}
