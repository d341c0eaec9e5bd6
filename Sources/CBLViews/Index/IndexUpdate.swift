import CBLBase
import CBLFleece
import CBLSQLite
import CBLStore
import Synchronization

/// Brings the views of one collection up to a state of the database. Runs in a transaction of the index that writes.
struct IndexUpdate {
    private final class View {
        let definition: ViewDefinition
        let writer: RowWriter
        /// Up to which sequence it was indexed; 0 for a new one.
        let since: UInt64
        /// Documents whose rows are to go, marked with 1 if they were deleted.
        var outdated = ByteList()

        init(_ definition: ViewDefinition, _ writer: RowWriter) {
            self.definition = definition
            self.writer = writer
            since = writer.state.sequence
        }
    }

    let index: IndexConnection
    let snapshot: Snapshot
    let database: Database
    let collection: CollectionName
    let options: IndexingOptions
    var report = IndexingReport()

    private var lastSequence: UInt64 = 0
    private var purges = 0

    init(
        _ index: IndexConnection, _ snapshot: Snapshot, of database: Database, _ collection: CollectionName, _ options: IndexingOptions
    ) throws {
        self.index = index
        self.snapshot = snapshot
        self.database = database
        self.collection = collection
        self.options = options
        lastSequence = try snapshot.lastSequence(of: collection)
        purges = try snapshot.purgeCount(of: collection)
    }

    /// Whether there is nothing to do for a view.
    func isCurrent(_ definition: ViewDefinition) throws -> Bool {
        guard let state = try index.state(of: definition.name, in: collection), state.fits(definition) else { return false }
        return state.sequence == lastSequence && state.purges == purges && snapshot.generation.countsPurges && isSameDatabase(state)
    }

    mutating func run(_ definitions: [ViewDefinition]) throws {
        var new: [View] = []
        var known: [View] = []
        for definition in definitions {
            if let state = try index.state(of: definition.name, in: collection), state.fits(definition), isSameDatabase(state) {
                known.append(View(definition, try RowWriter(index, state)))
            } else {
                report.rebuilt.append(definition.name)
                new.append(View(definition, try RowWriter(index, try index.makeView(definition))))
            }
        }
        if !new.isEmpty { try build(new) }
        let outdated = known.filter { $0.since < lastSequence || $0.writer.state.purges != purges || !snapshot.generation.countsPurges }
        if !outdated.isEmpty { try update(outdated) }
    }

    /// Whether the index was made of this database: of none that was replaced, or went back to what it was before.
    private func isSameDatabase(_ state: ViewState) -> Bool {
        guard state.sequence <= lastSequence else { return false }
        guard let sample = state.sample else { return true }
        guard let document = try? snapshot.document(sample.id, in: collection) else { return state.purges != purges }
        guard document.sequence == sample.sequence else { return document.sequence > state.sequence }
        return document.revision.isFirst(of: sample.revision)
    }

    // New views

    private mutating func build(_ views: [View]) throws {
        let mapping = try MappingThread(views.map { ($0.definition, 0) }, options, database)
        var samples: [ViewState.Sample?] = []
        if let pieces = try MappingPieces(snapshot, collection, options) {
            samples = try build(views, mapping, pieces)
        } else {
            let cursor = try snapshot.scan(collection, ScanOptions(order: .stored))
            cursor.onDamage = { _ in }
            var isFinished = false
            while !isFinished {
                isFinished = try mapping.map(cursor, on: snapshot, limit: options.mostMemory)
                mapping.sortRows()
                try write([mapping], to: views)
            }
        }
        samples.append(mapping.latest)
        report.documents += mapping.documentCount
        try finish(views, samples.compactMap { $0 }.max { $0.sequence < $1.sequence })
    }

    /// In pieces, on two threads if the state of the database can be seen twice.
    private mutating func build(_ views: [View], _ mapping: MappingThread, _ pieces: MappingPieces) throws -> [ViewState.Sample?] {
        try snapshot.expect(scan: true)
        guard options.usesTwoThreads, pieces.isWorthTwoThreads, let twin = snapshot.twin else {
            while !pieces.areTaken {
                try pieces.map(mapping, on: snapshot, options)
                try write([mapping], to: views)
            }
            return []
        }
        let other = LentMapping(mapping: try MappingThread(views.map { ($0.definition, 0) }, options, database))
        while !pieces.areTaken {
            let failure = Mutex<(any Error)?>(nil)
            let options = options
            let thread = WorkerThread(name: "views") {
                do {
                    _ = try twin.read { snapshot in
                        try snapshot.expect(scan: true)
                        try pieces.map(other.mapping, on: snapshot, options)
                    }
                } catch {
                    pieces.stop()
                    failure.withLock { $0 = error }
                }
            }
            defer { thread.join() }
            do { try pieces.map(mapping, on: snapshot, options) } catch {
                pieces.stop()
                throw error
            }
            thread.join()
            if let error = failure.withLock({ $0 }) { throw error }
            try write([mapping, other.mapping], to: views)
        }
        report.documents += other.mapping.documentCount
        return [other.mapping.latest]
    }

