import CBLFleece
import CBLStore

/// Saves the documents of a source into a collection, all of them in one transaction: an import that is interrupted leaves nothing behind.
package struct Importer {
    /// What an import came to.
    package struct Outcome {
        package var read = 0
        package var created = 0
        package var updated = 0
        /// Documents that could not be read or saved, and were left out.
        package var failed = 0
        /// Documents that did not say what their ID is, and got a new one.
        package var named = 0
        /// Blobs that documents refer to, which came with them.
        package var storedBlobs = 0
        /// Blobs that documents refer to, and neither the source nor the database has.
        package var missingBlobs = 0
    }

    package var idPrefix = ""
    package var limit = Int.max
    /// Called for each document, with how much of the source has been read.
    package var progress: (_ position: Int) -> Void = { _ in }
    /// Called now and then. What it throws ends the import, and nothing was imported.
    package var check: () throws -> Void = {}
    /// The folder that has the contents of blobs that documents refer to, as `BlobExchange` names them.
    package var blobDirectory: String?
    /// What documents must follow; others are left out.
    package var schema: DocumentSchema?
    /// Told what is wrong with a document that cannot be read or saved: it is left out, or if this throws, nothing was imported.
    package var leaveOut: (_ message: String) throws -> Void = { _ in }

    package init() {}

    package func run(_ source: some DocumentSource, into collection: CollectionName, of database: Database) throws -> Outcome {
        try database.write { transaction in
            try transaction.createCollection(collection)
            var outcome = Outcome()
            var digests: Set<String> = []
            var id = ByteBuffer(capacity: 256)
            let writer = try transaction.bulk(into: collection) { bulk in
                bulk.refersToBlobs = { root, keys in
                    BlobReferences.forEach(in: root, keys) { digest, blob in
                        if blob.value(forKey: "data", keys) == nil { digests.insert(digest) }
                    }
                }
                while outcome.read < limit {
                    if outcome.read & 0x3F == 0 { try check() }
                    id.removeAll()
                    var isNamed = false
                    do {
                        transaction.encoder.reset()
                        if !idPrefix.isEmpty {
                            guard try readPrefixed(source, transaction.encoder, &id, &isNamed) else { break }
                        } else {
                            guard try source.next(into: transaction.encoder, id: &id) else { break }
                            if id.isEmpty { id.append(Importer.newID(&isNamed)) }
                        }
                        outcome.read += 1
                        try save(id.bytes, transaction, bulk)
                        if isNamed { outcome.named += 1 }
                    } catch let error as MalformedDocument {
                        outcome.read += 1
                        try report(error.message, &outcome)
                    } catch let error as StoreError where error.code == .invalidDocument {
                        try report("\(Importer.place(source, id, isNamed)): \(error.message)", &outcome)
                    } catch let error as FleeceError {
                        try report("\(Importer.place(source, id, isNamed)): \(error)", &outcome)
                    }
                    progress(source.position)
                }
                return bulk
            }
            outcome.created = writer.createdCount
            outcome.updated = writer.updatedCount
            try takeBlobs(digests, into: database.blobs, &outcome)
            return outcome
        }
    }

    /// Stores the contents of blobs that the database has not.
    private func takeBlobs(_ digests: Set<String>, into blobs: BlobFolder, _ outcome: inout Outcome) throws {
        for text in digests.sorted() {
            try check()
            guard let digest = BlobDigest(text), !blobs.exists(digest) else {
                if BlobDigest(text) == nil { outcome.missingBlobs += 1 }
                continue
            }
            do {
                if let blobDirectory, try BlobExchange.store(digest, from: blobDirectory, in: blobs, check) {
                    outcome.storedBlobs += 1
                } else {
                    outcome.missingBlobs += 1
                }
            } catch let error as StoreError where error.code == .corrupt {
                outcome.missingBlobs += 1
                try leaveOut(error.message)
            }
        }
    }

    /// Saves what the encoder holds.
    private func save(_ id: UnsafeRawBufferPointer, _ transaction: Transaction, _ bulk: BulkWriter) throws {
        guard let schema else { return try bulk.save(id: id) }
        try transaction.encoder.withFinished { body in
            if let root = Value(root: body), let problem = schema.problem(of: root, transaction.sharedKeys) {
                throw StoreError(.invalidDocument, problem)
            }
            try bulk.save(id: id, body: body)
        }
    }

    private func readPrefixed(
        _ source: some DocumentSource, _ encoder: FleeceEncoder, _ id: inout ByteBuffer, _ isNamed: inout Bool
    ) throws -> Bool {
        var own = ByteBuffer(capacity: 64)
        guard try source.next(into: encoder, id: &own) else { return false }
        id.append(idPrefix)
        if own.isEmpty { id.append(Importer.newID(&isNamed)) } else { id.append(own.bytes) }
        return true
    }

    private static func newID(_ isNamed: inout Bool) -> String {
        isNamed = true
        return DocumentRules.newID()
    }

    // An ID that was made up here tells nobody which document it is.
    private static func place(_ source: some DocumentSource, _ id: borrowing ByteBuffer, _ isNamed: Bool) -> String {
        isNamed ? source.place : "\(source.place), document \"\(id.string)\""
    }

    private func report(_ message: String, _ outcome: inout Outcome) throws {
        try leaveOut(message)
        outcome.failed += 1
    }
}
