import CBLBase
import CBLFleece
import CBLStore

/// Pulls from a server: page after page of its changes, the revisions of each that are not here, and these into the database.
struct CouchPuller {
    let store: ReplicatedDatabase
    let remote: RemoteDatabase
    let settings: ReplicatorSettings.Collection
    /// The number of the collection in reports.
    let index: Int
    let keepsConflicts: Bool
    let isEmpty: Bool
    let progress: CouchProgress
    let checkpoint: CouchCheckpoint

    /// Changes that are asked for at once, and revisions.
    private static let pageSize = 1000
    private static let batchSize = 200

    func run(isReset: Bool) throws {
        var request = ChangesRequest(limit: CouchPuller.pageSize)
        request.since = try checkpoint.load(isReset: isReset).map(CouchPuller.sequence)
        request.skipsDeleted = settings.skipsDeleted || isEmpty && request.since == nil
        request.tellsRevocations = settings.purgesLost && remote.abilities.withLock { $0.tellsRevocations }
        request.documentIDs = settings.documentIDs.isEmpty ? nil : settings.documentIDs
        request.filter = settings.remoteFilter
        request.parameters = settings.remoteParameters
        progress.isBusy(true)
        defer { progress.isBusy(false) }
        guard try catchUp(&request) else { return try checkpoint.save() }
        if settings.pull == .continuous { try listen(request) }
    }

    /// Takes all that there is. False if it was stopped.
    private func catchUp(_ request: inout ChangesRequest) throws -> Bool {
        var failure: SyncError?
        while !progress.isStopping {
            let page = try remote.changes(request)
            if let problem = try take(page.rows, skipsDeleted: request.skipsDeleted) { failure = failure ?? problem }
            let last = page.last ?? page.rows.last?.sequence ?? request.since
            if let last, last != request.since, failure == nil { try checkpoint.advance(to: last.text) }
            let isStuck = last == request.since
            request.since = last
            if page.count < request.limit || isStuck {
                // What failed for the moment comes again in the next session.
                if let failure { throw failure }
                try checkpoint.save()
                return true
            }
        }
        return false
    }

    /// Goes on with what happens from now on. The server is asked for the next changes; when these come one after the other, it is listened to instead.
    private func listen(_ request: ChangesRequest) throws {
        var request = request
        // Whatever is deleted from now on was here.
        if !settings.skipsDeleted { request.skipsDeleted = false }
        var quick = 0
        while !progress.isStopping {
            if quick >= CouchPuller.fewQuick, remote.abilities.withLock({ $0.streamsChanges }) {
                quick = 0
                try follow(&request)
                continue
            }
            request.feed = .longpoll
            let begun = Instant.now
            guard let page = try wait(for: request) else { break }
            quick = page.rows.isEmpty || Instant.now - begun > .seconds(1) ? 0 : quick + 1
            try takeAll(page, &request)
            if page.count < request.limit { try checkpoint.save() }
        }
        try checkpoint.save()
    }

    /// So many answers in a row that came at once are a stream.
    private static let fewQuick = 3

    private func follow(_ request: inout ChangesRequest) throws {
        request.feed = .continuous
        var next = request
        var saved = Instant.now
        progress.isBusy(false)
        defer { progress.isBusy(true) }
        do {
            let isFollowed = try remote.follow(request) { page in
                progress.isBusy(true)
                try takeAll(page, &next)
                if Instant.now - saved > .seconds(1) {
                    try checkpoint.save()
                    saved = Instant.now
                }
                progress.isBusy(false)
                if progress.isStopping { throw Stopped() }
            }
            if !isFollowed { remote.abilities.withLock { $0.streamsChanges = false } }
        } catch {
            if !progress.isStopping { throw error }
        }
        request.since = next.since
        try checkpoint.save()
    }

    /// Ends what is followed, and nobody hears of it.
    private struct Stopped: Error {}

    /// What cannot be taken now ends the session, and comes again in the next one.
    private func takeAll(_ page: RemoteChanges, _ request: inout ChangesRequest) throws {
        if let problem = try take(page.rows, skipsDeleted: request.skipsDeleted) { throw problem }
        guard let last = page.last ?? page.rows.last?.sequence, last != request.since else { return }
        try checkpoint.advance(to: last.text)
        request.since = last
    }

    static func sequence(_ text: String) -> RemoteSequence {
        // A number where it can be one: gateways make a difference.
        RemoteSequence(json: text) ?? RemoteSequence(string: text)
    }

