import CBLSystemSQLite

/// A log whose pages are encrypted, as SQLite wants to read it after a crash.
///
/// The checksums of such a log are taken over what is encrypted, each over all frames before it. SQLite, looking at a log that was left behind,
/// takes them over what it is given: so they are checked here, and it is given others that fit what is decrypted.
/// Format: "WAL File Format" in SQLite's description of database files.
struct EncryptedLogReader {
    typealias Read = EncryptedPages.Read

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

    /// Takes note of a header. As long as it stays the same, frames are only added.
    mutating func begin(_ bytes: UnsafeRawBufferPointer, _ cipher: any PageCipher) -> Int32 {
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
        let checksum = header.withUnsafeBytes { LogChecksum(in: $0, at: 24) }
        return Chain(stored: checksum, told: checksum)
    }

    /// Gives a frame, with a checksum that fits; one that does not belong to the log gets one that belongs to none.
    mutating func frame(_ frame: Int64, _ cipher: any PageCipher, _ target: UnsafeMutableRawPointer, _ read: Read) -> Int32 {
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
        let found = LogChecksum(in: UnsafeRawBufferPointer(frame), at: 16)
        chain.stored = isOfThisLog ? chain.stored.map(sum).flatMap { $0 == found ? $0 : nil } : nil
        guard chain.stored != nil else {
            frame.initializeMemory(as: UInt8.self, repeating: 0)
            return
        }
        // A page that is damaged is told of when it is asked for: without it, the ones behind it would be lost as well.
        if !cipher.decrypt(page, number: frame.bigEndian(at: 0)) { page.initializeMemory(as: UInt8.self, repeating: 0) }
        chain.told = sum(chain.told)
        frame.store(chain.told, at: 16)
    }
}

/// Whether a log that somebody left is one of an encrypted file that can be read.
package enum LeftLog {
    /// Whether it has commits of its own though the sum of its first frame is not over what is encrypted: SQLite would take it for empty, and write over
    /// it. One that was not written to its end, because the power went, is none: a frame of it fits to the one before, or most of its pages are no whole ones. `read` gives bytes of it; `size` is
    /// how many there are; `isPage` says whether an encrypted page looks like one.
    package static func isForeign(
        pageSize: Int, size: Int, _ read: (_ count: Int, _ offset: Int) -> [UInt8]?, isPage: (_ page: [UInt8], _ number: UInt32) -> Bool
    ) -> Bool {
        let (headerSize, frameSize) = (EncryptedLog.headerSize, EncryptedLog.frameHeaderSize + pageSize)
        guard let header = read(headerSize, 0), header.count == headerSize else { return false }
        let isBigEndian = header[3] & 1 != 0
        var (count, pages, hasCommit) = (0, 0, false)
        var before = (bytes: header, place: 24)
        for offset in stride(from: headerSize, to: size - frameSize + 1, by: frameSize) {
            guard let frame = read(frameSize, offset) else { break }
            guard belongs(frame, to: header) else {
                // Without its first frame it is empty for everybody.
                if count == 0 { return false }
                continue
            }
            if fits(frame, before, isBigEndian) { return false }
            before = (frame, 16)
            count += 1
            hasCommit = hasCommit || frame[4..<8] != [0, 0, 0, 0]
            let number = frame.withUnsafeBytes { $0.bigEndian(at: 0) }
            if isPage(Array(frame[EncryptedLog.frameHeaderSize...]), number) { pages += 1 }
        }
        return hasCommit && pages * 2 > count
    }

    /// Whether the sum of a frame is over what is encrypted, and goes on from the one before, or from the header.
    private static func fits(_ frame: [UInt8], _ before: (bytes: [UInt8], place: Int), _ isBigEndian: Bool) -> Bool {
        frame.withUnsafeBytes { frame in
            var sum = before.bytes.withUnsafeBytes { LogChecksum(in: $0, at: before.place) }
            sum.add(UnsafeRawBufferPointer(rebasing: frame[..<8]), isBigEndian: isBigEndian)
            sum.add(UnsafeRawBufferPointer(rebasing: frame[EncryptedLog.frameHeaderSize...]), isBigEndian: isBigEndian)
            return sum == LogChecksum(in: frame, at: 16)
        }
    }

    private static func belongs(_ frame: [UInt8], to header: [UInt8]) -> Bool { frame[8..<16] == header[16..<24] }
}
