internal import CBLReplication
internal import CBLStore
internal import CBLTransport
import Foundation

extension ReplicatorConfiguration {
    var pushes: Bool { replicatorType != .pull }
    var pulls: Bool { replicatorType != .push }

    /// The same for the core.
    func settings(isReset: Bool = false) throws -> ReplicatorSettings {
        var settings = ReplicatorSettings(try peer(), collections: collections.map(collectionSettings))
        settings.isReset = isReset
        settings.retry = retryPolicy
        // In memory a delta takes longer than the document.
        if target is DatabaseEndpoint { settings.allowsDeltas = false }
        settings.pushesSettlements = false
        return settings
    }

    private var retryPolicy: RetryPolicy {
        let retries = maxAttempts == .max ? nil : Int(clamping: maxAttempts - 1)
        var policy = RetryPolicy(maxRetries: retries, maxDelay: Int(min(maxAttemptWaitTime, 1e9).rounded(.up)))
        policy.waitsForNetworkOnce = false
        policy.returnsAfterFarewell = false
        return policy
    }

    private func collectionSettings(_ configuration: CollectionConfiguration) -> ReplicatorSettings.Collection {
        let collection = configuration.collection
        let mode: ActiveSession.Mode = continuous ? .continuous : .once
        var settings = ReplicatorSettings.Collection(collection.coreName, push: pushes ? mode : .off, pull: pulls ? mode : .off)
        settings.channels = configuration.channels ?? []
        settings.documentIDs = configuration.documentIDs ?? []
        settings.purgesLost = enableAutoPurge && settings.documentIDs.isEmpty
        if let filter = configuration.pushFilter.map({ DocumentFilter(filter: $0, collection: collection) }) {
            settings.pushFilter = { filter.accepts($0) }
        }
        if let filter = configuration.pullFilter.map({ DocumentFilter(filter: $0, collection: collection) }) {
            settings.pullFilter = { filter.accepts($0) }
        }
        if let resolver = configuration.conflictResolver, !(resolver is DefaultConflictResolver) {
            let resolution = ConflictResolution(resolver: resolver, collection: collection)
            settings.resolver = { try resolution.resolve($0) }
            settings.resolvesAside = true
        }
        return settings
    }

    private func peer() throws -> ReplicatorSettings.Peer {
        switch target {
        case let target as URLEndpoint: .server(try server(target.url))
        case let target as DatabaseEndpoint: .database(try target.database.openCore())
        case let target as any TransportEndpoint: .transport(target.makeTransport(), id: target.peerID)
        default: programmerError(.invalidArgument, "\(type(of: target)) is no endpoint of this library.")
        }
    }

    private func server(_ url: URL) throws -> WebSocketClientSettings {
        let peer: PeerURL
        do { peer = try PeerURL(url.absoluteString) } catch { throw SyncError(error) }
        var server = ReplicatorSettings.server(peer)
        server.handshake.userAgent = LibraryIdentity.userAgent
        for (name, value) in headers ?? [:] { server.handshake.headers.add(name, value) }
        switch authenticator {
        case let basic as BasicAuthenticator:
            server.handshake.credentials = Credentials(user: basic.username, password: basic.password)
        case let session as SessionAuthenticator:
            server.handshake.headers.add("Cookie", "\(session.cookieName)=\(session.sessionID)")
        case let client as ClientCertificateAuthenticator: server.identity = client.identity.core
        default: break
        }
        if let pinnedServerCertificate {
            server.trust = .owner(pinnedServerCertificate.core)
        } else if acceptOnlySelfSignedServerCertificate {
            server.trust = .selfSigned
        }
        server.cookies = try database.cookies.jar(for: try database.openCore()).accepting(parentDomains: acceptParentDomainCookie)
        server.networkInterface = networkInterface
        server.limits.heartbeat = .seconds(heartbeat)
        server.proxy = .environment(ProcessInfo.processInfo.environment)
        return server
    }
}
