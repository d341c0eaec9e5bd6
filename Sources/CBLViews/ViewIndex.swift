import CBLBase
import CBLFunctions
import CBLSQLite
import CBLStore
import Synchronization

/// The map/reduce views of a database: its indexes, in a file beside it, or temporary ones where there can be none.
///
///     let index = ViewIndex(database)
///     try index.update([byCity])
///     try index.query(byCity, ViewQuery(startKey: "A")) { rows in
///         while try rows.next() { print(rows.documentID) }
///     }
///
/// Any thread may use it. What is indexed is what is committed: changes of a transaction that is still open are not seen.
package final class ViewIndex: Sendable {
    package enum Place: Sendable {
        /// Beside the database, if that is opened for writing and its folder can be written to.
        case beside
        /// Also if the database was opened for reading only: the index is no part of it. One of 1.x is left as it is, and its index is temporary.
        case besideAnyway
        case temporary
    }

    package let database: Database
    private let current: Mutex<IndexFile>

    package init(_ database: Database, _ place: Place = .beside) {
        self.database = database
        // What is encrypted is not repeated in clear.
        let isBeside =
            switch database.isEncrypted ? .temporary : place {
            case .beside: !database.isReadOnly
            case .besideAnyway: (try? database.isVersion1) == false
            case .temporary: false
            }
        current = Mutex(isBeside ? IndexFile(beside: database) : IndexFile())
    }

    deinit { close() }

    var file: IndexFile { current.withLock { $0 } }

    /// Where the index is; nil for a temporary one.
    package var path: String? { file.isTemporary ? nil : file.path }

    package func close() { file.close() }

    /// Brings the indexes of views up to date, all views of a collection in one pass.
    @discardableResult
    package func update(_ views: [ViewDefinition], _ options: IndexingOptions = IndexingOptions()) throws -> IndexingReport {
        var report = IndexingReport()
        var collections: [CollectionName] = []
        for view in views where !collections.contains(view.collection) { collections.append(view.collection) }
        for collection in collections {
            let part = try update(views.filter { $0.collection == collection }, in: collection, options)
            report.documents += part.documents
            report.rebuilt += part.rebuilt
            report.vanished += part.vanished
        }
        return report
    }

    private func update(_ views: [ViewDefinition], in collection: CollectionName, _ options: IndexingOptions) throws -> IndexingReport {
        guard database.isOpen else { throw ViewError.closed }
        let isCurrent = try recovering { file in
            try file.reading { index in
                try index.transaction(writing: false) {
                    try isOfDatabase(index)
                        // The index first: the state of the database is not older then.
                        && database.readCommitted { snapshot in
                            let update = try IndexUpdate(index, snapshot, of: database, collection, options)
                            return try views.allSatisfy { try update.isCurrent($0) }
                        }
                }
            }
        }
        guard !isCurrent else { return IndexingReport() }
        try prepareSequences(of: collection)
        return try recovering { file in
            try file.writing { index in
                let report = try index.transaction(writing: true) {
                    if try !isOfDatabase(index) { try adopt(index) }
                    return try database.readCommitted { snapshot in
                        var update = try IndexUpdate(index, snapshot, of: database, collection, options)
                        try update.run(views)
                        return update.report
                    }
                }
                // After so much the log begins anew, and whoever writes into it first waits for the disk: that is to be nobody's small update.
                if !report.rebuilt.isEmpty, !file.isTemporary {
                    try index.transaction(writing: true) { try index.setProperty("database", identity()) }
                }
                return report
            }
        }
    }

    /// Makes the index by sequence that changes are found with, as a change feed does, if there are enough documents to be worth it.
    private func prepareSequences(of collection: CollectionName) throws {
        guard !database.isReadOnly, try database.readCommitted({ try !$0.isSmall(collection, 10_000) }) else { return }
        // Without it, it only takes longer.
        try? database.prepareChangeFeed(of: collection)
    }

    // Which database

    private func identity() throws -> String {
        // After an upgrade purges may be counted that were not, and tombstones be moved that were not.
        let (uuid, generation) = try database.readCommitted { ($0.publicUUID?.description.uppercased() ?? "", $0.generation.rawValue) }
        return "\(uuid) \(FileIdentity(bundle: database.path)?.text ?? "") \(generation)"
    }

    func isOfDatabase(_ index: IndexConnection) throws -> Bool { try index.property("database") == identity() }

    /// Empties the index for another database.
    private func adopt(_ index: IndexConnection) throws {
        for (_, _, state) in try index.names() { try index.removeView(state) }
        try index.setProperty("database", identity())
    }

    /// Runs `work`, and once more, unless that must not be, with a new index if this one turns out to be damaged, or with a temporary one if it
    /// cannot be opened.
    func recovering<Result>(unless isFinal: () -> Bool = { false }, _ work: (IndexFile) throws -> Result) throws -> Result {
        guard database.isOpen else { throw ViewError.closed }
        let file = file
        let round = file.round
        do { return try work(file) } catch let error as ViewError {
            if error.isDamage {
                file.throwAway(ifStillIn: round)
                if isFinal() { throw error }
                return try work(file)
            }
            guard case .index(let reason, _) = error, !file.isTemporary, !isFinal(), reason.isReadOnly || reason.cannotOpen else {
                throw error
            }
            let temporary = IndexFile()
            current.withLock { $0 = temporary }
            file.close()
            return try work(temporary)
        }
    }

    // The list

    package struct Entry: Sendable {
        package let collection: String
        package let name: String
        package let version: String
        package let rows: Int
        package let sequence: UInt64
        package let collation: JSONCollation
        package let documentType: String?
    }

    /// The views that have an index.
    package func entries() throws -> [Entry] {
        try recovering { file in
            guard file.isThere else { return [] }
            return try file.reading { index in
                try index.transaction(writing: false) {
                    guard try isOfDatabase(index) else { return [] }
                    return try index.names().map { collection, name, state in
                        Entry(
                            collection: collection, name: name, version: state.version, rows: state.count, sequence: state.sequence,
                            collation: state.collation, documentType: state.type)
                    }
                }
            }
        }
    }

    /// Removes the index of a view; false if it had none.
    @discardableResult
    package func remove(_ name: String, in collection: CollectionName = .default) throws -> Bool {
        try recovering { file in
            guard file.isThere else { return false }
            return try file.writing { index in
                try index.transaction(writing: true) {
                    guard let state = try index.state(of: name, in: collection) else { return false }
                    try index.removeView(state)
                    return true
                }
            }
        }
    }

    /// Removes all indexes, with their file.
    package func removeAll() { file.throwAway() }
}

extension SQLiteError {
    fileprivate var cannotOpen: Bool { code == 14 }
}
