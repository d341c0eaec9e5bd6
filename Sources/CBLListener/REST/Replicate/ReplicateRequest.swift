import CBLBase
import CBLFleece
import CBLReplication
import CBLStore
import CBLTransport

/// What `_replicate` is asked for: which two databases, and how.
struct ReplicateRequest {
    /// One side of a replication.
    enum Side {
        /// A database of this server, with its collection.
        case local(Keyspace)
        case remote(WebServerSettings, isCouch: Bool)
    }

    let source: Side
    let target: Side
    let isContinuous: Bool
    let isCancelled: Bool
    /// Whether it is answered at once.
    let isAsynchronous: Bool
    let createsTarget: Bool
    let isReset: Bool
    let filter: String?
    let parameters: [String: String]
    let documentIDs: [String]
    /// As the client wrote them, without passwords.
    let names: (source: String, target: String)
    private let patience: Duration?
    /// Who asks.
    private let visitor: Visitor

    init(_ root: Value, _ call: RESTCall) throws {
        guard let members = root.dictionary else { throw RESTError.badJSON("the body is an object") }
        visitor = call.visitor
        func flag(_ name: String) -> Bool { members.value(forKey: name, nil).map { $0.boolean != false && !$0.isNull } ?? false }
        isContinuous = flag("continuous")
        isCancelled = flag("cancel")
        isAsynchronous = flag("async")
        createsTarget = flag("create_target")
        isReset = flag("reset")
        filter = members.value(forKey: "filter", nil)?.string
        documentIDs = try members.value(forKey: "doc_ids", nil)?.array?.strings("doc_ids") ?? []
        guard filter == nil || documentIDs.isEmpty else { throw RESTError.badRequest("filter and doc_ids exclude each other") }
        var parameters: [String: String] = [:]
        for (key, value) in members.value(forKey: "query_params", nil)?.dictionary.map({ AnySequence($0) }) ?? AnySequence([]) {
            if let name = key.string { parameters[name] = value.string ?? value.json() }
        }
        self.parameters = parameters
        let milliseconds = members.value(forKey: "connection_timeout", nil)?.integer
        patience = milliseconds.flatMap { $0 > 0 ? .milliseconds(min($0, 86_400_000)) : nil }
        for name in ["websocket", "purgePushed", "allNew", "remoteUUID", "network", "poll", "pinnedCert"] where flag(name) {
            throw RESTError.unsupported("\(name) is not understood here")
        }
        // Who has these left out gets other documents than he asked for.
        for name in ["selector", "since_seq", "winning_revs_only"] where flag(name) {
            throw RESTError.unsupported("\(name) is not understood here: a filter or doc_ids choose documents")
        }
        // The database is made when it is known that all the rest can be done.
        let isBetweenURLs = ["source", "target"].allSatisfy { ReplicateRequest.text($0, members)?.contains("://") ?? false }
        let first = try ReplicateRequest.side("source", members, call, .reading, isBetweenURLs: isBetweenURLs)
        let second = try ReplicateRequest.side(
            "target", members, call, .writing, creates: createsTarget && !isCancelled, isBetweenURLs: isBetweenURLs)
        if isContinuous, case (.remote, .remote) = (first, second) {
            throw RESTError.badRequest(
                "of a continuous replication source or target is a database of this server: between two others it comes to an end")
        }
        (source, target) = (first, second)
        names = (first.name, second.name)
    }

    private static func side(
        _ member: String, _ members: DictionaryView, _ call: RESTCall, _ need: RESTRoutes.Need, creates: Bool = false,
        isBetweenURLs: Bool
    ) throws -> Side {
        guard let value = members.value(forKey: member, nil) else { throw RESTError.badRequest("\(member) is missing") }
        guard let text = text(member, members), !text.isEmpty else {
            throw RESTError.badRequest("\(member) is the name or the URL of a database")
        }
        let scheme = text.prefix { $0 != ":" }.lowercased()
        guard text.contains("://") else { return .local(try keyspace(text, call, need, creates: creates)) }
        guard ["http", "https", "ws", "wss"].contains(scheme) else { throw RESTError.badRequest("\(member) is no URL of a database") }
        if isBetweenURLs, let name = ownName(text, call) { return .local(try keyspace(name, call, need, creates: creates)) }
        return .remote(try remote(text, value.dictionary, members, call), isCouch: scheme.hasPrefix("http"))
    }

