import CBLFleece
import CBLSQLite
import CBLSystemSQLite

/// The table-valued function `fl_each(body, path)`, or `fl_each(value)`: a row for each array item or dictionary pair, one for a scalar, none
/// where there is nothing. Null is a row when it is a property's, and none when it is an expression's. Triggers fill the tables of array
/// indexes from it.
enum EachTable {
    static func register(on connection: Connection, context: FunctionContext) throws {
        // The module goes when the connection is closed, and then lets go of the context, which all functions share.
        let code = sqlite3_create_module_v2(connection.handle, "fl_each", module, Unmanaged.passRetained(context).toOpaque()) {
            if let context = $0 { Unmanaged<FunctionContext>.fromOpaque(context).release() }
        }
        if code != SQLITE_OK { throw connection.error(code) }
    }

    nonisolated(unsafe) private static let module: UnsafePointer<sqlite3_module> = {
        let module = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
        var methods = sqlite3_module()
        methods.xConnect = connect
        methods.xBestIndex = chooseArguments
        methods.xDisconnect = disconnect
        methods.xOpen = open
        methods.xClose = close
        methods.xFilter = filter
        methods.xNext = next
        methods.xEof = isAtEnd
        methods.xColumn = column
        methods.xRowid = rowid
        module.initialize(to: methods)
        return UnsafePointer(module)
    }()

    fileprivate enum Column: Int32 { case key, value, type, data, body, rootData, rootPath }
}

/// SQLite's structure, which must come first, and ours.
private struct Table {
    var base = sqlite3_vtab()
    var context: UnsafeMutableRawPointer
}

private struct Cursor {
    var base = sqlite3_vtab_cursor()
    var state: Unmanaged<EachCursor>
}

/// Where a walk over a collection is. It owns a copy of the bytes: those of the argument may be gone before the last row.
private final class EachCursor {
    private let context: FunctionContext
    private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    // The current item, at an address that pointer values can carry.
    private let item = UnsafeMutablePointer<Value>.allocate(capacity: 1)
    private var key: Value?
    private var array: ArrayView?
    private var pairs: DictionaryView.Iterator?
    private(set) var row = 0
    private(set) var isAtEnd = true
    // The last path, compiled: a trigger asks for the same one every time.
    private var pathText: [UInt8] = []
    private var path: KeyPath?

    init(_ context: FunctionContext) {
        self.context = context
        item.initialize(to: .undefined)
    }

    deinit {
        memory.deallocate()
        item.deallocate()
    }

    /// Goes to the first row. Gives the words of what is wrong, if something is.
    func start(_ arguments: UnsafeMutablePointer<OpaquePointer?>?, count: Int, hasPath: Bool) -> String? {
        row = 0
        isAtEnd = true
        array = nil
        pairs = nil
        key = nil
        guard count > 0, let first = arguments?[0] else { return nil }
        let argument = Argument(value: first)
        var root: Value
        if let pointer = argument.pointer {
            root = pointer
        } else {
            guard var bytes = argument.blob else { return scalar(argument, hasPath: hasPath) }
            if argument.isNull && !hasPath { return nil }
            if hasPath, let currentBody = context.currentBody { bytes = currentBody(bytes) }
            if memory.count < bytes.count {
                memory.deallocate()
                memory = .allocate(byteCount: max(bytes.count, 512), alignment: 8)
            }
            memory.copyMemory(from: bytes)
            guard let value = Value(root: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(memory)[..<bytes.count])) else {
                return nil
            }
            root = value
        }
        if hasPath, count > 1, let second = arguments?[1], sqlite3_value_type(second) != SQLITE_NULL {
            guard let text = Argument(value: second).text else { return "a property path must be text" }
            if path == nil || !pathText.elementsEqual(text) {
                do { path = try KeyPath(text) } catch { return error.description }
                pathText = Array(text)
            }
            guard let value = path?.evaluate(in: root, keys: context.sharedKeys) else { return nil }
            root = value
        }
        walk(root)
        return nil
    }

    private func walk(_ root: Value) {
        if let array = root.array {
            self.array = array
            load()
        } else if let dictionary = root.dictionary {
            pairs = dictionary.makeIterator()
            load()
        } else if !root.isUndefined, root.kind != .array, root.kind != .dictionary {
            item.pointee = root
            isAtEnd = false
        }
    }

    /// A number or text of SQL is a row of its own; MISSING and a document without a body are none.
    private func scalar(_ argument: Argument, hasPath: Bool) -> String? {
        if hasPath || argument.isMissing { return nil }
        let encoder = context.encoder
        encoder.reset()
        switch argument.type {
        case SQLITE_INTEGER where argument.isBoolean: encoder.write(argument.int64 != 0)
        case SQLITE_INTEGER: encoder.write(argument.int64)
        case SQLITE_FLOAT: encoder.write(sqlite3_value_double(argument.value))
        default: argument.text.map(encoder.writeString)
        }
        try? encoder.withFinished { bytes in
            memory.deallocate()
            memory = .allocate(byteCount: bytes.count, alignment: 8)
            memory.copyMemory(from: bytes)
            if let value = Value(root: UnsafeRawBufferPointer(memory)) { walk(value) }
        }
        return nil
    }

    func next() {
        row += 1
        load()
    }

    private func load() {
        if let array {
            isAtEnd = row >= array.count
            if !isAtEnd { item.pointee = array[row] }
        } else if let pair = pairs?.next() {
            isAtEnd = false
            key = pair.key
            item.pointee = pair.value
        } else {
            isAtEnd = true
        }
    }

    func set(_ column: EachTable.Column, _ call: Call) {
        switch column {
        case .key:
            if let bytes = key?.keyBytes(context.sharedKeys) { call.set(text: bytes) }
        case .value: call.set(item.pointee, context)
        case .type: call.set(typeNumber)
        case .data: call.set(encoding: item.pointee, context)
        case .body: sqlite3_result_pointer(call.context, item, Argument.pointerType, nil)
        case .rootData, .rootPath: break
        }
    }

    private var typeNumber: Int64 {
        switch item.pointee.kind {
        case .undefined: -1
        case .null: 0
        case .boolean: 1
        case .integer, .double: 2
        case .string: 3
        case .data: 4
        case .array: 5
        case .dictionary: 6
        }
    }
}

