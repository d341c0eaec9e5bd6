import CBLSystemSQLite

/// The log of an encrypted file, as SQLite reads and writes it.
///
/// Frames are kept back until there are several or their commit is complete, and are then encrypted together and written in one piece, with
/// checksums over what is encrypted, as the vendor's programs have them. What SQLite adds up itself is only in the index of the log.
struct EncryptedLog {
    typealias Read = EncryptedPages.Read
    typealias Write = EncryptedPages.Write

    static let headerSize = 32
    static let frameHeaderSize = 24
    /// SQLite's own files write no more than 128 KiB at once.
    private static func mostFrames(_ cipher: any PageCipher) -> Int { max(1, LogTail.most / frameSize(cipher)) }

    /// For who looks at a log that was left behind.
    private var reader = EncryptedLogReader()
    /// Frames in clear that are not in the file yet: `firstKept` and those behind it.
    private var memory: UnsafeMutableRawBufferPointer?
    private var firstKept: Int64 = 0
    private var keptCount = 0
    /// The frame whose header has come, and its page not yet.
    private var begun: Int64?
    /// The frames of the transaction that is being written: of those before, the checksum is in the file.
    private var own: Range<Int64>?
    /// Of the last frame that was written in this transaction.
    private var last: (frame: Int64, checksum: LogChecksum)?
    /// The same of the last commit of ours, which stays as it is as long as the log has these salts.
    private var committed: (frame: Int64, checksum: LogChecksum, salts: UInt64)?
    private var isBigEndian = false
    /// The frame that SQLite read as a whole, to add it up anew: it changed a page in its place, or one before it.
    private var recounted: Int64?
    /// A page as it is in the log, for who moves it into the main file as it is.
    private var moved: [UInt8] = []

    private static func frameSize(_ cipher: any PageCipher) -> Int { frameHeaderSize + cipher.pageSize }
    private static func offset(_ frame: Int64, _ cipher: any PageCipher) -> Int64 { Int64(headerSize) + frame * Int64(frameSize(cipher)) }

    private static func place(_ offset: Int64, _ cipher: any PageCipher) -> (frame: Int64, start: Int) {
        let (frame, start) = (offset - Int64(headerSize)).quotientAndRemainder(dividingBy: Int64(frameSize(cipher)))
        return (frame, Int(start))
    }

    // MARK: Reading

    /// Reads a part of the log as SQLite asks for it: the header, a frame, or a page. Gives SQLite's code. `moves` says that pages are only moved into
    /// the main file: they stay as they are.
    mutating func read(
        _ cipher: any PageCipher, _ target: UnsafeMutableRawPointer, _ amount: Int, _ offset: Int64, moves: Bool, _ read: Read,
        _ write: Write
    ) -> Int32 {
        guard offset >= EncryptedLog.headerSize else {
            let code = read(target, amount, offset)
            if code == SQLITE_OK, offset == 0, amount >= EncryptedLog.headerSize {
                return reader.begin(UnsafeRawBufferPointer(start: target, count: EncryptedLog.headerSize), cipher)
            }
            return code
        }
        let (frame, start) = EncryptedLog.place(offset, cipher)
        let size = EncryptedLog.frameSize(cipher)
        if start == EncryptedLog.frameHeaderSize, amount <= cipher.pageSize {
            if let kept = kept(frame, size) {
                target.copyMemory(from: kept + start, byteCount: amount)
                return SQLITE_OK
            }
            if moves, amount == cipher.pageSize { return move(target, amount, offset, read) }
            return page(cipher, frame, target, amount, read)
        }
        let code = flush(cipher, read, write)
        guard code == SQLITE_OK else { return code }
        if start == 0, amount == size {
            guard own?.contains(frame) == true else { return reader.frame(frame, cipher, target, read) }
            recounted = frame
            return self.frame(cipher, frame, target, read)
        }
        return amount <= EncryptedLog.frameHeaderSize ? read(target, amount, offset) : SQLITE_CORRUPT
    }

