import CBLBase
import CBLFleece
import CBLStore
import CBLTestSupport
import CBLTransport
import FoundationEssentials
import Testing

@testable import CBLReplication

/// Databases of ours and a model of a CouchDB server, in one thread: edits on all sides between any two requests and while one is under way, bodies that come
/// and go in pieces of some bytes, connections that break before and behind the server and between two pieces, answers that are cut off. In the end all have
/// the same branches of the same documents, which say the same.
@Suite struct CouchSimulationTests {
    /// The model behind a line that fails as a seed says.
    final class Line: RemoteServer, @unchecked Sendable {
        // Sendable: a simulation has one thread.
        let mostRequests = 1
        let model: CouchModel
        var random: SeededRandom
        var isCalm = false
        var steps = 0
        var faults = 0
        /// What comes and goes at once, mostly.
        var pieceLength = 16
        /// What others do between two requests.
        var between: () -> Void = {}

        init(_ model: CouchModel, _ random: SeededRandom) {
            self.model = model
            self.random = random
        }

        func interrupt() {}

        func send(_ request: RemoteRequest) throws -> RemoteAnswer {
            steps += 1
            if !isCalm { between() }
            let fault = isCalm ? 100 : random.below(60)
            if fault < 5 { faults += 1 }
            if fault == 0 { throw TransportError(.posix(104), "reset") }
            if fault == 1 { return answer((500, "application/json", Array(#"{"error":"internal"}"#.utf8))) }
            var request = request
            if case .product(let product, let type) = request.body {
                let inPieces = HTTPProduct(length: product.length) { try product.next(self.piece(of: $0)) }
                request.body = .product(inPieces, type: type)
            }
            var result = try model.answer(request)
            if fault == 2 { throw TransportError(.posix(104), "reset behind the server") }
            if fault == 3 { result.body = Array(result.body.prefix(random.below(result.body.count + 1))) }
            if fault == 4 { return answer((503, "text/html", Array("<html>".utf8))) }
            return answer(result)
        }

        private func answer(_ answer: CouchModel.Answer) -> RemoteAnswer {
            var position = 0
            return RemoteAnswer(answer.status, ["Content-Type": answer.type]) { space in
                let piece = try self.piece(of: space)
                let count = min(piece.count, answer.body.count - position)
                answer.body.withUnsafeBytes { piece.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[position..<position + count])) }
                position += count
                return count
            }
        }

        /// Room for what comes next over the line, mostly some bytes. Before it comes, others may do something, or the line breaks.
        private func piece(of space: UnsafeMutableRawBufferPointer) throws -> UnsafeMutableRawBufferPointer {
            steps += 1
            if !isCalm, random.below(100) == 0 { between() }
            if !isCalm, random.below(10_000) == 0 {
                faults += 1
                throw TransportError(.posix(104), "reset on the way")
            }
            let most = random.below(20) == 0 ? 500 : 1 + random.below(pieceLength)
            return UnsafeMutableRawBufferPointer(rebasing: space[..<min(most, space.count)])
        }
    }

    struct Replica {
        let database: Database
        var store: ReplicatedDatabase
        let identity: String
        /// Without it conflicts stay.
        var rule: SyncResolver? { didSet { if let rule { store.resolver = rule } } }

        init(_ path: String, _ identity: String) throws {
            database = try Database(path: path, options: .create)
            try database.prepareChangeFeed(of: .default)
            _ = try database.write { try $0.remoteID(of: "http://model/db") }
            store = ReplicatedDatabase(database, remote: 0)
            store.keepsShared = true
            self.identity = identity
        }

        func replicate(_ line: Line, push: Bool) throws {
            let remote = RemoteDatabase(line, feed: line, "db", .default)
            let scope = CouchCheckpointScope(localUUID: identity, pushes: push, isContinuous: false, remoteURL: "http://model/db")
            let checkpoint = try CouchCheckpoint(scope, of: database, at: remote)
            let progress = CouchProgress { _ in }
            if push {
                try CouchPusher(
                    store: store, remote: remote, index: 0, isContinuous: false, progress: progress, checkpoint: checkpoint
                ).run(isReset: false)
            } else {
                let settings = ReplicatorSettings.Collection(push: .off, pull: .once)
                try CouchPuller(
                    store: store, remote: remote, settings: settings, index: 0, keepsConflicts: rule == nil, isEmpty: false,
                    progress: progress,
                    checkpoint: checkpoint
                ).run(isReset: false)
            }
        }

        func edit(_ id: String, _ number: Int, _ random: inout SeededRandom) throws {
            let kind = random.below(8)
            try database.write { transaction in
                let isLive = try transaction.document(id).map { !$0.isDeleted } ?? false
                if kind == 0, isLive { return _ = try transaction.delete(id) }
                var json = #"{"edit":\#(number)}"#
                if kind < 4 {
                    let bytes = CouchSimulationTests.content(random.below(6))
                    let blob = try bytes.withUnsafeBytes { try database.blobs.write($0) }
                    json = #"{"edit":\#(number),"photo":{"@type":"blob","digest":"\#(blob.digest)","length":\#(blob.length)}}"#
                }
                try transaction.save(id, body: transaction.encode(json: json))
            }
        }

        /// The ends of the branches, the current one first, and what they say.
        func leaves(_ id: String) throws -> [(name: String, isDeleted: Bool, json: String, attachments: [String: String])]? {
            let found = try database.read { try $0.document(id).map { try KnownRevisions($0) } }
            guard let found else { return nil }
            return try found.leaves.map { leaf in
                let order = DepartureOrder(id: id, revision: leaf.id, ancestors: [], isDeleted: leaf.isDeleted, isCurrent: false)
                guard case .ready(let revision)? = try store.departing([order], withAttachmentsBehind: true).first else {
                    return (leaf.id.text, leaf.isDeleted, "gone", [:])
                }
                return try RemoteDatabase.parse(revision.json).withRoot { root in
                    var digests: [String: String] = [:]
                    if let entries = root.dictionary?.value(forKey: "_attachments", nil)?.dictionary {
                        for (key, value) in entries { digests[key.string ?? ""] = value.dictionary?.value(forKey: "digest", nil)?.string }
                    }
                    return (leaf.id.text, leaf.isDeleted, CouchModel.properties(root), digests)
                }
            }
        }
    }

    /// Some are so long that they are no part of a document's text.
    static func content(_ number: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(ascii: "a") + UInt8(number), count: number.isMultiple(of: 2) ? 10 + number : 3000 + number)
    }

    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory(inMemory: true) }

