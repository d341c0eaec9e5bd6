import CBLSystemSQLite

/// The rollback journal of an encrypted file, as SQLite reads and writes it: pages as they were, each between its number and a checksum.
///
/// What SQLite adds up is every 200th byte of a page, and a number of the journal. In the file the sum is that of the encrypted page, as the vendor's
/// programs have it. Format: "The Rollback Journal" in SQLite's description of database files.
struct EncryptedJournal {
    typealias Read = EncryptedPages.Read
    typealias Write = EncryptedPages.Write

    private static let numberSize = 4
    private static let sumStep = 200

    /// The number of the page that comes next, and where that is.
    private var next: (page: UInt32, offset: Int64)?
    /// What the checksum at an offset has more than SQLite knows.
    private var difference: (sum: UInt32, offset: Int64)?

    mutating func write(
        _ cipher: any WritablePageCipher, _ bytes: UnsafeRawPointer, _ amount: Int, _ offset: Int64, _ write: Write
    ) -> Int32 {
        if amount == EncryptedJournal.numberSize {
            var word = UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self))
            if let difference, difference.offset == offset {
                word &+= difference.sum
                self.difference = nil
            } else {
                next = (word, offset + Int64(amount))
            }
            return withUnsafeBytes(of: word.bigEndian) { write($0.baseAddress!, amount, offset) }
        }
        guard let page = next, page.offset == offset, amount == cipher.pageSize else {
            // Headers have nothing of the database; pages have their numbers before them.
            return amount < cipher.pageSize || offset % 512 == 0 && isHeader(bytes) ? write(bytes, amount, offset) : EncryptedPages.badWrite
        }
        next = nil
        return withUnsafeTemporaryAllocation(byteCount: amount, alignment: 16) { copy in
            guard let start = copy.baseAddress else { return SQLITE_NOMEM }
            copy.copyMemory(from: UnsafeRawBufferPointer(start: bytes, count: amount))
            let clear = EncryptedJournal.sum(UnsafeRawBufferPointer(copy))
            cipher.encrypt(start, number: page.page)
            difference = (EncryptedJournal.sum(UnsafeRawBufferPointer(copy)) &- clear, offset + Int64(amount))
            return write(start, amount, offset)
        }
    }

    /// A header begins with a magic number, or with zeros until what follows is safe.
    private func isHeader(_ bytes: UnsafeRawPointer) -> Bool {
        let magic = bytes.loadUnaligned(as: UInt64.self).bigEndian
        return magic == 0xd9d5_05f9_20a1_63d7 || magic == 0
    }

    mutating func read(
        _ cipher: any WritablePageCipher, _ target: UnsafeMutableRawPointer, _ amount: Int, _ offset: Int64, _ read: Read
    ) -> Int32 {
        let code = read(target, amount, offset)
        guard code == SQLITE_OK else { return code }
        if amount == EncryptedJournal.numberSize, let difference, difference.offset == offset {
            let word = UInt32(bigEndian: target.loadUnaligned(as: UInt32.self)) &- difference.sum
            target.storeBytes(of: word.bigEndian, as: UInt32.self)
            self.difference = nil
        }
        guard amount == cipher.pageSize, offset >= EncryptedJournal.numberSize else { return SQLITE_OK }
        var number: UInt32 = 0
        let found = withUnsafeMutableBytes(of: &number) { read($0.baseAddress!, $0.count, offset - Int64(EncryptedJournal.numberSize)) }
        guard found == SQLITE_OK else { return found }
        let page = UnsafeMutableRawBufferPointer(start: target, count: amount)
        let encrypted = EncryptedJournal.sum(UnsafeRawBufferPointer(page))
        guard cipher.decrypt(page, number: UInt32(bigEndian: number)) else { return SQLITE_CORRUPT }
        difference = (encrypted &- EncryptedJournal.sum(UnsafeRawBufferPointer(page)), offset + Int64(amount))
        return SQLITE_OK
    }

    private static func sum(_ page: UnsafeRawBufferPointer) -> UInt32 {
        stride(from: page.count - sumStep, to: 0, by: -sumStep).reduce(0) { $0 &+ UInt32(page[$1]) }
    }
}
