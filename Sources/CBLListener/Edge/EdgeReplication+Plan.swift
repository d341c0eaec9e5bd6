import CBLReplication
import CBLStore
import CBLTransport

/// Gets what a replication needs that is in files.
package struct EdgeReplicationLoader: Sendable {
    package var read: @Sendable (_ path: String) throws -> [UInt8]

    package init(_ read: @escaping @Sendable (_ path: String) throws -> [UInt8]) { self.read = read }
}

extension EdgeReplication {
    /// Where certificates are: in files of the server's owner, or in the request itself.
    enum Material {
        case files(EdgeReplicationLoader)
        case texts

        fileprivate func bytes(_ text: String) throws -> [UInt8] {
            switch self {
            case .files(let loader): try loader.read(text)
            case .texts: Array(text.utf8)
            }
        }
    }

    /// How it is carried out with the database, which has to have the collections that are named.
    func plan(_ database: Database, _ material: Material) throws -> ReplicationPlan {
        var server = ReplicatorSettings.server(remote)
        server.handshake.credentials = remote.credentials
        for header in headers where header.name.lowercased() != "cookie" { server.handshake.headers.add(header.name, header.value) }
        var cookies = headers.filter { $0.name.lowercased() == "cookie" }.map(\.value)
        switch login {
        case nil: break
        case .password(let credentials)?: server.handshake.credentials = credentials
        case .session(let session)?: cookies.append("SyncGatewaySession=\(session)")
        case .token(let token)?: server.handshake.headers.set("Authorization", "Bearer \(token)")
        case .tokenFile(let path, _)?:
            guard case .files(let loader) = material else { throw ConfigurationError("openid_token", "it has to be a text") }
            let token = String(decoding: try loader.read(path), as: UTF8.self).split(whereSeparator: \.isWhitespace).first.map(String.init)
            guard let token, HTTPHeaders.isWritable(name: "Authorization", value: token) else {
                throw ConfigurationError(path, "there is no token in it")
            }
            server.handshake.headers.set("Authorization", "Bearer \(token)")
        case .certificate(let certificate, let key)?:
            server.identity = try TLSIdentity(
                certificates: material.bytes(certificate), certificateName: "tls_client_cert", key: material.bytes(key),
                keyName: "tls_client_cert_key", passphrase: { () throws(TransportError) in nil })
        }
        if !cookies.isEmpty { server.handshake.headers.set("Cookie", cookies.joined(separator: "; ")) }
        if let pinnedCertificate {
            let certificates = try Certificate.read(material.bytes(pinnedCertificate), name: "pinned_cert")
            server.trust = .pinned(certificates.map { .certificate($0) })
        } else if let trustedRoots {
            server.trust = .authorities(try Certificate.read(material.bytes(trustedRoots), name: "trusted_root_certs"))
        }
        if let proxy { server.proxy = .proxy(proxy) }
        var settings = ReplicatorSettings(.server(server), collections: try replicated(database))
        settings.retry = isContinuous ? nil : RetryPolicy(maxRetries: 9, maxDelay: 60)
        return ReplicationPlan(
            key: key, source: shown(source), target: shown(target), databases: [local], database: database, isContinuous: isContinuous,
            settings: settings)
    }

    private func replicated(_ database: Database) throws -> [ReplicatorSettings.Collection] {
        let mode: ActiveSession.Mode = isContinuous ? .continuous : .once
        let named = collections ?? [Collection(name: .default, channels: channels, documentIDs: documentIDs)]
        let there = try database.read { Set($0.collections()) }
        return try named.map { collection in
            guard there.contains(collection.name) else {
                throw ConfigurationError("collections", "the database \"\(local)\" has no collection \"\(collection.name)\"")
            }
            var settings = ReplicatorSettings.Collection(
                collection.name, push: isPush || isBidirectional ? mode : .off, pull: !isPush || isBidirectional ? mode : .off)
            settings.channels = collection.channels
            settings.documentIDs = collection.documentIDs
            return settings
        }
    }

    private var key: String {
        let names = (collections ?? []).map { "\($0.name) \($0.channels.sorted()) \($0.documentIDs.sorted())" }.sorted()
        return "edge|\(source)|\(target)|\(isBidirectional)|\(isContinuous)|\(names)|\(channels.sorted())|\(documentIDs.sorted())"
    }

    /// Without the password that may stand in a URL.
    private func shown(_ end: String) -> String { end.contains("://") ? remote.description : end }

    /// The file with the token that is to be looked after.
    var watchedFile: String? {
        guard case .tokenFile(let path, let isWatched)? = login, isWatched else { return nil }
        return path
    }
}