    private static func text(_ member: String, _ members: DictionaryView) -> String? {
        members.value(forKey: member, nil).flatMap { $0.string ?? $0.dictionary?.value(forKey: "url", nil)?.string }
    }

    /// The name of a database of this server, where a URL is of the server that the client speaks to.
    private static func ownName(_ text: String, _ call: RESTCall) -> String? {
        guard let url = try? PeerURL(text), let host = call.request.headers["Host"],
            let own = try? PeerURL("\(url.isSecure ? "https" : "http")://\(host)"), own.port == url.port
        else { return nil }
        let loopback: Set = ["localhost", "127.0.0.1", "::1"]
        guard own.host == url.host || loopback.isSuperset(of: [own.host, url.host]) else { return nil }
        let components = url.path.split(separator: "/")
        return components.count == 1 ? PercentEncoding.decode(components[0]) : nil
    }

    private static func keyspace(_ name: String, _ call: RESTCall, _ need: RESTRoutes.Need, creates: Bool) throws -> Keyspace {
        let databases = call.service.databases
        if creates, try databases.database(named: name) == nil { try databases.create(name) }
        let keyspace = try databases.keyspace(named: name)
        guard let access = call.visitor.rights.access(to: keyspace.served.share) else { throw RESTError.notFound("no such database") }
        if let missing = need.missing(in: access) { throw RESTError.forbidden(missing) }
        return keyspace
    }

    private static func remote(
        _ text: String, _ side: DictionaryView?, _ members: DictionaryView, _ call: RESTCall
    ) throws -> WebServerSettings {
        var url: PeerURL
        do { url = try PeerURL(text) } catch { throw RESTError.badRequest(error.message) }
        guard url.query == nil, !text.contains("#"), url.path.contains(where: { $0 != "/" }) else {
            throw RESTError.badRequest("the URL is that of a database, and has nothing behind it")
        }
        while url.path.hasSuffix("/") { url.path.removeLast() }
        var settings = WebServerSettings(url)
        for (key, value) in side?.value(forKey: "headers", nil)?.dictionary.map({ AnySequence($0) }) ?? AnySequence([]) {
            guard let name = key.string, let text = value.string, HTTPHeaders.isWritable(name: name, value: text) else {
                throw RESTError.badRequest("headers are names and texts")
            }
            settings.headers.set(name, text)
        }
        if let proof = side?.value(forKey: "auth", nil)?.dictionary {
            settings.login = try login(proof, at: url, call)
        } else if members.value(forKey: "user", nil) != nil {
            settings.login = try login(members, "user", "password")
        }
        return settings
    }

    private static func login(_ proof: DictionaryView, at url: PeerURL, _ call: RESTCall) throws -> ServerLogin {
        func members(_ name: String) -> DictionaryView? { proof.value(forKey: name, nil)?.dictionary }
        if let basic = members("basic") { return try login(basic, "username", "password") }
        if let oauth = members("oauth") { return .signatures(try keys(oauth)) }
        for (name, kind) in [("facebook", LoginTokens.Kind.facebook), ("persona", .persona)] {
            guard let entry = members(name) else { continue }
            guard let email = entry.value(forKey: "email", nil)?.string else { throw RESTError.badRequest("\(name) has an email") }
            guard let login = call.service.loginTokens.login(kind, of: email, for: url) else {
                throw RESTError.badRequest(
                    "nothing was registered with which \(email) could sign in at \(url.webDescription), or it is over")
            }
            return login
        }
        throw RESTError.unsupported("of the ways to authenticate, basic, oauth, facebook and persona are understood")
    }

