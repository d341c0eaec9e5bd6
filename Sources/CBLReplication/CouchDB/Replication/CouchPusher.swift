import CBLFleece
import CBLStore

/// Pushes to a server: page after page of what changed here, of which it is sent what it says that it lacks.
struct CouchPusher {
    let store: ReplicatedDatabase
    let remote: RemoteDatabase
    /// The number of the collection in reports.
    let index: Int
    let isContinuous: Bool
    let progress: CouchProgress
    let checkpoint: CouchCheckpoint

    private static let pageSize = 200
    /// Documents are collected until they are so long together.
    private static let batchBytes = 4 << 20

    func run(isReset: Bool) throws {
        var since = try checkpoint.load(isReset: isReset).flatMap { UInt64($0) } ?? 0
        var failure: SyncError?
        progress.isBusy(true)
        defer { progress.isBusy(false) }
        while !progress.isStopping {
            try progress.check()
            let page = try store.branchChanges(since: since, limit: CouchPusher.pageSize)
            if let problem = try send(page) { failure = failure ?? problem }
            if page.last != since, failure == nil { try checkpoint.advance(to: "\(page.last)") }
            since = page.last
            guard page.isComplete else { continue }
            // What failed for the moment is tried again in the next session.
            if let failure { throw failure }
            try checkpoint.save()
            guard isContinuous else { return }
            progress.isBusy(false)
            defer { progress.isBusy(true) }
            guard progress.waitForChange(of: store.collection) else { return }
        }
        try checkpoint.save()
    }

    // A page

    private func send(_ page: BranchChanges) throws -> SyncError? {
        var failure: SyncError?
        for damaged in page.damaged {
            let error = SyncError.liteCore(SyncError.LiteCoreCode.corruptData, damaged.problem)
            progress.report(DocumentEvent(.push, collection: index, documentID: damaged.id, revision: nil, error: error))
        }
        let named = page.documents.map { document in
            (id: document.id, revisions: document.leaves.filter { !$0.id.isVersion }.flatMap { [$0.id] + $0.farAncestors }.map(\.name))
        }
        for document in page.documents where document.leaves.contains(where: \.id.isVersion) {
            report(
                document.id, document.current, document.isDeleted,
                .http(501, "it was changed in a database with version vectors, and its revision means nothing to a server of this kind"))
        }
        let asked = named.filter { !$0.revisions.isEmpty }
        guard !asked.isEmpty else { return nil }
        let differences = try remote.difference(asked)
        // The current revision of each, the next of those that have more, and so on.
        var rounds: [[DepartureOrder]] = []
        var known: [RemoteMark] = []
        for document in page.documents where !document.current.isVersion {
            let difference = differences[document.id]
            let missing = Set(difference?.missing ?? [])
            if !missing.contains(document.current.name) { known.append(RemoteMark(documentID: document.id, revision: document.current)) }
            let leaves = document.leaves.filter { missing.contains($0.id.name) }
            let ordered = leaves.filter { $0.id == document.current } + leaves.filter { $0.id != document.current }
            for (round, leaf) in ordered.enumerated() {
                if rounds.count == round { rounds.append([]) }
                let ancestors = (difference?.ancestors ?? []) + leaf.farAncestors.map(\.name).filter { !missing.contains($0) }
                rounds[round].append(
                    DepartureOrder(
                        id: document.id, revision: leaf.id, ancestors: ancestors, isDeleted: leaf.isDeleted,
                        isCurrent: leaf.id == document.current))
            }
        }
        try mark(known)
        progress.add(total: rounds.reduce(0) { $0 + $1.count })
        var refused: ByDocument<SyncError> = [:]
        for (number, round) in rounds.enumerated() {
            // A branch ends because another one goes on. If the server does not take that, it keeps what it has.
            let orders = number == 0 ? round : round.filter { !$0.isDeleted || $0.isCurrent || refused[$0.id] == nil }
            progress.add(completed: round.count - orders.count)
            if let problem = try send(orders, &refused) { failure = failure ?? problem }
        }
        return failure
    }

    /// No two of them are of the same document.
    private func send(_ orders: [DepartureOrder], _ refused: inout ByDocument<SyncError>) throws -> SyncError? {
        try progress.alone(with: orders.map(\.id)) { try sendAlone(orders, &refused) }
    }

    private func sendAlone(_ orders: [DepartureOrder], _ refused: inout ByDocument<SyncError>) throws -> SyncError? {
        var failure: SyncError?
        var batch = DocumentBatch()
        var uploads: [Upload] = []
        for (order, departure) in zip(orders, try load(orders)) {
            switch departure {
            case .gone: progress.add(completed: 1)
            case .failed(let error):
                refused[order.id] = error
                report(order.id, order.revision, order.isDeleted, error)
            case .ready(let revision) where !revision.attachments.isEmpty:
                uploads.append(Upload(revision: revision, order: order))
            case .ready(let revision):
                batch.add(revision.json, order)
                guard batch.byteCount >= CouchPusher.batchBytes else { continue }
                if let problem = try send(&batch, &refused) { failure = failure ?? problem }
            }
        }
        if let problem = try send(&batch, &refused) { failure = failure ?? problem }
        if let problem = try send(uploads, &refused) { failure = failure ?? problem }
        return failure
    }

