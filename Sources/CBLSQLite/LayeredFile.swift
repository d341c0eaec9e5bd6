import CBLSystemSQLite

/// A file that SQLite has open through `FileLayer`, with SQLite's own file behind it in the same memory.
///
/// A main file that is read from front to back is read ahead (`ReadAhead`), the frames of a commit go into the log in one piece (`LogTail`), pages from there
/// into the main file as well, and those of a file without a log (`GatheredPages`), and who writes needs fewer locks (`WriterLocks`). Of an encrypted one SQLite gets the pages in clear (`PageCipher`), and all that it writes is
/// encrypted: the main file, its log (`EncryptedLog`) and rollback journal (`EncryptedJournal`), and files without a name (`HiddenFile`). Everything
/// else is SQLite's.
struct LayeredFile {
    typealias Pointer = UnsafeMutablePointer<sqlite3_file>

    enum Kind {
        case main
        case log
        case journal
        case temporary
    }

    /// First, for it is what SQLite calls.
    private var methods: UnsafePointer<sqlite3_io_methods>?
    private let kind: Kind
    private var ahead = ReadAhead()
    private var tail = LogTail()
    private var gathered = GatheredPages()
    private var locks = WriterLocks()
    /// Of an encrypted main file.
    private var cipher: (any PageCipher)?
    private var writingCipher: (any WritablePageCipher)?
    /// Whether this connection moves pages from the log into the main file, at the moment, or looks whether there are any.
    private var isMoving = false
    /// Whether it does nothing but read pages from the log and write them into the main file.
    private var isCopying = false
    /// Which of the readers' locks this connection holds, if any.
    private var readerLock: Int32?
    private var encryptedLog = EncryptedLog()
    private var encryptedJournal = EncryptedJournal()
    private let hidden: HiddenFile?
    /// Of a main file its log; of a log or a journal its main file. They belong to one connection.
    private var other: UnsafeMutablePointer<LayeredFile>?
    /// Of a log or a journal, until the disk has its name: the path, which is SQLite's as long as the file is open.
    private var unsyncedName: UnsafePointer<CChar>?
    /// Locks that the system failed to take back, which SQLite does not ask for again: nobody could have them until the file is closed.
    private var unlocks: [(offset: Int32, count: Int32, flags: Int32)] = []

    /// What SQLite is to set aside for each, before its own.
    static let size = (MemoryLayout<LayeredFile>.size + 15) & ~15
    private static let leastPage: Int32 = 512
    /// What SQLite's own files say of a disk that fails. SQLite makes "malformed" of it, and people give up a file in which nothing is wrong.
    private static let readTakenForDamage = SQLITE_IOERR | 33 << 8
    private static let checkpointLock: Int32 = 1
    /// The first of the locks of which a reader holds one.
    private static let firstReaderLock: Int32 = 3

    /// SQLite's own file, which is still to be opened.
    static func base(_ file: Pointer) -> Pointer {
        (UnsafeMutableRawPointer(file) + size).assumingMemoryBound(to: sqlite3_file.self)
    }

