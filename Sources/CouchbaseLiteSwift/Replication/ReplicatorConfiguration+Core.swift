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
        if let signingIn = authenticator as? any SigningIn, target is URLEndpoint {
            settings.login = try signingIn.signIn.login()
            guard settings.login.isBeforehand else {
                throw SyncError(.invalidURL, "requests are signed at a CouchDBEndpoint only")
            }
        }
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
        if let rest = (target as? any RESTTargeting)?.restTarget {
            (settings.filter, settings.filterParameters) = (rest.filter, rest.filterParameters)
            settings.keepsConflicts = configuration.conflictResolver == nil
        }
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
        case let target as any RESTTargeting: .couch(try couch(target.restTarget))
        case let target as DatabaseEndpoint: .database(try target.database.openCore())
        case let target as any TransportEndpoint: .transport(target.makeTransport(), id: target.peerID)
        default: programmerError(.invalidArgument, "\(type(of: target)) is no endpoint of this library.")
        }
    }

    private func couch(_ target: RESTTarget) throws -> CouchPeer {
        let server = try server(target.url)
        var url = server.handshake.url
        do { url = try PeerURL(target.url.absoluteString) } catch { throw SyncError(error) }
        while url.path.hasSuffix("/") { url.path.removeLast() }
        var settings = WebServerSettings(url)
        if let credentials = server.handshake.credentials {
            settings.login = target.signsIn ? .session(.password(credentials)) : .password(credentials, waitsForChallenge: false)
        }
        if let signingIn = authenticator as? any SigningIn { settings.login = try signingIn.signIn.login() }
        settings.headers = server.handshake.headers
        settings.client.userAgent = LibraryIdentity.userAgent
        settings.client.trust = server.trust
        settings.client.identity = server.identity
        settings.client.cookies = server.cookies
        settings.client.networkInterface = server.networkInterface
        settings.client.proxy = server.proxy
        var peer = try CouchPeer(settings)
        peer.createsTarget = target.createsDatabase
        return peer
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