private typealias TablePointer = UnsafeMutablePointer<sqlite3_vtab>
private typealias CursorPointer = UnsafeMutablePointer<sqlite3_vtab_cursor>

private func cursor(_ pointer: CursorPointer?) -> EachCursor {
    UnsafeMutableRawPointer(pointer.unsafelyUnwrapped).assumingMemoryBound(to: Cursor.self).pointee.state.takeUnretainedValue()
}

private let connect:
    @convention(c) (
        OpaquePointer?, UnsafeMutableRawPointer?, Int32, UnsafePointer<UnsafePointer<CChar>?>?,
        UnsafeMutablePointer<TablePointer?>?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    ) -> Int32 = { database, context, _, _, result, _ in
        guard let context else { return SQLITE_MISUSE }
        let code = sqlite3_declare_vtab(database, "CREATE TABLE x(key, value, type, data, body, root_data HIDDEN, root_path HIDDEN)")
        guard code == SQLITE_OK else { return code }
        cblite_sqlite_vtab_innocuous(database)
        let table = UnsafeMutablePointer<Table>.allocate(capacity: 1)
        table.initialize(to: Table(context: context))
        result?.pointee = UnsafeMutableRawPointer(table).assumingMemoryBound(to: sqlite3_vtab.self)
        return SQLITE_OK
    }

private let disconnect: @convention(c) (TablePointer?) -> Int32 = { table in
    UnsafeMutableRawPointer(table)?.deallocate()
    return SQLITE_OK
}

// The arguments of a table-valued function arrive as conditions on its hidden columns. `idxNum` says how many there are.
private let chooseArguments: @convention(c) (TablePointer?, UnsafeMutablePointer<sqlite3_index_info>?) -> Int32 = { _, info in
    guard let info else { return SQLITE_MISUSE }
    var places: (data: Int, path: Int) = (-1, -1)
    for index in 0..<Int(info.pointee.nConstraint) {
        let constraint = info.pointee.aConstraint[index]
        guard constraint.op == SQLITE_INDEX_CONSTRAINT_EQ else { continue }
        let isArgument = constraint.iColumn >= EachTable.Column.rootData.rawValue
        // An argument that other tables of a join have yet to give: not this plan.
        if isArgument && constraint.usable == 0 { return SQLITE_CONSTRAINT }
        if constraint.iColumn == EachTable.Column.rootData.rawValue { places.data = index }
        if constraint.iColumn == EachTable.Column.rootPath.rawValue { places.path = index }
    }
    info.pointee.idxNum = 0
    info.pointee.estimatedCost = 1e99
    guard places.data >= 0 else { return SQLITE_OK }
    info.pointee.idxNum = 1
    info.pointee.estimatedCost = 1
    info.pointee.estimatedRows = 10
    info.pointee.aConstraintUsage[places.data].argvIndex = 1
    info.pointee.aConstraintUsage[places.data].omit = 1
    if places.path >= 0 {
        info.pointee.idxNum = 2
        info.pointee.aConstraintUsage[places.path].argvIndex = 2
        info.pointee.aConstraintUsage[places.path].omit = 1
    }
    return SQLITE_OK
}

private let open: @convention(c) (TablePointer?, UnsafeMutablePointer<CursorPointer?>?) -> Int32 = { table, result in
    guard let table else { return SQLITE_MISUSE }
    let context = UnsafeMutableRawPointer(table).assumingMemoryBound(to: Table.self).pointee.context
    let state = EachCursor(Unmanaged<FunctionContext>.fromOpaque(context).takeUnretainedValue())
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
    pointer, plan, _, count, arguments in
    guard let message = cursor(pointer).start(arguments, count: Int(count), hasPath: plan == 2) else { return SQLITE_OK }
    // The table owns its message, which SQLite frees.
    if let table = pointer?.pointee.pVtab {
        sqlite3_free(table.pointee.zErrMsg)
        table.pointee.zErrMsg = cblite_sqlite_copy_string(message)
    }
    return SQLITE_ERROR
}

private let next: @convention(c) (CursorPointer?) -> Int32 = {
    cursor($0).next()
    return SQLITE_OK
}

private let isAtEnd: @convention(c) (CursorPointer?) -> Int32 = { cursor($0).isAtEnd ? 1 : 0 }

private let column: @convention(c) (CursorPointer?, OpaquePointer?, Int32) -> Int32 = { pointer, context, index in
    if let column = EachTable.Column(rawValue: index) { cursor(pointer).set(column, Call(context, 0, nil)) }
    return SQLITE_OK
}

private let rowid: @convention(c) (CursorPointer?, UnsafeMutablePointer<sqlite3_int64>?) -> Int32 = { pointer, result in
    result?.pointee = sqlite3_int64(cursor(pointer).row)
    return SQLITE_OK
}