    private static func of(_ file: Pointer?) -> UnsafeMutablePointer<LayeredFile>? {
        file.map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: LayeredFile.self) }
    }

    /// When SQLite's own file is open. `main` is the main file whose log or journal it is.
    static func open(
        _ file: Pointer, _ kind: Kind, named name: UnsafePointer<CChar>? = nil, of main: Pointer? = nil,
        cipher: (any WritablePageCipher)? = nil
    ) {
        let own = UnsafeMutableRawPointer(file).bindMemory(to: LayeredFile.self, capacity: 1)
        let base = base(file)
        let sharesMemory = kind != .temporary && base.pointee.pMethods.pointee.iVersion >= 2 && base.pointee.pMethods.pointee.xShmMap != nil
        // A main file without our methods would be one that SQLite did not open through the layer.
        let main = of(main).flatMap { $0.pointee.methods == methods || $0.pointee.methods == methodsWithoutMemory ? $0 : nil }
        own.initialize(
            to: LayeredFile(
                methods: sharesMemory ? methods : methodsWithoutMemory, kind: kind, hidden: kind == .temporary ? HiddenFile() : nil,
                other: main, unsyncedName: name))
        if kind == .log { main?.pointee.other = own }
        if let cipher { own.pointee.begin(cipher) }
    }

    private mutating func begin(_ cipher: any PageCipher) {
        ahead.drop()
        self.cipher = cipher
        writingCipher = cipher as? any WritablePageCipher
        HiddenFile.need()
    }

    private static func close(_ file: Pointer) -> Int32 {
        guard let own = of(file) else { return SQLITE_IOERR }
        let code = own.pointee.flush(base(file))
        if own.pointee.kind != .journal { own.pointee.other?.pointee.other = nil }
        own.pointee.ahead.free()
        own.pointee.gathered.free()
        own.pointee.tail.free()
        own.pointee.encryptedLog.free()
        let closed = base(file).pointee.pMethods.pointee.xClose(base(file))
        own.deinitialize(count: 1)
        return code == SQLITE_OK ? closed : code
    }

    private static func reading(_ base: Pointer) -> EncryptedPages.Read {
        { base.pointee.pMethods.pointee.xRead(base, $0, Int32($1), $2) }
    }

    private static func writing(_ base: Pointer) -> EncryptedPages.Write {
        { base.pointee.pMethods.pointee.xWrite(base, $0, Int32($1), $2) }
    }

    private mutating func read(_ base: Pointer, _ target: UnsafeMutableRawPointer, _ amount: Int32, _ offset: Int64) -> Int32 {
        switch kind {
        case .main: return readMain(base, target, amount, offset)
        case .log:
            if let cipher = other?.pointee.cipher {
                let moves = other?.pointee.isMoving == true
                return encryptedLog.read(
                    cipher, target, Int(amount), offset, moves: moves, LayeredFile.reading(base), LayeredFile.writing(base))
            }
            switch tail.take(target, Int(amount), at: offset) {
            case true: return SQLITE_OK
            case false: break
            default:
                let code = flush(base)
                guard code == SQLITE_OK else { return code }
            }
            if other?.pointee.isCopying == true { return readAhead(base, target, amount, offset) }
        case .journal:
            if let cipher = other?.pointee.writingCipher {
                return encryptedJournal.read(cipher, target, Int(amount), offset, LayeredFile.reading(base))
            }
        case .temporary:
            return hidden?.read(target, Int(amount), offset, LayeredFile.reading(base)) { LayeredFile.fileSize(base) } ?? SQLITE_IOERR
        }
        return base.pointee.pMethods.pointee.xRead(base, target, amount, offset)
    }

    private mutating func readMain(_ base: Pointer, _ target: UnsafeMutableRawPointer, _ amount: Int32, _ offset: Int64) -> Int32 {
        // What was kept back of a file without a log may be what is asked for. It is not written for that: SQLite undoes a transaction if it hears of a full disk
        // from a write, and might undo no more than a statement if it heard so from a read.
        func page(_ target: UnsafeMutableRawPointer, _ count: Int, _ offset: Int64) -> Int32 {
            switch gathered.take(target, count, at: offset) {
            case true: return SQLITE_OK
            case false: return base.pointee.pMethods.pointee.xRead(base, target, Int32(count), offset)
            // SQLite asks for pages, or parts of one.
            default: return SQLITE_IOERR
            }
        }
        func pass() -> Int32 {
            guard let cipher else { return page(target, Int(amount), offset) }
            return EncryptedPages.read(cipher, target, Int(amount), offset, page)
        }
        // Less than a page is asked for by who wants to know whether the file has changed.
        guard amount >= LayeredFile.leastPage else {
            ahead.drop()
            return pass()
        }
        func take() -> Bool {
            guard let cipher else { return ahead.take(target, Int(amount), at: offset) }
            return ahead.take(target, Int(amount), at: offset) { EncryptedPages.decrypt(cipher, $0, $1, $2) }
        }
        if take() { return SQLITE_OK }
        let isHere = ahead.fetch(Int(amount), at: offset, isEncrypted: cipher != nil) {
            LayeredFile.fileSize(base)
        } read: { memory, count, offset in
            !gathered.overlaps(count, at: offset) && base.pointee.pMethods.pointee.xRead(base, memory, Int32(count), offset) == SQLITE_OK
        }
        return isHere && take() ? SQLITE_OK : pass()
    }

    /// Pages of a plain log, whose frames lie nearly in the order in which they are moved.
    private mutating func readAhead(_ base: Pointer, _ target: UnsafeMutableRawPointer, _ amount: Int32, _ offset: Int64) -> Int32 {
        if ahead.take(target, Int(amount), at: offset) { return SQLITE_OK }
        let isHere = ahead.fetch(Int(amount), at: offset) {
            LayeredFile.fileSize(base)
        } read: { memory, count, offset in
            base.pointee.pMethods.pointee.xRead(base, memory, Int32(count), offset) == SQLITE_OK
        }
        if isHere, ahead.take(target, Int(amount), at: offset) { return SQLITE_OK }
        return base.pointee.pMethods.pointee.xRead(base, target, amount, offset)
    }

    /// SQLite has settled how much of the log it moves, or has moved it.
    private static func copying(_ file: Pointer, begins: Bool) {
        guard let own = of(file), own.pointee.kind == .main else { return }
        own.pointee.isCopying = begins
        own.pointee.other?.pointee.ahead.drop()
        // What fails here has failed before: the last page was not kept back.
        _ = own.pointee.gathered.finish(writing(base(file)))
        // Who has the log for himself may have its index elsewhere.
        guard begins, own.pointee.locks.index != nil else { return }
        let index = LogIndex { region in
            var memory: UnsafeMutableRawPointer?
            let code = base(file).pointee.pMethods.pointee.xShmMap(base(file), region, LogIndex.regionSize, 0, &memory)
            return code == SQLITE_OK ? memory : nil
        }
        if let end = index.endOfMoving() { own.pointee.gathered.begin(upTo: end) }
    }

    private static func fileSize(_ base: Pointer) -> Int64? {
        var size: Int64 = 0
        return base.pointee.pMethods.pointee.xFileSize(base, &size) == SQLITE_OK ? size : nil
    }

    private mutating func write(_ base: Pointer, _ bytes: UnsafeRawPointer, _ amount: Int32, _ offset: Int64) -> Int32 {
        let write = LayeredFile.writing(base)
        switch kind {
        case .main:
            ahead.drop()
            // Without a log SQLite says when a transaction is complete, before it lets go of its locks.
            let isWithoutLog = other == nil
            if isWithoutLog { gathered.begin(upTo: .max) }
            func put(_ bytes: UnsafeRawPointer, _ amount: Int, _ offset: Int64) -> Int32 {
                isWithoutLog || isCopying ? gathered.write(bytes, amount, at: offset, write) : write(bytes, amount, offset)
            }
            guard let cipher else { return put(bytes, Int(amount), offset) }
            // A page that comes from the log as it is there, or from the journal of a file that can only be read: nothing in clear gets into the file.
            if isMoving, other?.pointee.encryptedLog.hasMoved(bytes, Int(amount)) == true { return put(bytes, Int(amount), offset) }
            if let writingCipher { return EncryptedPages.write(writingCipher, bytes, Int(amount), offset, put) }
            guard EncryptedPages.isEncrypted(cipher, bytes, Int(amount), offset) else { return SQLITE_READONLY }
            return put(bytes, Int(amount), offset)
        case .log:
            guard other?.pointee.cipher != nil else { return tail.write(bytes, Int(amount), at: offset, write) }
            guard let cipher = other?.pointee.writingCipher else { return SQLITE_READONLY }
            return encryptedLog.write(cipher, bytes, Int(amount), offset, LayeredFile.reading(base), write)
        case .journal:
            guard other?.pointee.cipher != nil else { break }
            guard let cipher = other?.pointee.writingCipher else { break }
            return encryptedJournal.write(cipher, bytes, Int(amount), offset, write)
        case .temporary: return hidden?.write(bytes, Int(amount), offset, write) ?? EncryptedPages.badWrite
        }
        return base.pointee.pMethods.pointee.xWrite(base, bytes, amount, offset)
    }

    /// Before anything that concerns the whole file.
    private mutating func flush(_ base: Pointer) -> Int32 {
        guard kind != .main else { return gathered.flush(LayeredFile.writing(base)) }
        guard kind == .log else { return SQLITE_OK }
        let code = tail.flush(LayeredFile.writing(base))
        return code == SQLITE_OK ? encryptedLog.flush(other?.pointee.cipher, LayeredFile.reading(base), LayeredFile.writing(base)) : code
    }

    /// The writer gives its lock back: others write behind the last commit from now on.
    private mutating func endWriting() {
        other?.pointee.tail.discard()
        other?.pointee.encryptedLog.end(frameCount: locks.frameCount)
    }

    /// Before SQLite is asked for something that others may see, or that others may have changed. A failure is that of the call that follows.
    private static func settled(_ file: Pointer?, _ call: (Pointer, sqlite3_io_methods) -> Int32) -> Int32 {
        guard let file, let own = of(file) else { return SQLITE_IOERR }
        own.pointee.ahead.drop()
        let code = own.pointee.flush(base(file))
        return code == SQLITE_OK ? call(base(file), base(file).pointee.pMethods.pointee) : code
    }

    /// SQLite itself passes over a folder that cannot be synced: whoever has committed then has it in a file that may be without a name.
    private static func synchronize(_ file: Pointer?, _ flags: Int32) -> Int32 {
        let code = settled(file) { $1.xSync($0, flags) }
        guard code == SQLITE_OK, let own = of(file), let name = own.pointee.unsyncedName else { return code }
        guard FileLayer.synchronizeFolder(of: name) else { return SQLITE_IOERR | 5 << 8 }
        own.pointee.unsyncedName = nil
        return SQLITE_OK
    }

    private static func locking(_ file: Pointer) -> WriterLocks.Pass {
        { offset, count, flags in
            func pass(_ offset: Int32, _ count: Int32, _ flags: Int32) -> Int32 {
                LayeredFile.base(file).pointee.pMethods.pointee.xShmLock(LayeredFile.base(file), offset, count, flags)
            }
            guard let own = of(file) else { return SQLITE_IOERR }
            if !own.pointee.unlocks.isEmpty { own.pointee.unlocks.removeAll { pass($0.offset, $0.count, $0.flags) == SQLITE_OK } }
            let code = pass(offset, count, flags)
            guard code != SQLITE_OK, flags & SQLITE_SHM_UNLOCK != 0 else { return code }
            // Another connection cannot do it for this one.
            if (0..<3).contains(where: { _ in pass(offset, count, flags) == SQLITE_OK }) { return SQLITE_OK }
            own.pointee.unlocks.append((offset, count, flags))
            return code
        }
    }

    /// Has `work` done by SQLite, with the locks of its main file told before and after.
    static func telling(
        _ connection: OpaquePointer, _ before: (inout WriterLocks, WriterLocks.Pass) -> Void,
        _ after: (inout WriterLocks, WriterLocks.Pass) -> Void, _ work: () throws -> Void
    ) rethrows {
        guard let file = main(of: connection), let own = of(file), own.pointee.methods == methods else { return try work() }
        let pass = locking(file)
        before(&own.pointee.locks, pass)
        // The file is there as long as the connection.
        defer { after(&own.pointee.locks, pass) }
        try work()
    }

    /// Has the main file of a connection read through a cipher from now on. False if SQLite has not opened it through the layer.
    static func decrypt(_ connection: OpaquePointer, with cipher: any PageCipher) -> Bool {
        guard let own = of(main(of: connection)) else { return false }
        own.pointee.begin(cipher)
        return true
    }

    // What is read without SQLite

    /// The main file of a connection, if it was opened through the layer.
    static func main(of connection: OpaquePointer) -> Pointer? {
        var file: Pointer?
        guard sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK, let own = of(file),
            own.pointee.methods == methods || own.pointee.methods == methodsWithoutMemory
        else { return nil }
        return file
    }

    /// The log of a connection that has one open.
    static func log(of connection: OpaquePointer) -> Pointer? {
        var file: Pointer?
        guard sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file) == SQLITE_OK, let file,
            file.pointee.pMethods != nil,
            let own = of(file), own.pointee.methods == methods || own.pointee.methods == methodsWithoutMemory, own.pointee.kind == .log
        else { return nil }
        return file
    }

    /// What the lock that a connection reads with keeps as it is: nil for none.
    enum Hold { case mainFile, mainFileAndLog }

    static func hold(of main: Pointer) -> Hold? {
        of(main)?.pointee.readerLock.map { $0 == firstReaderLock ? .mainFile : .mainFileAndLog }
    }

    static func size(of main: Pointer) -> Int64? { fileSize(base(main)) }

    static func isEncrypted(_ main: Pointer) -> Bool { of(main)?.pointee.cipher != nil }

    /// Bytes of a file as they are there. Any number of threads may ask.
    static func readAsItIs(_ file: Pointer, _ target: UnsafeMutableRawPointer, _ count: Int, _ offset: Int64) -> Bool {
        base(file).pointee.pMethods.pointee.xRead(base(file), target, Int32(clamping: count), offset) == SQLITE_OK
    }

    /// Whole pages of a main file, in clear. Any number of threads may ask.
    static func readPages(_ main: Pointer, _ target: UnsafeMutableRawPointer, _ count: Int, _ offset: Int64) -> Bool {
        guard readAsItIs(main, target, count, offset) else { return false }
        guard let cipher = of(main)?.pointee.cipher else { return true }
        return EncryptedPages.decrypt(cipher, target, count, offset)
    }

    /// Makes plain text of whole pages that were read as they are, each in its place. Any number of threads may ask.
    static func decryptPages(_ main: Pointer, _ pages: UnsafeMutableRawBufferPointer, _ numbers: UnsafeBufferPointer<UInt32>) -> Bool {
        of(main)?.pointee.cipher?.decrypt(pages, numbers: numbers) ?? true
    }

    /// The beginning of a page of a main file; of an encrypted one all that is read of it, of which only the beginning is in clear then.
    static func readHead(_ main: Pointer, _ target: UnsafeMutableRawBufferPointer, _ page: UInt32, _ offset: Int64) -> Bool {
        guard let start = target.baseAddress, readAsItIs(main, start, target.count, offset) else { return false }
        return of(main)?.pointee.cipher?.decryptHead(target, number: page) ?? true
    }

    private static func passed(_ file: Pointer?, _ call: (Pointer, sqlite3_io_methods) -> Int32) -> Int32 {
        guard let file else { return SQLITE_IOERR }
        return call(base(file), base(file).pointee.pMethods.pointee)
    }

    private nonisolated(unsafe) static let methods = make(version: 3)
    /// Of files that SQLite opens without locks, or with others than those of the system.
    private nonisolated(unsafe) static let methodsWithoutMemory = make(version: 1)

    private static func make(version: Int32) -> UnsafePointer<sqlite3_io_methods> {
        var methods = sqlite3_io_methods()
        methods.iVersion = version
        methods.xClose = { file in file.map { LayeredFile.close($0) } ?? SQLITE_IOERR }
        methods.xRead = { file, target, amount, offset in
            guard let file, let own = LayeredFile.of(file), let target else { return SQLITE_IOERR }
            let code = own.pointee.read(LayeredFile.base(file), target, amount, offset)
            return code == LayeredFile.readTakenForDamage ? SQLiteError.failedRead : code
        }
        methods.xWrite = { file, bytes, amount, offset in
            guard let file, let own = LayeredFile.of(file), let bytes else { return SQLITE_IOERR }
            return own.pointee.write(LayeredFile.base(file), bytes, amount, offset)
        }
        methods.xTruncate = { file, size in LayeredFile.settled(file) { $1.xTruncate($0, size) } }
        methods.xSync = { file, flags in LayeredFile.synchronize(file, flags) }
        methods.xFileSize = { file, size in LayeredFile.settled(file) { $1.xFileSize($0, size) } }
        methods.xLock = { file, lock in LayeredFile.settled(file) { $1.xLock($0, lock) } }
        methods.xUnlock = { file, lock in LayeredFile.passed(file) { $1.xUnlock($0, lock) } }
        methods.xCheckReservedLock = { file, result in LayeredFile.passed(file) { $1.xCheckReservedLock($0, result) } }
        methods.xFileControl = { file, operation, argument in
            if let file, operation == SQLITE_FCNTL_CKPT_START || operation == SQLITE_FCNTL_CKPT_DONE {
                LayeredFile.copying(file, begins: operation == SQLITE_FCNTL_CKPT_START)
            }
            // Said of a main file in every commit and every rollback, also where nothing waits for the disk.
            if operation == SQLITE_FCNTL_SYNC { return LayeredFile.settled(file) { $1.xFileControl($0, operation, argument) } }
            return LayeredFile.passed(file) { $1.xFileControl($0, operation, argument) }
        }
        methods.xSectorSize = { file in LayeredFile.passed(file) { $1.xSectorSize($0) } }
        methods.xDeviceCharacteristics = { file in LayeredFile.passed(file) { $1.xDeviceCharacteristics($0) } }
        methods.xShmMap = { file, page, size, extends, memory in
            let code = LayeredFile.passed(file) { $1.xShmMap($0, page, size, extends, memory) }
            if page == 0, code == SQLITE_OK {
                LayeredFile.of(file)?.pointee.locks.index = memory?.pointee.map { UnsafeMutableRawPointer(mutating: $0) }
            }
            return code
        }
        methods.xShmLock = { file, offset, count, flags in
            guard let file, let own = LayeredFile.of(file) else { return SQLITE_IOERR }
            if flags & SQLITE_SHM_LOCK != 0 {
                own.pointee.ahead.drop()
            } else if offset == WriterLocks.writer && flags & SQLITE_SHM_EXCLUSIVE != 0 {
                own.pointee.endWriting()
            }
            let code = own.pointee.locks.lock(offset, count, flags, LayeredFile.locking(file))
            if code == SQLITE_OK, offset >= LayeredFile.firstReaderLock, flags & SQLITE_SHM_SHARED != 0 {
                own.pointee.readerLock = flags & SQLITE_SHM_LOCK != 0 ? offset : nil
            }
            // Who looks at a log after a crash takes this lock with others.
            if code == SQLITE_OK, offset == LayeredFile.checkpointLock, flags & SQLITE_SHM_EXCLUSIVE != 0 {
                own.pointee.isMoving = count == 1 && flags & SQLITE_SHM_LOCK != 0
            }
            return code
        }
        methods.xShmBarrier = { file in
            guard let file else { return }
            LayeredFile.base(file).pointee.pMethods.pointee.xShmBarrier(LayeredFile.base(file))
        }
        methods.xShmUnmap = { file, deletes in
            LayeredFile.of(file)?.pointee.locks = WriterLocks()
            LayeredFile.of(file)?.pointee.unlocks = []
            return LayeredFile.passed(file) { $1.xShmUnmap($0, deletes) }
        }
        methods.xFetch = { file, offset, amount, page in
            // What is mapped is the file as it is.
            if let own = LayeredFile.of(file), own.pointee.cipher != nil {
                page?.pointee = nil
                return SQLITE_OK
            }
            return LayeredFile.passed(file) { $1.xFetch($0, offset, amount, page) }
        }
        methods.xUnfetch = { file, offset, page in LayeredFile.passed(file) { $1.xUnfetch($0, offset, page) } }
        let kept = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        kept.initialize(to: methods)
        return UnsafePointer(kept)
    }
}