    private func load(_ orders: [DepartureOrder], inline: Bool = false) throws -> [Departure] {
        let behind = !inline && remote.abilities.withLock { $0.takesMultipart }
        var departures = try store.departing(orders, withAttachmentsBehind: behind)
        for (place, departure) in departures.enumerated() {
            // A document is not told since when it has its blobs. The server knows which it has.
            guard case .ready(let revision) = departure, !revision.attachments.isEmpty, let ancestor = revision.ancestor else {
                continue
            }
            var order = orders[place]
            order.knownAttachments = try remote.attachments(of: order.id, ancestor)
            guard !order.knownAttachments.isEmpty, let anew = try store.departing([order], withAttachmentsBehind: behind).first else {
                continue
            }
            departures[place] = anew
        }
        return departures
    }

    // Documents

    /// `{"docs":[…],"new_edits":false}`
    private struct DocumentBatch {
        private(set) var orders: [DepartureOrder] = []
        private var text: [UInt8] = []

        var byteCount: Int { text.count }

        mutating func add(_ json: [UInt8], _ order: DepartureOrder) {
            text += Array((orders.isEmpty ? "{\"new_edits\":false,\"docs\":[" : ",").utf8)
            text += json
            orders.append(order)
        }

        var body: [UInt8] { text + Array("]}".utf8) }
    }

    private func send(_ batch: inout DocumentBatch, _ refused: inout ByDocument<SyncError>) throws -> SyncError? {
        guard !batch.orders.isEmpty else { return nil }
        try progress.check()
        let rejections = try remote.store(batch.body)
        var errors: ByDocument<SyncError> = [:]
        for rejection in rejections { errors[rejection.id] = errors[rejection.id] ?? rejection.error }
        let failure = try finish(batch.orders, errors, &refused)
        batch = DocumentBatch()
        return failure
    }

    /// A document with contents that are too long for JSON.
    private struct Upload: Sendable {
        let revision: DepartingRevision
        let order: DepartureOrder
    }

    private enum Uploaded: Sendable {
        case stored
        case rejected(SyncError)
        /// The server takes no body of several parts.
        case misunderstood
    }

    /// Each in a request of its own, several at a time.
    private func send(_ uploads: [Upload], _ refused: inout ByDocument<SyncError>) throws -> SyncError? {
        let (remote, blobs, progress) = (remote, store.database.blobs, progress)
        let results = try Parallel.map(uploads, width: remote.server.mostRequests) { upload in
            try progress.check()
            return try CouchPusher.upload(upload, blobs, to: remote)
        }
        var failure: SyncError?
        for (upload, result) in zip(uploads, results) {
            let problem: SyncError?
            switch result {
            case .stored: problem = try finish([upload.order], [:], &refused)
            case .rejected(let error): problem = try finish([upload.order], [upload.order.id: error], &refused)
            case .misunderstood: problem = try sendInline(upload.order, &refused)
            }
            failure = failure ?? problem
        }
        return failure
    }

    private static func upload(_ upload: Upload, _ blobs: BlobFolder, to remote: RemoteDatabase) throws -> Uploaded {
        guard remote.abilities.withLock({ $0.takesMultipart }), RemoteDatabase.isPlain(upload.order.id) else { return .misunderstood }
        let body: AttachmentUpload
        do { body = try AttachmentUpload(upload.revision.json, upload.revision.attachments, blobs) } catch let error as StoreError {
            // A content that is damaged is this document's trouble.
            return .rejected(ReplicatedDatabase.translate(error))
        }
        let answer = try remote.request(
            "PUT", [upload.order.id], [("new_edits", "false")], .product(body.product, type: body.contentType))
        if answer.isSuccess {
            _ = try answer.readAll(most: 1 << 20)
            return .stored
        }
        guard answer.status == 415 else { return .rejected(RemoteDatabase.failure(answer)) }
        remote.abilities.withLock { $0.takesMultipart = false }
        return .misunderstood
    }

    private func sendInline(_ order: DepartureOrder, _ refused: inout ByDocument<SyncError>) throws -> SyncError? {
        guard case .ready(let plain)? = try load([order], inline: true).first else { return nil }
        var batch = DocumentBatch()
        batch.add(plain.json, order)
        return try send(&batch, &refused)
    }

    /// Notes what came of revisions that were sent. Gives why something has to be tried again.
    private func finish(
        _ orders: [DepartureOrder], _ errors: ByDocument<SyncError>, _ refused: inout ByDocument<SyncError>
    ) throws -> SyncError? {
        var failure: SyncError?
        var marks: [RemoteMark] = []
        var count = 0
        for order in orders {
            var error = errors[order.id]
            // A server that takes no conflicts has no such branch that could end.
            if order.isDeleted, !order.isCurrent, error?.httpStatus == 409 { error = nil }
            if let error { refused[order.id] = error } else { count += 1 }
            if let error, CouchPuller.isTransient(error) { failure = failure ?? error }
            if error == nil, order.isCurrent { marks.append(RemoteMark(documentID: order.id, revision: order.revision)) }
            report(order.id, order.revision, order.isDeleted, error)
        }
        try mark(marks)
        progress.add(completed: orders.count, documents: count)
        return failure
    }

    private func mark(_ marks: [RemoteMark]) throws {
        guard !marks.isEmpty else { return }
        if case .failed(let error) = store.perform(.mark(marks)) { throw error }
    }

    private func report(_ id: String, _ revision: RevisionID, _ isDeleted: Bool, _ error: SyncError?) {
        // With each change there the document is looked at again, and refused again.
        if error?.isConflict == true, !progress.isNewConflict(id, revision) { return }
        progress.report(
            DocumentEvent(
                .push, collection: index, documentID: id, revision: revision, flags: isDeleted ? .deleted : [], error: error,
                isTransient: error.map(CouchPuller.isTransient) ?? false))
    }
}
