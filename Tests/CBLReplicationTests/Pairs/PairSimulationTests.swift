import CBLFleece
import CBLStore
import CBLTestSupport
import Testing

@testable import CBLReplication

/// Three real databases and a fourth that they connect to: random edits, connections that end in the middle, conflicts. Of both kinds of versioning.
@Suite struct PairSimulationTests {
    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func create(_ name: String, vectors: Bool) throws -> Database {
        try Database(
            path: "\(directory.path)/\(name).cblite2", options: .init(access: .create, upgrade: vectors ? .versionVectors : .none))
    }

    private func content(_ database: Database) throws -> [String: String] {
        try database.read { snapshot in
            var options = ScanOptions(content: .everything)
            options.includesDeleted = true
            let cursor = try snapshot.scan(.default, options)
            var content: [String: String] = [:]
            while let document = try cursor.next(reading: { $0 }) {
                let json = document.body.withRoot { $0.json(keys: snapshot.sharedKeys, style: .canonical) }
                let conflict = document.isConflicted ? " in conflict" : ""
                content[document.id] = "\(snapshot.global(document.revision)) \(document.isDeleted) \(json)\(conflict)"
            }
            return content
        }
    }

    private func edit(_ database: Database, _ number: Int, _ random: inout SeededRandom) throws -> String? {
        let id = "doc-\(random.below(8))"
        let deletes = random.below(6) == 0
        return try database.write { transaction in
            let isLive = try transaction.document(id).map { !$0.isDeleted } ?? false
            if deletes {
                guard isLive else { return nil }
                try transaction.delete(id)
                return id
            }
            var json = #"{"edit":\#(number),"text":"\#(String(repeating: "word ", count: random.below(80)))"}"#
            if random.below(3) == 0 {
                let bytes = Array("blob \(random.below(9))".utf8)
                let blob = try bytes.withUnsafeBytes { try database.blobs.write($0) }
                json = #"{"edit":\#(number),"photo":{"@type":"blob","digest":"\#(blob.digest)","length":\#(blob.length)}}"#
            }
            try transaction.save(id, body: transaction.encode(json: json))
            return nil
        }
    }

    @Test(arguments: [false, true], [1, 2, 3, 4] as [UInt64])
    func databasesComeToAgree(_ vectors: Bool, _ seed: UInt64) throws {
        var random = SeededRandom(seed)
        let server = try create("server", vectors: vectors)
        let databases = try (0..<3).map { try create("db\($0)", vectors: vectors) }
        let version: ReplicationProtocol = vectors ? .v4 : .v3
        func sync(_ database: Database, steps: Int = .max) throws {
            let pair = try Pair(database, server, push: .once, pull: .once, version: version)
            try pair.run(steps: steps)
            guard steps == .max else { return }
            if let failure = pair.failure { throw Failure(description: "seed \(seed): \(failure)") }
            guard pair.isClosed else { throw Failure(description: "seed \(seed): it does not end") }
            for event in pair.documents {
                if let error = event.error, !error.isConflict { throw Failure(description: "seed \(seed): \(event.documentID): \(error)") }
            }
        }
        var deleted: Set<String> = []
        for number in 0..<60 {
            let database = random.element(of: databases)
            switch random.below(5) {
            case 0...2: if let id = try edit(database, number, &random) { deleted.insert(id) }
            case 3: try sync(database, steps: random.below(60))
            default: try sync(database)
            }
        }
        // What one round brings to the server, the next brings to the others; a conflict takes one more.
        for _ in 0..<4 { for database in databases { try sync(database) } }
        let expected = try content(server)
        for (index, database) in databases.enumerated() {
            let mine = try content(database)
            for id in Set(mine.keys).union(expected.keys).sorted() where mine[id] != expected[id] {
                throw Failure(description: "seed \(seed), database \(index), \(id): \(mine[id] ?? "-") is not \(expected[id] ?? "-")")
            }
        }
        for (id, text) in expected where text.contains(" true ") && !deleted.contains(id) {
            throw Failure(description: "seed \(seed): \(id) is deleted, though nobody did that")
        }
        let last = try Pair(databases[0], server, push: .once, pull: .once, version: version)
        try last.run()
        #expect(last.requests["rev"] == nil)
    }
}
