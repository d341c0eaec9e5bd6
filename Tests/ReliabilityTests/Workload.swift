import CBLFleece
import CBLLanguage
import CBLQuery
import CBLReplication
import CBLReplicationTestSupport
import CBLTestSupport
import CBLVectors
import FoundationEssentials
import Testing

@testable import CBLStore

/// What a program does with databases, step by step.
struct Workload: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var durability = Database.Options.Durability.normal
    /// The bundles that it works with, in its folder.
    var databases = ["db"]
    /// With one of these each database can be opened at any time.
    var keys: [EncryptionKey?] = [nil]
    /// What is there before.
    var prepare: @Sendable (Place) throws -> Void = { _ in }
    let run: @Sendable (Place, Steps) async throws -> Void
    /// What has to be possible when the power is back.
    var afterwards: (@Sendable (Place) async throws -> Void)?

    /// The folder that it works in.
    struct Place: Sendable {
        let folder: String
        let durability: Database.Options.Durability

        func path(_ name: String = "db") -> String { "\(folder)/\(name).cblite2" }

        func open(
            _ name: String = "db", key: EncryptionKey? = nil, upgrade: Database.Options.Upgrade = .none, isUnfinished: Bool = false
        ) throws -> Database {
            var options = Database.Options(access: .create, upgrade: upgrade)
            options.key = key
            options.isUnfinished = isUnfinished
            options.durability = durability
            // Nobody else is there to be waited for.
            options.busyTimeout = .milliseconds(50)
            return try Database(path: path(name), options: options)
        }
    }

    /// Does one step after another. What a step gives is there when it returns.
    protocol Steps: Sendable {
        func step<Result>(_ work: () throws -> Result) throws -> Result
        func step<Result>(_ work: () async throws -> Result) async throws -> Result
        /// A part of a step, which may go on without the rest being done anew.
        func within<Result>(_ work: () throws -> Result) throws -> Result
    }

    static let key = key(0x42)
    static let otherKey = key(0x17)

    private static func key(_ byte: UInt8) -> EncryptionKey { [UInt8](repeating: byte, count: 32).withUnsafeBytes { EncryptionKey($0)! } }
}

extension Database {
    fileprivate func save(_ id: String, _ json: String) throws {
        try write { try $0.save(id, body: $0.encode(json: json)) }
    }

