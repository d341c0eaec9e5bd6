/// Pages on their way into the main file, from the log or of a file without one. SQLite writes them one by one in the order of their numbers, or nearly,
/// and most follow one another: those go in one piece.
///
/// If they come from the log, what becomes of the last write is heard of by nobody: SQLite then tells all others that the pages are there. So the last page
/// must not be kept back, and which one that is has to be known before.
struct GatheredPages {
    static let most = 1 << 16

    private var kept = KeptBytes(capacity: GatheredPages.most)
    /// Where the last page ends; 0 as long as nothing may be kept back.
    private var end: Int64 = 0

    mutating func begin(upTo end: Int64) { self.end = end }

    /// Takes a page, and passes on what cannot wait. Gives SQLite's code.
    mutating func write(_ bytes: UnsafeRawPointer, _ amount: Int, at offset: Int64, _ write: KeptBytes.Write) -> Int32 {
        if !kept.canTake(amount, at: offset) {
            let code = flush(write)
            guard code == 0 else { return code }
        }
        guard offset + Int64(amount) <= end, kept.canTake(amount, at: offset) else { return write(bytes, amount, offset) }
        kept.append(bytes, amount, at: offset)
        return offset + Int64(amount) == end ? flush(write) : 0
    }

    /// Writes what was kept back. After a failure SQLite moves no more pages, or rolls back.
    mutating func flush(_ write: KeptBytes.Write) -> Int32 {
        let code = kept.flush(write)
        if code != 0 { end = 0 }
        return code
    }

    /// Copies a page that was kept back, if this is one; nil if only a part of what is asked for is here.
    func take(_ target: UnsafeMutableRawPointer, _ amount: Int, at offset: Int64) -> Bool? { kept.take(target, amount, at: offset) }

    func overlaps(_ amount: Int, at offset: Int64) -> Bool { kept.overlaps(amount, at: offset) }

    /// The memory is given back: it is needed rarely.
    mutating func finish(_ write: KeptBytes.Write) -> Int32 {
        let code = flush(write)
        free()
        return code
    }

    mutating func free() {
        kept.free()
        end = 0
    }
}

/// The index of a log, in memory that is shared with all who have the file open: see "WAL-Index Format" in SQLite's description of the log.
struct LogIndex {
    static let regionSize: Int32 = 32768
    private static let headSize = 136
    private static let framesInRegion = 4096
    private static let framesInFirst = framesInRegion - headSize / 4

    /// A part of it, each of `regionSize`; nil for one that is not there.
    let region: (Int32) -> UnsafeMutableRawPointer?

    /// The end in the main file of the last page that is about to be moved there, when SQLite has settled how much of the log is: nil if that is not all.
    func endOfMoving() -> Int64? {
        guard let head = region(0) else { return nil }
        func number(_ offset: Int) -> UInt32 { head.load(fromByteOffset: offset, as: UInt32.self) }
        let (frames, pageCount, moved, settled) = (number(16), number(20), number(96), number(128))
        guard frames == settled, moved < frames else { return nil }
        let coded = Int64(head.load(fromByteOffset: 14, as: UInt16.self))
        var last: UInt32 = 0
        for frame in Int(moved)..<Int(frames) {
            guard let page = page(ofFrame: frame) else { return nil }
            // Beyond the end are those that a vacuum has cut off.
            if page <= pageCount { last = max(last, page) }
        }
        return last > 0 ? Int64(last) * (coded == 1 ? 65536 : coded) : nil
    }

    /// The page in a frame, which are counted from 0.
    private func page(ofFrame frame: Int) -> UInt32? {
        if frame < LogIndex.framesInFirst { return region(0)?.load(fromByteOffset: LogIndex.headSize + 4 * frame, as: UInt32.self) }
        let (number, place) = (frame - LogIndex.framesInFirst).quotientAndRemainder(dividingBy: LogIndex.framesInRegion)
        return region(Int32(number + 1))?.load(fromByteOffset: 4 * place, as: UInt32.self)
    }
}
