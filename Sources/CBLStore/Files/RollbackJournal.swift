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

    private static let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
    /// The number of a page before the name; its length, a checksum and the magic number behind it.
    private static let overhead = 4 + 16

    /// Whether a file that is played back by it becomes empty: how many pages there were stands in the journal's header.
    static func isOfEmptyFile(_ file: RegularFile) -> Bool {
        var header = [UInt8](repeating: 0, count: 20)
        guard (try? file.read(at: 0, into: &header)) == header.count else { return false }
        return header.starts(with: magic) && header[16...].allSatisfy { $0 == 0 }
    }

    /// A page as a journal that counts has it; nil if there is none.
    static func page(_ number: Int, _ pageSize: Int, in file: RegularFile) -> [UInt8]? {
        func read(_ count: Int, at offset: Int) -> [UInt8]? {
            var bytes = [UInt8](repeating: 0, count: count)
            return (try? file.read(at: offset, into: &bytes)) == count ? bytes : nil
        }
        func word(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
        guard let header = read(28, at: 0), header.starts(with: magic), word(header[24..<28]) == pageSize else { return nil }
        var offset = word(header[20..<24])
        while let found = read(4, at: offset) {
            if word(found[...]) == number { return read(pageSize, at: offset + 4) }
            offset += pageSize + 8
        }
        return nil
    }

    /// Nil if it names nothing.
    init?(_ file: RegularFile) {
        let size = file.status.size
        func read(_ count: Int, at offset: Int) -> [UInt8]? {
            guard offset >= 0 else { return nil }
            var bytes = [UInt8](repeating: 0, count: count)
            return (try? file.read(at: offset, into: &bytes)) == count ? bytes : nil
        }
        guard let end = read(16, at: size - 16), end[8...].elementsEqual(RollbackJournal.magic) else { return nil }
        let count = end[..<4].reduce(0) { $0 << 8 | Int($1) }
        guard count <= size - RollbackJournal.overhead, let name = read(min(count, 4096), at: size - 16 - count) else { return nil }
        otherFile = String(decoding: name, as: UTF8.self)
        length = size - RollbackJournal.overhead - count
    }

    /// Takes the name off a file that is open for writing. What the journal holds of pages stays.
    func cutOff(_ file: RegularFile) throws(StoreError) {
        guard ftruncate(file.descriptor, off_t(length)) == 0 else { throw FileCopy.failure("cannot write", file.path) }
    }
}

extension FileAccess {
    /// The file that playing the journal back would have deleted, if there is one.
    var fileNamedByJournal: String? {
        guard let file = try? open(.rollbackJournal) else { return nil }
        return RollbackJournal(file)?.otherFile
    }

    /// For who is about to have SQLite play the journal back.
    func checkJournal(cutsOff: Bool) throws(StoreError) {
        guard bundle.size(.rollbackJournal) > 0 else { return }
        guard let file = try open(.rollbackJournal, flags: cutsOff ? O_RDWR : O_RDONLY), let journal = RollbackJournal(file) else { return }
        if cutsOff { return try journal.cutOff(file) }
        throw StoreError(
            .foreignSchema,
            "its rollback journal names another file, \(journal.otherFile), which would be deleted; no release of Couchbase Lite does that",
            path: bundle.path)
    }
}
