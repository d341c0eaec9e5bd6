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
            message.blobs = AttachmentEncoding.digests(in: properties.bytes)
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

    /// What there is to store of a revision that came, in the words of `encoder`.
    private enum Reading {
        case ready(FleeceData)
        /// There is nothing to store, at least not yet.
        case other(Insertion)
    }

    /// Applies a delta, and takes out what is not stored.
    private func read(_ message: RevisionMessage, _ snapshot: Snapshot, by encoder: FleeceEncoder) throws -> Reading {
        encoder.reset()
        if let source = message.deltaSource {
            guard let document = try snapshot.document(message.documentID, in: collection),
                let base = try document.revisions().base(snapshot.local(source))
            else { return .other(.deltaFailed("the base of the delta is not here")) }
            do {
                try apply(message.body, to: base, source, snapshot, encoder)
                if let failure = encoder.failure { throw failure }
            } catch {
                return .other(.deltaFailed("\(error)"))
            }
        } else {
            try parse(message, into: encoder)
        }
        let properties = try encoder.finish()
        let keys = encoder.sharedKeys?.state
        let body = try properties.withRoot { try ReceivedBody($0, keys: keys, into: encoder, leavesOutSame: true) }
        if body.isRemoved { return .other(.removed) }
        let decoded = body.isAsItCame ? properties : try encoder.finish()
        // What is not wanted needs no blobs.
        guard try accepts(message, decoded) else { return .other(.failed(.filteredOut)) }
        if let digest = body.badDigest {
            return .other(.failed(SyncError.http(404, "the document refers to a blob that its sender does not have: \(digest)")))
        }
        let missing = body.blobs.filter { !database.blobs.exists($0.digest) }
        return missing.isEmpty
            ? .ready(decoded) : .other(.incomplete(DocumentProperties(decoded, keys: encoder.sharedKeys?.state), missing: missing))
    }

    private func apply(
        _ delta: [UInt8], to base: FleeceData, _ source: RevisionID, _ snapshot: Snapshot, _ encoder: FleeceEncoder
    ) throws {
        try delta.withUnsafeBytes { bytes in
            // A peer that sees attachments made the delta between bodies that have them.
            let translates = bytes.contains("\"_attachments\"")
            let old = try Outgoing(base, source, translates: translates, snapshot.sharedKeys)
            try old.properties.withRoot { try Delta.apply(bytes, to: $0, keys: old.keys, into: encoder) }
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
        let screened = try database.read { snapshot in revisions.map { screen($0, snapshot) } }
        var stored = try store(screened.compactMap { if case .accepted(let revision) = $0 { revision } else { nil } })[...]
        return screened.map { result in
            if case .settled(let insertion) = result { return insertion }
            return stored.popFirst() ?? .failed(.filteredOut)
        }
    }

    private enum Screened {
        case accepted(ReceivedRevision)
        case settled(Insertion)
    }

    /// Asks the filter, outside of the transaction that stores. What was read for that is kept, so that nothing is parsed twice; what waited for
    /// blobs was asked about before.
    private func screen(_ received: ReceivedRevision, _ snapshot: Snapshot) -> Screened {
        guard received.properties == nil else { return .accepted(received) }
        do {
            switch try read(received.message, snapshot, by: FleeceEncoder()) {
            case .ready(let properties):
                var received = received
                received.properties = DocumentProperties(properties)
                return .accepted(received)
            case .other(let insertion): return .settled(insertion)
            }
        } catch {
            return .settled(.failed(ReplicatedDatabase.translate(error)))
        }
    }

    /// Stores revisions. What is wrong with one of them does not touch the others; what is wrong with the database ends all.
    private func store(_ revisions: [ReceivedRevision]) throws -> [Insertion] {
        let (insertions, bodies) = try database.write { transaction in
            transaction.origin = origin
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
                let isRefused = (error as? StoreError)?.code == .refused
                let isOfDocument = translated.domain == .blip || translated.isConflict || error is FleeceError || isDamaged || isRefused
                guard isOfDocument else { throw error }
                return .failed(translated)
            }
        }
    }

    private func insert(
        _ received: ReceivedRevision, _ transaction: Transaction, _ bodies: inout [FormerBodies.Key: FleeceData]
    ) throws -> Insertion {
        let message = received.message
        let body: FleeceData
        switch try bodyToStore(received, transaction) {
        case .ready(let properties): body = properties
        case .other(let insertion): return insertion
        }
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
            allowsConflicts: received.allowsConflict, inPlaceOf: received.allowsConflict ? [] : message.endedBranch, isShared: keepsShared)
        guard outcome.addedCount > 0 else { return .known }
        note(body, of: message, in: &bodies)
        // Only where a peer may have branches somebody asks for it.
        return .inserted(isConflict: outcome.isConflicted, rival: remote == 0 && received.allowsConflict ? outcome.rival : nil)
    }

    private func bodyToStore(_ received: ReceivedRevision, _ transaction: Transaction) throws -> Reading {
        if let properties = received.properties { return .ready(try transaction.adopt(properties)) }
        let message = received.message
        let (isPlain, isReserved) = message.body.withUnsafeBytes {
            (message.deltaSource == nil && ReceivedBody.isPlain(json: $0), ReceivedBody.mayHaveReservedNames(json: $0))
        }
        if isPlain {
            transaction.encoder.reset()
            try parse(message, into: transaction.encoder)
            return .ready(try transaction.encoder.finish())
        }
        // Names that are not stored are not to enter the table of keys either.
        guard isReserved else { return try read(message, transaction, by: transaction.encoder) }
        let reading = try read(message, transaction, by: FleeceEncoder())
        guard case .ready(let properties) = reading else { return reading }
        return .ready(try transaction.adopt(DocumentProperties(properties)))
    }

    private func note(_ body: FleeceData, of message: RevisionMessage, in bodies: inout [FormerBodies.Key: FleeceData]) {
        guard formerBodies != nil, !message.isDeleted, let revision = message.revision else { return }
        bodies[bodyKey(message.documentID, revision)] = body
    }
}
