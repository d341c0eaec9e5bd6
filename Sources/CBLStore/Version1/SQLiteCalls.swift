import CBLSystemSQLite

typealias SQLiteFunction = @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

/// The arguments of a call of an SQL function that was registered with as many as are asked for.
struct SQLiteArguments {
    private let values: UnsafeMutablePointer<OpaquePointer?>?

    init(_ values: UnsafeMutablePointer<OpaquePointer?>?) { self.values = values }

    private func value(_ index: Int) -> OpaquePointer? { values?[index] }

    /// Nil for NULL.
    func integer(_ index: Int) -> Int64? { sqlite3_value_type(value(index)) == SQLITE_NULL ? nil : sqlite3_value_int64(value(index)) }

    /// The bytes of a text or blob; nil for everything else.
    func bytes(_ index: Int) -> UnsafeRawBufferPointer? {
        let value = value(index)
        switch sqlite3_value_type(value) {
        case SQLITE_TEXT: return UnsafeRawBufferPointer(start: sqlite3_value_text(value), count: Int(sqlite3_value_bytes(value)))
        case SQLITE_BLOB: return UnsafeRawBufferPointer(start: sqlite3_value_blob(value), count: Int(sqlite3_value_bytes(value)))
        default: return nil
        }
    }

    /// The result of the call; NULL for no bytes.
    static func set(_ bytes: UnsafeRawBufferPointer, _ context: OpaquePointer?) {
        guard let start = bytes.baseAddress, !bytes.isEmpty else { return sqlite3_result_null(context) }
        sqlite3_result_blob64(context, start, UInt64(bytes.count), cblite_sqlite_transient())
    }

    static func set(text bytes: UnsafeRawBufferPointer, _ context: OpaquePointer?) {
        guard let start = bytes.baseAddress else { return sqlite3_result_null(context) }
        sqlite3_result_text64(
            context, start.assumingMemoryBound(to: CChar.self), UInt64(bytes.count), cblite_sqlite_transient(), UInt8(SQLITE_UTF8))
    }
}

/// What an aggregate function keeps from row to row: a reference in memory that SQLite gives, zeroed, for each group.
enum SQLiteAggregate {
    private typealias Slot = Unmanaged<AnyObject>?

    static func state<State: AnyObject>(of context: OpaquePointer?, or make: () -> State) -> State? {
        guard let slot = slot(context, creates: true) else {
            sqlite3_result_error_nomem(context)
            return nil
        }
        if slot.pointee == nil { slot.pointee = Unmanaged.passRetained(make()) }
        return slot.pointee?.takeUnretainedValue() as? State
    }

    /// Nil if there was no row.
    static func finish<State: AnyObject>(_ context: OpaquePointer?, _: State.Type) -> State? {
        guard let slot = slot(context, creates: false), let state = slot.pointee else { return nil }
        slot.pointee = nil
        return state.takeRetainedValue() as? State
    }

    private static func slot(_ context: OpaquePointer?, creates: Bool) -> UnsafeMutablePointer<Slot>? {
        sqlite3_aggregate_context(context, creates ? Int32(MemoryLayout<Slot>.size) : 0)?.assumingMemoryBound(to: Slot.self)
    }
}
