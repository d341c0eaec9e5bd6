import CBLFleece
import CBLStore

// Revisions on their way out and in.
extension ReplicatedDatabase {
    func load(_ order: SendOrder, _ options: SendOptions, _ snapshot: Snapshot) -> LoadedRevision {
        do {
            guard let document = try snapshot.document(order.documentID, in: collection) else { return .obsolete }
            let current = snapshot.global(document.revision)
            guard current == order.revision || options.acceptsReplacements else { return .obsolete }
            // The receiver waits for the revision that it was told of.
            let revisions = try document.revisions()
            if let newest = revisions.tree?.current?.id, newest != document.revision {
                throw StoreError(
                    .corrupt, "document \"\(document.id)\" is damaged: its tree ends with \(newest), not with \(document.revision)")
            }
            let known = order.ancestors.map(snapshot.local)
            let history = revisions.historyToSend(limit: options.maxHistory, knownToReceiver: known)
            var message = RevisionMessage(documentID: order.documentID, history: snapshot.global(history))
            if current != order.revision { message.replaces = order.revision }
            message.isDeleted = document.isDeleted
            let properties = document.body
            message.blobs = properties.bytes.withUnsafeBytes { AttachmentEncoding.digests(in: $0) }
            let translates = !options.acceptsBlobs && document.flags.contains(.hasAttachments)
            // With a vector, what was said of blobs that are gone is taken back with an empty `_attachments`.
            let evenIfEmpty = revisions.tree?.current?.flags.contains(.hasAttachments) ?? true
            let body = try Outgoing(
                properties, document.revision, translates: translates, evenIfEmpty: evenIfEmpty, snapshot.sharedKeys)
            message.body = body.json
            if options.acceptsDeltas, order.allowsDelta, !document.isDeleted, properties.bytes.count >= ReplicatedDatabase.smallestDelta,
                let base = known.lazy.compactMap({ id in base(id, of: document, revisions, snapshot).map { (id, $0) } }).first
            {
                let old = try Outgoing(base.1, base.0, translates: translates, snapshot.sharedKeys)
                if let delta = ReplicatedDatabase.delta(from: old, to: body, snapshot.sharedKeys) {
                    message.deltaSource = snapshot.global(base.0)
                    message.body = delta
                }
            }
            // What cannot be read is written so; it may also be what a text says.
            if message.body.withUnsafeBytes({ $0.contains("undefined") }) { try ReplicatedDatabase.check(document, snapshot.sharedKeys) }
            if options.acceptsDeltas, !document.isDeleted {
                // The peer will have it, and it may be replaced.
                formerBodies?.add(properties, bodyKey(document.id, current))
            }
            return .loaded(message)
        } catch {
            return .failed(ReplicatedDatabase.translate(error))
        }
    }

    /// What a delta can start from: what the database keeps, or what a peer had of late.
    private func base(_ id: RevisionID, of document: Document, _ revisions: DocumentRevisions, _ snapshot: Snapshot) -> FleeceData? {
        if let kept = revisions.base(id) { return kept }
        return formerBodies?[bodyKey(document.id, snapshot.global(id))]
    }

    /// The revision as peers call it.
    private func bodyKey(_ documentID: String, _ revision: RevisionID) -> FormerBodies.Key {
        FormerBodies.Key(collection: collection, documentID: documentID, revision: revision)
    }

    private static func check(_ document: Document, _ keys: SharedKeys) throws(StoreError) {
        do { try Validator.validate(document.body, keyCount: keys.count, options: .legacyPointers) } catch {
            throw StoreError(.corrupt, "document \"\(document.id)\" is damaged: \(error)")
        }
    }

    /// Properties as they are sent, with `_attachments` if the receiver wants them.
    private struct Outgoing {
        let properties: FleeceData
        let keys: SharedKeys?

        init(_ body: FleeceData, _ revision: RevisionID, translates: Bool, evenIfEmpty: Bool = false, _ keys: SharedKeys) throws {
            if translates {
                let encoder = FleeceEncoder()
                let isWritten = body.withRoot {
                    AttachmentEncoding.write($0, keys: keys, generation: revision.generation, evenIfEmpty: evenIfEmpty, into: encoder)
                }
                if isWritten {
                    (properties, self.keys) = (try encoder.finish(), nil)
                    return
                }
            }
            (properties, self.keys) = (body, keys)
        }

        var json: [UInt8] {
            var buffer = ByteBuffer(capacity: properties.bytes.count * 2)
            properties.withRoot { _ = JSONWriter.write($0, keys: keys, to: &buffer) }
            return buffer.withBytes { Array($0) }
        }
    }

    /// The delta, if it is worth sending.
    private static func delta(from old: Outgoing, to new: Outgoing, _ keys: SharedKeys) -> [UInt8]? {
        // Only one of the two has blobs: what JSON says is compared then.
        guard let (from, to) = try? (old.keys == nil) == (new.keys == nil) ? (old.properties, new.properties) : (plain(old), plain(new))
        else {
            return nil
        }
        let shared = old.keys != nil && new.keys != nil ? keys : nil
        var buffer = ByteBuffer(capacity: 256)
        do {
            try from.withRoot { from in try to.withRoot { to in try Delta.create(from: from, to: to, keys: shared, into: &buffer) } }
        } catch {
            return nil
        }
        return buffer.count * 5 > new.json.count * 6 ? nil : buffer.withBytes { Array($0) }
    }

    /// The same without shared keys.
    private static func plain(_ outgoing: Outgoing) throws -> FleeceData {
        let encoder = FleeceEncoder()
        outgoing.properties.withRoot { encoder.write($0, keys: outgoing.keys) }
        return try encoder.finish()
    }

