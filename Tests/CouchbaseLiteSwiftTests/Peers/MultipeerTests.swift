import Testing

@testable import CouchbaseLiteSwift

@Suite struct MultipeerTests {
    private let database: TemporaryDatabase
    private let config: MultipeerReplicatorConfiguration

    init() throws {
        database = try TemporaryDatabase()
        config = MultipeerReplicatorConfiguration(
            peerGroupID: "group", identity: try TestIdentities.create([.serverAuth, .clientAuth]),
            authenticator: MultipeerCertificateAuthenticator { _, _ in true },
            collections: MultipeerCollectionConfiguration.fromCollections([database.collection]))
    }

    @Test func thatPeersCannotBeFoundIsSaid() throws {
        let replicator = try MultipeerReplicator(config: config)
        let told = Told<MultipeerReplicatorStatus>()
        let token = replicator.addStatusListener(on: told.queue) { told.add($0) }
        #expect(replicator.status(for: .wifi)?.error == nil && replicator.status(for: .bluetooth) == nil)
        replicator.start()
        #expect(told.wait { $0.count == 2 })
        #expect(told.all.map(\.transport) == [.wifi, nil])
        #expect(told.all.allSatisfy { !$0.active && ($0.error as NSError?)?.code == CBLError.unsupported })
        #expect((replicator.status(for: .wifi)?.error as NSError?)?.code == CBLError.unsupported)
        replicator.stop()
        #expect(told.wait { $0.count == 4 })
        #expect(told.all.last?.error == nil && replicator.status(for: .wifi)?.error == nil)
        token.remove()
    }

    @Test func onePeerIsKnownByItsCertificate() throws {
        let replicator = try MultipeerReplicator(config: config)
        #expect(replicator.peerID.bytes.count == 32 && replicator.peerID.description.count == 64)
        #expect(try MultipeerReplicator(config: config).peerID == replicator.peerID)
        #expect(replicator.peerInfo(for: replicator.peerID)?.certificate == config.identity.certs[0])
        let other = PeerID(try TestIdentities.create().certs[0])
        #expect(other != replicator.peerID && replicator.peerInfo(for: other) == nil && replicator.neighborPeers.isEmpty)
    }

    @Test func theDatabaseMustBeOpen() throws {
        try database.database.close()
        #expect(code { _ = try MultipeerReplicator(config: config) } == CBLError.notOpen)
    }
}
