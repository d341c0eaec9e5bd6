import CBLSystemSQLite

/// What stands between the pages of an encrypted file and what SQLite takes them for. One serves a main file, its log and its rollback journal;
/// pages have the same size in all, and leave some bytes at their ends to the cipher, as the first page says.
package protocol PageCipher: AnyObject, Sendable {
    var pageSize: Int { get }

    /// Makes plain text of a whole page in its place; false if it is none that was encrypted with this key, under this number.
    func decrypt(_ page: UnsafeMutableRawBufferPointer, number: UInt32) -> Bool

    /// Makes plain text at least of the first sixteen bytes of a whole page, other than the first, in their place.
    func decryptHead(_ page: UnsafeMutableRawBufferPointer, number: UInt32) -> Bool

    /// The same as `decrypt` for several. What is left if one of them cannot be decrypted is not to be used.
    func decrypt(_ pages: UnsafeMutableRawBufferPointer, numbers: UnsafeBufferPointer<UInt32>) -> Bool
}

/// One that can be written with. Through others the layer lets nothing in that is not encrypted already.
package protocol WritablePageCipher: PageCipher {
    /// How many bytes SQLite is to leave at the end of each page.
    var reservedSize: Int { get }

    /// Encrypts pages in their place, each under its number. They begin `stride` bytes from each other.
    func encrypt(_ start: UnsafeMutableRawPointer, stride: Int, numbers: UnsafeBufferPointer<UInt32>)
}

extension PageCipher {
    package func decryptHead(_ page: UnsafeMutableRawBufferPointer, number: UInt32) -> Bool { decrypt(page, number: number) }

    package func decrypt(_ pages: UnsafeMutableRawBufferPointer, numbers: UnsafeBufferPointer<UInt32>) -> Bool {
        guard pages.count == numbers.count * pageSize else { return false }
        for (place, number) in numbers.enumerated() {
            let page = UnsafeMutableRawBufferPointer(rebasing: pages[place * pageSize..<(place + 1) * pageSize])
            // What was never written is a hole in the file.
            guard decrypt(page, number: number) || page.allSatisfy({ $0 == 0 }) else { return false }
        }
        return true
    }

    /// The same for pages that follow each other.
    package func decrypt(_ pages: UnsafeMutableRawBufferPointer, from number: UInt32) -> Bool {
        let count = pages.count / pageSize
        return withUnsafeTemporaryAllocation(of: UInt32.self, capacity: count) { numbers in
            for index in 0..<count { numbers.initializeElement(at: index, to: number + UInt32(index)) }
            return decrypt(pages, numbers: UnsafeBufferPointer(numbers))
        }
    }
}

extension WritablePageCipher {
    /// Encrypts the first page in its place.
    package func encryptFirst(_ page: UnsafeMutableRawBufferPointer) {
        if let start = page.baseAddress, page.count == pageSize { encrypt(start, number: 1) }
    }

    func encrypt(_ page: UnsafeMutableRawPointer, number: UInt32) {
        withUnsafePointer(to: number) { encrypt(page, stride: pageSize, numbers: UnsafeBufferPointer(start: $0, count: 1)) }
    }
}

/// Reading and writing a main file through its cipher.
enum EncryptedPages {
    typealias Read = (UnsafeMutableRawPointer, Int, Int64) -> Int32
    typealias Write = (UnsafeRawPointer, Int, Int64) -> Int32
    static let shortRead = SQLITE_IOERR | 2 << 8
    static let badWrite = SQLITE_IOERR | 3 << 8

    /// Reads any part of the file, of which whole pages are read for that. Gives SQLite's code.
    static func read(_ cipher: any PageCipher, _ target: UnsafeMutableRawPointer, _ amount: Int, _ offset: Int64, _ read: Read) -> Int32 {
        let size = cipher.pageSize
        var done = 0
        while done < amount {
            let (page, start) = (offset + Int64(done)).quotientAndRemainder(dividingBy: Int64(size))
            let count = min(size - Int(start), amount - done)
            var code = SQLITE_OK
            if count == size {
                code = whole(cipher, target + done, page, read)
            } else {
                let scratch = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
                defer { scratch.deallocate() }
                code = whole(cipher, scratch, page, read)
                (target + done).copyMemory(from: scratch + Int(start), byteCount: count)
            }
            guard code == SQLITE_OK else {
                // SQLite counts on zeros where there is nothing.
                (target + done).initializeMemory(as: UInt8.self, repeating: 0, count: amount - done)
                return code
            }
            done += count
        }
        return SQLITE_OK
    }

    private static func whole(_ cipher: any PageCipher, _ target: UnsafeMutableRawPointer, _ page: Int64, _ read: Read) -> Int32 {
        let code = read(target, cipher.pageSize, page * Int64(cipher.pageSize))
        switch code {
        case SQLITE_OK: return decrypt(cipher, target, cipher.pageSize, page * Int64(cipher.pageSize)) ? SQLITE_OK : SQLITE_CORRUPT
        // Behind the end of the file are zeros. The beginning of a page without its end is nothing.
        case shortRead: return isHole(UnsafeRawBufferPointer(start: target, count: cipher.pageSize)) ? shortRead : SQLITE_CORRUPT
        default: return code
        }
    }

    /// Decrypts whole pages from an offset on in their place; false if one of them cannot be, or they are not whole.
    static func decrypt(_ cipher: any PageCipher, _ bytes: UnsafeMutableRawPointer, _ count: Int, _ offset: Int64) -> Bool {
        let size = cipher.pageSize
        guard count.isMultiple(of: size), offset.isMultiple(of: Int64(size)),
            UInt32(exactly: (offset + Int64(count)) / Int64(size)) != nil
        else { return false }
        return cipher.decrypt(UnsafeMutableRawBufferPointer(start: bytes, count: count), from: UInt32(offset / Int64(size)) + 1)
    }

    /// Encrypts a copy of whole pages, and writes that.
    static func write(_ cipher: any WritablePageCipher, _ bytes: UnsafeRawPointer, _ amount: Int, _ offset: Int64, _ write: Write) -> Int32
    {
        let size = cipher.pageSize
        guard amount == size, offset.isMultiple(of: Int64(size)), let number = UInt32(exactly: offset / Int64(size) + 1) else {
            return badWrite
        }
        return withUnsafeTemporaryAllocation(byteCount: size, alignment: 16) { copy in
            copy.copyMemory(from: UnsafeRawBufferPointer(start: bytes, count: size))
            guard let start = copy.baseAddress else { return SQLITE_NOMEM }
            cipher.encrypt(start, number: number)
            return write(start, size, offset)
        }
    }

    /// Whether what is to be written is encrypted already. Who plays a rollback journal back writes the pages as they were.
    static func isEncrypted(_ cipher: any PageCipher, _ bytes: UnsafeRawPointer, _ amount: Int, _ offset: Int64) -> Bool {
        guard amount == cipher.pageSize, offset.isMultiple(of: Int64(amount)), let number = UInt32(exactly: offset / Int64(amount) + 1)
        else {
            return false
        }
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: amount, alignment: 16)
        defer { copy.deallocate() }
        copy.copyMemory(from: UnsafeRawBufferPointer(start: bytes, count: amount))
        return cipher.decrypt(copy, number: number)
    }

    private static func isHole(_ bytes: UnsafeRawBufferPointer) -> Bool { bytes.allSatisfy { $0 == 0 } }
}
