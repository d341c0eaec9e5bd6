/// The two numbers that SQLite adds a log up to. Format: "WAL File Format" in SQLite's description of database files.
struct LogChecksum: Equatable {
    private(set) var first: UInt32
    private(set) var second: UInt32

    init(_ first: UInt32, _ second: UInt32) { (self.first, self.second) = (first, second) }

    /// As the header of a log, or of a frame, has it.
    init(in bytes: UnsafeRawBufferPointer, at place: Int) {
        self.init(bytes.bigEndian(at: place), bytes.bigEndian(at: place + 4))
    }

    /// Adds words in pairs; what is left over behind them is not counted.
    mutating func add(_ bytes: UnsafeRawBufferPointer, isBigEndian: Bool) {
        guard let start = bytes.baseAddress else { return }
        var (one, two) = (first, second)
        let isSwapped = isBigEndian != (UInt32(1).bigEndian == 1)
        for place in stride(from: 0, to: bytes.count & ~7, by: 8) {
            var a = start.loadUnaligned(fromByteOffset: place, as: UInt32.self)
            var b = start.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self)
            if isSwapped { (a, b) = (a.byteSwapped, b.byteSwapped) }
            one = one &+ a &+ two
            two = two &+ b &+ one
        }
        (first, second) = (one, two)
    }
}

extension UnsafeRawBufferPointer {
    func bigEndian(at place: Int) -> UInt32 { UInt32(bigEndian: loadUnaligned(fromByteOffset: place, as: UInt32.self)) }
}

extension UnsafeMutableRawBufferPointer {
    func bigEndian(at place: Int) -> UInt32 { UnsafeRawBufferPointer(self).bigEndian(at: place) }

    func storeBigEndian(_ word: UInt32, at place: Int) { storeBytes(of: word.bigEndian, toByteOffset: place, as: UInt32.self) }

    func store(_ checksum: LogChecksum, at place: Int) {
        storeBigEndian(checksum.first, at: place)
        storeBigEndian(checksum.second, at: place + 4)
    }
}
