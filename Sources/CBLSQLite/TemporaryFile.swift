import CBLBase
import CBLSystemSQLite
import Synchronization

/// A file without a name, in which SQLite sorts, copies and keeps what it may undo. The system takes milliseconds to give up a large one, for which
/// nobody at a prompt is to wait: it is closed aside.
enum TemporaryFile {
    typealias Pointer = UnsafeMutablePointer<sqlite3_file>

    /// What is smaller takes less time than a thread.
    private static let leastSize: Int64 = 1 << 20
    /// In milliseconds. Whoever has been told that a statement was interrupted has his prompt by then.
    private static let delay: UInt32 = 50

    /// The methods of SQLite's own files, and the same with our way of closing. All files without a name have them in common.
    private struct Methods: @unchecked Sendable {
        // Sendable: memory that nobody writes to, and that stays.
        let theirs: UnsafePointer<sqlite3_io_methods>
        let ours: UnsafePointer<sqlite3_io_methods>

        init(_ theirs: UnsafePointer<sqlite3_io_methods>) {
            let copy = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
            copy.initialize(to: theirs.pointee)
            copy.pointee.xClose = { $0.map(TemporaryFile.close) ?? SQLITE_OK }
            self.theirs = theirs
            ours = UnsafePointer(copy)
        }
    }

    private struct File: @unchecked Sendable {
        // Sendable: who makes one leaves the file to whoever closes it.
        let pointer: Pointer
        let close: @convention(c) (Pointer?) -> Int32
    }

    private static let methods = Mutex<Methods?>(nil)

    /// To be called when SQLite has opened it.
    static func opened(_ file: Pointer) {
        guard let theirs = file.pointee.pMethods else { return }
        let known = methods.withLock { known in
            let methods = known ?? Methods(theirs)
            known = methods
            return methods
        }
        if known.theirs == theirs { file.pointee.pMethods = known.ours }
    }

    private static func close(_ file: Pointer) -> Int32 {
        guard let theirs = methods.withLock({ $0?.theirs }) else { return SQLITE_MISUSE }
        file.pointee.pMethods = theirs
        var size: Int64 = 0
        guard theirs.pointee.xFileSize(file, &size) == SQLITE_OK, size >= leastSize, let count = FileLayer.sizeOfFile else {
            return theirs.pointee.xClose(file)
        }
        // The memory is the caller's, and may be gone before the file is. Nothing points to what is in it: the file has no name, and no locks.
        let memory = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 16)
        memory.copyMemory(from: file, byteCount: count)
        let moved = File(pointer: memory.assumingMemoryBound(to: sqlite3_file.self), close: theirs.pointee.xClose)
        WorkerThread.aside(after: delay) {
            _ = moved.close(moved.pointer)
            moved.pointer.deallocate()
        }
        return SQLITE_OK
    }
}
