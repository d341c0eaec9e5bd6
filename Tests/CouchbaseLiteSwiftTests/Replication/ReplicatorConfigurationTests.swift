import CouchbaseLiteSwift
import Testing

@Suite struct ReplicatorConfigurationTests {
    let pair: Pair
    let target = URLEndpoint(url: URL(string: "wss://example.com:4984/db")!)

    init() throws { pair = try Pair() }

    @Test func defaultsAreThoseOfTheConstants() {
        var config = ReplicatorConfiguration(collections: CollectionConfiguration.fromCollections([pair.mine]), target: target)
        #expect(config.replicatorType == .pushAndPull && !config.continuous && config.enableAutoPurge)
        #expect(!config.acceptOnlySelfSignedServerCertificate && !config.acceptParentDomainCookie)
        #expect(config.authenticator == nil && config.headers == nil && config.pinnedServerCertificate == nil)
        #expect(config.networkInterface == nil && config.heartbeat == 300 && config.maxAttemptWaitTime == 300)
        #expect(config.maxAttempts == 10)
        config.continuous = true
        #expect(config.maxAttempts == .max)
        config.maxAttempts = 5
        config.continuous = false
        #expect(config.maxAttempts == 5)
        config.maxAttempts = 0
        config.heartbeat = 0
        config.maxAttemptWaitTime = 0
        #expect(config.maxAttempts == 10 && config.heartbeat == 300 && config.maxAttemptWaitTime == 300)
        #expect((config.target as? URLEndpoint)?.url == target.url)
        let collection = config.collections[0]
        #expect(collection.collection === pair.mine && collection.channels == nil && collection.documentIDs == nil)
        #expect(collection.conflictResolver == nil && collection.pushFilter == nil && collection.pullFilter == nil)
    }

    @Test func copiesAreIndependent() {
        var first = pair.config { $0.channels = ["a"] }
        first.headers = ["x": "1"]
        first.authenticator = BasicAuthenticator(username: "ann", password: "secret")
        let copy = ReplicatorConfiguration(config: first)
        let replicator = Replicator(config: first)
        first.headers = nil
        first.authenticator = nil
        #expect(copy.headers == ["x": "1"] && replicator.config.headers == ["x": "1"])
        #expect((copy.authenticator as? BasicAuthenticator)?.username == "ann")
        #expect(replicator.config.collections[0].channels == ["a"])
    }

    @Test func ofTwoConfigurationsOfACollectionTheLastCounts() throws {
        let other = try pair.ours.createCollection(name: "other")
        var (first, second) = (CollectionConfiguration(collection: pair.mine), CollectionConfiguration(collection: pair.mine))
        first.channels = ["first"]
        second.channels = ["second"]
        let config = ReplicatorConfiguration(collections: [first, CollectionConfiguration(collection: other), second], target: target)
        #expect(config.collections.count == 2)
        #expect(config.collections.first { $0.collection == pair.mine }?.channels == ["second"])
    }

    @Test func sessionsAreSentAsCookies() {
        #expect(SessionAuthenticator(sessionID: "1").cookieName == "SyncGatewaySession")
        #expect(SessionAuthenticator(sessionID: "1", cookieName: nil).cookieName == "SyncGatewaySession")
        #expect(SessionAuthenticator(sessionID: "1", cookieName: "own").cookieName == "own")
    }
}
