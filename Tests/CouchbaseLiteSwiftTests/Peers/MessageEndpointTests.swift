import Synchronization
import Testing

@testable import CouchbaseLiteSwift

@Suite struct MessageEndpointTests {
    private let here: TemporaryDatabase
    private let there: TemporaryDatabase

    init() throws {
        here = try TemporaryDatabase()
        there = try TemporaryDatabase()
        for number in 0..<200 { try here.save("mine-\(number)", ["text": String(repeating: "x", count: number * 10)]) }
        for number in 0..<100 { try there.save("yours-\(number)", ["number": number]) }
    }

    private func listener(_ type: ProtocolType) -> MessageEndpointListener {
        MessageEndpointListener(config: MessageEndpointListenerConfiguration(collections: [there.collection], protocolType: type))
    }

    private func run(
        _ maker: WireMaker, _ type: ProtocolType, _ change: (inout ReplicatorConfiguration) -> Void = { _ in }
    ) -> Run {
        let endpoint = MessageEndpoint(uid: "there", target: nil, protocolType: type, delegate: maker)
        var config = ReplicatorConfiguration(collections: [CollectionConfiguration(collection: here.collection)], target: endpoint)
        config.maxAttempts = 1
        change(&config)
        let run = Run(config)
        run.replicator.start()
        return run
    }

    @Test(arguments: [ProtocolType.messageStream, .byteStream], [false, true])
    func everythingTravelsOverWhateverTheProgramHas(_ type: ProtocolType, _ cuts: Bool) throws {
        // Messages are not cut: that is what the program promises.
        if type == .messageStream, cuts { return }
        let blob = MutableDocument(id: "blob")
        let bytes = Data((0..<400_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) })
        blob.setBlob(Blob(contentType: "x/y", data: bytes), forKey: "blob")
        try here.collection.save(document: blob)
        let listener = listener(type)
        let statuses = Told<Replicator.Status>()
        let token = listener.addChangeListener(withQueue: statuses.queue) { statuses.add($0.status) }
        let maker = WireMaker(listener, [Wire.Manner(cuts: cuts)])
        #expect(try run(maker, type).end() == nil)
        #expect(here.collection.count == 301 && there.collection.count == 301)
        #expect(try there.document("blob").blob(forKey: "blob")?.content == bytes)
        #expect(statuses.wait { $0.last?.activity == .stopped })
        #expect(statuses.all.first?.activity == .connecting)
        #expect(statuses.all.last?.error == nil)
        let wire = try #require(maker.wires.all.first)
        for end in [wire.ends.0, wire.ends.1] { #expect(end.closings.wait { $0.count == 1 }) }
        #expect(listener.connections.isEmpty)
        token.remove()
        // What is there does not travel again.
        #expect(try run(maker, type).end() == nil)
    }

    @Test func changesTravelUntilTheListenerClosesTheConnection() throws {
        let listener = listener(.messageStream)
        let maker = WireMaker(listener, [Wire.Manner()])
        let run = run(maker, .messageStream) {
            $0.continuous = true; $0.maxAttempts = 1
        }
        #expect(run.isReached(.idle))
        #expect(listener.connections.count == 1)
        try there.save("late")
        let collection = here.collection
        #expect(Told<Int>().wait { _ in (try? collection.document(id: "late")) != nil })
        listener.closeAll()
        #expect(try run.end() != nil)
        #expect(Told<Int>().wait { _ in listener.connections.isEmpty })
    }

    @Test func theDatabaseClosesItsConnections() throws {
        let listener = listener(.byteStream)
        let run = run(WireMaker(listener, [Wire.Manner()]), .byteStream) {
            $0.continuous = true; $0.maxAttempts = 1
        }
        #expect(run.isReached(.idle))
        try there.database.close()
        #expect(listener.connections.isEmpty)
        #expect(try run.end()?.code == CBLError.webSocketGoingAway)
        let end = Wire(Wire.Manner()).ends.0
        listener.accept(connection: end)
        #expect(end.closings.wait { $0.count == 1 })
        #expect(end.closings.all.first.map { ($0 as NSError?)?.code } == CBLError.notOpen)
    }

    @Test(arguments: [ProtocolType.messageStream, .byteStream]) func aBrokenConnectionIsAnErrorOfItsKind(_ type: ProtocolType) throws {
        for isRecoverable in [false, true] {
            let broken = Wire.Manner(breaksAfter: 3, isBreakRecoverable: isRecoverable)
            let error = try run(WireMaker(listener(type), [broken]), type).end()
            #expect(error?.code == (isRecoverable ? CBLError.webSocketCloseUserTransient : CBLError.webSocketCloseUserPermanent))
            let shut = Wire.Manner(isBreakRecoverable: isRecoverable, opens: false)
            let refused = try run(WireMaker(listener(type), [shut]), type).end()
            #expect(refused?.code == (isRecoverable ? CBLError.webSocketCloseUserTransient : CBLError.webSocketCloseUserPermanent))
        }
    }

    @Test func whatIsRecoverableIsTriedAgain() throws {
        let broken = Wire.Manner(breaksAfter: 4, isBreakRecoverable: true)
        let maker = WireMaker(listener(.byteStream), [broken, Wire.Manner()])
        #expect(try run(maker, .byteStream) { $0.maxAttempts = 3 }.end() == nil)
        #expect(maker.wires.all.count == 2)
        #expect(there.collection.count == 300)
    }

    @Test(arguments: [ProtocolType.messageStream, .byteStream]) func garbageEndsTheConnectionAlone(_ type: ProtocolType) throws {
        let listener = listener(type)
        let statuses = Told<Replicator.Status>()
        listener.addChangeListener(withQueue: statuses.queue) { statuses.add($0.status) }
        let wire = Wire(Wire.Manner())
        listener.accept(connection: wire.ends.1)
        #expect(listener.connections.count == 1)
        for size in [1, 100, 5000] { wire.ends.0.send(message: Message.fromData(Data(repeating: 0xA5, count: size))) { _, _ in } }
        #expect(statuses.wait { $0.last?.activity == .stopped })
        #expect(statuses.all.last?.error != nil)
        #expect(try run(WireMaker(listener, [Wire.Manner()]), type).end() == nil)
        #expect(there.collection.count == 300)
    }
}
