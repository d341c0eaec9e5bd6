import CBLSQLite
import CBLSystemSQLite
import CBLVectors
import Glibc

/// The tables that the SQL of vector searches names: `SELECT docid, distance FROM "kv_.words:vector:words_index" WHERE vector MATCH ? LIMIT 5`.
///
/// They are modules of a connection, with nothing in the file. Columns: `docid`, the row of the document; `vector`, to be matched; and
/// `distance`.
final class VectorTableContext {
    /// What the tables are asked of: the indexes as they are in the state that is read.
    private weak var snapshot: Snapshot?
    private var indexes: [String: VectorIndex] = [:]
    private var registered: Set<String> = []

    /// Makes a table known to SQLite, as of now.
    func offer(_ index: VectorIndex, named name: String, on snapshot: Snapshot) throws {
        self.snapshot = snapshot
        indexes[name] = index
        if registered.insert(name).inserted { try VectorTable.register(name, on: snapshot.connection, self) }
        // The vendor's own table of that name comes before a module: one of the connection's own comes before both.
        guard snapshot.catalog.indexTables[name] == .vectors else { return }
        let quotedName = quoted(identifier: name)
        try snapshot.connection.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.\(quotedName) USING \(quotedName)")
    }

    fileprivate func search(_ name: String) throws -> VectorSearch {
        guard let snapshot, let index = indexes[name] else {
            throw StoreError(.notFound, "no such table: \(name)")
        }
        return try VectorSearch(index, on: snapshot)
    }
}

extension Snapshot {
    /// Lets SQL search an index under a name.
    package func offerVectorTable(_ index: VectorIndex, named name: String) throws {
        try registerFunctions()
        try file.vectorTables.offer(index, named: name, on: self)
    }
}

enum VectorTable {
    fileprivate enum Column: Int32 { case docid, vector, distance }

    /// What a plan uses, in the order of its arguments.
    fileprivate struct Uses: OptionSet {
        let rawValue: Int32
        static let match = Uses(rawValue: 1)
        static let row = Uses(rawValue: 2)
        static let limit = Uses(rawValue: 4)
        static let probes = Uses(rawValue: 8)
        static let all: [Uses] = [.match, .row, .limit, .probes]
    }

    static func register(_ name: String, on connection: Connection, _ context: VectorTableContext) throws {
        try register(NamedContext(name: name, context: context), module, on: connection)
    }

    /// A module under the name of the vendor's, which has nothing and does nothing: it lets tables of that kind be dropped, and statements with
    /// triggers of them run.
    static func registerStub(on connection: Connection) throws {
        try register(NamedContext(name: "vectorsearch", context: nil), stub, on: connection)
    }

    private static func register(_ state: NamedContext, _ module: UnsafePointer<sqlite3_module>, on connection: Connection) throws {
        let code = sqlite3_create_module_v2(connection.handle, state.name, module, Unmanaged.passRetained(state).toOpaque()) {
            if let state = $0 { Unmanaged<NamedContext>.fromOpaque(state).release() }
        }
        if code != SQLITE_OK { throw connection.error(code) }
    }

    fileprivate final class NamedContext {
        let name: String
        /// Nil for a table without rows. The connection lets go of its modules when it is closed, and the context belongs to what has the
        /// connection.
        unowned let context: VectorTableContext?

        init(name: String, context: VectorTableContext?) {
            self.name = name
            self.context = context
        }
    }

    nonisolated(unsafe) private static let module = allocated(methods)

    nonisolated(unsafe) private static let stub = {
        var methods = VectorTable.methods
        methods.xUpdate = { _, _, _, _ in SQLITE_OK }
        return allocated(methods)
    }()

    private static func allocated(_ methods: sqlite3_module) -> UnsafePointer<sqlite3_module> {
        let module = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
        module.initialize(to: methods)
        return UnsafePointer(module)
    }

    private static var methods: sqlite3_module {
        var methods = sqlite3_module()
        methods.xCreate = connect
        methods.xConnect = connect
        methods.xBestIndex = plan
        methods.xDisconnect = disconnect
        methods.xDestroy = disconnect
        methods.xOpen = open
        methods.xClose = close
        methods.xFilter = filter
        methods.xNext = next
        methods.xEof = isAtEnd
        methods.xColumn = column
        methods.xRowid = rowid
        methods.xFindFunction = findFunction
        return methods
    }
}

private struct Table {
    var base = sqlite3_vtab()
    var context: UnsafeMutableRawPointer
}

private struct Cursor {
    var base = sqlite3_vtab_cursor()
    var state: Unmanaged<VectorCursor>
}

private final class VectorCursor {
    private let table: VectorTable.NamedContext
    private var search: VectorSearch?
    private var query: (bytes: [UInt8], vector: [Float])?
    private var hits: [VectorSearch.Hit] = []
    private(set) var place = 0

    init(_ table: VectorTable.NamedContext) { self.table = table }