    private static func keys(_ entry: DictionaryView) throws(RESTError) -> OAuthKeys {
        func text(_ name: String) -> String? { entry.value(forKey: name, nil)?.string }
        guard let consumer = text("consumer_key"), let secret = text("consumer_secret"), let token = text("token"),
            let tokenSecret = text("token_secret"), let method = OAuthKeys.Method(rawValue: text("signature_method") ?? "HMAC-SHA1")
        else {
            throw .badRequest(
                "oauth has consumer_key, consumer_secret, token and token_secret, and signs with HMAC-SHA1 or PLAINTEXT")
        }
        return OAuthKeys(consumerKey: consumer, consumerSecret: secret, token: token, tokenSecret: tokenSecret, method: method)
    }

    private static func login(_ entry: DictionaryView, _ user: String, _ password: String) throws -> ServerLogin {
        guard let name = entry.value(forKey: user, nil)?.string, let secret = entry.value(forKey: password, nil)?.string else {
            throw RESTError.badRequest("a user has a name and a password")
        }
        return .password(Credentials(user: name, password: secret), waitsForChallenge: false)
    }

    /// By what a running replication is known as the same.
    var key: String {
        let what = [filter ?? "", parameters.sorted { $0.key < $1.key }.description, documentIDs.sorted().description].joined(
            separator: "|")
        return "\(names.source)|\(names.target)|\(isContinuous)|\(what)"
    }

    // Carrying out

    func plan() throws -> ReplicationPlan {
        if case (.remote(let source, let isCouch), .remote(let target, let targetIsCouch)) = (self.source, self.target) {
            return try plan(from: (source, isCouch), to: (target, targetIsCouch))
        }
        try copyDesigns()
        let (keyspace, settings) = try settings()
        var databases: Set<String> = [keyspace.served.name]
        if case .local(let other) = target { databases.insert(other.served.name) }
        return ReplicationPlan(
            key: key, source: names.source, target: names.target, databases: databases, database: keyspace.database,
            isContinuous: isContinuous, settings: settings)
    }

    /// Into a database that is here meanwhile, and out of it.
    private func plan(from source: (WebServerSettings, Bool), to target: (WebServerSettings, Bool)) throws -> ReplicationPlan {
        func settings(_ peer: (WebServerSettings, Bool), _ collection: ReplicatorSettings.Collection) throws -> ReplicatorSettings {
            var settings = ReplicatorSettings(try self.peer(peer.0, peer.1), collections: [collection])
            if !peer.1 { settings.login = peer.0.login }
            settings.retry = RetryPolicy(maxRetries: 2, maxDelay: 8)
            return settings
        }
        var pull = ReplicatorSettings.Collection(.default, push: .off, pull: .once)
        (pull.documentIDs, pull.filter, pull.filterParameters, pull.keepsConflicts) = (documentIDs, filter, parameters, true)
        pull.takesAllDeletions = true
        let push = ReplicatorSettings.Collection(.default, push: .once, pull: .off)
        let (first, second) = (try settings(source, pull), try settings(target, push))
        let copy = try PassingDatabase()
        return ReplicationPlan(
            key: key, source: names.source, target: names.target, databases: [], database: copy.database, isContinuous: false,
            settings: first, next: second, passing: copy)
    }

    /// Design documents between two databases of this server: replicators leave them alone.
    private func copyDesigns() throws {
        guard case (.local(let source), .local(let target)) = (source, target), source.hasDesignDocuments, target.hasDesignDocuments,
            source.served.name != target.served.name
        else { return }
        let function = try filter.map { try ChangeFilter(named: $0, parameters: parameters, source) }
        try source.database.prepareDesignFeed()
        let designs = try source.database.read { try $0.designChanges(after: 0) }.filter { design in
            guard documentIDs.isEmpty || documentIDs.contains(design.id) else { return false }
            return try function?.admits(design) ?? true
        }
        guard !designs.isEmpty else { return }
        try target.database.write { transaction in
            for design in designs {
                let current = try transaction.design(design.document.key)
                // Of each there is what was made last.
                if let new = try? RevisionID(name: design.revision), let old = (current?.revision).flatMap({ try? RevisionID(name: $0) }),
                    new < old || new == old
                {
                    continue
                }
                if current == nil, design.isDeleted { continue }
                try transaction.insertDesign(design.document, isDeleted: design.isDeleted)
            }
        }
    }

