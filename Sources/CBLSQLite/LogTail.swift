/// The end of a log that is being written, kept back until its commit is complete: many small writes become one.
///
/// SQLite writes a log frame by frame: 24 bytes about a page, and the page. Those of a frame that commits say how many pages the database has
/// now, others say 0. What is kept back belongs to no commit, so nobody else looks for it, and if nothing comes of it, it need not be written.
struct LogTail {
    /// Sixteen frames with pages of 4 KiB.
    static let most = 16 * (LogTail.headerSize + 4096)
    private static let headerSize = 24

    private var kept = KeptBytes(capacity: LogTail.most)
    /// Where the last write ended.
    private var end: Int64 = -1
    private var isCommit = false

    /// Takes a write, and passes on what cannot wait. Gives SQLite's code.
    mutating func write(_ bytes: UnsafeRawPointer, _ amount: Int, at offset: Int64, _ write: KeptBytes.Write) -> Int32 {
        let isHeader = amount == LogTail.headerSize
        if isHeader { isCommit = bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self) != 0 }
        let goesOn = offset == end
        if !goesOn || !kept.canTake(amount, at: offset) {
            let code = flush(write)
            if code != 0 { return code }
        }
        end = offset + Int64(amount)
        // A header out of line is one of those that SQLite writes anew behind a commit: nothing may follow it.
        guard goesOn, kept.canTake(amount, at: offset) else { return write(bytes, amount, offset) }
        kept.append(bytes, amount, at: offset)
        return isCommit && !isHeader ? flush(write) : 0
    }

    mutating func flush(_ write: KeptBytes.Write) -> Int32 {
        let code = kept.flush(write)
        if code != 0 { end = -1 }
        return code
    }

    /// Forgets what was kept back: it belongs to a transaction that was given up.
    mutating func discard() {
        if kept.count > 0 { end = -1 }
        kept.discard()
    }

    /// Copies what is asked for, if it was kept back; nil if a part of it was, which has to be written first.
    func take(_ target: UnsafeMutableRawPointer, _ amount: Int, at offset: Int64) -> Bool? { kept.take(target, amount, at: offset) }

    mutating func free() {
        discard()
        kept.free()
    }
}
