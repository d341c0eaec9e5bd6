import Glibc

extension SyncError {
    /// What to do about an error that ended a connection, or kept one from coming about.
    package enum Severity: Hashable, Sendable {
        /// It may go away by itself: try again soon.
        case transient
        /// It goes away when the network is back.
        case networkDependent
        case permanent
    }

    package var severity: Severity {
        switch domain {
        case .http: SyncError.transientStatuses.contains(code) ? .transient : .permanent
        case .webSocket:
            // 1000 and 1001 while there is work to do: servers close so when they restart.
            SyncError.transientStatuses.contains(code) || [1000, 1001, 1006, 4001].contains(code) ? .transient : .permanent
        case .posix:
            switch Int32(truncatingIfNeeded: code) {
            case ENETRESET, ECONNABORTED, ECONNRESET, ETIMEDOUT, ECONNREFUSED: .transient
            case ENETDOWN, ENETUNREACH, ENOTCONN, EHOSTDOWN, EHOSTUNREACH, EADDRNOTAVAIL, EPIPE: .networkDependent
            default: .permanent
            }
        case .network:
            switch NetworkFailure(rawValue: code) {
            case .nameLookup, .timeout, .networkReset, .connectionAborted, .connectionReset, .connectionRefused: .transient
            case .unknownHost, .networkDown, .networkUnreachable, .notConnected, .hostDown, .hostUnreachable, .addressNotAvailable,
                .brokenPipe, .unknownInterface:
                .networkDependent
            default: .permanent
            }
        case .blip, .liteCore, .other: .permanent
        }
    }

    static let transientStatuses: Set<Int> = [408, 429, 502, 503, 504]

    /// The server goes away, and says so.
    var isFarewell: Bool { domain == .webSocket && code == 1001 }
    /// Whether a document that failed so is worth another try in the next session.
    var isTransientForDocument: Bool { httpStatus.map { SyncError.transientStatuses.contains($0) } ?? false }
    /// Whether this database cannot be read at that place. Somebody may repair it: what is damaged is not done.
    var isDamage: Bool { domain == .liteCore && code == LiteCoreCode.corruptData }
}

/// When to connect again after a failure.
package struct RetryPolicy: Hashable, Sendable {
    /// How many attempts may follow the first one; nil for any number.
    package var maxRetries: Int?
    /// In seconds.
    package var maxDelay: Int

    /// What a replication that is to come to an end does about a network that is not there, and about hosts that nobody knows.
    package var waitsForNetworkOnce = true
    /// Whether a server that says farewell is believed to come back.
    package var returnsAfterFarewell = true

    /// Whether a server that fails in itself, with status 500, may do better the next time.
    package var retriesServerErrors = false

    package static let defaultMaxRetries = 9
    package static let defaultMaxDelay = 300

    package init(maxRetries: Int?, maxDelay: Int = defaultMaxDelay) {
        self.maxRetries = maxRetries
        self.maxDelay = max(1, maxDelay)
    }

    package static func standard(isContinuous: Bool) -> RetryPolicy {
        RetryPolicy(maxRetries: isContinuous ? nil : defaultMaxRetries)
    }

    package enum Decision: Hashable, Sendable {
        case retry(afterSeconds: Int)
        /// Wait until the network is back; try all the same after that time.
        case waitForNetwork(atMostSeconds: Int)
        case giveUp
    }

    /// What to do after the given number of failures in a row: the first counts as 1.
    package func decision(after error: SyncError, failures: Int, isContinuous: Bool) -> Decision {
        guard maxRetries.map({ failures <= $0 }) ?? true else { return .giveUp }
        if error.isFarewell, !returnsAfterFarewell { return .giveUp }
        let isServerError = retriesServerErrors && error.domain == .http && error.code == 500
        switch isServerError ? .transient : error.severity {
        case .permanent: return .giveUp
        case .transient: return .retry(afterSeconds: delay(failures: failures))
        case .networkDependent:
            if isContinuous { return .waitForNetwork(atMostSeconds: delay(failures: failures)) }
            return waitsForNetworkOnce ? .retry(afterSeconds: delay(failures: failures)) : .giveUp
        }
    }

    /// 2, 4, 8 … seconds.
    func delay(failures: Int) -> Int { failures >= 20 ? maxDelay : min(1 << max(1, failures), maxDelay) }
}