    /// The database that replicates, and how.
    private func settings() throws -> (database: Keyspace, settings: ReplicatorSettings) {
        let own: Keyspace
        let isPush: Bool
        let peer: ReplicatorSettings.Peer
        switch (source, target) {
        case (.local(let source), .local(let target)):
            guard source.served.name != target.served.name else {
                throw RESTError.badRequest("a database cannot be replicated with itself")
            }
            guard source.collection == target.collection else {
                throw RESTError.badRequest("a collection is replicated with the same one of another database")
            }
            (own, isPush, peer) = (source, true, .database(target.database))
        case (.local(let keyspace), .remote(let settings, let isCouch)):
            (own, isPush, peer) = (keyspace, true, try self.peer(settings, isCouch))
        case (.remote(let settings, let isCouch), .local(let keyspace)):
            (own, isPush, peer) = (keyspace, false, try self.peer(settings, isCouch))
        case (.remote, .remote): throw RESTError.badRequest("one of both is a database of this server")
        }
        let mode: ActiveSession.Mode = isContinuous ? .continuous : .once
        var collection = ReplicatorSettings.Collection(own.collection, push: isPush ? mode : .off, pull: isPush ? .off : mode)
        collection.documentIDs = documentIDs
        collection.keepsConflicts = true
        if !isPush { (collection.filter, collection.filterParameters) = (filter, parameters) }
        if isPush, let filter { try push(filter, own, &collection) }
        if !isPush, own.hasDesignDocuments { collection.pullFilter = own.served.validation.filter(of: own, visitor) }
        if case .local(let other) = target, other.hasDesignDocuments {
            collection.peerFilter = other.served.validation.filter(of: other, visitor)
        }
        var settings = ReplicatorSettings(peer, collections: [collection])
        // With CouchDB's protocol it is a matter of the requests.
        if case .server = peer, let remote = isPush ? target.remote : source.remote { settings.login = remote.login }
        settings.isReset = isReset
        // Who asked for it is told at once.
        if !isContinuous { settings.retry = RetryPolicy(maxRetries: 2, maxDelay: 8) }
        return (own, settings)
    }

    private func peer(_ settings: WebServerSettings, _ isCouch: Bool) throws -> ReplicatorSettings.Peer {
        var settings = settings
        if let patience { settings.client.idleTimeout = patience }
        guard isCouch else {
            var server = ReplicatorSettings.server(settings.url)
            if case .signatures = settings.login { throw RESTError.unsupported("requests are signed at http:// and https:// only") }
            if case .password(let credentials, _) = settings.login { server.handshake.credentials = credentials }
            for field in settings.headers.fields { server.handshake.headers.add(field.name, field.value) }
            return .server(server)
        }
        var peer = try CouchPeer(settings)
        peer.createsTarget = createsTarget
        return .couch(peer)
    }

    /// A filter of a design document here.
    private func push(_ filter: String, _ keyspace: Keyspace, _ collection: inout ReplicatorSettings.Collection) throws {
        let function = try ChangeFilter(named: filter, parameters: parameters, keyspace)
        collection.pushFilter = { try function.admits($0) }
        collection.filterName = "\(filter) \(parameters.sorted { $0.key < $1.key })"
    }
}

extension ReplicateRequest.Side {
    fileprivate var remote: WebServerSettings? {
        if case .remote(let settings, _) = self { settings } else { nil }
    }

    /// For people; the password that may be in a URL is not in it.
    var name: String {
        switch self {
        case .local(let keyspace):
            keyspace.collection.isDefault
                ? keyspace.served.name : "\(keyspace.served.name).\(keyspace.collection.scope).\(keyspace.collection.name)"
        case .remote(let settings, let isCouch): isCouch ? settings.url.webDescription : settings.url.description
        }
    }
}
