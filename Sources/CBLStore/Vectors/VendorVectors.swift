import CBLSQLite
import CBLSystemSQLite

/// Vector indexes that the vendor's Enterprise Edition has made. Their triggers ask a module for every write that only the vendor has. Whoever
/// writes to such a collection with ours gets it an index of ours instead, as the vendor's would no longer be right; the vendor's apps make
/// theirs anew when they start.
extension Transaction {
    /// How far the collections of such indexes were when the transaction began.
    struct VendorVectorState {
        let index: VectorIndex
        let lastSequence: UInt64
        let purges: Int
    }

    /// Has statements compile that these triggers are part of, and notes what there is.
    func watchVendorsVectors() throws -> [VendorVectorState] {
        guard catalog.hasVendorsVectors else { return [] }
        try VectorStub.register(on: connection)
        return try vendorsVectorIndexes().map { index in
            let counted = try metadata(index.keyStore)
            return VendorVectorState(index: index, lastSequence: counted.lastSequence, purges: counted.purges)
        }
    }

    /// Before a commit: puts ours in the place of those whose collections were written to.
    func replaceVendorsVectors(_ states: [VendorVectorState]) throws {
        for state in states {
            let counted = try metadata(state.index.keyStore)
            guard counted.lastSequence != state.lastSequence || counted.purges != state.purges else { continue }
            let name = state.index.name
            guard let stored = try indexes().first(where: { $0.name == name && $0.kind == .vector }),
                try vendorsVectorIndexes().contains(where: { $0.name == name })
            else { continue }
            guard !state.index.options.isLazy else {
                throw StoreError(
                    .unsupported,
                    "the lazy vector index \"\(name)\" was made by the vendor's extension, and its vectors, which an app has given it, are nowhere "
                        + "else. To write to its collection without the extension, delete the index first", path: database.path)
            }
            try dropAny(stored)
            try createVectorIndex(name, keyStore: state.index.keyStore, state.index.expression, state.index.options)
        }
    }
}

/// A module under the name of the vendor's, which has nothing and does nothing: it lets tables of that kind be dropped, and statements with
/// triggers of them run.
enum VectorStub {
    static func register(on connection: Connection) throws {
        let code = sqlite3_create_module_v2(connection.handle, "vectorsearch", module, nil, nil)
        if code != SQLITE_OK { throw connection.error(code) }
    }

    nonisolated(unsafe) private static let module: UnsafePointer<sqlite3_module> = {
        let module = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
        var methods = sqlite3_module()
        methods.xCreate = connect
        methods.xConnect = connect
        methods.xBestIndex = { _, _ in SQLITE_OK }
        methods.xDisconnect = disconnect
        methods.xDestroy = disconnect
        methods.xOpen = open
        methods.xClose = close
        methods.xFilter = { _, _, _, _, _ in SQLITE_OK }
        methods.xNext = { _ in SQLITE_OK }
        methods.xEof = { _ in 1 }
        methods.xColumn = { _, _, _ in SQLITE_OK }
        methods.xRowid = { _, _ in SQLITE_OK }
        methods.xUpdate = { _, _, _, _ in SQLITE_OK }
        module.initialize(to: methods)
        return UnsafePointer(module)
    }()
}

private let connect:
    @convention(c) (
        OpaquePointer?, UnsafeMutableRawPointer?, Int32, UnsafePointer<UnsafePointer<CChar>?>?,
        UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab>?>?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    ) -> Int32 = { database, _, _, _, result, _ in
        let code = sqlite3_declare_vtab(database, "CREATE TABLE x(docid INTEGER, vector BLOB, distance REAL, bucket INTEGER)")
        guard code == SQLITE_OK else { return code }
        cblite_sqlite_vtab_innocuous(database)
        let table = UnsafeMutablePointer<sqlite3_vtab>.allocate(capacity: 1)
        table.initialize(to: sqlite3_vtab())
        result?.pointee = table
        return SQLITE_OK
    }

private let disconnect: @convention(c) (UnsafeMutablePointer<sqlite3_vtab>?) -> Int32 = { table in
    table?.deallocate()
    return SQLITE_OK
}

private let open:
    @convention(c) (UnsafeMutablePointer<sqlite3_vtab>?, UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab_cursor>?>?) -> Int32 = {
        _, result in
        let cursor = UnsafeMutablePointer<sqlite3_vtab_cursor>.allocate(capacity: 1)
        cursor.initialize(to: sqlite3_vtab_cursor())
        result?.pointee = cursor
        return SQLITE_OK
    }

private let close: @convention(c) (UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> Int32 = { cursor in
    cursor?.deallocate()
    return SQLITE_OK
}
