import CBLTestSupport

@testable import CBLReplication

/// What the world of a seed is like. A seed says what there is at all; what happens is drawn as it goes.
struct Climate {
    enum Shape {
        /// All replicas replicate with a gateway.
        case star
        /// Each replicates with the next one.
        case ring
        /// A ring, and one or two of its replicas have a gateway as well.
        case ringWithGateway
        /// Each replicates with all others, as they find each other.
        case mesh
    }

    enum Resolving {
        case standard, local, remote, merging
    }

    /// How a replica treats a collection.
    struct Way {
        var pushes = true
        var pulls = true
        var documentIDs: Set<String>?
        /// Bodies with a member `secret` stay at home.
        var keepsSecrets = false
        /// Others' bodies of that kind are not taken.
        var takesNoSecrets = false
        var purgesLost = true
    }

    var shape = Shape.star
    var replicaCount = 3
    var collectionCount = 1
    var usesVectors = false
    var version = ReplicationProtocol.v3
    /// Messages go through `BLIPConnection`s, and bytes can be damaged.
    var usesBytes = false
    /// Documents are in channels, and replicas see some of these.
    var hasChannels = false
    /// Sequences are told of out of order.
    var hasHoles = false
    /// The gateway refuses what it does not like, or cannot just now.
    var refuses = false
    var usesDeltas = true
    var gatewayEdits = false
    var gatewayPurges = false
    var conflictsNameRevision = true
    /// Between the phases the gateway goes back to an earlier state.
    var restores = false
    var resolverFails = false
    /// There are many documents, edited by the dozen, and windows are narrow.
    var isCrowded = false
    /// So many changes the gateway tells of in one message.
    var gatewayBatch = 10
    var resolving: [Resolving] = []
    /// By replica and collection.
    var ways: [[Way]] = []

    /// How often the clock is asked before it moves on, and how far each replica's is ahead: less than others put up with.
    var clockPatience: UInt64 = 1
    var clocksAhead: [UInt64] = []
    /// Which replica's source comes first where versions have the same time.
    var sourceOrder: [UInt8] = []

    init(_ random: inout SeededRandom, documents: [String], isCrowded: Bool = false) {
        self.isCrowded = isCrowded
        if isCrowded { gatewayBatch = 3 }
        func chance(_ one: Int) -> Bool { random.below(one) == 0 }
        shape = random.element(of: [.star, .star, .star, .ring, .ringWithGateway])
        replicaCount = 2 + random.below(3)
        collectionCount = 1 + random.below(2)
        usesVectors = chance(3)
        version = usesVectors ? .v4 : shape == .star && collectionCount == 1 && chance(3) ? .v2 : .v3
        usesBytes = chance(3)
        hasChannels = shape == .star && chance(3)
        hasHoles = chance(3)
        refuses = chance(2)
        usesDeltas = !chance(3)
        gatewayEdits = chance(2)
        gatewayPurges = shape == .star && chance(5)
        conflictsNameRevision = !chance(4)
        // Without the name of what is in the way, what a server forgot cannot be brought back to it in all cases.
        restores = shape == .star && !hasChannels && !gatewayPurges && conflictsNameRevision && chance(3)
        resolverFails = chance(4)
        for _ in 0..<replicaCount {
            // In a ring, those who insist on their own revisions would do so for ever.
            resolving.append(chance(3) && shape == .star ? random.element(of: [.local, .remote, .merging]) : .standard)
            var list: [Way] = []
            for _ in 0..<collectionCount {
                var way = Way()
                if shape == .star {
                    switch random.below(12) {
                    case 0: way.pushes = false
                    case 1: way.pulls = false
                    case 2: way.documentIDs = Set(documents.filter { _ in random.below(2) == 0 })
                    case 3: way.keepsSecrets = true
                    case 4: way.purgesLost = false
                    case 5: way.takesNoSecrets = true
                    default: break
                    }
                }
                list.append(way)
            }
            ways.append(list)
        }
        // What else a seed brings about does not depend on that, nor on clocks.
        var aside = random
        if shape == .ring, replicaCount > 2, aside.below(2) == 0 { shape = .mesh }
        guard usesVectors else { return }
        clockPatience = aside.element(of: [1, 1, 5, 40])
        let areRight = aside.below(2) == 0
        for number in 0..<replicaCount {
            clocksAhead.append(areRight ? 0 : UInt64(aside.below(100)) * 1_000_000_000)
            sourceOrder.insert(UInt8(number + 1), at: aside.below(number + 1))
        }
    }

    var usesGateway: Bool { shape == .star || shape == .ringWithGateway }

    /// Small ones, so that they are reached.
    var limits: FlowLimits {
        var limits = FlowLimits()
        limits.insertionThreshold = 3
        limits.insertionBatch = 5
        limits.changesPerMessage = 8
        limits.requestedRevisions = isCrowded ? 4 : 12
        limits.incomingRevisions = isCrowded ? 3 : 6
        limits.revisionsPerLoad = 3
        limits.queuedRevisions = isCrowded ? 5 : 20
        limits.unansweredBytes = 1200
        limits.marksPerBatch = 6
        return limits
    }

    /// A tree has one branch that counts. A document whose replica meets conflicts with two partners can please only one of them: in a mesh with trees
    /// each has one, and keeps it.
    var isToAgree: Bool { usesVectors || shape != .ringWithGateway }
}

extension Climate: CustomStringConvertible {
    /// What is special about it.
    var description: String {
        var words = [
            "\(shape)", "\(replicaCount) replicas", "\(collectionCount) collections", usesVectors ? "vectors" : "trees", "\(version)",
        ]
        let claims: [(Bool, String)] = [
            (usesBytes, "bytes"), (hasChannels, "channels"), (hasHoles, "holes"), (refuses, "refusals"), (usesDeltas, "deltas"),
            (gatewayEdits, "gateway edits"), (gatewayPurges, "purges"), (!conflictsNameRevision, "plain 409"), (restores, "restores"),
            (resolverFails, "failing resolver"), (isCrowded, "crowds"),
            (clockPatience > 1, "slow clock"), (clocksAhead.contains { $0 > 0 }, "wrong clocks"),
        ]
        words += claims.filter(\.0).map(\.1)
        if resolving.contains(where: { $0 != .standard }) { words.append("\(resolving)") }
        for (number, list) in ways.enumerated() {
            for (index, way) in list.enumerated() {
                let claims = [
                    (!way.pushes, "only pulls"), (!way.pulls, "only pushes"), (way.documentIDs != nil, "some documents"),
                    (way.keepsSecrets, "keeps secrets"), (way.takesNoSecrets, "takes no secrets"), (!way.purgesLost, "keeps what is lost"),
                ]
                for (isSo, text) in claims where isSo { words.append("replica \(number) \(text) in \(index)") }
            }
        }
        return words.joined(separator: ", ")
    }
}
