import CBLSystemSQLite

// What an aggregate function keeps from row to row: a reference in memory that SQLite gives, zeroed, for each group.
extension Call {
    /// The state of this group, made with its first row. Nil if there is no memory for it, which is then the result.
    package func state<State: AnyObject>(or make: () -> State) -> State? {
        guard let slot = slot(of: State.self, creates: true) else {
            failOutOfMemory()
            return nil
        }
        if slot.pointee == nil { slot.pointee = Unmanaged.passRetained(make()) }
        return slot.pointee?.takeUnretainedValue()
    }

    /// The state behind the last row, which whoever ends the group has to take. Nil if there was no row.
    package func takeState<State: AnyObject>(_: State.Type) -> State? {
        guard let slot = slot(of: State.self, creates: false), let state = slot.pointee else { return nil }
        slot.pointee = nil
        return state.takeRetainedValue()
    }

    private func slot<State: AnyObject>(of _: State.Type, creates: Bool) -> UnsafeMutablePointer<Unmanaged<State>?>? {
        sqlite3_aggregate_context(context, creates ? Int32(MemoryLayout<Unmanaged<State>?>.size) : 0)?
            .assumingMemoryBound(to: Unmanaged<State>?.self)
    }
}
