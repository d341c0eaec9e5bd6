import CBLBase
import CBLFleece
import CBLListener
import CBLReplication
import CBLStore
import CBLTransport

/// What `serve` says: where it listens, who comes and goes, and what goes over the connections.
final class ServeReport {
    let invocation: Invocation
    let listener: SyncListener
    var session: Session { invocation.session }
    /// By what this server is known among peers.
    var ownID: String?
    /// The peers that are there, and what was said of them.
    var knownPeers: [FoundPeer.Service: String] = [:]
    /// The connections to peers of which it was said that they cannot be.
    var toldFailures: Set<Mesh.Link> = []
    private let clock = Stopwatch()
    /// For the rate of the last seconds.
    private var samples: [(seconds: Double, documents: Int)] = [(0, 0)]

    init(_ invocation: Invocation, _ listener: SyncListener) {
        self.invocation = invocation
        self.listener = listener
    }

    // MARK: The beginning

    private var isOpenToAll: Bool {
        (listener.settings.users == nil || listener.settings.anonymous != nil) && listener.settings.clientCertificates == nil
    }
    private var isLocal: Bool { listener.settings.address.map { NetworkAddresses.isLoopback($0) } ?? false }
    private var isWriteable: Bool { listener.databases.access != .readOnly }

    func began() throws {
        if invocation.wantsJSON { try beganJSON() } else { try beganText() }
        // Whoever started it may wait for these lines.
        try invocation.output.flush()
        warn()
    }

    private func beganText() throws {
        for url in try urls() {
            try invocation.output.write(url)
            try invocation.output.write("\n")
        }
        if let certificate = listener.settings.identity?.certificates.first {
            session.notice("SHA-256 of the certificate: \(certificate.fingerprint.certificate)")
        }
        let how =
            switch listener.databases.access {
            case .readOnly: "to pull from"
            case .writeOnly: "to push to"
            default: "to push to and to pull from"
            }
        let whom: String
        if listener.settings.anonymous != nil {
            whom = "everybody"
        } else if let users = listener.settings.users {
            let names = users.names.map { name in
                switch users.rights(of: name)?.access {
                case .readOnly: "\(name) (to pull only)"
                case .writeOnly: "\(name) (to push only)"
                default: name
                }
            }
            whom = names.isEmpty ? "nobody" : names.count <= 5 ? names.joined(separator: ", ") : "\(names.count) users"
        } else {
            whom = listener.settings.clientCertificates == nil ? "everybody" : "clients with a certificate"
        }
        session.notice("For \(whom)\(isLocal ? " on this machine" : ""), \(how). Ctrl-C ends it.")
    }

    private func beganJSON() throws {
        let urls = try urls()
        try session.writeFacts { line in
            line.add("event", "listening")
            line.add("port", Int(listener.port))
            line.add("urls", list: urls)
            if let certificate = listener.settings.identity?.certificates.first {
                line.add("fingerprint", certificate.fingerprint.certificate)
            }
        }
    }

    private func warn() {
        if listener.settings.hosts.allowsAnyOrigin, isOpenToAll {
            let what = isWriteable ? "read and change" : "read"
            session.warn(
                "every web page that somebody opens on this machine can \(what) what is served: --auth or --user asks for a password")
        }
        guard !isLocal else {
            if listener.settings.users != nil, listener.settings.identity == nil, !invocation.flag("address"), !invocation.flag("config") {
                session.notice("Others cannot connect: --tls opens it to them, and --address 0.0.0.0 without encryption.")
            }
            return
        }
        if isOpenToAll {
            let what = isWriteable ? "read and change" : "read"
            session.warn(
                "everybody who can reach this machine can \(what) what is served: --user NAME lets in only those who know a password")
        }
        if listener.settings.identity == nil, listener.settings.users != nil {
            session.warn("passwords and documents go over the network as they are: --tls encrypts them")
        }
    }

    /// Of the REST API, and of each database for those who replicate with it.
    private func urls() throws -> [String] {
        let paths = try listener.databases.names().map { "/" + PercentEncoding.component($0) }
        return (listener.settings.rest == nil ? [] : urls("http", "/")) + paths.flatMap { urls("ws", $0) }
    }

    private func urls(_ scheme: String, _ path: String) -> [String] {
        let scheme = listener.settings.identity == nil ? scheme : scheme + "s"
        return hosts().map { "\(scheme)://\($0.contains(":") ? "[\($0)]" : $0):\(listener.port)\(path)" }
    }

    private func hosts() -> [String] {
        guard let address = listener.settings.address, address != "0.0.0.0", address != "::" else {
            return ["localhost"] + NetworkAddresses.ofThisMachine()
        }
        if address == "127.0.0.1" || address == "localhost" { return ["localhost"] }
        return [NetworkAddresses.address(ofInterface: address) ?? address]
    }

