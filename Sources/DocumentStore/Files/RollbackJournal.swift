import Glibc

/// The end of a rollback journal, looked at before SQLite does.
///
/// A transaction over several files leaves the name of a "super-journal" behind the pages: whoever plays the journal back reads that file and
/// then deletes it. Couchbase Lite has no such transactions, so the name is somebody's who wants a file deleted.
struct RollbackJournal {
    /// What the journal names.
    let otherFile: String
    /// How long the journal is without the name.
    private let length: Int
    private let path: String

    private static let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
    /// The number of a page before the name; its length, a checksum and the magic number behind it.
    private static let overhead = 4 + 16

    /// Nil if there is no journal, or it names nothing.
    init?(naming path: String) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        let size = Int(status.st_size)
        guard let end = RollbackJournal.read(descriptor, 16, at: size - 16), end[8...].elementsEqual(RollbackJournal.magic) else {
            return nil
        }
        let count = end[..<4].reduce(0) { $0 << 8 | Int($1) }
        guard count <= size - RollbackJournal.overhead, let name = RollbackJournal.read(descriptor, min(count, 4096), at: size - 16 - count)
        else { return nil }
        self.path = path
        otherFile = String(decoding: name, as: UTF8.self)
        length = size - RollbackJournal.overhead - count
    }

    private static func read(_ descriptor: Int32, _ count: Int, at offset: Int) -> [UInt8]? {
        guard offset >= 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        return pread(descriptor, &bytes, count, off_t(offset)) == count ? bytes : nil
    }

    /// Takes the name off. What the journal holds of pages stays.
    func cutOff() throws(StoreError) {
        guard truncate(path, off_t(length)) == 0 else { throw FileCopy.failure("cannot write", path) }
    }
}

extension Bundle {
    /// For who is about to have SQLite play the journal back.
    func checkJournal(cutsOff: Bool) throws(StoreError) {
        guard let journal = RollbackJournal(naming: rollbackJournal) else { return }
        if cutsOff { return try journal.cutOff() }
        throw StoreError(
            .foreignSchema,
            "its rollback journal names another file, \(journal.otherFile), which would be deleted; no release of Couchbase Lite does that",
            path: path)
    }
}
