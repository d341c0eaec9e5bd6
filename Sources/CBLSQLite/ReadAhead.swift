import Glibc

/// Part of a file that is read from front to back, fetched before it is asked for: one large read takes a fraction of what many small ones take.
///
/// It is good for as long as nobody can change what it holds, and has to be dropped then.
struct ReadAhead {
    /// So much is fetched the first time, and twice as much each time after, up to `most`.
    static let least = 1 << 14
    static let most = 1 << 16
    /// Who goes on within so many bytes reads from front to back: between the pages of a table are some of its indexes.
    private static let stride: Int64 = 1 << 15

    private var memory: UnsafeMutableRawPointer?
    private var start: Int64 = 0
    private var count = 0
    private var size = ReadAhead.least
    /// Where the last read ended; far away if nothing is known from it. The first page is read by whoever begins to read.
    private var end = ReadAhead.farAway
    private static let farAway: Int64 = -1 << 32
    private var fileSize: Int64?

    /// Copies what is asked for, if it is here.
    mutating func take(_ target: UnsafeMutableRawPointer, _ amount: Int, at offset: Int64) -> Bool {
        guard offset >= start, offset + Int64(amount) <= start + Int64(count), let memory else { return false }
        memcpy(target, memory + Int(offset - start), amount)
        end = offset + Int64(amount)
        return true
    }

    /// Fetches from `offset` on, if somebody reads from front to back there. Gives whether what was asked for is here now.
    mutating func fetch(
        _ amount: Int, at offset: Int64, measure: () -> Int64?, read: (UnsafeMutableRawPointer, Int, Int64) -> Bool
    ) -> Bool {
        let gap = offset - end
        end = offset == 0 ? ReadAhead.farAway : offset + Int64(amount)
        guard gap >= 0, gap < ReadAhead.stride else {
            size = ReadAhead.least
            return false
        }
        if fileSize == nil { fileSize = measure() }
        let wanted = Int(min(Int64(size), (fileSize ?? 0) - offset))
        guard wanted > amount else { return false }
        let memory = self.memory ?? .allocate(byteCount: ReadAhead.most, alignment: 16)
        self.memory = memory
        count = 0
        guard read(memory, wanted, offset) else { return false }
        (start, count) = (offset, wanted)
        size = min(size * 2, ReadAhead.most)
        return true
    }

    mutating func drop() {
        count = 0
        fileSize = nil
    }

    mutating func free() {
        memory?.deallocate()
        memory = nil
        drop()
    }
}