    // MARK: Events

    var showsConnections: Bool { invocation.count("verbose") > 0 }

    static func showsDocuments(_ invocation: Invocation) -> Bool { invocation.count("verbose") > 1 }

    func tell(_ event: ListenerEvent) throws {
        // They may be told of for the log alone.
        if case .document = event, !ServeReport.showsDocuments(invocation) { return }
        if invocation.wantsJSON { return try write(event) }
        guard showsConnections else { return }
        switch event {
        case .connected(let client):
            let agent = client.agent.map { " (\($0))" } ?? ""
            session.remark("[\(client.number)] \(client.description) connected to \(client.database)\(agent)")
        case .ended(let client, let traffic, let failure):
            let why = failure.map { ": \($0.error.message)" } ?? ""
            session.remark("[\(client.number)] \(client.description) left; \(ServeReport.text(traffic))\(why)")
        case .document(let client, let event, let collection):
            let name = collection.isDefault ? event.documentID : "\(collection)/\(event.documentID)"
            let verb = event.direction == .pull ? "received" : "sent"
            session.remark("[\(client.number)] \(event.error.map { "\(name): \($0.message)" } ?? "\(verb) \(name)")")
        case .answered(let request):
            let whom = request.user.map { "\($0) at \(request.address)" } ?? request.address
            session.remark("\(request.status) \(request.method) \(request.path) (\(whom))")
        case .refused(let address, let reason): session.remark("\(address) was refused: \(reason)")
        }
    }

    private func write(_ event: ListenerEvent) throws {
        try session.writeFacts { line in
            switch event {
            case .connected(let client):
                line.add("event", "connected")
                line.add("client", client.number)
                line.add("address", client.address)
                if let user = client.user { line.add("user", user) }
                if let certificate = client.certificate { line.add("certificate", certificate) }
                if let agent = client.agent { line.add("agent", agent) }
                line.add("database", client.database)
                line.add("access", client.access.rawValue)
                line.add("protocol", client.subprotocol)
            case .ended(let client, let traffic, let failure):
                line.add("event", "ended")
                line.add("client", client.number)
                ServeReport.add(traffic, to: &line)
                if let failure { line.add("error", failure.error.message) }
            case .document(let client, let event, let collection):
                line.add("event", event.direction == .pull ? "received" : "sent")
                line.add("client", client.number)
                line.add("collection", collection.description)
                line.add("id", event.documentID)
                if let error = event.error { line.add("error", error.message) }
            case .answered(let request):
                line.add("event", "answered")
                line.add("address", request.address)
                if let user = request.user { line.add("user", user) }
                line.add("method", request.method)
                line.add("path", request.path)
                line.add("status", request.status)
            case .refused(let address, let reason):
                line.add("event", "refused")
                line.add("address", address)
                line.add("reason", reason)
            }
        }
        try invocation.output.flush()
    }

    private static func add(_ traffic: ListenerTraffic, to line: inout JSONObjectWriter) {
        line.add("received", traffic.documentsIn)
        line.add("sent", traffic.documentsOut)
        line.add("failed", traffic.failures)
        if traffic.requests > 0 { line.add("requests", traffic.requests) }
    }

    private static func text(_ traffic: ListenerTraffic) -> String {
        let failed = traffic.failures > 0 ? ", \(ProgressLine.grouped(traffic.failures)) refused" : ""
        let documents = traffic.documentsIn == 1 ? "document" : "documents"
        let requests = traffic.requests > 0 ? ", \(ProgressLine.grouped(traffic.requests)) requests answered" : ""
        return
            "\(ProgressLine.grouped(traffic.documentsIn)) \(documents) received, \(ProgressLine.grouped(traffic.documentsOut)) sent\(failed)\(requests)"
    }

    /// `Serving: 3 connections, 1,204 documents received, 88 sent, 310/s`
    func status() -> String {
        let traffic = listener.traffic
        let count = listener.connectionCount
        let (seconds, documents) = (clock.seconds, traffic.documentsIn + traffic.documentsOut)
        samples.append((seconds, documents))
        samples.removeAll { $0.seconds < seconds - 5 && samples.count > 2 }
        let first = samples.first ?? (0, 0)
        let rate = Double(documents - first.documents) / max(seconds - first.seconds, 0.1)
        return "Serving: \(count) connection\(count == 1 ? "" : "s"), \(ServeReport.text(traffic))"
            + (rate >= 1 ? ", \(ProgressLine.grouped(Int(rate)))/s" : "")
    }

    func stopped() throws {
        guard invocation.wantsJSON else { return session.notice("Stopped; \(ServeReport.text(listener.traffic)).") }
        try session.writeFacts { line in
            line.add("event", "stopped")
            ServeReport.add(listener.traffic, to: &line)
        }
    }
}
