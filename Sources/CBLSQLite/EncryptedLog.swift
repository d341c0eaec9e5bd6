import CBLSystemSQLite

/// A log whose pages are encrypted, as SQLite wants to read it.
///
/// The checksums of such a log are taken over what is encrypted, each over all frames before it. SQLite, looking at a log that was left behind,
/// takes them over what it is given: so they are checked here, and it is given others that fit what is decrypted. Nothing is written.
/// Format: "WAL File Format" in SQLite's description of database files.
struct EncryptedLog {
    typealias Read = EncryptedPages.Read

    static let headerSize = 32
    static let frameHeaderSize = 24

    /// The state of both chains of checksums before a frame.
    private struct Chain {
        var frame: Int64 = 0
        /// As they are in the file; nil behind a frame that does not belong to the log any more.
        var stored: LogChecksum?
        /// As SQLite is told.
        var told: LogChecksum
    }

    private var header: [UInt8] = []
    private var isBigEndian = false
    /// Before the frame that was read last, and after it: SQLite may ask for it again, or for the next one.
    private var before: Chain?
    private var after: Chain?

    /// Reads a part of the log as SQLite asks for it: the header, a frame, or a page. Gives SQLite's code.
    mutating func read(_ cipher: any PageCipher, _ target: UnsafeMutableRawPointer, _ amount: Int, _ offset: Int64, _ read: Read) -> Int32 {
        guard offset >= EncryptedLog.headerSize else {
            let code = read(target, amount, offset)
            if code == SQLITE_OK, offset == 0, amount >= EncryptedLog.headerSize {
                return begin(UnsafeRawBufferPointer(start: target, count: EncryptedLog.headerSize), cipher)
            }
            return code
        }
        let frameSize = Int64(EncryptedLog.frameHeaderSize + cipher.pageSize)
        let (frame, start) = (offset - Int64(EncryptedLog.headerSize)).quotientAndRemainder(dividingBy: frameSize)
        if start == 0, amount == frameSize { return whole(frame, cipher, target, read) }
        // Who asks for less of a page than there is gets the beginning.
        guard start == EncryptedLog.frameHeaderSize, amount <= cipher.pageSize else {
            return amount <= EncryptedLog.frameHeaderSize ? read(target, amount, offset) : SQLITE_CORRUPT
        }
        let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(frameSize), alignment: 16)
        defer { scratch.deallocate() }
        guard let memory = scratch.baseAddress else { return SQLITE_NOMEM }
        let code = read(memory, Int(frameSize), offset - start)
        guard code == SQLITE_OK else { return code }
        let page = UnsafeMutableRawBufferPointer(rebasing: scratch[EncryptedLog.frameHeaderSize...])
        guard cipher.decrypt(page, number: scratch.bigEndian(at: 0)) else { return SQLITE_CORRUPT }
        target.copyMemory(from: memory + EncryptedLog.frameHeaderSize, byteCount: amount)
        return SQLITE_OK
    }

    /// Takes note of a header. As long as it stays the same, frames are only added.
    private mutating func begin(_ bytes: UnsafeRawBufferPointer, _ cipher: any PageCipher) -> Int32 {
        guard !header.elementsEqual(bytes) else { return SQLITE_OK }
        header = Array(bytes)
        isBigEndian = bytes.bigEndian(at: 0) & 1 != 0
        (before, after) = (nil, nil)
        // One that is no header is SQLite's to refuse.
        return bytes.bigEndian(at: 8) == cipher.pageSize || bytes.bigEndian(at: 0) >> 1 != 0x377f_0682 >> 1 ? SQLITE_OK : SQLITE_CORRUPT
    }

    /// Before the first frame.
    private var first: Chain? {
        guard header.count == EncryptedLog.headerSize else { return nil }
        let checksum = header.withUnsafeBytes { LogChecksum($0.bigEndian(at: 24), $0.bigEndian(at: 28)) }
        return Chain(stored: checksum, told: checksum)
    }

    /// Gives a frame, with a checksum that fits; one that does not belong to the log gets one that belongs to none.
    private mutating func whole(
        _ frame: Int64, _ cipher: any PageCipher, _ target: UnsafeMutableRawPointer, _ read: Read
    ) -> Int32 {
        guard var chain = [after, before].compactMap({ $0 }).first(where: { $0.frame <= frame }) ?? first else { return SQLITE_CORRUPT }
        let size = EncryptedLog.frameHeaderSize + cipher.pageSize
        while true {
            let code = read(target, size, Int64(EncryptedLog.headerSize) + chain.frame * Int64(size))
            guard code == SQLITE_OK else { return code }
            before = chain
            translate(UnsafeMutableRawBufferPointer(start: target, count: size), cipher, &chain)
            after = chain
            if before?.frame == frame { return SQLITE_OK }
        }
    }

    private func translate(_ frame: UnsafeMutableRawBufferPointer, _ cipher: any PageCipher, _ chain: inout Chain) {
        chain.frame += 1
        let page = UnsafeMutableRawBufferPointer(rebasing: frame[EncryptedLog.frameHeaderSize...])
        func sum(_ checksum: LogChecksum) -> LogChecksum {
            var checksum = checksum
            checksum.add(UnsafeRawBufferPointer(rebasing: frame[..<8]), isBigEndian: isBigEndian)
            checksum.add(UnsafeRawBufferPointer(page), isBigEndian: isBigEndian)
            return checksum
        }
        let isOfThisLog = frame[8..<16].elementsEqual(header[16..<24])
        let found = LogChecksum(frame.bigEndian(at: 16), frame.bigEndian(at: 20))
        chain.stored = isOfThisLog ? chain.stored.map(sum).flatMap { $0 == found ? $0 : nil } : nil
        guard chain.stored != nil else {
            return frame.zero()
        }
        // A page that is damaged is told of when it is asked for: without it, the ones behind it would be lost as well.
        if !cipher.decrypt(page, number: frame.bigEndian(at: 0)) { page.zero() }
        chain.told = sum(chain.told)
        frame.storeBigEndian(chain.told.first, at: 16)
        frame.storeBigEndian(chain.told.second, at: 20)
    }
}

/// The two numbers that SQLite adds a log up to.
struct LogChecksum: Equatable {
    private(set) var first: UInt32
    private(set) var second: UInt32

    init(_ first: UInt32, _ second: UInt32) { (self.first, self.second) = (first, second) }

    /// Adds words in pairs; what is left over behind them is not counted.
    mutating func add(_ bytes: UnsafeRawBufferPointer, isBigEndian: Bool) {
        for place in stride(from: 0, to: bytes.count & ~7, by: 8) {
            let (one, two) = (bytes.word(at: place, isBigEndian), bytes.word(at: place + 4, isBigEndian))
            first = first &+ one &+ second
            second = second &+ two &+ first
        }
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func word(at place: Int, _ isBigEndian: Bool) -> UInt32 {
        let word = loadUnaligned(fromByteOffset: place, as: UInt32.self)
        return isBigEndian ? UInt32(bigEndian: word) : UInt32(littleEndian: word)
    }

    fileprivate func bigEndian(at place: Int) -> UInt32 { word(at: place, true) }
}

extension UnsafeMutableRawBufferPointer {
    fileprivate func bigEndian(at place: Int) -> UInt32 { UnsafeRawBufferPointer(self).bigEndian(at: place) }

    fileprivate func zero() { for place in indices { self[place] = 0 } }

    fileprivate func storeBigEndian(_ word: UInt32, at place: Int) { storeBytes(of: word.bigEndian, toByteOffset: place, as: UInt32.self) }
}
