import CBLBase
import CBLFleece
import CBLReplication
import CBLTransport

// What happens on the local network, and between peers.
extension ServeReport {
    func tell(_ event: PeerDirectoryEvent) throws {
        switch event {
        case .advertised(let name):
            if invocation.wantsJSON {
                try write("advertised") { $0.add("name", name) }
            } else {
                session.notice("On this network it is peer:\(ForeignText.line(name)).")
            }
        case .failed(let error): session.warn(error.description)
        case .found(let peer):
            guard let announcement = peer.announcement, announcement.id != ownID else { return }
            let text = "\(ServeReport.name(peer)): \(peer.databases.map { ForeignText.line($0) }.joined(separator: ", "))"
            // It is found anew with each of its addresses.
            guard knownPeers.updateValue(text, forKey: peer.service) != text else { return }
            if invocation.wantsJSON {
                try write("found", peer) { $0.add("databases", list: peer.databases) }
            } else if showsConnections {
                session.remark("Found \(text)")
            }
        case .lost(let service):
            guard knownPeers.removeValue(forKey: service) != nil else { return }
            if invocation.wantsJSON {
                try write("lost") { $0.add("name", service.name) }
            } else if showsConnections {
                session.remark("Lost \(ForeignText.line(service.name))")
            }
        case .complete: break
        }
    }

    func tell(_ event: PeerMesh.Event) throws {
        switch event {
        case .begun, .status: break
        case .connected(let link, let peer, _):
            if invocation.wantsJSON {
                try write("syncing", peer) { $0.add("database", link.database) }
            } else if showsConnections {
                session.remark("Connected to \(ServeReport.name(peer)): \(ForeignText.line(link.database))")
            }
        case .document(let link, let peer, let document, let collection):
            guard ServeReport.showsDocuments(invocation) else { return }
            let isPull = document.direction == .pull
            if invocation.wantsJSON {
                return try write(isPull ? "received" : "sent", peer) { line in
                    line.add("database", link.database)
                    line.add("collection", collection.description)
                    line.add("id", document.documentID)
                    if let error = document.error { line.add("error", error.message) }
                }
            }
            let id = collection.isDefault ? document.documentID : "\(collection)/\(document.documentID)"
            let what = document.error.map { "\(id): \($0.message)" } ?? "\(isPull ? "received" : "sent") \(id)"
            session.remark("[\(ServeReport.name(peer))] \(what)")
        case .ended(let link, let peer, let failure, let seconds):
            let reason = failure.map { SyncAdvice.shortened($0.error.message) }
            if invocation.wantsJSON {
                return try write("unsynced", peer) { line in
                    line.add("database", link.database)
                    if let reason { line.add("error", reason) }
                    if let seconds { line.add("seconds", seconds) }
                }
            }
            let why = reason.map { ": \($0)" } ?? ""
            let text = "The connection to \(ServeReport.name(peer)) has ended\(why)"
            if showsConnections {
                session.remark(text + (seconds.map { "; trying again in \($0) s" } ?? ""))
            } else if let failure, failure.error.severity == .permanent, toldFailures.count < ServeReport.mostFailures,
                toldFailures.insert(link).inserted
            {
                // It will be so the next time.
                session.warn(text)
            }
        }
    }

    private static let mostFailures = 100

    private static func name(_ peer: FoundPeer) -> String {
        "\(ForeignText.line(peer.name)) (\(ForeignText.line(peer.host)), port \(peer.port))"
    }

    private func write(_ event: String, _ peer: FoundPeer? = nil, _ fill: (inout JSONObjectWriter) -> Void) throws {
        try session.writeFacts { line in
            line.add("event", event)
            if let peer {
                line.add("peer", peer.name)
                line.add("host", peer.host)
                line.add("port", Int(peer.port))
            }
            fill(&line)
        }
        try invocation.output.flush()
    }
}

extension PeerMesh.Event {
    /// Whether it may be left out when there are too many.
    var isOneOfMany: Bool {
        switch self {
        case .document, .status: true
        case .begun, .connected, .ended: false
        }
    }
}
