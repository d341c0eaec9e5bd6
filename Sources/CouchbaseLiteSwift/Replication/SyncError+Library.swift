internal import CBLReplication
internal import CBLTransport
import Foundation

extension SyncError: CoreErrorTranslation {
    /// The error as programs know it: codes of HTTP and of WebSocket from 10000 on, of the network from 5000 on.
    var libraryError: NSError {
        switch domain {
        case .http, .webSocket: CouchbaseLiteSwift.libraryError(CBLError.httpBase + code, description)
        case .network: CouchbaseLiteSwift.libraryError(CBLError.networkBase + SyncError.knownNetworkCode(code), description)
        case .liteCore: CouchbaseLiteSwift.libraryError(code, message)
        case .posix: systemError(Int32(truncatingIfNeeded: code), description)
        case .blip: CouchbaseLiteSwift.libraryError(CBLError.remoteError, description)
        case .other: CouchbaseLiteSwift.libraryError(CBLError.unexpectedError, description)
        }
    }

    /// What is wrong with a certificate in a way that has no code of its own.
    private static func knownNetworkCode(_ code: Int) -> Int {
        switch NetworkFailure(rawValue: code) {
        case .certificateRevoked, .certificateName: NetworkFailure.certificateUntrusted.rawValue
        default: code
        }
    }

    /// An error of this library on its way through the replicator.
    init(_ error: NSError) {
        let isOurs = error.domain == CBLError.domain
        self.init(.liteCore, isOurs ? error.code : CBLError.unexpectedError, error.localizedDescription)
    }
}

extension SyncFailure: CoreErrorTranslation {
    var libraryError: NSError { error.libraryError }
}
