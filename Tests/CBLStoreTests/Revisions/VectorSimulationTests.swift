import CBLFleece
import CBLTestSupport
import Testing

@testable import CBLStore

/// Databases with version vectors that edit one document and sync it through a server, each with a clock of its own, some of them wrong.
@Suite struct VectorSimulationTests {
    struct Device {
        let source: SourceID
        var revisions = VectorRevisions()
        var clock = HybridClock()
        /// How far its wall clock is off, in nanoseconds.
        let clockError: UInt64
        var wallClock: UInt64 = 0

        init(_ number: UInt8, clockError: UInt64) {
            source = SourceID([UInt8](repeating: number + 1, count: SourceID.byteCount)) ?? .revisionTree
            self.clockError = clockError
        }

        /// The current revision as others call it.
        var history: RevisionHistory { revisions.history.replacing(.local, by: source) }
        var time: UInt64 { wallClock + clockError }

        mutating func edit(_ random: inout SeededRandom) throws {
            let isDeleting = revisions.current.map { !$0.isDeleted } ?? false && Int.random(in: 0..<5, using: &random) == 0
            let properties = isDeleting ? FleeceData.emptyDictionary : VectorSimulationTests.properties(&random)
            let parent = revisions.current?.isDeleted == true ? nil : revisions.current?.id
            try revisions.addRevision(
                after: parent, properties: properties, flags: isDeleting ? .deleted : [], clock: &clock, wallClock: time)
            try save()
        }

        mutating func pull(_ other: Device) throws {
            guard let theirs = other.revisions.current else { return }
            let received = try revisions.insert(
                history: other.history.replacing(source, by: .local), properties: theirs.properties ?? .emptyDictionary,
                flags: theirs.flags,
                remote: 1, clock: &clock, wallClock: time)
            try save()
            #expect((received == .conflict) == (revisions.latest(onRemote: 1)?.isConflicted == true))
        }

        mutating func resolve(_ random: inout SeededRandom) throws {
            guard let theirs = revisions.conflicts.first?.id, let ours = revisions.current?.id else { return }
            let merged = Bool.random(using: &random) ? VectorRevisions.Merged(properties: VectorSimulationTests.properties(&random)) : nil
            let localWins = Bool.random(using: &random)
            try revisions.resolveConflict(
                winner: localWins ? ours : theirs, loser: localWins ? theirs : ours, merged: merged, clock: &clock, wallClock: time)
            try save()
        }

        /// The server takes what is newer than its own.
        mutating func push(to server: inout Device) throws {
            guard let current = revisions.current, let id = current.id, !revisions.isConflicted else { return }
            let history = history.replacing(server.source, by: .local)
            if server.revisions.current != nil {
                guard [.newer, .same].contains(history.order(relativeTo: server.revisions.history)) else { return }
            }
            _ = try server.revisions.insert(
                history: history, properties: current.properties ?? .emptyDictionary, flags: current.flags, clock: &server.clock,
                wallClock: server.time)
            try server.save()
            _ = try revisions.markPushed(id, toRemote: 1)
            try save()
        }

        mutating func save() throws {
            guard revisions.current != nil else { return }
            let outcome = try revisions.prepareSave()
            revisions = try VectorDocument.read(outcome)
            let vector = try #require(revisions.current?.version.vector)
            #expect(vector.invalidity == nil)
        }
    }

    static func properties(_ random: inout SeededRandom) -> FleeceData {
        FleeceData(bytes("7001416100") + [UInt8.random(in: 0..<4, using: &random)] + bytes("8003"))
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func databasesThatSyncConverge(seed: UInt64) throws {
        var random = SeededRandom(seed)
        var server = Device(9, clockError: 0)
        var devices = (0..<3).map { Device($0, clockError: UInt64.random(in: 0...100, using: &random) * 1_000_000_000) }
        var wallClock: UInt64 = 0x18e9_d1d1_0000_0000
        func tick() {
            wallClock += UInt64.random(in: 0...200_000, using: &random)
            server.wallClock = wallClock
            for device in devices.indices { devices[device].wallClock = wallClock }
        }
        for _ in 0..<100 {
            tick()
            let device = devices.indices.randomElement(using: &random) ?? 0
            let before = devices[device].history
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1: try devices[device].edit(&random)
            case 2: try devices[device].pull(server)
            case 3: try devices[device].resolve(&random)
            default: try devices[device].push(to: &server)
            }
            // Nobody ever goes back.
            let order = devices[device].history.order(relativeTo: before)
            #expect(order == .same || order == .newer)
        }
        for _ in 0..<2 {
            for device in devices.indices {
                tick()
                try devices[device].pull(server)
                try devices[device].resolve(&random)
                try devices[device].push(to: &server)
            }
        }
        for device in devices {
            #expect(device.history.revision == server.history.revision)
            #expect(!device.revisions.isConflicted)
            let properties = device.revisions.current?.properties.map { hex($0.bytes) }
            #expect(properties == server.revisions.current?.properties.map { hex($0.bytes) })
        }
    }
}
