import CouchbaseLiteClassic
// Every test has a database of its own.
@_exported import CouchbaseLiteTestSupport
import Testing

extension TemporaryFolder {
    func open(_ name: String = "db", keepingFormat: Bool) throws -> Database {
        try Database(name: name, config: configuration, keepingFormat: keepingFormat)
    }
}

extension TemporaryDatabase {
    convenience init(keepingFormat: Bool) throws { try self.init { try $0.open(keepingFormat: keepingFormat) } }

    /// Saves a document, and gives its new revision.
    func revise(_ id: String, _ properties: [String: Any] = [:]) throws -> String { try #require(try save(id, properties).revisionID) }
}

/// Replicates once between two databases of this process. Gives the documents that the replicator has told of.
@discardableResult
func replicate(_ configuration: CollectionConfiguration, with other: Database, _ type: ReplicatorType) throws -> [ReplicatedDocument] {
    try replicate(configuration, with: DatabaseEndpoint(database: other), type)
}

/// The same with any peer.
@discardableResult
func replicate(
    _ configuration: CollectionConfiguration, with target: any Endpoint, as user: BasicAuthenticator? = nil, _ type: ReplicatorType
) throws -> [ReplicatedDocument] {
    var config = ReplicatorConfiguration(collections: [configuration], target: target)
    config.replicatorType = type
    config.authenticator = user
    let replicator = Replicator(config: config)
    let documents = Told<[ReplicatedDocument]>()
    let isOver = Told<Bool>()
    let tokens = [
        replicator.addDocumentReplicationListener(withQueue: documents.queue) { documents.add($0.documents) },
        replicator.addChangeListener(withQueue: documents.queue) { change in
            guard change.status.activity == .stopped else { return }
            #expect(change.status.error == nil)
            isOver.add(true)
        },
    ]
    replicator.start()
    #expect(isOver.wait { !$0.isEmpty })
    for token in tokens { token.remove() }
    return documents.all.flatMap { $0 }
}
