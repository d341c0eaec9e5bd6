import CBLFleece
import CBLSQLite

/// A row of a collection's table as it is stored, its columns of bytes in one piece of memory. They are decoded for who asks.
struct Record: Sendable {
    var flags: DocumentFlags
    var subsequence: Int
    var sequence: UInt64
    var expiration: Int64?
    /// The table it was found in.
    var isInDeletedTable = false

    /// `body`, and behind it `extra` and `version`: what `extra` points into precedes it.
    private let columns: FleeceData
    private let bodyCount: Int?
    private let extraCount: Int?

    init(
        flags: DocumentFlags, subsequence: Int, sequence: UInt64, version: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer?,
        extra: UnsafeRawBufferPointer?, expiration: Int64?
    ) {
        self.flags = flags
        self.subsequence = subsequence
        self.sequence = sequence
        self.expiration = expiration
        bodyCount = body?.count
        extraCount = extra?.count
        columns = FleeceData(count: body?.count ?? 0, annexCount: (extra?.count ?? 0) + version.count) { memory in
            var rest = memory
            func put(_ bytes: UnsafeRawBufferPointer) {
                rest.copyMemory(from: bytes)
                rest = UnsafeMutableRawBufferPointer(rebasing: rest[bytes.count...])
            }
            if let body { put(body) }
            if let extra { put(extra) }
            put(version)
        }
    }

    /// The row that a statement is at, whose columns are `sequence, flags, version, body, extra, expiration` from the first one given.
    init(_ row: Statement, sequence: Int32, flags: Int32, version: Int32, body: Int32, extra: Int32, expiration: Int32) {
        let stored = row.int64(flags)
        self.init(
            flags: DocumentFlags(rawValue: UInt16(truncatingIfNeeded: stored)), subsequence: Int(stored >> 16),
            sequence: UInt64(bitPattern: row.int64(sequence)), version: row.blob(version) ?? UnsafeRawBufferPointer(start: nil, count: 0),
            body: row.blob(body), extra: row.blob(extra), expiration: row.isNull(expiration) ? nil : row.int64(expiration))
    }

    /// Lends the columns.
    func withColumns<Result, Failure: Error>(
        _ work: (_ version: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer?, _ extra: UnsafeRawBufferPointer?) throws(Failure) ->
            Result
    ) throws(Failure) -> Result {
        try columns.withAnnex { (all) throws(Failure) in
            let bodyEnd = bodyCount ?? 0
            let extraEnd = bodyEnd + (extraCount ?? 0)
            return try work(
                UnsafeRawBufferPointer(rebasing: all[extraEnd...]),
                bodyCount == nil ? nil : UnsafeRawBufferPointer(rebasing: all[..<bodyEnd]),
                extraCount == nil ? nil : UnsafeRawBufferPointer(rebasing: all[bodyEnd..<extraEnd]))
        }
    }

    /// Of all columns together.
    var byteCount: Int { withColumns { ($1?.count ?? 0) + ($2?.count ?? 0) + $0.count } }

    var hasExtra: Bool { extraCount != nil }

    /// Whether the other revisions, if any, are kept as in a version-vector database, which may name revisions by tree IDs too.
    var holdsVectors: Bool { withColumns(Record.holdVectors) }

    static func holdVectors(_ version: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer?, _ extra: UnsafeRawBufferPointer?) -> Bool {
        if version.first == 0 { return true }
        // With nothing beside it, a tree ID names a tree of 2.x in the body, or a lone revision received in a vector database.
        guard let extra else { return !(body.map(RecordBody.isTree) ?? false) }
        return extra.starts(with: VectorRevisions.extraPrefix)
    }

    /// The current revision, by the column that says so.
    func revision() throws(RevisionError) -> RevisionID {
        try withColumns { (version, _, _) throws(RevisionError) in try RevisionID(column: version) }
    }

    /// The current revision's properties.
    var body: FleeceData {
        withColumns { _, body, _ in
            guard let bytes = body.map(RecordBody.current), !bytes.isEmpty else { return .emptyDictionary }
            return bytes.count == body?.count ? columns : FleeceData(bytes, partOf: columns)
        }
    }