    private static func edit(_ model: CouchModel, _ id: String, _ number: Int, _ random: inout SeededRandom) {
        let leaves = model.leaves(id)
        // Most change what is there; some make a branch, some delete.
        let parent = random.below(6) == 0 ? nil : leaves.isEmpty ? nil : random.element(of: leaves)
        let isDeleted = parent != nil && random.below(6) == 0
        var attachments: [String: [UInt8]] = [:]
        if !isDeleted {
            for name in ["x", "a/b"] where random.below(3) == 0 { attachments[name] = content(random.below(6)) }
            // What was there often stays.
            if let parent, random.below(2) == 0 {
                for (name, attachment) in model.documents[id]?[parent]?.attachments ?? [:] where !name.hasPrefix("blob_") {
                    attachments[name] = attachment.content
                }
            }
        }
        model.edit(id, parent: parent, body: isDeleted ? "{}" : #"{"theirs":\#(number)}"#, isDeleted: isDeleted, attachments: attachments)
    }

    /// For each seed: a million in all.
    private static let steps = 50_000

    /// `CBLITE_SIMULATION_WORLDS` says how many seeds, `CBLITE_SIMULATION_SEED` that it is this one alone.
    static func seeds(_ count: UInt64) -> ClosedRange<UInt64> {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["CBLITE_SIMULATION_SEED"].flatMap({ UInt64($0) }) { return seed...seed }
        return 1...max(1, environment["CBLITE_SIMULATION_WORLDS"].flatMap { UInt64($0) } ?? count)
    }

    @Test(arguments: seeds(20)) func allComeToAgree(seed: UInt64) throws {
        var random = SeededRandom(seed)
        var manners = CouchModel.Manners()
        manners.hasBulkGet = random.below(3) > 0
        manners.takesPostedChanges = random.below(3) > 0
        manners.takesMultipart = random.below(3) > 0
        manners.hasOpenRevisions = random.below(4) > 0
        manners.usesMD5 = random.below(2) > 0
        manners.hasOpaqueSequences = random.below(2) > 0
        let model = CouchModel(manners)
        let line = Line(model, SeededRandom(seed &+ 1000))
        let replicas = try (0..<3).map { try Replica("\(directory.path)/\(seed)-\($0).cblite2", "replica-\($0)") }
        defer { for replica in replicas { replica.database.close() } }
        let ids = (0..<10).map { "doc \($0)/é" }
        var number = 0
        func editSomewhere() {
            guard random.below(2) == 0 else { return }
            number += 1
            let (id, place) = (random.element(of: ids), random.below(4))
            if place == 3 { return Self.edit(model, id, number, &random) }
            do { try replicas[place].edit(id, number, &random) } catch { Issue.record("seed \(seed): \(error)") }
        }
        line.between = editSomewhere
        while line.steps < Self.steps {
            for _ in 0..<random.below(4) { editSomewhere() }
            Self.attempt(seed) { try random.element(of: replicas).replicate(line, push: random.below(2) == 0) }
        }
        line.isCalm = true
        for _ in 0..<2 {
            for replica in replicas { try replica.replicate(line, push: true) }
            for replica in replicas { try replica.replicate(line, push: false) }
        }
        #expect(model.violations.isEmpty, "seed \(seed): \(model.violations.first ?? "")")
        #expect(line.faults > 0)
        for id in ids { try check(id, model, replicas, seed) }
    }

    /// Whatever ends a session must be an error after which a replicator may try again.
    static func attempt(_ seed: UInt64, _ session: () throws -> Void) {
        do { try session() } catch {
            let translated = (error as? TransportError).map { SyncError($0) } ?? ReplicatedDatabase.translate(error)
            var policy = RetryPolicy.standard(isContinuous: true)
            policy.retriesServerErrors = true
            #expect(policy.decision(after: translated, failures: 1, isContinuous: true) != .giveUp, "seed \(seed): \(translated)")
        }
    }

    func check(_ id: String, _ model: CouchModel, _ replicas: [Replica], _ seed: UInt64) throws {
        let expected = model.leaves(id)
        for (place, replica) in replicas.enumerated() {
            guard let found = try replica.leaves(id) else {
                #expect(expected.isEmpty, "seed \(seed): replica \(place) lacks \(id)")
                continue
            }
            #expect(found.map(\.name).sorted() == expected.sorted(), "seed \(seed): branches of \(id) at replica \(place)")
            // Of tombstones alone, those with which something was settled stand behind.
            let isAnyone = replica.rule != nil && found.first?.isDeleted == true
            #expect(isAnyone || found.first?.name == expected.first, "seed \(seed): the winner of \(id) at replica \(place)")
            for leaf in found where !leaf.isDeleted {
                guard let revision = model.documents[id]?[leaf.name] else { continue }
                #expect(leaf.json == revision.body, "seed \(seed): \(id) \(leaf.name) at replica \(place)")
                let contents = revision.attachments.mapValues { attachment in
                    "sha1-" + attachment.content.withUnsafeBytes { SHA1.digest(of: $0) }.withBytes { Base64.text(of: $0) }
                }
                #expect(leaf.attachments == contents, "seed \(seed): attachments of \(id) \(leaf.name) at replica \(place)")
            }
        }
    }
}