    /// The next changes, when there are some. Nil if it is time to stop.
    private func wait(for request: ChangesRequest) throws -> RemoteChanges? {
        progress.isBusy(false)
        defer { progress.isBusy(true) }
        let begun = Instant.now
        do {
            let page = try remote.changes(request)
            // A server that does not wait is not to be asked all the time.
            if page.rows.isEmpty, Instant.now - begun < .seconds(1) { progress.pause(.seconds(1)) }
            return progress.isStopping && page.rows.isEmpty ? nil : page
        } catch {
            if progress.isStopping { return nil }
            throw error
        }
    }

    // A page

    /// Stores what is not here. Gives why something has to come again.
    private func take(_ rows: [RemoteChanges.Row], skipsDeleted: Bool) throws -> SyncError? {
        var entries: [ChangesMessage.Entry] = []
        var names: [(revision: String, row: RemoteChanges.Row)] = []
        for row in rows {
            if row.losesAccess {
                try lose(row.documentID, row.revisions.first)
                continue
            }
            for name in row.revisions {
                guard let revision = try? RevisionID(name: name), !revision.isVersion else {
                    report(row.documentID, nil, row.isDeleted, .http(501, "a database cannot hold the revision \(name)"))
                    continue
                }
                let sequence = row.sequence ?? RemoteSequence(0)
                entries.append(
                    ChangesMessage.Entry(
                        sequence: sequence, documentID: row.documentID, revision: revision, flags: row.isDeleted ? .deleted : []))
                names.append((name, row))
            }
        }
        guard !entries.isEmpty else { return nil }
        let lookups = try store.lookups(entries)
        var wanted: [RemoteDatabase.Wanted] = []
        for ((entry, name), lookup) in zip(zip(entries, names), lookups) {
            guard case .unknown(let ancestors) = lookup else { continue }
            if skipsDeleted, entry.flags.isDeletion, ancestors.isEmpty { continue }
            let known = ancestors.filter { !$0.isVersion }.prefix(10).map(\.name)
            wanted.append(
                RemoteDatabase.Wanted(
                    id: entry.documentID, revision: name.revision, ancestors: known, leaves: name.row.revisions, isGone: name.row.isDeleted)
            )
        }
        progress.add(total: wanted.count)
        var failure: SyncError?
        var rest = wanted[...]
        while !rest.isEmpty {
            try progress.check()
            var batch = Array(rest.prefix(CouchPuller.batchSize))
            rest = rest.dropFirst(batch.count)
            // The branches of a document come together: only then it is known which of them goes on.
            while let next = rest.first, next.id == batch.last?.id {
                batch.append(next)
                rest.removeFirst()
            }
            if let problem = try fetch(batch) { failure = failure ?? problem }
            progress.add(completed: batch.count)
            if progress.isStopping, !rest.isEmpty { return failure ?? .http(503, "it was stopped") }
        }
        if !keepsConflicts {
            let fetched = Set(wanted.map(\.id))
            try settle(leftConflicts(rows.filter { !$0.losesAccess && !fetched.contains($0.documentID) }))
        }
        return failure
    }

    // Revisions

    private func fetch(_ batch: [RemoteDatabase.Wanted]) throws -> SyncError? {
        var arrived: [(RemoteDatabase.Wanted, RevisionArrival.Outcome)] = []
        let arrival = RevisionArrival(store: store, remote: remote)
        var later: [Arrived] = []
        let isFetched =
            try remote.abilities.withLock { $0.hasBulkGet }
            && remote.bulkGet(batch) { wanted, result in
                switch result {
                case .failure(let error): arrived.append((wanted, .failed(error)))
                case .success(let value):
                    // Others can come while an attachment does.
                    if value.dictionary?.value(forKey: AttachmentEncoding.property, nil) != nil {
                        later.append(Arrived(wanted: wanted, document: .success(try CouchPuller.copy(value))))
                    } else {
                        arrived.append((wanted, try arrival.receive(wanted, value)))
                    }
                }
            }
        if !isFetched {
            remote.abilities.withLock { $0.hasBulkGet = false }
            later = try fetchOneByOne(batch)
        }
        let outcomes = try Parallel.map(later, width: remote.server.mostRequests) { arrived in
            try CouchPuller.outcome(arrived, arrival)
        }
        arrived += zip(later.map(\.wanted), outcomes)
        return try store(arrived)
    }

    /// A request for each document.
    private func fetchOneByOne(_ batch: [RemoteDatabase.Wanted]) throws -> [Arrived] {
        var documents: ByDocument<[RemoteDatabase.Wanted]> = [:]
        for wanted in batch { documents[wanted.id] = (documents[wanted.id] ?? []) + [wanted] }
        return try Parallel.map(documents.sorted.map(\.value), width: remote.server.mostRequests) { [remote] revisions in
            if revisions.count > 1, remote.abilities.withLock({ $0.hasOpenRevisions }) {
                if let found = try remote.revisions(revisions) { return found.map { Arrived(wanted: $0.0, document: $0.1) } }
                remote.abilities.withLock { $0.hasOpenRevisions = false }
            }
            return try revisions.map { Arrived(wanted: $0, document: try remote.get($0)) }
        }.flatMap { $0 }
    }

