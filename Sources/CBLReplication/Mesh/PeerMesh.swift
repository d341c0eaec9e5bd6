import CBLBase
import CBLStore
import CBLTransport

/// Replicates databases continuously with all peers that appear and have one of the same name.
///
///     let mesh = PeerMesh(announcement, ["travel": database], on: loop, settings: { name, url in … }) { event in … }
///     let directory = try AvahiDirectory(wishes) { mesh.take($0) }
///
/// `Mesh` decides; here is what it decides about.
package final class PeerMesh: @unchecked Sendable {
    // Sendable: the loop's thread alone touches what changes.

    package enum Event: Sendable {
        /// A peer is about to be connected to, so.
        case begun(Mesh.Link, FoundPeer, ReplicatorSettings)
        case connected(Mesh.Link, FoundPeer, WebSocketOpening)
        case status(Mesh.Link, SyncStatus)
        case document(Mesh.Link, FoundPeer, DocumentEvent, CollectionName)
        /// With the number of seconds after which it is tried again, if it is.
        case ended(Mesh.Link, FoundPeer, SyncFailure?, seconds: Int?)
    }

    private struct Run {
        var replicator: Replicator
        var peer: FoundPeer
    }

    private let databases: [String: Database]
    private let loop: EventLoop
    private let settings: @Sendable (String, PeerURL) throws -> ReplicatorSettings
    private let observer: @Sendable (Event) -> Void
    private var mesh: Mesh
    private var runs: [Mesh.Link: Run] = [:]
    private var timer: LoopTimer?
    private var completion: (@Sendable () -> Void)?

    /// `settings` says how to reach a server's database; the observer is called on the loop.
    package init(
        _ own: PeerAnnouncement, _ databases: [String: Database], on loop: EventLoop,
        settings: @escaping @Sendable (String, PeerURL) throws -> ReplicatorSettings, observer: @escaping @Sendable (Event) -> Void
    ) throws {
        self.databases = databases
        self.loop = loop
        self.settings = settings
        self.observer = observer
        mesh = Mesh(own, vectorDatabases: Set(try databases.filter { try $1.read { $0.versioning == .vectors } }.keys))
    }

    /// What a directory tells, on whatever thread.
    package func take(_ event: PeerDirectoryEvent) {
        switch event {
        case .found(let peer): loop.perform { self.handle(.found(peer)) }
        case .lost(let service): loop.perform { self.handle(.lost(service)) }
        case .complete, .advertised, .failed: break
        }
    }

    /// Ends all replications at a checkpoint. Called again, or if that takes too long, the connections are cut.
    package func stop(then completion: @escaping @Sendable () -> Void = {}) {
        loop.perform { [self] in
            if self.completion == nil { self.completion = completion }
            timer?.cancel()
            for run in runs.values { run.replicator.stop() }
            if runs.isEmpty { completion() }
        }
    }

    private var now: Double { Double(loop.now.nanoseconds) / 1e9 }

    private func handle(_ event: Mesh.Event) {
        guard completion == nil else { return }
        for action in mesh.handle(event, at: now) {
            switch action {
            case .connect(let link, let peer, let attempt): connect(link, peer, attempt)
            case .leave(let link): runs[link]?.replicator.stop()
            }
        }
        timer?.cancel()
        timer = mesh.nextTime.map { time in
            loop.timer(after: .milliseconds(Int64(max(0, time - now) * 1000) + 1)) { [weak self] in self?.handle(.timePassed) }
        }
    }

    private func connect(_ link: Mesh.Link, _ peer: FoundPeer, _ attempt: Int) {
        let urls = peer.urls(of: link.database)
        // Not while it is being decided what else there is to do.
        guard let database = databases[link.database], !urls.isEmpty else { return later { $0.end(link, peer, nil) } }
        do {
            var settings = try settings(link.database, urls[attempt % urls.count])
            settings.retry = RetryPolicy(maxRetries: 0)
            let own = try database.read { $0.publicUUID }?.hexadecimal
            // A bundle that was copied is two databases with one UUID.
            if let id = peer.peerID(of: link.database), id != own.map(FoundPeer.peerID(ofUUID:)) { settings.peerID = id }
            let replicator = Replicator(database, settings, on: loop) { [weak self] in self?.take($0, of: link, peer) }
            runs[link] = Run(replicator: replicator, peer: peer)
            observer(.begun(link, peer, settings))
            replicator.start()
        } catch {
            let failure = SyncFailure(ReplicatedDatabase.translate(error))
            later { $0.end(link, peer, failure) }
        }
    }

    private func later(_ work: @escaping @Sendable (PeerMesh) -> Void) { loop.perform { work(self) } }

    private func take(_ event: ReplicatorEvent, of link: Mesh.Link, _ peer: FoundPeer) {
        switch event {
        case .connected(let opening):
            observer(.connected(link, peer, opening))
            handle(.connected(link))
        case .document(let document, let collection): observer(.document(link, peer, document, collection))
        case .ended(let failure): end(link, peer, failure)
        case .status(let status): observer(.status(link, status))
        case .waiting: break
        }
    }

    private func end(_ link: Mesh.Link, _ peer: FoundPeer, _ failure: SyncFailure?) {
        runs[link] = nil
        handle(.ended(link))
        observer(.ended(link, peer, failure, seconds: completion == nil ? mesh.pause(of: link, at: now).map { Int($0.rounded(.up)) } : nil))
        if let completion, runs.isEmpty { completion() }
    }
}

extension FoundPeer {
    /// By what a database of it is known in checkpoints, wherever it is today; nil if it does not say.
    package func peerID(of database: String) -> String? {
        announcement?.databases.first { $0.name == database }.flatMap { $0.uuid.isEmpty ? nil : FoundPeer.peerID(ofUUID: $0.uuid) }
    }

    package static func peerID(ofUUID uuid: String) -> String { "x-peer:\(uuid)" }
}