    /// What the second thread works with. The first leaves it alone until that thread has ended.
    private struct LentMapping: @unchecked Sendable {
        let mapping: MappingThread
    }

    private func write(_ mappings: [MappingThread], to views: [View]) throws {
        for (number, view) in views.enumerated() {
            let rows = mappings.map { $0.rows(number) }
            try view.writer.insert(rows)
            try view.writer.insertDocuments(rows)
            for mapping in mappings { try mapping.check() }
        }
        for mapping in mappings { mapping.removeRows() }
    }

    private func finish(_ views: [View], _ sample: ViewState.Sample?) throws {
        for view in views {
            view.writer.state.sequence = lastSequence
            view.writer.state.purges = purges
            if let sample { view.writer.state.sample = sample }
            try index.save(view.writer.state)
        }
    }

    // Known views

    private mutating func update(_ views: [View]) throws {
        let mapping = try MappingThread(views.map { ($0.definition, $0.since) }, options, database)
        var scan = ScanOptions(order: .sequence)
        scan.since = views.map(\.since).min()
        scan.includesDeleted = true
        let cursor = try snapshot.scan(collection, scan)
        cursor.onDamage = { _ in }
        // Tombstones of documents that were known live: each moved to another table, if there is one, and counts as purged for that.
        let mostMemory = options.mostMemory
        let movesTombstones = snapshot.documentTables(of: collection)?.deleted != nil
        var moved = views.map { _ in 0 }
        func remove() throws { for (number, view) in views.enumerated() { moved[number] += try view.writer.remove(&view.outdated) } }
        var isFinished = lastSequence == scan.since
        while !isFinished {
            isFinished = try mapping.map(cursor, on: snapshot, limit: options.mostMemory) { cursor in
                for view in views where cursor.sequence > view.since {
                    view.outdated.append(cursor.idBytes, mark: cursor.isDeleted && movesTombstones ? 1 : 0)
                }
                if views.contains(where: { $0.outdated.byteCount > mostMemory }) { try remove() }
            }
            try remove()
            mapping.sortRows()
            try write([mapping], to: views)
        }
        report.documents += mapping.documentCount
        for (number, view) in views.enumerated() {
            let gone = purges - view.writer.state.purges
            let isExplained = snapshot.generation.countsPurges && (gone == 0 || gone == moved[number])
            if !isExplained { try removeVanished(from: view) }
        }
        try finish(views, mapping.latest ?? newSample(for: views))
    }

    /// The latest document that is still there, if that of a view has gone.
    private func newSample(for views: [View]) throws -> ViewState.Sample? {
        let hasGone = try views.contains { view in
            try view.writer.state.sample.map { try snapshot.document($0.id, in: collection) == nil } ?? false
        }
        guard hasGone else { return nil }
        var scan = ScanOptions(order: .sequence, content: .metadata)
        (scan.isDescending, scan.includesDeleted, scan.limit) = (true, true, 1)
        let cursor = try snapshot.scan(collection, scan)
        cursor.onDamage = { _ in }
        return try cursor.next() ? ViewState.Sample(cursor) : nil
    }

    /// Takes out the rows of documents that are not there any more.
    private mutating func removeVanished(from view: View) throws {
        let ids = try snapshot.scan(collection, ScanOptions(order: .id, content: .id))
        ids.onDamage = { _ in }
        var hasID = try ids.next()
        try index.guarded {
            try PackedTable.read(IndexSchema.documents(view.writer.state.view), of: index.connection) { indexed in
                while hasID, MappedRows.compare(ids.idBytes, indexed.place) < 0 { hasID = try ids.next() }
                guard !hasID || MappedRows.compare(ids.idBytes, indexed.place) != 0 else { return }
                view.outdated.append(indexed.place, mark: 1)
            }
        }
        report.vanished += try view.writer.remove(&view.outdated)
    }
}

extension RevisionID {
    /// Whether a record's column says that this is the current revision.
    fileprivate func isFirst(of column: [UInt8]) -> Bool {
        column.withUnsafeBytes { (try? RevisionID(column: $0)) == self }
    }
}

extension ViewState.Sample {
    fileprivate init(_ cursor: DocumentCursor) {
        self.init(id: cursor.id, sequence: cursor.sequence, revision: Array(cursor.versionBytes))
    }
}
