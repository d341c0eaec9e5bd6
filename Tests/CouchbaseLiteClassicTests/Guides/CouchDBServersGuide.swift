// swift-format-ignore-file
// Generated from Sources/CouchbaseLiteClassic/CouchbaseLiteClassic.docc/Guides/CouchDBServers.md by `make docs`: change that one.
import Testing
import CouchbaseLiteClassic
import Foundation

extension GuideTests {
    @Test func runCouchDBServers() async {
        await #expect(processExitsWith: .success) { try await runGuide(guideCouchDBServers) }
    }
}

private func guideCouchDBServers() async throws {
    let database = try Database(name: "travel", keepingFormat: true)
    let hotels = try database.defaultCollection()

    let endpoint = CouchDBEndpoint(url: URL(string: "https://db.example.com/travel")!)
    var config = ReplicatorConfiguration(collections: [CollectionConfiguration(collection: hotels)], target: endpoint)
    config.authenticator = BasicAuthenticator(username: "jane", password: "secret")
    config.continuous = true
    let replicator = Replicator(config: config)

    #expect(replicator.status.activity == .stopped)

    let storage = OpenIDConnectMemory()
    config.authenticator = OpenIDConnectAuthenticator(storage: storage) { page, redirect in
        // An app shows the page, and gives the URL that begins with `redirect`, when it is about to go there.
        throw CancellationError()
    }

    #expect(storage.load() == nil)

    var chosen = endpoint
    chosen.filter = "hotels/byCity"
    chosen.filterParameters = ["city": "Porto"]

    #expect(chosen.filter != endpoint.filter)
}
