// swift-format-ignore-file
// Generated from Sources/CouchbaseLiteSwift/CouchbaseLiteSwift.docc/Guides/TestingOnLinux.md by `make docs`: change that one.
import CouchbaseLiteSwift
import Testing

extension GuideTests {
    @Test func runTestingOnLinux() async {
        await #expect(processExitsWith: .success) { try await runGuide(guideTestingOnLinux) }
    }
}

private func guideTestingOnLinux() async throws {
    final class Scene {
        let database: Database
        let hotels: Collection

        init() throws {
            var configuration = DatabaseConfiguration()
            configuration.directory = NSTemporaryDirectory() + "scene-\(UUID().uuidString)"
            database = try Database(name: "test", config: configuration)
            hotels = try database.createCollection(name: "hotels")
        }

        deinit {
            try? database.delete()
            try? FileManager.default.removeItem(atPath: database.config.directory)
        }
    }

    let scene = try Scene()
    try scene.hotels.save(document: MutableDocument(id: "hotel-1", data: ["rooms": 42]))

    #expect(scene.hotels.count == 1)

    let query = try scene.database.createQuery("SELECT META().id FROM hotels")
    let changes = query.changes()
    let first = Task { for await change in changes { return change.results?.allResults().count ?? 0 }; return 0 }
    print(await first.value)

    #expect(await first.value == 1)

    let heard = DispatchSemaphore(value: 0)
    let token = scene.hotels.addChangeListener(queue: DispatchQueue(label: "test")) { _ in heard.signal() }
    try scene.hotels.save(document: MutableDocument(id: "hotel-2"))
    let isHeard = heard.wait(timeout: .now() + 60) == .success
    token.remove()

    #expect(isHeard)

    let server = try Scene()
    let listener = URLEndpointListener(config: URLEndpointListenerConfiguration(collections: [server.hotels]))
    try listener.start()

    var configuration = ReplicatorConfiguration(
        collections: CollectionConfiguration.fromCollections([scene.hotels]),
        target: URLEndpoint(url: URL(string: "wss://127.0.0.1:\(listener.port ?? 0)/test")!))
    configuration.pinnedServerCertificate = listener.tlsIdentity?.certs.first
    try await Replicator(config: configuration).replicate()
    print(server.hotels.count)

    #expect(server.hotels.count == 2)
    listener.stop()

    LogSinks.console = ConsoleLogSink(level: .verbose, domains: [.replicator, .network])

    LogSinks.console = ConsoleLogSink(level: .warning)
}