    func tree() throws(RevisionError) -> RevisionTree {
        // An absent `body` beside a tree is an empty document's.
        try withColumns { (_, body, extra) throws(RevisionError) in
            try RevisionTree(body: body, extra: extra, sequence: sequence, flags: flags, bodies: .parts(of: columns))
        }
    }

    /// `source` is who `*` is to others.
    func vectors(source: SourceID) throws(RevisionError) -> VectorRevisions {
        var vectors = try withColumns { (version, body, extra) throws(RevisionError) in
            try VectorRevisions(
                version: version, body: body, extra: extra, sequence: sequence, flags: flags, bodies: .parts(of: columns))
        }
        vectors.source = source
        return vectors
    }

    func revisions(source: SourceID) throws(RevisionError) -> DocumentRevisions {
        holdsVectors ? .vectors(try vectors(source: source)) : .tree(try tree())
    }

    /// One that is out of all reason, in a damaged file, begins anew.
    var nextSubsequence: Int { (0..<Int(Int32.max)).contains(subsequence) ? subsequence + 1 : 1 }
    var storedFlags: Int64 { Int64(flags.rawValue) | Int64(subsequence) << 16 }
}

extension Record {
    /// The row of a document that `Snapshot.withRow` lends.
    fileprivate init(_ row: Statement, isInDeletedTable: Bool) {
        self.init(row, sequence: 0, flags: 1, version: 2, body: 3, extra: 4, expiration: 5)
        self.isInDeletedTable = isInDeletedTable
    }
}

extension Snapshot {
    /// The row of a document, from whichever of the two tables has it.
    func record(_ id: String, in tables: CollectionTables) throws -> Record? {
        var id = id
        return try id.withUTF8 { try record(UnsafeRawBufferPointer($0), in: tables) }
    }

    func record(_ id: UnsafeRawBufferPointer, in tables: CollectionTables) throws -> Record? {
        try withRow(id, in: tables) { Record($0, isInDeletedTable: $1) }
    }

    /// Lends the row of a document: `sequence, flags, version, body, extra, expiration`.
    private func withRow<Result>(
        _ id: UnsafeRawBufferPointer, in tables: CollectionTables, _ work: (Statement, _ isInDeletedTable: Bool) throws -> Result
    ) throws -> Result? {
        for table in tables.all {
            let result = try connection.withStatement(table.statements.select) { row -> Result? in
                try row.bind(text: id, 1, staysInPlace: true)
                return try row.step() ? try work(row, table !== tables.live) : nil
            }
            if let result { return result }
        }
        return nil
    }

    /// The document with this ID, live or deleted; nil if there is none.
    package func document(_ id: String, in collection: CollectionName = .default) throws -> Document? {
        let tables = try tables(collection)
        var utf8 = id
        return try utf8.withUTF8 { bytes in
            try withRow(UnsafeRawBufferPointer(bytes), in: tables) { row, isInDeletedTable in
                try Document(id, in: collection, Record(row, isInDeletedTable: isInDeletedTable), source: sourceID)
            }
        }
    }

    /// Lends what a document remembers, read where it lies: nothing is copied, so no body may leave `work`. Nil if there is no such document.
    package func withRevisions<Result>(
        of id: String, in collection: CollectionName = .default, _ work: (DocumentRevisions) throws -> Result
    ) throws -> Result? {
        let tables = try tables(collection)
        var utf8 = id
        return try utf8.withUTF8 { bytes in
            try withRow(UnsafeRawBufferPointer(bytes), in: tables) { row, _ in
                let version = row.blob(2) ?? UnsafeRawBufferPointer(start: nil, count: 0)
                do {
                    return try work(
                        DocumentRevisions(
                            version: version, body: row.blob(3), extra: row.blob(4), sequence: UInt64(bitPattern: row.int64(0)),
                            flags: DocumentFlags(rawValue: UInt16(truncatingIfNeeded: row.int64(1))), source: sourceID, bodies: .lent))
                } catch let error as RevisionError {
                    throw StoreError(.corrupt, "document \"\(id)\" is damaged: \(error)")
                }
            }
        }
    }
}