    var isAtEnd: Bool { place >= hits.count }
    var hit: VectorSearch.Hit { hits[place] }

    func next() { place += 1 }

    func start(_ uses: VectorTable.Uses, _ arguments: UnsafeMutablePointer<OpaquePointer?>?) throws {
        hits = []
        place = 0
        var argument = 0
        func take(_ use: VectorTable.Uses) -> OpaquePointer? {
            guard uses.contains(use) else { return nil }
            defer { argument += 1 }
            return arguments?[argument]
        }
        let (target, row, limit, probes) = (take(.match), take(.row), take(.limit), take(.probes))
        // The search stays for all rows of a join; it belongs to the statement that is running.
        guard let target, let context = table.context else { return }
        let search = try self.search ?? context.search(table.name)
        self.search = search
        let vector = try vector(target)
        if let row {
            try search.check(vector)
            guard sqlite3_value_type(row) == SQLITE_INTEGER else { return }
            let number = sqlite3_value_int64(row)
            if let distance = try search.distance(from: vector, row: number) {
                hits = [VectorSearch.Hit(row: number, distance: distance)]
            }
            return
        }
        let most = limit.map { sqlite3_value_int64($0) } ?? -1
        let count = probes.map { Int(clamping: sqlite3_value_int64($0)) }
        hits = try search.nearest(to: vector, limit: limit == nil || most < 0 ? .max : Int(clamping: most), probes: count)
    }

    /// The same target comes again for each row of a join.
    private func vector(_ value: OpaquePointer) throws -> [Float] {
        guard sqlite3_value_type(value) == SQLITE_BLOB, let bytes = sqlite3_value_blob(value) else {
            throw StoreError(.invalidDocument, "value is wrong type to be a vector")
        }
        let buffer = UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_value_bytes(value)))
        if let query, query.bytes.count == buffer.count, memcmp(query.bytes, bytes, buffer.count) == 0 { return query.vector }
        guard buffer.count.isMultiple(of: 4) else { throw StoreError(.invalidDocument, "raw vector data length not multiple of 4") }
        let vector = stride(from: 0, to: buffer.count, by: 4).map { Float(littleEndianAt: bytes + $0) }
        query = (Array(buffer), vector)
        return vector
    }

    func set(_ column: VectorTable.Column, _ context: OpaquePointer?) {
        switch column {
        case .docid: sqlite3_result_int64(context, hit.row)
        case .distance: sqlite3_result_double(context, hit.distance)
        case .vector: break
        }
    }
}

private typealias TablePointer = UnsafeMutablePointer<sqlite3_vtab>
private typealias CursorPointer = UnsafeMutablePointer<sqlite3_vtab_cursor>

private func cursor(_ pointer: CursorPointer?) -> VectorCursor {
    UnsafeMutableRawPointer(pointer.unsafelyUnwrapped).assumingMemoryBound(to: Cursor.self).pointee.state.takeUnretainedValue()
}

private let connect:
    @convention(c) (
        OpaquePointer?, UnsafeMutableRawPointer?, Int32, UnsafePointer<UnsafePointer<CChar>?>?,
        UnsafeMutablePointer<TablePointer?>?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    ) -> Int32 = { database, context, _, _, result, _ in
        guard let context else { return SQLITE_MISUSE }
        let code = sqlite3_declare_vtab(database, "CREATE TABLE x(docid INTEGER, vector BLOB, distance REAL)")
        guard code == SQLITE_OK else { return code }
        // What triggers of the vendor's name can hurt nobody.
        let isStub = Unmanaged<VectorTable.NamedContext>.fromOpaque(context).takeUnretainedValue().context == nil
        if isStub { cblite_sqlite_vtab_innocuous(database) }
        let table = UnsafeMutablePointer<Table>.allocate(capacity: 1)
        table.initialize(to: Table(context: context))
        result?.pointee = UnsafeMutableRawPointer(table).assumingMemoryBound(to: sqlite3_vtab.self)
        return SQLITE_OK
    }

private let disconnect: @convention(c) (TablePointer?) -> Int32 = { table in
    UnsafeMutableRawPointer(table)?.deallocate()
    return SQLITE_OK
}

/// What xFindFunction gives for `vectorsearch_probes` and `vectorsearch_limit`: numbers for kinds of conditions of our own.
private let probesCondition = UInt8(SQLITE_INDEX_CONSTRAINT_FUNCTION)
private let limitCondition = UInt8(SQLITE_INDEX_CONSTRAINT_FUNCTION + 1)