    private func kept(_ frame: Int64, _ size: Int) -> UnsafeRawPointer? {
        guard let memory, frame >= firstKept, frame < firstKept + Int64(keptCount) else { return nil }
        return memory.baseAddress.map { UnsafeRawPointer($0 + Int(frame - firstKept) * size) }
    }

    private mutating func move(_ target: UnsafeMutableRawPointer, _ amount: Int, _ offset: Int64, _ read: Read) -> Int32 {
        let code = read(target, amount, offset)
        moved.removeAll(keepingCapacity: true)
        if code == SQLITE_OK { moved.append(contentsOf: UnsafeRawBufferPointer(start: target, count: amount)) }
        return code
    }

    /// Whether these bytes are a page that was just read to be moved, which is encrypted already.
    func hasMoved(_ bytes: UnsafeRawPointer, _ amount: Int) -> Bool {
        moved.count == amount && amount > 0
            && moved.withUnsafeBytes { $0.elementsEqual(UnsafeRawBufferPointer(start: bytes, count: amount)) }
    }

    /// Reads the beginning of a page, or all of it.
    private func page(_ cipher: any PageCipher, _ frame: Int64, _ target: UnsafeMutableRawPointer, _ amount: Int, _ read: Read) -> Int32 {
        let size = EncryptedLog.frameSize(cipher)
        return withUnsafeTemporaryAllocation(byteCount: size, alignment: 16) { scratch in
            guard let memory = scratch.baseAddress else { return SQLITE_NOMEM }
            let code = self.frame(cipher, frame, memory, read)
            if code == SQLITE_OK { target.copyMemory(from: memory + EncryptedLog.frameHeaderSize, byteCount: amount) }
            return code
        }
    }

    private func frame(_ cipher: any PageCipher, _ frame: Int64, _ target: UnsafeMutableRawPointer, _ read: Read) -> Int32 {
        let code = read(target, EncryptedLog.frameSize(cipher), EncryptedLog.offset(frame, cipher))
        guard code == SQLITE_OK else { return code }
        let page = UnsafeMutableRawBufferPointer(start: target + EncryptedLog.frameHeaderSize, count: cipher.pageSize)
        let number = UInt32(bigEndian: target.loadUnaligned(as: UInt32.self))
        return cipher.decrypt(page, number: number) ? SQLITE_OK : SQLITE_CORRUPT
    }

    // MARK: Writing

    /// Writes a part of the log as SQLite does: the header, that of a frame, or a page. Gives SQLite's code.
    mutating func write(
        _ cipher: any WritablePageCipher, _ bytes: UnsafeRawPointer, _ amount: Int, _ offset: Int64, _ read: Read, _ write: Write
    ) -> Int32 {
        guard offset >= EncryptedLog.headerSize else {
            // A new log begins.
            discard()
            return write(bytes, amount, offset)
        }
        let (frame, start) = EncryptedLog.place(offset, cipher)
        switch (start, amount) {
        case (0, EncryptedLog.frameHeaderSize):
            if recounted == frame { return recount(cipher, frame, bytes, read, write) }
            return begin(cipher, frame, bytes, read, write)
        case (EncryptedLog.frameHeaderSize, cipher.pageSize):
            if begun == frame { return finish(cipher, frame, bytes, read, write) }
            guard own?.contains(frame) == true else { return EncryptedPages.badWrite }
            return replace(cipher, frame, bytes, read, write)
        default: return EncryptedPages.badWrite
        }
    }