    private struct Arrived: Sendable {
        let wanted: RemoteDatabase.Wanted
        let document: Result<FleeceData, SyncError>
    }

    private static func copy(_ value: Value) throws -> FleeceData {
        let encoder = FleeceEncoder()
        encoder.write(value, keys: nil)
        return try encoder.finish()
    }

    private static func outcome(_ arrived: Arrived, _ arrival: RevisionArrival) throws -> RevisionArrival.Outcome {
        do {
            return try arrived.document.get().withRoot { try arrival.receive(arrived.wanted, $0) }
        } catch let error as SyncError where error.domain == .http {
            // An attachment that is not to be had is this document's trouble.
            return .failed(error)
        }
    }

    private func store(_ arrived: [(RemoteDatabase.Wanted, RevisionArrival.Outcome)]) throws -> SyncError? {
        var failure: SyncError?
        func fail(_ wanted: RemoteDatabase.Wanted, _ error: SyncError, isDeleted: Bool = false) {
            report(wanted.id, try? RevisionID(name: wanted.revision), isDeleted, error)
            if CouchPuller.isTransient(error) { failure = failure ?? error }
        }
        var revisions: [(RemoteDatabase.Wanted, ReceivedRevision)] = []
        for (wanted, outcome) in arrived {
            switch outcome {
            case .revision(let revision): revisions.append((wanted, try store.joined(revision, leaves: wanted.leaves)))
            case .lost: try lose(wanted.id, wanted.revision)
            case .failed(let error): fail(wanted, error)
            }
        }
        guard !revisions.isEmpty else { return failure }
        var conflicts: ByDocument<Conflict> = [:]
        var stored = 0
        for ((wanted, revision), insertion) in zip(revisions, try store.insertions(revisions.map(\.1))) {
            switch insertion {
            case .inserted(let isConflict, let rival):
                stored += 1
                if let conflict = try conflict(wanted, revision.message, isConflict: isConflict, beside: rival),
                    conflicts[wanted.id]?.isWithCurrent != true
                {
                    conflicts[wanted.id] = conflict
                }
                report(wanted.id, revision.message.revision, revision.message.isDeleted, nil)
            case .known: break
            case .removed: try lose(wanted.id, wanted.revision)
            case .failed(let error): fail(wanted, error, isDeleted: revision.message.isDeleted)
            case .incomplete, .deltaFailed: fail(wanted, .http(502, "a part of it is missing"))
            }
        }
        progress.add(documents: stored)
        if !keepsConflicts { try settle(conflicts) }
        return failure
    }

    /// Whether it may go away by itself: the revision comes again in the next session.
    static func isTransient(_ error: SyncError) -> Bool { error.isTransientForDocument || error.httpStatus == 500 }

    private func lose(_ id: String, _ revision: String?) throws {
        guard settings.purgesLost else { return }
        let revision = revision.flatMap { try? RevisionID(name: $0) }
        switch store.perform(.purge([LostDocument(documentID: id, revision: revision)])) {
        case .failed(let error): throw error
        default:
            progress.report(DocumentEvent(.pull, collection: index, documentID: id, revision: revision, flags: .revoked))
        }
    }

    func report(_ id: String, _ revision: RevisionID?, _ isDeleted: Bool, _ error: SyncError?) {
        progress.report(
            DocumentEvent(
                .pull, collection: index, documentID: id, revision: revision, flags: isDeleted ? .deleted : [], error: error,
                isTransient: error.map(CouchPuller.isTransient) ?? false))
    }
}

extension ReplicatedDatabase {
    func lookups(_ entries: [ChangesMessage.Entry]) throws -> [Lookup] {
        switch perform(.lookUp(entries)) {
        case .lookups(let lookups): return lookups
        case .failed(let error): throw error
        default: return []
        }
    }

    func insertions(_ revisions: [ReceivedRevision]) throws -> [Insertion] {
        switch perform(.insert(revisions)) {
        case .inserted(let insertions): return insertions
        case .failed(let error): throw error
        default: return []
        }
    }
}

extension ReplicatorSettings.Collection {
    /// What the server is to leave out, and by which words it knows that.
    var remoteFilter: String? { filter ?? (channels.isEmpty ? nil : "sync_gateway/bychannel") }

    var remoteParameters: [String: String] {
        var parameters = filterParameters
        if filter == nil, !channels.isEmpty { parameters["channels"] = channels.joined(separator: ",") }
        return parameters
    }
}
