// swift-format-ignore-file
// Generated from Sources/CouchbaseLiteSwift/CouchbaseLiteSwift.docc/Guides/PeerToPeer.md by `make docs`: change that one.
import CouchbaseLiteSwift
import Testing

extension GuideTests {
    @Test func runPeerToPeer() async {
        await #expect(processExitsWith: .success) { try await runGuide(guidePeerToPeer) }
    }
}

private func guidePeerToPeer() async throws {
    let database = try Database(name: "kitchen")
    let orders = try database.createCollection(name: "orders")
    try orders.save(document: MutableDocument(id: "order-1", data: ["table": 4]))
    let waiter = try Database(name: "waiter")
    let waiterOrders = try waiter.createCollection(name: "orders")

    var listening = URLEndpointListenerConfiguration(collections: [orders])
    listening.port = 0                               // any that is free; a service says which
    listening.authenticator = ListenerPasswordAuthenticator { name, password in name == "waiter" && password == "…" }

    let listener = URLEndpointListener(config: listening)
    try listener.start()
    print(listener.urls ?? [])

    var connecting = ReplicatorConfiguration(
        collections: CollectionConfiguration.fromCollections([waiterOrders]),
        target: URLEndpoint(url: URL(string: "wss://127.0.0.1:\(listener.port ?? 0)/kitchen")!))
    connecting.authenticator = BasicAuthenticator(username: "waiter", password: "…")
    connecting.pinnedServerCertificate = listener.tlsIdentity?.certs.first
    try await Replicator(config: connecting).replicate()
    print(waiterOrders.count)

    #expect(waiterOrders.count == 1)
    #expect(listener.urls?.first?.scheme == "wss")
    var wrong = connecting
    wrong.authenticator = BasicAuthenticator(username: "waiter", password: "wrong")
    do {
        try await Replicator(config: wrong).replicate()
        Issue.record("a wrong password has let somebody in")
    } catch let error as NSError {
        #expect(error.code == CBLError.httpAuthRequired)
    }
    var unpinned = connecting
    unpinned.pinnedServerCertificate = nil
    do {
        try await Replicator(config: unpinned).replicate()
        Issue.record("nobody vouches for the listener")
    } catch let error as NSError {
        #expect((5000..<6000).contains(error.code))
    }

    let device = try TLSIdentity.createIdentity(
        for: .clientAuth, attributes: [certAttrCommonName: "waiter-1"], label: "waiter-1")

    var strict = URLEndpointListenerConfiguration(collections: [orders])
    strict.authenticator = ListenerCertificateAuthenticator(rootCerts: [device.certs[0]])
    let door = URLEndpointListener(config: strict)
    try door.start()

    connecting = ReplicatorConfiguration(
        collections: CollectionConfiguration.fromCollections([waiterOrders]),
        target: URLEndpoint(url: URL(string: "wss://127.0.0.1:\(door.port ?? 0)/kitchen")!))
    connecting.pinnedServerCertificate = door.tlsIdentity?.certs.first
    connecting.authenticator = ClientCertificateAuthenticator(identity: device)
    try await Replicator(config: connecting).replicate()

    connecting.authenticator = nil
    await #expect(throws: (any Error).self) { try await Replicator(config: connecting).replicate() }

    let identity = try TLSIdentity.identity(withLabel: "waiter-1")
        ?? TLSIdentity.createIdentity(for: .clientAuth, attributes: [certAttrCommonName: "waiter-1"], label: "waiter-1")
    print(identity.expiration)

    #expect(identity.certs == device.certs)
    #expect(throws: (any Error).self) {
        try TLSIdentity.createIdentity(for: .clientAuth, attributes: [certAttrCommonName: "x"], label: "waiter-1")
    }

    print(door.status.connectionCount)
    door.stop()                                      // waits until those who are connected are gone
    listener.stop()

    /// One end. Here the other end is in the same program; in an app there is a socket between them.
    final class Pipe: MessageEndpointConnection, @unchecked Sendable {
        var other: Pipe?
        private let lock = NSLock()
        private var receiver: (any ReplicatorConnection)?
        private var early: [Message] = []

        func open(connection: any ReplicatorConnection, completion: @escaping (Bool, MessagingError?) -> Void) {
            completion(true, nil)
            lock.withLock {
                receiver = connection
                for message in early { connection.receive(message: message) }
            }
        }

        func send(message: Message, completion: @escaping (Bool, MessagingError?) -> Void) {
            other?.arrived(message)
            completion(true, nil)
        }

        func arrived(_ message: Message) {
            lock.withLock {
                if let receiver { receiver.receive(message: message) } else { early.append(message) }
            }
        }

        func close(error: (any Error)?, completion: @escaping () -> Void) {
            other?.lock.withLock { other?.receiver }?.close(error: nil)
            completion()
        }
    }

    /// Called for each attempt to connect.
    final class Pipes: MessageEndpointDelegate {
        let listener: MessageEndpointListener

        init(_ listener: MessageEndpointListener) { self.listener = listener }

        func createConnection(endpoint: MessageEndpoint) -> any MessageEndpointConnection {
            let (here, there) = (Pipe(), Pipe())
            (here.other, there.other) = (there, here)
            listener.accept(connection: there)               // in an app: on the other device
            return here
        }
    }

    let office = MessageEndpointListener(
        config: MessageEndpointListenerConfiguration(collections: [orders], protocolType: .messageStream))
    let endpoint = MessageEndpoint(uid: "kitchen", target: nil, protocolType: .messageStream, delegate: Pipes(office))
    try await Replicator(config: ReplicatorConfiguration(
        collections: CollectionConfiguration.fromCollections([waiterOrders]), target: endpoint)).replicate()

    try waiterOrders.save(document: MutableDocument(id: "order-2", data: ["table": 5]))
    try await Replicator(config: ReplicatorConfiguration(
        collections: CollectionConfiguration.fromCollections([waiterOrders]), target: endpoint)).replicate()
    #expect(orders.count == 2)
}
