import CBLBase
import CBLFleece
import CBLSQLite

/// Puts an archive into a database, line by line, inside one transaction.
///
///     let restored = try database.restore(options) { restorer in
///         while let line = try input.nextLine() { try restorer.accept(line) }
///     }
///
/// An archive comes from anywhere: whatever is wrong with it is an `ArchiveError` that names the line.
package final class ArchiveRestorer {
    package struct Result: Sendable {
        /// What was put into the database. Not everything in the archive has to be.
        package var restored = Archive.Counts()
        /// Documents that were there and got revisions that they lacked.
        package var updatedDocuments = 0
        /// Documents that were there and had nothing to learn.
        package var knownDocuments = 0
        /// Documents that have revisions which exclude those of the archive, and were left as they are.
        package var conflicts: [(collection: CollectionName, id: String)] = []
        package var warnings: [String] = []
    }

    /// How much has been read and done.
    package private(set) var result = Result()
    package private(set) var lineNumber = 0

    private enum Place {
        case start
        case lines
        case blob(BlobDigest, BlobWriter?, length: Int, done: Int)
        case end
    }

    private let transaction: Transaction
    private let options: Archive.RestoreOptions
    private let isUnused: Bool
    private let parser = FleeceEncoder()
    private var place = Place.start
    private var digest = SHA1()
    private var seen = Archive.Counts()
    private var collection: CollectionTables?
    private var collectionNames: Set<CollectionName> = []
    /// Those that the header lists, if it does.
    private var announced: Set<CollectionName>?
    private var local = SourceID.local
    private var isOfVectors = false
    private var remotes: [UInt16: String] = [:]
    /// Numbers of remotes here, by their numbers in the archive. Only when merging.
    private var remoteNumbers: [UInt16: UInt16] = [:]
    private var indexes: [ArchivedIndex] = []
    private var neededBlobs: Set<BlobDigest> = []

    init(_ transaction: Transaction, _ options: Archive.RestoreOptions) throws {
        self.transaction = transaction
        self.options = options
        isUnused = try transaction.isUnused()
        guard isUnused || options.merges else {
            throw StoreError(.exists, "the database holds something already", path: transaction.database.path)
        }
        if options.takesIdentity && !isUnused {
            throw StoreError(.exists, "a database that holds something keeps its identity", path: transaction.database.path)
        }
    }

    /// Takes the next line, without its end.
    package func accept(_ line: UnsafeRawBufferPointer) throws {
        lineNumber += 1
        do {
            try take(line)
        } catch let error as StoreError where ArchiveRestorer.isAboutTheArchive(error) {
            throw ArchiveError(line: lineNumber, message: error.message)
        } catch let error as RevisionError {
            throw ArchiveError(line: lineNumber, message: "\(error)")
        } catch let error as JSONError {
            throw ArchiveError(line: lineNumber, message: "not JSON: \(error.message), at column \(error.column)")
        } catch let error as FleeceError {
            throw ArchiveError(line: lineNumber, message: "\(error)")
        }
    }

    private static func isAboutTheArchive(_ error: StoreError) -> Bool {
        switch error.code {
        case .corrupt: error.cause == nil
        case .invalidName, .invalidDocument, .invalidRevision, .fromFuture, .conflict, .unsupported, .exists: error.cause == nil
        default: false
        }
    }

    private func take(_ line: UnsafeRawBufferPointer) throws {
        if case .end = place { throw ArchiveValueReader.invalid("there is something behind the last line of the archive") }
        parser.reset()
        try JSONParser.parse(line, .json, depth: Limits.depth, into: parser)
        try parser.withFinished { bytes in
            guard let root = Value(root: bytes), let object = ArchiveObject(root) else {
                throw ArchiveValueReader.invalid("not a line of an archive: it must be an object")
            }
            if object["end"] == nil { digest.update(line) }
            switch place {
            case .start: try takeHeader(object)
            case .blob: try takePiece(object)
            case .lines, .end: try takeLine(object)
            }
        }
    }

    private func takeHeader(_ object: ArchiveObject) throws {
        guard object["archive"]?.string == Archive.format else {
            throw ArchiveValueReader.invalid("not an archive: it does not begin with {\"archive\":\"\(Archive.format)\"")
        }
        guard object["version"]?.integer == Archive.version else {
            throw ArchiveValueReader.invalid("the archive was made by a newer release: its version is not \(Archive.version)")
        }
        try object.check(["archive", "version", "versioning", "format", "collections", "maxRevTreeDepth", "publicUUID", "privateUUID"])
        switch try object.text("versioning") {
        case "trees": isOfVectors = false
        case "vectors": isOfVectors = true
        case let other: throw ArchiveValueReader.invalid("\"\(other)\" is not a kind of versioning")
        }
        if isOfVectors, transaction.versioning != .vectors {
            guard isUnused else {
                throw ArchiveValueReader.invalid("an archive of version vectors cannot be merged into a database of revision trees")
            }
            try transaction.raiseVersioningToVectors()
        }
        if isUnused, let depth = try object.index("maxRevTreeDepth", below: 1 << 31), depth > 0 { try transaction.setPruneDepth(depth) }
        if options.takesIdentity {
            guard let publicUUID = try uuid("publicUUID", object), let privateUUID = try uuid("privateUUID", object) else {
                throw ArchiveValueReader.invalid("the archive does not say the identity of its database")
            }
            try transaction.setIdentity(publicUUID: publicUUID, privateUUID: privateUUID)
        }
        local = transaction.sourceID
        if object["collections"] != nil {
            // All at once: whoever makes one reads the whole schema.
            let names = try object.texts("collections").map { try CollectionName(parsing: $0) }
            try transaction.createCollections(names.filter(isWanted))
            announced = Set(names)
        }
        place = .lines
    }

    private func uuid(_ name: String, _ object: ArchiveObject) throws(StoreError) -> UniqueID? {
        guard let text = try object.textIfGiven(name) else { return nil }
        guard let bytes = Hex.bytes(of: text), let uuid = bytes.withUnsafeBytes({ UniqueID($0) }) else {
            throw ArchiveValueReader.invalid("\"\(name)\" must be 32 hexadecimal digits")
        }
        return uuid
    }

    private func takeLine(_ object: ArchiveObject) throws {
        if object["doc"] != nil {
            try takeDocument(object)
        } else if object["collection"] != nil, object["index"] == nil {
            try takeCollection(object)
        } else if object["raw"] != nil {
            try takeRaw(object)
        } else if object["index"] != nil {
            try takeIndex(object)
        } else if object["blob"] != nil {
            try takeBlob(object)
        } else if object["remote"] != nil {
            try takeRemote(object)
        } else if object["end"] != nil {
            try takeTrailer(object)
        } else {
            throw ArchiveValueReader.invalid("not a line of an archive: nothing in it says what it is")
        }
    }

    private func takeRemote(_ object: ArchiveObject) throws {
        try object.check(["remote", "url"])
        let url = try object.text("url")
        guard let number = try object.index("remote", below: 1 << 16), number > 0, remotes[UInt16(number)] == nil else {
            throw ArchiveValueReader.invalid("\"remote\" must be a number that occurs once")
        }
        remotes[UInt16(number)] = url
        if isUnused {
            guard Set(remotes.values).count == remotes.count else { throw ArchiveValueReader.invalid("the remote \"\(url)\" occurs twice") }
            try transaction.setRemotes(remotes)
        } else {
            remoteNumbers[UInt16(number)] = try transaction.remoteID(of: url)
        }
    }

    private func takeCollection(_ object: ArchiveObject) throws {
        try object.check(["collection", "lastSequence"])
        let name = try CollectionName(parsing: object.text("collection"))
        guard collectionNames.insert(name).inserted else { throw ArchiveValueReader.invalid("collection \"\(name)\" occurs twice") }
        if let announced, !announced.contains(name) {
            throw ArchiveValueReader.invalid("collection \"\(name)\" is not one of those that the first line lists")
        }
        seen.collections += 1
        collection = nil
        guard isWanted(name) else { return }
        try transaction.createCollection(name)
        let tables = try transaction.tables(name)
        collection = tables
        if isUnused, let last = try object.number("lastSequence") { try transaction.raiseLastSequence(last, tables) }
        result.restored.collections += 1
    }

    private func isWanted(_ name: CollectionName) -> Bool { options.collections?.contains(name) ?? true }

    private func takeDocument(_ object: ArchiveObject) throws {
        guard !collectionNames.isEmpty else { throw ArchiveValueReader.invalid("a document before the first collection") }
        seen.documents += 1
        guard let tables = collection else { return }
        var document = try ArchivedDocument(object, encoder: transaction.encoder, local: local)
        if case .vectors = document.revisions, transaction.versioning != .vectors {
            throw ArchiveValueReader.invalid("a document with a version vector in an archive of revision trees")
        }
        if options.collections != nil { noteBlobs(of: document) }
        let exists = try transaction.record(document.id, in: tables) != nil
        if isUnused {
            guard !exists else { throw ArchiveValueReader.invalid("document \"\(document.id)\" occurs twice") }
        } else {
            document.forgetSequences()
            document.renumber(remoteNumbers)
        }
        if exists { return try merge(document, tables) }
        try transaction.insertRestored(document, tables)
        result.restored.documents += 1
    }

    /// Adds the revisions of the archive that are not there, each as one that exists elsewhere.
    private func merge(_ document: ArchivedDocument, _ tables: CollectionTables) throws {
        var added = 0
        do {
            let stored = try transaction.document(document.id, in: tables.name)?.revisions()
            switch document.revisions {
            case .tree(let tree):
                for (index, leaf) in tree.revisions.enumerated() where leaf.isLeaf {
                    let remote = tree.remotes.first { $0.index == index }?.remote ?? 0
                    // What is known already is not to be written again.
                    if let stored = stored?.tree, stored[leaf.id] != nil, remote == 0 || stored.latest(onRemote: remote)?.id == leaf.id {
                        continue
                    }
                    added += try transaction.insertExisting(
                        document.id, in: tables.name, history: tree.history(of: index), body: leaf.body,
                        isDeleted: leaf.isDeleted, remote: remote, allowsConflicts: remote > 0
                    ).addedCount
                }
            case .vectors(let vectors):
                let known: [(UInt16, VectorRevisions.Revision?)] = vectors.remoteIDs.map { ($0, vectors.latest(onRemote: $0)) }
                for (remote, revision) in [(0, vectors.current)] + known {
                    guard let revision, let properties = revision.properties else { continue }
                    if remote > 0, stored?.vectors?.latest(onRemote: remote)?.version == revision.version { continue }
                    let history: RevisionHistory =
                        switch revision.version {
                        case .vector(let vector): RevisionHistory(vector: vector, treeIDs: vectors.legacyParent.map { [$0] } ?? [])
                        case .tree(let id): RevisionHistory(treeIDs: [id])
                        }
                    let received = try transaction.insertExisting(
                        document.id, in: tables.name, history: history, body: properties, isDeleted: revision.isDeleted,
                        remote: remote)
                    if received == .current || received == .conflict { added += 1 }
                }
            }
        } catch let error as StoreError where error.code == .conflict {
            result.conflicts.append((tables.name, document.id))
            return
        }
        if added > 0 { result.updatedDocuments += 1 } else { result.knownDocuments += 1 }
    }

    private func noteBlobs(of document: ArchivedDocument) {
        for body in document.revisions.bodies {
            body.withRoot { root in
                BlobReferences.forEach(in: root, transaction.sharedKeys) { digest, _ in
                    if let digest = BlobDigest(digest) { neededBlobs.insert(digest) }
                }
            }
        }
    }

    private func takeRaw(_ object: ArchiveObject) throws {
        try object.check(["raw", "key", "meta", "body"])
        seen.rawDocuments += 1
        let store = try object.text("raw")
        let document = RawDocument(key: try object.text("key"), meta: try object.bytes("meta"), body: try object.bytes("body") ?? [])
        guard options.collections == nil else { return }
        if !isUnused, try transaction.rawDocument(document.key, in: store) != nil { return }
        try transaction.putRaw(document, in: store)
        result.restored.rawDocuments += 1
    }

    private func takeIndex(_ object: ArchiveObject) throws {
        try object.check(["index", "type", "collection", "expression", "where", "table", "sql"])
        seen.indexes += 1
        let name = try CollectionName(parsing: object.text("collection"))
        guard let type = try object.index("type", below: 256) else { throw ArchiveValueReader.invalid("\"type\" is missing") }
        guard isWanted(name) else { return }
        guard transaction.hasCollection(name) else { throw ArchiveValueReader.invalid("an index of a collection that is not there") }
        let index = StoredIndex(
            name: try object.text("index"), kind: StoredIndex.Kind(rawValue: type), type: type, keyStore: name.keyStore,
            expression: try object.textIfGiven("expression"), condition: try object.textIfGiven("where"),
            tableName: try object.textIfGiven("table"), lastSequence: nil)
        indexes.append(ArchivedIndex(index: index, sql: try object.texts("sql")))
    }

    private func takeBlob(_ object: ArchiveObject) throws {
        try object.check(["blob", "length"])
        seen.blobs += 1
        guard let digest = BlobDigest(try object.text("blob")), let length = try object.number("length") else {
            throw ArchiveValueReader.invalid("a blob needs a digest and a length")
        }
        let isWanted = options.collections == nil || neededBlobs.contains(digest)
        let writer = isWanted ? try BlobWriter(transaction.database.blobs.untilCommit) : nil
        place = .blob(digest, writer, length: Int(length), done: 0)
        if length == 0 { try endBlob(digest, writer) }
    }

    private func takePiece(_ object: ArchiveObject) throws {
        guard case .blob(let digest, let writer, let length, let done) = place else { return }
        guard let value = object["piece"] else { throw ArchiveValueReader.invalid("the content of blob \(digest) is not complete") }
        try object.check(["piece"])
        let piece = try ArchiveValueReader.bytes(value, "piece")
        guard !piece.isEmpty, piece.count <= length - done else {
            throw ArchiveValueReader.invalid("the content of blob \(digest) is longer than \(length) bytes")
        }
        try piece.withUnsafeBytes { try writer?.append($0) }
        place = .blob(digest, writer, length: length, done: done + piece.count)
        if done + piece.count == length { try endBlob(digest, writer) }
    }

    private func endBlob(_ digest: BlobDigest, _ writer: BlobWriter?) throws {
        place = .lines
        guard let writer else { return }
        _ = try writer.finish(expecting: digest)
        result.restored.blobs += 1
    }

    private func takeTrailer(_ object: ArchiveObject) throws {
        try object.check(["end", "lines", "collections", "documents", "rawDocuments", "indexes", "blobs", "sha1"])
        guard object["end"]?.boolean == true else { throw ArchiveValueReader.invalid("\"end\" must be true") }
        let counts: [(String, Int)] = [
            ("lines", lineNumber - 1), ("collections", seen.collections), ("documents", seen.documents),
            ("rawDocuments", seen.rawDocuments), ("indexes", seen.indexes), ("blobs", seen.blobs),
        ]
        for (name, count) in counts {
            guard let expected = try object.number(name) else { continue }
            guard expected == UInt64(count) else {
                throw ArchiveValueReader.invalid("the archive is not complete: \(count) of \(expected) \(name) are there")
            }
        }
        if let announced, let missing = announced.subtracting(collectionNames).min() {
            throw ArchiveValueReader.invalid("the archive is not complete: collection \"\(missing)\" is missing")
        }
        if let expected = try object.textIfGiven("sha1"), expected != digest.finish().hex {
            throw ArchiveValueReader.invalid("the archive was changed or damaged: its SHA-1 is not the one that it says")
        }
        place = .end
    }

    /// Must be called when there are no more lines. Makes the indexes.
    func finish() throws -> Result {
        guard case .end = place else {
            if lineNumber == 0 { throw ArchiveError(line: 0, message: "the archive is empty") }
            throw ArchiveError(line: lineNumber, message: "the archive is cut off: its last line is missing")
        }
        for archived in indexes {
            do {
                if try archived.build(in: transaction) { result.restored.indexes += 1 }
            } catch let error as ArchivedIndex.Refusal {
                result.warnings.append("index \"\(archived.index.name)\" was left out: \(error.reason)")
            }
        }
        return result
    }
}