    /// The header of a frame behind the last one, or of one of a transaction that was partly undone.
    private mutating func begin(
        _ cipher: any WritablePageCipher, _ frame: Int64, _ bytes: UnsafeRawPointer, _ read: Read, _ write: Write
    ) -> Int32 {
        let goesOn = frame == firstKept + Int64(keptCount)
        if keptCount > 0, !goesOn || keptCount == EncryptedLog.mostFrames(cipher) {
            let code = flush(cipher, read, write)
            guard code == SQLITE_OK else { return code }
        }
        if own == nil {
            let code = beginTransaction(frame, bytes, read)
            guard code == SQLITE_OK else { return code }
        }
        own = min(own?.lowerBound ?? frame, frame)..<frame
        let size = EncryptedLog.frameSize(cipher)
        let memory = self.memory ?? .allocate(byteCount: EncryptedLog.mostFrames(cipher) * size, alignment: 16)
        self.memory = memory
        if keptCount == 0 { firstKept = frame }
        (memory.baseAddress! + keptCount * size).copyMemory(from: bytes, byteCount: EncryptedLog.frameHeaderSize)
        begun = frame
        return SQLITE_OK
    }

    private mutating func beginTransaction(_ frame: Int64, _ header: UnsafeRawPointer, _ read: Read) -> Int32 {
        if let committed, committed.salts == EncryptedLog.salts(header) {
            if committed.frame == frame - 1 { last = (committed.frame, committed.checksum) }
            return SQLITE_OK
        }
        var magic: UInt32 = 0
        let code = withUnsafeMutableBytes(of: &magic) { read($0.baseAddress!, $0.count, 0) }
        isBigEndian = UInt32(bigEndian: magic) & 1 != 0
        return code
    }

    private static func salts(_ frame: UnsafeRawPointer) -> UInt64 { frame.loadUnaligned(fromByteOffset: 8, as: UInt64.self) }

    /// The page of that frame.
    private mutating func finish(
        _ cipher: any WritablePageCipher, _ frame: Int64, _ bytes: UnsafeRawPointer, _ read: Read, _ write: Write
    ) -> Int32 {
        begun = nil
        guard let memory = memory?.baseAddress else { return EncryptedPages.badWrite }
        let kept = memory + keptCount * EncryptedLog.frameSize(cipher)
        (kept + EncryptedLog.frameHeaderSize).copyMemory(from: bytes, byteCount: cipher.pageSize)
        keptCount += 1
        own = (own?.lowerBound ?? frame)..<frame + 1
        let isCommit = kept.loadUnaligned(fromByteOffset: 4, as: UInt32.self) != 0
        return isCommit ? flush(cipher, read, write) : SQLITE_OK
    }

