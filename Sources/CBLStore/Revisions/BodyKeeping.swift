import CBLFleece

/// How bodies have their bytes that are read out of the columns of a record.
package enum BodyKeeping: Sendable {
    /// Each has a copy.
    case copies
    /// They are parts of this memory, in which the columns lie.
    case parts(of: FleeceData)
    /// They lie in memory that goes away: whoever gets them keeps none.
    case lent

    func data(_ bytes: UnsafeRawBufferPointer) -> FleeceData {
        switch self {
        case .copies: FleeceData(copying: bytes)
        case .parts(let whole): FleeceData(bytes, partOf: whole)
        case .lent: FleeceData(lent: bytes)
        }
    }

    /// `data`, whose external pointers lead into `base`.
    func data(_ data: UnsafeRawBufferPointer, base: UnsafeRawBufferPointer) -> FleeceData {
        if case .parts(let whole) = self, let start = base.baseAddress, data.baseAddress == start + base.count {
            let both = UnsafeRawBufferPointer(start: start, count: base.count + data.count)
            return FleeceData(both, partOf: whole, baseCount: base.count)
        }
        return FleeceData(data: data, base: base)
    }
}
