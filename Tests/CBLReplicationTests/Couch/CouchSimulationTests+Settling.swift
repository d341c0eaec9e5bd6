import CBLBase
import CBLFleece
import CBLStore
import CBLTestSupport
import Testing

@testable import CBLReplication

extension CouchSimulationTests {
    /// A side's document with the higher number stays.
    private static func higher(_ conflict: SyncConflict) -> SyncResolution {
        func number(_ properties: DocumentProperties?) -> Int64 {
            properties?.withRoot { $0.dictionary?.value(forKey: "n", properties?.keys)?.integer } ?? -1
        }
        return number(conflict.local) >= number(conflict.remote) ? .local : .remote
    }

    private static let rules: [SyncResolver] = [
        { _ in .remote }, { try SyncResolution.merge($0) }, { _ in .local }, { SyncResolution.standard($0) }, { higher($0) },
    ]

    /// All settle, by the same rule or each by its own, while all go on editing; a push and a pull of the same database take turns between any two requests,
    /// and so does what the others do. In the end all are equal, no conflict is left, and no document is gone that nobody has deleted.
    @Test(arguments: seeds(40)) func allSettle(seed: UInt64) throws {
        var random = SeededRandom(seed)
        var manners = CouchModel.Manners()
        manners.hasBulkGet = random.below(3) > 0
        manners.takesConflicts = random.below(4) > 0
        let model = CouchModel(manners)
        let line = Line(model, SeededRandom(seed &+ 1000))
        line.pieceLength = 2000
        var replicas = try (0..<3).map { try Replica("\(directory.path)/settling-\(seed)-\($0).cblite2", "replica-\($0)") }
        defer { for replica in replicas { replica.database.close() } }
        let rule = random.below(Self.rules.count + 1)
        for place in replicas.indices { replicas[place].rule = rule < Self.rules.count ? Self.rules[rule] : random.element(of: Self.rules) }
        let ids = (0..<4).map { "doc \($0)" }
        var number = 0
        var deleted: Set<String> = []
        func edit(_ place: Int, _ id: String) throws {
            number += 1
            if place == replicas.count {
                // Somebody who settles nothing. Where no conflicts are taken there is one branch.
                let leaves = model.leaves(id).filter { model.documents[id]?[$0]?.isDeleted == false }
                let parent = leaves.isEmpty || !manners.takesConflicts ? model.leaves(id).first : random.element(of: leaves)
                return model.edit(id, parent: parent, body: #"{"n":\#(number)}"#, isDeleted: false, attachments: [:])
            }
            try replicas[place].database.write { transaction in
                if id == ids[0], random.below(8) == 0, try transaction.document(id).map({ !$0.isDeleted }) ?? false {
                    deleted.insert(id)
                    return _ = try transaction.delete(id)
                }
                try transaction.save(id, body: transaction.encode(json: #"{"n":\#(number),"by\#(place)":\#(number)}"#))
            }
        }
        var running: Set<Int> = []
        func session(_ task: Int) {
            guard running.insert(task).inserted else { return }
            defer { running.remove(task) }
            Self.attempt(seed) { try replicas[task / 2].replicate(line, push: task % 2 == 0) }
        }
        line.between = {
            if random.below(3) == 0 {
                do { try edit(random.below(replicas.count + 1), random.element(of: ids)) } catch { Issue.record("seed \(seed): \(error)") }
            }
            if running.count < 4, random.below(4) == 0 { session(random.below(2 * replicas.count)) }
        }
        while line.steps < 600 { session(random.below(2 * replicas.count)) }
        line.isCalm = true
        var rounds = 0
        var (before, after) = ([UInt64](), [UInt64]())
        repeat {
            before = after
            rounds += 1
            try #require(rounds < 20, "seed \(seed): they do not come to rest")
            for replica in replicas { try replica.replicate(line, push: true) }
            for replica in replicas { try replica.replicate(line, push: false) }
            after = try [UInt64(model.lastSequence)] + replicas.map { try $0.database.read { try $0.lastSequence(of: .default) } }
        } while after != before
        #expect(model.violations.isEmpty, "seed \(seed): \(model.violations.first ?? "")")
        let fresh = try Replica("\(directory.path)/settling-\(seed)-fresh.cblite2", "fresh")
        defer { fresh.database.close() }
        try fresh.replicate(line, push: false)
        for id in ids where !model.leaves(id).isEmpty { try checkSettled(id, deleted.contains(id), model, replicas + [fresh], seed) }
    }

    private func checkSettled(_ id: String, _ isDeleted: Bool, _ model: CouchModel, _ replicas: [Replica], _ seed: UInt64) throws {
        let there = model.leaves(id).filter { model.documents[id]?[$0]?.isDeleted == false }
        #expect(isDeleted ? there.count <= 1 : there.count == 1, "seed \(seed): branches of \(id): \(there)")
        for (place, replica) in replicas.enumerated() {
            let live = try replica.leaves(id)?.filter { !$0.isDeleted }.map(\.name) ?? []
            #expect(live == there, "seed \(seed): branches of \(id) at replica \(place)")
        }
        if model.manners.takesConflicts { try check(id, model, replicas, seed) }
    }
}
