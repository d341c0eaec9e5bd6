import CBLSystemSQLite

/// The locks on a log's index of a connection that writes, with two calls of the system for each transaction instead of six.
///
/// SQLite first takes a reader's lock, having noted there how much of the log it sees, and then the writers' lock. Here the writers' lock can be
/// taken first: while it is held nobody can commit or begin the log anew, so all that a reader's lock keeps away is kept away by it, and SQLite
/// only believes to have one. It gets a real one if it goes on reading when it does not write any more. See "WAL Locks" in SQLite's description
/// of the log.
struct WriterLocks {
    /// Asks SQLite's own file: the first lock, how many, and what to do.
    typealias Pass = (_ offset: Int32, _ count: Int32, _ flags: Int32) -> Int32

    static let writer: Int32 = 0
    /// Not the first one of five, which is for those who do not read from the log.
    private static let readers: ClosedRange<Int32> = 4...7
    private static let lockShared = SQLITE_SHM_LOCK | SQLITE_SHM_SHARED
    private static let lockExclusive = SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE
    private static let unlockShared = SQLITE_SHM_UNLOCK | SQLITE_SHM_SHARED
    private static let unlockExclusive = SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE

    /// The log's index, when it is mapped.
    var index: UnsafeMutableRawPointer?
    /// The writers' lock is held, and SQLite has not asked for it yet.
    private var isAhead = false
    /// SQLite has given the writers' lock back, and it is still held.
    private var isLate = false
    /// The reader's lock that SQLite believes to have.
    private var believed: Int32?
    /// The real one instead.
    private var real: Int32?
    /// How often SQLite may still be refused a reader's lock that says how much of the log there is now: it makes do with one that says less, if
    /// there is one.
    private var refusals = 0
    private var isCommitting = false

    /// How many frames of the log are committed.
    var frameCount: UInt32? { index?.load(fromByteOffset: 16, as: UInt32.self) }

    /// Before SQLite begins a transaction that writes. If somebody else is writing, SQLite finds out by itself.
    mutating func takeAhead(_ pass: Pass) {
        guard index != nil, !isAhead, !isLate, believed == nil else { return }
        isAhead = pass(WriterLocks.writer, 1, WriterLocks.lockExclusive) == SQLITE_OK
        if isAhead { beginMakingDo() }
    }

    /// Before a transaction that is over in a moment. An older reader's lock keeps others from writing back what came since.
    mutating func beginMakingDo() { refusals = WriterLocks.readers.count }
    mutating func endMakingDo() { refusals = 0 }

    /// After that. Nothing is left to do, unless it has failed.
    mutating func endTaking(_ pass: Pass) {
        endMakingDo()
        guard isAhead else { return }
        isAhead = false
        letGo(pass)
    }

    /// Before a commit, which most often ends the reading with the writing.
    mutating func beginCommit() { isCommitting = true }

    mutating func endCommit(_ pass: Pass) {
        isCommitting = false
        if isLate { letGo(pass) }
    }

    mutating func lock(_ offset: Int32, _ count: Int32, _ flags: Int32, _ pass: Pass) -> Int32 {
        if offset == WriterLocks.writer, count == 1 {
            if flags == WriterLocks.lockExclusive, isAhead || isLate {
                (isAhead, isLate) = (false, false)
                return SQLITE_OK
            }
            if flags == WriterLocks.unlockExclusive, believed != nil, real == nil {
                if isCommitting { isLate = true } else { letGo(pass) }
                return SQLITE_OK
            }
        }
        guard count == 1, WriterLocks.readers.contains(offset) else { return pass(offset, count, flags) }
        if flags == WriterLocks.lockShared, isAhead {
            believed = offset
            return SQLITE_OK
        }
        if flags == WriterLocks.lockExclusive, refusals > 0 {
            refusals -= 1
            return SQLITE_BUSY
        }
        if flags == WriterLocks.unlockShared, offset == believed {
            let code = real.map { pass($0, 1, flags) } ?? SQLITE_OK
            (believed, real) = (nil, nil)
            if isLate { letGo(pass) }
            return code
        }
        return pass(offset, count, flags)
    }

    /// Gives the writers' lock back. Who goes on reading gets a reader's lock for it, or keeps it until the end if all of them are taken.
    private mutating func letGo(_ pass: Pass) {
        isLate = believed != nil && !takeReal(pass)
        if !isLate { _ = pass(WriterLocks.writer, 1, WriterLocks.unlockExclusive) }
    }

    /// A reader's lock that says no more than what there is in the log, which stays so as long as the writers' lock is held.
    private mutating func takeReal(_ pass: Pass) -> Bool {
        guard let index, let length = frameCount else { return false }
        for offset in WriterLocks.readers where pass(offset, 1, WriterLocks.lockShared) == SQLITE_OK {
            if mark(offset, index).pointee <= length {
                real = offset
                return true
            }
            _ = pass(offset, 1, WriterLocks.unlockShared)
        }
        for offset in WriterLocks.readers where pass(offset, 1, WriterLocks.lockExclusive) == SQLITE_OK {
            mark(offset, index).pointee = length
            _ = pass(offset, 1, WriterLocks.unlockExclusive)
            guard pass(offset, 1, WriterLocks.lockShared) == SQLITE_OK else { continue }
            if mark(offset, index).pointee <= length {
                real = offset
                return true
            }
            _ = pass(offset, 1, WriterLocks.unlockShared)
        }
        return false
    }

    /// How much of the log they see who have this lock.
    private func mark(_ offset: Int32, _ index: UnsafeMutableRawPointer) -> UnsafeMutablePointer<UInt32> {
        (index + 100 + 4 * Int(offset - 3)).assumingMemoryBound(to: UInt32.self)
    }
}
