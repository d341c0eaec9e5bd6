import CBLTestSupport
import Testing

@testable import CBLStore

/// Random lives of documents: on several devices with a server between them, and alone with anything that may be done to a tree.
@Suite struct RevisionTreeSimulationTests {
    /// A device edits, deletes and revives, pulls what the server has, settles conflicts, and pushes what the server accepts.
    struct Device {
        var document = TreeDocument()

        mutating func edit(_ random: inout SeededRandom) throws {
            guard let current = document.tree.current else {
                try document.edit("7000", json(&random))
                return
            }
            if current.isDeleted || Int.random(in: 0..<5, using: &random) > 0 {
                try document.edit("7000", json(&random), after: current.isDeleted ? nil : current.id)
            } else {
                try document.delete(after: current.id)
            }
        }

        private func json(_ random: inout SeededRandom) -> String { "{\"n\":\(Int.random(in: 0..<3, using: &random))}" }

        mutating func pull(from server: TreeDocument) throws {
            guard let latest = server.tree.current else { return }
            let history = server.tree.history(of: 0).map(\.text)
            if latest.isDeleted {
                _ = try document.tree.insert(history: server.tree.history(of: 0), body: .emptyDictionary, flags: .deleted, remote: 1)
                try document.save()
            } else {
                try document.pull(history, "7000")
            }
        }

        /// The remote's revision wins, or a merge of both follows it. A tombstone here never is in conflict by itself, so the
        /// branches are compared instead of asking `isConflicted`.
        mutating func resolve(_ random: inout SeededRandom) throws {
            guard let remote = document.tree.latest(onRemote: 1), let current = document.tree.current, remote.isLeaf,
                remote.id != current.id
            else { return }
            let json = Array("{\"merged\":\(Int.random(in: 0..<3, using: &random))}".utf8)
            let isMerging = Bool.random(using: &random)
            try json.withUnsafeBytes { json in
                let merged = isMerging ? RevisionTree.Merged(body: .emptyDictionary, canonicalJSON: json) : nil
                try document.tree.resolveConflict(winner: remote.id, loser: current.id, merged: merged)
            }
            try document.save()
            #expect(!document.tree.isConflicted)
        }

        /// Gives the server the current revision if it follows what the server has.
        mutating func push(to server: inout TreeDocument) throws {
            guard let current = document.tree.current else { return }
            let history = document.tree.history(of: 0)
            if let theirs = server.tree.current {
                guard history.contains(theirs.id) else { return }
            }
            let received = try server.tree.insert(
                history: history, body: current.body, flags: current.flags.intersection(.deleted), allowsConflicts: false)
            if received.needsSave { try server.save() }
            if try document.tree.markPushed(current.id, toRemote: 1) == .flag {
                document.flags.insert(.synced)
                try document.reload()
            } else {
                try document.save()
            }
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func devicesThatSyncConverge(seed: UInt64) throws {
        var random = SeededRandom(seed)
        var server = TreeDocument()
        var devices = [Device(), Device(), Device()]
        for device in devices.indices { devices[device].document.depth = seed.isMultiple(of: 2) ? 50 : 8 }
        for _ in 0..<120 {
            let device = devices.indices.randomElement(using: &random) ?? 0
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1: try devices[device].edit(&random)
            case 2: try devices[device].pull(from: server)
            default: try devices[device].push(to: &server)
            }
            if Int.random(in: 0..<3, using: &random) == 0 { try devices[device].resolve(&random) }
            #expect(!server.tree.isConflicted)
        }
        for _ in 0..<2 {
            for device in devices.indices {
                try devices[device].pull(from: server)
                try devices[device].resolve(&random)
                try devices[device].push(to: &server)
            }
        }
        for device in devices {
            #expect(device.document.tree.current?.id == server.tree.current?.id)
            #expect(!device.document.tree.isConflicted)
        }
    }

    @Test(arguments: 0..<12 as Range<UInt64>)
    func whateverHappensATreeStaysATree(seed: UInt64) throws {
        var random = SeededRandom(seed &+ 1000)
        var document = TreeDocument()
        document.depth = Int.random(in: 2...12, using: &random)
        for step in 0..<60 {
            let all = document.tree.revisions
            let leaves = all.filter(\.isLeaf)
            guard let any = all.randomElement(using: &random), let leaf = leaves.randomElement(using: &random) else {
                try document.edit("7000", "{\"first\":\(step)}")
                continue
            }
            let other = leaves.randomElement(using: &random) ?? leaf
            switch Int.random(in: 0..<10, using: &random) {
            case 0...2: try document.edit("7000", "{\"n\":\(step)}", after: leaf.id)
            case 3: try document.delete(after: leaf.id)
            case 4, 5:
                // A branch from anywhere in the tree, or a new root.
                var history = Bool.random(using: &random) ? document.tree.history(of: document.tree.index(of: any.id) ?? 0) : []
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    let digest = (0..<4).map { _ in UInt8.random(in: 0...255, using: &random) }
                    let id = digest.withUnsafeBytes { RevisionID(generation: (history.first?.generation ?? 0) + 1, digest: $0) }
                    history.insert(try #require(id), at: 0)
                }
                _ = try document.tree.insert(
                    history: history, body: .emptyDictionary, flags: Bool.random(using: &random) ? .deleted : [],
                    remote: UInt16.random(in: 0...2, using: &random), depth: document.depth)
                try document.save()
            case 6:
                if document.tree.purge(leaf.id) > 0, !document.tree.isEmpty { try document.save() }
                if document.tree.isEmpty { document = TreeDocument() }
            case 7 where other.id != leaf.id:
                try document.tree.resolveConflict(winner: leaf.id, loser: other.id, merged: nil, prunesLoser: Bool.random(using: &random))
                try document.save()
            case 8:
                _ = try document.tree.markPushed(any.id, toRemote: UInt16.random(in: 1...2, using: &random))
                try document.save()
            default:
                try document.tree.markRejected(any.id)
                try document.save()
            }
            try document.tree.checkInvariants()
        }
    }
}