    func prepare(_ received: ReceivedRevision, _ snapshot: Snapshot) throws -> Preparation {
        let message = received.message
        let encoder = FleeceEncoder()
        let properties: FleeceData
        if let source = message.deltaSource {
            guard let document = try snapshot.document(message.documentID, in: collection),
                let base = try document.revisions().base(snapshot.local(source))
            else { return .deltaFailed("the base of the delta is not here") }
            do {
                properties = try apply(message.body, to: base, source, snapshot, encoder)
            } catch {
                return .deltaFailed("\(error)")
            }
        } else {
            try parse(message, into: encoder)
            properties = try encoder.finish()
        }
        encoder.reset()
        let body = try properties.withRoot { try ReceivedBody($0, into: encoder, leavesOutSame: true) }
        if body.isRemoved { return .removed }
        let decoded = body.isAsItCame ? properties : try encoder.finish()
        // What is not wanted needs no blobs.
        guard try accepts(message, decoded) else { return .failed(.filteredOut) }
        if let digest = body.badDigest {
            return .failed(SyncError.http(404, "the document refers to a blob that its sender does not have: \(digest)"))
        }
        return .ready(decoded, missing: body.blobs.filter { !database.blobs.exists($0.digest) })
    }

    private func apply(
        _ delta: [UInt8], to base: FleeceData, _ source: RevisionID, _ snapshot: Snapshot, _ encoder: FleeceEncoder
    ) throws -> FleeceData {
        try delta.withUnsafeBytes { bytes in
            // A peer that sees attachments made the delta between bodies that have them.
            let translates = bytes.contains("\"_attachments\"")
            let old = try Outgoing(base, source, translates: translates, snapshot.sharedKeys)
            try old.properties.withRoot { try Delta.apply(bytes, to: $0, keys: old.keys, into: encoder) }
            return try encoder.finish()
        }
    }

    func parse(_ message: RevisionMessage, into encoder: FleeceEncoder) throws {
        guard !message.body.isEmpty else {
            encoder.beginDictionary()
            return encoder.endDictionary()
        }
        try message.body.withUnsafeBytes { try JSONParser.parse($0, into: encoder) }
    }

    /// Stores those that the filter takes.
    func insert(_ revisions: [ReceivedRevision]) throws -> [Insertion] {
        guard pullFilter != nil else { return try store(revisions) }
        let accepted = accepted(revisions)
        var stored = try store(accepted.compactMap { try? $0.get() })[...]
        return accepted.map { result in
            if case .failure(let error) = result { return .failed(error) }
            return stored.popFirst() ?? .failed(.filteredOut)
        }
    }

    /// Stores revisions. What is wrong with one of them does not touch the others; what is wrong with the database ends all.
    private func store(_ revisions: [ReceivedRevision]) throws -> [Insertion] {
        let (insertions, bodies) = try database.write { transaction in
            var bodies: [FormerBodies.Key: FleeceData] = [:]
            return (try insert(revisions, transaction, &bodies), bodies)
        }
        // Not before: where a transaction is undone, the numbers that stand for property names come to mean others. And what was refused is no
        // body of that revision, whatever its sender says.
        for (key, body) in bodies { formerBodies?.add(body, key) }
        return insertions
    }

    private func insert(
        _ revisions: [ReceivedRevision], _ transaction: Transaction, _ bodies: inout [FormerBodies.Key: FleeceData]
    ) throws -> [Insertion] {
        try revisions.map { received in
            do {
                return try insert(received, transaction, &bodies)
            } catch {
                let translated = ReplicatedDatabase.translate(error)
                let isDamaged = (error as? StoreError)?.isOfDocument ?? false
                let isOfDocument = translated.domain == .blip || translated.isConflict || error is FleeceError || isDamaged
                guard isOfDocument else { throw error }
                return .failed(translated)
            }
        }
    }

    private func insert(
        _ received: ReceivedRevision, _ transaction: Transaction, _ bodies: inout [FormerBodies.Key: FleeceData]
    ) throws -> Insertion {
        let message = received.message
        let encoder = transaction.encoder
        encoder.reset()
        if let properties = received.properties {
            properties.withRoot { encoder.write($0, keys: nil) }
        } else {
            try parse(message, into: encoder)
        }
        let body = try encoder.finish()
        // A peer that may not make conflicts leaves no notes either.
        let remote = received.allowsConflict ? self.remote : 0
        if transaction.versioning == .vectors {
            let outcome = try transaction.insertExisting(
                message.documentID, in: collection, history: message.history, body: body, isDeleted: message.isDeleted, remote: remote)
            switch outcome {
            case .current, .conflict:
                note(body, of: message, in: &bodies)
                // What competes with another remote's revision still is the other session's to settle, or the next one's.
                return .inserted(isConflict: outcome == .conflict)
            case .known, .ignored: return .known
            }
        }
        guard message.history.vector.isEmpty else {
            throw StoreError(.invalidRevision, "the database has revision trees, and cannot take the version \(message.history)")
        }
        let outcome = try transaction.insertExisting(
            message.documentID, in: collection, history: message.history.treeIDs, body: body, isDeleted: message.isDeleted, remote: remote,
            allowsConflicts: received.allowsConflict, inPlaceOf: received.allowsConflict ? [] : message.endedBranch)
        guard outcome.addedCount > 0 else { return .known }
        note(body, of: message, in: &bodies)
        return .inserted(isConflict: outcome.isConflicted)
    }

    private func note(_ body: FleeceData, of message: RevisionMessage, in bodies: inout [FormerBodies.Key: FleeceData]) {
        guard formerBodies != nil, !message.isDeleted, let revision = message.revision else { return }
        bodies[bodyKey(message.documentID, revision)] = body
    }
}
