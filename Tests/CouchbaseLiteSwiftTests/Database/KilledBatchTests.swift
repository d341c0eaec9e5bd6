import CBLBase
import CouchbaseLiteSwift
import Glibc
import Testing

/// What `kill -9` at any moment leaves of a program that saves batches: all of a batch or nothing, and every one that was reported done.
/// `CBLITE_CRASH_ROUNDS` says how often it is killed.
@Suite(.serialized) struct KilledBatchTests {
    private static let rounds = ProcessInfo.processInfo.environment["CBLITE_CRASH_ROUNDS"].flatMap(Int.init) ?? 5
    private static let documents = 20

    private static func configuration(_ path: String) -> DatabaseConfiguration {
        var configuration = DatabaseConfiguration()
        configuration.directory = path
        return configuration
    }

    private static func content(_ batch: Int, _ number: Int) -> Data { Data("\(batch)/\(number) ".utf8) + Data(repeating: 7, count: 5000) }

    /// Saves batch after batch, and adds a byte to a file for each, until it is killed.
    private static func work(in path: String, dyingAfter microseconds: UInt32) throws {
        let database = try Database(name: "db", config: configuration(path))
        let collection = try database.defaultCollection()
        var batch = try collection.document(id: "doc-1")?.int(forKey: "batch") ?? 0
        let reports = open(path + "/reports", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        var byte: UInt8 = 1
        for _ in 0..<batch { write(reports, &byte, 1) }
        let killer = WorkerThread {
            usleep(microseconds)
            kill(getpid(), SIGKILL)
        }
        while true {
            batch += 1
            try database.inBatch {
                for number in 0..<documents {
                    let id = "doc-\(number)"
                    if number % 5 == 0 {
                        // One document of the batch before goes with it, and a new one comes.
                        try collection.document(id: "extra-\(batch - 1)-\(number)").map { try collection.delete(document: $0) }
                        try collection.save(document: MutableDocument(id: "extra-\(batch)-\(number)", data: ["batch": batch]))
                    }
                    let document = try collection.document(id: id)?.toMutable() ?? MutableDocument(id: id)
                    document.setInt(batch, forKey: "batch")
                    document.setBlob(Blob(contentType: "text/plain", data: content(batch, number)), forKey: "blob")
                    try collection.save(document: document)
                }
            }
            write(reports, &byte, 1)
            withExtendedLifetime(killer) {}
        }
    }

    @Test func aBatchIsThereAsAWholeOrNotAtAll() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path
        for round in 0..<Self.rounds {
            let delay = round == 0 ? 0 : UInt32.random(in: 0...150_000)
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, delay = delay as UInt32] in
                try KilledBatchTests.work(in: path, dyingAfter: delay)
            }
            let reported = try FileManager.default.attributesOfItem(atPath: path + "/reports")[.size] as? Int ?? 0
            let database = try folder.open()
            defer { try? database.close() }
            let collection = try database.defaultCollection()
            let batch = try collection.document(id: "doc-1")?.int(forKey: "batch") ?? 0
            let context: Comment = "round \(round), killed after \(delay) µs, batch \(batch), reported \(reported)"
            #expect(batch == reported || batch == reported + 1, context)
            try expectWhole(batch, collection, context)
            try database.performMaintenance(type: .integrityCheck)
            // What the batch that was killed had stored of blobs goes, when nobody can be about to need it any more.
            let attachments = try #require(database.path) + "Attachments"
            // The first blob makes the folder: it may have been killed before.
            func blobs() throws -> [String] {
                guard FileManager.default.fileExists(atPath: attachments) else { return [] }
                return try FileManager.default.contentsOfDirectory(atPath: attachments)
            }
            for name in try blobs() {
                let old = Date(timeIntervalSinceNow: -48 * 3600)
                try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: attachments + "/" + name)
            }
            try database.performMaintenance(type: .compact)
            try expectWhole(batch, collection, context)
            #expect(try blobs().count == (batch == 0 ? 0 : Self.documents), context)
        }
    }

    private func expectWhole(_ batch: Int, _ collection: CouchbaseLiteSwift.Collection, _ context: Comment) throws {
        let extras = (0..<Self.documents).filter { $0 % 5 == 0 }
        #expect(collection.count == UInt64(batch == 0 ? 0 : Self.documents + extras.count), context)
        guard batch > 0 else { return }
        for number in 0..<Self.documents {
            let document = try #require(try collection.document(id: "doc-\(number)"), context)
            #expect(document.int(forKey: "batch") == batch, context)
            #expect(document.blob(forKey: "blob")?.content == Self.content(batch, number), context)
        }
        for number in extras { #expect(try collection.document(id: "extra-\(batch)-\(number)")?.int(forKey: "batch") == batch, context) }
    }
}
