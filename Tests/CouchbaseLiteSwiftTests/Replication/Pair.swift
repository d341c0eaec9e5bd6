import CouchbaseLiteSwift
import Testing

/// Two databases of a test, of which the first replicates.
final class Pair: @unchecked Sendable {
    let folder: TemporaryFolder
    let ours: Database
    let theirs: Database
    let mine: Collection
    let other: Collection

    init() throws {
        folder = try TemporaryFolder()
        ours = try folder.open("ours")
        theirs = try folder.open("theirs")
        mine = try ours.defaultCollection()
        other = try theirs.defaultCollection()
    }

    deinit {
        try? ours.close()
        try? theirs.close()
    }

    func config(
        _ type: ReplicatorType = .pushAndPull, continuous: Bool = false, to target: (any Endpoint)? = nil,
        _ change: (inout CollectionConfiguration) -> Void = { _ in }
    ) -> ReplicatorConfiguration {
        var collection = CollectionConfiguration(collection: mine)
        change(&collection)
        var config = ReplicatorConfiguration(collections: [collection], target: target ?? DatabaseEndpoint(database: theirs))
        config.replicatorType = type
        config.continuous = continuous
        return config
    }

    func save(_ id: String, _ properties: [String: Any] = ["n": 1], in collection: Collection) throws {
        let document = try collection.document(id: id)?.toMutable() ?? MutableDocument(id: id)
        try collection.save(document: document.setData(properties))
    }

    /// Replicates once, or until a continuous replicator has nothing left to do, and stops it.
    @discardableResult
    func run(_ config: ReplicatorConfiguration, reset: Bool = false) -> Replication {
        Replication(Replicator(config: config), reset: reset)
    }

    /// Has a document that both changed since they last had it in common; nil is a deletion.
    func conflict(_ local: [String: Any]?, _ remote: [String: Any]?) throws { try conflict("doc", local, remote) }

    func conflict(_ id: String, _ local: [String: Any]?, _ remote: [String: Any]?) throws {
        try save(id, ["base": true], in: mine)
        #expect(run(config(.push)).error == nil)
        for (collection, properties) in [(mine, local), (other, remote)] {
            let document = try #require(try collection.document(id: id))
            if let properties {
                try collection.save(document: document.toMutable().setData(properties))
            } else {
                try collection.delete(document: document)
            }
        }
    }
}

/// What a run of a replicator has told.
struct Replication {
    let statuses: [Replicator.Status]
    let replications: [DocumentReplication]

    init(_ replicator: Replicator, reset: Bool = false, seconds: Double = 30) {
        let statuses = Told<Replicator.Status>()
        let replications = Told<DocumentReplication>()
        let isContinuous = replicator.config.continuous
        let tokens = [
            replicator.addDocumentReplicationListener(withQueue: statuses.queue) { replications.add($0) },
            replicator.addChangeListener(withQueue: statuses.queue) { change in
                statuses.add(change.status)
                let status = change.status
                if isContinuous, status.activity == .idle, status.progress.completed == status.progress.total { change.replicator.stop() }
            },
        ]
        replicator.start(reset: reset)
        #expect(statuses.wait(seconds: seconds) { $0.last?.activity == .stopped })
        for token in tokens { token.remove() }
        self.statuses = statuses.all
        self.replications = replications.all
    }

    var error: NSError? { statuses.last?.error as NSError? }
    var activities: [Replicator.ActivityLevel] { statuses.map(\.activity) }
    var documents: [ReplicatedDocument] { replications.flatMap(\.documents) }
    var ids: [String] { documents.map(\.id) }

    func documents(isPush: Bool) -> [ReplicatedDocument] { replications.filter { $0.isPush == isPush }.flatMap(\.documents) }
}

/// Something that a closure of a test fills from whichever thread.
final class Shared<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var stored: Value

    init(_ value: Value) { stored = value }

    var value: Value { lock.withLock { stored } }
    func change(_ body: (inout Value) -> Void) { lock.withLock { body(&stored) } }
}

struct Resolver: ConflictResolverProtocol {
    let body: (Conflict) -> Document?
    init(_ body: @escaping (Conflict) -> Document?) { self.body = body }
    func resolve(conflict: Conflict) -> Document? { body(conflict) }
}