private let plan: @convention(c) (TablePointer?, UnsafeMutablePointer<sqlite3_index_info>?) -> Int32 = { _, info in
    guard let info else { return SQLITE_MISUSE }
    var places: [Int32: Int] = [:]
    for index in 0..<Int(info.pointee.nConstraint) {
        let constraint = info.pointee.aConstraint[index]
        let use: VectorTable.Uses
        switch (constraint.op, constraint.iColumn) {
        case (UInt8(SQLITE_INDEX_CONSTRAINT_MATCH), VectorTable.Column.vector.rawValue): use = .match
        case (UInt8(SQLITE_INDEX_CONSTRAINT_EQ), VectorTable.Column.docid.rawValue): use = .row
        case (limitCondition, VectorTable.Column.vector.rawValue): use = .limit
        case (probesCondition, VectorTable.Column.vector.rawValue): use = .probes
        default: continue
        }
        guard constraint.usable != 0 else {
            // Without its target a search makes no sense: not this plan.
            if use == .match { return SQLITE_CONSTRAINT }
            continue
        }
        if places[use.rawValue] == nil { places[use.rawValue] = index }
    }
    // One document is measured, without looking for the nearest.
    if places[VectorTable.Uses.row.rawValue] != nil { places[VectorTable.Uses.limit.rawValue] = nil }
    var uses: VectorTable.Uses = []
    var argument: Int32 = 0
    for use in VectorTable.Uses.all {
        guard let place = places[use.rawValue] else { continue }
        uses.insert(use)
        argument += 1
        info.pointee.aConstraintUsage[place].argvIndex = argument
        info.pointee.aConstraintUsage[place].omit = 1
    }
    info.pointee.idxNum = uses.rawValue
    if uses.contains(.row) {
        info.pointee.estimatedCost = 5
        info.pointee.estimatedRows = 1
        info.pointee.idxFlags = SQLITE_INDEX_SCAN_UNIQUE
    } else if uses.contains(.limit) {
        info.pointee.estimatedCost = 100
        info.pointee.estimatedRows = 20
    } else {
        info.pointee.estimatedCost = 1e12
        info.pointee.estimatedRows = 1_000_000
    }
    return SQLITE_OK
}

private let open: @convention(c) (TablePointer?, UnsafeMutablePointer<CursorPointer?>?) -> Int32 = { table, result in
    guard let table else { return SQLITE_MISUSE }
    let context = UnsafeMutableRawPointer(table).assumingMemoryBound(to: Table.self).pointee.context
    let state = VectorCursor(Unmanaged<VectorTable.NamedContext>.fromOpaque(context).takeUnretainedValue())
    let cursor = UnsafeMutablePointer<Cursor>.allocate(capacity: 1)
    cursor.initialize(to: Cursor(state: .passRetained(state)))
    result?.pointee = UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: sqlite3_vtab_cursor.self)
    return SQLITE_OK
}

private let close: @convention(c) (CursorPointer?) -> Int32 = { pointer in
    guard let pointer else { return SQLITE_OK }
    let cursor = UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: Cursor.self)
    cursor.pointee.state.release()
    cursor.deallocate()
    return SQLITE_OK
}

private let filter: @convention(c) (CursorPointer?, Int32, UnsafePointer<CChar>?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Int32 = {
    pointer, plan, _, _, arguments in
    do {
        try cursor(pointer).start(VectorTable.Uses(rawValue: plan), arguments)
        return SQLITE_OK
    } catch {
        // What SQLite itself says within a search is what it would say of the statement.
        if let error = error as? SQLiteError, error.code != SQLITE_ERROR { return error.extendedCode }
        let message = (error as? StoreError)?.message ?? (error as? SQLiteError)?.message ?? "\(error)"
        if let table = pointer?.pointee.pVtab {
            sqlite3_free(table.pointee.zErrMsg)
            table.pointee.zErrMsg = cblite_sqlite_copy_string(message)
        }
        return SQLITE_ERROR
    }
}

private let next: @convention(c) (CursorPointer?) -> Int32 = {
    cursor($0).next()
    return SQLITE_OK
}

private let isAtEnd: @convention(c) (CursorPointer?) -> Int32 = { cursor($0).isAtEnd ? 1 : 0 }

private let column: @convention(c) (CursorPointer?, OpaquePointer?, Int32) -> Int32 = { pointer, context, index in
    if let column = VectorTable.Column(rawValue: index) { cursor(pointer).set(column, context) }
    return SQLITE_OK
}

private let rowid: @convention(c) (CursorPointer?, UnsafeMutablePointer<sqlite3_int64>?) -> Int32 = { pointer, result in
    result?.pointee = cursor(pointer).hit.row
    return SQLITE_OK
}

private let findFunction:
    @convention(c) (
        TablePointer?, Int32, UnsafePointer<CChar>?,
        UnsafeMutablePointer<(@convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void)?>?,
        UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    ) -> Int32 = { _, count, name, function, _ in
        guard count == 2, let name else { return 0 }
        let condition: UInt8
        switch String(cString: name) {
        case "vectorsearch_probes": condition = probesCondition
        case "vectorsearch_limit": condition = limitCondition
        default: return 0
        }
        function?.pointee = { context, _, _ in sqlite3_result_int(context, 1) }
        return Int32(condition)
    }
