import CBLFleece
import CBLStore

extension StoreError {
    /// Whether one document is damaged. What SQLite finds is not one document.
    var isOfDocument: Bool { code == .corrupt && cause == nil }
}

/// Answers what sessions ask for from one collection of a database. Each request is a transaction of its own.
package struct ReplicatedDatabase: Sendable {
    package let database: Database
    package let collection: CollectionName
    /// The number of the remote in documents; 0 for peers that connect to us, of whom nothing is noted.
    package private(set) var remote: UInt16
    package var checkpointID = ""
    /// Under which the original of a copied database may have left a checkpoint.
    package var formerCheckpointIDs: [String] = []
    /// Nil for all documents.
    package var documentIDs: Set<String>?
    package var pushFilter: SyncFilter?
    package var pullFilter: SyncFilter?
    package var resolver: SyncResolver = SyncResolution.standard
    /// Whether conflicts are settled on threads of their own.
    package var resolvesAside = false
    /// Who connected to us, and where their checkpoints are counted.
    struct Visitor: Sendable {
        let name: String
        let checkpoints: CheckpointShelf
        /// What they may ask for changes of.
        let collections: [CollectionName]
    }
    var visitor: Visitor?
    /// What is said of revisions that come.
    package var origin = RevisionOrigin()
    /// Whether what the peer has is kept in trees, as a place to join to, though nothing is noted of whose it is.
    var keepsShared = false
    /// What deltas may start from besides what the database keeps.
    var formerBodies: FormerBodies?

    /// A body below that is sent whole.
    static let smallestDelta = 200
    private static let mostAttempts = 10

    package init(_ database: Database, collection: CollectionName = .default, remote: UInt16) {
        self.database = database
        self.collection = collection
        self.remote = remote
    }

    /// The same, without notes in documents of what the remote has.
    var withoutNotes: ReplicatedDatabase {
        var copy = self
        copy.remote = 0
        return copy
    }

    package func perform(_ request: StoreRequest) -> StoreAnswer {
        do {
            return try answer(request)
        } catch {
            return .failed(ReplicatedDatabase.translate(error))
        }
    }

    /// Looks up what takes no longer than to have another thread do it, and nothing of the app's is asked about: nil if that cannot be, or the
    /// database is not to be had just now.
    func answerAtOnce(_ request: StoreRequest) -> StoreAnswer? {
        switch request {
        case .readChanges(let since, let limit) where pushFilter == nil:
            database.peekAtOnce { snapshot in
                // Each document that has changed has a sequence of its own.
                let last = try snapshot.lastSequence(of: collection)
                guard last >= since, last - since <= ReplicatedDatabase.mostAtOnce, try snapshot.hasSequenceIndex(of: collection) else {
                    return nil
                }
                return .changes(try readChanges(since: since, limit: limit, snapshot))
            }
        case .review(let entries) where entries.count <= ReplicatedDatabase.mostAtOnce:
            database.peekAtOnce { .verdicts(try review(entries, $0)) }
        case .loadRevisions(let orders, let options)
        where orders.count <= ReplicatedDatabase.mostAtOnce && orders.allSatisfy { ReplicatedDatabase.isSmall($0, options) }:
            database.peekAtOnce { snapshot in .revisions(orders.map { load($0, options, snapshot) }) }
        default: nil
        }
    }

    private static let mostAtOnce = 8
    private static let largestAtOnce = 4 << 10

    /// Whether a revision is loaded in a moment. What a delta would start from may be large.
    private static func isSmall(_ order: SendOrder, _ options: SendOptions) -> Bool {
        let mayBeDelta = options.acceptsDeltas && order.allowsDelta && !order.ancestors.isEmpty && order.bodySize >= smallestDelta
        return order.bodySize <= largestAtOnce && !mayBeDelta
    }

    /// An error of the store in terms of the protocol.
    static func translate(_ error: any Error) -> SyncError {
        switch StoreError.translating(error) {
        case let error as SyncError: error
        case let error as StoreError:
            switch error.code {
            case .conflict: .http(409, error.message)
            case .notFound: .http(404, error.message)
            case .invalidDocument, .invalidName, .invalidRevision: SyncError(.blip, 400, error.message)
            // Not the document's fault, and it may be otherwise the next time.
            case .busy, .diskFull, .inputOutput, .noTransaction, .fromFuture: .http(503, error.message)
            case .readOnly, .refused: .http(403, error.message)
            case .corrupt: .liteCore(SyncError.LiteCoreCode.corruptData, error.message)
            default: .liteCore(SyncError.LiteCoreCode.unexpectedError, error.message)
            }
        case let error as MalformedMessage: SyncError(error)
        case let error as JSONError: SyncError(.blip, 400, "the body is not JSON: \(error)")
        default: .liteCore(SyncError.LiteCoreCode.unexpectedError, "\(error)")
        }
    }

    private func answer(_ request: StoreRequest) throws -> StoreAnswer {
        switch request {
        case .loadCheckpoint:
            return try database.read { snapshot in
                for id in [checkpointID] + formerCheckpointIDs {
                    if let body = try snapshot.checkpoint(id) { return .checkpoint(id: id, body: body) }
                }
                return .checkpoint(id: checkpointID, body: nil)
            }
        case .saveCheckpoint(let body):
            try database.write { try $0.setCheckpoint(checkpointID, body) }
            return .done
        case .loadPeerCheckpoint(let id):
            let stored = try database.read { try $0.peerCheckpoint(id) }
            return .peerCheckpoint(revision: stored?.revision ?? "", body: stored?.body)
        case .savePeerCheckpoint(let id, let revision, let body):
            let saved =
                try visitor.map { try $0.checkpoints.save(id, revision: revision, body, by: $0.name, in: database) }
                ?? database.write { try $0.setPeerCheckpoint(id, revision: revision, body) }
            return .peerCheckpoint(revision: saved, body: nil)
        case .readChanges(let since, let limit): return .changes(try readChanges(since: since, limit: limit))
        case .lookUp(let entries): return .lookups(try lookUp(entries))
        case .review(let entries): return .verdicts(try database.read { try review(entries, $0) })
        case .inspect(let id, let peer): return .state(try inspect(id, peer: peer))
        case .loadRevisions(let orders, let options):
            return .revisions(try database.read { snapshot in orders.map { load($0, options, snapshot) } })
        case .insert(let revisions):
            do { return .inserted(try insert(revisions)) } catch let error as StoreError where error.code == .corrupt {
                // Nothing can be stored until that is repaired, and then everything is to come again.
                throw SyncError.http(503, error.message)
            }
        case .mark(let marks):
            try database.write { try mark(marks, $0) }
            return .done
        case .noteDeletion(let id, let revision):
            try database.write { try $0.noteDeletion($0.local(revision), of: id, in: collection, onRemote: remote) }
            return .done
        case .purge(let lost):
            let accepted = Set(try toBePurged(lost.map(\.documentID)))
            let purged = try database.write { transaction in
                try lost.filter { lost in
                    guard accepted.contains(lost.documentID), try !isBack(lost, transaction) else { return false }
                    try transaction.purge(lost.documentID, in: collection)
                    return true
                }
            }
            return purged.count == lost.count ? .done : .documents(purged.map(\.documentID))
        case .findConflicts: return .documents(try database.read { try $0.conflictedDocuments(in: collection) })
        case .resolveConflict(let id): return .resolved(isNew: try resolve(id))
        }
    }

    /// Whether the peer has sent a newer revision since, over another connection.
    private func isBack(_ lost: LostDocument, _ transaction: Transaction) throws -> Bool {
        guard let revision = lost.revision.map(transaction.local) else { return false }
        do {
            return try transaction.withRevisions(of: lost.documentID, in: collection) { $0.isNewer(onRemote: remote, than: revision) }
                ?? false
        } catch let error as StoreError where error.isOfDocument {
            return false
        }
    }

    /// The first peer that asks has the index made that this takes, as in the vendor's library: of a large collection that may be a while, for which nobody
    /// else has to wait.
    private func readChanges(since: UInt64, limit: Int) throws -> LocalChanges {
        let changes = try database.read { snapshot in
            try database.isReadOnly || snapshot.hasSequenceIndex(of: collection) ? readChanges(since: since, limit: limit, snapshot) : nil
        }
        if let changes { return changes }
        try database.prepareChangeFeed(of: visitor?.collections ?? [collection])
        return try database.read { try readChanges(since: since, limit: limit, $0) }
    }

    private func readChanges(since: UInt64, limit: Int, _ snapshot: Snapshot) throws -> LocalChanges {
        let documents = try snapshot.changes(in: collection, since: since, limit: limit, remote: remote)
        var list = LocalChanges(changes: [], last: documents.lastSequence ?? since, isComplete: documents.count < limit)
        if list.isComplete { list.last = max(list.last, try snapshot.lastSequence(of: collection)) }
        for damaged in documents.damaged where documentIDs?.contains(damaged.id) ?? true {
            list.unreadable.append(
                UnreadableChange(
                    sequence: damaged.sequence, documentID: damaged.id, substitute: try ReplicatedDatabase.substitute(snapshot),
                    error: .liteCore(SyncError.LiteCoreCode.corruptData, damaged.problem)))
        }
        for document in documents.readable where try isToBePushed(document, snapshot) {
            list.changes.append(
                LocalChange(
                    sequence: document.sequence, documentID: document.id, revision: document.revision, isDeleted: document.isDeleted,
                    bodySize: document.bodySize, remoteRevision: document.remoteRevision))
        }
        return list
    }

    /// What a question to a document's revisions comes to.
    private enum Finding<Answer> {
        case answer(Answer)
        case missing
        case damaged
    }

    private func ask<Answer>(_ id: String, _ snapshot: Snapshot, _ question: (DocumentRevisions) -> Answer) throws -> Finding<Answer> {
        do {
            return try snapshot.withRevisions(of: id, in: collection, question).map { .answer($0) } ?? .missing
        } catch let error as StoreError where error.isOfDocument {
            return .damaged
        }
    }

    /// A revision that nobody has made.
    private static func substitute(_ snapshot: Snapshot) throws -> RevisionID {
        try RevisionID(parsing: snapshot.versioning == .vectors ? "1@cblitedamageddocumentA" : "1-0000000000000000000000000000000000000000")
    }

    private func lookUp(_ entries: [ChangesMessage.Entry]) throws -> [Lookup] {
        var toNote: [(String, RevisionID)] = []
        var lookups: [Lookup] = try database.read { snapshot in
            try entries.map { entry in
                guard !entry.flags.losesAccess, let revision = entry.revision.map(snapshot.local) else { return .unknown(ancestors: []) }
                // It cannot be stored over one that is damaged, but it is not known either, and the others are to come.
                switch try ask(entry.documentID, snapshot, { $0.acquaintance(with: revision, remote: remote) }) {
                case .answer(.known(let isNoted)):
                    if !isNoted { toNote.append((entry.documentID, revision)) }
                    return .known
                case .answer(.unknown(let ancestors)): return .unknown(ancestors: ancestors.map(snapshot.global))
                case .missing, .damaged: return .unknown(ancestors: [])
                }
            }
        }
        if !toNote.isEmpty {
            try database.write { transaction in
                for (id, revision) in toNote {
                    do {
                        try transaction.noteLatest(revision, of: id, in: collection, onRemote: remote)
                        guard let document = try transaction.document(id, in: collection), document.revision != revision,
                            !document.isConflicted, let place = entries.firstIndex(where: { $0.documentID == id })
                        else { continue }
                        lookups[place] = .surpassed(by: document.sequence)
                    } catch let error as StoreError where error.code == .notFound {
                        // Changed since it was looked at; the note comes with the next push.
                    }
                }
            }
        }
        return lookups
    }

    private func review(_ entries: [ProposalMessage.Entry], _ snapshot: Snapshot) throws -> [ProposalReply.Item] {
        try entries.map { entry in
            guard let revision = entry.revision.map(snapshot.local) else { return .refused(status: 400) }
            let parent = entry.serverRevision.map(snapshot.local)
            switch try ask(entry.documentID, snapshot, { $0.verdict(on: revision, parent: parent) }) {
            case .answer(.wanted), .missing: return .accepted
            case .answer(.known): return .known
            case .answer(.conflict(let current)): return .conflict(with: snapshot.global(current))
            case .damaged: return .refused(status: 503)
            }
        }
    }

    private func inspect(_ id: String, peer: RevisionID?) throws -> DocumentState {
        try database.read { snapshot in
            guard let document = try snapshot.document(id, in: collection) else {
                return DocumentState(current: nil, remoteRevision: nil, isConflicted: false, descendsFromPeer: false)
            }
            let revisions = try document.revisions()
            return DocumentState(
                current: snapshot.global(document.revision),
                remoteRevision: revisions.latest(onRemote: remote).map { snapshot.global($0.id) },
                isConflicted: document.isConflicted,
                descendsFromPeer: peer.map { revisions.currentDescends(from: snapshot.local($0)) } ?? false)
        }
    }

    private func mark(_ marks: [RemoteMark], _ transaction: Transaction) throws {
        guard remote != 0 else {
            if keepsShared { for mark in marks { try transaction.keepShared(mark.revision, of: mark.documentID, in: collection) } }
            return
        }
        for mark in marks {
            do {
                let revision = transaction.local(mark.revision)
                if mark.isRejected {
                    try transaction.markRejected(revision, of: mark.documentID, in: collection)
                } else {
                    try transaction.markPushed(revision, of: mark.documentID, in: collection, to: remote)
                }
            } catch let error as StoreError where error.code == .notFound {
                // The document has changed, or is gone: there is nothing to note it in.
            }
        }
    }

    /// `received` is what came from the peer, where that may have become the current revision. `rival` is what it came beside, if one of the two is a
    /// deletion: trees alone do not make a conflict of that. `shared` is what a peer that has branches is known to have of them.
    @discardableResult
    func resolve(
        _ id: String, received: RevisionID? = nil, rival: RevisionID? = nil, shared: Set<RevisionID>? = nil
    ) throws -> Bool {
        for attempt in 0..<ReplicatedDatabase.mostAttempts {
            var isTheirs = false
            let found = try database.read { snapshot -> SyncConflict? in
                guard let document = try snapshot.document(id, in: collection) else {
                    guard attempt > 0 else { return nil }
                    throw SyncError.liteCore(
                        SyncError.LiteCoreCode.notFound, "document \"\(id)\" was purged while its conflict was being settled")
                }
                let revisions = try document.revisions()
                // As soon as it was current, somebody here may have gone on from it.
                isTheirs = received.map { revisions.currentDescends(from: snapshot.local($0)) } ?? false
                let besides = rival.flatMap { isTheirs ? $0 : received }
                guard
                    let rival = revisions.competitors.first(where: { $0.revision == received }) ?? besides.flatMap(revisions.openLeaf)
                        ?? revisions.competitor
                else { return nil }
                func properties(_ body: FleeceData, _ isDeleted: Bool = false) -> DocumentProperties? {
                    isDeleted ? nil : DocumentProperties(body, keys: snapshot.sharedKeys)
                }
                var conflict = SyncConflict(
                    documentID: id, collection: collection, localRevision: snapshot.global(document.revision),
                    remoteRevision: snapshot.global(rival.revision), local: properties(document.body, document.isDeleted),
                    remote: properties(rival.body, rival.isDeleted),
                    base: revisions.commonBase(with: rival.revision).flatMap { properties($0) })
                conflict.document = document
                return conflict
            }
            guard var conflict = found else { return false }
            // What came is the remote's, wherever it stands in the document: a server may take only what follows its own revision.
            let isContinued = isTheirs && conflict.localRevision != received
            if isTheirs { conflict = conflict.swapped }
            // The app's code runs outside of transactions; if the document changes meanwhile, it is asked again.
            var resolution: SyncResolution
            do { resolution = try resolver(conflict) } catch let error as SyncError {
                throw error
            } catch {
                throw SyncError.liteCore(SyncError.LiteCoreCode.conflict, "the conflict could not be settled: \(error)")
            }
            // This side's last word was said to what came.
            if isContinued, case .local = resolution { resolution = .remote }
            do {
                return try database.write { try settle(conflict, resolution, amongLeaves: rival != nil, shared, $0) }
            } catch let error as StoreError where error.code == .conflict || error.code == .notFound {
                continue
            }
        }
        throw SyncError.http(409, "document \"\(id)\" changes faster than its conflict can be settled")
    }

    /// Gives whether something is there that the remote does not have.
    private func settle(
        _ conflict: SyncConflict, _ resolution: SyncResolution, amongLeaves: Bool, _ shared: Set<RevisionID>?, _ transaction: Transaction
    ) throws -> Bool {
        let settlement: Settlement =
            switch resolution {
            case .local: .local
            case .remote: .remote
            case .merged(let properties): .merged(try transaction.adopt(properties))
            case .deleted: .deleted
            }
        let settled = try transaction.settle(
            conflict.documentID, in: collection, local: transaction.local(conflict.localRevision),
            remote: transaction.local(conflict.remoteRevision), settlement, amongLeaves: amongLeaves,
            shared: shared)
        return !settled.isRemotes
    }
}
