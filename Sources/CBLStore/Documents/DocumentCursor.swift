import CBLFleece
import CBLSQLite
import CBLSystemSQLite

/// The documents of a collection, one after another. Nothing is copied: what a row gives lies where it was read, and is valid until the next
/// `next`. Hot: `ls`, `export` and `cat` walk through whole collections with it (benchmarks `ls`, `export`, `cat all`).
///
///     let cursor = try snapshot.scan(.default, ScanOptions(content: .metadata))
///     while try cursor.next() { print(cursor.id, cursor.sequence) }
package final class DocumentCursor {
    // Columns of every scan.
    private enum Column {
        static let key: Int32 = 0
        static let sequence: Int32 = 1
        static let flags: Int32 = 2
        static let version: Int32 = 3
        static let expiration: Int32 = 4
        static let body: Int32 = 5
        static let extra: Int32 = 6
    }

    package let collection: CollectionName
    private let snapshot: Snapshot
    @exclusivity(unchecked) private var statement: Statement
    /// Where the rows come from as long as `isOfPages`; then they come from the statement.
    private let pages: DocumentPages?
    @exclusivity(unchecked) private(set) var isOfPages = false
    private let query: ScanQuery
    private let options: ScanOptions
    private let hasBodies: Bool
    /// How many documents were given, so that they are not given again behind a damaged page.
    @exclusivity(unchecked) private var count = 0
    /// The documents that can still be read, if a damaged page was met.
    @exclusivity(unchecked) private var rest: DamagedScan?
    private var isClosed = false
    /// Told of what is passed over because it is damaged. Without it, a scan ends with an error there.
    @exclusivity(unchecked) package var onDamage: ((DamagedDocument) -> Void)? { didSet { tellsDamage = onDamage != nil } }
    // To ask a function whether it is there costs as much as to call it.
    @exclusivity(unchecked) private var tellsDamage = false

    init(_ snapshot: Snapshot, _ tables: CollectionTables, _ options: ScanOptions) throws {
        self.snapshot = snapshot
        collection = tables.name
        self.options = options
        hasBodies = [.body, .idAndBody, .everything].contains(options.content)
        query = ScanQuery(tables, options, mayHoldTombstones: snapshot.mayHoldTombstones(tables))
        statement = try snapshot.connection.take(query.sql)
        try query.bind(to: statement)
        pages = try? DocumentPages(tables, options, snapshot)
        isOfPages = pages != nil
    }

    /// Gives the statement back to the connection, for the next scan of this kind. Nothing can be read any more. Who scans for a few documents
    /// again and again saves the compiling by that; nobody has to.
    package func close() {
        guard rest == nil, !isClosed else { return }
        isClosed = true
        snapshot.connection.keep(statement)
    }

    /// Goes to the next document; false when there is none.
    @inline(__always)
    package func next() throws(SQLiteError) -> Bool {
        if tellsDamage { return try nextPastDamage() }
        return try advance()
    }

    @inline(__always)
    private func advance() throws(SQLiteError) -> Bool {
        guard isOfPages, let pages else { return try statement.step() }
        switch try pages.next() {
        case .row: return true
        case .end: return false
        case .unsure: break
        }
        isOfPages = false
        for _ in 0..<pages.count { guard try statement.step() else { return false } }
        return try statement.step()
    }

    /// The document's ID in UTF-8.
    package var idBytes: UnsafeRawBufferPointer {
        if isOfPages, let pages { return pages.key }
        return statement.text(Column.key) ?? UnsafeRawBufferPointer(start: nil, count: 0)
    }
    package var id: String { String(decoding: idBytes, as: UTF8.self) }
    /// 0 for one that is negative, which only a damaged row has.
    package var sequence: UInt64 { UInt64(bitPattern: max(0, isOfPages ? pages?.sequence ?? 0 : statement.int64(Column.sequence))) }
    package var flags: DocumentFlags { DocumentFlags(rawValue: UInt16(truncatingIfNeeded: flagsColumn)) }
    private var flagsColumn: Int64 {
        if isOfPages, let pages { return pages.flags }
        return statement.int64(Column.flags)
    }
    /// Counts changes of a document that did not make a revision.
    package var subsequence: Int { Int(flagsColumn >> 16) }
    package var isDeleted: Bool { flags.contains(.deleted) }

    /// The current revision's binary form: a tree ID, or a version vector.
    package var versionBytes: UnsafeRawBufferPointer {
        if isOfPages, let pages { return pages.version }
        return statement.blob(Column.version) ?? UnsafeRawBufferPointer(start: nil, count: 0)
    }

    package func revision() throws(StoreError) -> RevisionID {
        do { return try RevisionID(column: versionBytes) } catch { throw damaged("\(error)") }
    }

    /// Milliseconds since 1970.
    package var expiration: Int64? {
        if isOfPages, let pages { return pages.expiration }
        return statement.isNull(Column.expiration) ? nil : statement.int64(Column.expiration)
    }

    /// The size of the current body in bytes.
    package var bodySize: Int {
        if isOfPages, let pages { return pages.bodySize }
        if statement.type(Column.body) == SQLITE_INTEGER { return Int(min(max(0, statement.int64(Column.body)), Int64(Limits.bytes))) }
        return bodyBytes.count
    }

    /// The current body; empty if the document is. Only for scans whose content includes it.
    package var bodyBytes: UnsafeRawBufferPointer {
        if isOfPages, let pages { return pages.body }
        guard let bytes = statement.blob(Column.body) else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return RecordBody.current(bytes)
    }

    /// The root of the current body; undefined if it is damaged.
    package var body: Value {
        let bytes = bodyBytes
        if bytes.isEmpty { return RecordBody.empty }
        return Value(root: bytes) ?? .undefined
    }

    /// The other revisions as stored. Only for scans with `everything`.
    package var extraBytes: UnsafeRawBufferPointer? {
        if isOfPages, let pages { return pages.extra }
        return statement.blob(Column.extra)
    }

    /// The column `body` as stored: the current body, or in records of 2.x the tree. Only for scans with `everything`.
    var bodyColumn: UnsafeRawBufferPointer? {
        if isOfPages, let pages { return pages.bodyColumn }
        return statement.blob(Column.body)
    }

    /// The document on its own, to be kept. Only for scans with `everything`.
    package func document() throws(StoreError) -> Document {
        let record = Record(
            flags: flags, subsequence: subsequence, sequence: sequence, version: versionBytes, body: bodyColumn, extra: extraBytes,
            expiration: expiration)
        return try Document(id, in: collection, record, source: snapshot.sourceID)
    }

    /// What the document remembers, read where it lies: no body of it may be kept. Only for scans with `everything`.
    func revisionsInPlace() throws(StoreError) -> DocumentRevisions {
        do {
            return try DocumentRevisions(
                version: versionBytes, body: bodyColumn, extra: extraBytes, sequence: sequence, flags: flags, source: snapshot.sourceID,
                bodies: .lent)
        } catch {
            throw damaged("\(error)")
        }
    }

    /// What `read` takes from the next document; nil if there is none. One that it cannot read is damaged. Only for scans with `everything`.
    package func next<Result>(reading read: (Document) throws(StoreError) -> Result) throws -> Result? {
        while try next() {
            do {
                return try read(document())
            } catch {
                guard let onDamage else { throw error }
                let reason = error.message.firstRange(of: " is damaged: ").map { String(error.message[$0.upperBound...]) }
                onDamage(DamagedDocument(collection: collection, id: id, reason: reason ?? error.message))
            }
        }
        return nil
    }

    private func nextPastDamage() throws(SQLiteError) -> Bool {
        while try step() {
            if let reason = visibleDamage {
                onDamage?(DamagedDocument(collection: collection, id: id, reason: reason))
            } else {
                return true
            }
        }
        return false
    }

    private func step() throws(SQLiteError) -> Bool {
        if rest == nil {
            do {
                guard try advance() else { return false }
                count += 1
                return true
            } catch {
                guard error.isDamage else { throw error }
                let given = try givenKeys()
                rest = try DamagedScan(query, options, without: given, snapshot.connection) { [collection] id, reason in
                    self.onDamage?(DamagedDocument(collection: collection, id: id, reason: reason))
                }
            }
        }
        guard let row = try rest?.next() else { return false }
        statement = row
        return true
    }

    /// The IDs of the documents that were given: the same way gives the same ones again.
    private func givenKeys() throws(SQLiteError) -> Set<[UInt8]> {
        var keys: Set<[UInt8]> = []
        // SQLite may have met the damage among those that it was to pass over.
        if let pages, pages.count == count {
            pages.rewind()
            while keys.count < count, try pages.next() == .row { keys.insert(Array(pages.key)) }
        } else if count > 0 {
            let statement = try snapshot.connection.prepare(query.sql)
            try query.bind(to: statement)
            for _ in 0..<count {
                guard try statement.step() else { break }
                keys.insert(statement.text(Column.key).map(Array.init) ?? [])
            }
        }
        return keys
    }

    /// What can be seen at a glance.
    private var visibleDamage: String? {
        if !isOfPages, statement.isNull(Column.key) { return "it has no ID" }
        guard hasBodies else { return nil }
        return body.dictionary == nil ? "its body is damaged" : nil
    }

    private func damaged(_ reason: String) -> StoreError { StoreError(.corrupt, "document \"\(id)\" is damaged: \(reason)") }
}

extension Snapshot {
    /// Walks through a collection.
    package func scan(_ collection: CollectionName, _ options: ScanOptions = ScanOptions()) throws -> DocumentCursor {
        let tables = try tables(collection)
        return try DocumentCursor(self, tables, options)
    }
}