    /// `waits` says that the blob has its name with the commit.
    func saveBlob(_ id: String, _ content: String, count: Int = 1, waits: Bool = false) throws {
        let bytes = Array(String(repeating: content, count: count).utf8)
        let blob = try bytes.withUnsafeBytes { try (waits ? blobs.untilCommit : blobs).write($0).digest }
        try save(id, #"{"file": {"@type": "blob", "digest": "\#(blob)", "length": \#(bytes.count)}}"#)
    }

    fileprivate func fill(_ count: Int, blobs: Int = 2) throws {
        try write { transaction in
            for number in 0..<count {
                let text = String(repeating: "word\(number) ", count: number % 30)
                let json =
                    #"{"n": \#(number), "text": "\#(text)", "tags": ["a", "\#(number % 7)"], "v": [\#(number), 1, \#(number % 5), 0.5]}"#
                try transaction.save("doc-\(number)", body: transaction.encode(json: json))
            }
        }
        for number in 0..<blobs { try saveBlob("blob-\(number)", "content \(number) ", count: 700) }
    }
}

extension Workload {
    static func saves(_ durability: Database.Options.Durability, _ versioning: Database.Options.Upgrade = .none) -> Workload {
        Workload(
            testDescription: "saves, \(durability)\(versioning == .none ? "" : ", version vectors")", durability: durability
        ) { place, steps in
            let database = try steps.step { try place.open(upgrade: versioning) }
            defer { database.close() }
            for number in 0..<5 { try steps.step { try database.save("doc-\(number)", #"{"n": \#(number), "some": "text"}"#) } }
            try steps.step { try database.save("doc-1", #"{"n": 100}"#) }
            try steps.step { _ = try database.write { try $0.delete("doc-2") } }
            try steps.step { _ = try database.write { try $0.purge("doc-3") } }
            try steps.step { _ = try database.write { try $0.createCollection(CollectionName(name: "plants")) } }
        }
    }

    static func blobs(_ durability: Database.Options.Durability, _ key: EncryptionKey? = nil) -> Workload {
        Workload(
            testDescription: "blobs, \(durability)\(key == nil ? "" : ", encrypted")", durability: durability, keys: [key]
        ) { place, steps in
            let database = try steps.step { try place.open(key: key) }
            defer { database.close() }
            for number in 0..<3 { try steps.step { try database.saveBlob("doc-\(number)", "blob \(number) ", count: 1 + number * 900) } }
            try steps.step { try database.saveBlob("again", "blob 1 ", count: 901) }
            try steps.step {
                try database.write { transaction in
                    for number in 4..<7 { try database.saveBlob("doc-\(number)", "blob \(number) ") }
                }
            }
        }
    }

    /// So many that the disk takes them at once.
    static func manyBlobs(_ durability: Database.Options.Durability, _ key: EncryptionKey? = nil) -> Workload {
        Workload(
            testDescription: "many blobs, \(durability)\(key == nil ? "" : ", encrypted")", durability: durability, keys: [key]
        ) { place, steps in
            let database = try steps.step { try place.open(key: key) }
            defer { database.close() }
            for batch in 0..<2 {
                try steps.step {
                    try database.write { transaction in
                        for number in 0..<12 {
                            try database.saveBlob("doc-\(batch)-\(number)", "blob \(batch * 10 + number) ", waits: true)
                        }
                    }
                }
            }
        }
    }

    /// One transaction with more pages than are kept in memory, and another process that reads.
    static func batches(_ durability: Database.Options.Durability, _ key: EncryptionKey? = nil) -> Workload {
        Workload(
            testDescription: "batches, \(durability)\(key == nil ? "" : ", encrypted")", durability: durability, keys: [key]
        ) { place, steps in
            let database = try steps.step { try place.open(key: key) }
            defer { database.close() }
            for batch in 0..<3 {
                try steps.step {
                    try database.write { transaction in
                        try transaction.bulk { bulk in
                            for number in 0..<120 {
                                transaction.encoder.reset()
                                let text = String(repeating: "x", count: number * 7 % 500)
                                try JSONParser.parse(
                                    #"{"batch": \#(batch), "n": \#(number), "text": "\#(text)"}"#, .json, into: transaction.encoder)
                                try Array("doc-\(batch)-\(number)".utf8).withUnsafeBytes { try bulk.save(id: $0) }
                            }
                        }
                    }
                }
            }
        }
    }

    static func indexes(_ durability: Database.Options.Durability) -> Workload {
        Workload(testDescription: "indexes, \(durability)", durability: durability) { place in
            let database = try place.open()
            defer { database.close() }
            try database.fill(60)
        } run: { place, steps in
            let database = try steps.step { try place.open() }
            defer { database.close() }
            let kinds: [(String, IndexDefinition.Kind, String)] = [
                ("values", .value, "n"), ("words", .fullText(FullTextOptions()), "text"), ("items", .array(path: "tags"), ""),
                ("vectors", .vector(VectorOptions(dimensions: 4, centroids: 2)), "v"),
            ]
            for (name, kind, text) in kinds {
                try steps.step { _ = try database.write { try $0.createIndex(IndexDefinition(name: name, kind, text)) } }
            }
            try steps.step { try database.save("doc-3", #"{"n": -3, "text": "other words", "tags": [], "v": [1, 2, 3, 4]}"#) }
            try steps.step { _ = try database.write { try $0.delete("doc-4") } }
            try steps.step { _ = try database.write { try $0.dropIndex("words") } }
        }
    }

    static func compaction(_ durability: Database.Options.Durability) -> Workload {
        Workload(testDescription: "compaction, \(durability)", durability: durability) { place in
            let database = try place.open()
            defer { database.close() }
            try database.fill(120)
            try database.write { transaction in for number in 0..<100 { try transaction.purge("doc-\(number)") } }
            _ = try database.write { try $0.purge("blob-0") }
        } run: { place, steps in
            let database = try steps.step { try place.open() }
            defer { database.close() }
            try steps.step { _ = try database.compact() }
            try steps.step { try database.save("later", "{}") }
            try steps.step { try database.reindex() }
        }
    }

    static let rekeying = Workload(testDescription: "rekeying", durability: .full, keys: [nil, key, otherKey]) { place in
        let database = try place.open()
        defer { database.close() }
        try database.fill(30)
    } run: { place, steps in
        let database = try steps.step { try place.open() }
        defer { database.close() }
        try steps.step { try database.changeKey(to: key) }
        try steps.step { try database.saveBlob("between", "secret ", count: 800) }
        try steps.step { try database.changeKey(to: otherKey) }
        try steps.step { try database.changeKey(to: nil) }
    }

    static let copies = Workload(testDescription: "copies", durability: .full, databases: ["db", "copy", "back", "restored"]) { place in
        let database = try place.open()
        defer { database.close() }
        try database.fill(30)
    } run: { place, steps in
        let database = try steps.step { try place.open() }
        defer { database.close() }
        try steps.step { _ = try database.copy(to: place.path("copy")) }
        try steps.step { try database.backUp(to: place.path("back")) }
        try steps.step { try database.saveBlob("more", "more ") }
        try steps.step { _ = try database.replace(place.path("copy")) }
        try steps.step {
            var lines: [[UInt8]] = []
            try database.dump { lines.append(Array($0.dropLast())) }
            _ = try Database.restore(creating: place.path("restored"), Archive.RestoreOptions()) { restorer in
                for line in lines { try line.withUnsafeBytes { try restorer.accept($0) } }
            }
        }
        try steps.step { try Database.delete(at: place.path("back")) }
    }

    /// `fixture` is of an older release.
    static func upgrade(_ fixture: String) -> Workload {
        Workload(testDescription: "upgrade of \(fixture)", durability: .full) { place in
            let directory = try TemporaryDirectory()
            try FileManager.default.moveItem(atPath: Fixtures.copy(fixture + ".cblite2", to: directory), toPath: place.path())
        } run: { place, steps in
            if fixture.hasPrefix("v1") { try steps.step { _ = try Database.upgradeVersion1(at: place.path(), keepingOldAt: nil) } }
            let database = try steps.step { try place.open(upgrade: .newest) }
            defer { database.close() }
            try steps.step { try database.save("later", "{}") }
        }
    }

    static func replication(_ durability: Database.Options.Durability) -> Workload {
        Workload(testDescription: "replication, \(durability)", durability: durability, databases: ["db", "peer"]) { place in
            let database = try place.open()
            defer { database.close() }
            try database.fill(20)
            let peer = try place.open("peer")
            defer { peer.close() }
            for number in 0..<5 { try peer.saveBlob("theirs-\(number)", "theirs \(number) ", count: 300 * number + 1) }
        } run: { place, steps in
            let database = try steps.step { try place.open() }
            defer { database.close() }
            let peer = try steps.step { try place.open("peer") }
            defer { peer.close() }
            try await steps.step { try await synchronize(database, peer) }
            try steps.step { try database.save("doc-1", #"{"changed": "here"}"#) }
            try steps.step { try peer.saveBlob("theirs-1", "another ", count: 5) }
            try await steps.step { try await synchronize(database, peer) }
        } afterwards: { place in
            let (database, peer) = (try place.open(), try place.open("peer"))
            defer { (database.close(), peer.close()).0 }
            try await synchronize(database, peer)
            guard try Look(database) == Look(peer) else { throw Wrong(what: "they do not come together again") }
        }
    }

    private static func synchronize(_ database: Database, _ peer: Database) async throws {
        var settings = ReplicatorSettings(.database(peer), collections: [.init(push: .once, pull: .once)])
        settings.retry = RetryPolicy(maxRetries: 0, maxDelay: 1)
        let outcome = await CBLReplicationTestSupport.synchronize(database, settings)
        if let failure = outcome.failure { throw Unsynchronized(reason: "\(failure)") }
        if let error = outcome.errors.first { throw Unsynchronized(reason: "\(error)") }
    }

    struct Unsynchronized: Error { let reason: String }

    /// A database without a log, of which most pages leave the cache and come back. Who writes goes on after a failure within a transaction, if that is still
    /// there. When the power goes, nothing has to be left of it.
    static func unfinished(_ key: EncryptionKey? = nil) -> Workload {
        Workload(testDescription: "unfinished\(key == nil ? "" : ", encrypted")", keys: [key]) { place, steps in
            let database = try steps.step { try place.open(key: key, isUnfinished: true) }
            defer { database.close() }
            for batch in 0..<3 {
                try steps.step {
                    try database.write { transaction in
                        try transaction.connection.setCacheSize(kibibytes: 40)
                        for number in 0..<60 {
                            // Their IDs lie anywhere in the index, and each batch replaces some.
                            let id = "\(number * 37 % 61)-\(number % 2 == 0 ? 9 : batch)"
                            let text = String(repeating: "\(batch) and \(number) ", count: 60)
                            _ = try steps.within { try transaction.save(id, body: transaction.encode(json: #"{"text": "\#(text)"}"#)) }
                        }
                    }
                }
            }
            try steps.step { try database.complete() }
        }
    }

    /// Those that need nothing but this package.
    static let own: [Workload] = [
        saves(.full), saves(.normal), saves(.full, .versionVectors), blobs(.full), blobs(.normal), blobs(.full, key), manyBlobs(.full),
        manyBlobs(.normal), manyBlobs(.full, key), batches(.full),
        batches(.normal), batches(.normal, key),
        indexes(.full), indexes(.normal), compaction(.full), compaction(.normal), rekeying, copies, replication(.full),
        replication(.normal),
    ]

    static let all = own + (Fixtures.arePresent ? ["v2.x/upgrade_2.7", "v1.x/ios130/iosdb"].map { upgrade($0) } : [])
}