    /// Before anything that concerns the whole log.
    mutating func flush(_ cipher: (any PageCipher)?, _ read: Read, _ write: Write) -> Int32 {
        guard keptCount > 0 else { return SQLITE_OK }
        guard let cipher = cipher as? any WritablePageCipher, let memory else { return EncryptedPages.badWrite }
        let size = EncryptedLog.frameSize(cipher)
        let code = chain(before: firstKept, cipher, read)
        guard code == SQLITE_OK, var (_, checksum) = last else { return code }
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: keptCount) { numbers in
            for index in 0..<keptCount { numbers.initializeElement(at: index, to: memory.bigEndian(at: index * size)) }
            cipher.encrypt(memory.baseAddress! + EncryptedLog.frameHeaderSize, stride: size, numbers: UnsafeBufferPointer(numbers))
        }
        for index in 0..<keptCount {
            let frame = UnsafeMutableRawBufferPointer(rebasing: memory[index * size..<(index + 1) * size])
            add(UnsafeRawBufferPointer(frame), to: &checksum)
            frame.store(checksum, at: 16)
        }
        let count = keptCount
        keptCount = 0
        last = (firstKept + Int64(count) - 1, checksum)
        let written = write(memory.baseAddress!, count * size, EncryptedLog.offset(firstKept, cipher))
        guard written == SQLITE_OK else {
            last = nil
            return written
        }
        let end = UnsafeRawPointer(memory.baseAddress! + (count - 1) * size)
        if end.loadUnaligned(fromByteOffset: 4, as: UInt32.self) != 0 {
            committed = (firstKept + Int64(count) - 1, checksum, EncryptedLog.salts(end))
        }
        return SQLITE_OK
    }

    /// Has `last` be the frame before this one.
    private mutating func chain(before frame: Int64, _ cipher: any PageCipher, _ read: Read) -> Int32 {
        guard last?.frame != frame - 1 else { return SQLITE_OK }
        // That of the header is at its end.
        let place = frame == 0 ? Int64(24) : EncryptedLog.offset(frame - 1, cipher) + 16
        return withUnsafeTemporaryAllocation(byteCount: 8, alignment: 8) { bytes in
            let code = read(bytes.baseAddress!, 8, place)
            if code == SQLITE_OK { last = (frame - 1, LogChecksum(in: UnsafeRawBufferPointer(bytes), at: 0)) }
            return code
        }
    }

    private func add(_ frame: UnsafeRawBufferPointer, to checksum: inout LogChecksum) {
        checksum.add(UnsafeRawBufferPointer(rebasing: frame[..<8]), isBigEndian: isBigEndian)
        checksum.add(UnsafeRawBufferPointer(rebasing: frame[EncryptedLog.frameHeaderSize...]), isBigEndian: isBigEndian)
    }

    /// Another content for a page that this transaction has written already. Its checksum follows.
    private mutating func replace(
        _ cipher: any WritablePageCipher, _ frame: Int64, _ bytes: UnsafeRawPointer, _ read: Read, _ write: Write
    ) -> Int32 {
        let flushed = flush(cipher, read, write)
        guard flushed == SQLITE_OK else { return flushed }
        let offset = EncryptedLog.offset(frame, cipher)
        return withUnsafeTemporaryAllocation(byteCount: cipher.pageSize, alignment: 16) { copy in
            guard let start = copy.baseAddress else { return SQLITE_NOMEM }
            let code = read(start, 4, offset)
            guard code == SQLITE_OK else { return code }
            let number = copy.bigEndian(at: 0)
            copy.copyMemory(from: UnsafeRawBufferPointer(start: bytes, count: cipher.pageSize))
            cipher.encrypt(start, number: number)
            return write(start, cipher.pageSize, offset + Int64(EncryptedLog.frameHeaderSize))
        }
    }

    /// The header of a frame that SQLite has added up anew.
    private mutating func recount(
        _ cipher: any WritablePageCipher, _ frame: Int64, _ bytes: UnsafeRawPointer, _ read: Read, _ write: Write
    ) -> Int32 {
        recounted = nil
        let code = chain(before: frame, cipher, read)
        guard code == SQLITE_OK, var (_, checksum) = last else { return code }
        let (size, offset) = (EncryptedLog.frameSize(cipher), EncryptedLog.offset(frame, cipher))
        return withUnsafeTemporaryAllocation(byteCount: size, alignment: 16) { copy in
            guard let start = copy.baseAddress else { return SQLITE_NOMEM }
            let code = read(start, size, offset)
            guard code == SQLITE_OK else { return code }
            start.copyMemory(from: bytes, byteCount: EncryptedLog.frameHeaderSize)
            add(UnsafeRawBufferPointer(copy), to: &checksum)
            copy.store(checksum, at: 16)
            last = (frame, checksum)
            return write(start, EncryptedLog.frameHeaderSize, offset)
        }
    }

    /// The transaction is over, and others may write. `frameCount` is how many frames are committed now: what SQLite has not told them of is no commit, and
    /// is written over.
    mutating func end(frameCount: UInt32?) {
        if let frame = committed?.frame, frameCount.map(Int64.init) != frame + 1 { committed = nil }
        discard()
    }

    /// Forgets what was kept back.
    private mutating func discard() {
        (keptCount, begun, own, last, recounted) = (0, nil, nil, nil, nil)
    }

    mutating func free() {
        memory?.deallocate()
        memory = nil
        discard()
    }
}
